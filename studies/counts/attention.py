"""The attention allocation benchmark of ml-fairness-gym: six units, five sites, a unit finds one incident.

Its rule estimates mean counts by maximum likelihood, knowing that counts are capped by the units. It does so
every ten rounds from the 20th on, and sends units anywhere at random in a tenth of the rounds. Otherwise it
spreads them in proportion to the estimates, or greedily, unit by unit. The greedy agent's text sends a unit
where it is most likely to find an incident. Its code compares P(N > n) - P(N ≥ n) = -P(N = n) instead, and
takes the best of the plans that it fills up in this way. Both are here.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import gammainc, pdtr

from allotment.arrays import FloatArray, IntArray
from allotment.policies.any_response import AnyResponse
from allotment.policies.capped_ts import CappedTs
from allotment.policies.equal_split import EqualSplit
from allotment.policies.hot_spots import HotSpots
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Capped
from studies.counts.high_counts import regrets as _regrets
from studies.regret import mean_interval

RATES, UNITS, ROUNDS = (8.0, 6.0, 4.0, 3.0, 1.5), 6, 1000
FIRST_ESTIMATE, EVERY, AT_RANDOM = 20, 10, 0.1
MEANS = np.geomspace(0.05, 50.0, 700)  # 1 % apart
AT_LEAST = np.vstack([np.ones_like(MEANS), *(gammainc(n, MEANS) for n in range(1, UNITS + 1))])

Spread = Callable[[FloatArray, np.random.Generator], IntArray]  # from estimates to units


def attention_problem() -> Problem:
    """The benchmark as a problem of ours: a full grant is all six units."""
    return Problem(RATES, budget=1.0, response=Capped(), unit=1.0 / UNITS, losses="counts", sees="finds")


def in_proportion(means: FloatArray, rng: np.random.Generator) -> IntArray:
    """Each unit goes to a site at random, in proportion to the estimates."""
    return rng.multinomial(UNITS, means / means.sum())


def greedily(means: FloatArray, rng: np.random.Generator) -> IntArray:
    """Each unit goes where it is most likely to find an incident."""
    units = np.zeros(means.size, np.int64)
    for _ in range(UNITS):
        units[np.argmax(gammainc(units + 1, means))] += 1
    return units


def as_coded(means: FloatArray, rng: np.random.Generator) -> IntArray:
    """The benchmark's greedy agent: fill up from any number of units at any one site, and take the best."""
    best, most = np.zeros(means.size, np.int64), -1.0
    for site in range(means.size):
        for first in range(UNITS + 1):
            units = np.zeros(means.size, np.int64)
            units[site] = first
            others = np.arange(means.size) != site
            for _ in range(UNITS - first):
                exactly = np.where(others, pdtr(units, means) - pdtr(units - 1, means), np.inf)
                units[np.argmin(exactly)] += 1
            found = sum(
                gammainc(np.arange(1, n + 1), mean).sum() for n, mean in zip(units, means, strict=True)
            )
            if found >= most:
                best, most = units, float(found)
    return best


class CensoredLikelihood:
    """The maximum of the likelihood of mean counts, given finds that the units cap."""

    def __init__(self) -> None:
        self.logs = np.zeros((len(RATES), MEANS.size))

    def add(self, units: IntArray, found: IntArray) -> None:
        """Take in a round."""
        for site, (n, k) in enumerate(zip(units, found, strict=True)):
            self.logs[site] += np.log(AT_LEAST[n]) if k >= n else k * np.log(MEANS) - MEANS

    def best(self) -> FloatArray:
        """The likeliest mean of every site."""
        return MEANS[self.logs.argmax(axis=1)]


def found_by_rule(spread: Spread, seed: int) -> int:
    """The incidents that the benchmark's rule finds in a run."""
    rng, luck = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    likelihood, means, total = CensoredLikelihood(), np.ones(len(RATES)), 0
    anywhere = np.full(len(RATES), 1.0 / len(RATES))
    for t in range(1, ROUNDS + 1):
        units = rng.multinomial(UNITS, anywhere) if rng.random() < AT_RANDOM else spread(means, rng)
        found = np.minimum(units, luck.poisson(RATES))
        total += int(found.sum())
        likelihood.add(units, found)
        if t >= FIRST_ESTIMATE and t % EVERY == 0:
            means = likelihood.best()
    return total


def table(replications: int, seed: int, workers: int | None) -> Iterator[str]:
    """Incidents found in 1000 rounds."""
    problem, unit = attention_problem(), 1.0 / UNITS
    most = ROUNDS * (sum(RATES) - problem.best.loss)
    yield "| rule | found in 1000 rounds |\n| --- | ---: |"
    yield f"| knowing the rates | {most:.0f} |"
    for policy in (
        CappedTs(unit=unit, sees="finds"),
        AnyResponse(unit=unit, losses="counts", sees="finds"),
        HotSpots(unit=unit),
        EqualSplit(unit=unit),
    ):
        found = most - _regrets(problem, policy, replications, seed, workers)
        yield f"| {policy.label} | {mean_interval(found).shown(0)} |"
    for name, spread in (
        ("in proportion", in_proportion),
        ("greedily, as the benchmark's text has it", greedily),
        ("greedily, as its code has it", as_coded),
    ):
        runs = [found_by_rule(spread, seed + k) for k in range(replications)]
        yield f"| censored maximum likelihood, {name} | {mean_interval(runs).shown(0)} |"
