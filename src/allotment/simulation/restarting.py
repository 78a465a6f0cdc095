"""Plays replications one after the other in the same memory, without making new learners.

A learner and its world are made once, and all arrays that rounds change are laid side by side in one block of
memory. To begin the next replication, compiled code copies the block as it was at the start, and seeds the
random streams. That takes microseconds, where making a learner takes up to milliseconds.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allotment.arrays import LINE, IntArray, lined_up
from allotment.compiling.decorators import kernel, lanes
from allotment.compiling.user_kernels import states_in
from allotment.randomness.bits import LANES, Bits, seed_lanes
from allotment.randomness.streams import LongWords, StreamMemory, memory_of, stream_starts

Array = NDArray[Any]

PLAIN = (int, float, complex, str, np.generic)  # what no round can change
WORD = 8  # bytes
LARGEST = 2**26  # bytes: larger learners are made anew, to save memory
COPIES = 2  # of a learner, beside the learner itself, while it is laid out


class Restart(NamedTuple):
    """What replications after the first begin with."""

    live: IntArray  # the arrays that rounds change
    fresh: IntArray  # the same before the first round
    lanes: IntArray  # where in them lanes of random bits begin
    starts: LongWords  # replications x roles x words: of the streams
    streams: tuple[StreamMemory, StreamMemory]  # by role


@lanes
def _copy(source: Any, target: Any) -> None:
    for k in range(target.size):
        target[k] = source[k]


@kernel
def begin_again(restart: Restart, replication: int, policy_rng: Any) -> None:
    """Bring everything to where a replication begins, by its position among those that are played."""
    _copy(restart.fresh, restart.live)
    for role in range(len(restart.streams)):
        _copy(restart.starts[replication, role], restart.streams[role].words)
        restart.streams[role].spare[0] = 0
    for first in restart.lanes:
        seed_lanes(restart.live[first : first + 4 * LANES], policy_rng)


class Restartable(NamedTuple):
    """A state and an environment in one block of memory, and what it takes to begin again."""

    state: Any
    environment: Any
    restart: Restart


def no_restart() -> Restart:
    """For a single replication."""
    nothing, no_words = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    streams = (StreamMemory(no_words, no_words), StreamMemory(no_words, no_words))
    return Restart(nothing, nothing, nothing, np.zeros((0, 2, 4), np.uint64), streams)


def restartable(
    state: Any,
    environment: Any,
    streams: tuple[np.random.Generator, np.random.Generator],
    seed: int,
    replications: range,
) -> Restartable | None:
    """Lay out a state and an environment so that all replications can be played with them.

    `streams` are the world's and the policy's stream in the first replication. Returns None if the two hold
    anything but arrays and numbers, arrays that share memory, or too much.
    """
    changing: dict[int, Array] = {}
    world_memory, policy_memory = (memory_of(stream) for stream in streams)
    if world_memory is None or policy_memory is None:
        return None
    if not _gather((state, environment), changing) or _overlap(changing.values()):
        return None
    places, end = {}, 0
    for each, array in changing.items():
        places[each] = end
        end += -(-array.nbytes // LINE) * LINE  # the next one begins where a line of the cache does
    if end > LARGEST:
        return None
    live = lined_up((end // WORD,), np.int64)
    state_there, environment_there = (_moved(part, live, places) for part in (state, environment))
    bits = [part for part in states_in([state]) if isinstance(part, Bits)]
    restart = Restart(
        live,
        live.copy(),
        np.array([places[id(each.lanes)] // WORD for each in bits], np.int64),
        stream_starts(seed, replications),
        (world_memory, policy_memory),
    )
    return Restartable(state_there, environment_there, restart)


def _gather(part: Any, changing: dict[int, Array]) -> bool:
    """List the arrays that rounds may change; False if they cannot be moved."""
    if isinstance(part, tuple):
        carried = part.carried_over() if hasattr(part, "carried_over") else ()
        names = getattr(part, "_fields", range(len(part)))
        parts = [each for name, each in zip(names, part, strict=True) if name not in carried]
        return all(_gather(each, changing) for each in parts)
    if not isinstance(part, np.ndarray):
        return part is None or isinstance(part, PLAIN)
    if not part.flags.writeable:
        return True
    changing[id(part)] = part
    return part.flags.c_contiguous and not part.dtype.hasobject


def _overlap(arrays: Iterable[Array]) -> bool:
    spans = sorted((each.ctypes.data, each.ctypes.data + each.nbytes) for each in arrays if each.nbytes)
    return any(stop > start for (_, stop), (start, _) in pairwise(spans))


def _moved(part: Any, live: IntArray, places: dict[int, int]) -> Any:
    """The same with its changing arrays in the block of memory."""
    if isinstance(part, tuple):
        parts = [_moved(each, live, places) for each in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    if id(part) not in places:
        return part
    there = np.ndarray(part.shape, part.dtype, live, places[id(part)]).view(type(part))
    there[...] = part
    return there
