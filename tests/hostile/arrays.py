"""Arrays that nobody expects: odd types and shapes, numbers out of range, headers that promise too much."""

import io

import numpy as np

UNEXPECTED = (
    lambda: np.zeros(0),
    lambda: np.zeros((2, 2), np.int64),
    lambda: np.array(7),
    lambda: np.array([np.nan, np.inf, -1.0]),
    lambda: np.array([-1, -(2**62), 2**62]),
    lambda: np.array(["evil"] * 3),
    lambda: np.array([1 + 2j] * 3),
    lambda: np.array([None, {}], object),
    lambda: np.array([(1, 2.0)], dtype=[("a", "i8"), ("b", "f8")]),
    lambda: np.array([b"x" * 1000]),
    lambda: np.zeros(10**5, np.int8),
    lambda: np.array(["2026-01-01"], "datetime64[D]"),
)
LARGE = ((2**40,), (2**31, 2**31), (-1,), (2**62,))


def npy(array):
    """An array as a file, whatever it holds."""
    made = io.BytesIO()
    np.lib.format.write_array(made, array, allow_pickle=True)
    return made.getvalue()


def header(shape, kind="<i8"):
    """The start of a file that promises an array of this shape."""
    made = io.BytesIO()
    np.lib.format.write_array_header_1_0(made, {"descr": kind, "fortran_order": False, "shape": shape})
    return made.getvalue()
