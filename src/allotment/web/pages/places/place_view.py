"""What the page of one place shows: what is known of it, why it gets its amount, and its history."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from allotment.campaign.answers.place_history import PlaceHistory
from allotment.campaign.answers.place_story import PlaceStory
from allotment.campaign.answers.place_words import (
    response_in_words,
    rounds_between,
    rounds_with_a_loss,
)
from allotment.campaign.answers.status import NEWEST, SEEN, ArmStatus, Status, counted
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import plain, written
from allotment.campaign.forms.answer import between, percent, short
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import OF_ONE_PLACE, OfPlace
from allotment.web.charts.bands import band_chart
from allotment.web.pages.places.view import Gets, what_places_get
from allotment.web.requests.situation_choice import NO_SITUATIONS, SituationChoice, settings_within

ROUNDS = 30  # of the history that the page shows at first


@dataclass(frozen=True)
class Amount:
    """A row of the numbers beside the chart."""

    amount: int | float
    expected: str  # with its band
    reported: str
    is_granted: bool


@dataclass(frozen=True)
class Known:
    """What the model says of a place, up to its most."""

    rate: str
    rate_words: str
    rate_band: str
    response: str
    response_chance: str
    response_words: str
    prevented: str
    losses: str  # reported
    rounds: str
    chart: Markup
    amounts: tuple[Amount, ...]
    unit_words: str  # of the numbers


@dataclass(frozen=True)
class PlaceView:
    """The whole page."""

    situations: SituationChoice
    own_bounds: tuple[str, ...]  # bounds that a situation has of its own, in words
    arm: Arm
    most: int | float
    severity: int | float
    timezone: str
    weighted: bool
    gets: int | float | None
    plan: Gets | None
    known: Known | None
    has_dots: bool
    story: PlaceStory | None
    history: PlaceHistory
    more_rounds: int  # that are not shown
    groups: tuple[str, ...]
    scale: str
    typed: dict[str, str]
    problem: str | None = None

    @property
    def fields(self) -> Mapping[str, OfPlace]:
        """The fields of its form."""
        return OF_ONE_PLACE


def place_view(
    campaign: Campaign,
    name: str,
    status: Status | None,
    choice: SituationChoice = NO_SITUATIONS,
    *,
    story: PlaceStory | None = None,
    whole: bool = False,
    typed: dict[str, str] | None = None,
    problem: str | None = None,
) -> PlaceView:
    """A place in a situation, and its `story` in the plan; `whole` shows all of its history.

    `typed` and `problem` are of a form that was refused.
    """
    settings, plan = campaign.settings, what_places_get(campaign, choice.chosen)
    number = settings.find(name)
    arm = settings.arms[number]
    found = None if status is None else next((each for each in status.arms if each.arm == arm.name), None)
    history = campaign.place_history(arm.name)
    shown = history.rounds if whole else history.rounds[:ROUNDS]
    return PlaceView(
        situations=choice,
        own_bounds=tuple(_own_bounds(settings, number)),
        arm=arm,
        most=plain(settings_within(settings, choice.chosen).arms[number].most),
        severity=plain(arm.severity),
        timezone=settings.timezone,
        weighted=arm.severity != 1 or (status is not None and status.weighted),
        gets=None if plan is None else plan.amounts.get(number),
        plan=plan,
        known=None if found is None or status is None else _known(status, found),
        has_dots=found is not None and bool(found.seen),
        story=story,
        history=PlaceHistory(history.place, shown, history.imports, history.changes),
        more_rounds=len(history.rounds) - len(shown),
        groups=tuple(settings.groups),
        scale=written(settings.scale),
        typed=typed or bounds_of_place(settings, arm.name),
        problem=problem,
    )


def bounds_of_place(settings: Settings, name: str) -> dict[str, str]:
    """The settings of a place for its form; default values are empty."""
    row = settings.arms[settings.find(name)].to_row()
    return {
        field: "" if row[field] is None or (row[field] == 0 and not each.is_needed) else str(row[field])
        for field, each in OF_ONE_PLACE.items()
    }


def _own_bounds(settings: Settings, number: int) -> Iterator[str]:
    """The bounds of a place that differ by situation, a sentence for each situation."""
    for situation, own in settings.situations.own.items():
        tables = {"most": own.most, "least": own.least}
        said = [f"{what} {written(table[number])}" for what, table in tables.items() if number in table]
        if said:
            yield f"In {settings.situations.names[situation]}: {', '.join(said)}."


def _known(status: Status, place: ArmStatus) -> Known:
    rate = (place.loss_rate_low, place.loss_rate_high)
    what = "cost" if status.weighted else "losses"
    chart = band_chart(
        status.panel(place),
        "Granted",
        status.y_label,
        at_label=NEWEST,
        dots_label=f"{SEEN} (larger: more rounds)",
    )
    return Known(
        rate=short(place.loss_rate),
        rate_words=rounds_with_a_loss(place.loss_rate),
        rate_band=rounds_between(*rate),
        response=place.shape,
        response_chance=percent(place.shape_chance),
        response_words=response_in_words(place.shape),
        prevented=short(place.prevented_losses_at_most),
        losses=counted(place.losses),
        rounds=counted(place.rounds),
        chart=chart,
        amounts=tuple(_amounts(status, place)),
        unit_words=f"Expected {what} of a round, with 90 % band",
    )


def _amounts(status: Status, place: ArmStatus) -> list[Amount]:
    """The numbers of the chart: what is expected of each amount, and what was reported at it."""
    seen = {each.amount: each for each in place.seen}
    expected = {
        amount: (mean, low, high)
        for amount, mean, low, high in zip(
            status.amounts, place.expected_losses, place.low, place.high, strict=False
        )
    }
    rows = []
    for amount in sorted({*expected, *seen}):
        words = ""
        if amount in expected:
            mean, low, high = (place.severity * each for each in expected[amount])
            words = f"{short(mean)} ({between(low, high)})"
        reported = seen.get(amount)
        said = "" if reported is None else f"{counted(reported.losses)} in {counted(reported.rounds)}"
        rows.append(Amount(amount, words, said, is_granted=amount == place.granted))
    return rows
