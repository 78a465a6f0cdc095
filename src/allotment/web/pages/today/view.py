"""What Today shows, as plain data: where things stand, and the plan by group."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from markupsafe import Markup

from allotment.campaign.answers.overview import OTHER_DATES, Overview
from allotment.campaign.answers.plan_explanation import Explanation
from allotment.campaign.answers.reason import Reason
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import about, besides, short
from allotment.campaign.history.plan_records import CANCELLED, PARTLY_TOLD, WAITING
from allotment.campaign.planning.plan import EXPECTED, GRANTED, NOTE, BriefPlan, Plan
from allotment.campaign.sheets.duty_sheet import OTHERS
from allotment.web.charts.bars import Bar, bars
from allotment.web.charts.outlines import outlines_of_plan
from allotment.web.pages.plan_actions.actions import PlanAction, actions_of
from allotment.web.pages.today.asking import asking_anew, asking_first
from allotment.web.pages.today.orders import Asking, Typed

Explain = Callable[[str], Explanation]
EVERYWHERE = "All places"  # the name of the only group, where there are no groups


@dataclass(frozen=True)
class Standing:
    """A day in one line: Yesterday, 3 of 24 places not reported."""

    title: str
    sentence: str
    is_open: bool  # whether reports are still to come
    report_date: date | None


@dataclass(frozen=True)
class PlaceLine:
    """A place in the plan. `why` says why it gets its amount, or why it gets nothing."""

    name: str
    amount: int | float
    marks: tuple[str, ...]
    why: str
    days_since: int | None  # its last loss or find; None if it had none


@dataclass(frozen=True)
class GroupOfPlaces:
    """A group with its subtotal. Places that get something come first."""

    name: str
    subtotal: int | float
    granted_places: int
    places: tuple[PlaceLine, ...]


@dataclass(frozen=True)
class PlanView:
    """The plan as the page shows it."""

    plan: Plan
    granted: int | float
    granted_places: int
    groups: tuple[GroupOfPlaces, ...]
    expected: tuple[tuple[str, str], ...]  # who plans, and what is expected of it, in words
    expected_chart: Markup
    map: Markup | None
    sentences: tuple[str, ...]
    ways: str  # what is expected of it, of hot spots and of an equal split, in one line
    changes: tuple[str, ...]  # since the plan before
    is_open: bool
    is_cancelled: bool
    actions: tuple[PlanAction, ...]


@dataclass(frozen=True)
class Round:
    """A plan of the day, and the form that asks for another one in its situation."""

    shown: PlanView
    asking: Asking
    suffix: str  # of its ids on the page


@dataclass(frozen=True)
class TodayView:
    """The whole page."""

    today: date
    day: date  # that the page shows
    campaign: str
    places: int
    to_grant: str
    timezone: str
    standing: tuple[Standing, ...]
    older: str | None
    on: tuple[str, ...]  # the situations of the day, by the calendar
    situations: tuple[str, ...]  # all situations of the campaign
    situation: str | None  # the only one that the page shows
    rounds: tuple[Round, ...]
    missing: Asking | None  # where a situation has no plan yet
    other_plans: tuple[BriefPlan, ...]  # other plans of the day

    @property
    def has_several(self) -> bool:
        """Whether the page has more than one situation to show."""
        return len(self.rounds) + (self.missing is not None) > 1

    @property
    def is_today(self) -> bool:
        """Whether the page shows today."""
        return self.day == self.today


def today_view(
    campaign: Campaign,
    plan_id: str | None = None,
    *,
    day: Any = None,
    situation: str | None = None,
    typed: Typed | None = None,
    explain: Explain | None = None,
) -> TodayView:
    """Where things stand, and the latest plans of a day, today's by default, or the plan of an id.

    There is a plan for each situation, or for one if it is given. `typed` is what a form holds so far.
    `explain` explains plans; by default, the campaign does.
    """
    overview, settings = campaign.overview(), campaign.settings
    without_plan = list[str | None]()
    if plan_id is not None:
        plans = [campaign.plan(plan_id)]
        when = plans[0].date
    else:
        when = campaign.day(day)
        latest = latest_plans(campaign, when, situation)
        plans = [plan for plan in latest.values() if plan is not None]
        without_plan = [name for name, plan in latest.items() if plan is None]
    shown = {plan.id for plan in plans}
    is_first = bool(without_plan) and typed is not None and typed.situation in (None, *without_plan)
    typed_first, typed_anew = (typed, None) if is_first else (None, typed)
    return TodayView(
        today=overview.today,
        day=when,
        campaign=overview.campaign,
        places=overview.places,
        to_grant=overview.to_grant,
        timezone=settings.timezone,
        standing=(
            _standing("Yesterday", overview.yesterday_plans, "no plan"),
            _standing("Today", overview.today_plans, "no plan yet"),
        ),
        older=_older(overview),
        on=campaign.situations_on(when),
        situations=settings.situations.names,
        situation=situation,
        rounds=tuple(
            _round(campaign, plan, number, typed_anew, (explain or campaign.explain)(plan.id))
            for number, plan in enumerate(plans, 1)
        ),
        missing=asking_first(campaign, when, without_plan, typed_first) if without_plan else None,
        other_plans=tuple(each for each in campaign.plans_of(when) if each.id not in shown),
    )


def latest_plans(
    campaign: Campaign, day: date, situation: str | None = None
) -> dict[str | None, Plan | None]:
    """The latest plan of each situation of a day: of those in the calendar, and of others that have one."""
    situations = campaign.settings.situations
    if not situations:
        return {None: campaign.latest(day)}
    if situation is not None:
        called = situations.name(situations.find(situation))
        return {called: campaign.latest(day, called)}
    found = {name: campaign.latest(day, name) for name in situations.names}
    on = campaign.situations_on(day)
    wanted = (*on, *(name for name, plan in found.items() if plan is not None and name not in on))
    return {name: found[name] for name in wanted}


def _round(campaign: Campaign, plan: Plan, number: int, typed: Typed | None, why: Explanation) -> Round:
    """A plan and its form. The form holds `typed` if it states the same situation."""
    suffix = "" if number == 1 else f"-{number}"
    latest = campaign.latest(plan.date, plan.situation)
    if latest is None:
        asking = asking_first(campaign, plan.date, (plan.situation,), typed)
    else:
        asking = asking_anew(campaign, latest, suffix=suffix)
        if typed is not None and typed.situation == asking.situation:
            asking = asking_anew(campaign, latest, typed, suffix)
    return Round(plan_view(campaign, plan, why), asking, suffix)


def plan_view(campaign: Campaign, plan: Plan, why: Explanation) -> PlanView:
    """A plan by group, with a reason for every place."""
    settings = campaign.settings
    is_open = plan.state in (WAITING, PARTLY_TOLD)
    reasons = {each.arm: each for each in why.reasons}
    groups: dict[str, list[PlaceLine]] = {}
    for name, amount in plan.amounts.items():
        group = settings.arms[settings.find(name)].group
        title = group or (OTHERS if settings.groups else EVERYWHERE)
        marks, words = _marks(plan, reasons[name]), why.why(reasons[name])
        line = PlaceLine(name, amount, marks, words, plan.days_since[name])
        groups.setdefault(title, []).append(line)
    order = sorted(groups, key=lambda name: (name == OTHERS, name))
    return PlanView(
        plan=plan,
        granted=total(plan.amounts.values()),
        granted_places=sum(1 for amount in plan.amounts.values() if amount),
        groups=tuple(_group(name, groups[name]) for name in order),
        expected=tuple(plan.ways().items()),
        expected_chart=_expected_chart(plan),
        map=outlines_of_plan(plan, settings),
        sentences=tuple(_beside(plan, why)),
        ways="; ".join(f"{name} {words}" for name, words in plan.ways().items()),
        changes=tuple(why.changes()),
        is_open=is_open,
        is_cancelled=plan.state == CANCELLED,
        actions=actions_of(campaign, plan, is_open=is_open),
    )


def total(amounts: Iterable[int | float]) -> int | float:
    """The sum of amounts, exact in decimals."""
    return plain(sum((Decimal(str(each)) for each in amounts), Decimal(0)))


def _group(name: str, places: list[PlaceLine]) -> GroupOfPlaces:
    ordered = sorted(places, key=lambda each: -each.amount)
    granted = sum(1 for each in places if each.amount)
    return GroupOfPlaces(name, total(each.amount for each in places), granted, tuple(ordered))


def _marks(plan: Plan, reason: Reason) -> tuple[str, ...]:
    """What is special about an amount, in a word or two each."""
    said = []
    if reason.to_learn:
        said.append(f"{reason.to_learn} to learn")
    if reason.held_back:
        said.append(f"{reason.held_back} held back to learn")
    if reason.spare:
        said.append(f"{reason.spare} spare")
    if reason.binds in ("fixed", "required", "excluded"):
        said.append(f"{reason.binds} today")
    if reason.arm in plan.told:
        said.append("reported")
    return tuple(said)


def _beside(plan: Plan, why: Explanation) -> list[str]:
    """What there is to say beside the amounts, without what the page shows elsewhere."""
    return [*besides(plan.sentences(), GRANTED, EXPECTED, NOTE), *why.learning()]


def _expected_chart(plan: Plan) -> Markup:
    ways: dict[str, Any] = {"this plan": (plan.expected_losses, plan.expected_cost), **plan.beside}
    numbers = {name: cost if plan.weighted else (losses or cost) for name, (losses, cost) in ways.items()}
    shown = [Bar(name, value, short(value), is_ours=name == "this plan") for name, value in numbers.items()]
    unit = "expected cost of a round" if plan.weighted else "expected losses of a round"
    return bars(shown, unit)


def _standing(title: str, plans: tuple[BriefPlan, ...], otherwise: str) -> Standing:
    sentence = Overview.in_words(plans, otherwise)
    is_open = any(each.state in (WAITING, PARTLY_TOLD) for each in plans)
    return Standing(title, sentence, is_open, plans[0].date if plans else None)


def _older(overview: Overview) -> str | None:
    """What to say of open plans of other dates."""
    return " ".join(about(overview.sentences(), OTHER_DATES)) or None
