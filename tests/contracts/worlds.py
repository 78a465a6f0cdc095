"""Worlds that each break the contract in one way, beside one that keeps it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from allotment import Optimum, World, observe, situation_of

KEEPS, DICE, REMEMBERS, LUCKY, FRACTIONS, SKEWED, MEDDLES = range(7)


class Coins(NamedTuple):
    """Environment of the specimens: two arms, of which one can be covered."""

    kind: int
    memory: np.ndarray


@observe.register
def _observe(environment: Coins, uniforms, allocation, losses):
    loss, kind = 0.0, environment.kind
    for i in range(2):
        rate = 0.4 if i == 0 else 0.2
        if allocation[i] >= 0.5:
            rate = 0.0
        luck = np.random.random() if kind == DICE else uniforms[i]  # noqa: NPY002
        if kind == REMEMBERS and environment.memory[0] > 50.0:
            luck = 1.0 - luck
        losses[i] = 1.0 if luck < rate else 0.0
        if kind == LUCKY:
            rate = losses[i]
        if kind == FRACTIONS:
            losses[i] *= 0.5
        if kind == SKEWED:
            losses[i] = 1.0 if luck < 0.5 * rate else 0.0
        loss += rate
    environment.memory[0] += allocation[0]
    if kind == MEDDLES:
        allocation[0] = 0.0
    return loss - 0.2


@dataclass(frozen=True)
class CoinWorld(World):
    """A world of the kind that its number says; the first keeps the contract."""

    kind: int = KEEPS
    budget: float = 0.5

    arms = 2

    @property
    def best(self):
        return Optimum(np.array([0.5, 0.0]), 0.2)

    def environment(self):
        return Coins(self.kind, np.zeros(1))


@dataclass(frozen=True)
class Weighted(World):
    """Its severities are a field, and it does not say what is best."""

    severities: tuple[float, ...]
    arms: int = 2
    budget: float = 0.5

    def environment(self):
        return Coins(KEEPS, np.zeros(1))


class Spendthrift(CoinWorld):
    """Its best costs more than there is."""

    def best_in(self, t):
        return Optimum(np.array([0.5, 0.5]), 0.0)


class Modest(CoinWorld):
    """Its best is not the best."""

    def best_in(self, t):
        return Optimum(np.array([0.0, 0.5]), 0.4)


class Misjudged(CoinWorld):
    """Its best loses other than it says, so that covering the first arm seems too good."""

    budget = 0.6

    def environment(self):
        return Misjudging()


class Misjudging(NamedTuple):
    unused: int = 0


@observe.register
def _misjudge(environment: Misjudging, uniforms, allocation, losses):
    losses[:] = 0.0
    return -0.1 if allocation[0] == 0.0 else 0.0


TRUTHFUL, CONTRARY, RESTLESS = range(3)


class Tides(NamedTuple):
    """Environment of worlds with situations: high tide in every third round."""

    kind: int
    rounds: np.ndarray


@situation_of.register
def _situation_of(environment: Tides):
    if environment.kind == RESTLESS and environment.rounds[0] % 3 == 0:
        environment.rounds[0] += 3
    high = environment.rounds[0] % 3 == 2
    return 1 if high != (environment.kind == CONTRARY) else 0


@observe.register
def _observe_tides(environment: Tides, uniforms, allocation, losses):
    high = environment.rounds[0] % 3 == 2
    weary = 0.1 if environment.rounds[0] > 100 and environment.kind == RESTLESS else 0.0
    environment.rounds[0] += 1
    loss = 0.0
    for i in range(2):
        rate = 0.4 if (i == 0) == high else 0.2
        if allocation[i] >= 0.5 + weary:
            rate = 0.0
        losses[i] = 1.0 if uniforms[i] < rate else 0.0
        loss += rate
    return loss - 0.2


@dataclass(frozen=True)
class TideWorld(World):
    """A world with two situations, as told by the environment of the kind that its number says."""

    kind: int = TRUTHFUL
    budget: float = 0.5

    arms = 2
    situations = 2

    def situation_in(self, t):
        return int(t % 3 == 0)

    def best_of(self, situation):
        return Optimum(np.array([0.5, 0.0] if situation == 1 else [0.0, 0.5]), 0.2)

    def environment(self):
        return Tides(self.kind, np.zeros(1, np.int64))


class Ebbing(TideWorld):
    """What it calls best at high tide is not."""

    def best_of(self, situation):
        return Optimum(np.array([0.0, 0.5]), 0.2)


class Nameless(TideWorld):
    """Has fewer situations than it is in."""

    situations = 1


class Silent(NamedTuple):
    unused: int = 0


class Kernelless(CoinWorld):
    """No kernel is registered for its environment."""

    def environment(self):
        return Silent()


class Worn(CoinWorld):
    """All replications wear the same environment down."""

    def environment(self):
        return Wear(WORN)


WORN = np.zeros(1)


class Wear(NamedTuple):
    rounds: np.ndarray


@observe.register
def _wear(environment: Wear, uniforms, allocation, losses):
    environment.rounds[0] += 1.0
    for i in range(2):
        losses[i] = 1.0 if uniforms[i] < 0.2 + 0.0001 * environment.rounds[0] else 0.0
    return 0.0


class Stubborn(CoinWorld):
    """Cannot be written down."""

    def to_dict(self):
        return {"kind": self}


class Unlike(CoinWorld):
    """Comes back as another."""

    def to_dict(self):
        return {"kind": self.kind, "budget": 2.0 * self.budget}


class Timeless(CoinWorld):
    """Says that it changes before it begins."""

    @property
    def changes(self):
        return (1,)


class Doors(NamedTuple):
    """Environment of steps."""

    loss_rates: np.ndarray
    thresholds: np.ndarray
    best_loss: float


@observe.register
def _observe_doors(doors: Doors, uniforms, allocation, losses):
    loss = 0.0
    for i in range(allocation.size):
        rate = doors.loss_rates[i] if allocation[i] < doors.thresholds[i] - 1e-12 else 0.0
        losses[i] = 1.0 if uniforms[i] < rate else 0.0
        loss += rate
    return loss - doors.best_loss


@dataclass(frozen=True)
class DoorWorld(World):
    """Eight steps. Doors 0, 3, 5 and 6 are best and need the whole budget; doors 1, 5 and 7 are second."""

    covered: tuple[int, ...] = (0, 3, 5, 6)

    arms, budget = 8, 1.0
    loss_rates = np.array([0.31, 0.36, 0.25, 0.3, 0.1, 0.35, 0.2, 0.4])
    thresholds = np.array([0.253, 0.351, 0.322, 0.271, 0.4, 0.287, 0.189, 0.327])

    @property
    def best(self):
        given = np.isin(np.arange(8), self.covered)
        return Optimum(np.where(given, self.thresholds, 0.0), float(self.loss_rates[~given].sum()))

    def environment(self):
        return Doors(self.loss_rates, self.thresholds, self.best.loss)
