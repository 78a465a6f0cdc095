"""Snapshots: the state that a history implies, as bytes. They only make a start faster.

A snapshot is trusted as little as any other file. Its digest shows damage; sizes are checked before memory
is taken, and numbers before they are used. Whatever cannot be read counts as no snapshot.
"""

import hashlib
import json
from dataclasses import fields
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.arrays import IntArray
from allotment.campaign.forms.amounts import written
from allotment.campaign.history.ledger import LAST_DAY, ImportRecord, SeenRows
from allotment.campaign.history.plan_records import UNTOLD, Amounts, PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.history.store.snapshot_rows import Snapshot
from allotment.campaign.settings.settings import Settings
from allotment.checks import LARGEST_COUNT
from allotment.errors import AllotmentError

FORMAT = b"allotment-snapshot-4\n"
DIGEST_BYTES = hashlib.sha256().digest_size
PLAN_COLUMNS = ("arms", "planned", "losses", "amounts", "told")
ROW_COLUMNS = tuple(column.name for column in fields(SeenRows) if column.name != "situation")
KINDS = ("<i4", "<i8", "<f8")  # how a column may be written
SMALL = 2000  # what can be read anew in no time
UNREADABLE = (AllotmentError, ArithmeticError, ValueError, KeyError, TypeError, IndexError, AttributeError)


def worth_keeping(state: State) -> bool:
    """Whether enough has happened since the last snapshot."""
    if state.fresh <= SMALL:
        return False
    held = sum(plan.arms.size for plan in state.plans) + sum(len(each.rows) for each in state.imports)
    return state.fresh > held // 8


def packed(state: State) -> Snapshot:
    """A state as bytes; the same state gives the same bytes."""
    columns = {f"plan {name}": _whole([getattr(plan, name) for plan in state.plans]) for name in PLAN_COLUMNS}
    columns |= {
        f"row {name}": _whole([getattr(each.rows, name) for each in state.imports]) for name in ROW_COLUMNS
    }
    columns["replaced"] = _whole([each.replaced for each in state.imports])
    head = {
        "settings": state.settings.to_dict(),
        "amounts": [written(amount) for amount in state.amounts.values],
        "plans": [
            [
                *(plan.number, plan.asked, plan.day, written(plan.unit), plan.arms.size),
                *(plan.cancelled, plan.closed, plan.recorded, plan.stated),
            ]
            for plan in state.plans
        ],
        "imports": [
            [each.id, each.event, len(each.rows), each.replaced.size, each.live] for each in state.imports
        ],
        "columns": [[name, column.dtype.str, column.size] for name, column in columns.items()],
    }
    body = json.dumps(head, sort_keys=True).encode() + b"\n"
    body += b"".join(column.tobytes() for column in columns.values())
    return Snapshot(state.number, state.hash, FORMAT + hashlib.sha256(body).digest() + body)


def _whole(parts: list[Any]) -> Any:
    """One column of parts, in the fewest bytes that hold it."""
    column = np.concatenate(parts) if parts else np.empty(0, np.int64)
    if column.dtype.kind == "i" and (column.size == 0 or np.abs(column).max() < 2**31):
        return column.astype("<i4")
    return column


def of_this_format(snapshot: Snapshot) -> bool:
    """Whether a snapshot has the format of this version; other formats are ignored."""
    return isinstance(snapshot.content, bytes) and snapshot.content.startswith(FORMAT)


def unpacked(snapshot: Snapshot) -> State | None:
    """The state of a snapshot; None if it cannot be read, for whatever reason."""
    if not of_this_format(snapshot):
        return None
    body = memoryview(snapshot.content)[len(FORMAT) + DIGEST_BYTES :]
    if hashlib.sha256(body).digest() != snapshot.content[len(FORMAT) : len(FORMAT) + DIGEST_BYTES]:
        return None
    try:
        return _state(snapshot, body)
    except (*UNREADABLE, RecursionError):
        return None


def _state(snapshot: Snapshot, body: memoryview) -> State:
    end = snapshot.content.index(b"\n", len(FORMAT) + DIGEST_BYTES) - len(FORMAT) - DIGEST_BYTES
    head, columns, start = json.loads(bytes(body[:end])), {}, end + 1
    for name, kind, size in head["columns"]:
        if kind not in KINDS or size < 0:
            raise ValueError(f"column {name} cannot be read")
        dtype = np.dtype(kind)
        column = np.frombuffer(body, dtype, size, start)  # refuses what reaches beyond the end
        columns[name] = column.astype(np.int64) if dtype.kind == "i" else column.copy()
        start += size * dtype.itemsize
    settings = Settings.from_dict(head["settings"]).checked()
    state = State(snapshot.number, snapshot.hash, settings, Amounts(head["amounts"]))
    state.plans = _plans(head["plans"], columns)
    state.imports = _imports(head["imports"], columns)
    _check_ranges(state, columns)
    state.read_situations()
    return state


def _check_ranges(state: State, columns: dict[str, Any]) -> None:
    """Raise an error if a number points to something that is not there."""
    arms, amounts = len(state.settings.arms), len(state.amounts.values)
    situations = state.settings.situations.numbers
    for name, least, beyond in (
        ("plan arms", 0, arms),
        ("plan planned", 0, amounts),
        ("plan losses", UNTOLD, LARGEST_COUNT + 1),
        ("plan amounts", UNTOLD, amounts),
        ("plan told", 0, state.number + 1),
        ("row arm", 0, arms),
        ("row day", 1, LAST_DAY + 1),
        ("row amount", 0, amounts),
        ("row rounds", 0, np.inf),
        ("row losses", 0, LARGEST_COUNT + 1),
        ("row event", 1, state.number + 1),
        ("row origin", 0, 2 * len(situations)),
    ):
        column = columns[name]
        if column.size and not (column.min() >= least and column.max() < beyond):
            raise ValueError(f"{name} is out of range")
    if [plan.number for plan in state.plans] != list(range(1, len(state.plans) + 1)):
        raise ValueError("plans are missing")
    if any((np.diff(plan.arms) <= 0).any() or not 0 < plan.day <= LAST_DAY for plan in state.plans):
        raise ValueError("a plan names a place twice, or a day that does not exist")
    if any(plan.recorded not in situations for plan in state.plans):
        raise ValueError("a plan has a situation that does not exist")


def _parts(column: IntArray, sizes: list[int]) -> list[Any]:
    """A column cut into parts of given sizes."""
    if sum(sizes) != column.size or min(sizes, default=0) < 0:
        raise ValueError("a column of another length")
    return np.split(column, np.cumsum(sizes)[:-1]) if sizes else []


def _plans(heads: list[Any], columns: dict[str, Any]) -> list[PlanRecord]:
    parts = [_parts(columns[f"plan {name}"], [head[4] for head in heads]) for name in PLAN_COLUMNS]
    return [
        PlanRecord(
            *(int(number), int(asked), int(day), Decimal(unit)),
            **cells,
            cancelled=int(cancelled),
            closed=int(closed),
            recorded=int(recorded),
            stated=bool(stated),
        )
        for i, (number, asked, day, unit, _, cancelled, closed, recorded, stated) in enumerate(heads)
        for cells in [{name: part[i] for name, part in zip(PLAN_COLUMNS, parts, strict=True)}]
    ]


def _imports(heads: list[Any], columns: dict[str, Any]) -> list[ImportRecord]:
    parts = [_parts(columns[f"row {name}"], [head[2] for head in heads]) for name in ROW_COLUMNS]
    replaced = _parts(columns["replaced"], [head[3] for head in heads])
    found = []
    for (name, event, _, _, live), cells, keys in zip(heads, zip(*parts, strict=True), replaced, strict=True):
        read = dict(zip(ROW_COLUMNS, cells, strict=True))
        rows = SeenRows(**read, situation=np.zeros_like(read["arm"]))  # until the calendar is read
        found.append(ImportRecord(str(name), int(event), rows, keys, bool(live)))
    return found
