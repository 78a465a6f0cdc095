"""All checks of a campaign: the rounds that they take, and the warnings that they give.

There are two warnings besides the calendar's. Drift: losses at the same amounts changed. Fit: losses are not
as the model expects.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np

from allotment.arrays import BoolArray, FloatArray
from allotment.campaign.answers.checks.calendar_alarm import calendar_finding
from allotment.campaign.answers.checks.finding import (
    DRIFT,
    FEWEST_DAYS,
    FIT,
    QUIET,
    RAISED,
    TOO_EARLY,
    Checkup,
    Finding,
)
from allotment.campaign.answers.checks.simulated import (
    MISFIT,
    NIGHTS,
    SHIFT,
    SPREAD,
    Comparison,
    Course,
    compared,
)
from allotment.campaign.forms.amounts import count_of, listed, units_within
from allotment.campaign.forms.answer import short
from allotment.campaign.history.ledger import SeenRows, all_rows, rows_of, tallied
from allotment.campaign.history.plan_records import PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning import decision
from allotment.campaign.planning.plan_bounds import bounds_of, widest
from allotment.simulation.known_curves import Rounds

# How far back the checks look; the newest FEWEST_DAYS days with reports always count.
MOST_ROUNDS = 1000  # more would take minutes
HALF_LIVES = 2  # before the last report; where reports age, older rounds hardly count


def course_of(state: State) -> Course | None:
    """The newest rounds with reports, and the evidence from elsewhere; None if there is no such round.

    Retired places are left out, and so are rounds without a report of an active place. A place that was not
    in a plan counts as a place without a report. A report that an import corrected counts as evidence from
    elsewhere.
    """
    settings = state.settings
    arms = settings.active
    position = np.full(len(settings.arms), -1)
    position[list(arms)] = np.arange(len(arms))
    newest = _newest(state, position >= 0)
    if not newest:
        return None
    plans = [plan for plan, _ in newest]
    in_units = [min(units_within(each, settings.unit), settings.steps) for each in state.amounts.values]
    as_units = np.array(in_units or [0], np.int64)
    units, losses = np.zeros((len(plans), len(arms)), np.int64), np.full((len(plans), len(arms)), np.nan)
    for t, (_, rows) in enumerate(newest):
        units[t, position[rows.arm]] = as_units[rows.amount]
        losses[t, position[rows.arm]] = rows.losses
    chosen = {plan.number for plan in plans}
    rest = all_rows([plan for plan in state.plans if plan.number not in chosen], state.imports)
    half_life = settings.half_life
    before = tallied(rest, state.amounts, half_life, plans[0].date)
    aged = None if half_life is None else state.tallies(half_life, plans[-1].date)
    return Course(
        settings,
        widest([bounds_of(settings.within(number)) for number in settings.situations.numbers]),
        np.array([plan.day for plan in plans]),
        Rounds(np.array([plan.situation for plan in plans]), units, losses),
        decision.model_evidence(settings, before, arms),
        None if aged is None else decision.model_evidence(settings, aged, arms),
    )


def _newest(state: State, active: BoolArray) -> list[tuple[PlanRecord, SeenRows]]:
    """The newest plans with reports of active places, and these reports, in the order of dates."""
    half_life = state.settings.half_life
    told = [plan for plan in state.plans if not plan.cancelled and plan.missing < plan.arms.size]
    found, days, oldest = list[tuple[PlanRecord, SeenRows]](), set[int](), 0.0
    for plan in sorted(told, key=lambda plan: (plan.day, plan.number), reverse=True):
        is_enough = len(days) >= FEWEST_DAYS and plan.day not in days
        if is_enough and (len(found) >= MOST_ROUNDS or plan.day < oldest):
            break
        rows = rows_of(plan, state.imports)
        rows = rows.where(active[rows.arm])
        if not len(rows):
            continue
        if not found and half_life is not None:
            oldest = plan.day - HALF_LIVES * float(half_life)
        found.append((plan, rows))
        days.add(plan.day)
    return found[::-1]


@dataclass(frozen=True, eq=False)
class Begun:
    """What the checks need of a history, so that the history may go on while they simulate."""

    campaign: str
    today: date
    calendar: Finding
    course: Course | None

    @classmethod
    def of(cls, state: State, today: date) -> "Begun":
        """Gather it."""
        return cls(state.settings.name, today, calendar_finding(state), course_of(state))

    def finished(self, progress: Callable[[float], None] = lambda share: None) -> Checkup:
        """Run all checks. The same history gives the same answer on the same date."""
        course = self.course
        if course is None or not course.is_long_enough:
            found = too_early(course)
        else:
            found = drift_and_fit(course, compared(course, progress))
        return Checkup(self.campaign, self.today, (self.calendar, *found))


NAMED = 3  # places or rounds in a sentence
LARGE = 2.0  # half the squared standardised difference of a place that is named: two standard deviations
SHORTEST_HALF_LIFE, ROUNDED_TO = 30, 10  # days
WORDS = {
    MISFIT: "{sees} by place and amount do not fit any curve of the model well",
    NIGHTS: "the {sees} of a round, all places together, vary more than the model expects",
    SPREAD: "counts vary more from round to round than the model expects",
}
LOOK = "Look at these places. Are their reports and amounts right? Split a place whose parts differ much."
REMEDIES = {
    MISFIT: LOOK,
    NIGHTS: "Look at these rounds. If they share something that is known beforehand, such as the day of the "
    "week or an event, name situations (docs/how-to/situations.md).",
    SPREAD: LOOK,
}


def too_early(course: Course | None) -> tuple[Finding, ...]:
    """The findings if there is too little history."""
    days = 0 if course is None else course.reported_days
    sentence = f"{count_of(days, 'day')} with reports of active places so far, and it takes {FEWEST_DAYS}."
    return tuple(Finding(kind, False, TOO_EARLY, sentence, numbers={"days": days}) for kind in (DRIFT, FIT))


def drift_and_fit(course: Course, found: Mapping[str, Comparison]) -> tuple[Finding, ...]:
    """The findings of a campaign that was compared with simulated ones."""
    return drift_finding(course, found[SHIFT]), fit_finding(course, found)


def drift_finding(course: Course, found: Comparison) -> Finding:
    """Whether losses at the same amounts changed on some day."""
    shift, sees = course.shift(course.rounds), course.settings.sees
    k = shift.largest
    day = date.fromordinal(int(course.days[course.breaks[k]]))
    numbers = {**_numbers(found), "days_since": int(course.days[-1]) - day.toordinal() + 1}
    if not found.is_extreme:
        return Finding(
            DRIFT,
            is_alarm=False,
            state=QUIET,
            sentence=f"no sign of a change: {sees} at the same amounts differ most from {day} on, but "
            f"{found.reached} of {found.simulated} simulated campaigns in which nothing changes differ as "
            "much or more.",
            numbers=numbers,
        )
    order = np.argsort(-shift.score[k], kind="stable").tolist()
    named = [i for i in order if shift.score[k, i] >= LARGE] or order[:1]
    since = [
        f"{course.names[i]} {short(shift.after[k, i])} instead of "
        f"{short(max(shift.after[k, i] - shift.excess[k, i], 0.0))}"
        for i in named[:NAMED]
    ]
    more = f" and {count_of(len(named) - NAMED, 'more place')}" if len(named) > NAMED else ""
    half_life = max(SHORTEST_HALF_LIFE, ROUNDED_TO * round(numbers["days_since"] / ROUNDED_TO))
    remedy = "Let old reports count less: set the number of days after which a report counts half."
    current = course.settings.half_life
    if current is not None:
        half_life = min(half_life, int(current) // 2)
        remedy = f"Reports count half after {current:f} days. A shorter time forgets faster."
        if not half_life:
            remedy = f"None: with a half-life of {current:f}, plans follow a change within days."
    return Finding(
        DRIFT,
        is_alarm=False,
        state=RAISED,
        sentence=f"{sees} at the same amounts changed around {day}: since then {', '.join(since)}{more}. "
        '"Instead of" is what an even spread over time would give. Of the simulated campaigns in which '
        f"nothing changes, {found.reached} of {found.simulated} differ as much.",
        remedy=remedy,
        command=f"allotment change STORE --half-life {half_life}" if half_life else "",
        numbers={**numbers, "half_life": half_life} if half_life else numbers,
    )


def fit_finding(course: Course, found: Mapping[str, Comparison]) -> Finding:
    """Whether losses are as the model expects by place and amount, and by round; and whether counts are."""
    others = {name: each for name, each in found.items() if name != SHIFT}
    raised = {name: each for name, each in others.items() if each.is_extreme}
    numbers = {
        f"{name}_{part}": value for name, each in others.items() for part, value in _numbers(each).items()
    }
    if not raised:
        least = min(others.values(), key=lambda each: each.reached)
        return Finding(
            FIT,
            is_alarm=False,
            state=QUIET,
            sentence=f"no sign of a bad fit: {least.reached} of {least.simulated} simulated campaigns are "
            "as far from what the model expects as this one, or farther.",
            numbers=numbers,
        )
    name = min(raised, key=lambda each: raised[each].reached)
    parts = course.misfit(course.rounds)[name]
    which = _rounds(course, parts) if name == NIGHTS else _places(course, parts)
    return Finding(
        FIT,
        is_alarm=False,
        state=RAISED,
        sentence=f"{WORDS[name].format(sees=course.settings.sees)}. Of the simulated campaigns, "
        f"{raised[name].reached} of {raised[name].simulated} are as far off. {which}",
        remedy=REMEDIES[name],
        numbers=numbers,
    )


def _places(course: Course, parts: FloatArray) -> str:
    shares = [f"{course.names[i]} {100.0 * parts[i] / parts.sum():.0f} %" for i in _largest(parts)]
    return f"Largest shares: {listed(shares)}."


def _rounds(course: Course, parts: FloatArray) -> str:
    days = [date.fromordinal(int(course.days[t])).isoformat() for t in _largest(parts)]
    return f"Most unusual: {listed(days)}."


def _largest(parts: FloatArray) -> list[int]:
    found: list[int] = np.argsort(-parts, kind="stable")[:NAMED].tolist()
    return found


def _numbers(found: Comparison) -> dict[str, float]:
    return {"statistic": found.value, "reached": found.reached, "simulated": found.simulated}
