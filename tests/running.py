"""Programs of our own in processes that get real signals."""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager

# For programs that measure themselves. `getrusage` would count what the process held before it became Python:
# a copy of the test runner, which can be larger than what is measured.
PEAK_BYTES = """
def peak_bytes():
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
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


def wait_for(condition, process):
    """Look again and again; a process that ends before that has failed."""
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def allotment(*arguments, before=""):
    """The arguments of a Python that runs the command line, after some lines of its own."""
    program = f"{before}\nimport sys\nfrom allotment.cli import main\nsys.argv[0] = 'allotment'\nmain()"
    return ("-c", program, *arguments)
