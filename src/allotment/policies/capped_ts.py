"""Thompson sampling where every unit handles at most one incident."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import nonnegative, one_of
from allotment.compiling.decorators import kernel
from allotment.kernels.protocol import UNPROVED, ask, is_sound, report, tell
from allotment.oracles.protocol import unproved
from allotment.oracles.shares.oracle import share
from allotment.oracles.shares.size import sharing_bytes
from allotment.policies._whole_units import oracle_of
from allotment.policies.base.learner import Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.randomness.bits import Bits, draw_uniform, unsown_bits
from allotment.system.memory import Memory
from allotment.worlds.problem import Problem
from allotment.worlds.responses import NEGLIGIBLE, TINY
from allotment.worlds.units import full_units
from allotment.worlds.world import SEES

MEANS = 400  # nodes, 2.3 % apart
LEAST, MOST = 0.01, 100.0
SHAPE = (0.5, 0.5)  # of the prior's Gamma, as in AnyResponse for losses


@dataclass(frozen=True)
class CappedTs(Policy):
    """Thompson sampling that knows that every unit handles one incident, and learns the mean counts.

    Under n units, min(n, N) of an arm's N incidents are prevented. A round with N < n finds shows N itself;
    one with n finds shows N ≥ n only. Each round draws the mean of N at every arm from its posterior. The
    posterior has a node every 2.3 % from 0.01 to 100. Evidence in sums does not tell which rounds were
    capped, so learners cannot start from evidence.

    Parameters
    ----------
    unit : float
        The amount that handles one incident; 1/unit is a whole number.
    sees : {"losses", "finds"}
        What a round shows.
    overdispersion : float
        As in `Problem`: 0 for Poisson counts, and 1/size for negative binomial ones.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "TS told of caps"
    use = "Where every unit handles one incident, such as a crew that takes one case a day."
    worlds = "counts with the response Capped; losses or finds"

    unit: float = 0.05
    sees: str = "losses"
    overdispersion: float = 0.0

    def check(self) -> None:
        """Check the parameters."""
        self.keep("unit", 1.0 / full_units(self.unit))
        one_of("sees", self.sees, SEES)
        self.keep("overdispersion", nonnegative("overdispersion", self.overdispersion))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """Overdispersed counts."""
        return [cls(unit=0.25, overdispersion=0.5)]

    @property
    def accepts(self) -> Accepts:
        """Whatever was granted and seen, in any order; counts and bounds too."""
        return Accepts(
            any_amounts=True,
            partial_reports=True,
            any_order=True,
            counts=True,
            finds=self.sees == "finds",
            bounds=True,
        )

    def footprint(self, arms: int) -> Memory:
        """The memory that its learners take: tables by unit and node, and weights of nodes for every arm."""
        units = full_units(self.unit)
        return Memory(shared=0.0, each=8.0 * MEANS * (3 * units + arms + 6) + sharing_bytes(units, arms))

    def state(self, setting: Setting) -> "CappedState":
        """Make the state."""
        units = full_units(self.unit)
        mean = np.geomspace(LEAST, MOST, MEANS)
        at_least, below = _tails(mean, units + 1, self.overdispersion)
        log_odds, log_none = _count_logs(mean, self.overdispersion)
        log_prior = SHAPE[0] * np.log(mean) - SHAPE[1] * mean
        return CappedState(
            bits=unsown_bits(),
            oracle=oracle_of(setting, units),
            finds=self.sees == "finds",
            slack=setting.slack,
            severities=np.array(setting.severities),
            log_weights=np.tile(log_prior, (setting.arms, 1)),
            log_odds=log_odds,
            log_none=log_none,
            log_capped=_logs(at_least[:-1] if self.sees == "finds" else below[1:]),
            handled=np.ascontiguousarray(np.cumsum(at_least[: units + 1], axis=0).T - 1.0),
            values=np.zeros((setting.arms, units + 1)),
            units=np.zeros(setting.arms, np.int64),
            weights=np.zeros(MEANS),
        )


def _tails(mean: FloatArray, most: int, overdispersion: float) -> tuple[FloatArray, FloatArray]:
    """P(N ≥ n) and P(N < n) for n from 0 to `most`, by n and mean."""
    from scipy.special import betainc, gammainc, gammaincc  # imported here, since few policies need it

    n = np.arange(1.0, most + 1.0)[:, np.newaxis]
    if overdispersion * MOST < NEGLIGIBLE:
        at_least, below = gammainc(n, mean), gammaincc(n, mean)
    else:
        size, odds = 1.0 / overdispersion, overdispersion * mean
        at_least, below = betainc(n, size, odds / (1.0 + odds)), betainc(size, n, 1.0 / (1.0 + odds))
    return np.vstack([np.ones_like(mean), at_least]), np.vstack([np.zeros_like(mean), below])


def _count_logs(mean: FloatArray, overdispersion: float) -> tuple[FloatArray, FloatArray]:
    """By mean, the x and y in log P(N = k) = k·x + y, but for a factor that all means share."""
    if overdispersion * MOST < NEGLIGIBLE:
        return np.log(mean), -mean
    odds = overdispersion * mean
    return np.log(mean) - np.log1p(odds), -np.log1p(odds) / overdispersion


def _logs(chances: FloatArray) -> FloatArray:
    """Logarithms that stay finite."""
    return np.log(np.maximum(chances, TINY))


class CappedState(NamedTuple):
    """State: the weight of every mean at every arm, and tables of the law of counts."""

    bits: Bits
    oracle: Any
    finds: bool
    slack: float
    severities: FloatArray
    log_weights: FloatArray  # arms x means
    log_odds: FloatArray  # by mean
    log_none: FloatArray  # by mean
    log_capped: FloatArray  # (units + 1) x means: of a round that shows only N ≥ n, or N ≤ n for losses
    handled: FloatArray  # means x (units + 1): the expected number of incidents that the units handle
    values: FloatArray
    units: IntArray
    weights: FloatArray  # scratch, by mean


@kernel
def _draw_mean(bits: Bits, log_weights: FloatArray, weights: FloatArray) -> int:
    """The place of a mean, drawn from its posterior."""
    best, total = -math.inf, 0.0
    for j in range(log_weights.size):
        best = max(best, log_weights[j])
    for j in range(log_weights.size):
        total += math.exp(log_weights[j] - best)
        weights[j] = total
    level = draw_uniform(bits) * total
    for j in range(weights.size):
        if weights[j] > level:
            return j
    return weights.size - 1


@ask.register
def _ask(state: CappedState, rng: Any, allocation: FloatArray) -> None:
    for arm in range(allocation.size):
        drawn = _draw_mean(state.bits, state.log_weights[arm], state.weights)
        for u in range(state.values.shape[1]):
            state.values[arm, u] = state.severities[arm] * state.handled[drawn, u]
    share(state.oracle, state.values, state.units)
    for arm in range(allocation.size):
        allocation[arm] = state.units[arm] / (state.values.shape[1] - 1)


@tell.register
def _tell(state: CappedState, allocation: FloatArray, losses: FloatArray) -> None:
    full = state.values.shape[1] - 1
    for arm in range(losses.size):
        if losses[arm] != losses[arm]:
            continue
        units = min(math.floor((allocation[arm] + state.slack) * full), full)
        capped = losses[arm] >= units if state.finds else losses[arm] <= 0.0
        count = losses[arm] if state.finds else losses[arm] + units
        weights = state.log_weights[arm]
        for j in range(weights.size):
            if capped:
                weights[j] += state.log_capped[units, j]
            else:
                weights[j] += count * state.log_odds[j] + state.log_none[j]


@is_sound.register
def _is_sound(state: CappedState) -> bool:
    wrong = 0
    for arm in range(state.log_weights.shape[0]):
        best = -math.inf
        for j in range(state.log_weights.shape[1]):
            best = max(best, state.log_weights[arm, j])
        wrong += not -math.inf < best < math.inf
    return wrong == 0


@report.register
def _report(state: CappedState, counts: FloatArray, thresholds: FloatArray) -> None:
    counts[UNPROVED] = unproved(state.oracle)
