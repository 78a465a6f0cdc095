"""`tell` at a real terminal, which is left with Ctrl-C, or closed."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

import pytest

from allotment import Campaign
from running import PATIENCE_SECONDS, hears_interrupts

CTRL_C = b"\x03"


def at_a_terminal(*arguments):
    """A command in a terminal that is 60 columns wide: its process, and what holds the terminal open."""
    process, terminal = pty.fork()
    if process == 0:
        hears_interrupts()
        command = [sys.executable, "-m", "allotment", *arguments]
        os.execve(sys.executable, command, {**os.environ, "COLUMNS": "60"})  # other tests set it to 80
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    return process, terminal


def read_until(terminal, words):
    """What is shown, up to some words; all of it if they do not come."""
    shown, deadline = "", time.monotonic() + PATIENCE_SECONDS
    while words not in shown and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 65536).decode()
            except OSError:  # the command has ended
                break
    return shown


def begin_to_tell(night):
    """A `tell` that has one answer and asks for the next."""
    process, terminal = at_a_terminal("tell", night)
    assert "Dock (granted 2): " in read_until(terminal, "Dock (granted 2): ")
    os.write(terminal, b"1\n")
    assert "Gate (granted 2): " in read_until(terminal, "Gate (granted 2): ")
    return process, terminal


def ended(process):
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def told(night):
    with Campaign.open(night) as campaign:
        return campaign.plan("1").told


def test_answers_are_kept_after_ctrl_c(allotment, night):
    allotment("ask", night)
    process, terminal = begin_to_tell(night)
    os.write(terminal, CTRL_C)
    assert read_until(terminal, "asks for the rest").splitlines()[-2:] == [  # broken between words
        "allotment: interrupted; the answer for 1 place is kept as a",
        "partial report; `allotment tell` asks for the rest",
    ]
    assert (ended(process), told(night)) == (130, {"Dock": 1})
    os.close(terminal)


@pytest.mark.parametrize("_", range(3))  # the signal comes before the error of reading, or after it
def test_answers_are_kept_when_the_terminal_is_closed(allotment, night, _):
    allotment("ask", night)
    process, terminal = begin_to_tell(night)
    os.close(terminal)
    assert (ended(process), told(night)) == (129, {"Dock": 1})
