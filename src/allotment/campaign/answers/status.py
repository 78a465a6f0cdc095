"""The status: today's knowledge of every place, in the user's units."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from allotment.campaign.answers.settings_words import settings_in_words
from allotment.campaign.forms.amounts import plain, units_within
from allotment.campaign.forms.answer import Answer, Record, between, losses_and_cost, percent, short
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs, best_units, plainer_plans
from allotment.campaign.planning.expectations import Expectations, Expected, is_weighted
from allotment.campaign.planning.plain_rules import rows_in
from allotment.campaign.planning.plan import BriefPlan
from allotment.campaign.planning.plan_bounds import bounds_of, ruled_out_by_moves
from allotment.campaign.settings.settings import Settings
from allotment.plots.bands import Band, BandPanel, Dot, draw_bands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGE = 0.95  # of 90 % bands
NUMBERS, LEAST_DRAWS, MOST_DRAWS = 2_000_000, 200, 2000  # that bands are made of
PANELS = 20  # that one picture can hold
OLDEST = 3  # open plans that are named
NOTHING_HELPS = "nothing helps"  # as the posterior says it
NEWEST, SEEN = "granted by the newest plan", "reported"  # what marks in pictures are


class Seen(NamedTuple):
    """The reports of a place at one amount."""

    amount: int | float
    rounds: float
    losses: float


@dataclass(frozen=True)
class ArmStatus(Record):
    """Today's knowledge of one place. Curves have a value for each of `Status.amounts` up to its most."""

    computed: ClassVar = ("prevented_losses", "expected_costs")

    arm: str
    severity: float  # what one loss costs
    rounds: float  # reported, aged if reports age
    losses: float
    loss_rate: float  # the chance of a loss (or how many to expect) in a round without any of this budget
    loss_rate_low: float
    loss_rate_high: float
    most: int | float
    prevented_losses_at_most: float  # in a round, by the most that it can use
    shape: str  # of its response up to its most, in words: the most likely one
    shape_chance: float
    granted: int | float | None  # by the newest plan
    expected_losses: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    seen: tuple[Seen, ...]  # losses that were reported (not finds), by amount up to its most

    @property
    def prevented_losses(self) -> tuple[float, ...]:
        """The expected number of losses that each amount prevents."""
        return tuple(self.expected_losses[0] - each for each in self.expected_losses)

    @property
    def expected_costs(self) -> tuple[float, ...]:
        """The expected cost at each amount: losses weighted by severity."""
        return tuple(self.severity * each for each in self.expected_losses)


@dataclass(frozen=True)
class Status(Answer):
    """Today's knowledge of every active place, with 90 % bands.

    Attributes
    ----------
    campaign : str
        The name of the campaign.
    date : datetime.date
        The date.
    budget, unit : number
        The budget and the unit.
    settings : dict
        Groups, half-life, time zone and the kind of reports.
    weighted : bool
        Whether some severity differs from 1, so that losses and cost differ.
    plans : int
        The number of plans so far.
    open_plans : tuple of BriefPlan
        The plans that wait for a report, oldest first.
    expected : dict of str to Expected
        The expectations of a round under the best known plan and under simpler plans.
    amounts : tuple of number
        The amounts of the curves.
    arms : tuple of ArmStatus
        Each place.
    warnings : tuple of str
        Settings that do not go well together.
    situation : str or None
        The situation of the rounds. None if the campaign has no situations.
    """

    computed: ClassVar = ("waiting",)

    campaign: str
    date: date
    budget: int | float
    unit: int | float
    settings: dict[str, Any]
    weighted: bool
    plans: int
    open_plans: tuple[BriefPlan, ...]
    expected: dict[str, Expected]
    amounts: tuple[int | float, ...]
    arms: tuple[ArmStatus, ...]
    warnings: tuple[str, ...] = ()
    situation: str | None = None

    @property
    def waiting(self) -> tuple[str, ...]:
        """The ids of the open plans."""
        return tuple(each.id for each in self.open_plans)

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return (
            *("place", "rounds", "losses", "loss rate", "loss rate from", "loss rate to", "severity"),
            *("most", "losses prevented at most", "response", "chance of response"),
        )

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per place."""
        return [
            (
                *(each.arm, each.rounds, each.losses),
                *(each.loss_rate, each.loss_rate_low, each.loss_rate_high, each.severity),
                *(each.most, each.prevented_losses_at_most, each.shape, each.shape_chance),
            )
            for each in self.arms
        ]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The reports, loss rate, best effect and response of each place."""
        rows: list[Sequence[Any]] = [
            (
                each.arm,
                f"{counted(each.losses)} in {counted(each.rounds)}",
                between(each.loss_rate_low, each.loss_rate_high),
                short(each.prevented_losses_at_most),
                f"{each.shape} ({percent(each.shape_chance)})",
            )
            for each in self.arms
        ]
        return ("place", "losses", "loss rate", "prevents", "response"), rows

    def panel(self, place: ArmStatus) -> BandPanel:
        """The panel of one place: the expected cost of a round by amount; dots are reports.

        Parameters
        ----------
        place : ArmStatus
            The place.

        Returns
        -------
        BandPanel
            The data of the panel.
        """
        curves = [
            [place.severity * value for value in row]
            for row in (place.expected_losses, place.low, place.high)
        ]
        dots = tuple(
            Dot(float(seen.amount), place.severity * seen.losses / seen.rounds, seen.rounds)
            for seen in place.seen
            if seen.rounds
        )
        at = None if place.granted is None else float(place.granted)
        x = self.amounts[: len(place.expected_losses)]
        return BandPanel((Band("expected, with 90 % band", x, *curves),), place.arm, at, dots)

    @property
    def y_label(self) -> str:
        """The label of the vertical axis."""
        return "Cost of a round" if self.weighted else "Losses of a round"

    def panels(self) -> list[BandPanel]:
        """A panel for each place, as many as a figure can hold, the most costly places first."""
        chosen = sorted(self.arms, key=lambda each: -each.severity * each.loss_rate)
        return [self.panel(each) for each in chosen[:PANELS]]

    def plot(self) -> "Figure":
        """Draw the expected cost of a round by amount, a panel for each place; costly places first."""
        left_out = len(self.arms) - PANELS
        said = [] if self.situation is None else [f"Situation: {self.situation}"]
        said += [f"{left_out} more places, which cost less, are left out."] if left_out > 0 else []
        note = " · ".join(said)
        return draw_bands(self.panels(), "Granted", self.y_label, at_label=NEWEST, dots_label=SEEN, note=note)

    def sentences(self) -> list[str]:
        """The sentences beside the rows."""
        others = "; ".join(
            f"{name} {losses_and_cost(*found, weighted=self.weighted)}"
            for name, found in self.expected.items()
        )
        of = "" if self.situation is None else f" ({self.situation})"
        plans = f"{self.plans} plan" if self.plans == 1 else f"{self.plans} plans"
        settings = [
            f"{name}{of if name == 'budget' else ''} {value}" for name, value in self.settings.items()
        ]
        said = [
            f"{self.campaign} on {self.date}{of}: {plans}, {self.budget} a round.",
            f"Settings: {'; '.join(settings)}.",
            f"Expected in a round: {others}.",
            "Loss rate: losses of a round without any of this budget (90 % band). Prevents: how many of them "
            "the most that a place can use prevents, in expectation.",
        ]
        return [*said, *self.warnings, *awaiting(self.open_plans)]


def awaiting(plans: tuple[BriefPlan, ...]) -> list[str]:
    """Say how many plans wait for a report, and which are the oldest."""
    if not plans:
        return []
    count = f"{len(plans)} {'plan awaits' if len(plans) == 1 else 'plans await'} reports"
    return [f"{count}; the oldest: {', '.join(map(str, plans[:OLDEST]))}."]


def counted(number: float) -> str:
    """Rounds or losses for people: whole numbers as they are, aged ones short."""
    return f"{number:.0f}" if float(number).is_integer() else short(number)


def in_units(words: str, settings: Settings, most: Decimal) -> str:
    """A shape's words with their amount in the user's units: they speak of shares of the scale."""
    if words == NOTHING_HELPS:
        return f"{words} up to {plain(most)}"
    found = re.fullmatch(r"(.* )([0-9.eE+-]+)", words)
    if found is None:
        return words
    return f"{found[1]}{plain(round(float(found[2]) * settings.steps) * settings.unit)}"


def status_of(
    inputs: PlanInputs, open_plans: tuple[BriefPlan, ...], granted: Mapping[int, int | float] | None = None
) -> Status:
    """Compute the status at the time of a plan; `granted` are the amounts of the newest plan, by place."""
    settings = inputs.settings
    arms = settings.active
    evidence = decision.model_evidence(settings, inputs.tallies, arms)
    posterior = decision.posterior_of(settings, evidence, arms, inputs.situation)
    draws = min(max(NUMBERS // posterior.mean_losses.size, LEAST_DRAWS), MOST_DRAWS)
    drawn = posterior.draw(draws, settings.seed)
    low, high = np.quantile(drawn, (1.0 - EDGE, EDGE), axis=0, overwrite_input=True)  # makes no copy
    rounds, losses = np.zeros(len(arms)), np.zeros(len(arms))
    for row in rows_in(evidence, inputs.situation):
        rounds[row.arm] += row.rounds
        losses[row.arm] += row.losses
    reach = [min(units_within(settings.arms[arm].most, settings.unit), settings.steps) for arm in arms]
    shapes = posterior.shapes_within(reach)
    seen: dict[int, list[Seen]] = {arm: [] for arm in arms}
    in_situation = [each for each in inputs.tallies if each.situation == inputs.situation]
    for each in in_situation:
        if settings.sees == "losses" and each.arm in seen and each.amount <= settings.arms[each.arm].most:
            seen[each.arm].append(Seen(plain(each.amount), each.rounds, each.losses))
    found = []
    for i, number in enumerate(arms):
        arm, top = settings.arms[number], reach[i] + 1
        mean = posterior.mean_losses[i]
        words, chance = shapes[i][0]
        found.append(
            ArmStatus(
                arm=arm.name,
                severity=float(arm.severity),
                rounds=float(rounds[i]),
                losses=float(losses[i]),
                loss_rate=float(posterior.loss_rates[i]),
                loss_rate_low=float(low[i, 0]),
                loss_rate_high=float(high[i, 0]),
                most=plain(arm.most),
                prevented_losses_at_most=float(mean[0] - mean[reach[i]]),
                shape=in_units(str(words), settings, arm.most),
                shape_chance=float(chance),
                granted=(granted or {}).get(number),
                expected_losses=tuple(mean[:top].tolist()),
                low=tuple(low[i, :top].tolist()),
                high=tuple(high[i, :top].tolist()),
                seen=tuple(seen[number]),
            )
        )
    expected = Expectations(
        posterior.mean_losses, posterior.mean_losses, decision.severities_of(settings, arms)
    )
    bounds = bounds_of(settings)
    best = expected.of(best_units(expected.costs, bounds))
    return Status(
        campaign=settings.name,
        date=inputs.day,
        budget=plain(settings.budget),
        unit=plain(Decimal(settings.unit)),
        settings=settings_in_words(settings),
        weighted=is_weighted(settings),
        plans=inputs.plan - 1,
        open_plans=open_plans,
        expected={"best known plan": best, **plainer_plans(expected, evidence, bounds, inputs.situation)},
        amounts=tuple(plain(units * settings.unit) for units in range(settings.steps + 1)),
        arms=tuple(found),
        warnings=tuple(ruled_out_by_moves(settings)),
        situation=inputs.situation_name,
    )
