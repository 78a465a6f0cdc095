"""Running a line of Python in a fresh process that finds what this one finds."""

import os
import subprocess
import sys

from allotment.errors import AllotmentError


def run_elsewhere(program: str, given: str, **variables: str) -> str:
    """What a program prints that is given this text; if it fails, an error with the last line of why."""
    path = os.pathsep.join(each for each in sys.path if each)
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=given,
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise AllotmentError((done.stderr.strip().splitlines() or ["it gave no reason"])[-1])
    return done.stdout
