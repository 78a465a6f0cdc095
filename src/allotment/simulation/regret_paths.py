"""Cumulative regret of one policy in every replication, with its mean, intervals and quantiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import open_unit
from allotment.markup import interval
from allotment.plots.lines import Line

ARRAYS = ("paths", "search_rounds", "found_thresholds", "unproved", "contradictions")


@dataclass(frozen=True, eq=False)
class Curve:
    """The cumulative regret of a policy at the recorded rounds, in every replication.

    Intervals of the mean are Student's t. Regret is skewed: most runs lose little, and a few lose much. So an
    interval may hold the mean less often than its level says. On Instance 2 of the paper, the 95 % interval
    of Joint's regret holds it in 91 % of samples of 20 runs, and in 92 % of samples of 50
    (docs/studies/claims.md).

    Attributes
    ----------
    paths : FloatArray
        Replications x recorded rounds.
    search_rounds : IntArray or None
        The length of the threshold search in each replication, for two-phase policies.
    found_thresholds : FloatArray or None
        Replications x arms: the thresholds found. NaN: the search is not over; inf: nothing covers the arm.
    unproved : IntArray or None
        The knapsacks solved without a proof of the optimum, in each replication.
    contradictions : IntArray or None
        The losses at grants that should have prevented them, in each replication.
    mean, low, high : FloatArray
        The mean over replications, and its pointwise 95 % confidence interval.
    final : FloatArray
        The regret at the horizon, in each replication.
    """

    paths: FloatArray
    search_rounds: IntArray | None = None
    found_thresholds: FloatArray | None = None
    unproved: IntArray | None = None
    contradictions: IntArray | None = None

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
        """Compute the pointwise confidence interval of the mean, by Student's t.

        With few runs of skewed regret, it holds the mean less often than its level says; see the notes of the
        class.

        Parameters
        ----------
        level : float
            The confidence level.

        Returns
        -------
        low, high : FloatArray
            The ends of the interval at each recorded round. NaN if there is only one replication.
        """
        from scipy.special import stdtrit  # Student's t quantile, without the weight of scipy.stats

        margin = stdtrit(max(self.replications - 1, 1), 0.5 + open_unit("level", level) / 2.0) * self._error
        return self.mean - margin, self.mean + margin

    @cached_property
    def low(self) -> FloatArray:
        """Lower end of the pointwise 95 % interval of the mean, by Student's t.

        For Joint's skewed regret, 91 to 93 % of such intervals of 20 or 50 runs hold the mean: see "How often
        intervals hold the mean" in docs/studies/claims.md.
        """
        return self.interval()[0]

    @cached_property
    def high(self) -> FloatArray:
        """Upper end of the pointwise 95 % interval of the mean, by Student's t, like `low`."""
        return self.interval()[1]

    @property
    def final(self) -> FloatArray:
        """Regret at the horizon, one number per replication."""
        return self.paths[:, -1]

    def quantile(self, q: float | Sequence[float]) -> FloatArray:
        """Compute pointwise quantiles over replications.

        Parameters
        ----------
        q : float or sequence of float
            The quantiles, from 0 to 1.

        Returns
        -------
        FloatArray
            The quantiles at each recorded round.
        """
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
        """Make the data of a line in a figure: the mean and its interval, or the median and quantiles.

        Parameters
        ----------
        label : str
            The name of the line.
        rounds : IntArray
            The recorded rounds.
        mark : float, optional
            A round to mark on the line.
        level : float
            The confidence level.
        quantiles : (float, float), optional
            Show the median and the band between these quantiles instead.

        Returns
        -------
        Line
            The data.
        """
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
        """The number of replications."""
        return self.paths.shape[0]

    def first(self, replications: int) -> "Curve":
        """Keep the first replications only.

        Parameters
        ----------
        replications : int
            The number to keep.

        Returns
        -------
        Curve
            The regret in these replications.
        """
        parts: list[Any] = [getattr(self, name) for name in ARRAYS]
        cut: list[Any] = [None if part is None else part[:replications] for part in parts]
        return Curve(*cut)


def joined(parts: Sequence[Curve]) -> Curve:
    """Join the replications of several parts of a run."""
    whole: list[Any] = []
    for name in ARRAYS:
        arrays = [getattr(part, name) for part in parts]
        whole.append(None if any(array is None for array in arrays) else np.concatenate(arrays))
    return Curve(*whole)
