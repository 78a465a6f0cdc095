"""How long commands take on a fresh machine, where nothing is compiled, and how long later."""

import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from machine import about

from allotment import Campaign

COMMANDS = (
    "ask new.db",
    "ask half-a-year.db",
    "problem paper-2",
    "policies",
    "simulate paper-2 --policy csb-dt --policy csb-dt:gamma=1e-4 --policy equal-split --horizon 2000",
    "simulate paper-2 --policy joint --horizon 2000",
)
# What the background would have compiled by the time of a later command.
AHEAD = """
from allotment.campaign.warm_planner import PlannerKind, compile_now
compile_now(*PlannerKind("losses", "binary", grouped=False))
"""
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
    with tempfile.TemporaryDirectory() as warm, tempfile.TemporaryDirectory() as folder:
        _make_campaigns(Path(folder))
        os.chdir(folder)
        _compile_ahead(warm)
        for each in COMMANDS:
            _seconds(each, warm)
        passed = [{each: _first_and_later(each, warm) for each in COMMANDS} for _ in range(passes)]
        os.chdir("/")
    rows = [{"does": each, **_medians([found[each] for found in passed])} for each in COMMANDS]
    return {"about": about(command, passes), "rows": rows}


def _make_campaigns(folder):
    """One with three places and no report, and one with 60 places and a report of each for 180 days."""
    few = {"arms": ["Dock", "Gate", "Yard"], "budget": 6, "unit": 0.5, "most": 4}
    many = {"arms": [f"P{i}" for i in range(60)], "budget": 60, "unit": 1, "most": 5}
    Campaign.create(folder / "new.db", "new", seed=1, **few).close()
    stream, log = np.random.default_rng(0), folder / "log.csv"
    rows = ["date,place,amount,incidents"]
    for day in range(180):
        for place in many["arms"]:
            amount = int(stream.integers(0, 6))
            lost = int(stream.random() < 0.12 * (1.0 - 0.7 * amount / 5))
            rows.append(f"{date(2026, 1, 1) + timedelta(day)},{place},{amount},{lost}")
    log.write_text("\n".join(rows))
    with Campaign.create(folder / "half-a-year.db", "half a year", seed=1, **many) as campaign:
        campaign.import_log(log)


def _compile_ahead(cache):
    subprocess.run([sys.executable, "-c", AHEAD], env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True)


def _first_and_later(command, warm):
    with tempfile.TemporaryDirectory() as fresh:
        return {"first": _seconds(command, fresh), "later": _seconds(command, warm)}


def _seconds(command, cache):
    """When which of it happened, with what is compiled kept in this folder."""
    variables = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONUNBUFFERED": "1", "ALLOTMENT_BACKGROUND": "0"}
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
