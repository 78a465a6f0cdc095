"""Normal and exponential draws by the ziggurat method.

See Marsaglia and Tsang, The ziggurat method for generating random variables, Journal of Statistical Software
5(8), 2000. Half the area under the density is cut into LAYERS layers of equal area. Layer i reaches from 0 to
EDGES[i]. Up to EDGES[i + 1], it lies under the density altogether, and nearly all draws fall there. The
lowest layer includes the tail: its edge makes its rectangle as large as the other layers. The lower 11 bits
of a word choose the layer and the upper 53 bits the position in it, so the two are independent.
"""

import math
from collections.abc import Callable

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import inlined, kernel
from allotment.randomness.bits import LOW_53, UNIT, Bits, another_word, draw_word, uniform_of

LAYERS = 512
NORMAL_TAIL = 3.852046150368391  # where the tail begins, such that the highest layer ends at 1
EXPONENTIAL_TAIL = 8.481739963222731
HALF_RANGE = 2.0**52


def layers_of(
    density: Callable[[float], float], inverse: Callable[[float], float], tail: float, tail_area: float
) -> tuple[FloatArray, FloatArray]:
    """The edges of the layers, from the lowest layer to the 0 above the highest, and the density there."""
    area = tail * density(tail) + tail_area
    edges = [area / density(tail), tail]
    while len(edges) < LAYERS:
        edges.append(inverse(area / edges[-1] + density(edges[-1])))
    edges.append(0.0)
    return np.array(edges), np.array([density(edge) for edge in edges])


NORMAL_EDGES, NORMAL_HEIGHTS = layers_of(
    lambda x: math.exp(-0.5 * x * x),
    lambda y: math.sqrt(-2.0 * math.log(y)),
    NORMAL_TAIL,
    math.sqrt(0.5 * math.pi) * math.erfc(NORMAL_TAIL * math.sqrt(0.5)),
)
EXPONENTIAL_EDGES, EXPONENTIAL_HEIGHTS = layers_of(
    lambda x: math.exp(-x), lambda y: -math.log(y), EXPONENTIAL_TAIL, math.exp(-EXPONENTIAL_TAIL)
)
NORMAL_WIDTHS = NORMAL_EDGES[:LAYERS] / HALF_RANGE
NORMAL_INNER = NORMAL_EDGES[1:].copy()
EXPONENTIAL_WIDTHS = EXPONENTIAL_EDGES[:LAYERS] * UNIT
for table in (NORMAL_EDGES, NORMAL_HEIGHTS, NORMAL_WIDTHS, NORMAL_INNER):
    table.setflags(write=False)
for table in (EXPONENTIAL_EDGES, EXPONENTIAL_HEIGHTS, EXPONENTIAL_WIDTHS):
    table.setflags(write=False)


@inlined
def layer_of(word: int) -> int:
    """The layer that a word chooses."""
    return word & (LAYERS - 1)


@inlined
def normal_in(word: int, layer: int) -> float:
    """The position that a word chooses in its layer, on both sides of 0."""
    return ((word >> 11) + 0.5) * NORMAL_WIDTHS[layer]


@kernel
def finish_normal(bits: Bits, x: float, layer: int) -> float:
    """Finish a normal draw whose first try x fell outside the part of the layer that is under the density."""
    while True:
        u = uniform_of(another_word(bits))
        if layer == 0:  # the tail, by rejection from an exponential law
            beyond = -math.log(1.0 - u) / NORMAL_TAIL
            while -2.0 * math.log(1.0 - uniform_of(another_word(bits))) <= beyond * beyond:
                beyond = -math.log(1.0 - uniform_of(another_word(bits))) / NORMAL_TAIL
            return math.copysign(NORMAL_TAIL + beyond, x)
        low, high = NORMAL_HEIGHTS[layer], NORMAL_HEIGHTS[layer + 1]
        if low + u * (high - low) < math.exp(-0.5 * x * x):
            return x
        word = another_word(bits)
        layer = layer_of(word)
        x = normal_in(word, layer)
        if math.fabs(x) < NORMAL_INNER[layer]:
            return x


@inlined
def normal_of(bits: Bits, word: int) -> float:
    """Make a standard normal number from a word, and from more words if need be."""
    layer = layer_of(word)
    x = normal_in(word, layer)
    if math.fabs(x) >= NORMAL_INNER[layer]:
        x = finish_normal(bits, x, layer)
    return x


@inlined
def draw_normal(bits: Bits) -> float:
    """A standard normal number."""
    return normal_of(bits, draw_word(bits))


@kernel
def another_normal(bits: Bits) -> float:
    """A standard normal number, for rare cases."""
    return draw_normal(bits)


@inlined
def exponential_in(word: int, layer: int) -> float:
    """The position that a word chooses in its layer."""
    return ((word >> 11) & LOW_53) * EXPONENTIAL_WIDTHS[layer]


@kernel
def finish_exponential(bits: Bits, x: float, layer: int) -> float:
    """Finish an exponential draw whose first try x fell outside the part that is under the density."""
    passed = 0.0
    while True:
        if layer == 0:
            passed += EXPONENTIAL_TAIL  # the tail has the same law again
        else:
            low, high = EXPONENTIAL_HEIGHTS[layer], EXPONENTIAL_HEIGHTS[layer + 1]
            if low + uniform_of(another_word(bits)) * (high - low) < math.exp(-x):
                return passed + x
        word = another_word(bits)
        layer = layer_of(word)
        x = exponential_in(word, layer)
        if x < EXPONENTIAL_EDGES[layer + 1]:
            return passed + x


@inlined
def draw_exponential(bits: Bits) -> float:
    """An exponential number of mean 1."""
    word = draw_word(bits)
    layer = layer_of(word)
    x = exponential_in(word, layer)
    if x >= EXPONENTIAL_EDGES[layer + 1]:
        x = finish_exponential(bits, x, layer)
    return x
