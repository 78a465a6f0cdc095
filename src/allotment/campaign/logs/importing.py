"""Imports: turn a log into evidence, all of it or nothing, and report the result."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from allotment.arrays import IntArray
from allotment.campaign.forms.amounts import LARGEST, count_of, exact, written
from allotment.campaign.forms.names import shown_text
from allotment.campaign.history.ledger import (
    SeenRows,
    all_rows,
    keys,
    parts_of,
    reported,
    situation_in_origin,
)
from allotment.campaign.history.state import State
from allotment.campaign.logs.import_report import ImportReport
from allotment.campaign.logs.keyed_rows import from_calendar, merged
from allotment.campaign.logs.log_files import lines_of
from allotment.campaign.logs.log_format import LogFormat
from allotment.campaign.logs.log_rows import (
    FIRST_DAY,
    MOST_REFUSED,
    ROUND,
    LogRows,
    Refused,
    last_day,
    read_rows,
)
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situations import Situations
from allotment.checks import LARGEST_COUNT, flag, one_of
from allotment.errors import InputError
from allotment.system.files import AnyPath

MOST_ROUNDS = 10_000_000  # quiet ones that a period may add; each takes a few hundred bytes
QUIET = 0  # the line of a row that stands in no file


@dataclass(frozen=True)
class Log:
    """A log as it was read, before it is held against what is known."""

    file: str
    rows: LogRows
    amount: Decimal | None
    period: tuple[date, date] | None
    incidents: str
    correct: bool
    form: LogFormat


def read_log(
    path: AnyPath,
    settings: Settings,
    form: LogFormat,
    *,
    amount: Any,
    period: Any,
    incidents: Any,
    correct: Any,
    file_name: str | None = None,
) -> Log:
    """Read a whole log, without a look at the history.

    With a `file_name`, `path` is a copy of the sheet in CSV, and the log is called by that name.
    """
    given = None if amount is None else exact("amount", amount)
    span = _period(period, settings)
    how, correct = one_of("incidents", incidents, ("count", "any")), flag("correct", correct)
    if span is not None and given is None:
        raise InputError(
            "the quiet days have no amount",
            "--amount (amount=): what was granted on them",
            what="amount",
        )
    called = shown_text((file_name or Path(path).name).encode("utf-8", "replace").decode())
    sheet = form.sheet if file_name is None else None
    rows = read_rows(lines_of(path, form.wanted.values(), form.header, sheet), settings, given, form)
    if not rows.read:
        raise InputError(f"{called} has a heading and no rows", what="log", value=str(path))
    rows = from_calendar(rows, settings.situations)
    one_round = span is not None and not rows.counts_exposure  # a row an incident: a day is one round
    if how == "any" and not one_round:
        rows = replace(rows, incidents=np.minimum(rows.incidents, rows.rounds()).astype(np.int64))
    rows = merged(rows, one_round=one_round)
    named = rows.key  # rows that are refused below say that their day was not quiet
    large = np.array([each >= LARGEST for each in rows.exposures], bool)
    rows = rows.refuse(
        (rows.incidents > LARGEST_COUNT) | large[rows.exposure],
        f"with other rows of its place, date and amount, it has incidents or rounds beyond {LARGEST:.0e}",
    )
    if how == "any":
        rows = replace(rows, incidents=np.minimum(rows.incidents, rows.rounds()).astype(np.int64))
    if settings.losses == "binary":
        rows = rows.refuse(
            rows.incidents > rows.rounds(),
            "more incidents than rounds, but losses are yes or no; expected --incidents any "
            "(incidents='any') if a round with any incident is one loss",
        )
    if span is not None:
        wrong_days = (rows.day < span[0].toordinal()) | (rows.day > span[1].toordinal())
        rows = rows.refuse(wrong_days, f"its date is not in the period from {span[0]} to {span[1]}")
        rows = _with_quiet_days(rows, named, span, given, settings.situations)
    return Log(called, rows, given, span, how, correct, form)


def _period(period: Any, settings: Settings) -> tuple[date, date] | None:
    if period is None:
        return None
    try:
        first, last = period
    except (TypeError, ValueError):
        raise InputError.of("period", period, "(first, last), two dates") from None
    first, last = (settings.day(each, "period") for each in (first, last))
    end = last_day(settings)
    if last < first:
        raise InputError.of("period", f"{first} to {last}", "a first day that is not after the last")
    if first < FIRST_DAY or last > end:
        raise InputError.of("period", f"{first} to {last}", f"days from {FIRST_DAY} to tomorrow, {end}")
    return first, last


def _with_quiet_days(
    rows: LogRows, named: IntArray, span: tuple[date, date], amount: Decimal | None, situations: Situations
) -> LogRows:
    """Each day of the period, in each of its situations, that no row names at a place, as a quiet round.

    A day with one situation has one round, also if a row states another situation than the calendar.
    """
    first, last = span[0].toordinal(), span[1].toordinal()
    arms = np.unique(rows.arm)
    of_days = [
        (day, number, len(on) > 1)
        for day in range(first, last + 1)
        for on in [situations.on(date.fromordinal(day))]
        for number in on
    ]
    if arms.size * len(of_days) > MOST_ROUNDS:
        places = count_of(arms.size, "place")
        raise InputError(
            f"the period from {span[0]} to {span[1]} has {len(of_days):,} rounds for {places}",
            f"at most {MOST_ROUNDS:,} rounds of all places together",
            what="period",
            value=span,
        )
    days, situation, stated = np.array(of_days, np.int64).T
    columns = {"arm": np.repeat(arms, days.size), "day": np.tile(days, arms.size)}
    columns |= {"situation": np.tile(situation, arms.size), "stated": np.tile(stated, arms.size)}
    by_situation = np.isin(keys(columns["arm"], columns["day"], columns["situation"]), named)
    named_arms, named_days, _ = parts_of(named)
    by_day = np.isin(_place_days(columns["arm"], columns["day"]), _place_days(named_arms, named_days))
    missing = ~np.where(columns["stated"] == 1, by_situation, by_day)
    amounts, exposures = list(rows.amounts), list(rows.exposures)
    if amount is not None and amount not in amounts:
        amounts.append(amount)
    if ROUND not in exposures:
        exposures.append(ROUND)
    count = int(missing.sum())
    added = {
        **{name: column[missing] for name, column in columns.items()},
        "amount": np.full(count, amounts.index(amount) if amount is not None else 0),
        "exposure": np.full(count, exposures.index(ROUND)),
        "incidents": np.zeros(count, np.int64),
        "line": np.full(count, QUIET),
    }
    together: dict[str, Any] = {
        name: np.concatenate([getattr(rows, name), column]) for name, column in added.items()
    }
    return replace(rows, **together, amounts=amounts, exposures=exposures)


def held_against(log: Log, state: State) -> tuple[ImportReport, dict[str, Any]]:
    """What an import of the log would do now: its report, and the event's payload."""
    settings, before = state.settings, all_rows(state.plans, state.imports)
    rows = _as_reported(log.rows, state, before)
    refused = list(rows.refused)
    is_used, skipped, corrected, replaced = _compared(rows, before, state, log.correct, refused)
    refused.sort(key=lambda each: each.line)
    if not refused:  # otherwise the refused lines come first
        _check_quiet_rows(log, is_used & ~np.isin(rows.key, corrected))
    used = np.flatnonzero(is_used)
    first = int(rows.day[used].min()) if used.size else 0
    arms = np.unique(rows.arm[used])
    number = f"import-{len(state.imports) + 1}"
    situations = settings.situations
    named = set(np.unique(rows.arm).tolist())
    report = ImportReport(
        id=number,
        file=log.file,
        read=rows.read,
        taken=used.size,
        quiet=int((rows.line[used] == QUIET).sum()),
        rounds=float(rows.rounds()[used].sum()),
        incidents=int(rows.incidents[used].sum(dtype=np.float64)),  # which does not wrap around
        skipped=skipped,
        replaced=corrected.size,
        first=date.fromordinal(first) if used.size else None,
        last=date.fromordinal(int(rows.day[used].max())) if used.size else None,
        places=tuple(settings.arms[arm].name for arm in arms.tolist()),
        without_rows=()
        if refused  # since a refused line may name any place
        else tuple(settings.arms[arm].name for arm in settings.active if arm not in named),
        amount=None if log.amount is None else written(log.amount),
        period=None if log.period is None else (log.period[0].isoformat(), log.period[1].isoformat()),
        incidents_as=log.incidents,
        ignored_columns=tuple(map(shown_text, rows.ignored)),
        refused=tuple(refused[:MOST_REFUSED]),
        read_as=log.form.to_dict(rows.heading),
        situations=_by_situation(situations, rows.situation[used]) if situations else None,
    )
    first = first or 1
    replaced_arms, replaced_days, replaced_origins = parts_of(replaced)
    origin = min(first, int(replaced_days.min()) if replaced.size else first)
    payload = {
        **({"situations": list(situations.names)} if situations else {}),
        "import": number,
        "arms": [arm.name for arm in settings.arms],
        "amounts": [written(amount) for amount in rows.amounts],
        "exposures": [written(each) for each in rows.exposures],
        "first": date.fromordinal(origin).isoformat(),
        "rows": {
            "arm": rows.arm[used].tolist(),
            "day": (rows.day[used] - origin).tolist(),
            "amount": rows.amount[used].tolist(),
            "exposure": rows.exposure[used].tolist(),
            "incidents": rows.incidents[used].tolist(),
            **_situation_columns(situations, rows.situation[used], rows.stated[used]),
        },
        "replaced": {
            "arm": replaced_arms.tolist(),
            "day": (replaced_days - origin).tolist(),
            **_situation_columns(situations, *situation_in_origin(replaced_origins)),
        },
        "report": report.recorded(),
    }
    return report, payload


def _situation_columns(situations: Situations, numbers: IntArray, stated: IntArray) -> dict[str, list[int]]:
    """What rows or keys hold of their situations; nothing where there are none."""
    return {"situation": numbers.tolist(), "stated": stated.tolist()} if situations else {}


def _by_situation(situations: Situations, numbers: IntArray) -> dict[str, int]:
    """The number of rows of each situation that has any."""
    counts = np.bincount(numbers, minlength=len(situations.names)).tolist()
    return {name: count for name, count in zip(situations.names, counts, strict=True) if count}


def _check_quiet_rows(log: Log, is_new: Any) -> None:
    """Refuse new days of a log of incidents only. Rows that repeat or correct known days add no rounds."""
    rows = log.rows
    if log.period is None and is_new.any() and not (rows.incidents < rows.rounds()).any():
        raise InputError(
            f"{log.file} has no quiet rows, so that every loss rate would be 1",
            "--period FIRST LAST (period=), the days for which the log is complete, or quiet rows",
            what="period",
        )


def _as_reported(rows: LogRows, state: State, before: SeenRows) -> LogRows:
    """The rows, of which those without a stated situation take the situation of a report of their round.

    Whoever asked for a plan may have stated another situation than the calendar gives to its date. A log
    without a column of situations means the same round, unless it names that situation there itself, or
    the place has rounds in several situations on the date.
    """
    if not state.settings.situations.several:
        return rows
    unstated, of_rows = rows.stated == 0, _place_days(rows.arm, rows.day)
    there = before.where(np.isin(_place_days(before.arm, before.day), of_rows[unstated]))
    known = np.unique(there.key)
    arms, days, numbers = parts_of(known)
    rounds, first, count = np.unique(_place_days(arms, days), return_index=True, return_counts=True)
    only = known[first]
    chosen = (count == 1) & np.isin(only, reported(state.plans).key) & ~np.isin(only, rows.key)
    rounds, numbers = rounds[chosen], numbers[first[chosen]]
    moved = unstated & np.isin(of_rows, rounds)
    situation, stated = rows.situation.copy(), rows.stated.copy()
    situation[moved], stated[moved] = numbers[np.searchsorted(rounds, of_rows[moved])], 1
    return replace(rows, situation=situation, stated=stated)


def _place_days(arms: IntArray, days: IntArray) -> IntArray:
    """Arm and day in one number."""
    return keys(arms, days, np.zeros_like(days))


def _compared(
    rows: LogRows, before: SeenRows, state: State, correct: bool, refused: list[Refused]
) -> tuple[Any, int, IntArray, IntArray]:
    """Which rows are new, how many are known, and which keys they correct, as read and as recorded."""
    is_used = np.ones(rows.arm.size, bool)
    nothing = np.empty(0, np.int64)
    key = rows.key
    before = before.where(np.isin(before.key, key))
    if not len(before):
        return is_used, 0, nothing, nothing
    known: dict[int, dict[Decimal, tuple[float, int]]] = {}
    values = state.amounts.values
    columns = (before.key, before.amount, before.rounds, before.losses)
    for each, amount, rounds, losses in zip(*(column.tolist() for column in columns), strict=True):
        there = known.setdefault(each, {})
        more = there.get(values[amount], (0.0, 0))
        there[values[amount]] = (more[0] + rounds, more[1] + losses)
    rounds = rows.rounds()
    skipped, differ = 0, set()
    for place in np.flatnonzero(np.isin(key, before.key)).tolist():
        there = known[int(key[place])]
        amount = rows.amounts[rows.amount[place]]
        same = there.get(amount) == (float(rounds[place]), int(rows.incidents[place]))
        if (
            same or rows.line[place] == QUIET
        ):  # a day that was only taken to be quiet says nothing against a report
            is_used[place] = False
            skipped += int(same)
        elif correct:
            differ.add(int(key[place]))
        else:
            is_used[place] = False
            refused.append(Refused(int(rows.line[place]), _known_otherwise(there), "known otherwise"))
    corrected = np.array(sorted(differ), np.int64)
    if corrected.size:  # the file's rows of such a day stand for it, those included that were known
        back = np.isin(key, corrected) & ~is_used & (rows.line != QUIET)
        is_used |= back
        skipped -= int(back.sum())
    return is_used, skipped, corrected, np.unique(before.recorded_key[np.isin(before.key, corrected)])


def _known_otherwise(there: Mapping[Decimal, tuple[float, int]]) -> str:
    said = "; ".join(
        f"{losses} in {rounds:g} {'round' if rounds == 1 else 'rounds'} at amount {written(amount)}"
        for amount, (rounds, losses) in there.items()
    )
    return f"its place and date are known otherwise ({said}); expected the same, or --correct (correct=True)"
