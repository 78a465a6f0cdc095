"""What Report shows, as plain data: the places of a plan by group, and the plans that await reports."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from allotment.campaign.access.rights import Rights
from allotment.campaign.access.sight import seen_by
from allotment.campaign.answers.place_history import PlaceReport, PlanReport
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import plain
from allotment.campaign.history.plan_records import CANCELLED, CLOSED, PARTLY_TOLD, TOLD, WAITING
from allotment.campaign.planning.plan import BriefPlan
from allotment.campaign.settings.settings import Settings
from allotment.campaign.sheets.duty_sheet import OTHERS
from allotment.errors import NotFoundError
from allotment.web.pages.plan_actions.actions import PlanAction, actions_of
from allotment.web.pages.report.entries import Entry
from allotment.web.rendering.rendering import day_in_words

STATES = {
    WAITING: "",
    PARTLY_TOLD: "",
    TOLD: "Every place has a report. To correct one, tap another value.",
    CLOSED: "This plan is closed. Late reports are still taken.",
    CANCELLED: "This plan was cancelled, so that nothing can be reported of it.",
}


@dataclass(frozen=True)
class Words:
    """What a campaign calls what it reports."""

    quiet: str
    something: str  # of a yes/no campaign
    counted: str  # losses or finds
    is_yes_or_no: bool

    @classmethod
    def of(cls, settings: Settings) -> "Words":
        """Losses or finds, yes or no or counts."""
        finds = settings.sees == "finds"
        return cls(
            "Nothing found" if finds else "Quiet",
            "Something found" if finds else "Something happened",
            settings.sees,
            settings.losses != "counts",
        )

    def said(self, losses: int | None) -> str:
        """A report in a word or two, inside a sentence."""
        if losses is None:
            return "not reported"
        if losses == 0:
            return self.quiet.lower()
        return self.something.lower() if self.is_yes_or_no else str(losses)


@dataclass(frozen=True)
class Row:
    """A place as the page shows it. `saved` says when its report came, `was` what was reported before."""

    index: int
    place: str
    planned: int | float
    losses: int | None
    amount: int | float
    event: int
    saved: str
    when: str  # it was saved, and by whom if by somebody else
    was: str
    note: str  # a warning, such as an amount above the most


@dataclass(frozen=True)
class GroupOfRows:
    """The places of a group."""

    name: str
    missing: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Choice:
    """A plan to report."""

    plan: BriefPlan
    title: str
    sentence: str


@dataclass(frozen=True)
class Choices:
    """The plans that can be reported, with the plans of today and yesterday first."""

    recent: tuple[Choice, ...]
    older: tuple[Choice, ...]
    today: date


@dataclass(frozen=True)
class Overtaken:
    """Someone else reported a place meanwhile: both values, and what was chosen here."""

    index: int
    sentence: str
    theirs: str
    mine: str
    tap: str  # what a button posts to replace it


@dataclass(frozen=True)
class ReportView:
    """The whole page."""

    plan_id: str
    day: date
    situation: str | None
    state: str
    sentence: str
    missing: int
    places: int
    words: Words
    groups: tuple[GroupOfRows, ...]
    choices: Choices
    actions: tuple[PlanAction, ...]
    identity: str
    can_report: bool
    is_long: bool  # too many places to show at once
    open_index: int | None = None
    overtaken: Overtaken | None = None
    problem: str | None = None
    note: str | None = None  # on the duty sheet
    remark: str = ""  # as it was typed, if it was refused
    remark_problem: str | None = None
    typed: tuple[str, str] = ("", "")  # losses and amount in the open panel


LONG = 60


def report_view(campaign: Campaign, plan_id: str, rights: Rights, **shown: Any) -> ReportView:
    """The report of a plan, as far as someone sees it.

    `shown` is what a page without script has open, or has to say.
    """
    report, settings = campaign.report(plan_id), campaign.settings
    plan = seen_by(rights).of(campaign.plan(plan_id), settings)
    words = Words.of(settings)
    rows = rows_of(report, settings, rights)
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        group = settings.arms[settings.find(row.place)].group
        grouped.setdefault(group or (OTHERS if settings.groups else ""), []).append(row)
    order = sorted(grouped, key=lambda name: (name == OTHERS, name))
    is_open = plan.state in (WAITING, PARTLY_TOLD)
    return ReportView(
        plan_id=plan.id,
        day=plan.date,
        situation=plan.situation,
        state=plan.state,
        sentence=STATES[plan.state],
        missing=sum(row.losses is None for row in rows),
        places=len(rows),
        words=words,
        groups=tuple(
            GroupOfRows(name, sum(row.losses is None for row in grouped[name]), tuple(grouped[name]))
            for name in order
        ),
        choices=choices_of(campaign, besides=plan.id),
        actions=actions_of(campaign, plan, is_open=is_open) if rights.may_plan else (),
        identity=campaign.identity,
        can_report=plan.state != CANCELLED,
        note=plan.note,
        is_long=len(rows) > LONG,
        **shown,
    )


def rows_of(
    report: PlanReport, settings: Settings, rights: Rights, places: Iterable[str] | None = None
) -> list[Row]:
    """The places of a report that someone sees, or some of them by any of their names."""
    wanted = None if places is None else {settings.find(name) for name in places}
    index = {each.place: index for index, each in enumerate(report.places)}  # in the plan, whoever sees it
    words, seen = Words.of(settings), seen_by(rights).of(report, settings)
    if report.situation is not None:
        settings = settings.within(settings.situations.find(report.situation))
    return [
        _row(index[each.place], each, settings, words, rights.name)
        for each in seen.places
        if wanted is None or settings.find(each.place) in wanted
    ]


def _row(index: int, each: PlaceReport, settings: Settings, words: Words, author: str) -> Row:
    most = plain(settings.arms[settings.find(each.place)].most)
    note = ""
    if each.amount > most and each.amount != each.planned:
        note = f"{each.amount} is more than its most of {most}. If it is mistyped, correct it."
    before = each.before
    was = ""
    if before is not None:
        granted = f", granted {before.amount}" if before.amount != each.amount else ""
        was = f"before: {words.said(before.losses)}{granted}"
    done = "Saved"
    if each.losses is None:  # an amount alone is no report
        done = "Withdrawn" if before is not None and each.amount == each.planned else "Amount saved"
    when = "" if each.at is None else moment(each.at, settings.timezone)
    if when and each.by != author:
        when += f" by {each.by}"
    saved = f"{done} {when}" if when else ""
    return Row(index, each.place, each.planned, each.losses, each.amount, each.event, saved, when, was, note)


def moment(at: datetime, timezone: str) -> str:
    """A time in the campaign's time zone: 02:14 today, otherwise with its date."""
    zone = names.zone(timezone)
    there = at.astimezone(zone)
    if there.date() == names.now().astimezone(zone).date():
        return f"{there:%H:%M}"
    return f"{there.day} {there:%B}, {there:%H:%M}"


def overtaken_by(row: Row, entry: Entry, words: Words) -> Overtaken:
    """Both values, where someone reported a place meanwhile."""
    theirs = _both(words.said(row.losses), row.amount, row.planned)
    mine = words.said(entry.losses) if entry.says_losses else words.said(row.losses)
    mine = _both(mine, row.planned if entry.amount is None else entry.amount, row.planned)
    sentence = f"Meanwhile, {row.place} was reported: {theirs} ({row.when}). You chose: {mine}."
    what = "" if entry.losses is None else entry.losses
    return Overtaken(row.index, sentence, theirs, mine, f"{row.index}:{what}:{row.event}")


def _both(losses: str, amount: int | float | str, planned: int | float) -> str:
    return losses if str(amount) == str(planned) else f"{losses}, granted {amount}"


def choices_of(campaign: Campaign, on: Any = None, besides: str | None = None) -> Choices:
    """Open plans of today and yesterday, and older ones; of a date, its plans."""
    today, yesterday = campaign.day("today"), campaign.day("yesterday")
    if on is not None:
        found = campaign.to_report(on)
        return Choices(tuple(_choice(each, today, yesterday) for each in found), (), today)
    plans = [each for each in campaign.open_plans() if each.id != besides]
    recent = [each for each in plans if each.date in (today, yesterday)]
    older = [each for each in plans if each.date not in (today, yesterday)]

    def newest_first(found: list[BriefPlan]) -> tuple[Choice, ...]:
        ordered = sorted(found, key=lambda plan: plan.date, reverse=True)  # shifts of a day stay in order
        return tuple(_choice(plan, today, yesterday) for plan in ordered)

    return Choices(newest_first(recent), newest_first(older), today)


def _choice(plan: BriefPlan, today: date, yesterday: date) -> Choice:
    when = {today: "Today", yesterday: "Yesterday"}.get(plan.date, day_in_words(plan.date))
    missing = f"{plan.missing} of {plan.places} places not reported"
    said = "fully reported" if plan.state == TOLD else missing
    of = "" if plan.situation is None else f"{plan.situation}, "
    return Choice(plan, f"{when}, {of}plan {plan.id}", said if plan.state != CLOSED else f"closed, {missing}")


def row_at(campaign: Campaign, plan_id: str, index: int, rights: Rights) -> Row:
    """A place of a plan by where it stands in it."""
    rows = rows_of(campaign.report(plan_id), campaign.settings, rights)
    found = next((each for each in rows if each.index == index), None)
    if found is None:
        raise NotFoundError(f"plan {plan_id} has no place {index}", what="tap", value=index)
    return found
