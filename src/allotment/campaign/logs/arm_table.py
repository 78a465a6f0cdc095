"""Tables that the command line reads beside logs: places with their settings, and reports."""

from typing import Any

from allotment.campaign.amounts import listed
from allotment.campaign.logs.log_files import lines_of
from allotment.campaign.logs.log_rows import number_in
from allotment.campaign.names import composed, shown_text
from allotment.errors import InputError, shown
from allotment.files import AnyPath

ARM_COLUMNS = ("name", "most", "least", "severity", "group", "threshold", "crew")


def _rows(path: AnyPath, needed: tuple[str, ...], known: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """Rows as texts by column; columns that are not known are refused, since they would be ignored."""
    lines = lines_of(path, known)
    _, heading = next(lines, (0, []))
    columns = [cell.lower() for cell in heading]
    missing = [name for name in needed if name not in columns]
    strange = [name for name in columns if name not in known]
    twice = len(set(columns)) != len(columns)
    if missing or strange or twice:
        raise InputError(
            f"{path} has the columns {listed(map(shown_text, heading)) or '(none)'}",
            f"{', '.join(needed)}, and optionally {', '.join(name for name in known if name not in needed)}. "
            "Rename the columns in the first line",
            what="columns",
            value=heading,
        )
    found = []
    for line, cells in lines:
        if len(cells) != len(columns):
            raise InputError(
                f"line {line} of {path} has {len(cells)} cells", f"{len(columns)}, as in the heading"
            )
        found.append((line, dict(zip(columns, cells, strict=True))))
    if not found:
        raise InputError(f"{path} has no rows", "at least one", what="rows")
    return found


def read_arms(path: AnyPath, most: Any = None, crew: Any = None) -> dict[str, Any]:
    """Places with their settings, as `Campaign.create` takes them; `groups` are names with their arms."""
    rows = [
        {column: composed(cell) for column, cell in row.items()}
        for _, row in _rows(path, ("name",), ARM_COLUMNS)
    ]
    arms = [row["name"] for row in rows]

    def column(name: str, otherwise: Any = None) -> Any:
        given = {row["name"]: number_in(row[name]) for row in rows if row.get(name)}
        return given or otherwise

    groups: dict[str, list[str]] = {}
    for row in rows:
        if row.get("group"):
            groups.setdefault(row["group"], []).append(row["name"])
    caps = {**({} if most is None else dict.fromkeys(arms, most)), **column("most", {})}
    crews = {**({} if crew is None else dict.fromkeys(arms, crew)), **column("crew", {})}
    return {
        "arms": arms,
        "most": caps,
        "least": column("least", 0),
        "severities": column("severity"),
        "thresholds": column("threshold"),
        "groups": groups,
        "crew": crews or None,
    }


def read_report(path: AnyPath) -> tuple[dict[str, str], dict[str, str]]:
    """Losses and amounts by place, from a table."""
    losses: dict[str, str] = {}
    amounts: dict[str, str] = {}
    for line, row in _rows(path, ("place", "losses"), ("place", "losses", "amount")):
        place = row["place"]
        if place in losses:
            raise InputError(
                f"line {line} of {path} names {shown(place)} again", "each place once", what="place"
            )
        losses[place] = row["losses"]
        if row.get("amount"):
            amounts[place] = number_in(row["amount"])
    return losses, amounts
