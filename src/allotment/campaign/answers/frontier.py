"""The frontier: expected losses against budget, with a band, and what one unit more would buy."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.campaign.amounts import plain
from allotment.campaign.answers.answer import Answer
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import best_units
from allotment.campaign.planning.plan_bounds import PlanBounds, bounds_of
from allotment.campaign.settings import Settings
from allotment.plots.bands import Band, BandPanel, draw_bands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 31  # budgets that are looked at, about
NUMBERS = 20_000_000  # that draws may take
LEAST_DRAWS, MOST_DRAWS = 20, 400


@dataclass(frozen=True)
class Point:
    """A budget, and the losses of a round to expect with it, what each costs included."""

    budget: int | float
    expected_losses: float
    low: float
    high: float
    one_more: float  # what one unit more would prevent


@dataclass(frozen=True)
class Frontier(Answer):
    """Expected losses of a round against the budget, each budget split as is best in expectation."""

    points: tuple[Point, ...]
    budget: int | float  # as it is now
    unit: int | float
    expected_losses: float  # with it
    one_more: float  # what one unit more would prevent
    one_less: float | None  # what the last unit prevents

    def to_dict(self) -> dict[str, Any]:
        """The frontier as plain data."""
        return {**vars(self), "points": [vars(each) for each in self.points]}

    def columns(self) -> tuple[str, ...]:
        """Of the points."""
        return ("budget", "losses expected", "from", "to", "one unit more prevents")

    def rows(self) -> list[tuple[Any, ...]]:
        """A row a budget."""
        return [tuple(vars(each).values()) for each in self.points]

    def plot(self) -> "Figure":
        """Draw expected losses against budget, with the band; the budget as it is now is marked."""
        columns = [
            [getattr(each, name) for each in self.points]
            for name in ("budget", "expected_losses", "low", "high")
        ]
        panel = BandPanel((Band("best in expectation", *columns),), at=float(self.budget))
        return draw_bands([panel], "Budget of a round", "Losses of a round")

    def sentences(self) -> list[str]:
        """What the budget is worth at its edge."""
        less = "" if self.one_less is None else f", and one less would cost {self.one_less:.3g}"
        return [
            f"With {self.budget}: {self.expected_losses:.3g} losses a round expected; {self.unit} more would "
            f"prevent {self.one_more:.3g} of them{less}. Bands are 90 %, of what responses may be like."
        ]


def draws_of(posterior: Any, settings: Settings, arms: tuple[int, ...]) -> FloatArray:
    """Curves that the evidence allows, draw by draw, what each loss costs included; always the same ones."""
    each = len(arms) * (settings.steps + 1)
    count = min(max(NUMBERS // each, LEAST_DRAWS), MOST_DRAWS)
    drawn: FloatArray = posterior.draw(count, settings.seed)
    drawn *= decision.severities_of(settings, arms)[:, None]  # in place: they may be many
    return drawn


def frontier_of(settings: Settings, tallies: list[AmountTally]) -> Frontier:
    """The frontier under the bounds of the settings."""
    bounds = bounds_of(settings)
    arms = bounds.arms
    posterior = decision.posterior_of(settings, decision.model_evidence(settings, tallies, arms), arms)
    losses = np.ascontiguousarray(posterior.mean_losses * decision.severities_of(settings, arms)[:, None])
    draws = draws_of(posterior, settings, arms)
    least, most, now = _needed(bounds), int(bounds.most.sum()), bounds.budget
    step = max(1, -(-(max(most, now) - least) // POINTS))
    looked_at = sorted({*range(least, max(most, now) + 1, step), now, max(most, now)})
    known: dict[int, tuple[float, float, float]] = {}
    every = np.arange(len(arms))

    def at(budget: int) -> tuple[float, float, float]:
        if budget not in known:
            units = best_units(losses, replace(bounds, budget=budget))
            spread = draws[:, every, units].sum(axis=1)
            low, high = np.quantile(spread, (0.05, 0.95)).tolist()
            known[budget] = (float(losses[every, units].sum()), low, high)
        return known[budget]

    points = tuple(
        Point(plain(budget * settings.unit), *at(budget), max(at(budget)[0] - at(budget + 1)[0], 0.0))
        for budget in looked_at
    )
    return Frontier(
        points,
        plain(now * settings.unit),
        plain(settings.unit),
        at(now)[0],
        max(at(now)[0] - at(now + 1)[0], 0.0),
        max(at(now - 1)[0] - at(now)[0], 0.0) if now > least else None,
    )


def _needed(bounds: PlanBounds) -> int:
    """The smallest budget that all floors fit in."""
    alone = np.ones(bounds.least.size, bool)
    needed = 0
    for members, least, _ in bounds.groups.values():
        alone[members] = False
        needed += max(least, int(bounds.least[members].sum()))
    return needed + int(bounds.least[alone].sum())
