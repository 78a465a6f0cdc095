"""What the list of places shows, as plain data: by group, with what is known of each place."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from urllib.parse import quote

from markupsafe import Markup

from allotment.campaign.answers.place_words import rounds_with_a_loss
from allotment.campaign.answers.status import ArmStatus, Status
from allotment.campaign.answers.unreported import DAYS, MOST_DAYS, Unreported
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import percent, short
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.planning.plan import Plan
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.settings import Settings
from allotment.campaign.sheets.duty_sheet import OTHERS
from allotment.errors import InputError
from allotment.web.charts.outlines import outlines
from allotment.web.requests.situation_choice import NO_SITUATIONS, SituationChoice, settings_within


@dataclass(frozen=True)
class PlaceLine:
    """A place in the list. What the model says of it is None as long as it is being computed."""

    name: str
    path: str
    most: int | float
    severity: int | float
    gets: int | float | None  # None: the plan has no such place
    rate: float | None
    rate_short: str
    rate_words: str
    response: str


@dataclass(frozen=True)
class GroupOfPlaces:
    """A group of the list."""

    name: str
    gets: int | float
    places: tuple[PlaceLine, ...]


@dataclass(frozen=True)
class Gets:
    """Which plan says what places get: today's, or else the newest one. None if there is no plan."""

    plan: str
    date: date
    is_today: bool
    amounts: dict[int, int | float]  # by the numbers of places


@dataclass(frozen=True)
class PlacesView:
    """The whole page."""

    situations: SituationChoice
    active: int
    weighted: bool
    known: bool  # whether what the model says is there
    gets: Gets | None
    groups: tuple[GroupOfPlaces, ...]
    retired: tuple[PlaceLine, ...]
    map: Markup | None
    without_shape: int
    unreported: Unreported
    days: str  # that the form for them shows
    days_problem: str | None = None


def place_path(base: str, name: str, situation: str | None = None) -> str:
    """The address of a place's page. A name may hold a slash, so that it is no part of the path."""
    of = "" if situation is None else f"&situation={quote(situation, safe='')}"
    return f"{base}/places?name={quote(name, safe='')}{of}"


def places_view(
    campaign: Campaign,
    status: Status | None,
    base: str,
    choice: SituationChoice = NO_SITUATIONS,
    days: str = "",
) -> PlacesView:
    """All places in a situation; `base` is where the campaign's addresses begin.

    `days` is for how many days places that are shown had no report, as it was typed.
    """
    unreported, problem = _unreported(campaign, days)
    settings = settings_within(campaign.settings, choice.chosen)
    gets = what_places_get(campaign, choice.chosen)
    paths = {arm.name: place_path(base, arm.name, choice.chosen) for arm in settings.arms}
    known = {} if status is None else {each.arm: each for each in status.arms}
    groups: dict[str, list[PlaceLine]] = {}
    for number in settings.active:
        arm = settings.arms[number]
        amount = None if gets is None else gets.amounts.get(number)
        line = _line(arm, known.get(arm.name), amount, paths[arm.name])
        groups.setdefault(arm.group or (OTHERS if settings.groups else ""), []).append(line)
    order = sorted(groups, key=lambda name: (name == OTHERS, name))
    return PlacesView(
        situations=choice,
        active=len(settings.active),
        weighted=is_weighted(settings),
        known=status is not None,
        gets=gets,
        groups=tuple(_group(name, groups[name]) for name in order),
        retired=tuple(_line(arm, None, None, paths[arm.name]) for arm in settings.arms if not arm.active),
        map=_map(settings, known, paths),
        without_shape=sum(1 for number in settings.active if settings.arms[number].shape is None),
        unreported=unreported,
        days=days.strip() or str(DAYS),
        days_problem=problem,
    )


def _unreported(campaign: Campaign, days: str) -> tuple[Unreported, str | None]:
    """The places without a report, and an error if the typed number of days is wrong."""
    try:
        return campaign.unreported(exact_days(days)), None
    except InputError as error:
        return campaign.unreported(), f"{str(error)[:1].upper()}{str(error)[1:]}."


def exact_days(typed: str) -> int:
    """The number of days that was typed; the default if the field is empty."""
    text = typed.strip() or str(DAYS)
    if not text.isdecimal() or len(text) > len(str(MOST_DAYS)):
        raise InputError.of("days", text, f"a whole number from 1 to {MOST_DAYS}")
    return int(text)


def what_places_get(campaign: Campaign, situation: str | None) -> Gets | None:
    """What the plan of today grants in a situation; without one, its newest plan."""
    today, settings = campaign.latest("today", situation), campaign.settings
    plan: Plan | None = today or campaign.latest(situation=situation)
    if plan is None:
        return None
    amounts = {settings.find(name): amount for name, amount in plan.amounts.items()}
    return Gets(plan.id, plan.date, today is not None, amounts)


def _line(arm: Arm, known: ArmStatus | None, gets: int | float | None, path: str) -> PlaceLine:
    return PlaceLine(
        name=arm.name,
        path=path,
        most=plain(arm.most),
        severity=plain(arm.severity),
        gets=gets,
        rate=None if known is None else known.loss_rate,
        rate_short="" if known is None else short(known.loss_rate),
        rate_words="" if known is None else rounds_with_a_loss(known.loss_rate),
        response="" if known is None else f"{known.shape} ({percent(known.shape_chance)})",
    )


def _group(name: str, places: list[PlaceLine]) -> GroupOfPlaces:
    total = plain(sum((Decimal(str(each.gets or 0)) for each in places), Decimal(0)))
    return GroupOfPlaces(name, total, tuple(places))


def _map(settings: Settings, known: Mapping[str, ArmStatus], paths: Mapping[str, str]) -> Markup | None:
    """Active places with a shape, shaded by their loss rates; None if there is none, or nothing is known."""
    arms = [settings.arms[number] for number in settings.active]
    shapes = {arm.name: arm.shape for arm in arms if arm.shape is not None and arm.name in known}
    if not shapes:
        return None
    rates = {name: known[name].loss_rate for name in shapes}
    links = {name: paths[name] for name in shapes}
    return outlines(shapes, rates, "Loss rates on the map", words=short, links=links)
