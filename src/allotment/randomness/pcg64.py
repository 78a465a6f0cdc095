"""One step of PCG64, NumPy's generator, for compiled loops: they need not call NumPy for every number.

Numba has no numbers of 128 bits, so the step is written for LLVM, which has.
"""

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

from allotment.randomness.seeding import STEP_HIGH, STEP_LOW

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
