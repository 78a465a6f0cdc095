"""Multiple-play bandits and combinatorial semi-bandits, without budgets.

In each round, a learner plays a set of arms, the superarm. It sees and suffers the loss of each arm in the
set.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from allotment.arrays import ArrayLike, BoolArray, FloatArray
from allotment.checks import nonnegative, vector, whole
from allotment.errors import InputError, shown
from allotment.oracles.knapsack.solve import knapsack
from allotment.randomness.streams import environment_stream
from allotment.tolerance import fits, slack_of


class BanditLearner(Protocol):
    """A learner that plays superarms."""

    def play(self) -> BoolArray:
        """Choose the arms to play in this round."""

    def see(self, losses: FloatArray) -> None:
        """Learn the losses of the arms just played.

        Parameters
        ----------
        losses : FloatArray
            The loss of each arm; 0 for arms that were not played.
        """


class Bandit(Protocol):
    """A bandit instance: loss rates, and the superarms that are allowed."""

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
    """A multiple-play bandit (μ, m): every round plays m arms (Anantharam, Varaiya and Walrand, 1987).

    Parameters
    ----------
    loss_rates : array_like
        μ, the mean loss of each arm, from 0 to 1.
    plays : int
        m, the number of arms played in each round.
    """

    loss_rates: FloatArray
    plays: int

    def __post_init__(self) -> None:
        _keep(self, "loss_rates", _rates(self.loss_rates))
        if whole("plays", self.plays, least=0) > self.loss_rates.size:
            raise InputError.of("plays", self.plays, f"at most {self.loss_rates.size}, all arms")

    @cached_property
    def best(self) -> BoolArray:
        """The m arms with the smallest mean losses."""
        played = np.zeros(self.loss_rates.size, np.bool_)
        played[np.argsort(self.loss_rates, kind="stable")[: self.plays]] = True
        return played

    def check(self, played: BoolArray) -> None:
        """Raise an error unless m arms are played.

        Parameters
        ----------
        played : BoolArray
            The arms that are played.

        Raises
        ------
        InputError
            If it is another number of arms.
        """
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
    """The superarms whose complement fits a knapsack.

    Parameters
    ----------
    weights : array_like
        The weight of each arm, above 0.
    capacity : float
        The largest total weight of the arms that are not played.
    """

    weights: FloatArray
    capacity: float

    def __post_init__(self) -> None:
        _keep(self, "weights", vector("weights", self.weights, "above 0", above=0.0))
        _keep(self, "capacity", nonnegative("capacity", self.capacity))

    def allows(self, played: BoolArray) -> bool:
        """Whether the arms that are not played fit the knapsack.

        Parameters
        ----------
        played : BoolArray
            The arms that are played.

        Returns
        -------
        bool
            Whether the superarm is in the family.
        """
        return bool(fits(self.weights[~played].sum(), self.capacity, slack_of(self.capacity)))

    def best(self, loss_rates: FloatArray) -> BoolArray:
        """Find the superarm with the smallest mean loss.

        Parameters
        ----------
        loss_rates : FloatArray
            The mean loss of each arm.

        Returns
        -------
        BoolArray
            The arms to play.
        """
        return ~knapsack(loss_rates, self.weights, self.capacity).chosen


@dataclass(frozen=True)
class ListedFamily:
    """Superarms listed one by one.

    Parameters
    ----------
    superarms : tuple of BoolArray
        The superarms.
    """

    superarms: tuple[BoolArray, ...]

    def allows(self, played: BoolArray) -> bool:
        """Whether the superarm is listed.

        Parameters
        ----------
        played : BoolArray
            The arms that are played.

        Returns
        -------
        bool
            Whether the superarm is in the family.
        """
        return any(np.array_equal(played, each) for each in self.superarms)

    def best(self, loss_rates: FloatArray) -> BoolArray:
        """Find the superarm with the smallest mean loss.

        Parameters
        ----------
        loss_rates : FloatArray
            The mean loss of each arm.

        Returns
        -------
        BoolArray
            The arms to play.
        """
        return min(self.superarms, key=lambda each: float(loss_rates[each].sum()))


@dataclass(frozen=True, eq=False)
class CombinatorialBandit:
    """A combinatorial semi-bandit (μ, I): every round plays a superarm of I (Chen, Wang and Yuan, 2013).

    Parameters
    ----------
    loss_rates : array_like
        μ, the mean loss of each arm, from 0 to 1.
    family : KnapsackFamily or ListedFamily
        I, the superarms that are allowed.
    """

    loss_rates: FloatArray
    family: KnapsackFamily | ListedFamily

    def __post_init__(self) -> None:
        _keep(self, "loss_rates", _rates(self.loss_rates))

    @cached_property
    def best(self) -> BoolArray:
        """A superarm of smallest mean loss."""
        return self.family.best(self.loss_rates)

    def check(self, played: BoolArray) -> None:
        """Raise an error unless the superarm is in the family.

        Parameters
        ----------
        played : BoolArray
            The arms that are played.

        Raises
        ------
        InputError
            If the family does not have this superarm.
        """
        if not self.family.allows(played):
            raise InputError(f"arms {shown(np.flatnonzero(played))} are no superarm of this bandit's family")


def draw_losses(loss_rates: ArrayLike, rounds: int, *, seed: int, replication: int = 0) -> FloatArray:
    """Draw the loss of every arm in every round, as `simulate` does with the same seed.

    Parameters
    ----------
    loss_rates : array_like
        The mean loss of each arm.
    rounds : int
        The number of rounds.
    seed : int
        The seed.
    replication : int
        The replication, counted from 0.

    Returns
    -------
    FloatArray
        Rounds x arms: 1 for a loss, 0 otherwise.
    """
    rates = _rates(loss_rates)
    stream = environment_stream(seed, replication)
    return (stream.random((whole("rounds", rounds, least=1), rates.size)) < rates).astype(np.float64)


def play_bandit(bandit: Bandit, learner: BanditLearner, losses: FloatArray) -> FloatArray:
    """Play a bandit, and compute the learner's cumulative regret in means.

    Parameters
    ----------
    bandit : MultiplePlayBandit or CombinatorialBandit
        The bandit.
    learner : BanditLearner
        The learner.
    losses : FloatArray
        Rounds x arms: the losses, from `draw_losses`.

    Returns
    -------
    FloatArray
        The cumulative regret after each round.

    Raises
    ------
    InputError
        If the learner plays a superarm that is not allowed.
    """
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
