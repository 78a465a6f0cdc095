"""Places from which no report came for some days, although plans had them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from allotment.arrays import IntArray
from allotment.campaign.forms.amounts import count_of, listed
from allotment.campaign.forms.answer import Answer, Record
from allotment.campaign.history.plan_records import UNTOLD
from allotment.campaign.history.state import State
from allotment.checks import whole

DAYS = 7
MOST_DAYS = 10_000
NEVER = date.max.toordinal()


@dataclass(frozen=True)
class UnreportedPlace(Record):
    """A place without a report for some days."""

    place: str
    last_report: date | None  # the date of the round that its last report, or row of a log, is about
    since: date  # the date of the first plan after it that had the place
    days: int  # from that date to today
    plans: int  # from that date to today that had the place


@dataclass(frozen=True)
class Unreported(Answer):
    """The places that have been without a report for some days, the longest first.

    A place counts from the first plan that had it after its last report. So no place is named that was in no
    plan, or that was added less than these days ago. A report belongs to the date of its plan, however late
    it comes; logs are reports, too. Retired places and cancelled plans are left out.

    Attributes
    ----------
    today : datetime.date
        The date to which days are counted.
    at_least : int
        The number of days that was asked for.
    active : int
        The number of active places.
    places : tuple of UnreportedPlace
        The places without a report.
    unplanned : tuple of str
        Further places whose last report is that old, but that no plan has had since.
    """

    today: date
    at_least: int
    active: int
    places: tuple[UnreportedPlace, ...]
    unplanned: tuple[str, ...]

    def columns(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return ("place", "last report", "no report since", "days", "plans")

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per place."""
        return [(each.place, each.last_report, each.since, each.days, each.plans) for each in self.places]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """Columns and rows for people: a place without any report says "never"."""
        return self.columns(), [(name, last or "never", *rest) for name, last, *rest in self.rows()]

    def sentences(self) -> list[str]:
        """How many places have no report, and which ones had no plan."""
        days = count_of(self.at_least, "day")
        if self.places:
            have, them = ("has", "it") if len(self.places) == 1 else ("have", "them")
            of = f"{len(self.places)} of {count_of(self.active, 'active place')}"
            said = [f"{of} {have} had no report for at least {days}, although plans had {them}."]
        else:
            said = [f"No active place has waited {days} or longer for a report."]
        if self.unplanned:
            said.append(f"In no plan since their last report: {listed(self.unplanned)}.")
        return said


def unreported_in(state: State, days: int = DAYS) -> Unreported:
    """The active places without a report for at least some days, at the end of a history."""
    days = whole("days", days, least=1, most=MOST_DAYS)
    settings, plans = state.settings, [plan for plan in state.plans if not plan.cancelled]
    today = settings.day()
    last = last_reports(state)
    since, waiting = np.full_like(last, NEVER), np.zeros_like(last)
    for plan in plans:
        if plan.day <= today.toordinal():
            arms = plan.arms[(plan.losses == UNTOLD) & (last[plan.arms] < plan.day)]
            since[arms] = np.minimum(since[arms], plan.day)
            waiting[arms] += 1
    latest = today.toordinal() - days  # name a place if its first plan without a report is not after this day
    found = [
        UnreportedPlace(
            place=settings.arms[arm].name,
            last_report=date.fromordinal(int(last[arm])) if last[arm] else None,
            since=date.fromordinal(int(since[arm])),
            days=today.toordinal() - int(since[arm]),
            plans=int(waiting[arm]),
        )
        for arm in settings.active
        if since[arm] <= latest
    ]
    return Unreported(
        today=today,
        at_least=days,
        active=len(settings.active),
        places=tuple(sorted(found, key=lambda each: each.since)),
        unplanned=tuple(
            settings.arms[arm].name
            for arm in settings.active
            if 0 < last[arm] <= latest and since[arm] == NEVER
        ),
    )


def last_reports(state: State) -> IntArray:
    """The day that the last report of each arm is about, as an ordinal; 0 if it has none."""
    last = np.zeros(len(state.settings.arms), np.int64)
    for plan in state.plans:  # cancelled plans have no reports
        arms = plan.arms[plan.losses != UNTOLD]
        last[arms] = np.maximum(last[arms], plan.day)
    for each in state.imports:
        if each.live:
            np.maximum.at(last, each.rows.arm, each.rows.day)
    return last
