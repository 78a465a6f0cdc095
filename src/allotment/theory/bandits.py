"""Multiple-play bandits and combinatorial semi-bandits, on their own: nothing here knows of budgets.

In each round a learner plays a set of arms, the superarm, and sees and suffers the loss of each arm in it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from allotment.arrays import ArrayLike, BoolArray, FloatArray
from allotment.checks import nonnegative, vector, whole
from allotment.errors import InputError, shown
from allotment.oracles.knapsack.solve import knapsack
from allotment.streams import environment_stream
from allotment.tolerance import fits, slack_of


class BanditLearner(Protocol):
    """A learner that plays superarms."""

    def play(self) -> BoolArray:
        """Say which arms are played this round."""

    def see(self, losses: FloatArray) -> None:
        """Take in the losses of the arms just played; 0 for the others."""


class Bandit(Protocol):
    """An instance: loss rates, and which superarms are allowed."""

    @property
    def loss_rates(self) -> FloatArray:
        """The mean loss of each arm."""

    @property
    def best(self) -> BoolArray:
        """A superarm of smallest mean loss."""

    def check(self, played: BoolArray) -> None:
        """Raise an InputError for a superarm that is not allowed."""


@dataclass(frozen=True, eq=False)
class MultiplePlayBandit:
    """(μ, m): exactly m arms are played in every round (Anantharam, Varaiya and Walrand, 1987)."""

    loss_rates: FloatArray
    plays: int

    def __post_init__(self) -> None:
        _keep(self, "loss_rates", _rates(self.loss_rates))
        if whole("plays", self.plays, least=0) > self.loss_rates.size:
            raise InputError.of("plays", self.plays, f"at most {self.loss_rates.size}, all arms")

    @cached_property
    def best(self) -> BoolArray:
        """The m arms that lose least."""
        played = np.zeros(self.loss_rates.size, np.bool_)
        played[np.argsort(self.loss_rates, kind="stable")[: self.plays]] = True
        return played

    def check(self, played: BoolArray) -> None:
        """Raise an InputError unless m arms are played."""
        count = int(played.sum())
        if count != self.plays:
            raise InputError(
                f"{count} arms are played",
                f"{self.plays}: a policy that leaves another number of arms uncovered has no multiple-play "
                f"counterpart",
                what="played",
                value=count,
            )


@dataclass(frozen=True)
class KnapsackFamily:
    """The superarms that spare arms of limited weight: the arms that are not played fit a knapsack."""

    weights: FloatArray
    capacity: float

    def __post_init__(self) -> None:
        _keep(self, "weights", vector("weights", self.weights, "above 0", above=0.0))
        _keep(self, "capacity", nonnegative("capacity", self.capacity))

    def allows(self, played: BoolArray) -> bool:
        """Whether the arms that are not played fit."""
        return bool(fits(self.weights[~played].sum(), self.capacity, slack_of(self.capacity)))

    def best(self, loss_rates: FloatArray) -> BoolArray:
        """The superarm of smallest mean loss."""
        return ~knapsack(loss_rates, self.weights, self.capacity).chosen


@dataclass(frozen=True)
class ListedFamily:
    """Superarms listed one by one."""

    superarms: tuple[BoolArray, ...]

    def allows(self, played: BoolArray) -> bool:
        """Whether the superarm is listed."""
        return any(np.array_equal(played, each) for each in self.superarms)

    def best(self, loss_rates: FloatArray) -> BoolArray:
        """The superarm of smallest mean loss."""
        return min(self.superarms, key=lambda each: float(loss_rates[each].sum()))


@dataclass(frozen=True, eq=False)
class CombinatorialBandit:
    """(μ, I): a superarm of the family I is played in every round (Chen, Wang and Yuan, 2013)."""

    loss_rates: FloatArray
    family: KnapsackFamily | ListedFamily

    def __post_init__(self) -> None:
        _keep(self, "loss_rates", _rates(self.loss_rates))

    @cached_property
    def best(self) -> BoolArray:
        """A superarm of smallest mean loss."""
        return self.family.best(self.loss_rates)

    def check(self, played: BoolArray) -> None:
        """Raise an InputError unless the superarm is in the family."""
        if not self.family.allows(played):
            raise InputError(f"arms {shown(np.flatnonzero(played))} are no superarm of this bandit's family")


def draw_losses(loss_rates: ArrayLike, rounds: int, *, seed: int, replication: int = 0) -> FloatArray:
    """Every arm's loss in every round, seen or not: those that `simulate` draws with the same seed."""
    rates = _rates(loss_rates)
    stream = environment_stream(seed, replication)
    return (stream.random((whole("rounds", rounds, least=1), rates.size)) < rates).astype(np.float64)


def play_bandit(bandit: Bandit, learner: BanditLearner, losses: FloatArray) -> FloatArray:
    """Cumulative regret, in means, of a learner on a bandit; `losses` holds a row for each round."""
    best = _mean_loss(bandit.loss_rates, bandit.best)
    regret = np.zeros(len(losses))
    for t, row in enumerate(losses):
        played = learner.play()
        bandit.check(played)
        learner.see(np.where(played, row, 0.0))
        regret[t] = _mean_loss(bandit.loss_rates, played) - best
    return np.cumsum(regret)


def _mean_loss(loss_rates: FloatArray, played: BoolArray) -> float:
    total = 0.0  # in the order of the arms, so that equal sets give equal sums
    for rate in loss_rates[played].tolist():
        total += rate
    return total


def _rates(loss_rates: ArrayLike) -> FloatArray:
    return vector("loss_rates", loss_rates, "between 0 and 1", least=0.0, most=1.0)


def _keep(instance: Any, name: str, value: object) -> None:
    object.__setattr__(instance, name, value)
