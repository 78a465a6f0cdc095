"""Plays AnyResponse of the environment that runs this script, on problems given as data.

It is run as a file by another version's Python, so it imports only names that both versions have. It reads
JSON from standard input and writes, for each problem, the mean regret over runs as JSON to standard output.
"""

import json
import sys
from typing import Any

import allotment


def regret(problem: dict[str, Any], runs: int, horizon: int, workers: int | None) -> float:
    """The mean regret at the horizon."""
    world = allotment.Problem(
        problem["loss_rates"],
        budget=problem["budget"],
        response=allotment.Piecewise(problem["amounts"], problem["remaining"]),
        unit=problem["unit"],
    )
    result = allotment.simulate(
        world,
        allotment.AnyResponse(unit=problem["unit"]),
        horizon=horizon,
        replications=runs,
        seed=problem["seed"],
        workers=workers,
        record=[horizon],
        progress=False,
    )
    return float(result["AnyResponse"].mean[-1])


def answer(asked: dict[str, Any]) -> list[float]:
    """The mean regret on each problem."""
    how = {name: asked[name] for name in ("runs", "horizon", "workers")}
    return [regret(problem, **how) for problem in asked["problems"]]


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
