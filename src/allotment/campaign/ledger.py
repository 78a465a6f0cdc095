"""Rows of what was seen, from reports and imports; and the evidence that they add up to, exactly."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.plans import UNTOLD, Amounts, PlanRecord


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns: arm, day (as an ordinal), amount (by number), rounds, losses, and the event that said so."""

    arm: IntArray
    day: IntArray
    amount: IntArray
    rounds: FloatArray
    losses: IntArray
    event: IntArray

    def __len__(self) -> int:
        return self.arm.size

    def where(self, chosen: Any) -> "Rows":
        """Some of the rows."""
        return Rows(*(getattr(self, column.name)[chosen] for column in fields(self)))

    @property
    def key(self) -> IntArray:
        """Arm and day in one number."""
        return keys(self.arm, self.day)


def keys(arms: IntArray, days: IntArray) -> IntArray:
    """Arm and day in one number, by which rows of a log are known."""
    return (arms << 24) + days  # days up to the year 9999 take 22 bits


def joined(parts: Iterable[Rows]) -> Rows:
    """All rows, one part after the other."""
    found = list(parts)
    if not found:
        nothing = np.empty(0, np.int64)
        return Rows(nothing, nothing, nothing, np.empty(0), nothing, nothing)
    return Rows(*(np.concatenate([getattr(part, column.name) for part in found]) for column in fields(Rows)))


@dataclass
class ImportRecord:
    """One import: its rows, and which (arm, day) it replaced. Not live: it was undone."""

    id: str
    event: int
    rows: Rows
    replaced: IntArray  # keys
    live: bool = True


def imported(
    event: int, payload: Mapping[str, Any], names: Mapping[str, int], known: Amounts
) -> ImportRecord:
    """The import that an event tells of."""
    arms = np.array([names[name] for name in payload["arms"]], np.int64)
    amounts = np.array([known.number(Decimal(text)) for text in payload["amounts"]], np.int64)
    exposures = np.array([float(text) for text in payload["exposures"]])
    first = date.fromisoformat(payload["first"]).toordinal()
    rows, replaced = payload["rows"], payload["replaced"]
    columns = {name: np.array(rows[name], np.int64) for name in rows}
    if len({column.size for column in columns.values()}) != 1:
        raise ValueError("columns of different lengths")
    return ImportRecord(
        payload["import"],
        event,
        Rows(
            arms[columns["arm"]],
            first + columns["day"],
            amounts[columns["amount"]],
            exposures[columns["exposure"]],
            columns["incidents"],
            np.full(columns["arm"].size, event),
        ),
        keys(arms[np.array(replaced["arm"], np.int64)], first + np.array(replaced["day"], np.int64)),
    )


def reported(plans: Iterable[PlanRecord]) -> Rows:
    """The rows of all reports; those of cancelled plans there are none."""
    parts = []
    for plan in plans:
        told = plan.losses != UNTOLD
        amounts = np.where(plan.amounts == UNTOLD, plan.planned, plan.amounts)[told]
        arms = plan.arms[told]
        one = np.ones(arms.size)
        parts.append(
            Rows(arms, np.full(arms.size, plan.day), amounts, one, plan.losses[told], plan.told[told])
        )
    return joined(parts)


def all_rows(plans: Iterable[PlanRecord], imports: Iterable[ImportRecord]) -> Rows:
    """What is known, each thing once: an import that corrects replaces what was known before."""
    live = [each for each in imports if each.live]
    rows = joined([reported(plans), *(each.rows for each in live)])
    for each in live:
        if each.replaced.size:
            rows = rows.where((rows.event >= each.event) | ~np.isin(rows.key, each.replaced))
    return rows


class Tally(NamedTuple):
    """Rounds and losses of an arm (by number) at an amount."""

    arm: int
    amount: Decimal
    rounds: float
    losses: float


def tallied(
    rows: Rows, known: Amounts, half_life: Decimal | None = None, on: date | None = None
) -> list[Tally]:
    """Rows added up by arm and amount, in that order; aged to a date if there is a half-life.

    Whole numbers, or sums that are rounded once whatever their order: the same rows give the same bits.
    """
    if not len(rows):
        return []
    width = len(known.values)
    groups, inverse = np.unique(rows.arm * width + rows.amount, return_inverse=True)
    weights = np.ones(len(rows))
    if half_life is not None and on is not None:
        days, places = np.unique(rows.day, return_inverse=True)
        age = [max(on.toordinal() - day, 0) / float(half_life) for day in days.tolist()]
        weights = np.array([math.pow(2.0, -each) for each in age])[places]
    columns = []
    for column in (rows.rounds, rows.losses):
        weighted = weights * column
        if (weighted == np.floor(weighted)).all():
            columns.append(np.bincount(inverse, weighted, groups.size).tolist())
        else:
            order = np.argsort(inverse, kind="stable")
            parts = np.split(weighted[order], np.cumsum(np.bincount(inverse, minlength=groups.size))[:-1])
            columns.append([math.fsum(part.tolist()) for part in parts])
    found = [
        Tally(group // width, known.values[group % width], rounds, losses)
        for group, rounds, losses in zip(groups.tolist(), *columns, strict=True)
    ]
    return sorted(found)
