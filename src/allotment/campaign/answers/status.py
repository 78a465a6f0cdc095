"""The status: what is known of every arm, in the user's units."""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.campaign.amounts import plain
from allotment.campaign.answers.answer import Answer
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs
from allotment.campaign.planning.plan import BriefPlan
from allotment.campaign.settings import Settings
from allotment.plots.bands import Band, BandPanel, draw_bands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGE = 0.95  # of 90 % bands
NUMBERS, LEAST_DRAWS, MOST_DRAWS = 2_000_000, 200, 2000  # that bands are made of
PANELS = 20  # that one picture can hold
OLDEST = 3  # open plans that are named


@dataclass(frozen=True)
class ArmStatus:
    """What is known of one arm. Curves have a number for each amount of `Status.amounts`."""

    arm: str
    rounds: float  # reported, aged if reports age
    losses: float
    left_alone: float  # the chance of a loss (or how many to expect) in a round without any of this budget
    left_alone_low: float
    left_alone_high: float
    most: int | float
    prevented_at_most: float  # of a round's losses, by the most that it can use
    shape: str  # of its response, in words: the most likely one
    shape_chance: float
    expected_losses: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def prevented(self) -> tuple[float, ...]:
        """What each amount prevents, in expectation."""
        return tuple(self.expected_losses[0] - each for each in self.expected_losses)


@dataclass(frozen=True)
class Status(Answer):
    """What is known of every active arm on a date, with 90 % bands."""

    campaign: str
    date: date
    budget: int | float
    unit: int | float
    plans: int
    open_plans: tuple[BriefPlan, ...]  # not fully told, and not closed; oldest first
    amounts: tuple[int | float, ...]
    arms: tuple[ArmStatus, ...]

    @property
    def waiting(self) -> tuple[str, ...]:
        """The ids of the open plans."""
        return tuple(each.id for each in self.open_plans)

    def to_dict(self) -> dict[str, Any]:
        """The status as plain data, curves included."""
        arms = [{**vars(each), "prevented": each.prevented} for each in self.arms]
        awaiting = [each.to_dict() for each in self.open_plans]
        parts = {"date": self.date.isoformat(), "open_plans": awaiting, "waiting": self.waiting, "arms": arms}
        return {**vars(self), **parts}

    def columns(self) -> tuple[str, ...]:
        """Of the table."""
        return ("place", "rounds", "losses", "left alone", "from", "to", "most", "prevents", "response")

    def rows(self) -> list[tuple[Any, ...]]:
        """A row an arm."""
        return [
            (
                each.arm,
                each.rounds,
                each.losses,
                each.left_alone,
                each.left_alone_low,
                each.left_alone_high,
                each.most,
                each.prevented_at_most,
                f"{each.shape} ({100 * each.shape_chance:.0f} %)",
            )
            for each in self.arms
        ]

    def plot(self) -> "Figure":
        """Draw the losses of a round against what is granted, an arm a panel; those that lose most."""
        chosen = sorted(self.arms, key=lambda each: -each.left_alone)[:PANELS]
        panels = [
            BandPanel(
                (Band(each.arm, self.amounts, each.expected_losses, each.low, each.high),),
                each.arm,
                float(each.most),
            )
            for each in chosen
        ]
        return draw_bands(panels, "Granted", "Losses of a round")

    def sentences(self) -> list[str]:
        """What there is to say beside the rows."""
        said = [
            f"{self.campaign} on {self.date}: {self.plans} plans, {self.budget} a round.",
            "Left alone: losses of a round without any of this budget, with 90 % bands. Prevents: how many "
            "of them the most that a place can use prevents, in expectation.",
        ]
        return said + awaiting(self.open_plans)


def awaiting(plans: tuple[BriefPlan, ...]) -> list[str]:
    """How many plans await a report, and which are the oldest, in words."""
    if not plans:
        return []
    count = f"{len(plans)} {'plan awaits' if len(plans) == 1 else 'plans await'} reports"
    return [f"{count}; the oldest: {', '.join(map(str, plans[:OLDEST]))}."]


def in_units(words: str, settings: Settings) -> str:
    """A shape's words with their amount in the user's units: they speak of shares of the scale."""
    found = re.fullmatch(r"(.* )([0-9.eE+-]+)", words)
    if found is None:
        return words
    return f"{found[1]}{plain(round(float(found[2]) * settings.steps) * settings.unit)}"


def status_of(inputs: PlanInputs, open_plans: tuple[BriefPlan, ...]) -> Status:
    """What is known at the time of a plan."""
    settings = inputs.settings
    arms = settings.active
    evidence = decision.model_evidence(settings, inputs.tallies, arms)
    posterior = decision.posterior_of(settings, evidence, arms)
    draws = min(max(NUMBERS // posterior.mean_losses.size, LEAST_DRAWS), MOST_DRAWS)
    drawn = posterior.draw(draws, settings.seed)
    low, high = np.quantile(drawn, (1.0 - EDGE, EDGE), axis=0, overwrite_input=True)  # makes no copy
    rounds, losses = np.zeros(len(arms)), np.zeros(len(arms))
    for row in evidence:
        rounds[row.arm] += row.rounds
        losses[row.arm] += row.losses
    shapes = posterior.shapes
    found = []
    for i, number in enumerate(arms):
        arm = settings.arms[number]
        reach = min(int(arm.most // settings.unit), settings.steps)
        mean = posterior.mean_losses[i]
        words, chance = shapes[i][0]
        found.append(
            ArmStatus(
                arm=arm.name,
                rounds=float(rounds[i]),
                losses=float(losses[i]),
                left_alone=float(posterior.loss_rates[i]),
                left_alone_low=float(low[i, 0]),
                left_alone_high=float(high[i, 0]),
                most=plain(arm.most),
                prevented_at_most=float(mean[0] - mean[reach]),
                shape=in_units(str(words), settings),
                shape_chance=float(chance),
                expected_losses=tuple(mean.tolist()),
                low=tuple(low[i].tolist()),
                high=tuple(high[i].tolist()),
            )
        )
    amounts = tuple(plain(units * settings.unit) for units in range(settings.steps + 1))
    return Status(
        campaign=settings.name,
        date=inputs.day,
        budget=plain(settings.budget),
        unit=plain(Decimal(settings.unit)),
        plans=inputs.plan - 1,
        open_plans=open_plans,
        amounts=amounts,
        arms=tuple(found),
    )
