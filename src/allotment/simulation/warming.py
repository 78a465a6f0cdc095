"""Compiling ahead of need: in processes side by side, since Numba compiles one thing at a time in each."""

import gc
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

import numpy as np

from allotment.catalogue import describe, policy_classes, restore
from allotment.errors import AllotmentError
from allotment.policy import Policy
from allotment.processes import run_elsewhere
from allotment.simulation.rollout import Run
from allotment.worlds.descriptions import describe_world, restore_world
from allotment.worlds.problem import Problem
from allotment.worlds.world import World

EXAMPLE = Problem([0.9, 0.6, 0.4], [0.5, 0.3, 0.7], 1.1)
PROGRAM = "from allotment.simulation.warming import compile_one; compile_one()"


class Warmed(NamedTuple):
    """A policy that is ready: how many of how many, and the seconds since the start."""

    policy: Policy
    number: int
    of: int
    seconds: float


def every_policy() -> list[Policy]:
    """The package's policies, each told what it has to know of an example."""
    return [kind.for_problem(EXAMPLE) for kind in policy_classes().values()]


def warm_up(policies: Iterable[Policy] | None = None, *, workers: int | None = None) -> Iterator[Warmed]:
    """Compile for policies, all of the package's by default, and keep it; yields each as it is done."""
    waiting = list(every_policy() if policies is None else policies)
    started, problem = time.monotonic(), EXAMPLE
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as threads:
        running = {threads.submit(_compile_elsewhere, policy, problem): policy for policy in waiting}
        for number, done in enumerate(as_completed(running), start=1):
            done.result()
            yield Warmed(running[done], number, len(waiting), time.monotonic() - started)


def compile_side_by_side(world: World, policies: Sequence[Policy]) -> None:
    """Compile for several policies at once; what fails here is compiled, or fails, where it is needed."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        for done in [threads.submit(_compile_elsewhere, policy, world) for policy in policies]:
            done.exception()


def _compile_elsewhere(policy: Policy, world: World) -> None:
    described = json.dumps([describe_world(world), describe(policy)])
    try:
        run_elsewhere(PROGRAM, described)
    except AllotmentError as error:
        raise AllotmentError(f"cannot compile for {policy.label}: {error}") from None


def compile_one() -> None:
    """The other side of `_compile_elsewhere`."""
    world, policy = json.load(sys.stdin)
    gc.disable()  # which would look for rubbish in vain
    run = Run(restore_world(world), restore(policy), horizon=1, seed=0, replication=0)
    run.advance(0, np.zeros(0, np.int64), np.zeros(0))
