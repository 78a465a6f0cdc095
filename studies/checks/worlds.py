"""Campaigns of half a year in worlds of eight kinds, and in worlds that contradict the model."""

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.answers.checks.calendar_alarm import Night, Weeks, whole_weeks
from allotment.campaign.answers.checks.simulated import Course
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.settings.changes import first_settings
from allotment.campaign.settings.situations import Situations
from allotment.evidence import Evidence
from allotment.simulation.known_curves import Rounds, replayed
from studies.rehearsal import STEPS, WORLDS, remaining

KINDS = (*WORLDS, "mixed", "piecewise", "stairs")
MANY_PLACES, FEW_PLACES, DAYS = 60, 15, 180  # the rehearsal has 60 places
CHANGE = 90  # days before rates change
FIRST = date(2026, 1, 5)  # a Monday
RATES = (0.05, 0.6)
HIGHEST_RATE = 0.98
POINTS = 6  # of a piecewise response


@dataclass(frozen=True)
class Trouble:
    """What contradicts the model: factors of loss rates, or curves that no place should have."""

    weekend: float = 1.0  # the factor of all loss rates on Saturdays and Sundays,
    weekday: float = 1.0  # and on other days
    drift: float = 1.0  # the factor of a third of the loss rates after 90 days
    perverse: bool = False  # a third of the places lose more the more they are granted


NONE = Trouble()


def daily_curves(kind: str, places: int, luck: np.random.Generator) -> FloatArray:
    """The share of losses that remains, by place and amount."""
    if kind in WORLDS:
        return remaining(kind, places, luck)
    if kind == "mixed":
        tables = np.array([remaining(each, places, luck) for each in WORLDS])
        mixed: FloatArray = tables[luck.integers(len(WORLDS), size=places), np.arange(places)]
        return mixed
    amounts = np.arange(STEPS + 1)
    if kind == "piecewise":
        falls = np.cumsum(luck.dirichlet(np.ones(POINTS - 1), places), axis=1)
        rows = np.column_stack([np.ones(places), 1.0 - np.minimum(falls, 1.0)])
        at = np.linspace(0.0, STEPS, POINTS)
        return np.array([np.interp(amounts, at, row) for row in rows])
    second = luck.integers(2, STEPS + 1, (places, 1))
    first, left = luck.integers(1, second), luck.uniform(0.2, 0.8, (places, 1))
    return np.where(amounts >= second, 0.0, np.where(amounts >= first, left, 1.0))


@dataclass(frozen=True, eq=False)
class Campaign:
    """One campaign, played to its end."""

    course: Course

    def until(self, day: int) -> Course:
        """The campaign as it was after some days."""
        whole = self.course
        situations, units, losses = whole.rounds
        rounds = Rounds(situations[:day], units[:day], losses[:day])
        return Course(whole.settings, whole.bounds, whole.days[:day], rounds, whole.before)

    @property
    def weeks(self) -> Weeks:
        """The weeks that the calendar alarm tests."""
        losses, days = self.course.rounds.losses, self.course.days.tolist()
        pairs = zip(days, losses, strict=True)
        nights = {
            date.fromordinal(day): Night(float(lost.sum()), ())
            for day, lost in pairs
            if not np.isnan(lost).any()
        }
        return whole_weeks(nights, Situations(), date.fromordinal(days[0]))

    @property
    def alarm_day(self) -> float:
        """The day of the campaign on which the calendar alarm was raised; infinite if it was not."""
        raised = self.weeks.raised
        return np.inf if raised is None else raised.toordinal() - int(self.course.days[0]) + 1


def played(
    kind: str, seed: int, trouble: Trouble = NONE, *, places: int = FEW_PLACES, days: int = DAYS
) -> Campaign:
    """Play a campaign. The same seed gives the same places and first weekday, whatever the trouble."""
    luck = np.random.default_rng([seed, KINDS.index(kind)])
    curves, rates = daily_curves(kind, places, luck), luck.uniform(*RATES, places)
    third = luck.permutation(places)[: places // 3]
    if trouble.perverse:
        curves[third] = curves[third, ::-1]
    names = [f"Zone {i}" for i in range(places)]
    budget = places * STEPS // 4
    settings = first_settings("any", arms=names, budget=budget, unit=1, most=STEPS, seed=seed)
    first = FIRST + timedelta(days=seed % 7)
    dates = first.toordinal() + np.arange(days)
    situations = np.zeros(days, np.int64)
    course = Course(
        settings, bounds_of(settings), dates, Rounds(situations, situations, rates), Evidence(places)
    )
    worlds, which = _worlds(curves, rates, third, trouble, first.weekday(), days)
    uniforms = luck.random((days, places))
    begun = course.started(course.before)
    rounds = replayed(begun, np.random.default_rng([seed, 1]), worlds, which, situations, uniforms)
    return Campaign(Course(settings, course.bounds, dates, rounds, course.before))


def _worlds(
    curves: FloatArray, rates: FloatArray, third: IntArray, trouble: Trouble, weekday: int, days: int
) -> tuple[FloatArray, IntArray]:
    """Four worlds (weekday and weekend, before and after the change), and which of them each day has."""
    later = np.ones(rates.size)
    later[third] = trouble.drift
    factors = [
        week * change
        for change in (np.ones(rates.size), later)
        for week in (trouble.weekday, trouble.weekend)
    ]
    worlds = np.array([np.minimum(rates * each, HIGHEST_RATE)[:, None] * curves for each in factors])
    on = np.arange(days)
    return worlds, 2 * (on >= CHANGE) + ((weekday + on) % 7 >= 5)
