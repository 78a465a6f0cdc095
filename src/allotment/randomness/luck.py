"""Draws the world's luck of a round: a uniform number for each arm."""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, lanes
from allotment.randomness.pcg64 import next_state
from allotment.randomness.streams import StreamMemory, memory_of
from allotment.worlds.environment import CensoredLosses

UNIT = 2.0**-53
ROTATION, LOWEST, TURNS, LAST = np.uint64(58), np.uint64(11), np.uint64(64), np.uint64(63)


class StreamLuck(NamedTuple):
    """Luck that NumPy draws."""

    stream: Any


def luck_of(environment: Any, stream: np.random.Generator) -> StreamLuck | StreamMemory:
    """What the rollout draws from: the stream, or its memory where the draws are a large part of a round.

    The numbers are the same. In worlds beyond the paper's, other work takes most of a round.
    """
    memory = memory_of(stream) if isinstance(environment, CensoredLosses) else None
    return StreamLuck(stream) if memory is None else memory


@generic
def draw_luck(luck: Any, uniforms: FloatArray) -> None:
    """Write uniform numbers from 0 to below 1."""
    raise NotImplementedError


@draw_luck.register
@lanes
def _draw_from_stream(luck: StreamLuck, uniforms: FloatArray) -> None:
    for i in range(uniforms.size):
        uniforms[i] = luck.stream.random()


@draw_luck.register
@lanes
def _draw_in_memory(luck: StreamMemory, uniforms: FloatArray) -> None:
    """As NumPy does: the output of PCG64 rotates its state, and its upper 53 bits are the number."""
    low, high, increment_low, increment_high = luck.words[0], luck.words[1], luck.words[2], luck.words[3]
    for i in range(uniforms.size):
        low, high = next_state(low, high, increment_low, increment_high)
        word, turn = high ^ low, high >> ROTATION
        word = (word >> turn) | (word << ((TURNS - turn) & LAST))
        uniforms[i] = np.int64(word >> LOWEST) * UNIT
    luck.words[0], luck.words[1] = low, high
