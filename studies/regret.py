"""What a study asks of runs: the mean regret of a policy, and intervals of means and ratios of means."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.policies.base.policy import Policy
from allotment.simulation.simulate import simulate
from allotment.worlds.world import World

DRAWS = 10_000  # samples of the bootstrap


def mean_regret(
    problem: World,
    policy: Policy,
    rounds: Sequence[int],
    *,
    replications: int,
    seed: int = 0,
    workers: int | None = None,
) -> FloatArray:
    """At each of these rounds, the last of which is the horizon."""
    result = simulate(
        problem,
        policy,
        horizon=rounds[-1],
        replications=replications,
        seed=seed,
        workers=workers,
        record=list(rounds),
        progress=False,
    )
    return result[policy.label].mean


class Interval(NamedTuple):
    """A number, or one for each column, with a confidence interval."""

    value: FloatArray
    low: FloatArray
    high: FloatArray

    def shown(self, digits: int = 2) -> str:
        """A single number for a table.

        >>> mean_interval([2.0, 2.0, 2.0]).shown()
        '2.00 (2.00 to 2.00)'
        """
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"

    def with_ends(self) -> "Interval":
        """The same to draw. Intervals from fewer than four runs may have no end; they shrink to the value."""
        has_ends = np.isfinite(self.low) & np.isfinite(self.high)
        return Interval(self.value, *(np.where(has_ends, end, self.value) for end in self[1:]))


def mean_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """The mean over runs or problems (the first axis), with its studentised bootstrap interval.

    Regret is skewed: most runs lose little, some lose a lot. Where the skewness is moderate, the bootstrap
    covers 95 % and Student's t less. Where a few runs lose many times the mean, as with Joint, both cover 91
    to 93 %: a sample without such a run cannot know of them (docs/studies/claims.md).
    """
    values = np.asarray(values, np.float64)
    return ratio_interval(values, np.ones_like(values), level)


def ratio_interval(above: ArrayLike, below: ArrayLike, level: float = 0.95) -> Interval:
    """The ratio of means over runs or problems, paired, with its studentised bootstrap interval.

    Every sample gives the error of the ratio in its own standard errors, which come from the delta method.
    The quantiles of these errors take the place of Student's t. With fewer than four runs, the interval may
    be infinite.
    """
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    runs = above.shape[0]
    ratio = above.mean(axis=0) / below.mean(axis=0)
    if runs < 2:
        return Interval(ratio, ratio * np.nan, ratio * np.nan)
    rest = above - ratio * below
    weights = np.random.default_rng(0).multinomial(runs, np.full(runs, 1.0 / runs), DRAWS) / runs
    drawn = weights @ below
    off = (weights @ rest) / drawn
    squares = weights @ rest**2 - 2.0 * off * (weights @ (rest * below)) + off**2 * (weights @ below**2)
    with np.errstate(divide="ignore"):
        errors = np.sqrt(np.maximum(squares, 0.0) / (runs - 1)) / drawn
        studentised = np.divide(off, errors, out=np.zeros_like(off), where=off != 0.0)
    tails = 0.5 + 0.5 * level, 0.5 - 0.5 * level
    # This form of quantiles takes numbers as they are: a sample of one run, repeated, is infinitely far off.
    most, least = np.quantile(studentised, tails, axis=0, method="inverted_cdf")
    error = np.sqrt((rest**2).mean(axis=0) / (runs - 1)) / below.mean(axis=0)
    with np.errstate(invalid="ignore"):
        margins = [np.where(error > 0.0, each * error, 0.0) for each in (most, least)]
    return Interval(ratio, ratio - margins[0], ratio - margins[1])


def percentile_interval(above: ArrayLike, below: ArrayLike, level: float = 0.95) -> Interval:
    """The ratio of means, paired, with plain percentiles of the bootstrap: finite, but a bit narrow."""
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    runs = above.shape[0]
    weights = np.random.default_rng(0).multinomial(runs, np.full(runs, 1.0 / runs), DRAWS)
    low, high = np.quantile(
        (weights @ above) / (weights @ below), [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=0
    )
    return Interval(above.mean(axis=0) / below.mean(axis=0), low, high)
