"""Tables that the command line reads beside logs: places with their settings, and reports."""

from collections.abc import Mapping
from typing import Any

from allotment.campaign.forms.amounts import listed
from allotment.campaign.forms.names import composed, shown_text
from allotment.campaign.logs.log_files import lines_of
from allotment.campaign.logs.log_format import OF_PLACES, OF_REPORTS, by_name
from allotment.campaign.logs.log_rows import number_in
from allotment.campaign.settings.specification import OF_ARMS, OF_ONE_PLACE, Form, Needed
from allotment.errors import InputError, shown
from allotment.system.files import AnyPath


def _rows(
    path: AnyPath, needed: tuple[str, ...], known: Mapping[str, str]
) -> list[tuple[int, dict[str, str]]]:
    """Rows as texts by column; columns that are not known are refused, since they would be ignored."""
    _, heading = next(lines_of(path, ()), (0, []))
    columns = by_name(heading, known)
    if not set(needed) <= columns.keys() or len(columns) != len(heading):
        raise InputError(
            f"{path} has the columns {listed(map(shown_text, heading)) or '(none)'}",
            f"{', '.join(needed)}, and optionally {', '.join(name for name in known if name not in needed)}. "
            "Rename the columns in the first line",
            what="columns",
            value=heading,
        )
    lines = lines_of(path, {cell.strip().lower() for cell in heading})
    next(lines)
    found = []
    for line, cells in lines:
        if len(cells) != len(heading):
            raise InputError(
                f"line {line} of {path} has {len(cells)} cells", f"{len(heading)}, as in the heading"
            )
        found.append((line, {ours: cells[place] for ours, place in columns.items()}))
    if not found:
        raise InputError(f"{path} has no rows", "at least one", what="rows")
    return found


def read_arms(path: AnyPath, **everywhere: Any) -> dict[str, Any]:
    """Places with their settings, as `Campaign.create` takes them; `groups` are names with their arms.

    `everywhere` has values, by the columns of the table, for places whose row has none.
    """
    rows = [
        {column: composed(cell) for column, cell in row.items()}
        for _, row in _rows(path, ("name",), OF_PLACES)
    ]
    arms = [row["name"] for row in rows]

    found: dict[str, Any] = {"arms": arms}
    for column in OF_ONE_PLACE:
        about, cells = OF_ARMS[column], {row["name"]: row[column] for row in rows if row.get(column)}
        if about.form is Form.GROUPS:
            groups: dict[str, list[str]] = {}
            for name, group in cells.items():
                groups.setdefault(group, []).append(name)
            found[about.name] = groups
        else:
            usual = everywhere.get(column)
            values = {} if usual is None else dict.fromkeys(arms, usual)
            values |= {name: number_in(cell) for name, cell in cells.items()}
            found[about.name] = values or (None if about.default is Needed else about.default)
    return found


def read_report(path: AnyPath) -> tuple[dict[str, str], dict[str, str]]:
    """Losses and amounts by place, from a table."""
    losses: dict[str, str] = {}
    amounts: dict[str, str] = {}
    for line, row in _rows(path, ("place", "losses"), OF_REPORTS):
        place = row["place"]
        if place in losses:
            raise InputError(
                f"line {line} of {path} names {shown(place)} again", "each place once", what="place"
            )
        losses[place] = row["losses"]
        if row.get("amount"):
            amounts[place] = number_in(row["amount"])
    return losses, amounts
