"""Answers are kept until the next event; a status may be some seconds old, and is computed ahead."""

import threading
from datetime import date

import pytest

from allotment.web.api.answer_cache import KEPT, LARGEST_KEPT, MOST_BYTES, AnswerCache
from allotment.web.work.kept_answers import Moment
from running import PATIENCE_SECONDS

FIRST, SECOND, THIRD = (Moment(number, date(2026, 1, 1)) for number in (1, 2, 3))


@pytest.fixture
def cache(clock):
    return AnswerCache(clock)


def refuse():
    raise AssertionError("this is computed once")


def test_an_answer_holds_until_the_next_event(cache):
    assert cache.answer(("a",), FIRST, lambda: b"1").content == b"1"
    assert cache.answer(("a",), FIRST, refuse).content == b"1"
    assert cache.answer(("a",), SECOND, lambda: b"2").content == b"2"


def test_of_several_who_ask_at_once_one_computes(cache):
    gate, computed, heard = threading.Event(), [], []

    def compute():
        computed.append(1)
        assert gate.wait(PATIENCE_SECONDS)
        return b"1"

    def ask():
        heard.append(cache.answer(("a",), FIRST, compute).content)

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for each in threads:
        each.start()
    gate.set()
    for each in threads:
        each.join()
    assert computed == [1] and heard == [b"1"] * 5 and not cache._computing


def test_an_answer_of_late_says_its_age_and_is_computed_ahead(cache, clock):
    done = threading.Event()

    def ahead():
        done.set()
        return b"2"

    assert cache.answer_of_late(("a",), FIRST, lambda: b"1", 10)[1] == 0
    clock.now += 60
    assert cache.answer_of_late(("a",), FIRST, refuse, 10)[1] == 0  # nothing was recorded since
    cache.answer_of_late(("a",), SECOND, lambda: b"1", 10)
    clock.now += 5
    assert cache.answer_of_late(("a",), THIRD, refuse, 10)[1] == 5
    clock.now += 1
    found, age = cache.answer_of_late(("a",), THIRD, ahead, 10)
    assert (found.content, age) == (b"1", 6) and done.wait(PATIENCE_SECONDS)
    for each in threading.enumerate():
        if each.name.endswith("-answer"):
            each.join()
    assert cache.answer_of_late(("a",), THIRD, refuse, 10)[0].content == b"2"


def test_an_answer_that_is_too_old_is_not_given(cache, clock):
    cache.answer_of_late(("a",), FIRST, lambda: b"1", 10)
    clock.now += 10.5
    assert cache.answer_of_late(("a",), SECOND, lambda: b"2", 10)[0].content == b"2"


def test_an_error_is_nobodys_answer(cache):
    with pytest.raises(AssertionError):
        cache.answer(("a",), FIRST, refuse)
    assert cache.answer(("a",), FIRST, lambda: b"1").content == b"1" and not cache._computing


def test_it_holds_so_many_answers_and_bytes(cache):
    for number in range(KEPT + 1):
        cache.answer((number,), FIRST, lambda: b"1")
    assert cache.find((0,), FIRST) is None and cache.find((KEPT,), FIRST) is not None
    cache.answer(("large",), FIRST, lambda: bytes(LARGEST_KEPT + 1))
    assert cache.find(("large",), FIRST) is None
    for number in range(MOST_BYTES // LARGEST_KEPT + 1):
        cache.answer(("large", number), FIRST, lambda: bytes(LARGEST_KEPT))
    assert cache._bytes <= MOST_BYTES and cache.find(("large", number), FIRST) is not None
