"""The exact joint posterior of one arm's threshold and loss rate.

Let the threshold be one of g_1 < … < g_G, or infinite ("cannot be covered"), with any prior, and the loss
rate μ have a Beta(α, β) prior. Of all the rounds seen, those at amounts below g_j tell of μ if the threshold
is g_j: say S(j) losses and n(j) quiet rounds; the others were covered. Then, exactly,

    P(θ = g_j | data) ∝ prior_j · B(α + S(j), β + n(j)) · ρ^L(j) · (1 - ρ)^Q(j)
    μ | θ = g_j, data ~ Beta(α + S(j), β + n(j))

with L(j) losses and Q(j) quiet rounds at amounts of at least g_j. ρ, the leak chance, is the chance that a
covered arm loses; in the paper's model it is 0, and a loss rules out every candidate that it happened at.

Where incidents are counted instead, their rate has a Gamma(a, b) prior and cover leaves a share ρ of it, the
leak. With N(j) rounds below g_j, M(j) at or above it, and S incidents in all,

    P(θ = g_j | data) ∝ prior_j · ρ^L(j) · (b + N(j) + ρ·M(j))^-(a + S)
    λ | θ = g_j, data ~ Gamma(a + S, rate b + N(j) + ρ·M(j))

The evidence is thus a table of rounds and losses by amount. The order in which it came in does not matter.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import number, one_of, open_unit, positive, vector, whole, whole_numbers
from allotment.errors import ConflictError, InputError
from allotment.evidence import Evidence
from allotment.markup import html_block, html_table
from allotment.plots.figures import WIDTH, small_picture
from allotment.plots.spread import Chances, draw_chances
from allotment.policies.joint.parameters import checked_leaks, grid
from allotment.policies.joint.tuning import SHAPE, UNCOVERABLE
from allotment.special import log_beta
from allotment.tolerance import RELATIVE
from allotment.worlds.world import KINDS


@dataclass(frozen=True, eq=False)
class Posterior:
    """The exact posterior of one arm's threshold and loss rate. `after` and `given` add evidence.

    Make it with `Posterior.over` or `Posterior.on_grid`.

    Attributes
    ----------
    candidates : FloatArray
        The possible thresholds, increasing. The last one is inf: no amount covers the arm.
    prior : FloatArray
        Their prior probabilities.
    rounds, losses : FloatArray
        The evidence, by the number of candidates that the grant covers.
    counts : bool
        Whether losses are counts.
    shape : (float, float)
        The prior of the loss rate: (α, β) of a Beta, or (a, b) of a Gamma for counts.
    leak : float
        For counts, the share of the loss rate that remains under full cover.
    leak_chance : float
        For yes/no losses, the probability of a loss at a covered arm.
    slack : float
        The tolerance of comparisons.

    Examples
    --------
    >>> arm = Posterior.on_grid(0.25)
    >>> arm = arm.after(0.25, losses=1).after(0.5, losses=0, rounds=20)
    >>> arm.candidates.tolist()
    [0.25, 0.5, 0.75, 1.0, inf]
    >>> arm.weights.round(3).tolist()
    [0.0, 0.991, 0.004, 0.004, 0.0]
    >>> round(arm.cover(0.5), 3)
    0.991
    """

    candidates: FloatArray
    prior: FloatArray
    rounds: FloatArray
    losses: FloatArray
    counts: bool = False
    shape: tuple[float, float] = SHAPE
    leak: float = 0.0
    leak_chance: float = 0.0
    slack: float = RELATIVE

    @classmethod
    def over(
        cls,
        candidates: ArrayLike,
        *,
        prior: ArrayLike | None = None,
        uncoverable: float = UNCOVERABLE,
        losses: str = "binary",
        shape: tuple[float, float] = (1.0, 1.0),
        leak: float = 0.0,
        leak_chance: float = 0.0,
        slack: float = RELATIVE,
    ) -> Self:
        """Make a posterior without evidence, from candidates and their prior weights.

        Parameters
        ----------
        candidates : array_like
            The possible thresholds, increasing and above 0.
        prior : array_like, optional
            The weight of each candidate. By default, the threshold is uniform up to the highest candidate,
            and each candidate stands for the amounts between its predecessor and itself.
        uncoverable : float
            The prior probability that no amount covers the arm.
        losses : {"binary", "counts"}
            Whether a round has at most one loss.
        shape : (float, float)
            The prior of the loss rate: (α, β) of a Beta, or (a, b) of a Gamma for counts.
        leak : float
            For counts, the share of the loss rate that remains under full cover.
        leak_chance : float
            For yes/no losses, the probability of a loss at a covered arm.
        slack : float
            The tolerance of comparisons.

        Returns
        -------
        Posterior
            The posterior.

        Raises
        ------
        InputError
            If candidates do not increase, or a value is out of range.
        """
        levels = vector("candidates", candidates, "above 0", above=0.0)
        if (np.diff(levels) <= slack).any():
            raise InputError.of("candidates", levels, "increasing amounts")
        weights = np.diff(levels, prepend=0.0)
        if prior is not None:
            weights = vector("prior", prior, "of at least 0", least=0.0)
            if weights.size != levels.size or weights.sum() <= 0.0:
                raise InputError.of("prior", weights, "a weight for each of the candidates")
        lost = number("uncoverable", uncoverable, "a number from 0 up to 1", least=0.0, most=1.0)
        first, second = shape
        leak, leak_chance = checked_leaks(one_of("losses", losses, KINDS), leak, leak_chance)
        return cls(
            candidates=np.append(levels, np.inf),
            prior=np.append((1.0 - lost) * (weights / weights.sum()), lost),
            rounds=np.zeros(levels.size + 1),
            losses=np.zeros(levels.size + 1),
            counts=losses == "counts",
            shape=(positive("shape", first), positive("shape", second)),
            leak=leak,
            leak_chance=leak_chance,
            slack=slack,
        )

    @classmethod
    def on_grid(
        cls,
        resolution: float,
        *,
        most: float = 1.0,
        uncoverable: float = UNCOVERABLE,
        losses: str = "binary",
        leak: float = 0.0,
        leak_chance: float = 0.0,
    ) -> Self:
        """Make a posterior without evidence, whose candidates are the multiples of a resolution.

        Parameters
        ----------
        resolution : float
            The step of the grid.
        most : float
            The highest candidate.
        uncoverable, losses, leak, leak_chance
            As in `over`.

        Returns
        -------
        Posterior
            The posterior.
        """
        levels = grid(resolution, most)
        return cls.over(levels, uncoverable=uncoverable, losses=losses, leak=leak, leak_chance=leak_chance)

    def after(self, amounts: ArrayLike, *, losses: ArrayLike, rounds: ArrayLike = 1) -> Self:
        """Add evidence: losses in some rounds at an amount, or several rows of these.

        An amount that is no candidate becomes one, and takes its part of the prior weight of the candidate
        above it.

        Parameters
        ----------
        amounts : float or array_like
            The amounts.
        losses : int or array_like
            The losses at each amount.
        rounds : int or array_like
            The rounds at each amount.

        Returns
        -------
        Posterior
            The posterior with this evidence.

        Raises
        ------
        InputError
            If an amount exceeds the highest candidate, or there are more losses than rounds.
        """
        granted = vector("amounts", np.atleast_1d(amounts), "of at least 0", least=0.0)
        seen = whole_numbers("losses", losses, granted.size)
        spent = whole_numbers("rounds", rounds, granted.size)
        if not self.counts and (seen > spent).any():
            row = int(np.flatnonzero(seen > spent)[0])
            raise InputError.of("losses", seen[row], f"at most {spent[row]:g}, one a round")
        return self._with_rows(granted, spent, seen)

    def given(self, evidence: Evidence, arm: int = 0) -> Self:
        """Add the evidence of one arm.

        Parameters
        ----------
        evidence : Evidence
            The evidence.
        arm : int
            The arm, counted from 0.

        Returns
        -------
        Posterior
            The posterior with this evidence.

        Raises
        ------
        ConflictError
            If the evidence is of another kind.
        """
        kind = ("losses", "counts" if self.counts else "binary")
        if (evidence.sees, evidence.losses) != kind:
            raise ConflictError(
                f"the evidence is of {evidence.losses} {evidence.sees}",
                f"{kind[1]} {kind[0]}",
                what="evidence",
            )
        rows = evidence.of_arm(whole("arm", arm, least=0, most=evidence.arms - 1))
        if not rows:
            return self
        _, amounts, rounds, losses = np.array(rows).T
        return self._with_rows(amounts, rounds, losses)

    def _with_rows(self, amounts: FloatArray, rounds: FloatArray, losses: FloatArray) -> Self:
        wider = self._with_candidates(amounts)
        level = wider.covered_by(amounts)
        more_rounds, more_losses = wider.rounds.copy(), wider.losses.copy()
        np.add.at(more_rounds, level, rounds)
        np.add.at(more_losses, level, losses)
        return replace(wider, rounds=more_rounds, losses=more_losses)

    def _with_candidates(self, amounts: FloatArray) -> Self:
        levels = self.candidates[:-1]
        if amounts.max() > levels[-1] + self.slack:
            raise InputError(
                f"an amount is {amounts.max():g}",
                f"at most the highest candidate, {levels[-1]:g}",
                what="amount",
                value=amounts.max(),
            )
        nearest = np.abs(amounts[:, None] - levels).min(axis=1)
        new = np.unique(amounts[(nearest > self.slack) & (amounts > self.slack)])
        if new.size == 0:
            return self
        finer = np.append(np.union1d(levels, new), np.inf)
        parent = np.searchsorted(self.candidates, finer)
        share = np.diff(finer[:-1], prepend=0.0) / np.diff(levels, prepend=0.0)[parent[:-1]]
        rounds, losses = np.zeros(finer.size), np.zeros(finer.size)
        moved = np.append(0, np.searchsorted(finer, levels) + 1)
        rounds[moved], losses[moved] = self.rounds, self.losses
        prior = self.prior[parent] * np.append(share, 1.0)
        return replace(self, candidates=finer, prior=prior, rounds=rounds, losses=losses)

    def covered_by(self, amounts: ArrayLike) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Count the candidates that amounts cover.

        Parameters
        ----------
        amounts : array_like
            The amounts.

        Returns
        -------
        IntArray
            The number of candidates.
        """
        reach = np.asarray(amounts, np.float64) + self.slack
        return np.searchsorted(self.candidates, reach, side="right")

    @cached_property
    def rate_shapes(self) -> tuple[FloatArray, FloatArray]:
        """For each candidate, the parameters of the loss rate: of a Beta, or shape and rate of a Gamma."""
        first, second = self.shape
        below = np.cumsum(self.rounds)
        losses_below = np.cumsum(self.losses)
        if not self.counts:
            return first + losses_below, second + below - losses_below
        exposure = below + self.leak * (below[-1] - below)
        return np.full(below.size, first + losses_below[-1]), second + exposure

    @property
    def _remains(self) -> float:
        """The losses under full cover: a share of the rate for counts, a probability for yes/no losses."""
        return self.leak if self.counts else self.leak_chance

    @cached_property
    def weights(self) -> FloatArray:
        """P(θ = g_j | data) of each candidate."""
        from scipy import special  # here, since the policies that take their grid from us do without it

        first, second = self.rate_shapes
        losses_below = np.cumsum(self.losses)
        leaked = losses_below[-1] - losses_below
        with np.errstate(divide="ignore"):
            logs = np.log(self.prior) + special.xlogy(leaked, self._remains)
        if not self.counts:
            below = np.cumsum(self.rounds)
            quiet = below[-1] - below - leaked
            # SciPy's own logarithm of B is off by 1e-9 after a million rounds.
            betas = [log_beta(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
            logs = logs + np.array(betas) + special.xlog1py(quiet, -self.leak_chance)
        else:
            logs = logs - first * np.log(second)
        if not np.isfinite(logs).any():
            raise InputError(
                "the evidence rules out every candidate", "uncoverable, leak or leak_chance above 0"
            )
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    def cover(self, amount: float) -> float:
        """The probability that an amount covers the arm.

        Parameters
        ----------
        amount : float
            The amount.

        Returns
        -------
        float
            The probability.
        """
        return float(self.weights[: self.covered_by(amount)].sum())

    def threshold_interval(self, level: float = 0.95) -> tuple[float, float]:
        """A central credible interval for the threshold.

        Parameters
        ----------
        level : float
            The probability of the interval.

        Returns
        -------
        low, high : float
            The ends. The upper end is inf if no amount may cover the arm.
        """
        tail = (1.0 - open_unit("level", level)) / 2.0
        total = np.cumsum(self.weights)
        low, high = np.searchsorted(total, [tail + RELATIVE, 1.0 - tail - RELATIVE])
        return float(self.candidates[low]), float(self.candidates[min(high, total.size - 1)])

    def _rate_means(self) -> FloatArray:
        first, second = self.rate_shapes
        return first / (first + second) if not self.counts else first / second

    @property
    def rate_mean(self) -> float:
        """The expected loss rate."""
        return float(self.weights @ self._rate_means())

    def rate_interval(self, level: float = 0.95) -> tuple[float, float]:
        """A central credible interval for the loss rate.

        Parameters
        ----------
        level : float
            The probability of the interval.

        Returns
        -------
        low, high : float
            The ends.
        """
        tail = (1.0 - open_unit("level", level)) / 2.0
        return self._rate_quantile(tail), self._rate_quantile(1.0 - tail)

    def _rate_quantile(self, q: float) -> float:
        """A quantile of the mixture, by bisection between the quantiles of its components."""
        from scipy import special

        likely = self.weights > 0.0
        weights = self.weights[likely]
        first, second = (shape[likely] for shape in self.rate_shapes)
        beta = not self.counts
        ends = special.betaincinv(first, second, q) if beta else special.gammaincinv(first, q) / second
        low, high = float(ends.min()), float(ends.max())
        for _ in range(100):
            middle = 0.5 * (low + high)
            below = (
                special.betainc(first, second, middle) if beta else special.gammainc(first, second * middle)
            )
            low, high = (middle, high) if weights @ below < q else (low, middle)
        return high

    def plot(self, ax: Any = None, *, title: str = "", width: float = WIDTH) -> Any:
        """Draw the probability of each threshold, and the probability that no amount covers the arm.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. A new figure by default.
        title : str
            The title of the figure.
        width : float
            The width of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes or matplotlib.figure.Figure
            `ax` if it was given, otherwise the new figure.
        """
        chances, never = self.weights[:-1], float(self.weights[-1])
        return draw_chances(
            Chances(self.candidates[:-1], chances, never, "Threshold", title=title), ax, width
        )

    def __repr__(self) -> str:
        seen = f"{self.rounds.sum():g} rounds, {self.losses.sum():g} losses"
        return f"<Posterior over {self.candidates.size - 1} candidates: {seen}>"

    def _repr_html_(self) -> str:
        rows = [
            ["threshold", "{:.4g} to {:.4g}".format(*self.threshold_interval())],
            ["loss rate", "{:.4g} to {:.4g}".format(*self.rate_interval())],
            ["cannot be covered", f"{self.weights[-1]:.3g}"],
        ]
        table = html_table(["", "95 % interval, or chance"], rows)
        return html_block(repr(self)[1:-1], table, small_picture(self.plot, "The chance of each threshold"))

    def expected_loss(self, amount: float) -> float:
        """The expected number of losses of a round.

        Parameters
        ----------
        amount : float
            The grant.

        Returns
        -------
        float
            The expectation.
        """
        means = self._rate_means()
        leaking = np.full(means.size, self.leak_chance) if not self.counts else self.leak * means
        covered = np.arange(means.size) < self.covered_by(amount)
        return float(self.weights @ np.where(covered, leaking, means))
