"""Expected losses of a round, their variance and their cost, by place and amount."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.history.plan_payload import Tables, weights_differ
from allotment.campaign.settings.settings import Settings

DIGITS = 6  # significant ones, of stored tables


class Expected(NamedTuple):
    """What is expected of one round: the number of losses, and their cost, which severity weights."""

    losses: float
    cost: float


@dataclass(frozen=True, eq=False)
class Expectations:
    """Expected losses and their predictive variance, by arm and amount in units; what one loss costs."""

    losses: FloatArray  # arms x amounts
    variances: FloatArray  # of the number of losses that a round will show
    severities: FloatArray  # by arm
    find_variances: FloatArray | None = None  # of the number of finds, where these are reported

    @property
    def costs(self) -> FloatArray:
        """Expected costs, by arm and amount."""
        return np.ascontiguousarray(self.losses * self.severities[:, None])

    def of(self, units: IntArray) -> Expected:
        """What is expected of a plan."""
        losses = self.losses[np.arange(units.size), units]
        return Expected(float(losses.sum()), float((losses * self.severities).sum()))


@dataclass(frozen=True)
class StoredExpectations:
    """The same as it is stored with a plan, for every amount up to the most of each arm."""

    losses: tuple[tuple[float, ...], ...]
    variances: tuple[tuple[float, ...], ...]
    severities: tuple[float, ...]

    @classmethod
    def of(cls, tables: Tables) -> "StoredExpectations":
        """What a plan holds. Of yes or no losses, the means say how they vary."""
        losses, variances, severities = tables.losses, tables.variances, tables.severities
        if variances is None:
            variances = [[p * (1.0 - p) for p in row] for row in losses]
        return cls(tuple(map(tuple, losses)), tuple(map(tuple, variances)), tuple(severities))


def to_payload(found: Expectations, tops: Sequence[int], *, counts: bool) -> dict[str, Any]:
    """Tables as they are stored: an arm a row, up to its largest amount, in few digits.

    Costs are losses times severities, and the variance of yes or no losses is p·(1 - p): neither is stored.
    """
    tables = {"losses": found.losses, **({"variances": found.variances} if counts else {})}
    if counts and found.find_variances is not None:
        tables["find_variances"] = found.find_variances
    stored: dict[str, Any] = {"severities": found.severities.tolist(), "variances": None}
    for name, table in tables.items():
        stored[name] = [few_digits(row[: top + 1].tolist()) for row, top in zip(table, tops, strict=True)]
    return stored


def few_digits(values: Iterable[float]) -> list[float]:
    """Numbers as they are stored."""
    return [float(f"{value:.{DIGITS}g}") for value in values]


def is_weighted(settings: Settings) -> bool:
    """Whether losses and cost are two things: the severity of some active arm is not 1."""
    return weights_differ(settings.arms[arm].severity for arm in settings.active)
