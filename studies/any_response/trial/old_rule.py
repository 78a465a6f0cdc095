"""The rule of an earlier version on the problems of the trial, in a process with its environment."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from allotment.errors import FileError, InputError
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from studies.any_response.trial.extent import Extent
from studies.any_response.trial.measuring import DIGITS, problems_of
from studies.any_response.trial.worlds import TrialWorld

SCRIPT = Path(__file__).with_name("old_rule_script.py")
VERSION = "0.2.0.dev1"


def python_of(checkout: Path) -> Path:
    """The Python of a checkout's environment, which must have the version that limits name."""
    python = checkout / ".venv" / "bin" / "python"
    if not python.exists():
        raise FileError(f"there is no {python}; run `make setup` in the checkout first")
    version = _run(python, "-c", "import allotment; print(allotment.__version__)").strip()
    if version != VERSION:
        raise InputError.of(f"the version in {checkout}", version, VERSION)
    return python


def measure_old(
    world: TrialWorld, python: Path, seed: int, extent: Extent, workers: int | None
) -> list[float]:
    """The mean regret over runs, for each problem."""
    asked = asked_of_old(world, seed, extent, workers)
    return np.round(json.loads(_run(python, str(SCRIPT), given=json.dumps(asked))), DIGITS).tolist()


def asked_of_old(world: TrialWorld, seed: int, extent: Extent, workers: int | None) -> dict[str, Any]:
    """The problems of a world as data, and how to play them."""
    problems = [_as_data(problem, luck) for problem, luck in problems_of(world, seed, extent)]
    horizon = min(world.horizon, extent.horizon)
    return {"problems": problems, "runs": extent.runs, "horizon": horizon, "workers": workers}


def _as_data(problem: Problem | Changing, luck: int) -> dict[str, Any]:
    if not isinstance(problem, Problem) or problem.units is None or problem.sees != "losses":
        raise InputError.of(
            "the problem", problem, "one that does not change, in units, whose losses are seen"
        )
    full = problem.units.full
    return {
        "loss_rates": problem.loss_rates.tolist(),
        "budget": problem.budget,
        "unit": problem.unit,
        "amounts": np.round(np.arange(full + 1) / full, 12).tolist(),
        "remaining": problem.table.tolist(),
        "seed": luck,
    }


def _run(python: Path, *arguments: str, given: str = "") -> str:
    done = subprocess.run([python, *arguments], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise InputError(f"{python} ended with exit code {done.returncode}: {last[0]}")
    return done.stdout
