"""Reads what several commands take: problems and policies."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.errors import NotFoundError, shown

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
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


def read_problem(text: str) -> "Problem | Changing":
    """The problem that a name or a file stands for."""
    from allotment.worlds.descriptions import load_world
    from allotment.worlds.problem import Problem

    if text in Problem.shipped():
        return Problem.named(text)
    if not os.path.exists(text):  # noqa: PTH110 - says no to what cannot be a path, too
        raise NotFoundError(
            f"there is no file or problem named {shown(text)}",
            f"a TOML file or one of {', '.join(Problem.shipped())}",
            what="problem",
            value=text,
        )
    return load_world(text)


def read_policies(texts: list[str], problem: "World") -> "list[Policy]":
    """The policies that texts stand for, each with a label of its own."""
    from allotment.catalogue import parse

    policies = [parse(text, problem) for text in texts]
    labels = [policy.label for policy in policies]
    return [  # two of a kind are told apart by how they were written
        replace(policy, label=text) if labels.count(policy.label) > 1 and "label=" not in text else policy
        for text, policy in zip(texts, policies, strict=True)
    ]
