"""How often 95 % intervals of mean regret hold the mean: Student's t of `Curve`, and the bootstrap.

The mean of many runs of one problem stands for the truth. Small samples of these runs are drawn again and
again.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.csb_dt import CsbDt
from allotment.policies.cts import Cts
from allotment.policies.joint import Joint
from allotment.simulation.regret_paths import Curve
from allotment.simulation.simulate import simulate
from allotment.worlds.problem import Problem
from studies.regret import mean_interval

HORIZON = 1_000
SAMPLES = (20, 50, 100, 500)  # runs
ROOMIER = 2.05  # a budget with room to err
TRIALS = 2_000
AT_ONCE = 100  # trials in a bootstrap, which takes memory for all of them


def skewness(values: FloatArray) -> float:
    """The third standardised moment.

    >>> skewness(np.array([1.0, 2.0, 3.0]))
    0.0
    """
    off = values - values.mean()
    return float((off**3).mean() / (off**2).mean() ** 1.5)


def covered(regret: FloatArray, runs: int, trials: int = TRIALS) -> tuple[float, float]:
    """The shares of samples of so many runs whose interval has the mean: by Student's t, and by bootstrap."""
    stream, truth = np.random.default_rng([runs, regret.size]), regret.mean()
    held = np.zeros(2)
    for first in range(0, trials, AT_ONCE):
        drawn = regret[stream.integers(regret.size, size=(runs, min(AT_ONCE, trials - first)))]
        students_t, bootstrap = Curve(drawn), mean_interval(drawn)
        for k, (low, high) in enumerate(((students_t.low, students_t.high), (bootstrap.low, bootstrap.high))):
            held[k] += ((low <= truth) & (truth <= high)).sum()
    return float(held[0] / trials), float(held[1] / trials)


def table(regrets: dict[str, FloatArray], trials: int = TRIALS) -> str:
    """Coverage by policy and number of runs."""
    heads = " | ".join(f"{runs} runs" for runs in SAMPLES)
    lines = [
        f"| regret of | skewness | interval | {heads} |",
        f"| --- | ---: | --- {'| ---: ' * len(SAMPLES)}|",
    ]
    for label, values in regrets.items():
        shares = [covered(values, runs, trials) for runs in SAMPLES]
        for k, name in enumerate(("Student's t", "bootstrap")):
            cells = " | ".join(f"{100 * each[k]:.1f} %" for each in shares)
            lines.append(f"| {label} | {skewness(values):.1f} | {name} | {cells} |")
    return "\n".join(lines)


def report(
    replications: int,
    seed: int = 0,
    workers: int | None = None,
    *,
    horizon: int = HORIZON,
    trials: int = TRIALS,
) -> Iterator[str]:
    """Coverage on Instance 2, for policies by themselves and for a paired difference."""
    run: dict[str, Any] = {"horizon": horizon, "replications": replications, "seed": seed, "workers": workers}
    problem = Problem.named("paper-2")
    roomier = Problem(problem.loss_rates, problem.thresholds, ROOMIER)
    rules = [Joint(), Cts(thresholds=problem.thresholds.tolist()), CsbDt()]
    result = simulate(problem, rules, record=1, progress=False, **run)
    regrets = {label: result[label].final for label in result}
    regrets["Joint less CTS"] = result.compare("Joint", "CTS").final
    with_room = simulate(roomier, Joint(), record=1, progress=False, **run)
    regrets[f"Joint, Q = {ROOMIER}"] = with_room["Joint"].final
    yield table(regrets, trials)
