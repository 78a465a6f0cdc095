"""Run policies against a problem, many times, on as many cores as there are."""

import os
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

import numpy as np

from allotment.arrays import IntArray
from allotment.catalogue import classes_from_outside
from allotment.checks import whole
from allotment.errors import ConflictError, InputError, SimulationInterrupted, VersionWarning, shown
from allotment.policy import Policy
from allotment.simulation.curve import Curve, joined
from allotment.simulation.progress import Progress
from allotment.simulation.result import Result
from allotment.simulation.rollout import Run
from allotment.simulation.warming import compile_side_by_side
from allotment.version import versions
from allotment.worlds.descriptions import is_of_package
from allotment.worlds.world import World, checked_world

RECORDED = 500  # rounds at which regret is kept, unless told otherwise
IN_FLIGHT = 4  # blocks that wait or run, for each worker
STEP_SECONDS = 0.05  # how long a worker plays before it looks up: for progress and Ctrl-C


def simulate(
    problem: World,
    policies: Policy | Iterable[Policy],
    *,
    horizon: int,
    replications: int,
    seed: int,
    workers: int | None = None,
    executor: Executor | None = None,
    record: int | Sequence[int] = RECORDED,
    progress: bool = True,
) -> Result:
    """Play every policy for `horizon` rounds, `replications` times, all against the same losses.

    `problem` is a Problem, one that is Changing, or any other World. Every allocation is checked: a policy
    that grants what may not be granted ends the run with an InfeasibleError.

    What a policy sees and draws depends on the seed and the number of the replication alone, so the numbers
    do not change with `workers` (threads, one per core by default), with `executor` (any concurrent.futures
    executor), or with the other policies in the run. Regret is kept at `record`
    evenly spaced rounds, or at the rounds listed. On a terminal, `progress` shows a bar after two seconds.
    Ctrl-C raises SimulationInterrupted, whose `result` holds the complete replications.

    >>> from allotment.policies.equal_split import EqualSplit
    >>> from allotment.worlds.problem import Problem
    >>> problem = Problem([0.5, 0.5], thresholds=1.0, budget=1.0)
    >>> result = simulate(problem, EqualSplit(), horizon=100, replications=3, seed=1)
    >>> result["Equal split"].final.tolist()
    [50.0, 50.0, 50.0]
    """
    job = _Job(
        checked_world(problem),
        _checked_policies(policies),
        whole("horizon", horizon, least=1),
        whole("seed", seed, least=0),
        _recorded_rounds(record, horizon),
        workers=_checked_workers(workers),
        executor=executor,
        progress=progress,
    )
    return job.run(range(whole("replications", replications, least=1)))


def extend(
    result: Result,
    replications: int,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> Result:
    """The same run with more replications, `replications` in all; those that are there are kept.

    If they were made with other versions of what numbers depend on, a VersionWarning says so.
    """
    if not isinstance(result, Result):
        raise InputError.of("result", result, "a Result")
    done = result.replications
    if whole("replications", replications, least=1) <= done:
        raise ConflictError.of("replications", replications, f"more than the {done} that are there")
    _compare_versions(result)
    job = _Job(
        result.problem,
        result.policies,
        result.horizon,
        result.seed,
        result.rounds,
        workers=_checked_workers(workers),
        executor=executor,
        progress=progress,
    )
    try:
        more = job.run(range(done, replications))
    except SimulationInterrupted as interrupted:
        raise SimulationInterrupted(_joined(result, interrupted.result)) from None
    return _joined(result, more)


def _joined(first: Result, second: Result) -> Result:
    curves = {label: joined([first[label], second[label]]) for label in first}
    both = {
        name: ", ".join(
            dict.fromkeys(each.versions[name] for each in (first, second) if name in each.versions)
        )
        for name in second.versions
    }
    return Result(first.problem, first.policies, first.horizon, first.seed, first.rounds, curves, both)


def _compare_versions(result: Result) -> None:
    """Warn if the result was made with other versions than further replications would be."""
    unknown = "an unknown version"
    differ = [
        f"{name} {result.versions.get(name, unknown)} (now {number})"
        for name, number in versions().items()
        if result.versions.get(name) != number
    ]
    if differ:
        warnings.warn(
            f"the replications that are there were made with {', '.join(differ)}; "
            f"further ones may differ from what they would have been then",
            VersionWarning,
            stacklevel=3,
        )


def _checked_policies(policies: Policy | Iterable[Policy]) -> tuple[Policy, ...]:
    listed = tuple(policies) if isinstance(policies, Iterable) else (policies,)
    if not listed:
        raise InputError("policies is empty", "at least one policy", what="policies", value=())
    for policy in listed:
        if not isinstance(policy, Policy):
            raise InputError(
                f"policies contains {shown(policy)}", "policies only", what="policies", value=policy
            )
    labels = [policy.label for policy in listed]
    for label in labels:
        if labels.count(label) > 1:
            raise ConflictError(
                f"two policies are labelled {shown(label)}; give one of them label=...",
                what="label",
                value=label,
            )
    return listed


def _checked_workers(workers: int | None) -> int:
    return (os.cpu_count() or 1) if workers is None else whole("workers", workers, least=1)


def _recorded_rounds(record: int | Sequence[int], horizon: int) -> IntArray:
    if not isinstance(record, Sequence | np.ndarray):
        count = min(whole("record", record, least=1), horizon)
        return np.array([-(-k * horizon // count) for k in range(1, count + 1)], np.int64)
    rounds = [whole("record", each, least=1) for each in record]
    if not rounds or rounds != sorted(set(rounds)) or rounds[-1] != horizon:
        raise InputError.of("record", list(record), f"increasing rounds up to the horizon, {horizon}")
    return np.array(rounds, np.int64)


@dataclass
class _Watch:
    """What the main thread and its workers share: how far they are, and whether to stop."""

    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    rounds: int = 0

    def add(self, rounds: int) -> None:
        with self.lock:
            self.rounds += rounds


@dataclass(frozen=True, eq=False)
class _Block:
    """A few replications of one policy: what one worker does at a time."""

    problem: World
    policy: Policy
    horizon: int
    seed: int
    rounds: IntArray
    replications: range

    @property
    def key(self) -> tuple[str, int]:
        """What tells this block from the others of a job."""
        return self.policy.label, self.replications.start

    def play(self, watch: _Watch | None = None) -> Curve:
        """Play them; if stopped, only those that are complete are returned."""
        paths, reports = [], []
        length = 256
        for replication in self.replications:
            run = Run(self.problem, self.policy, self.horizon, self.seed, replication)
            path = np.zeros(self.rounds.size)
            while run.round < self.horizon and not (watch and watch.stop.is_set()):
                before = time.perf_counter()
                steps = min(length, self.horizon - run.round)
                run.advance(run.round + steps, self.rounds, path)
                spent = max(time.perf_counter() - before, 1e-6)
                length = max(1, int(steps * min(4.0, STEP_SECONDS / spent)))
                if watch:
                    watch.add(steps)
            if run.round < self.horizon:
                break
            paths.append(path)
            reports.append(run.learner.findings)
        return Curve(
            np.array(paths).reshape(-1, self.rounds.size),
            *(_gathered(reported) for reported in zip(*reports, strict=True)),
        )


def _gathered(reported: Sequence[Any]) -> Any:
    """One array of what every replication reported, or None if there is nothing to report."""
    return np.array(reported) if reported and reported[0] is not None else None


@dataclass(frozen=True)
class _Job:
    """A whole simulation, cut into blocks."""

    problem: World
    policies: tuple[Policy, ...]
    horizon: int
    seed: int
    rounds: IntArray
    workers: int
    executor: Executor | None
    progress: bool

    def run(self, replications: range) -> Result:
        runs = [Run(self.problem, policy, self.horizon, self.seed, 0) for policy in self.policies]
        kinds = {run.kind: run.learner.policy for run in runs if not run.is_compiled}
        missing = list(kinds.values())
        if missing and self.progress:
            labels = ", ".join(policy.label for policy in missing)
            print(f"compiling for {labels}; it is kept for next time", file=sys.stderr, flush=True)
        if len(missing) > 1 and is_of_package(self.problem):
            ours = [policy for policy in missing if not classes_from_outside(policy)]
            compile_side_by_side(self.problem, ours)
        for run in runs:
            run.advance(0, self.rounds, np.zeros(0))  # here: in a worker, Ctrl-C could not stop compiling
        if self.executor is not None:
            return self._run_on(self.executor, replications)
        with ThreadPoolExecutor(self.workers) as threads:
            return self._run_on(threads, replications)

    def _blocks(self, replications: range) -> Iterator[_Block]:
        size = max(1, min(-(-len(replications) // (4 * self.workers)), 20_000 // self.horizon + 1))
        for start in range(0, len(replications), size):
            for policy in self.policies:
                part = replications[start : start + size]
                yield _Block(self.problem, policy, self.horizon, self.seed, self.rounds, part)

    def _run_on(self, executor: Executor, replications: range) -> Result:
        watch = _Watch() if isinstance(executor, ThreadPoolExecutor) else None
        arguments = () if watch is None else (watch,)
        waiting = self._blocks(replications)
        pending: dict[Future[Curve], _Block] = {}
        finished: dict[tuple[str, int], Curve] = {}
        try:
            with Progress(len(replications) * self.horizon * len(self.policies), shown=self.progress) as bar:
                while True:
                    for block in islice(waiting, IN_FLIGHT * max(self.workers, 8) - len(pending)):
                        pending[executor.submit(block.play, *arguments)] = block
                    if not pending:
                        break
                    for future in wait(pending, 0.1, FIRST_COMPLETED).done:
                        block = pending.pop(future)
                        finished[block.key] = future.result()
                        if watch is None:
                            bar.add(len(block.replications) * self.horizon)
                    if watch is not None:
                        bar.set(watch.rounds)
        except BaseException as error:
            if watch:
                watch.stop.set()
            for future in pending:
                future.cancel()
            if isinstance(error, KeyboardInterrupt):
                for future in wait(pending, 10.0).done:
                    if not future.cancelled() and future.exception() is None:
                        finished[pending[future].key] = future.result()
                partial = self._collected(replications, finished)
                if partial is not None:
                    raise SimulationInterrupted(partial) from None
            raise
        return cast(Result, self._collected(replications, finished))

    def _collected(self, replications: range, finished: dict[tuple[str, int], Curve]) -> Result | None:
        """The leading replications that are complete for every policy; None if there are none."""
        parts: dict[str, list[Curve]] = {policy.label: [] for policy in self.policies}
        broken: set[str] = set()
        for block in self._blocks(replications):
            label, curve = block.policy.label, finished.get(block.key)
            if curve is not None and curve.replications and label not in broken:
                parts[label].append(curve)
            if curve is None or curve.replications < len(block.replications):
                broken.add(label)
            if len(broken) == len(self.policies):
                break
        complete = min(sum(curve.replications for curve in curves) for curves in parts.values())
        if complete == 0:
            return None
        kept = {label: joined(curves).first(complete) for label, curves in parts.items()}
        return Result(self.problem, self.policies, self.horizon, self.seed, self.rounds, kept)
