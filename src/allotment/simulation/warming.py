"""Compiles in advance, in parallel processes, since Numba compiles one function at a time in each."""

import functools
import gc
import json
import os
import sys
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import as_completed
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from allotment.compiling.cache_folder import ensure_cache, home
from allotment.compiling.python_calls import before_compiling
from allotment.compiling.user_kernels import states_in
from allotment.errors import AllotmentError, CacheWarning
from allotment.oracles.protocol import choose
from allotment.oracles.shares.oracle import share
from allotment.policies.base.catalogue import classes_from_outside, describe, policy_classes, restore
from allotment.policies.base.policy import Policy
from allotment.simulation.job import Job
from allotment.simulation.progress import say
from allotment.simulation.rollout import Run
from allotment.system.processes import run_elsewhere, side_by_side
from allotment.worlds.descriptions import describe_world, is_of_package, restore_world
from allotment.worlds.problem import Problem
from allotment.worlds.world import World

EXAMPLE = Problem([0.9, 0.6, 0.4], [0.5, 0.3, 0.7], 1.1)
PROGRAM = "from allotment.simulation.warming import compile_one; compile_one()"
ORACLES = "from allotment.simulation.warming import compile_oracles; compile_oracles()"


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
    ensure_cache()
    waiting = list(every_policy() if policies is None else policies)
    started, problem = time.monotonic(), EXAMPLE
    with side_by_side(workers) as start:
        running = {start(_compile_elsewhere, policy, problem, PROGRAM): policy for policy in waiting}
        for number, done in enumerate(as_completed(running), start=1):
            done.result()
            yield Warmed(running[done], number, len(waiting), time.monotonic() - started)


def compile_missing(jobs: Iterable[Job], *, progress: bool, load: bool = True) -> None:
    """Compile what these jobs need; refuses what cannot be played.

    Without `load`, earlier compiled code stays on disk; whoever plays loads it.
    """
    kinds: dict[object, tuple[Run, World]] = {}
    for job in jobs:
        for policy in job.policies:
            starting = f"compiling what {policy.label} needs to start"
            with before_compiling(functools.partial(say, starting, progress)):
                run = Run(job.problem, policy, job.horizon, job.seed, 0)
            kinds.setdefault(run.kind, (run, job.problem))
    missing = [(run, world) for run, world in kinds.values() if not run.is_compiled]
    if missing:
        labels = ", ".join(dict.fromkeys(run.learner.policy.label for run, _ in missing))
        afterwards = "; it is kept for next time" if all(_can_be_cached(*each) for each in missing) else ""
        say(f"compiling for {labels}{afterwards}", progress)
        _compile_on_all_cores(missing)
    for run, _ in kinds.values() if load else ():
        run.compile()  # here: in a worker, Ctrl-C could not stop compiling


def _compile_on_all_cores(missing: list[tuple[Run, World]]) -> None:
    """Compile here, and at the same time in other processes what is kept.

    Others begin with oracles, the largest parts of policies; what has none is compiled here first.
    """
    told = sorted(
        filter(lambda each: _can_be_cached(*each), missing), key=lambda each: len(_oracles_of(each[0]))
    )
    oracles = {type(oracle): each for each in told for oracle in _oracles_of(each[0])}.values()
    parts, waiting = iter(oracles), iter(told)  # each is taken by whoever comes first

    def help_out() -> None:
        for program, queue in ((ORACLES, parts), (PROGRAM, waiting)):
            for run, world in queue:
                with suppress(AllotmentError):  # what fails there is compiled, or fails, here
                    _compile_elsewhere(run.learner.policy, world, program)

    helpers = min(len(oracles) + len(told), len(oracles) + len(missing) - 1, (os.cpu_count() or 1) - 1)
    with uncollected(), side_by_side() as start:
        try:
            helping = [start(help_out) for _ in range(helpers)]
            for run, world in missing:
                if not _can_be_cached(run, world):
                    run.compile()
            for run, _ in waiting:
                run.compile()
            deque(parts, maxlen=0)  # whoever needs one has it by now
            for each in helping:
                each.exception()
        finally:  # left early: nothing more is begun
            deque(waiting, maxlen=0)


def _oracles_of(run: Run) -> list[Any]:
    return [each for each in states_in([run.learner.state]) if choose.takes(each) or share.takes(each)]


def _can_be_cached(run: Run, world: World) -> bool:
    """Whether what is compiled for them outlasts this process."""
    return home() is not None and is_of_package(world) and not classes_from_outside(run.learner.policy)


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


def _compile_elsewhere(policy: Policy, world: World, program: str) -> None:
    described = json.dumps([describe_world(world), describe(policy)])
    try:
        run_elsewhere(program, described)
    except AllotmentError as error:
        raise AllotmentError(f"cannot compile for {policy.label}: {error}") from None


def compile_one() -> None:
    """The other side of `_compile_elsewhere`."""
    with uncollected():
        _run_told().compile()


def compile_oracles() -> None:
    """Likewise, of the oracles alone."""
    with uncollected():
        for oracle in _oracles_of(_run_told()):
            if choose.takes(oracle):
                choose.prepare(oracle, np.zeros(1), np.zeros(1, np.bool_))
            else:
                share.prepare(oracle, np.zeros((1, 1)), np.zeros(1, np.int64))


def _run_told() -> Run:
    warnings.simplefilter("error", CacheWarning)  # what this process cannot keep it compiles in vain
    world, policy = json.load(sys.stdin)
    return Run(restore_world(world), restore(policy), horizon=1, seed=0, replications=0)
