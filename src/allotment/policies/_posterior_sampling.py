"""What policies share that can be plain: draw once from the exact posterior, and act on the draw.

docs/bayesian-regret.md bounds the regret of the plain rule, averaged over worlds drawn from its prior.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.errors import NotApplicableError, shown
from allotment.policy import Setting


class PriorRound(NamedTuple):
    """What the prior says about a round, by arm."""

    amounts: IntArray  # the number of amounts that the arm may get, 0 included
    bounded: bool  # whether a round shows yes or no, and no count
    squares: FloatArray  # arms x amounts: E[Y²] of the losses Y at an amount; inf where finds are seen
    searched: (
        FloatArray | None
    )  # losses to expect at amounts below the threshold; None where losses prove none
    rounding: float  # rounding errors change the logarithm of an allocation's chance by at most this


def draw_rates(shape: Sequence[float], losses: str, arms: int, rng: np.random.Generator) -> FloatArray:
    """Loss rates of arms, from a Beta, or from a Gamma for counts."""
    first, second = shape
    return rng.gamma(first, 1.0 / second, arms) if losses == "counts" else rng.beta(first, second, arms)


def rate_moments(shape: Sequence[float], losses: str) -> tuple[float, float]:
    """The means of a loss rate and of its square, under the same prior."""
    first, second = shape
    mean = first / second if losses == "counts" else first / (first + second)
    return mean, mean * (first + 1.0) / (second if losses == "counts" else first + second + 1.0)


class PosteriorSampling(ABC):
    """A policy that has a prior, and switches with which it is plain posterior sampling."""

    plain_switches: ClassVar[Mapping[str, Any]]

    @classmethod
    def plain(cls, **parameters: Any) -> Self:
        """Plain posterior sampling; the parameters say what is believed beforehand."""
        return cls(**{**cls.plain_switches, **parameters})

    def departure(self) -> str:
        """The first switch with which it is not plain posterior sampling; empty if it is."""
        for name, value in self.plain_switches.items():
            if getattr(self, name) != value:
                return f"{name} is {shown(getattr(self, name))}, not {shown(value)}"
        return ""

    def need(self, **switches: Any) -> None:
        """Raise an error unless these parameters have these values: no world can be drawn with others."""
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
        """What the prior says about a round."""

    @abstractmethod
    def draw_arms(self, arms: int, budget: float, rng: np.random.Generator) -> dict[str, Any]:
        """Arms drawn from the prior, as keywords of `Problem`."""
