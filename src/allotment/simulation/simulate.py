"""Run policies against a problem, many times, on as many cores as there are."""

import os
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np

from allotment.checks import IntArray, shown, whole
from allotment.errors import InputError, SimulationInterrupted
from allotment.policy import Policy
from allotment.problem import Problem
from allotment.simulation.progress import Progress, explained
from allotment.simulation.result import Curve, Result
from allotment.simulation.rollout import Run

RECORDED = 500  # rounds at which regret is kept, unless told otherwise
STEP_SECONDS = 0.05  # how long a worker plays before it looks up: for progress and Ctrl-C


def simulate(
    problem: Problem,
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

    What a policy sees and draws depends on the seed and the number of the replication alone, so the numbers
    do not change with `workers` (threads, one per core by default), with `executor` (any concurrent.futures
    executor), or with the other policies in the run. Regret is kept at `record`
    evenly spaced rounds, or at the rounds listed. On a terminal, `progress` shows a bar after two seconds.
    Ctrl-C raises SimulationInterrupted, whose `result` holds the complete replications.

    >>> from allotment.policies.equal_split import EqualSplit
    >>> problem = Problem([0.5, 0.5], thresholds=1.0, budget=1.0)
    >>> result = simulate(problem, EqualSplit(), horizon=100, replications=3, seed=1)
    >>> result["Equal split"].final.tolist()
    [50.0, 50.0, 50.0]
    """
    if not isinstance(problem, Problem):
        raise InputError(f"problem is {shown(problem)}; expected a Problem")
    horizon = whole("horizon", horizon, least=1)
    job = _Job(
        problem,
        _checked_policies(policies),
        horizon,
        whole("seed", seed, least=0),
        _recorded_rounds(record, horizon),
        workers=whole("workers", workers or os.cpu_count() or 1, least=1),
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
    """The same run with more replications, `replications` in all; those that are there are kept."""
    done = result.replications
    if whole("replications", replications, least=1) <= done:
        raise InputError(f"replications is {replications}; expected more than the {done} that are there")
    job = _Job(
        result.problem,
        result.policies,
        result.horizon,
        result.seed,
        result.rounds,
        workers=whole("workers", workers or os.cpu_count() or 1, least=1),
        executor=executor,
        progress=progress,
    )
    try:
        more = job.run(range(done, replications))
    except SimulationInterrupted as interrupted:
        raise SimulationInterrupted(_joined(result, interrupted.result)) from None
    return _joined(result, more)


def _joined(first: Result, second: Result) -> Result:
    curves = {label: first[label].joined(second[label]) for label in first}
    return Result(first.problem, first.policies, first.horizon, first.seed, first.rounds, curves)


def _checked_policies(policies: Policy | Iterable[Policy]) -> tuple[Policy, ...]:
    listed = (policies,) if isinstance(policies, Policy) else tuple(policies)
    if not listed:
        raise InputError("policies is empty; expected at least one policy")
    for policy in listed:
        if not isinstance(policy, Policy):
            raise InputError(f"policies contains {shown(policy)}; expected policies only")
    labels = [policy.label for policy in listed]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"two policies are labelled {shown(label)}; give one of them label=...")
    return listed


def _recorded_rounds(record: int | Sequence[int], horizon: int) -> IntArray:
    if isinstance(record, int):
        count = min(whole("record", record, least=1), horizon)
        return np.ceil(np.arange(1, count + 1) * (horizon / count) - 1e-9).astype(np.int64)
    rounds = [whole("record", each, least=1) for each in record]
    if not rounds or rounds != sorted(set(rounds)) or rounds[-1] != horizon:
        raise InputError(
            f"record is {shown(list(record))}; expected increasing rounds up to the horizon, {horizon}"
        )
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


@dataclass(frozen=True)
class _Block:
    """A few replications of one policy: what one worker does at a time."""

    problem: Problem
    policy: Policy
    horizon: int
    seed: int
    rounds: IntArray
    replications: range

    def play(self, watch: _Watch | None = None) -> Curve:
        """Play them; if stopped, only those that are complete are returned."""
        paths, findings = [], []
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
            findings.append(run.findings)
        found = [each for each in findings if each is not None]
        return Curve(
            np.array(paths).reshape(-1, self.rounds.size),
            np.array([each.search_rounds for each in found], np.int64) if found else None,
            np.array([each.thresholds for each in found]) if found else None,
        )


@dataclass(frozen=True)
class _Job:
    """A whole simulation, cut into blocks."""

    problem: Problem
    policies: tuple[Policy, ...]
    horizon: int
    seed: int
    rounds: IntArray
    workers: int
    executor: Executor | None
    progress: bool

    def run(self, replications: range) -> Result:
        with explained("compiling; kept for next time", shown=self.progress):
            for policy in self.policies:
                # Checks the policy, and compiles here rather than in a worker, where Ctrl-C could not stop it.
                Run(self.problem, policy, self.horizon, self.seed, 0).advance(0, self.rounds, np.zeros(0))
        if self.executor is not None:
            return self._run_on(self.executor, replications)
        with ThreadPoolExecutor(self.workers) as threads:
            return self._run_on(threads, replications)

    def _block(self, policy: Policy, replications: range) -> _Block:
        return _Block(self.problem, policy, self.horizon, self.seed, self.rounds, replications)

    def _run_on(self, executor: Executor, replications: range) -> Result:
        watch = _Watch() if isinstance(executor, ThreadPoolExecutor) else None
        size = max(1, min(-(-len(replications) // (4 * self.workers)), 20_000 // self.horizon + 1))
        futures: dict[Future[Curve], _Block] = {}
        for start in range(0, len(replications), size):
            for policy in self.policies:
                block = self._block(policy, replications[start : start + size])
                arguments = () if watch is None else (watch,)
                futures[executor.submit(block.play, *arguments)] = block
        total = len(replications) * self.horizon * len(self.policies)
        try:
            with Progress(total, shown=self.progress) as bar:
                pending = set(futures)
                while pending:
                    done, pending = wait(pending, timeout=0.1)
                    for future in done:
                        future.result()
                        if watch is None:
                            bar.add(len(futures[future].replications) * self.horizon)
                    if watch is not None:
                        bar.set(watch.rounds)
        except BaseException as error:
            for future in futures:
                future.cancel()
            if watch:
                watch.stop.set()
            if isinstance(error, KeyboardInterrupt):
                wait([future for future in futures if not future.cancelled()], timeout=10.0)
                partial = self._collected(futures)
                if partial is not None:
                    raise SimulationInterrupted(partial) from None
            raise
        result = self._collected(futures)
        assert result is not None
        return result

    def _collected(self, futures: dict[Future[Curve], _Block]) -> Result | None:
        """The leading replications that are complete for every policy; None if there are none."""
        curves: dict[str, Curve] = {}
        broken: set[str] = set()
        for future, block in futures.items():
            label = block.policy.label
            if label in broken:
                continue
            if future.cancelled() or not future.done() or future.exception():
                broken.add(label)
                continue
            curve = future.result()
            if curve.paths.shape[0] < len(block.replications):
                broken.add(label)
            if curve.paths.shape[0]:
                curves[label] = curves[label].joined(curve) if label in curves else curve
        complete = min((curve.paths.shape[0] for curve in curves.values()), default=0)
        if complete == 0 or len(curves) < len(self.policies):
            return None
        kept = {policy.label: curves[policy.label].first(complete) for policy in self.policies}
        return Result(self.problem, self.policies, self.horizon, self.seed, self.rounds, kept)
