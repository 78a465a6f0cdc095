import os
import signal
import threading

import pytest

import allotment.interrupts as module
from allotment.interrupts import interrupts


def send(number=signal.SIGINT):
    os.kill(os.getpid(), number)


def handlers():
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


@pytest.fixture(autouse=True)
def _as_python_starts():
    before = handlers()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    if module._latest is not None:
        module._latest.give_back()
    for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_raises_and_those_close_to_it_are_the_same(number):
    with interrupts() as arrived:
        with pytest.raises(KeyboardInterrupt):
            send(number)
        for _ in range(9):
            send(number)
        assert arrived.signal == number
    send(number)  # after the block as well: what was finished is being saved now


def test_where_it_is_held_it_waits_to_be_heeded():
    with interrupts() as arrived:
        with arrived.held():
            send()
            send()
            assert arrived.asked
            with pytest.raises(KeyboardInterrupt):
                arrived.heed()
        arrived.signal = None
        arrived.heed()


def test_a_later_one_does_what_it_did_before(monkeypatch):
    monkeypatch.setattr(module, "TOGETHER_SECONDS", 0.0)
    with interrupts() as arrived, arrived.held():
        send()
        with pytest.raises(KeyboardInterrupt):
            send()
    assert handlers() == [signal.default_int_handler, signal.SIG_DFL]


def test_or_leaves_a_program_that_says_how(monkeypatch):
    monkeypatch.setattr(module, "TOGETHER_SECONDS", 0.0)

    def leave(number):
        raise SystemExit(number)

    with interrupts(leave) as arrived, arrived.held():
        send()
        with pytest.raises(SystemExit):
            send(signal.SIGTERM)


def test_handlers_are_given_back():
    with interrupts() as outer:
        assert handlers() != [signal.default_int_handler, signal.SIG_DFL]
        with interrupts() as inner:
            assert inner is outer
        assert outer.open
    assert handlers() == [signal.default_int_handler, signal.SIG_DFL]


def test_somebody_elses_handler_stays():
    mine = []
    signal.signal(signal.SIGINT, lambda *_: mine.append(1))
    with interrupts() as arrived:
        send()
    assert mine == [1]
    assert not arrived.asked


def test_another_run_after_an_interrupt_is_interrupted_anew():
    for _ in range(2):
        with interrupts(), pytest.raises(KeyboardInterrupt):
            send()


def test_no_interrupts_arrive_in_other_threads():
    found = []

    def look():
        with interrupts() as arrived:
            found.append((arrived.asked, handlers()))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [(False, [signal.default_int_handler, signal.SIG_DFL])]
