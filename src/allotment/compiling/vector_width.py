"""How many numbers the loops of a compiled function do at once.

LLVM takes vectors as wide as the machine has, eight numbers with AVX-512. What is left of a loop, up to seven
turns, it does one by one. Most games have 5 to 50 arms, so that a rest of seven is a large part. Vectors of
four leave at most three turns, and on machines that split wide vectors in two they cost no more.
"""

from typing import Any, cast

from numba.core import types
from numba.extending import lower_builtin, type_callable

from allotment.compiling.code_digest import PLAIN

FOUR_NUMBERS = '"prefer-vector-width"="256"'  # bits


def prefer_short_vectors() -> None:
    """Compile the function that calls this with vectors of four numbers, where LLVM has the choice."""


@type_callable(prefer_short_vectors)
def _type_of(context: Any) -> Any:
    return lambda: types.none


def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    if not PLAIN:
        # `add` of llvmlite's own class refuses attributes that it does not know.
        set.add(builder.function.attributes, FOUR_NUMBERS)
    return context.get_dummy_value()


cast(Any, lower_builtin)(prefer_short_vectors)(_lower)
