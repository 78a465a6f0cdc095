"""A problem: places, what they lose, what prevents it, and the budget to split."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import nonnegative, one_of, vector
from allotment.errors import NotApplicableError
from allotment.plots.figures import WIDTH
from allotment.plots.response_curves import draw_responses
from allotment.system.files import AnyPath
from allotment.tolerance import RELATIVE, slack_of
from allotment.worlds.optimum import Optimum, best_cover, best_units, total_of
from allotment.worlds.problem_checks import (
    checked_names,
    checked_overdispersion,
    checked_response,
    checked_severities,
    checked_unit,
)
from allotment.worlds.random_problems import DrawsArms, draw_from, draw_problem
from allotment.worlds.responses import Capped, Response, Step
from allotment.worlds.units import Units, feasible
from allotment.worlds.world import KINDS, SEES, World
from allotment.worlds.world_files import check_keys, read_shipped, read_table, shipped_names, write_table

MOST_RATES = {"binary": 1.0, "counts": 100.0}  # the highest loss rate
KEYS = (
    "loss_rates",
    "thresholds",
    "budget",
    "severities",
    "names",
    "losses",
    "overdispersion",
    "response",
    "unit",
    "sees",
)
UNIT = 0.01  # of responses that need one, unless given


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem(World):
    """A problem: arms with loss rates, a response to grants, and a budget to split in each round.

    In the paper's notation (section 2), K arms have loss rates μ_i and thresholds θ_i, and the budget is Q. A
    loss happens at arm i with probability μ_i unless its grant reaches θ_i. No grant exceeds 1, and the
    grants of a round stay within the budget.

    A `response` replaces the thresholds with any response curve. docs/explanation/worlds.md has the formulas.

    Parameters
    ----------
    loss_rates : array_like
        Expected losses of each arm per round without a grant: probabilities, or means of up to 100 for
        counts.
    thresholds : float or array_like, optional
        The smallest grant that covers each arm, above 0 and at most 1. A single number applies to all arms.
    budget : float
        The amount to split in each round.
    response : Response, optional
        The response curves, instead of thresholds.
    unit : float, optional
        The smallest amount that makes a difference; smaller parts of a grant have no effect. Defaults to
        0.01. For a `Step` response, any amount counts by default.
    sees : {"losses", "finds"}
        Whether a round shows the losses that happened or the incidents that grants prevented.
    losses : {"binary", "counts"}
        Whether an arm has at most one loss in a round, or a count of them.
    overdispersion : float
        The variance of a count is mean + overdispersion · mean². 0 is the Poisson law; above 0, up to 100,
        the law is negative binomial with size 1 / overdispersion.
    severities : array_like, optional
        The cost of one loss at each arm. Defaults to 1.
    names : iterable of str, optional
        Names of the arms.

    Raises
    ------
    InputError
        If a value is out of range, or the lengths do not match.

    Examples
    --------
    >>> problem = Problem([0.9, 0.5, 0.2], thresholds=0.5, budget=1.0)
    >>> problem.best.covered.tolist(), problem.best.loss
    ([True, True, False], 0.2)

    With a response curve in place of thresholds:

    >>> from allotment.worlds.responses import Exponential
    >>> problem = Problem([0.9, 0.5, 0.2], budget=1.0, response=Exponential(0.5), unit=0.25)
    >>> problem.best.allocation.tolist()
    [0.75, 0.25, 0.0]
    """

    loss_rates: FloatArray
    response: Response
    budget: float
    severities: FloatArray
    names: tuple[str, ...]
    losses: str
    overdispersion: float
    sees: str
    unit: float | None

    def __init__(
        self,
        loss_rates: ArrayLike,
        thresholds: ArrayLike | None = None,
        budget: float | None = None,
        *,
        response: Response | None = None,
        unit: float | None = None,
        sees: str = "losses",
        losses: str = "binary",
        overdispersion: float = 0.0,
        severities: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> None:
        most = MOST_RATES[one_of("losses", losses, KINDS)]
        rates = vector("loss_rates", loss_rates, f"between 0 and {most:g}", least=0.0, most=most)
        arms = rates.size
        found = checked_response(thresholds, response, arms, losses)
        fields: dict[str, Any] = {
            "loss_rates": rates,
            "response": found,
            "budget": nonnegative("budget", budget),
            "severities": checked_severities(severities, arms),
            "names": checked_names(names, arms),
            "losses": losses,
            "overdispersion": checked_overdispersion(overdispersion, losses),
            "sees": one_of("sees", sees, SEES),
            "unit": checked_unit(unit if unit is not None or isinstance(found, Step) else UNIT, arms),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def arms(self) -> int:
        """K, the number of arms."""
        return self.loss_rates.size

    @property
    def spendable(self) -> float:
        """The part of the budget that grants can use: at most 1 for each arm."""
        return min(self.budget, float(self.arms))

    @property
    def slack(self) -> float:
        """The tolerance of this problem's comparisons."""
        return slack_of(self.spendable)

    @property
    def stakes(self) -> FloatArray:
        """The expected cost of each arm per round without a grant: severity times loss rate."""
        return self.severities * self.loss_rates

    @cached_property
    def thresholds(self) -> FloatArray:
        """The smallest grant that covers each arm. Only step responses have thresholds."""
        if not isinstance(self.response, Step):
            raise NotApplicableError(
                f"there are no thresholds here: the response is {self.response.kind()}, not a step",
                what="thresholds",
                value=self.response,
            )
        return self._per_arm(self.response.thresholds)

    @cached_property
    def leak(self) -> FloatArray:
        """The share of each loss rate that no grant prevents."""
        return self._per_arm(getattr(self.response, "leak", 0.0))

    def _per_arm(self, values: Any) -> FloatArray:
        array = np.array(np.broadcast_to(np.asarray(values, np.float64), self.arms))
        array.setflags(write=False)
        return array

    @cached_property
    def units(self) -> Units | None:
        """How grants and the budget convert to whole units; None where any amount counts."""
        return None if self.unit is None else Units.of(self.unit, self.spendable, self.slack)

    @cached_property
    def table(self) -> FloatArray:
        """The share of each arm's loss rate that remains at 0, 1, … units."""
        full = self.units.full if self.units else 1
        if isinstance(self.response, Capped):
            return self.response.expected_table(self.loss_rates, full, self.overdispersion)
        return self.response.table(self.arms, full, self.slack)

    @property
    def accuracy(self) -> float:
        """The largest rounding error of the best allocation's loss."""
        return 0.0 if self.unit is None else RELATIVE * max(1.0, total_of(self.stakes))

    @cached_property
    def best(self) -> Optimum:
        """The best allocation, exactly: which arms to cover (Proposition 2), or how many units to grant."""
        if self.units is None:
            return self._best_cover(self.thresholds, self.budget, self.spendable, 1)
        full, budget = self.units.full, self.units.budget
        if isinstance(self.response, Step):  # the same: it finds the lightest of equally good choices
            needed = Step(self.thresholds.tolist()).table(self.arms, full, self.slack).argmin(axis=1)
            return self._best_cover(needed.astype(np.float64), budget, budget, full)
        return self._optimum(best_units(self.stakes, self.table, budget) / full)

    def _best_cover(self, needed: FloatArray, budget: float, room: float, full: int) -> Optimum:
        covered = best_cover(self.stakes * (1.0 - self.leak), needed, room)
        covered.setflags(write=False)
        residual = budget - float(needed[covered].sum())
        residual = 0.0 if residual <= self.slack else residual / full
        return self._optimum(np.where(covered, needed, 0.0) / full, covered, residual)

    def _optimum(self, allocation: FloatArray, *cover: Any) -> Optimum:
        allocation.setflags(write=False)
        return Optimum(allocation, total_of(self.stakes * self._remaining(allocation)), *cover)

    def remaining(self, allocation: ArrayLike) -> FloatArray:
        """Compute the share of each loss rate that remains under an allocation.

        Parameters
        ----------
        allocation : array_like
            A grant for each arm, within the budget.

        Returns
        -------
        FloatArray
            The remaining share of each arm, from 0 to 1.

        Raises
        ------
        InputError
            If a grant is above 1 or the grants exceed the budget.
        """
        return self._remaining(feasible(allocation, self.arms, self.budget))

    def _remaining(self, grants: FloatArray) -> FloatArray:
        if self.units is None:
            return self.response.remaining(grants, self.slack)
        return self.table[np.arange(self.arms), self.units.within(grants)]

    def loss(self, allocation: ArrayLike) -> float:
        """Compute the expected cost of a round under an allocation.

        Parameters
        ----------
        allocation : array_like
            A grant for each arm, within the budget.

        Returns
        -------
        float
            The expected losses, weighted by severity.

        Raises
        ------
        InputError
            If a grant is above 1 or the grants exceed the budget.

        Examples
        --------
        >>> Problem([0.9, 0.5], thresholds=0.5, budget=0.5).loss([0.5, 0.0])
        0.5
        """
        return total_of(self.stakes * self.remaining(allocation))

    def regret(self, allocation: ArrayLike) -> float:
        """Compute the regret of an allocation: its expected cost beyond the cost of the best allocation.

        Parameters
        ----------
        allocation : array_like
            A grant for each arm, within the budget.

        Returns
        -------
        float
            The regret of one round.

        Raises
        ------
        InputError
            If a grant is above 1 or the grants exceed the budget.

        Examples
        --------
        >>> round(Problem([0.9, 0.5], thresholds=0.5, budget=0.5).regret([0.0, 0.5]), 3)
        0.4
        """
        regret = self.loss(allocation) - self.best.loss
        return 0.0 if -self.accuracy <= regret < 0.0 else regret

    def plot(self, ax: Any = None, *, title: str = "", labels: str = "auto", width: float = WIDTH) -> Any:
        """Draw the expected loss of each arm by amount, with a dot at its best grant.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. A new figure by default.
        title : str
            The title of the figure.
        labels : {"auto", "beside", "legend", "none"}
            Where to name the arms: beside the ends of their lines, or in a legend. "auto" chooses.
        width : float
            The width of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes or matplotlib.figure.Figure
            `ax` if it was given, otherwise the new figure.
        """
        from allotment.worlds.in_words import responses_of

        return draw_responses(responses_of(self, title, labels), ax, width)

    def environment(self) -> Any:
        """Make the environment that one replication plays against."""
        from allotment.worlds.environment import censored
        from allotment.worlds.stages import staged

        as_in_paper = isinstance(self.response, Step) and self.unit is None and not self.leak.any()
        return censored(self) if as_in_paper and self.sees == "losses" else staged(((1, self),))

    @classmethod
    def named(cls, name: str) -> Self:
        """Get a problem that ships with the package.

        Parameters
        ----------
        name : str
            One of `Problem.shipped()`, such as "paper-1".

        Returns
        -------
        Problem
            The problem.

        Raises
        ------
        NotFoundError
            If no shipped problem has this name.

        Examples
        --------
        >>> Problem.named("paper-1").arms
        20
        """
        return cls.from_dict(read_shipped(name))

    @staticmethod
    def shipped() -> tuple[str, ...]:
        """The names of the problems that ship with the package."""
        return shipped_names()

    @classmethod
    def load(cls, path: AnyPath) -> Self:
        """Read a problem from a TOML file, or from a JSON file if its name ends in .json.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Problem
            The problem, equal to the problem that `save` wrote.

        Raises
        ------
        FileError
            If the file cannot be read.
        InputError
            If its content is no problem.
        """
        return read_table(path, cls.from_dict)

    def save(self, path: AnyPath) -> None:
        """Write the problem to a TOML file, or to a JSON file if the name ends in .json.

        Parameters
        ----------
        path : str or path
            The file. An earlier file of this name is replaced.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        write_table(path, self.to_dict())

    @classmethod
    def random(
        cls,
        arms: int,
        *,
        seed: int,
        resolution: float | None = None,
        rates: str = "uniform",
        thresholds: str = "spread",
        tightness: float = 0.35,
        hopeless: bool = False,
        response: str = "step",
        leak: float = 0.0,
        unit: float | None = None,
        sees: str = "losses",
        losses: str = "binary",
        overdispersion: float = 0.0,
    ) -> Self:
        """Draw a random problem.

        Parameters
        ----------
        arms : int
            The number of arms.
        seed : int
            The seed. The same arguments always give the same problem.
        resolution : float, optional
            Round thresholds up to multiples of this amount.
        rates : {"uniform", "low", "high", "gapped"}
            Loss rates: uniform on [0, 1], mostly below 0.1, above 0.5, or evenly spaced in random order.
        thresholds : {"spread", "clustered", "same"}
            Thresholds: spread over (0.05, 1], clustered around three values, or the same for all arms. Other
            responses use these amounts as their full grant, as three times their scale, or as their middle.
        tightness : float
            The budget, as a share of the amount that would cover all arms.
        hopeless : bool
            Cut the budget to the exact amount that the optimum needs, so that γ is 0 (section 4 of the
            paper).
        response : {"step", "linear", "exponential", "logistic", "piecewise", "capped"}
            The kind of response curve. "capped" needs counts.
        leak : float
            The share of losses that remains under full cover.
        unit : float, optional
            As in `Problem`.
        sees : {"losses", "finds"}
            As in `Problem`.
        losses : {"binary", "counts"}
            As in `Problem`.
        overdispersion : float
            As in `Problem`.

        Returns
        -------
        Problem
            The problem.

        Raises
        ------
        InputError
            If a value is out of range.

        Examples
        --------
        >>> Problem.random(5, seed=1) == Problem.random(5, seed=1)
        True
        """
        drawn, budget, found = draw_problem(
            arms, seed, rates, thresholds, tightness, resolution, response, leak
        )
        kind: dict[str, Any] = {"response": found, "unit": unit, "sees": sees, "losses": losses}
        kind["overdispersion"] = overdispersion
        problem = cls(drawn, budget=budget, **kind)
        if hopeless:
            needed = float(problem.best.allocation[problem.best.covered].sum())
            problem = cls(drawn, budget=needed, **kind)
        return problem

    @classmethod
    def from_prior(
        cls, policy: DrawsArms, arms: int, budget: float, seed: int, *, severities: ArrayLike | None = None
    ) -> Self:
        """Draw a problem from the prior of a policy, to measure the policy's Bayesian regret.

        Parameters
        ----------
        policy : Policy
            A policy with a prior, such as `Joint()` or `AnyResponse.plain()`.
        arms : int
            The number of arms.
        budget : float
            The amount to split in each round.
        seed : int
            The seed. The same arguments always give the same problem.
        severities : array_like, optional
            The cost of one loss at each arm. Defaults to 1.

        Returns
        -------
        Problem
            The problem.

        Raises
        ------
        NotApplicableError
            If the policy has no prior to draw from.
        """
        return cls(**draw_from(policy, arms, budget, seed), budget=budget, severities=severities)

    def to_dict(self) -> dict[str, Any]:
        """The problem as plain lists and numbers, without settings that have the paper's values."""
        plain = isinstance(self.response, Step) and not self.leak.any()
        return {
            "budget": self.budget,
            "loss_rates": self.loss_rates.tolist(),
            **({"thresholds": self.thresholds.tolist()} if plain else {"response": self.response.to_dict()}),
            **({} if self.unit is None else {"unit": self.unit}),
            "severities": self.severities.tolist(),
            "names": list(self.names),
            "losses": self.losses,
            **({"overdispersion": self.overdispersion} if self.overdispersion else {}),
            **({} if self.sees == "losses" else {"sees": self.sees}),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make a problem from the plain data that `to_dict` gives.

        Parameters
        ----------
        content : mapping
            The plain data.

        Returns
        -------
        Problem
            The problem.

        Raises
        ------
        InputError
            If the content is no problem.
        """
        bent = isinstance(content, Mapping) and "response" in content
        check_keys("a problem", content, KEYS, ("loss_rates", "budget") if bent else KEYS[:3])
        return cls(**{**content, **({"response": Response.from_dict(content["response"])} if bent else {})})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.to_dict() == other.to_dict()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)  # so that copies are read-only too

    def __hash__(self) -> int:
        return hash((self.budget, self.loss_rates.tobytes(), self.unit, self.sees))
