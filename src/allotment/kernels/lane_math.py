"""Logarithms, exponentials and sums that a processor can compute for several numbers at once.

The C library's logarithm and exponential are calls, one number at a time. Ours are exact to about the last
digit, for numbers that are neither denormal nor beyond the largest.

Sums have a fixed order: four partial sums, added in the end. So compiled and plain Python code agree on every
bit, and a plan does not depend on which of them made it.
"""

import numpy as np

from allotment.arrays import FloatArray, SingleArray
from allotment.compiling.decorators import kernel, lanes
from allotment.special import log_beta as plain_log_beta
from allotment.special import log_gamma as plain_log_gamma

BIAS = 1024
BIAS_BITS = np.uint64(BIAS << 52)
ABOVE_ROOT_HALF = np.uint64((BIAS << 52) - 0x3FE6A09E667F3BCD)  # the exponent's bias minus √½, as bits
EXPONENT = np.uint64(0xFFF0000000000000)  # the bits of sign and exponent
WHOLE = np.uint64(0x4330000000000000)  # 2⁵² as bits: its lowest bits hold whole numbers
PLACES = np.uint64(52)
LOG_2, LOG_2_REST = 0.6931471803691238, 1.9082149292705877e-10  # log 2 in two parts, the first a round one
ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to a whole number


log_beta = kernel(plain_log_beta)
log_gamma = kernel(plain_log_gamma)


@lanes
def lane_log(x: float) -> float:
    """log x: log 2 times the exponent, plus the logarithm of the rest, which is from √½ to √2."""
    bits = np.float64(x).view(np.uint64)
    above = bits + ABOVE_ROOT_HALF
    exponent = np.uint64((above >> PLACES) | WHOLE).view(np.float64) - (4503599627370496.0 + BIAS)
    rest = np.uint64((bits + BIAS_BITS) - (above & EXPONENT)).view(np.float64)
    s = (rest - 1.0) / (rest + 1.0)
    z = s * s
    series = 1 / 11 + z * (1 / 13 + z * (1 / 15))
    series = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * series))))
    return exponent * LOG_2 + (exponent * LOG_2_REST + 2.0 * (s + s * series))


@lanes
def lane_exp(x: float) -> float:
    """e^x; 0 if that is below the smallest number."""
    x = max(x, -708.0)
    rounded = x * 1.4426950408889634 + ROUNDER
    turns = rounded - ROUNDER
    power = (np.float64(rounded).view(np.int64) << 52) + np.int64(0x3FF0000000000000)
    rest = (x - turns * LOG_2) - turns * LOG_2_REST
    series = 1 / 5040 + rest * (
        1 / 40320
        + rest * (1 / 362880 + rest * (1 / 3628800 + rest * (1 / 39916800 + rest * (1 / 479001600))))
    )
    series = 1 / 6 + rest * (1 / 24 + rest * (1 / 120 + rest * (1 / 720 + rest * series)))
    result = (1.0 + rest * (1.0 + rest * (0.5 + rest * series))) * np.int64(power).view(np.float64)
    return result if x > -708.0 else 0.0


@lanes
def sum_of_products(first: FloatArray, second: FloatArray | SingleArray) -> float:
    """Σ first·second, over the length of the second."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = second.size // 4 * 4
    for i in range(0, whole, 4):
        a += first[i] * second[i]
        b += first[i + 1] * second[i + 1]
        c += first[i + 2] * second[i + 2]
        d += first[i + 3] * second[i + 3]
    for i in range(whole, second.size):
        a += first[i] * second[i]
    return (a + b) + (c + d)


@lanes
def sum_of_all(numbers: FloatArray) -> float:
    """Σ numbers."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = numbers.size // 4 * 4
    for i in range(0, whole, 4):
        a += numbers[i]
        b += numbers[i + 1]
        c += numbers[i + 2]
        d += numbers[i + 3]
    for i in range(whole, numbers.size):
        a += numbers[i]
    return (a + b) + (c + d)


@lanes
def sum_of_range(numbers: SingleArray, start: int, end: int) -> float:
    """The sum of the numbers from `start` to before `end`, in double precision."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = start + (end - start) // 4 * 4
    for i in range(start, whole, 4):
        a += float(numbers[i])  # plain Python would add single to double precision in single
        b += float(numbers[i + 1])
        c += float(numbers[i + 2])
        d += float(numbers[i + 3])
    for i in range(whole, end):
        a += float(numbers[i])
    return (a + b) + (c + d)
