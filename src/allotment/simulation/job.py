"""A simulation as a job: split into blocks, given to workers, watched, and collected."""

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import whole
from allotment.policies.base.policy import Policy
from allotment.simulation.progress import Progress, say
from allotment.simulation.regret_paths import Curve, joined
from allotment.simulation.result import Result
from allotment.simulation.rollout import Run
from allotment.system.interrupts import LAST_SECONDS, WORKER, interrupts
from allotment.worlds.world import World

IN_FLIGHT = 4  # blocks that wait or run, for each thread
FAR_IN_FLIGHT = 1000  # the same, all together and at least, where blocks have to travel
BLOCK_GRANTS = 4_000_000  # rounds x arms in a block, as far as there are replications: starting it takes 1 ms
FAR_BLOCK_ROUNDS = 1_000_000  # rounds in a block that has to travel
STEP_SECONDS = 0.05  # how long a worker plays before it looks up: for progress and Ctrl-C


@dataclass
class Watch:
    """The progress of the workers, and whether they should stop; shared with the main thread."""

    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    rounds: int = 0
    pass_on: Callable[[], None] | None = None  # tells workers elsewhere to stop

    def add(self, rounds: int) -> None:
        """Count rounds as played."""
        with self.lock:
            self.rounds += rounds

    def halt(self) -> None:
        """Make all workers stop soon."""
        self.stop.set()
        if self.pass_on is not None:
            self.pass_on()


@dataclass(frozen=True, eq=False)
class Block:
    """A few replications of one policy: the work that one worker does at a time."""

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
        paths, parts = np.zeros((len(self.replications), self.rounds.size)), []
        done, length = 0, 1
        while done < len(self.replications) and not (watch and watch.stop.is_set()):
            run = Run(self.problem, self.policy, self.horizon, self.seed, self.replications[done:])
            rows = paths[done : done + len(run.replications)]
            while run.completed < len(rows) and not (watch and watch.stop.is_set()):
                before = time.perf_counter()
                played = run.play(length, self.rounds, rows)
                spent = max(time.perf_counter() - before, 1e-6)
                length = max(1, int(played * min(16.0, STEP_SECONDS / spent)))
                if watch:
                    watch.add(played)
            parts.append(Curve(rows[: run.completed], *run.findings))
            done += run.completed
            if run.completed < len(rows):
                break
        return joined(parts) if parts else Curve(paths[:0])


Start = Callable[[Block], "Future[Curve]"]  # hands a block to whoever plays it


class Watched(Executor, ABC):
    """An executor elsewhere whose blocks tell how far they are, and can be told to stop."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many blocks it plays at a time."""

    @abstractmethod
    def watched(self, watch: Watch) -> AbstractContextManager[Start]:
        """What starts blocks that keep to this watch, until the block ends."""


@dataclass(frozen=True, eq=False)
class Crew:
    """Who does the work, at how many points of a grid: threads, or the executor that was handed in."""

    workers: int
    executor: Executor | None
    points: int = 1

    @classmethod
    def of(cls, workers: int | None, executor: Executor | None, points: int = 1) -> "Crew":
        """As many threads as asked for, or as there are cores; elsewhere, as many as work there."""
        count = executor.workers if isinstance(executor, Watched) else os.cpu_count() or 1
        return cls(count if workers is None else whole("workers", workers, least=1), executor, points)

    @property
    def is_here(self) -> bool:
        """Whether they share our memory."""
        return self.executor is None or isinstance(self.executor, ThreadPoolExecutor)

    def block_size(self, replications: int, horizon: int, arms: int) -> int:
        """How many replications go into a block."""
        rounds = BLOCK_GRANTS // arms if self.is_here else FAR_BLOCK_ROUNDS
        pieces = -(-4 * self.workers // self.points)  # of each point: there is work for all, to the end
        most = max(1, min(-(-replications // pieces), rounds // horizon + 1))
        # Equal blocks: while one worker plays a last long one, the others have nothing to do.
        blocks = max(1, -(-replications // most))
        return max(1, -(-replications // blocks))

    @contextmanager
    def _at_work(self, watch: Watch) -> Iterator[Start]:
        if isinstance(self.executor, Watched):
            with self.executor.watched(watch) as start:
                yield start
            return
        executor, arguments = (
            self.executor or ThreadPoolExecutor(self.workers, thread_name_prefix=WORKER),
            (watch,) if self.is_here else (),
        )
        try:
            yield lambda block: executor.submit(block.play, *arguments)
        finally:  # they are done, or told to stop
            if self.executor is None:
                executor.shutdown(wait=False, cancel_futures=True)

    def play(self, blocks: Iterator[Block], done: Callable[[Block, Curve], None], bar: Progress) -> None:
        """Play blocks, and hand each over with its regret.

        If interrupted, those that end within a second are handed over too, complete or not.
        """
        watch, tells = Watch(), self.is_here or isinstance(self.executor, Watched)
        limit = IN_FLIGHT * max(self.workers, 8)
        limit = limit if self.is_here else max(limit, FAR_IN_FLIGHT)
        pending: dict[Future[Curve], Block] = {}
        with interrupts() as arrived, arrived.held(), self._at_work(watch) as start:
            try:
                while True:
                    for block in islice(blocks, limit - len(pending)):
                        pending[start(block)] = block
                    if not pending:
                        break
                    for future in wait(pending, 0.1, FIRST_COMPLETED).done:
                        block = pending.pop(future)
                        done(block, future.result())
                        if not tells:
                            watch.add(len(block.replications) * block.horizon)
                    bar.set(watch.rounds)
                    arrived.heed()
            except BaseException as error:
                watch.halt()
                begun = [future for future in pending if not future.cancel()]
                if isinstance(error, KeyboardInterrupt):
                    ended, stuck = wait(begun, LAST_SECONDS)
                    for future in ended:
                        if future.exception() is None:
                            done(pending[future], future.result())
                    if stuck and self.is_here and not arrived.leaves:
                        labels = ", ".join(dict.fromkeys(pending[future].policy.label for future in stuck))
                        say(f"{labels} did not stop; when your program ends, press Ctrl-C again to leave it")
                raise


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be played: policies in a world, cut into blocks of replications."""

    problem: World
    policies: tuple[Policy, ...]
    horizon: int
    seed: int
    rounds: IntArray

    def blocks(self, replications: range, crew: Crew) -> Iterator[Block]:
        """The blocks, early replications first."""
        size = crew.block_size(len(replications), self.horizon, self.problem.arms)
        for start in range(0, len(replications), size):
            for policy in self.policies:
                part = replications[start : start + size]
                yield Block(self.problem, policy, self.horizon, self.seed, self.rounds, part)

    def collected(
        self, replications: range, crew: Crew, finished: dict[tuple[str, int], Curve]
    ) -> Result | None:
        """The leading replications that are complete for every policy; None if there are none."""
        parts: dict[str, list[Curve]] = {policy.label: [] for policy in self.policies}
        broken: set[str] = set()
        for block in self.blocks(replications, crew):
            label, regret = block.policy.label, finished.get(block.key)
            if regret is not None and regret.replications and label not in broken:
                parts[label].append(regret)
            if regret is None or regret.replications < len(block.replications):
                broken.add(label)
            if len(broken) == len(self.policies):
                break
        complete = min(sum(regret.replications for regret in regrets) for regrets in parts.values())
        if complete == 0:
            return None
        complete_paths = {label: joined(regrets).first(complete) for label, regrets in parts.items()}
        return Result(self.problem, self.policies, self.horizon, self.seed, self.rounds, complete_paths)
