import os
import subprocess
import sys
from typing import NamedTuple

import numba
import pytest

from allotment.compiling import decorators as compiling
from allotment.compiling.decorators import Entry, generic, generic_with_default, kernel
from allotment.compiling.linking import LinkedKernel
from allotment.compiling.python_calls import before_compiling
from allotment.errors import InputError, KernelError


class Left(NamedTuple):
    number: float


class Right(NamedTuple):
    number: float


class Pair(NamedTuple):
    left: Left
    right: Right


@generic
def half(state, factor):
    """Part of a number."""


@half.register
def _left(state: Left, factor):
    return state.number * factor


@half.register
def _right(state: Right, factor):
    return -state.number * factor


@half.register
def _pair(state: Pair, factor):
    return half(state.left, factor) + half(state.right, factor)


@numba.njit
def compiled_half(state, factor):
    return half(state, factor)


@pytest.mark.parametrize("call", [half, compiled_half])
def test_what_runs_depends_on_the_class_of_the_state(call):
    assert call(Left(4.0), 0.5) == 2.0
    assert call(Right(4.0), 0.5) == -2.0
    assert call(Pair(Left(4.0), Right(3.0)), 0.5) == 0.5


def test_a_state_without_kernel_is_named():
    class Stranger(NamedTuple):
        number: float

    with pytest.raises(InputError, match="Stranger has no 'half' kernel; register one"):
        half(Stranger(1.0), 1.0)


def test_a_kernel_must_name_its_state():
    with pytest.raises(InputError, match="annotated with its NamedTuple class"):
        half.register(lambda state, factor: state)


def test_a_kernel_must_take_what_it_is_handed():
    def short(state: Left):
        return state.number

    with pytest.raises(InputError, match=r"half kernel of Left takes \(state\); expected \(state, factor\)"):
        half.register(short)


def passed_on(state, factor):
    return half(state, factor)


passed_on.__module__ = "allotment.tests"
half_in_package = kernel(passed_on)


@Entry
def run_half(state, factor):
    return half_in_package(state, factor)


def test_for_states_from_outside_nothing_is_a_part():
    assert run_half(Left(4.0), 0.5) == 2.0
    in_full = [kinds[0].instance_class for kinds in half_in_package.in_full.signatures]
    assert in_full.count(Left) == 1


def test_a_kernel_that_is_written_anew_takes_effect():
    class Renewed(NamedTuple):
        number: float

    def first(state, factor):
        return state.number * factor

    def misspelt(state, factor):
        return state.nummber

    def mended(state, factor):
        return 0.0

    results = []
    for each in (first, misspelt, mended):
        each.__annotations__["state"] = Renewed
        half.register(each)
        try:
            results.append((run_half(Renewed(4.0), 0.5), half(Renewed(4.0), 0.5)))
        except KernelError as error:
            results.append(error.line)
    assert results == [(2.0, 2.0), misspelt.__code__.co_firstlineno + 1, (0.0, 0.0)]


def test_kernels_run_under_numba():
    made = kernel(lambda x: x + 1)
    assert made(1) == 2
    assert [len(signature) for signature in made.signatures] == [1]  # one compiled version, of one argument


def test_without_an_implementation_the_default_runs():
    @generic_with_default
    def doubled(state, number):
        return 2.0 * number

    @doubled.register
    def _left(state: Left, number):
        return state.number

    @numba.njit
    def compiled(state, number):
        return doubled(state, number)

    for call in (doubled, compiled):
        assert call(Left(4.0), 1.5) == 4.0
        assert call(Right(4.0), 1.5) == 3.0


SHORT_RUN = (
    "import allotment as al\n"
    "p = al.Problem([0.5, 0.5], 1.0, 1.0)\n"
    "result = al.simulate(p, al.EqualSplit(), horizon=9, replications=1, seed=1)\n"
    "print(result['Equal split'].final.tolist())\n"
)


def run_with_cache(folder):
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", SHORT_RUN], env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[4.5]"
    return sorted(path.name for path in folder.rglob("*.nbc"))


def test_a_second_process_finds_what_the_first_compiled(tmp_path):
    first = run_with_cache(tmp_path)
    assert first
    assert run_with_cache(tmp_path) == first


def test_a_cache_that_cannot_be_written_is_done_without_and_that_is_said_once(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(blocked)}
    done = subprocess.run(
        [sys.executable, "-c", SHORT_RUN], env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[4.5]"
    assert done.stderr.count("compiled code is not kept") == 1
    assert "kept for next time" not in done.stderr


def test_a_kernel_of_the_package_is_a_part_and_constants_do_not_multiply_it():
    made = kernel(fourfold)
    assert isinstance(made, LinkedKernel)

    @numba.njit
    def both(number):
        return made(number) + made(7) + made(8)

    assert both(1) == 64
    assert made.signatures == [(numba.int64,)]
    assert made(2.5) == 10.0  # from Python: compiled in full, apart


def fourfold(number):
    if number < 0:
        raise ValueError("negative")
    return 4 * number


fourfold.__module__ = "allotment.tests"


def test_what_a_part_raises_arrives():
    made = kernel(fourfold)

    @numba.njit
    def called(number):
        return made(number)

    with pytest.raises(ValueError, match="negative"):
        called(-1)


def test_where_numba_has_changed_inside_there_are_no_parts(monkeypatch):
    monkeypatch.setitem(sys.modules, "allotment.compiling.linking", None)
    assert compiling._parts() == (None, None)


def test_where_a_part_fails_it_is_compiled_in_full(monkeypatch):
    monkeypatch.delattr("allotment.compiling.linking._Code._finish")
    made = kernel(fivefold)

    @numba.njit
    def called(number):
        return made(number)

    assert called(2) == 10
    assert made.in_full.signatures == [(numba.int64,)]


def fivefold(number):
    return 5 * number


fivefold.__module__ = "allotment.tests"


def test_compiling_is_told_of_once_and_only_if_it_happens():
    @kernel
    def double(number):
        return 2 * number

    told = []
    for _ in range(2):
        with before_compiling(lambda: told.append("compiling")):
            assert (double(1.0), double(1)) == (2.0, 2)
        assert told == ["compiling"]
