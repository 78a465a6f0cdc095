"""Programs of our own in processes that get real signals."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

PATIENCE_SECONDS = 600.0  # until a test gives up: far more than a busy machine needs

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
import allotment.interrupts, allotment.simulation.job
allotment.interrupts.TOGETHER_SECONDS = allotment.simulation.job.LAST_SECONDS = 600
"""
OFTEN = f"""{UNHURRIED}
import allotment.simulation.partial_run as partial
partial.SAVE_SECONDS = partial.SAVE_SHARE = 0.1
"""


def hears_interrupts():
    """A shell may start us with Ctrl-C ignored, nohup with SIGHUP; what we start here must hear both."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


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
