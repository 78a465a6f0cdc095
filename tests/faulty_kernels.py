"""Policies from outside the package whose kernels fail as people met it; one does what kernels may do."""

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np

from allotment import Policy, ask, tell


class Outside(Policy):
    """Gives every class of state the same fields."""

    kind: type

    def state(self, setting):
        return self.kind(setting.budget, np.zeros(setting.arms))


class Sorted(NamedTuple):
    budget: float
    losses: np.ndarray


@ask.register
def _ask_sorted(state: Sorted, rng, allocation):
    shares = np.zeros(allocation.size)
    left = state.budget
    for i in np.argsort(-state.losses):
        shares[i] = min(0.5, left)
        left -= shares[i]
    allocation[:] = shares


@tell.register
def _tell_sorted(state: Sorted, allocation, losses):
    state.losses[:] = state.losses + losses


@dataclass(frozen=True)
class CreatesArrays(Outside):
    kind = Sorted


class Misspelt(NamedTuple):
    budget: float
    losses: np.ndarray


@ask.register
def _ask_misspelt(state: Misspelt, rng, allocation):
    allocation[:] = min(1.0, state.buget / allocation.size)


@tell.register
def _tell_misspelt(state: Misspelt, allocation, losses):
    pass


@dataclass(frozen=True)
class Typo(Outside):
    kind = Misspelt


class Keywords(NamedTuple):
    budget: float
    losses: np.ndarray


@ask.register
def _ask_keywords(state: Keywords, rng, allocation):
    allocation[:] = 0.0
    allocation[np.argsort(state.losses, axis=0)[0]] = min(1.0, state.budget)


@tell.register
def _tell_keywords(state: Keywords, allocation, losses):
    pass


@dataclass(frozen=True)
class Unsupported(Outside):
    kind = Keywords


class TooLong(NamedTuple):
    budget: float
    losses: np.ndarray


@ask.register
def _ask_too_long(state: TooLong, rng, allocation):
    for i in range(allocation.size + 1):
        allocation[i] = min(1.0, state.budget / allocation.size)


@tell.register
def _tell_too_long(state: TooLong, allocation, losses):
    pass


@dataclass(frozen=True)
class PastTheEnd(Outside):
    kind = TooLong


class Helped(NamedTuple):
    budget: float
    losses: np.ndarray


@numba.njit
def fill(amounts, amount):
    for i in range(amounts.size + 1):
        amounts[i] = amount


@ask.register
def _ask_helped(state: Helped, rng, allocation):
    fill(allocation, 0.0)


@tell.register
def _tell_helped(state: Helped, allocation, losses):
    pass


@dataclass(frozen=True)
class HelperPastTheEnd(Outside):
    kind = Helped
