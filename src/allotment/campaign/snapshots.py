"""Snapshots: what a history implies, as bytes that load at once. Only to be fast."""

import io
import json
from dataclasses import fields
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.campaign.amounts import written
from allotment.campaign.ledger import ImportRecord, Rows
from allotment.campaign.plans import Amounts, PlanRecord
from allotment.campaign.settings import Settings
from allotment.campaign.state import State
from allotment.campaign.store.store import Snapshot
from allotment.errors import AllotmentError

FORMAT = 1
PLAN_COLUMNS = ("arms", "planned", "losses", "amounts", "told")
ROW_COLUMNS = tuple(column.name for column in fields(Rows))
SMALL = 2000  # what can be read anew in no time


def worth_keeping(state: State) -> bool:
    """Whether enough has happened since the last snapshot."""
    held = sum(plan.arms.size for plan in state.plans) + sum(len(each.rows) for each in state.imports)
    return state.fresh > max(SMALL, held // 8)


def packed(state: State) -> Snapshot:
    """A state as bytes; the same state gives the same bytes."""
    head = {
        "format": FORMAT,
        "settings": state.settings.to_dict(),
        "amounts": [written(amount) for amount in state.amounts.values],
        "plans": [
            [plan.number, plan.asked, plan.day, written(plan.unit), plan.arms.size, plan.cancelled]
            for plan in state.plans
        ],
        "imports": [
            [each.id, each.event, len(each.rows), each.replaced.size, each.live] for each in state.imports
        ],
    }
    arrays: dict[str, Any] = {"head": np.frombuffer(json.dumps(head, sort_keys=True).encode(), np.uint8)}
    for name in PLAN_COLUMNS:
        arrays[f"plan {name}"] = _whole([getattr(plan, name) for plan in state.plans])
    for name in ROW_COLUMNS:
        arrays[f"row {name}"] = _whole([getattr(each.rows, name) for each in state.imports])
    arrays["replaced"] = _whole([each.replaced for each in state.imports])
    content = io.BytesIO()
    np.savez(content, **arrays)
    return Snapshot(state.number, state.hash, content.getvalue())


def _whole(parts: list[Any]) -> Any:
    """One column of parts, in the fewest bytes that hold it."""
    column = np.concatenate(parts) if parts else np.empty(0, np.int64)
    if column.dtype.kind == "i" and (column.size == 0 or np.abs(column).max() < 2**31):
        return column.astype(np.int32)
    return column


def unpacked(snapshot: Snapshot) -> State | None:
    """The state of a snapshot; None if this allotment cannot read it."""
    try:
        with np.load(io.BytesIO(snapshot.content), allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        head = json.loads(arrays["head"].tobytes())
        if head["format"] != FORMAT:
            return None
        state = State(
            snapshot.number, snapshot.hash, Settings.from_dict(head["settings"]), Amounts(head["amounts"])
        )
        state.plans = _plans(head["plans"], arrays)
        state.imports = _imports(head["imports"], arrays)
    except (AllotmentError, OSError, ValueError, KeyError, TypeError, IndexError, EOFError):
        return None
    return state


def _parts(arrays: dict[str, Any], names: list[str], sizes: list[int]) -> list[list[Any]]:
    """Columns cut into parts of given sizes; each part can be written."""
    ends: Any = np.cumsum(sizes)[:-1] if sizes else []
    columns = []
    for name in names:
        column = arrays[name]
        column = column.astype(np.int64) if column.dtype.kind == "i" else column.copy()
        columns.append(np.split(column, ends) if sizes else [])
    return columns


def _plans(heads: list[Any], arrays: dict[str, Any]) -> list[PlanRecord]:
    columns = _parts(arrays, [f"plan {name}" for name in PLAN_COLUMNS], [head[4] for head in heads])
    return [
        PlanRecord(number, asked, day, Decimal(unit), *_row(columns, i), cancelled)
        for i, (number, asked, day, unit, _, cancelled) in enumerate(heads)
    ]


def _row(columns: list[list[Any]], i: int) -> tuple[Any, Any, Any, Any, Any]:
    arms, planned, losses, amounts, told = (column[i] for column in columns)
    return arms, planned, losses, amounts, told


def _imports(heads: list[Any], arrays: dict[str, Any]) -> list[ImportRecord]:
    columns = _parts(arrays, [f"row {name}" for name in ROW_COLUMNS], [head[2] for head in heads])
    (replaced,) = _parts(arrays, ["replaced"], [head[3] for head in heads])
    return [
        ImportRecord(name, event, Rows(*(column[i] for column in columns)), replaced[i], live)
        for i, (name, event, _, _, live) in enumerate(heads)
    ]
