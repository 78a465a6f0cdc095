"""Work on the machines of a cluster, which Dask's distributed scheduler hands out."""

import asyncio
import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from allotment.errors import ClusterError, shown
from allotment.extras import needed
from allotment.simulation.job import Block, Start, Watch, Watched
from allotment.simulation.regret_paths import Curve
from allotment.version import versions

CONNECT_SECONDS = 3.0  # how long a scheduler has to answer
TELL_SECONDS = 0.5  # between two times that a worker tells how far it is
UNKNOWN = 8  # how many workers are expected where none has come yet


class Cluster(Watched):
    """The workers of a Dask scheduler, as an executor for `simulate`, `extend` and `sweep`.

    `scheduler` is an address ("tcp://head:8786"), a Dask client, or a cluster of Dask's or of dask-jobqueue.
    Workers may come and go; what a worker had not finished when it died is played again by another, and the
    numbers are the same. Each needs allotment in the versions that are used here.

    Used in a `with` block, it is left when the block ends; the cluster itself goes on.
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
        """Look who is there. (A client tries on and on, and is slow to give up.)"""

        async def who() -> Any:
            async with self._dask.rpc(address) as there:
                return (await there.identity())["type"]

        async def in_time() -> Any:
            return await asyncio.wait_for(who(), CONNECT_SECONDS)

        with ThreadPoolExecutor(1) as aside:  # here, a loop may be running: in a notebook
            try:
                found = aside.submit(asyncio.run, in_time()).result()
            except Exception:  # of many kinds: what is no address, nobody there, somebody else there
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
        """How many threads the workers that are there have, all together."""
        return sum(self._client.nthreads().values())

    @property
    def workers(self) -> int:
        """How many blocks can be played at a time; a guess while no worker is there."""
        return self.present or UNKNOWN

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> "Future[Any]":
        """Call it on a worker."""
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
        if isinstance(error, self._dask.client.FutureCancelledError | self._dask.CancelledError):
            return ClusterError(f"the scheduler at {self.address} was lost; what was finished is kept")
        if isinstance(error, self._dask.KilledWorker):
            return ClusterError(
                f"workers of {self.address} died again and again at the same work; have they enough memory?"
            )
        if isinstance(error, ImportError):
            return ClusterError(
                f"a worker of {self.address} lacks what is used here: {error}; install it there"
            )
        if isinstance(error, RuntimeError) and "deserialization" in str(error):
            return ClusterError(
                f"the scheduler at {self.address} has no allotment; install it there, and on workers"
            )
        return error

    @contextmanager
    def watched(self, watch: Watch) -> Iterator[Start]:
        """What starts blocks that keep to this watch, until the block ends."""
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
        """Leave the cluster, which goes on."""
        if self._is_ours:
            with suppress(Exception):
                self._client.close(timeout=CONNECT_SECONDS)


# What follows runs on workers.

_watches: dict[str, "_FarWatch"] = {}  # by run


class _FarWatch(Watch):
    """A worker's watch, which tells whoever waits how far it is."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self._run = run
        self._told = time.monotonic()

    def add(self, rounds: int) -> None:
        """So many more rounds are played; told from time to time, whatever block they are of."""
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
    """Play a block as it would be played where it comes from."""
    differ = [
        f"{name} {number} (there {made_with.get(name)})"
        for name, number in versions().items()
        if number != made_with.get(name)
    ]
    if differ:
        raise ClusterError(
            f"a worker has {', '.join(differ)}", "the versions that are used where the run was started"
        )
    return block.play(_watches.setdefault(run, _FarWatch(run)))


def _stop(run: str) -> None:
    """Let all blocks of a run stop soon."""
    _watches.setdefault(run, _FarWatch(run)).stop.set()
