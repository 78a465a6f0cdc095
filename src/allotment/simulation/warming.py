"""Compiling ahead of need: in processes side by side, since Numba compiles one thing at a time in each."""

import gc
import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from typing import NamedTuple

from allotment.catalogue import classes_from_outside, describe, policy_classes, restore
from allotment.errors import AllotmentError
from allotment.policy import Policy
from allotment.processes import run_elsewhere
from allotment.simulation.rollout import Run
from allotment.worlds.descriptions import describe_world, is_of_package, restore_world
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


def compile_missing(missing: Sequence[Run], world: World) -> None:
    """Compile for runs in a world on all cores: here, and in other processes what these can be told of."""
    told = is_of_package(world)
    waiting = deque(run for run in missing if told and not classes_from_outside(run.learner.policy))
    only_here = [run for run in missing if run not in waiting]

    def help_out() -> None:
        while waiting:
            with suppress(IndexError, AllotmentError):  # what fails is compiled, or fails, when it is played
                _compile_elsewhere(waiting.pop().learner.policy, world)

    helpers = min(len(missing), os.cpu_count() or 1) - 1
    with ThreadPoolExecutor(max(helpers, 1)) as threads, uncollected():
        for _ in range(min(helpers, len(waiting))):
            threads.submit(help_out)
        try:
            for run in only_here:
                run.compile()
            while waiting:
                with suppress(IndexError):
                    waiting.popleft().compile()
        finally:
            waiting.clear()


@contextmanager
def uncollected() -> Iterator[None]:
    """Compile without looking for rubbish in between, of which there is little and which takes a while."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _compile_elsewhere(policy: Policy, world: World) -> None:
    described = json.dumps([describe_world(world), describe(policy)])
    try:
        run_elsewhere(PROGRAM, described)
    except AllotmentError as error:
        raise AllotmentError(f"cannot compile for {policy.label}: {error}") from None


def compile_one() -> None:
    """The other side of `_compile_elsewhere`."""
    world, policy = json.load(sys.stdin)
    with uncollected():
        run = Run(restore_world(world), restore(policy), horizon=1, seed=0, replication=0)
        run.compile()
