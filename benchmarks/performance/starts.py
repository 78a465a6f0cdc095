"""How long commands take on a fresh machine, where nothing is compiled, and how long later."""

import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

from machine import about

COMMANDS = (
    "problem paper-2",
    "policies",
    "simulate paper-2 --policy csb-dt --policy csb-dt:gamma=1e-4 --policy equal-split --horizon 2000",
    "simulate paper-2 --policy joint --horizon 2000",
)
BEGINS = "the first round begins"
RUN = "from allotment.cli import main; main()"
WATCHED_RUN = f"""
import sys
from allotment.simulation.job import Crew
play = Crew.play
def watched(*given):
    print({BEGINS!r}, file=sys.stderr, flush=True)
    return play(*given)
Crew.play = watched
{RUN}
"""


def measure(passes, command):
    """Seconds until something is shown, until the first round begins, and until all is done."""
    with tempfile.TemporaryDirectory() as warm:
        for each in COMMANDS:
            _seconds(each, warm)
        passed = [{each: _first_and_later(each, warm) for each in COMMANDS} for _ in range(passes)]
    rows = [{"does": each, **_medians([found[each] for found in passed])} for each in COMMANDS]
    return {"about": about(command, passes), "rows": rows}


def _first_and_later(command, warm):
    with tempfile.TemporaryDirectory() as fresh:
        return {"first": _seconds(command, fresh), "later": _seconds(command, warm)}


def _seconds(command, cache):
    """When which of it happened, with what is compiled kept in this folder."""
    variables = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONUNBUFFERED": "1"}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # as where it is installed
    simulates = command.startswith("simulate")
    began, found = time.perf_counter(), {}
    with subprocess.Popen(
        [sys.executable, "-c", WATCHED_RUN if simulates else RUN, *shlex.split(command)],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout:
            found.setdefault("begins" if line.strip() == BEGINS else "shown", time.perf_counter() - began)
    if process.returncode != 0:
        raise RuntimeError(f"allotment {command} failed")
    return {**found, "done": time.perf_counter() - began}


def _medians(passed):
    return {
        when: {what: statistics.median(each[when][what] for each in passed) for what in passed[0][when]}
        for when in passed[0]
    }
