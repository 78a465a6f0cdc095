"""Ratios of means over problems with their 95 % intervals, and verdicts on the limits."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from allotment.arrays import FloatArray
from studies.any_response.trial.limits import Limit

Outcome = Mapping[str, FloatArray]  # of a world: by policy, one number for each problem
Outcomes = Mapping[str, Outcome]  # by world


@dataclass(frozen=True)
class Estimate:
    """A number that is not negative, and its 95 % interval, which is symmetric in logarithms."""

    value: float
    error: float  # half of the interval's width, in logarithms

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.value * math.exp(-self.error)

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.value * math.exp(self.error)


def ratio(numerator: FloatArray, denominator: FloatArray) -> Estimate:
    """The ratio of means, paired by problem: the delta method in logarithms, with Student's t."""
    above, below = float(numerator.mean()), float(denominator.mean())
    if above == 0.0 or below == 0.0:  # has no logarithm
        return Estimate(0.0 if above == 0.0 else math.inf, 0.0)
    influence, problems = numerator / above - denominator / below, numerator.size
    error = stdtrit(problems - 1, 0.975) * influence.std(ddof=1) / np.sqrt(problems)
    return Estimate(above / below, float(error))


def mean(values: FloatArray) -> Estimate:
    """The mean over problems."""
    return ratio(values, np.ones(values.size))


def together(estimates: Sequence[Estimate]) -> Estimate:
    """The geometric mean of estimates from worlds whose problems are independent."""
    with np.errstate(divide="ignore"):
        value = float(np.exp(np.mean(np.log([each.value for each in estimates]))))
    return Estimate(value, math.hypot(*(each.error for each in estimates)) / len(estimates))


def best_of(outcome: Outcome, policies: Sequence[str]) -> str:
    """The policy with the lowest mean."""
    return min(policies, key=lambda policy: float(outcome[policy].mean()))


@dataclass(frozen=True)
class Verdict:
    """A limit in one world, or over all its worlds; without an estimate where runs are missing."""

    limit: Limit
    world: str
    against: str
    estimate: Estimate | None

    @property
    def words(self) -> str:
        """Whether the number meets the limit and the goal, and whether its interval leaves this open."""
        found, limit = self.estimate, self.limit
        if found is None:
            return "not run"
        met = "met" if found.value <= limit.at_most else "not met"
        if limit.goal is not None and found.value <= limit.goal:
            met = "met, goal too"
        return f"{met} (the interval crosses the limit)" if found.low <= limit.at_most < found.high else met


def judge(limit: Limit, outcomes: Outcomes) -> Iterator[Verdict]:
    """The verdict in each world of a limit, or the one on all of them together."""
    found = [_in_world(limit, world, outcomes.get(world, {})) for world in limit.world_names()]
    if not limit.together:
        yield from found
        return
    estimates = [each.estimate for each in found if each.estimate is not None]
    whole = together(estimates) if len(estimates) == len(found) else None
    yield Verdict(limit, f"{len(found)} worlds", ", ".join(limit.denominators), whole)


def _in_world(limit: Limit, world: str, outcome: Outcome) -> Verdict:
    if not {limit.numerator, *limit.denominators} <= set(outcome):
        return Verdict(limit, world, "", None)
    if not limit.denominators:
        return Verdict(limit, world, "", mean(outcome[limit.numerator]))
    best = best_of(outcome, limit.denominators)
    return Verdict(limit, world, best, ratio(outcome[limit.numerator], outcome[best]))


def verdicts(outcomes: Outcomes, limits: Sequence[Limit]) -> list[Verdict]:
    """All limits."""
    return [verdict for limit in limits for verdict in judge(limit, outcomes)]


def example(limits: Sequence[Limit]) -> dict[str, Any]:
    """What the analysis makes of made-up numbers, to be frozen with the rest."""
    stream = np.random.default_rng(0)
    limited = {name for limit in limits for name in (limit.numerator, *limit.denominators)}
    fixed = dict.fromkeys(name for limit in limits for name in limit.worlds)
    made = {world: {name: stream.gamma(2.0, 100.0, 20) for name in sorted(limited)} for world in fixed}
    return {
        f"{each.limit.name}, {each.world}": f"{each.estimate.value:.6g} "
        f"({each.estimate.low:.6g} to {each.estimate.high:.6g}), {each.words}"
        for each in verdicts(made, limits)
        if each.estimate is not None  # unseen worlds have none here
    }
