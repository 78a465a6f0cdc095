"""Draws the world's luck of a round: a uniform number for each arm.

Compiled loops take a step of PCG64, NumPy's generator, without a call of NumPy for every number. Numba has no
numbers of 128 bits, so the step is written for LLVM, which has."""

from typing import Any, NamedTuple, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, lanes
from allotment.randomness.streams import STEP_HIGH, STEP_LOW, StreamMemory, memory_of
from allotment.worlds.environment import CensoredLosses

HALF, WHOLE = ir.IntType(64), ir.IntType(128)
MULTIPLIER = STEP_HIGH << 64 | STEP_LOW


def next_state(low: Any, high: Any, increment_low: Any, increment_high: Any) -> tuple[Any, Any]:
    """The state after this one, by its lower and its upper half."""
    state = (int(high) << 64 | int(low)) * MULTIPLIER + (int(increment_high) << 64 | int(increment_low))
    return np.uint64(state % 2**64), np.uint64(state >> 64 & 2**64 - 1)


@type_callable(next_state)
def _type_of(context: Any) -> Any:
    def typed(low: Any, high: Any, increment_low: Any, increment_high: Any) -> Any:
        return cast(Any, types).UniTuple(types.uint64, 2)

    return typed


def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    def joined(low: Any, high: Any) -> Any:
        return builder.or_(builder.zext(low, WHOLE), builder.shl(builder.zext(high, WHOLE), WHOLE(64)))

    low, high, increment_low, increment_high = arguments
    product = builder.mul(joined(low, high), WHOLE(MULTIPLIER))
    state = builder.add(product, joined(increment_low, increment_high))
    halves = [builder.trunc(each, HALF) for each in (state, builder.lshr(state, WHOLE(64)))]
    return context.make_tuple(builder, signature.return_type, halves)


cast(Any, lower_builtin)(next_state, *[types.uint64] * 4)(_lower)


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
