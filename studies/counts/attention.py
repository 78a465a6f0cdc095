"""The attention allocation benchmark of ml-fairness-gym: six units, five sites, a unit finds one incident.

Its rule estimates mean counts by maximum likelihood, knowing that counts are capped by the units. It does so
every ten rounds from the 20th on, and sends units anywhere at random in a tenth of the rounds. Otherwise it
spreads them in proportion to the estimates, or greedily, unit by unit. The greedy agent's text sends a unit
where it is most likely to find an incident. Its code compares P(N > n) - P(N ≥ n) = -P(N = n) instead, and
takes the best of the plans that it fills up in this way. Both are here.

The script of its experiment differs from the defaults of its classes: estimates begin with the 25th round and
use the last 100. Estimates are 0 before the first one, there and in the classes. Then the greedy code sends
all units to the last site, whose rate is the lowest. Our defaults begin with estimates of 1 instead.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaln, xlogy

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
EVERY, AT_RANDOM = 10, 0.1
MEANS = np.geomspace(0.05, 50.0, 700)  # 1 % apart
AT_LEAST = np.vstack([np.ones_like(MEANS), *(gammainc(n, MEANS) for n in range(1, UNITS + 1))])

Spread = Callable[[FloatArray, np.random.Generator], IntArray]  # from estimates to units


class Settings(NamedTuple):
    """The settings of the benchmark's rule."""

    first: int = 20  # the round of the first estimate, at the earliest
    window: int | None = None  # the rounds that estimates use; None: all
    start: float = 1.0  # the estimates before the first one


SCRIPT = Settings(first=25, window=100, start=0.0)


def attention_problem() -> Problem:
    """The benchmark as a problem of ours: a full grant is all six units."""
    return Problem(RATES, budget=1.0, response=Capped(), unit=1.0 / UNITS, losses="counts", sees="finds")


def in_proportion(means: FloatArray, rng: np.random.Generator) -> IntArray:
    """Each unit goes to a site at random, in proportion to the estimates."""
    return anywhere(means, rng) if means.sum() == 0.0 else rng.multinomial(UNITS, means / means.sum())


def anywhere(means: FloatArray, rng: np.random.Generator) -> IntArray:
    """Each unit goes to any site at random."""
    return rng.multinomial(UNITS, np.full(means.size, 1.0 / means.size))


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
                exactly = np.exp(xlogy(units, means) - means - gammaln(units + 1.0))  # P(N = n)
                units[np.argmin(np.where(others, exactly, np.inf))] += 1
            found = sum(
                gammainc(np.arange(1, n + 1), mean).sum() for n, mean in zip(units, means, strict=True)
            )
            if found >= most:
                best, most = units, float(found)
    return best


class CensoredLikelihood:
    """The maximum of the likelihood of mean counts, given finds that the units cap."""

    def __init__(self, window: int | None = None) -> None:
        self.logs = np.zeros((len(RATES), MEANS.size))
        self.rounds: deque[tuple[IntArray, IntArray]] = deque()
        self.window = window

    def add(self, units: IntArray, found: IntArray) -> None:
        """Take in a round, and forget the one before the window."""
        self.logs += _logs(units, found)
        self.rounds.append((units, found))
        if self.window is not None and len(self.rounds) > self.window:
            self.logs -= _logs(*self.rounds.popleft())

    def best(self) -> FloatArray:
        """The likeliest mean of every site."""
        return MEANS[self.logs.argmax(axis=1)]


def _logs(units: IntArray, found: IntArray) -> FloatArray:
    """The log-likelihood of a round, sites x means."""
    return np.array(
        [
            np.log(AT_LEAST[n]) if k >= n else k * np.log(MEANS) - MEANS
            for n, k in zip(units, found, strict=True)
        ]
    )


def found_by_rule(spread: Spread, seed: int, settings: Settings = Settings()) -> int:  # noqa: B008
    """The incidents that the benchmark's rule finds in a run."""
    rng, luck = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    likelihood, means = CensoredLikelihood(settings.window), np.full(len(RATES), settings.start)
    plan, total = spread(means, rng), 0
    for t in range(1, ROUNDS + 1):
        if spread is in_proportion or t % EVERY == 1:  # the others decide by the estimates alone
            plan = spread(means, rng)
        units = anywhere(means, rng) if rng.random() < AT_RANDOM else plan
        found = np.minimum(units, luck.poisson(RATES))
        total += int(found.sum())
        likelihood.add(units, found)
        if t >= settings.first and t % EVERY == 0:
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
    luck = [np.random.default_rng([seed + k, 3]) for k in range(replications)]
    at_random = [
        sum(np.minimum(anywhere(np.ones(len(RATES)), rng), rng.poisson(RATES)).sum() for _ in range(ROUNDS))
        for rng in luck
    ]
    yield f"| units anywhere at random | {mean_interval(at_random).shown(0)} |"
    for name, spread, settings in (
        ("in proportion", in_proportion, Settings()),
        ("in proportion, as its script has it", in_proportion, SCRIPT),
        ("greedily, as the benchmark's text has it", greedily, Settings()),
        ("greedily, as its code has it", as_coded, Settings()),
        ("greedily, as its code and script have it", as_coded, SCRIPT),
    ):
        runs = [found_by_rule(spread, seed + k, settings) for k in range(replications)]
        yield f"| censored maximum likelihood, {name} | {mean_interval(runs).shown(0)} |"
