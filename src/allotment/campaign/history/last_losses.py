"""When each place last had a loss (or a find), by the dates of rounds and without gathering all rows."""

from datetime import date

import numpy as np

from allotment.arrays import IntArray
from allotment.campaign.history.ledger import all_rows
from allotment.campaign.history.state import State


def days_since_losses(state: State, arms: IntArray, day: date) -> list[int | None]:
    """The days from the last loss of each arm before a date to this date; None where none is known.

    Reports and logs count under the dates of their rounds, whenever they came.
    """
    last = _last_losses(state, day.toordinal())[arms]
    return [day.toordinal() - each if each else None for each in last.tolist()]


def _last_losses(state: State, before: int) -> IntArray:
    """The day of the last loss of each arm before a day, as ordinals; 0 where there is none."""
    last = np.zeros(len(state.settings.arms), np.int64)
    live = [each for each in state.imports if each.live]
    if any(each.replaced.size for each in live):  # rare: a log that corrected reports, or another log
        rows = all_rows(state.plans, live)
        _take(last, rows.arm[rows.losses > 0], rows.day[rows.losses > 0], before)
        return last
    for plan in state.plans:
        if plan.day < before and plan.lost.size:
            last[plan.lost] = np.maximum(last[plan.lost], plan.day)
    for each in live:
        _take(last, *each.lost, before)
    return last


def _take(last: IntArray, arms: IntArray, days: IntArray, before: int) -> None:
    """Take in losses of arms on days."""
    earlier = days < before
    np.maximum.at(last, arms[earlier], days[earlier])
