"""Rows of reports and imports, and the exact evidence that they add up to."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import exact
from allotment.campaign.forms.payloads import TEXT, check_import_report, column, counts, keyed
from allotment.campaign.history.plan_records import SITUATION, UNTOLD, Amounts, PlanRecord
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situations import MOST, Situations
from allotment.checks import LARGEST_COUNT
from allotment.errors import ConflictError, InputError

IMPORT = ("import", "arms", "amounts", "exposures", "first", "rows", "replaced", "report")
COLUMNS = ("arm", "day", "amount", "exposure", "incidents")
KEY = ("arm", "day")
LAST_DAY = date.max.toordinal()
FORGOTTEN = 600  # half-lives after which a report counts nothing; what it counts before is no 0 as a float


@dataclass(frozen=True, eq=False)
class SeenRows:
    """Columns: arm, day (as an ordinal), amount (by number), rounds, losses, and the event that said so.

    `origin` is the situation as it was recorded, and whether it was stated; `situation` is how the calendar
    reads it now.
    """

    arm: IntArray
    day: IntArray
    amount: IntArray
    rounds: FloatArray
    losses: IntArray
    event: IntArray
    origin: IntArray
    situation: IntArray

    def __len__(self) -> int:
        return self.arm.size

    def where(self, chosen: Any) -> "SeenRows":
        """Some of the rows."""
        return SeenRows(*(getattr(self, column.name)[chosen] for column in fields(self)))

    @property
    def key(self) -> IntArray:
        """Arm, situation and day in one number."""
        return keys(self.arm, self.day, self.situation)

    @property
    def recorded_key(self) -> IntArray:
        """The same with the situation as it was recorded, which no calendar changes."""
        return keys(self.arm, self.day, self.origin)

    @property
    def situation_key(self) -> IntArray:
        """The same, whether the situation was stated or not."""
        return keys(self.arm, self.day, situation_in_origin(self.origin)[0])


def keys(arms: IntArray, days: IntArray, situations: IntArray) -> IntArray:
    """Arm, situation (or origin) and day in one number, by which rows of a log are known."""
    return (arms << 32) + (situations << 24) + days  # days up to the year 9999 take 22 bits


def parts_of(keys: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """What `keys` put together: arms, days, and situations or origins."""
    return keys >> 32, keys & 0xFFFFFF, keys >> 24 & 0xFF


def origin_of(situation: Any, stated: Any) -> Any:
    """A situation as it was recorded, and whether it was stated, in one number (or arrays of them)."""
    return 2 * situation + stated


def situation_in_origin(origins: IntArray) -> tuple[IntArray, IntArray]:
    """What `origin_of` put together: situations, and whether they were stated."""
    return origins >> 1, origins & 1


def read_situations(days: IntArray, origins: IntArray, situations: Situations) -> IntArray:
    """The situations of recorded rounds, as they are read now."""
    if not situations:
        return np.zeros_like(origins)
    pairs, inverse = np.unique(keys(origins, days, np.zeros_like(days)), return_inverse=True)
    recorded, ordinals, _ = parts_of(pairs)
    found = [
        situations.read(date.fromordinal(day), origin >> 1, bool(origin & 1))
        for day, origin in zip(ordinals.tolist(), recorded.tolist(), strict=True)
    ]
    return np.array(found, np.int64)[inverse]


def joined(parts: Iterable[SeenRows]) -> SeenRows:
    """All rows, one part after the other."""
    found = list(parts)
    if not found:
        nothing = np.empty(0, np.int64)
        return SeenRows(nothing, nothing, nothing, np.empty(0), nothing, nothing, nothing, nothing)
    return SeenRows(
        *(np.concatenate([getattr(part, column.name) for part in found]) for column in fields(SeenRows))
    )


@dataclass
class ImportRecord:
    """One import: its rows, and which recorded (arm, day, situation) it replaced. Not live: it was undone."""

    id: str
    event: int
    rows: SeenRows
    replaced: IntArray  # recorded keys
    live: bool = True

    @cached_property
    def lost(self) -> tuple[IntArray, IntArray]:
        """The arms and days of its rows with losses."""
        lost = self.rows.losses > 0
        return self.rows.arm[lost], self.rows.day[lost]

    def read_again(self, situations: Situations) -> None:
        """Read the situations of its rows by another calendar."""
        rows = self.rows
        self.rows = replace(rows, situation=read_situations(rows.day, rows.origin, situations))

    def check_live(self) -> None:
        """Raise an error if the import was undone."""
        if not self.live:
            raise ConflictError(f"{self.id} was undone already", what="import", value=self.id)


def exposure_of(settings: Settings, value: Any) -> Decimal:
    """How many rounds a row stands for."""
    found = exact("exposure", value, above=True)
    if settings.losses == "binary" and found != found.to_integral_value():
        raise InputError.of("exposure", value, "a whole number of rounds, since losses are yes or no")
    return found


def imported(
    event: int, payload: Mapping[str, Any], settings: Settings, known: Amounts, before: int
) -> ImportRecord:
    """The import that an event records, after the earlier imports."""
    situations = settings.situations
    keyed("the import", payload, IMPORT, ("situations",))
    told_apart = "situations" in payload  # not by imports from before the first situations
    if payload["import"] != f"import-{before + 1}":
        raise InputError.of("import", payload["import"], f"import-{before + 1}, the next one")
    arms = np.array([settings.aliases[name] for name in column("arms", payload["arms"], TEXT)], np.int64)
    amounts = [exact("an amount", each) for each in column("amounts", payload["amounts"], TEXT)]
    exposures = [exposure_of(settings, each) for each in column("exposures", payload["exposures"], TEXT)]
    named = column("situations", payload.get("situations", []), TEXT)
    numbered = np.array([situations.aliases[name] for name in named], np.int64)
    first = names.stored_day("first", payload["first"]).toordinal()
    limits = {
        "arm": arms.size,
        "day": LAST_DAY + 1 - first,
        "amount": len(amounts),
        "exposure": len(exposures),
        "incidents": LARGEST_COUNT + 1,
        "situation": len(named),
        "stated": 2,
    }
    further = SITUATION if told_apart else ()
    rows = _columns("rows", payload["rows"], (*COLUMNS, *further), limits)
    replaced = _columns("replaced", payload["replaced"], (*KEY, *further), limits)

    def origins(table: dict[str, IntArray]) -> IntArray:
        if not told_apart:
            return np.zeros_like(table["arm"])
        return np.asarray(origin_of(numbered[table["situation"]], table["stated"]), np.int64)

    days, origin = first + rows["day"], origins(rows)
    rounds = np.array([float(each) for each in exposures])[rows["exposure"]]
    if settings.losses == "binary" and (rows["incidents"] > rounds).any():
        raise ValueError("there are more incidents than rounds, but losses are yes or no")
    check_import_report(payload["report"])
    numbers = np.array([known.number(each) for each in amounts], np.int64)
    return ImportRecord(
        payload["import"],
        event,
        SeenRows(
            arms[rows["arm"]],
            days,
            numbers[rows["amount"]],
            rounds,
            rows["incidents"],
            np.full(rounds.size, event),
            origin,
            read_situations(days, origin, situations),
        ),
        keys(arms[replaced["arm"]], first + replaced["day"], origins(replaced)),
    )


def _columns(what: str, content: Any, called: tuple[str, ...], limits: dict[str, int]) -> dict[str, IntArray]:
    """Columns of whole numbers, all equally long, each from 0 to below its limit."""
    keyed(what, content, called)
    many = len(content[called[0]])
    return {
        name: np.array(counts(f"{name} of {what}", content[name], below=limits[name], length=many), np.int64)
        for name in called
    }


def reported(plans: Iterable[PlanRecord]) -> SeenRows:
    """The rows of all reports. Cancelled plans have no reports."""
    parts = []
    for plan in plans:
        told = plan.losses != UNTOLD
        amounts = np.where(plan.amounts == UNTOLD, plan.planned, plan.amounts)[told]
        arms = plan.arms[told]
        one = np.ones(arms.size)
        day, origin, situation = (
            np.full(arms.size, each) for each in (plan.day, plan.origin, plan.situation)
        )
        parts.append(SeenRows(arms, day, amounts, one, plan.losses[told], plan.told[told], origin, situation))
    return joined(parts)


def all_rows(plans: Iterable[PlanRecord], imports: Iterable[ImportRecord]) -> SeenRows:
    """What is known, each thing once: an import that corrects replaces what was known before."""
    live = [each for each in imports if each.live]
    return _not_replaced(joined([reported(plans), *(each.rows for each in live)]), live)


def rows_of(plan: PlanRecord, imports: Iterable[ImportRecord]) -> SeenRows:
    """The rows that one plan contributes to `all_rows`."""
    return _not_replaced(reported([plan]), [each for each in imports if each.live])


def corrected_reports(plans: Iterable[PlanRecord], imports: Iterable[ImportRecord]) -> SeenRows:
    """The rows of all reports of some plans. Where an import corrected a report, its row stands instead.

    One of the two may state its situation while the other takes it from its date, which a new calendar may
    read otherwise since then. So rows that were recorded in the same situation belong together, too.
    """
    rows = reported(plans)
    for each in imports:
        if not each.live or not each.replaced.size:
            continue
        is_replaced = (rows.event < each.event) & np.isin(rows.recorded_key, each.replaced)
        old, new = rows.where(is_replaced), each.rows
        same = np.isin(new.key, old.key) | np.isin(new.situation_key, old.situation_key)
        rows = joined([rows.where(~is_replaced), new.where(same)])
    return rows


def _not_replaced(rows: SeenRows, imports: Iterable[ImportRecord]) -> SeenRows:
    for each in imports:
        if each.replaced.size:
            rows = rows.where((rows.event >= each.event) | ~np.isin(rows.recorded_key, each.replaced))
    return rows


class AmountTally(NamedTuple):
    """Rounds and losses of an arm (by number) at an amount, in a situation (by number)."""

    arm: int
    amount: Decimal
    rounds: float
    losses: float
    situation: int = 0


def in_order(tallies: Iterable[AmountTally]) -> list[AmountTally]:
    """Tallies by arm, situation and amount."""
    return sorted(tallies, key=lambda each: (each.arm, each.situation, each.amount))


def tallied(
    rows: SeenRows, known: Amounts, half_life: Decimal | None = None, on: date | None = None
) -> list[AmountTally]:
    """Rows added up by arm, situation and amount, in that order; aged to a date if there is a half-life.

    Whole numbers, or sums that are rounded once whatever their order: the same rows give the same bits.
    """
    if not len(rows):
        return []
    width = len(known.values)
    places = rows.arm * MOST + rows.situation
    groups, inverse = np.unique(places * width + rows.amount, return_inverse=True)
    weights = np.ones(len(rows))
    if half_life is not None and on is not None:
        days, day = np.unique(rows.day, return_inverse=True)
        ages = [max(on.toordinal() - day, 0) / float(half_life) for day in days.tolist()]
        counting = [0.0 if age > FORGOTTEN else math.pow(2.0, -age) for age in ages]
        weights = np.array(counting)[day]
    columns = []
    for values in (rows.rounds, rows.losses):
        weighted = weights * values
        if (weighted == np.floor(weighted)).all():
            columns.append(np.bincount(inverse, weighted, groups.size).tolist())
        else:
            order = np.argsort(inverse, kind="stable")
            parts = np.split(weighted[order], np.cumsum(np.bincount(inverse, minlength=groups.size))[:-1])
            columns.append([math.fsum(part.tolist()) for part in parts])
    place, amount = np.divmod(groups, width)
    arm, situation = np.divmod(place, MOST)
    return in_order(
        AmountTally(arm, known.values[amount], rounds, losses, situation)
        for arm, amount, rounds, losses, situation in zip(
            arm.tolist(), amount.tolist(), *columns, situation.tolist(), strict=True
        )
    )
