"""Run simulations on a Dask cluster."""

import asyncio
import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from allotment.errors import ClusterError, shown
from allotment.simulation.job import Block, Start, Watch, Watched
from allotment.simulation.regret_paths import Curve
from allotment.system.extras import needed
from allotment.version import versions

CONNECT_SECONDS = 3.0  # how long a scheduler has to answer
TELL_SECONDS = 0.5  # between two times that a worker tells how far it is
UNKNOWN = 8  # how many workers are expected where none has come yet


class Cluster(Watched):
    """The workers of a Dask cluster, as an executor for `simulate`, `extend` and `sweep`.

    Workers may come and go. If one dies, another plays its unfinished work again, with the same numbers. Each
    worker needs the same versions of allotment, NumPy and Numba as this process.

    Use it in a `with` block. The cluster itself keeps running after the block.

    Parameters
    ----------
    scheduler : str, distributed.Client, or a Dask cluster
        The address of a scheduler (`"tcp://head:8786"`), a client, or a cluster of Dask or dask-jobqueue.

    Raises
    ------
    ClusterError
        If no scheduler answers at the address.
    MissingExtraError
        If Dask is not installed.
    """

    def __init__(self, scheduler: Any) -> None:
        self._dask = needed("distributed", "clusters", "cluster")
        self._is_ours = not isinstance(scheduler, self._dask.Client)
        self._client = self._connected(scheduler) if self._is_ours else scheduler
        self._waiting: set[Any] = set()  # Dask's futures
        self.address = str(self._client.scheduler.address)

    def _connected(self, scheduler: Any) -> Any:
        if isinstance(scheduler, str):
            self._refuse_wrong(scheduler)
        return self._dask.Client(scheduler, set_as_default=False)

    def _refuse_wrong(self, address: str) -> None:
        """Check that a scheduler answers. (A Dask client would retry for a long time.)"""

        async def who() -> Any:
            async with self._dask.rpc(address) as there:
                return (await there.identity())["type"]

        async def in_time() -> Any:
            return await asyncio.wait_for(who(), CONNECT_SECONDS)

        with ThreadPoolExecutor(1) as aside:  # here, a loop may be running: in a notebook
            try:
                found = aside.submit(asyncio.run, in_time()).result()
            except Exception:  # of many kinds: no address, no answer, another service
                found = "nobody"
        if found != "Scheduler":
            raise ClusterError(
                f"no Dask scheduler answers at {shown(address)}",
                "the address of one that runs, such as tcp://head:8786",
                what="scheduler",
                value=address,
            )

    @property
    def present(self) -> int:
        """The number of threads that all present workers have."""
        return sum(self._client.nthreads().values())

    @property
    def workers(self) -> int:
        """The number of blocks that can be played at a time; a guess until workers have come."""
        return self.present or UNKNOWN

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> "Future[Any]":
        """Call a function on a worker.

        Parameters
        ----------
        call : callable
            The function.
        *arguments, **named
            Its arguments.

        Returns
        -------
        concurrent.futures.Future
            Its result.
        """
        packed = self._dask.protocol.pickle.dumps((call, arguments, named))  # schedulers read what is not
        there = self._client.submit(_call, packed, pure=False)
        here: Future[Any] = Future()
        here.set_running_or_notify_cancel()  # it may have begun for all we know
        self._waiting.add(there)

        async def hand_over() -> None:
            try:
                here.set_result(await there)
            except BaseException as error:
                here.set_exception(self._in_plain_words(error))
            self._waiting.discard(there)  # what nobody holds, workers forget

        self._client.loop.add_callback(hand_over)
        return here

    def _in_plain_words(self, error: BaseException) -> BaseException:
        lost = (
            self._dask.client.FutureCancelledError,
            self._dask.CancelledError,
            self._dask.comm.CommClosedError,  # the scheduler died while it handed over a result
        )
        if isinstance(error, lost):
            return ClusterError(f"the scheduler at {self.address} was lost; finished work is kept")
        if isinstance(error, self._dask.KilledWorker):
            return ClusterError(
                f"workers of {self.address} died repeatedly at the same work; give them more memory"
            )
        if isinstance(error, ImportError):
            return ClusterError(f"a worker of {self.address} lacks a module: {error}; install it there")
        if isinstance(error, RuntimeError) and "deserialization" in str(error):
            return ClusterError(
                f"the scheduler at {self.address} has no allotment; install it there, and on workers"
            )
        return error

    @contextmanager
    def watched(self, watch: Watch) -> Iterator[Start]:
        """Start blocks that report to a watch, until the `with` block ends.

        Parameters
        ----------
        watch : Watch
            Counts the rounds played, and can stop them.

        Returns
        -------
        context manager
            Gives the function that starts a block.
        """
        run, made_with = f"allotment-{uuid4().hex}", versions()

        async def stop() -> None:
            with suppress(Exception):  # whoever is gone has stopped
                await self._client.run(_stop, run, on_error="ignore")

        watch.pass_on = lambda: self._client.loop.add_callback(stop)
        self._client.subscribe_topic(run, lambda event: watch.add(event[1]))
        try:
            yield lambda block: self.submit(_play, block, run, made_with)
        finally:
            watch.pass_on = None
            with suppress(Exception):
                self._client.unsubscribe_topic(run)
                self._client.cancel(list(self._waiting))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which keeps running.

        Parameters
        ----------
        wait, cancel_futures : bool
            As in `concurrent.futures.Executor`; both have no effect here.
        """
        if self._is_ours:
            with suppress(Exception):
                self._client.close(timeout=CONNECT_SECONDS)


# What follows runs on workers.

_watches: dict[str, "_FarWatch"] = {}  # by run


class _FarWatch(Watch):
    """A worker's watch, which reports its progress to the process that waits."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self._run = run
        self._told = time.monotonic()

    def add(self, rounds: int) -> None:
        """Count rounds as played, and report them from time to time."""
        super().add(rounds)
        if time.monotonic() - self._told < TELL_SECONDS:
            return
        with self.lock:
            rounds, self.rounds, self._told = self.rounds, 0, time.monotonic()
        needed("distributed", "clusters", "cluster").get_worker().log_event(self._run, rounds)


def _call(packed: bytes) -> Any:
    call, arguments, named = pickle.loads(packed)
    return call(*arguments, **named)


def _play(block: Block, run: str, made_with: dict[str, str]) -> Curve:
    """Play a block, after checking that the versions match."""
    differ = [
        f"{name} {number} (there {made_with.get(name)})"
        for name, number in versions().items()
        if number != made_with.get(name)
    ]
    if differ:
        raise ClusterError(
            f"a worker has {', '.join(differ)}", "the versions of the process that started the run"
        )
    return block.play(_watches.setdefault(run, _FarWatch(run)))


def _stop(run: str) -> None:
    """Make all blocks of a run stop soon."""
    _watches.setdefault(run, _FarWatch(run)).stop.set()
