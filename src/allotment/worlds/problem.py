"""A problem: places, what they lose, what prevents it, and the budget to split."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import nonnegative, one_of, vector
from allotment.errors import InputError, NotApplicableError
from allotment.plots.figures import WIDTH
from allotment.plots.response_curves import draw_responses
from allotment.tolerance import RELATIVE, slack_of
from allotment.worlds.feasibility import feasible
from allotment.worlds.optimum import Optimum, best_cover, best_units, total_of
from allotment.worlds.problem_checks import checked_names, checked_response, checked_severities, checked_unit
from allotment.worlds.random_problems import DrawsArms, draw_from, draw_problem
from allotment.worlds.responses import Response, Step
from allotment.worlds.units import Units
from allotment.worlds.world import KINDS, SEES, World
from allotment.worlds.world_files import check_keys, read_shipped, read_table, shipped_names, write_table

MOST_RATES = {"binary": 1.0, "counts": 100.0}  # the highest loss rate
KEYS = ("loss_rates", "thresholds", "budget", "severities", "names", "losses", "response", "unit", "sees")
UNIT = 0.01  # of responses that need one, unless given


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem(World):
    """K arms with loss rates μ_i and thresholds θ_i, and a budget Q (section 2 of the paper).

    A loss happens at arm i with probability `loss_rates[i]`, and costs `severities[i]`, unless the arm is
    granted at least `thresholds[i]`. No grant exceeds 1; together they stay within the budget. With
    `losses="counts"` there may be several in a round: their number is Poisson, with mean `loss_rates[i]`.

    In the general form a `response` takes the place of thresholds: it says what share of the loss rate
    remains at an amount. Amounts then count in whole units of `unit` (0.01 unless given; steps need none).
    With `sees="finds"` what is prevented is seen, and not what is lost. docs/worlds.md has the formulas.

    >>> problem = Problem([0.9, 0.5, 0.2], thresholds=0.5, budget=1.0)
    >>> problem.best.covered.tolist(), problem.best.loss
    ([True, True, False], 0.2)
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
        severities: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> None:
        most = MOST_RATES[one_of("losses", losses, KINDS)]
        rates = vector("loss_rates", loss_rates, f"between 0 and {most:g}", least=0.0, most=most)
        arms = rates.size
        found = checked_response(thresholds, response, arms)
        fields: dict[str, Any] = {
            "loss_rates": rates,
            "response": found,
            "budget": nonnegative("budget", budget),
            "severities": checked_severities(severities, arms),
            "names": checked_names(names, arms),
            "losses": losses,
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
        """The part of the budget that can be granted: at most 1 for each arm."""
        return min(self.budget, float(self.arms))

    @property
    def slack(self) -> float:
        """The tolerance of this problem's comparisons."""
        return slack_of(self.spendable)

    @property
    def stakes(self) -> FloatArray:
        """What each arm loses in a round where nothing is granted, as expected: severity x loss rate."""
        return self.severities * self.loss_rates

    @cached_property
    def thresholds(self) -> FloatArray:
        """What each arm must be granted; only steps have thresholds."""
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
        """What grants and the budget count as; None where any amount counts."""
        return None if self.unit is None else Units.of(self.unit, self.spendable, self.slack)

    @cached_property
    def table(self) -> FloatArray:
        """What remains of each arm's loss rate at 0, 1, … units."""
        return self.response.table(self.arms, self.units.full if self.units else 1, self.slack)

    @property
    def accuracy(self) -> float:
        """How far the best allocation in whole units may be from the truth, by rounding."""
        return 0.0 if self.unit is None else RELATIVE * max(1.0, total_of(self.stakes))

    @cached_property
    def best(self) -> Optimum:
        """The best allocation, exactly: whom to cover (Proposition 2), or how many units to grant."""
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
        """The share of each loss rate that remains under an allocation, which must be feasible."""
        return self._remaining(feasible(allocation, self.arms, self.budget))

    def _remaining(self, grants: FloatArray) -> FloatArray:
        if self.units is None:
            return self.response.remaining(grants, self.slack)
        return self.table[np.arange(self.arms), self.units.within(grants)]

    def loss(self, allocation: ArrayLike) -> float:
        """Expected loss per round under an allocation, which must be feasible."""
        return total_of(self.stakes * self.remaining(allocation))

    def regret(self, allocation: ArrayLike) -> float:
        """Expected loss per round beyond the optimum's."""
        regret = self.loss(allocation) - self.best.loss
        return 0.0 if -self.accuracy <= regret < 0.0 else regret

    def plot(self, ax: Any = None, *, title: str = "", labels: str = "auto", width: float = WIDTH) -> Any:
        """Draw what each arm loses at every amount, with a dot at what is best for it; see `Result.plot`."""
        from allotment.worlds.world_html import responses_of

        return draw_responses(responses_of(self, title, labels), ax, width)

    def environment(self) -> Any:
        """What one replication plays against."""
        from allotment.worlds.environment import censored
        from allotment.worlds.stages import staged

        as_in_paper = isinstance(self.response, Step) and self.unit is None and not self.leak.any()
        return censored(self) if as_in_paper and self.sees == "losses" else staged(((1, self),))

    @classmethod
    def named(cls, name: str) -> Self:
        """A problem that ships with the package, such as "paper-1"."""
        return cls.from_dict(read_shipped(name))

    @staticmethod
    def shipped() -> tuple[str, ...]:
        """The names of the problems that ship with the package."""
        return shipped_names()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a problem from a TOML file, or from a JSON file if its name ends in .json."""
        content = read_table(path)
        try:
            return cls.from_dict(content)
        except InputError as error:
            raise error.within(os.fspath(path)) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the problem as TOML, or as JSON if the name ends in .json; `load` gives it back exactly."""
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
    ) -> Self:
        """A random problem, of a kind that words say.

        `rates`: "uniform" on [0, 1], "low" (most below 0.1), "high" (above 0.5), or "gapped" (evenly apart,
        in random order). `response`: "step", "linear", "exponential", "logistic" or "piecewise", with a
        `leak`. `thresholds`, or what stands for them in other responses (a full grant, three scales, the
        middle): "spread" on (0.05, 1], "clustered" around three levels, or the "same" for all arms;
        `resolution`: rounded up to multiples of it. `tightness`: the budget as a share of what all arms would
        take. With `hopeless`, the budget is cut to exactly what the optimum needs.
        """
        drawn, budget, found = draw_problem(
            arms, seed, rates, thresholds, tightness, resolution, response, leak
        )
        kind: dict[str, Any] = {"response": found, "unit": unit, "sees": sees, "losses": losses}
        problem = cls(drawn, budget=budget, **kind)
        if hopeless:
            needed = float(problem.best.allocation[problem.best.covered].sum())
            problem = cls(drawn, budget=needed, **kind)
        return problem

    @classmethod
    def from_prior(
        cls, policy: DrawsArms, arms: int, budget: float, seed: int, *, severities: ArrayLike | None = None
    ) -> Self:
        """A problem drawn from what a policy believes before it has seen anything.

        The policy must have a prior that worlds can be drawn from, as `Joint` and `AnyResponse.plain()` do.
        """
        return cls(**draw_from(policy, arms, budget, seed), budget=budget, severities=severities)

    def to_dict(self) -> dict[str, Any]:
        """The problem as plain lists and numbers; what is as in the paper is left out."""
        plain = isinstance(self.response, Step) and not self.leak.any()
        return {
            "budget": self.budget,
            "loss_rates": self.loss_rates.tolist(),
            **({"thresholds": self.thresholds.tolist()} if plain else {"response": self.response.to_dict()}),
            **({} if self.unit is None else {"unit": self.unit}),
            "severities": self.severities.tolist(),
            "names": list(self.names),
            "losses": self.losses,
            **({} if self.sees == "losses" else {"sees": self.sees}),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The problem that `to_dict` described."""
        bent = isinstance(content, Mapping) and "response" in content
        check_keys("a problem", content, KEYS, ("loss_rates", "budget") if bent else KEYS[:3])
        return cls(**{**content, **({"response": Response.from_dict(content["response"])} if bent else {})})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.to_dict() == other.to_dict()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)  # so that copies are read-only too

    def __hash__(self) -> int:
        return hash((self.budget, self.loss_rates.tobytes(), self.unit, self.sees))
