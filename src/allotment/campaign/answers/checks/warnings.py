"""The warnings: drift (losses at the same amounts changed) and fit (losses are not as the model expects)."""

from collections.abc import Mapping
from datetime import date

import numpy as np

from allotment.arrays import FloatArray
from allotment.campaign.answers.checks.finding import (
    DRIFT,
    FEWEST_DAYS,
    FIT,
    QUIET,
    RAISED,
    TOO_EARLY,
    Finding,
)
from allotment.campaign.answers.checks.simulated import (
    MISFIT,
    NIGHTS,
    SHIFT,
    SPREAD,
    Comparison,
    Course,
)
from allotment.campaign.forms.amounts import count_of, listed
from allotment.campaign.forms.answer import short

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
