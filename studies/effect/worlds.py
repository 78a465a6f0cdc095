"""Hidden worlds in which the expected losses of every plan are known, also of losses up to a cap."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from allotment.arrays import FloatArray, IntArray
from studies.rehearsal import WORLDS, remaining

ARMS = 12
RATES = (0.05, 0.6)  # the smallest and the largest loss rate at first
HIGHEST_RATE = 0.95
WALK, JUMP = 0.03, 2.5  # of drifting rates: the daily step of their logarithms, and of a third of them midway
WEEKEND = 0.8  # the spread of the logarithms of factors by place and situation
LATE, DAYS_LATE = 0.3, 7  # the share of places that report late, and the most days that it takes


@dataclass(frozen=True)
class Kind:
    """A kind of campaign."""

    name: str
    drift: bool = False
    situations: bool = False
    shape: float | None = None  # nights multiply all rates by a Gamma factor of this shape and mean 1
    late: bool = False
    trust: float = 1.0  # expectations are multiplied by this before they are fixed
    rates: tuple[float, float] = RATES


KINDS = (
    Kind("steady"),
    Kind("drift", drift=True),
    Kind("situations", situations=True),
    Kind("overdispersed counts", shape=1.5),
    Kind("late reports", late=True),
    Kind("expectations halved", trust=0.5),
    Kind("expectations doubled", trust=2.0),
    Kind("few losses", rates=(0.01, 0.12)),
)


class World:
    """The loss rates of every day, and the response of every arm."""

    def __init__(self, kind: Kind, days: int, seed: int) -> None:
        luck = np.random.default_rng([seed, 10])
        self.kind = kind
        self.curves = remaining(WORLDS[seed % len(WORLDS)], ARMS, luck)
        self.situation = np.isin(np.arange(days) % 7, (5, 6)).astype(int) * kind.situations
        logs = np.log(luck.uniform(*kind.rates, ARMS)) + np.zeros((days, 1))
        if kind.drift:
            logs += np.cumsum(luck.normal(0.0, WALK, (days, ARMS)), axis=0)
            logs[days // 2 :, luck.random(ARMS) < 1.0 / 3.0] += np.log(JUMP)
        if kind.situations:
            logs += luck.normal(0.0, WEEKEND, (2, ARMS))[self.situation]
        self.rates = np.minimum(np.exp(logs), HIGHEST_RATE)

    def means(self, day: int, units: IntArray) -> FloatArray:
        """Expected losses of each arm."""
        return self.rates[day] * self.curves[np.arange(ARMS), units]

    def lost(self, day: int, units: IntArray, luck: np.random.Generator) -> FloatArray:
        """Losses of each arm."""
        means, shape = self.means(day, units), self.kind.shape
        if shape is None:
            return (luck.random(ARMS) < means).astype(float)
        return luck.poisson(means * luck.gamma(shape, 1.0 / shape)).astype(float)

    def expected(self, day: int, units: IntArray, cap: float = np.inf) -> float:
        """Expected losses of a round, of which not more than `cap` count."""
        means = self.means(day, units)
        if np.isinf(cap):
            return float(means.sum())
        chances = self._chances(means, int(cap) + 1)
        return float(chances @ np.arange(chances.size) + cap * (1.0 - chances.sum()))

    def _chances(self, means: FloatArray, count: int) -> FloatArray:
        """The chances of 0, 1, … losses, up to `count` of them."""
        shape = self.kind.shape
        if shape is None:
            chances = np.ones(1)
            for mean in means:
                chances = np.convolve(chances, (1.0 - mean, mean))
            return chances[:count]
        number, share = np.arange(count), means.sum() / (means.sum() + shape)
        logs = gammaln(number + shape) - gammaln(shape) - gammaln(number + 1.0)
        found: FloatArray = np.exp(logs + shape * np.log1p(-share) + number * np.log(share))
        return found
