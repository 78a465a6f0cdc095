"""The calendar alarm: do weekends lose more, or less, than the other nights of their week?

If the nights of a week are alike and grants do not react to losses of the same week, each pair of nights is
as likely as the weekend to have its number of losses. So exp(β·S) of the weekend, over the mean of exp(β·S)
over all 21 pairs, is 1 in expectation, whatever the loss rates are and whatever was granted in earlier weeks.
Its product over weeks is a test martingale, as is the mean of such products over β. By Ville's inequality, a
campaign ever raises the calendar alarm (evidence of 100) with probability 1 % at most. Plans react a little;
the study counts how often that raised a false alarm (docs/studies/checks.md).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.campaign.answers.checks.finding import CALENDAR, NOT_NEEDED, QUIET, RAISED, TOO_EARLY, Finding
from allotment.campaign.forms.amounts import count_of
from allotment.campaign.forms.answer import spoken
from allotment.campaign.history.ledger import corrected_reports
from allotment.campaign.history.state import State
from allotment.campaign.settings.situations import Situations

BETAS = np.array([-1.0, -0.5, -0.25, 0.25, 0.5, 1.0])
RAISED_AT = math.log(100.0)
FIRST_DAY = 15  # of the campaign: a week counts if it begins on this day or later
WEEK, WEEKEND = 7, (5, 6)
PAIRS = np.array(list(combinations(range(WEEK), 2)))


def week_evidence(losses: FloatArray) -> FloatArray:
    """The logarithm of the evidence of each week (Monday to Sunday), by β: weeks x betas."""
    pairs = losses[:, PAIRS].sum(axis=2)
    weighted = BETAS[:, None, None] * pairs
    largest = weighted.max(axis=2)
    mean = np.log(np.exp(weighted - largest[:, :, None]).mean(axis=2)) + largest
    weekend = losses[:, list(WEEKEND)].sum(axis=1)
    found: FloatArray = (BETAS[:, None] * weekend - mean).T
    return found


def running_evidence(losses: FloatArray) -> FloatArray:
    """The logarithm of the evidence after each week; `losses` is weeks x 7 nights."""
    products = np.cumsum(week_evidence(losses), axis=0)
    if not len(products):
        return np.zeros(0)
    largest = products.max(axis=1)
    found: FloatArray = np.log(np.exp(products - largest[:, None]).mean(axis=1)) + largest
    return found


class Night(NamedTuple):
    """The losses of a date, and what makes it comparable with others: its plans' situations and places."""

    losses: float
    alike: tuple[object, ...]


@dataclass(frozen=True)
class Weeks:
    """Whole weeks: their Mondays, and the losses of each night."""

    mondays: tuple[date, ...]
    losses: FloatArray  # weeks x 7
    left_out: int  # weeks that are over, but were not whole or had different situations

    @property
    def raised(self) -> date | None:
        """The Sunday on which the alarm was raised; it stays raised."""
        reached = np.flatnonzero(running_evidence(self.losses) >= RAISED_AT)
        return self.mondays[int(reached[0])] + timedelta(days=WEEK - 1) if reached.size else None


def whole_weeks(nights: dict[date, Night], situations: Situations, first: date | None) -> Weeks:
    """The weeks whose seven nights are reported in full and alike; `first` is the date of the first plan."""
    by_week: dict[int, list[date]] = {}
    for day in sorted(nights):
        by_week.setdefault(day.toordinal() - day.weekday(), []).append(day)
    last = max(nights, default=date.min).toordinal()
    mondays, losses, left_out = list[date](), list[list[float]](), 0
    for monday, days in by_week.items():  # as numbers: a week may begin before the first date that there is
        if first is None or monday < first.toordinal() + FIRST_DAY - 1:
            continue
        kinds = {(nights[day].alike, situations.on(day)) for day in days}
        if len(days) == WEEK and len(kinds) == 1:
            mondays.append(days[0])
            losses.append([nights[day].losses for day in days])
        elif monday + WEEK <= last + 1:
            left_out += 1
    return Weeks(tuple(mondays), np.array(losses).reshape(-1, WEEK), left_out)


def nights_of(state: State) -> tuple[dict[date, Night], date | None]:
    """The dates whose plans are all reported in full, and the date of the first plan."""
    carried_out = [plan for plan in state.plans if not plan.cancelled]
    open_days = {plan.day for plan in carried_out if plan.missing}
    whole = [plan for plan in carried_out if plan.day not in open_days]
    rows = corrected_reports(whole, state.imports)
    days, inverse = np.unique(rows.day, return_inverse=True)
    totals = dict(zip(days.tolist(), np.bincount(inverse, rows.losses, days.size).tolist(), strict=True))
    alike: dict[int, list[tuple[int, bytes]]] = {}
    for plan in whole:
        alike.setdefault(plan.day, []).append((plan.situation, plan.arms.tobytes()))
    nights = {
        date.fromordinal(day): Night(totals.get(day, 0.0), tuple(sorted(plans)))
        for day, plans in alike.items()
    }
    return nights, min((plan.date for plan in carried_out), default=None)


def calendar_finding(state: State) -> Finding:
    """Whether weekends differ from the other nights of their weeks."""
    nights, first = nights_of(state)
    situations = state.settings.situations
    weeks = whole_weeks(nights, situations, first)
    newest = max(nights, default=first)
    if not weeks.mondays and newest is not None and _tells_weekends_apart(situations, newest):
        return Finding(
            CALENDAR,
            is_alarm=True,
            state=NOT_NEEDED,
            sentence="the calendar gives weekends situations of their own, so plans tell them apart already.",
        )
    return finding_of(weeks, state.settings.sees)


def _tells_weekends_apart(situations: Situations, around: date) -> bool:
    """Whether no night of the weekend has the situations of another night of its week."""
    monday = min(max(around.toordinal() - around.weekday(), 1), date.max.toordinal() - WEEK)
    on = [situations.on(date.fromordinal(monday + k)) for k in range(WEEK)]
    return not {on[k] for k in WEEKEND} & {on[k] for k in range(WEEK) if k not in WEEKEND}


def finding_of(weeks: Weeks, sees: str = "losses") -> Finding:
    """The result of the test, in words."""
    count = len(weeks.mondays)
    left_out = f" {_left_out(weeks.left_out)}" if weeks.left_out else ""
    if not count:
        return Finding(
            CALENDAR,
            is_alarm=True,
            state=TOO_EARLY,
            sentence="no whole week with alike nights is reported yet. Weeks count, Monday to Sunday, from "
            f"day {FIRST_DAY} of the campaign.{left_out}",
        )
    weekend = float(weeks.losses[:, list(WEEKEND)].mean())
    others = float(weeks.losses[:, : WEEKEND[0]].mean())
    path = running_evidence(weeks.losses)
    numbers = {
        "weeks": count,
        "weeks_left_out": weeks.left_out,
        "weekend_mean": weekend,
        "weekday_mean": others,
        "log_evidence": float(path[-1]),
        "largest_log_evidence": float(path.max()),
    }
    means = f"a weekend night has {spoken(weekend)} {sees} on average, another night {spoken(others)}"
    over = f"in {count_of(count, 'whole week')}"
    raised = weeks.raised
    if raised is None:
        sentence = f"no sign that weekends differ: {over}, {means}.{left_out}"
        return Finding(CALENDAR, True, QUIET, sentence, numbers=numbers)
    sentence = (
        f"weekends differ from other nights: {over}, {means}. The test reached its limit on {raised}; if "
        "nights were alike and plans did not react within a week, at most 1 of 100 campaigns would reach it."
        f"{left_out}"
    )
    return Finding(
        CALENDAR,
        is_alarm=True,
        state=RAISED,
        sentence=sentence,
        remedy="Name weekday and weekend as situations, so that each gets its own loss rates and plans "
        "(docs/how-to/situations.md).",
        command="allotment change STORE --situations weekday,weekend --calendar week.toml",
        numbers=numbers,
    )


def _left_out(weeks: int) -> str:
    were = "week is" if weeks == 1 else "weeks are"
    return f"{weeks} {were} left out: reports are missing, or the nights have different plans."


def calendar_line(state: State) -> Sequence[str]:
    """The sentence for the status if the alarm is raised."""
    found = calendar_finding(state)
    return [f"Calendar alarm: {found.sentence} {found.remedy}"] if found.is_raised else []
