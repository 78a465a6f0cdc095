"""Functions that are not compiled yet run as plain Python where that is quicker, with the same numbers."""

import threading
from typing import NamedTuple

import numpy as np
import pytest

from allotment.compiling import interpreting
from allotment.compiling.decorators import Entry, allocating, generic, inlined, kernel
from allotment.compiling.switches import is_interpreting, without_waiting
from allotment.errors import NotFoundError

PLACE = np.dtype([("first", "i8"), ("worth", "f8")])


class Pair(NamedTuple):
    records: np.ndarray
    factor: float


Pair.__module__ = "allotment.made_up"  # as if it were the package's own


@inlined
def _double(number):
    return 2.0 * number


@kernel
def _worth(pair, place):
    return pair.factor * pair.records[place].worth


@generic
def total(pair, start):
    """The sum of what all places are worth."""


def _total(pair: Pair, start):
    result = start
    for place in range(pair.records.size):
        result += _double(_worth(pair, place))
    return result


total.register(_total)


def made(seconds):
    """A function that was never called, and the number of times that it ran as plain Python."""
    calls = []

    def run(pair, start):
        return total(pair, start)

    entry = Entry(run, python_seconds=lambda *_: seconds)
    entry._made.py_func = lambda *arguments: (calls.append(is_interpreting()), run(*arguments))[1]
    return entry, calls


@pytest.fixture
def pair():
    records = np.zeros(3, PLACE)  # without attributes, as compiled code hands them out
    records["worth"] = 1.0, 2.0, 4.0
    return Pair(records, 0.5)


def test_what_is_quick_runs_as_plain_python_with_all_that_it_calls(pair):
    entry, calls = made(seconds=1.0)
    with without_waiting():
        assert entry(pair, 1.0) == 8.0
    assert calls == [True]
    assert not entry._made.overloads
    assert not is_interpreting()


def test_what_takes_longer_than_compiling_is_compiled(pair):
    entry, calls = made(seconds=100.0)
    with without_waiting():
        assert entry(pair, 1.0) == 8.0
    assert not calls
    assert entry._made.overloads


def test_what_was_interpreted_for_long_enough_is_compiled(pair):
    entry, calls = made(seconds=1.0)
    with without_waiting():
        entry(pair, 1.0)
        entry._made.spent = interpreting.COMPILING_SECONDS
        assert entry(pair, 1.0) == 8.0
        assert calls == [True]
        entry._made.spent = 0.0
        entry(pair, 1.0)  # it is there now, so it is used
    assert calls == [True]


def test_outside_of_the_block_everything_is_compiled(pair):
    entry, calls = made(seconds=0.0)
    assert entry(pair, 1.0) == 8.0
    assert not calls


def test_another_thread_is_not_concerned():
    seen = []
    with without_waiting(), interpreting.interpreting():
        thread = threading.Thread(target=lambda: seen.append(is_interpreting()))
        thread.start()
        thread.join()
        assert is_interpreting()
    assert seen == [False]


def test_an_error_ends_the_mode(pair):
    entry, _ = made(seconds=0.0)
    with pytest.raises(NotFoundError), without_waiting():
        entry(None, 1.0)
    assert not is_interpreting()


def test_what_loads_in_no_time_is_not_loaded_for_less(pair, monkeypatch):
    entry, calls = made(seconds=1.0)
    monkeypatch.setattr(interpreting.Interpretable, "_is_on_disk", lambda self, signature: True)
    with without_waiting():
        entry(pair, 1.0)
        assert not calls
    quick, calls = made(seconds=0.01)
    with without_waiting():
        quick(pair, 1.0)
    assert calls == [True]


def test_functions_that_create_arrays_are_never_waited_for():
    @allocating
    def make(size):
        return np.zeros(size)

    with without_waiting():
        assert make(3).tolist() == [0.0, 0.0, 0.0]
    assert not make.overloads
