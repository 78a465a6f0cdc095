"""Checks of input: each returns the value in normal form, or raises an error that names it."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.errors import InputError


def number(
    name: str,
    value: Any,
    expected: str,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    least: float = -math.inf,
    most: float = math.inf,
) -> float:
    """A finite number with above < value < below and least ≤ value ≤ most."""
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_):
        try:
            result = float(value)
        except OverflowError:
            result = math.inf
        if math.isfinite(result) and above < result < below and least <= result <= most:
            return result
    raise InputError.of(name, value, expected)


def open_unit(name: str, value: Any) -> float:
    """A number strictly between 0 and 1."""
    return number(name, value, "a number strictly between 0 and 1", above=0.0, below=1.0)


def positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    return number(name, value, "a number above 0", above=0.0)


def nonnegative(name: str, value: Any) -> float:
    """A finite number of at least 0."""
    return number(name, value, "a finite number of at least 0", least=0.0)


LARGEST_COUNT = 2**53  # what a float still counts exactly


def whole(name: str, value: Any, *, least: int, most: int = LARGEST_COUNT) -> int:
    """A whole number of at least `least`, and no larger than anything could be counted to."""
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_) and least <= int(value) <= most:
        return int(value)
    limit = f" and at most {most}" if isinstance(value, Integral) and int(value) > most else ""
    raise InputError.of(name, value, f"a whole number of at least {least}{limit}")


def vector(
    name: str,
    values: ArrayLike,
    expected: str,
    *,
    length: int | None = None,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    kinds: str = "iuf",
    missing: bool = False,
) -> FloatArray:
    """A read-only vector of numbers in a range; `expected` completes «expected numbers …».

    `kinds` are NumPy's letters for what counts as a number: not text, and not yes or no unless "b" is there.
    With `missing`, NaN may stand for a number that is not known.
    """
    try:
        array = np.array(values)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind not in kinds:  # an empty list is taken for numbers
        raise InputError.of(name, values, f"numbers {expected}")
    array = array.astype(np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InputError.of(name, values, "a list of at least one number")
    bad = ~(np.isfinite(array) & (array >= least) & (array <= most) & (array > above))
    bad &= ~(missing & np.isnan(array))
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise InputError.of(f"{name}[{where}]", array[where], f"numbers {expected}")
    if length is not None and array.size != length:
        raise InputError(
            f"{name} has {array.size} numbers", f"{length}, one for each arm", what=name, value=array.size
        )
    array.setflags(write=False)
    return array


def whole_numbers(name: str, values: ArrayLike, length: int) -> FloatArray:
    """Check `length` whole numbers of at least 0; a single number applies to all."""
    given = vector(name, np.atleast_1d(values), "of at least 0", least=0.0, kinds="biuf")
    if given.size == 1:
        given = np.repeat(given, length)
    if given.size != length:
        raise InputError(
            f"{name} has {given.size} numbers", f"{length}, one for each amount", what=name, value=given.size
        )
    if (given != np.floor(given)).any():
        raise InputError.of(name, given, "whole numbers")
    return given


def per_arm(values: Any, arms: int) -> Any:
    """One number stands for the same number at every arm; anything else is left as it is."""
    return (
        [values] * arms
        if isinstance(values, Real) or (isinstance(values, np.ndarray) and values.ndim == 0)
        else values
    )


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of a few words."""
    if value not in choices:
        raise InputError.of(name, value, f"one of {', '.join(choices)}")
    return str(value)


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError.of(name, value, "true or false")
    return bool(value)
