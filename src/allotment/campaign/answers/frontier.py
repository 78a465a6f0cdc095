"""The frontier: expected losses by budget, with bands, and the effect of one unit more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import Answer, Sentence, between, losses_and_cost, short
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs, best_units
from allotment.campaign.planning.expectations import Expectations, Expected, is_weighted
from allotment.campaign.planning.plan_bounds import PlanBounds, bounds_of
from allotment.campaign.settings.settings import Settings
from allotment.checks import flag, nonnegative
from allotment.plots.bands import Band, BandPanel, draw_bands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORTH, TARGET = "worth of the budget", "target"  # topics of sentences
POINTS = 31  # budgets that are looked at, about
NUMBERS = 20_000_000  # that draws may take
LEAST_DRAWS, MOST_DRAWS = 20, 400
LOSSES, X_LABEL = "Losses of a round", "Budget of a round"
NO_HELP = 0.001  # of the cost without a budget: what prevents less, all together, does not help


@dataclass(frozen=True)
class Point:
    """A budget, with the expected losses and cost of a round and their 90 % bands."""

    budget: int | float
    expected_losses: float
    low: float
    high: float
    one_more_losses: float  # what one unit more would prevent
    expected_cost: float
    cost_low: float
    cost_high: float
    one_more_cost: float


@dataclass(frozen=True)
class Frontier(Answer):
    """The expected losses and cost of a round by budget, each budget split by the best known plan.

    Attributes
    ----------
    points : tuple of Point
        The budgets.
    budget, unit : number
        The campaign's budget and unit.
    weighted : bool
        Whether some severity differs from 1, so that losses and cost differ.
    now : Point
        The point of the campaign's budget.
    one_less_losses, one_less_cost : float or None
        What the last unit of the budget prevents.
    enough : number
        The budget above which more hardly helps.
    target : float or None
        The target, if one was given.
    target_is_cost : bool
        Whether the target is a cost.
    at_target : Point or None
        The smallest budget that reaches the target.
    situation : str or None
        The situation of the rounds. None if the campaign has no situations.
    """

    computed: ClassVar = ("budget_for_target",)

    points: tuple[Point, ...]
    budget: int | float
    unit: int | float
    weighted: bool
    now: Point
    one_less_losses: float | None
    one_less_cost: float | None
    enough: int | float
    target: float | None = None
    target_is_cost: bool = False
    at_target: Point | None = None
    situation: str | None = None

    @property
    def budget_for_target(self) -> int | float | None:
        """The smallest budget that reaches the target; None if no budget does, or without a target."""
        return None if self.at_target is None else self.at_target.budget

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        losses: tuple[str, ...]
        cost = ("expected cost", "cost from", "cost to", "cost that one unit more prevents")
        losses = ("budget", "expected losses", "losses from", "losses to")
        losses += ("losses that one unit more prevents",)
        return (*losses, *(cost if self.weighted else ()))

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per budget."""
        many = len(self.columns())
        return [tuple(vars(each).values())[:many] for each in self.points]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The same, with each band in one cell, and the cost that one unit more prevents."""
        rows: list[Sequence[Any]] = []
        for each in self.points:
            cells = [f"{short(each.expected_losses)} ({between(each.low, each.high)})"]
            if self.weighted:
                cells.append(f"{short(each.expected_cost)} ({between(each.cost_low, each.cost_high)})")
            rows.append((each.budget, *cells, short(each.one_more_cost)))
        more = f"{self.unit} more prevents{' (cost)' if self.weighted else ''}"
        return ("budget", "expected losses", *(("expected cost",) if self.weighted else ()), more), rows

    def panels(self) -> list[BandPanel]:
        """Losses against budget, and where severities differ cost as well; the budget of now is marked."""
        kinds = {LOSSES: ("expected_losses", "low", "high")}
        if self.weighted:
            kinds["Cost of a round"] = ("expected_cost", "cost_low", "cost_high")
        panels = []
        for title, names in kinds.items():
            columns = [[getattr(each, name) for each in self.points] for name in ("budget", *names)]
            band = Band("expected, with 90 % band", *columns)
            panels.append(BandPanel((band,), title if self.weighted else "", float(self.budget)))
        return panels

    def plot(self) -> "Figure":
        """Draw what is to be expected against budget, with the band; the budget as it is now is marked."""
        y_label = "" if self.weighted else LOSSES
        note = "" if self.situation is None else f"Situation: {self.situation}"
        return draw_bands(self.panels(), X_LABEL, y_label, at_label="budget now", note=note, same_scale=False)

    def sentences(self) -> list[str]:
        """What the budget is worth at its edge, where more stops to help, and what a target takes."""
        now = self._words(self.now.expected_losses, self.now.expected_cost)
        more = self._words(self.now.one_more_losses, self.now.one_more_cost)
        less = ""
        if self.one_less_cost is not None:
            less = f"; {self.unit} less would add {self._words(self.one_less_losses, self.one_less_cost)}"
        of = "" if self.situation is None else f" ({self.situation})"
        return [
            Sentence(
                f"With {self.budget}, expect {now} a round{of}; {self.unit} more would prevent {more}{less}.",
                WORTH,
            ),
            f"Above a budget of {self.enough}, more prevents less than {100 * NO_HELP:g} % of the "
            f"{'cost' if self.weighted else 'losses'}.",
            "Bands are 90 % and never rise with the budget, since a larger one can be left unspent.",
            *self._on_target(),
        ]

    def _on_target(self) -> list[str]:
        if self.target is None:
            return []
        kind = "an expected cost" if self.target_is_cost else "expected losses"
        point, aim = self.at_target, f"{kind} of at most {short(self.target)} a round"
        if point is None:
            aim = f"{aim[0].upper()}{aim[1:]}"
            return [Sentence(f"{aim}: not reachable with what the places can use.", TARGET)]
        found = self._words(point.expected_losses, point.expected_cost)
        ends = (point.cost_low, point.cost_high) if self.target_is_cost else (point.low, point.high)
        band = f"90 % band {between(*ends)}"
        return [Sentence(f"For {aim}, the smallest budget is {point.budget}: {found}, {band}.", TARGET)]

    def _words(self, losses: float | None, cost: float) -> str:
        return losses_and_cost(losses, cost, weighted=self.weighted)


class _Outcome(NamedTuple):
    expected: Expected
    losses: list[float]  # 90 % bands: low, high
    cost: list[float]


class _Curve:
    """What is to be expected with each budget; worked out once for each."""

    def __init__(self, expected: Expectations, draws: FloatArray, bounds: PlanBounds) -> None:
        self.expected, self.draws, self.bounds = expected, draws, bounds
        self.costs = expected.costs
        self._units: dict[int, IntArray] = {}
        self._outcomes: dict[int, _Outcome] = {}

    def units(self, budget: int) -> IntArray:
        """The best known plan with a budget."""
        if budget not in self._units:
            self._units[budget] = best_units(self.costs, replace(self.bounds, budget=budget))
        return self._units[budget]

    def at(self, budget: int) -> Expected:
        """What is expected of it."""
        return self.expected.of(self.units(budget))

    def outcome(self, budget: int) -> _Outcome:
        """The same with bands, which no smaller budget that was looked at before beats."""
        if budget not in self._outcomes:
            units = self.units(budget)
            drawn = self.draws[:, np.arange(units.size), units]
            weights = (np.ones(units.size), self.expected.severities)
            bands = [np.quantile(drawn @ each, (0.05, 0.95)) for each in weights]
            smaller = [each for known, each in self._outcomes.items() if known < budget]
            for i, band in enumerate(bands):
                for each in smaller:
                    np.minimum(band, (each.losses, each.cost)[i], out=band)
            self._outcomes[budget] = _Outcome(self.at(budget), *(band.tolist() for band in bands))
        return self._outcomes[budget]


def draws_of(posterior: Any, settings: Settings, arms: tuple[int, ...]) -> FloatArray:
    """Curves of losses that the evidence allows, draw by draw; always the same ones."""
    each = len(arms) * (settings.steps + 1)
    count = min(max(NUMBERS // each, LEAST_DRAWS), MOST_DRAWS)
    drawn: FloatArray = posterior.draw(count, settings.seed)
    return drawn


def frontier_of(inputs: PlanInputs, target: Any = None, cost: Any = False) -> Frontier:
    """Compute the frontier under the bounds of the settings; `target` is a number of losses, or a `cost`."""
    settings = inputs.settings
    target = None if target is None else nonnegative("target", target)
    of_cost = flag("cost", cost)
    bounds = bounds_of(settings)
    arms = bounds.arms
    evidence = decision.model_evidence(settings, inputs.tallies, arms)
    posterior = decision.posterior_of(settings, evidence, arms, inputs.situation)
    mean, severities = posterior.mean_losses, decision.severities_of(settings, arms)
    curve = _Curve(Expectations(mean, mean, severities), draws_of(posterior, settings, arms), bounds)
    least, most, now = _needed(bounds), int(bounds.most.sum()), bounds.budget
    top = max(least, most)
    nearly_all = curve.at(top).cost + NO_HELP * curve.at(least).cost
    enough = _first(least, top, lambda budget: curve.at(budget).cost <= nearly_all)
    last = max(enough, now)
    step = max(1, -(-(last - least) // POINTS))
    looked_at = sorted({*range(least, last + 1, step), now, last})
    reached = None if target is None else _reaching(curve, target, of_cost, least, top)
    in_order = sorted({*looked_at, *(() if reached is None else (reached,))})

    def point(budget: int) -> Point:
        found, more = curve.outcome(budget), curve.at(budget + 1)
        gains = [max(was - then, 0.0) for was, then in zip(found.expected, more, strict=True)]
        return Point(
            plain(budget * settings.unit),
            *(found.expected.losses, *found.losses, gains[0]),
            *(found.expected.cost, *found.cost, gains[1]),
        )

    points = {budget: point(budget) for budget in in_order}
    lost = None
    if now > least:
        lost = [max(a - b, 0.0) for a, b in zip(curve.at(now - 1), curve.at(now), strict=True)]
    return Frontier(
        tuple(points[budget] for budget in looked_at),
        plain(now * settings.unit),
        plain(settings.unit),
        is_weighted(settings),
        points[now],
        None if lost is None else lost[0],
        None if lost is None else lost[1],
        plain(enough * settings.unit),
        target,
        of_cost,
        None if reached is None else points[reached],
        inputs.situation_name,
    )


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The smallest budget at which a condition holds that, once true, stays true; it holds at `high`."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _reaching(curve: _Curve, target: float, of_cost: bool, least: int, top: int) -> int | None:
    """The smallest budget whose best known plan reaches the target; None if there is none.

    More budget never costs more, but a plan for less cost may have more losses: budgets are tried one by one
    from the first whose plan for fewest losses reaches the target.
    """
    if of_cost:
        if curve.at(top).cost > target:
            return None
        return _first(least, top, lambda budget: curve.at(budget).cost <= target)
    alike = replace(curve.expected, severities=np.ones_like(curve.expected.severities))
    fewest = _Curve(alike, curve.draws, curve.bounds)
    if fewest.at(top).losses > target:
        return None
    first = _first(least, top, lambda budget: fewest.at(budget).losses <= target)
    return next((each for each in range(first, top + 1) if curve.at(each).losses <= target), None)


def _needed(bounds: PlanBounds) -> int:
    """The smallest budget that all floors fit in."""
    alone = np.ones(bounds.least.size, bool)
    needed = 0
    for members, least, _ in bounds.groups.values():
        alone[members] = False
        needed += bounds.fewest(members, least) or 0
    return needed + int(bounds.least[alone].sum())
