"""Rows of a log by their key, which is place, date and situation: read by the calendar, and added up."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np

from allotment.campaign.forms.amounts import listed
from allotment.campaign.logs.log_rows import TOO_MANY, LogRows, Refused
from allotment.campaign.settings.situations import Situations


def from_calendar(rows: LogRows, situations: Situations) -> LogRows:
    """The rows with the situations of their dates, where none is stated; refused if a date has several."""
    if not situations:
        return rows
    days, inverse = np.unique(rows.day, return_inverse=True)
    on = [situations.on(date.fromordinal(day)) for day in days.tolist()]
    unstated = rows.stated == 0
    found = np.where(unstated, np.array([each[0] for each in on], np.int64)[inverse], rows.situation)
    rows, unclear = replace(rows, situation=found), np.zeros(rows.day.size, bool)
    for position in np.flatnonzero([len(each) > 1 for each in on]).tolist():
        which = unstated & (inverse == position)
        names = listed(situations.names[number] for number in on[position])
        day = date.fromordinal(int(days[position]))
        reason = f"its date, {day}, has several situations; expected one of {names} in a column situation"
        mistake = "its date has several situations"
        rows.refused.extend(Refused(line, reason, mistake) for line in rows.line[which].tolist())
        unclear |= which
    return rows.without(unclear)


def merged(rows: LogRows, *, one_round: bool) -> LogRows:
    """Rows of the same arm, day, situation and amount added up; with `one_round` they are one round together.

    A situation counts as stated if one of the rows states it.
    """
    key = rows.key
    order = np.lexsort((rows.line, rows.amount, key))
    key, amount = key[order], rows.amount[order]
    first = np.ones(order.size, bool)
    first[1:] = (key[1:] != key[:-1]) | (amount[1:] != amount[:-1])
    group = np.cumsum(first) - 1
    places = order[first]
    together = np.bincount(group, rows.incidents[order], places.size)  # floats do not wrap around
    incidents = np.minimum(together, TOO_MANY).astype(np.int64)
    stated = np.bincount(group, rows.stated[order], places.size) > 0
    exposures, exposure = rows.exposures, rows.exposure[places]
    if not one_round and places.size < order.size:
        sums = [Decimal(0)] * places.size
        for where, each in zip(group.tolist(), rows.exposure[order].tolist(), strict=True):
            sums[where] += exposures[each]
        exposures = sorted(set(sums))
        index = {value: place for place, value in enumerate(exposures)}
        exposure = np.array([index[value] for value in sums], np.int64)
    return LogRows(
        arm=rows.arm[places],
        day=rows.day[places],
        amount=rows.amount[places],
        exposure=exposure,
        incidents=incidents,
        line=rows.line[places],
        situation=rows.situation[places],
        stated=stated.astype(np.int64),
        amounts=rows.amounts,
        exposures=exposures,
        read=rows.read,
        counts_exposure=rows.counts_exposure,
        heading=rows.heading,
        ignored=rows.ignored,
        refused=rows.refused,
    )
