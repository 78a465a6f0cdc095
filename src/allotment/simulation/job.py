"""A simulation as work to be done: cut into blocks, handed to workers, watched, and gathered again."""

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

import numpy as np

from allotment.arrays import IntArray
from allotment.errors import SimulationInterrupted
from allotment.policy import Policy
from allotment.simulation.curve import Curve, joined
from allotment.simulation.progress import Progress
from allotment.simulation.result import Result
from allotment.simulation.rollout import Run
from allotment.simulation.warming import compile_missing
from allotment.worlds.world import World

IN_FLIGHT = 4  # blocks that wait or run, for each worker
STEP_SECONDS = 0.05  # how long a worker plays before it looks up: for progress and Ctrl-C


@dataclass
class Watch:
    """What the main thread and its workers share: how far they are, and whether to stop."""

    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    rounds: int = 0

    def add(self, rounds: int) -> None:
        """So many more rounds are played."""
        with self.lock:
            self.rounds += rounds


@dataclass(frozen=True, eq=False)
class Block:
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

    def play(self, watch: Watch | None = None) -> Curve:
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
class Job:
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
        """Do it: compile what is missing, play every block, and gather the curves."""
        self._compile()
        if self.executor is not None:
            return self._run_on(self.executor, replications)
        with ThreadPoolExecutor(self.workers) as threads:
            return self._run_on(threads, replications)

    def _compile(self) -> None:
        """Compile what is missing, on all cores. Not in a worker, where Ctrl-C could not stop it."""
        runs = [Run(self.problem, policy, self.horizon, self.seed, 0) for policy in self.policies]
        missing = list({run.kind: run for run in runs if not run.is_compiled}.values())
        if missing and self.progress:
            labels = ", ".join(run.learner.policy.label for run in missing)
            print(f"compiling for {labels}; it is kept for next time", file=sys.stderr, flush=True)
        compile_missing(missing, self.problem)
        for run in runs:
            run.compile()

    def _blocks(self, replications: range) -> Iterator[Block]:
        size = max(1, min(-(-len(replications) // (4 * self.workers)), 20_000 // self.horizon + 1))
        for start in range(0, len(replications), size):
            for policy in self.policies:
                part = replications[start : start + size]
                yield Block(self.problem, policy, self.horizon, self.seed, self.rounds, part)

    def _run_on(self, executor: Executor, replications: range) -> Result:
        watch = Watch() if isinstance(executor, ThreadPoolExecutor) else None
        arguments = () if watch is None else (watch,)
        waiting = self._blocks(replications)
        pending: dict[Future[Curve], Block] = {}
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
