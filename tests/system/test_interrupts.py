import os
import signal
import threading
import time

import pytest

import allotment.system.interrupts as module
from allotment.system.interrupts import WORKER, interrupts
from running import PATIENCE_SECONDS, started


def send(number=signal.SIGINT):
    os.kill(os.getpid(), number)


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AT_FIRST = [signal.default_int_handler, signal.SIG_DFL, signal.SIG_DFL]


def handlers():
    return [signal.getsignal(number) for number in SIGNALS]


@pytest.fixture(autouse=True)
def _as_python_starts():
    before = handlers()
    for number, handler in zip(SIGNALS, AT_FIRST, strict=True):
        signal.signal(number, handler)
    yield
    if module._latest is not None:
        module._latest.give_back()
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
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
    assert handlers() == AT_FIRST


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
        assert handlers() != AT_FIRST
        with interrupts() as inner:
            assert inner is outer
        assert outer.open
    assert handlers() == AT_FIRST


def test_somebody_elses_handler_stays():
    mine = []
    signal.signal(signal.SIGINT, lambda *_: mine.append(1))
    with interrupts() as arrived:
        send()
    assert mine == [1]
    assert not arrived.asked


def test_what_nohup_ignores_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with interrupts() as arrived:
        send(signal.SIGHUP)
    assert not arrived.asked


DEAF = """
import contextlib, ctypes, os, threading
import allotment.system.interrupts as module
module.TOGETHER_SECONDS = 0.1
with module.interrupts(lambda number: os._exit(128 + number)) as arrived, {held}:
    threading.Timer(0.2, lambda: print("deaf", flush=True)).start()
    mutex, lock = ctypes.create_string_buffer(100), ctypes.CDLL(None).pthread_mutex_lock
    lock(mutex), lock(mutex)  # as in compiled code, Python hears nothing there
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_a_program_leaves_compiled_code_that_never_comes_back(number):
    with started("-c", DEAF.format(held="contextlib.nullcontext()")) as process:
        assert process.stdout.readline() == "deaf\n"
        process.send_signal(number)
        assert process.wait(PATIENCE_SECONDS) == 128 + number


def test_or_says_that_another_is_needed_while_something_is_saved():
    with started("-c", DEAF.format(held="arrived.held()")) as process:
        assert process.stdout.readline() == "deaf\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "allotment: still busy; press Ctrl-C again to leave at once\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 130


def test_a_program_that_hears_is_not_left(monkeypatch):
    monkeypatch.setattr(module, "TOGETHER_SECONDS", 0.01)
    left = []
    with interrupts(left.append) as arrived, arrived.held():
        send()
        time.sleep(0.05)
        assert arrived.asked
    assert not left


def test_what_a_forked_process_hears_is_its_own(monkeypatch):
    monkeypatch.setattr(module, "TOGETHER_SECONDS", 0.01)
    left = []
    with interrupts(left.append):
        forked = os.fork()
        if forked == 0:
            send()  # which is for the one who started it
            os._exit(0)
        assert os.waitpid(forked, 0)[1] == 0
        time.sleep(0.05)
    assert not left


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
    assert found == [(False, AT_FIRST)]


def test_the_command_line_leaves_threads_from_before_alone(allotment):
    """A caller of the command line, as these tests are, may have long work of its own."""
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait, name=f"{WORKER}-of-the-caller", daemon=True)
    thread.start()
    try:
        assert allotment("policies").code == 0
        assert thread.is_alive()
    finally:
        ended.set()
        thread.join()
