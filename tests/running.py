"""Programs of our own in processes that get real signals."""

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import contextmanager

import pytest

PATIENCE_SECONDS = 600.0  # until a test gives up: far more than a busy machine needs

# What programs believe about their terminal, whatever it is.
OF_TERMINALS = (
    *("COLUMNS", "LINES", "TERMINAL_WIDTH", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
    *("COLORTERM", "FORCE_COLOR", "NO_COLOR", "PY_COLORS", "GITHUB_ACTIONS"),
)

# For programs that measure themselves. `getrusage` would count what the process held before it became Python:
# a copy of the test runner, which can be larger than what is measured.
PEAK_BYTES = """
def peak_bytes():
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
"""

# For programs that are interrupted on a busy machine: signals that arrive late still count as one, and blocks
# may take long to end.
UNHURRIED = """
import allotment.system.interrupts, allotment.simulation.job
allotment.system.interrupts.TOGETHER_SECONDS = allotment.simulation.job.LAST_SECONDS = 600
"""
OFTEN = f"""{UNHURRIED}
import allotment.simulation.partial_run as partial
partial.SAVE_SECONDS = partial.SAVE_SHARE = 0.1
"""


def hears_interrupts():
    """A shell may start us with Ctrl-C ignored, nohup with SIGHUP; what we start here must hear both."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def forget_our_terminal():
    """Let programs in tests see the same, whatever terminal the tests run in, and if there is none."""
    for name in OF_TERMINALS:
        os.environ.pop(name, None)
    os.environ["TERM"] = "xterm"


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, process, number):
        self.process, self._number = process, number

    def write(self, keys):
        """Type something."""
        os.write(self._number, keys)

    def shown(self):
        """What was shown since the last look, or soon is."""
        if not select.select([self._number], [], [], 0.05)[0]:
            return ""
        try:
            return os.read(self._number, 65536).decode(errors="replace")
        except OSError:  # the program has ended, and all was read
            return ""

    def shown_until(self, pattern):
        """What is shown, up to something that matches."""
        text = ""

        def come():
            nonlocal text
            ended = self.process.poll() is not None  # before the last look
            text += self.shown()
            assert re.search(pattern, text) or not ended, text
            return re.search(pattern, text)

        wait_until(come)
        return text

    def close(self):
        """Close it, unless it is closed. The kernel sends the program SIGHUP."""
        if self._number is not None:
            os.close(self._number)
        self._number = None


@contextmanager
def at_a_terminal(*arguments, columns=80):
    """A Python process in a terminal of its own, which does not outlive the block."""
    number, its_end = pty.openpty()
    termios.tcsetwinsize(its_end, (24, columns))

    def takes_it():
        hears_interrupts()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        **dict.fromkeys(("stdin", "stdout", "stderr"), its_end),
        env=dict(os.environ),  # readline tells processes, though not Python, how wide another terminal is
        start_new_session=True,
        preexec_fn=takes_it,
    )
    os.close(its_end)
    terminal = Terminal(process, number)
    try:
        yield terminal
    finally:
        process.kill()
        process.wait()
        terminal.close()


@contextmanager
def started(*arguments, **options):
    """A Python process, which does not outlive the block."""
    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hears_interrupts,
        **options,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(condition):
    """Look again and again until something is true."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, "it does not come true"
        time.sleep(0.005)


def wait_for(condition, process):
    """The same, of a process; one that ends before that has failed."""

    def come_true():
        found = condition()
        assert found or process.poll() is None, process.communicate()
        return found

    wait_until(come_true)


def allotment(*arguments, before=""):
    """The arguments of a Python that runs the command line, after some lines of its own."""
    program = f"{before}\nimport sys\nfrom allotment.cli import main\nsys.argv[0] = 'allotment'\nmain()"
    return ("-c", program, *arguments)


def skip_with_another_clock():
    """Skip tests of programs that do not run under libfaketime, which `make flaky` sets the clock with."""
    if "FAKETIME" in os.environ:
        pytest.skip("this program does not run with another clock")
