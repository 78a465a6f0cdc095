"""Gamma and Beta draws from our own generator, one at a time or for all arms of a round at once.

Gamma draws use the method of Marsaglia and Tsang (A simple method for generating gamma variables, ACM
Transactions on Mathematical Software 26, 2000), arranged so that a shape costs one square root. With
d = shape - 1/3, P = 9d and a normal number x, v = (1 + x/√P)³ is accepted with probability exp(h),

    h = x²/2 + d (1 - v + log v)   if v > 0, and -∞ otherwise,

and then d·v = (√P + x)³ / (9√P) is the draw. Roots are computed anew each round: four at a time, that is
cheaper than a table of them.

A Beta draw is G / (G + H) of two Gamma draws. One uniform number u accepts or rejects both together. Since
exp(h) ≥ 1 - SQUEEZE·x⁴/P for every shape of at least 1, u < 1 - SQUEEZE·(x⁴/P + y⁴/Q) accepts without a
logarithm. That settles nearly all draws.
"""

import math
from typing import Any

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import inlined, kernel, lanes
from allotment.randomness.bits import BLOCK, Bits, another_word, take_words, uniform_of
from allotment.randomness.ziggurat import (
    LAYERS,
    NORMAL_INNER,
    another_normal,
    finish_normal,
    layer_of,
    normal_in,
    normal_of,
)

SQUEEZE = 0.1985  # the least that will do is 0.19844, for shape 1

X, Y, U = 0, BLOCK, 2 * BLOCK  # where the bench's rows start


@kernel
def log_chance(x: float, nine_d: float) -> float:
    """The logarithm h of the probability to accept a normal number."""
    root = 1.0 + x / math.sqrt(nine_d)
    if root <= 0.0:
        return -math.inf
    d = nine_d / 9.0
    return 0.5 * x * x + d * (1.0 - root * root * root + 3.0 * math.log(root))


@inlined
def _gamma_is_sure(u: float, x: float, p: float) -> bool:
    """Whether the squeeze accepts a normal number, so that no further test is needed."""
    return (1.0 - u) * p > SQUEEZE * ((x * x) * (x * x))


@inlined
def _beta_is_sure(u: float, x: float, y: float, p: float, q: float) -> bool:
    """Whether the squeeze accepts two normal numbers together."""
    return (1.0 - u) * p * q > SQUEEZE * ((x * x) * (x * x) * q + (y * y) * (y * y) * p)


@inlined
def _gamma_of(x: float, p: float) -> float:
    """The Gamma draw that an accepted normal number stands for."""
    root = math.sqrt(p)
    v = root + x
    return v * v * v / (9.0 * root)


@inlined
def _beta_of(x: float, y: float, p: float, q: float) -> float:
    """The Beta draw that two accepted normal numbers stand for."""
    first_root, second_root = math.sqrt(p), math.sqrt(q)
    v, w = first_root + x, second_root + y
    first, second = v * v * v * second_root, w * w * w * first_root
    return first / (first + second)


@inlined
def draw_gamma(bits: Bits, shape: float) -> float:
    """A Gamma(shape, 1) draw, for shape ≥ 1."""
    p = 9.0 * shape - 3.0
    while True:
        place = take_words(bits, 2)
        u = uniform_of(bits.words[place])
        x = normal_of(bits, bits.words[place + 1])
        if _gamma_is_sure(u, x, p) or u < math.exp(log_chance(x, p)):
            break
    return _gamma_of(x, p)


@inlined
def draw_beta(bits: Bits, a: float, b: float) -> float:
    """A Beta(a, b) draw, for a, b ≥ 1."""
    p, q = 9.0 * a - 3.0, 9.0 * b - 3.0
    while True:
        place = take_words(bits, 3)
        u, word = uniform_of(bits.words[place]), bits.words[place + 1]
        y = normal_of(bits, bits.words[place + 2])  # which may fill the store anew
        x = normal_of(bits, word)
        if _beta_is_sure(u, x, y, p, q) or u < math.exp(log_chance(x, p) + log_chance(y, q)):
            break
    return _beta_of(x, y, p, q)


@lanes
def draw_betas(bits: Bits, a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """Write a Beta(a[i], b[i]) draw for every i, where a, b ≥ 1."""
    for start in range(0, out.size, BLOCK):
        count = min(BLOCK, out.size - start)
        stop = start + count
        for row in range(2):
            fill_normals(bits, row * BLOCK, count)
        place = take_words(bits, count)
        words = bits.words[place : place + count]
        if _combine_betas(bits.bench, words, a[start:stop], b[start:stop], out[start:stop]) > 0:
            _settle_betas(bits, a[start:stop], b[start:stop], out[start:stop])


@inlined
def fill_normals(bits: Bits, row: int, count: int) -> None:
    """Write standard normal numbers to a row of the bench: first all tries, then the few that failed."""
    waiting, failed = bits.waiting, 0
    place = take_words(bits, count)
    words, normals = bits.words[place : place + count], bits.bench[row : row + count]
    for j in range(words.size):
        word = words[j]
        layer = layer_of(word)
        x = normal_in(word, layer)
        normals[j] = x
        if math.fabs(x) >= NORMAL_INNER[layer]:
            waiting[failed] = j * LAYERS + layer
            failed += 1
    for k in range(failed):
        j, layer = waiting[k] // LAYERS, waiting[k] % LAYERS
        normals[j] = finish_normal(bits, normals[j], layer)


@inlined
def _combine_betas(bench: FloatArray, words: IntArray, a: FloatArray, b: FloatArray, out: FloatArray) -> int:
    """Turn the bench's normal numbers into Beta draws, and count those that the squeeze does not settle."""
    unsettled = 0
    for j in range(out.size):
        x, y, p, q = bench[X + j], bench[Y + j], 9.0 * a[j] - 3.0, 9.0 * b[j] - 3.0
        u = uniform_of(words[j])
        bench[U + j] = u
        out[j] = _beta_of(x, y, p, q)
        unsettled += not _beta_is_sure(u, x, y, p, q)
    return unsettled


@kernel
def _settle_betas(bits: Bits, a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """Test the draws that the squeeze did not accept in full, and draw again where the test rejects."""
    bench = bits.bench
    for j in range(out.size):
        x, y, u, p, q = bench[X + j], bench[Y + j], bench[U + j], 9.0 * a[j] - 3.0, 9.0 * b[j] - 3.0
        if _beta_is_sure(u, x, y, p, q):
            continue
        while u >= math.exp(log_chance(x, p) + log_chance(y, q)):
            x, y, u = another_normal(bits), another_normal(bits), uniform_of(another_word(bits))
        out[j] = _beta_of(x, y, p, q)


@lanes
def draw_gammas(bits: Bits, shapes: FloatArray, out: FloatArray) -> None:
    """Write a Gamma(shapes[i], 1) draw for every i, where shapes are at least 1."""
    for start in range(0, out.size, BLOCK):
        count = min(BLOCK, out.size - start)
        stop = start + count
        fill_normals(bits, X, count)
        place = take_words(bits, count)
        words = bits.words[place : place + count]
        if _combine_gammas(bits.bench, words, shapes[start:stop], out[start:stop]) > 0:
            _settle_gammas(bits, shapes[start:stop], out[start:stop])


@inlined
def _combine_gammas(bench: FloatArray, words: IntArray, shapes: FloatArray, out: FloatArray) -> int:
    """Turn the bench's normal numbers into Gamma draws, and count those that the squeeze does not settle."""
    unsettled = 0
    for j in range(out.size):
        x, p, u = bench[X + j], 9.0 * shapes[j] - 3.0, uniform_of(words[j])
        bench[U + j] = u
        out[j] = _gamma_of(x, p)
        unsettled += not _gamma_is_sure(u, x, p)
    return unsettled


@kernel
def _settle_gammas(bits: Bits, shapes: FloatArray, out: FloatArray) -> None:
    """Test the draws that the squeeze did not accept in full, and draw again where the test rejects."""
    bench = bits.bench
    for j in range(out.size):
        x, u, p = bench[X + j], bench[U + j], 9.0 * shapes[j] - 3.0
        if _gamma_is_sure(u, x, p):
            continue
        while u >= math.exp(log_chance(x, p)):
            x, u = another_normal(bits), uniform_of(another_word(bits))
        out[j] = _gamma_of(x, p)


@kernel
def shuffle(rng: Any, items: IntArray, count: int) -> None:
    """Put the first `count` items into uniformly random order (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        items[last], items[other] = items[other], items[last]
