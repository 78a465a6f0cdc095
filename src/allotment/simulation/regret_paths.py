"""Cumulative regret of one policy, replication by replication: its mean, its interval, its quantiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import open_unit
from allotment.intervals import interval
from allotment.plots.lines import Line

ARRAYS = ("paths", "search_rounds", "found_thresholds", "unproved", "contradictions")


@dataclass(frozen=True, eq=False)
class Curve:
    """Cumulative regret over the recorded rounds, in every replication."""

    paths: FloatArray  # replications x recorded rounds
    search_rounds: IntArray | None = None  # two-phase policies: per replication
    found_thresholds: FloatArray | None = None  # replications x arms; NaN: not over, inf: cannot be covered
    unproved: IntArray | None = None  # knapsacks solved without a proof of the optimum: per replication
    contradictions: IntArray | None = None  # losses that the grant should have prevented: per replication

    @cached_property
    def mean(self) -> FloatArray:
        """The mean over replications."""
        return self.paths.mean(axis=0)

    @cached_property
    def _error(self) -> FloatArray:
        """The standard error of the mean; NaN for one replication."""
        if self.replications < 2:
            return np.full(self.paths.shape[1], np.nan)
        return self.paths.std(axis=0, ddof=1) / np.sqrt(self.replications)

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The ends of the pointwise interval of the mean (Student's t); NaN for one replication."""
        from scipy.special import stdtrit  # Student's t quantile, without the weight of scipy.stats

        margin = stdtrit(max(self.replications - 1, 1), 0.5 + open_unit("level", level) / 2.0) * self._error
        return self.mean - margin, self.mean + margin

    @cached_property
    def low(self) -> FloatArray:
        """Lower end of the pointwise 95 % interval of the mean."""
        return self.interval()[0]

    @cached_property
    def high(self) -> FloatArray:
        """Upper end of the same interval."""
        return self.interval()[1]

    @property
    def final(self) -> FloatArray:
        """Regret at the horizon, one number per replication."""
        return self.paths[:, -1]

    def quantile(self, q: float | Sequence[float]) -> FloatArray:
        """Pointwise quantiles over replications."""
        return np.quantile(self.paths, q, axis=0)

    def line(
        self,
        label: str,
        rounds: IntArray,
        mark: float | None = None,
        *,
        level: float = 0.95,
        quantiles: tuple[float, float] | None = None,
    ) -> Line:
        """What is drawn of it: the mean, and its interval as a band; or the median between two quantiles."""
        if quantiles is None:
            return Line(label, rounds, self.mean, *self.interval(level), mark)
        low, middle, high = self.quantile([quantiles[0], 0.5, quantiles[1]])
        return Line(label, rounds, middle, low, high, mark)

    def __repr__(self) -> str:
        ends = interval(float(self.low[-1]), float(self.high[-1]))
        count = f"{self.replications} replications, {self.paths.shape[1]} recorded rounds"
        return f"<Curve of {count}: {self.mean[-1]:.1f} at the end, 95 % interval {ends}>"

    @property
    def replications(self) -> int:
        """How many replications there are."""
        return self.paths.shape[0]

    def first(self, replications: int) -> "Curve":
        """The first replications only."""
        parts: list[Any] = [getattr(self, name) for name in ARRAYS]
        cut: list[Any] = [None if part is None else part[:replications] for part in parts]
        return Curve(*cut)


def joined(parts: Sequence[Curve]) -> Curve:
    """The replications of several parts of a run, one after the other."""
    whole: list[Any] = []
    for name in ARRAYS:
        arrays = [getattr(part, name) for part in parts]
        whole.append(None if any(array is None for array in arrays) else np.concatenate(arrays))
    return Curve(*whole)
