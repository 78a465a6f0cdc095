import numba
import numpy as np
import pytest

from allotment.compiling.code_digest import PLAIN
from allotment.compiling.vector_width import FOUR_NUMBERS, prefer_short_vectors


def doubled(numbers, out):
    prefer_short_vectors()
    for i in range(out.size):
        out[i] = 2.0 * numbers[i]


def test_plain_python_takes_no_notice():
    out = np.zeros(7)
    doubled(np.arange(7.0), out)
    assert out.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]


@pytest.mark.skipif(bool(PLAIN or numba.config.DISABLE_JIT), reason="leaves the width to LLVM")
def test_compiled_code_asks_for_vectors_of_four_and_computes_the_same():
    compiled, out = numba.njit(doubled), np.zeros(7)
    compiled(np.arange(7.0), out)
    assert out.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    (code,) = compiled.inspect_llvm().values()
    assert FOUR_NUMBERS in code
