"""Reads what several commands take: problems and policies."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from allotment.policy import Policy
    from allotment.worlds.changing import Changing
    from allotment.worlds.problem import Problem
    from allotment.worlds.world import World

ProblemArgument = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A TOML or JSON file, or a shipped name such as paper-1.")
]
PolicyOption = Annotated[
    list[str],
    typer.Option("--policy", "-p", help="A policy, e.g. csb-dt:gamma=1e-4 (repeatable); see `policies`."),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace the file if something else is in it.")
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", help="Threads; as many as there are cores by default.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


def read_problem(text: str) -> "Problem | Changing":
    """The problem that a name or a file stands for."""
    from allotment.worlds.descriptions import find_world

    return find_world(text)


def read_policies(texts: list[str], problem: "World") -> "list[Policy]":
    """The policies that texts stand for, each with a label of its own."""
    from allotment.catalogue import parse_all

    return parse_all(texts, problem)
