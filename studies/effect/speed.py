"""How many rounds the intervals take to exclude zero, if losses are Poisson and the effect is known."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from allotment.arrays import FloatArray
from allotment.campaign.answers.effect.confidence_sequences import (
    approximate_limits,
    exact_margin,
    tightest_at,
)
from allotment.campaign.answers.effect.effect import APPROXIMATE_FROM
from allotment.campaign.answers.effect.effect_duration import duration_of
from allotment.campaign.planning.compared_rounds import (
    ROOM,
    Contrast,
    first_limits,
    squares_that_matter,
)

ROUNDS = 3000
RISES_IN = 150  # rounds in which losses double
LEARNS_IN = 30  # rounds in which expectations become right
EXPECTATIONS = (
    "right",
    "half at first",
    "double at first",
    "always half",
    "right, losses double",
)


@dataclass(frozen=True)
class Setting:
    """What is true, and what is expected."""

    losses: float  # a round, with the comparison plan
    effect: float  # the share that plans prevent
    share: float
    expectations: str = "right"

    def means(self) -> tuple[FloatArray, FloatArray]:
        """The losses with the comparison plan, and the factor of expectations, in every round."""
        rounds = np.arange(ROUNDS)
        learnt = np.minimum(rounds / LEARNS_IN, 1.0)
        factors = {
            "half at first": 0.5 + 0.5 * learnt,
            "double at first": 2.0 - learnt,
            "always half": np.full(ROUNDS, 0.5),
        }
        rising = 1.0 + np.minimum(rounds / RISES_IN, 1.0) * (self.expectations == "right, losses double")
        return self.losses * rising, factors.get(self.expectations, np.ones(ROUNDS))


@dataclass(frozen=True)
class Speed:
    """The median round at which zero is excluded, infinite if it is not, and the share of capped rounds."""

    rounds: float
    capped: float


@dataclass(frozen=True)
class Promise:
    """What `effect --plan` says, and what happened in simulations."""

    rounds: int  # that `effect --plan` says
    chance: float  # that the approximate interval excludes zero by then
    exact: float  # rounds until the exact interval excludes zero, in 80 % of runs


def played(
    setting: Setting, runs: int, seed: int, limits: tuple[float, float]
) -> Iterator[tuple[Contrast, FloatArray]]:
    """The runs of a setting, and their losses."""
    stream = np.random.default_rng([seed, 14])
    comparison, factor = setting.means()
    plan = comparison * (1.0 - setting.effect)
    shares = np.full(ROUNDS, setting.share)
    for _ in range(runs):
        drawn = stream.random(ROUNDS) < setting.share
        losses = stream.poisson(np.where(drawn, comparison, plan)).astype(float)
        yield Contrast.of(drawn, shares, plan * factor, comparison * factor, limits), losses


def first_above(sums: FloatArray, margins: FloatArray) -> float:
    """The first round after which a sum is above its margin; infinite if there is none."""
    shown = np.flatnonzero(sums > margins)
    return shown[0] + 1.0 if shown.size else np.inf


def speed(setting: Setting, runs: int, seed: int, room: float = ROOM) -> Speed:
    """Play many runs of a setting."""
    comparison, factor = setting.means()
    limits = first_limits(float(comparison[0] * factor[0]), setting.share, room)
    found, capped = [], []
    for contrast, losses in played(setting, runs, seed, limits):
        terms = contrast.terms(losses)
        margins = exact_margin(np.cumsum((terms - contrast.centres) ** 2), limits[0])
        found.append(first_above(np.cumsum(terms), margins))
        capped.append((losses > contrast.caps).mean())
    return Speed(float(np.median(found)), float(np.mean(capped)))


def promise(setting: Setting, runs: int, seed: int) -> Promise:
    """Compare what `effect --plan` says with many runs of a setting, with right expectations."""
    asked = (setting.share, setting.effect)
    courses = duration_of(*asked, setting.losses).courses
    rounds = next(each.rounds for each in courses if each[:2] == asked)
    limits = first_limits(setting.losses, setting.share)
    plan = setting.losses * (1.0 - setting.effect)
    eta = tightest_at(squares_that_matter(plan, setting.losses, setting.share))
    shown, exact = [], []
    for contrast, losses in played(setting, runs, seed, limits):
        terms = contrast.terms(losses)
        low = approximate_limits(terms, contrast.centres, eta)[0][:rounds]
        shown.append(((low > 0.0) & (np.cumsum(contrast.drawn[:rounds]) >= APPROXIMATE_FROM)).any())
        margins = exact_margin(np.cumsum((terms - contrast.centres) ** 2), limits[0])
        exact.append(first_above(np.cumsum(terms), margins))
    return Promise(rounds, float(np.mean(shown)), float(np.quantile(exact, 0.8, method="higher")))
