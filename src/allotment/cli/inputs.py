"""Arguments that several commands share: problems, policies, and workers."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.errors import ConflictError

if TYPE_CHECKING:
    from allotment.policies.base.policy import Policy
    from allotment.worlds.descriptions import OurWorld
    from allotment.worlds.world import World

ProblemArgument = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A TOML or JSON file, or a shipped name such as paper-1.")
]
PolicyOption = Annotated[
    list[str],
    typer.Option("--policy", "-p", help="A policy, e.g. csb-dt:gamma=1e-4 (repeatable); see `policies`."),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace the file if it holds something else.")
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", help="The number of threads. Defaults to the number of cores.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Run on the cluster of this Dask scheduler: tcp://head:8786."
    ),
]
TrustOption = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        metavar="MODULE.CLASS",
        help="Code from outside the package that the file may name: my_module.Mine (repeatable).",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


def read_problem(text: str) -> "OurWorld":
    """Read a problem from a file, or find it by name."""
    from allotment.worlds.descriptions import find_world

    return find_world(text)


def read_policies(texts: list[str], problem: "World") -> "list[Policy]":
    """Read policies from texts, each with its own label."""
    from allotment.policies.base.catalogue import find_policy
    from allotment.policies.base.policy_texts import parse_all

    return parse_all(texts, problem, find_policy)


@contextmanager
def who_works(workers: int | None, scheduler: str | None) -> Iterator[dict[str, Any]]:
    """The workers of `simulate`, `extend` and `sweep`: threads here, or a cluster."""
    if scheduler is None:
        yield {"workers": workers}
        return
    if workers is not None:
        wrong = "--workers counts threads here, and --scheduler works elsewhere"
        raise ConflictError(wrong, "one of the two", what="workers", value=workers)
    from allotment.simulation.cluster import Cluster
    from allotment.simulation.progress import say

    logging.disable()  # Dask logs what we say in a sentence
    try:
        with Cluster(scheduler) as cluster:
            if not cluster.present:
                say(f"no worker is at {cluster.address} yet; waiting for the first")
            yield {"executor": cluster}
    finally:
        logging.disable(logging.NOTSET)
