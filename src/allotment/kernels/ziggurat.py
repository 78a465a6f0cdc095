"""Normal and exponential draws by the ziggurat (Marsaglia and Tsang, The ziggurat method for generating
random variables, Journal of Statistical Software 5(8), 2000).

The area under half the density is cut into LAYERS layers of equal area. Layer i reaches from 0 to EDGES[i],
and lies under the density altogether up to EDGES[i + 1], where nearly all draws fall. The lowest layer has
the tail: its edge is chosen so that the rectangle is as large as the layers are. The lower 11 bits of a word
pick the layer and the upper 53 the place in it, so the two are independent.
"""

import math
from collections.abc import Callable

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import inlined, kernel
from allotment.kernels.bits import LOW_53, UNIT, Bits, another_word, draw_word, uniform_of

LAYERS = 512
NORMAL_TAIL = 3.852046150368391  # where the tail begins, such that the highest layer ends at 1
EXPONENTIAL_TAIL = 8.481739963222731
HALF_RANGE = 2.0**52


def layers_of(
    density: Callable[[float], float], inverse: Callable[[float], float], tail: float, tail_area: float
) -> tuple[FloatArray, FloatArray]:
    """The layers' edges, from the lowest layer to the 0 above the highest one, and the density there."""
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
    """The layer that a word picks."""
    return word & (LAYERS - 1)


@inlined
def normal_in(word: int, layer: int) -> float:
    """Where in its layer a word falls, right and left of 0 alike."""
    return ((word >> 11) + 0.5) * NORMAL_WIDTHS[layer]


@kernel
def finish_normal(bits: Bits, x: float, layer: int) -> float:
    """A normal draw whose first try fell at x, outside what lies under the density altogether."""
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
    """A standard normal number from a word, and from more of them if need be."""
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
    """A standard normal number, for what is rare."""
    return draw_normal(bits)


@inlined
def exponential_in(word: int, layer: int) -> float:
    """Where in its layer a word falls."""
    return ((word >> 11) & LOW_53) * EXPONENTIAL_WIDTHS[layer]


@kernel
def finish_exponential(bits: Bits, x: float, layer: int) -> float:
    """An exponential draw whose first try fell at x, outside what lies under the density altogether."""
    passed = 0.0
    while True:
        if layer == 0:
            passed += EXPONENTIAL_TAIL  # what is beyond has the same law again
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
