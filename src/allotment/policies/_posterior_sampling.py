"""Policies with a plain form: draw once from the exact posterior, and act on the draw.

docs/explanation/bayesian-regret.md bounds the regret of the plain form, averaged over problems from its
prior.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.errors import NotApplicableError, shown
from allotment.policies.base.policy import Setting


class PriorRound(NamedTuple):
    """A summary of the prior of one round, by arm."""

    amounts: IntArray  # the number of amounts that the arm may get, 0 included
    bounded: bool  # whether a round shows yes or no, and no count
    squares: FloatArray  # arms x amounts: E[Y²] of the losses Y at an amount; inf where finds are seen
    searched: FloatArray | None  # expected losses below the threshold; None where losses exclude nothing
    rounding: float  # rounding errors change the logarithm of an allocation's chance by at most this


def draw_rates(shape: Sequence[float], losses: str, arms: int, rng: np.random.Generator) -> FloatArray:
    """Draw loss rates from a Beta, or from a Gamma for counts."""
    first, second = shape
    return rng.gamma(first, 1.0 / second, arms) if losses == "counts" else rng.beta(first, second, arms)


def rate_moments(shape: Sequence[float], losses: str) -> tuple[float, float]:
    """The mean of a loss rate and the mean of its square, under the same prior."""
    first, second = shape
    mean = first / second if losses == "counts" else first / (first + second)
    return mean, mean * (first + 1.0) / (second if losses == "counts" else first + second + 1.0)


class PosteriorSampling(ABC):
    """A policy with a prior, and with a plain form: posterior sampling without further devices."""

    plain_switches: ClassVar[Mapping[str, Any]]

    @classmethod
    def plain(cls, **parameters: Any) -> Self:
        """Make the plain form: draw once from the exact posterior, and act on the draw.

        Parameters
        ----------
        **parameters
            Parameters of the model, such as the prior.

        Returns
        -------
        Policy
            The plain policy.
        """
        return cls(**{**cls.plain_switches, **parameters})

    def departure(self) -> str:
        """Say in which parameter the policy departs from its plain form; empty if in none."""
        for name, value in self.plain_switches.items():
            if getattr(self, name) != value:
                return f"{name} is {shown(getattr(self, name))}, not {shown(value)}"
        return ""

    def need(self, **switches: Any) -> None:
        """Raise an error unless these parameters have these values; only then can a world be drawn."""
        for name, value in switches.items():
            if getattr(self, name) != value:
                raise NotApplicableError(
                    f"{type(self).__name__} has no prior to draw a world from: {name} is "
                    f"{shown(getattr(self, name))}",
                    f"{name}={shown(value)}",
                    what=name,
                    value=getattr(self, name),
                )

    @abstractmethod
    def prior_round(self, setting: Setting) -> PriorRound:
        """Summarise the prior of one round.

        Parameters
        ----------
        setting : Setting
            The arms, the budget and everything else that is known beforehand.

        Returns
        -------
        PriorRound
            The summary.
        """

    @abstractmethod
    def draw_arms(self, arms: int, budget: float, rng: np.random.Generator) -> dict[str, Any]:
        """Draw arms from the prior.

        Parameters
        ----------
        arms : int
            The number of arms.
        budget : float
            The amount to split in each round.
        rng : numpy.random.Generator
            The random stream.

        Returns
        -------
        dict
            Keywords of `Problem`.
        """
