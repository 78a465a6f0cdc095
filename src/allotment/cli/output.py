"""Shows results: tables on a terminal, JSON for machines."""

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from allotment.simulation.result import Result


def console() -> "Console":
    """Where people read; wide enough when nobody looks, so that piped tables are not cut."""
    from rich.console import Console

    plain = Console(markup=False)  # names and labels are the user's own, brackets and all
    return plain if plain.is_terminal else Console(markup=False, width=160)


def table(*columns: str, numbers: int) -> "Table":
    """An empty table whose last columns hold numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for position, column in enumerate(columns):
        made.add_column(column, justify="right" if position >= len(columns) - numbers else "left")
    return made


def print_json(content: Any) -> None:
    """Print plain data as JSON; what is not a number becomes null."""
    print(json.dumps(_plain(content), indent=2, allow_nan=False))


def _plain(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content


def show_result(result: "Result", *, as_json: bool) -> None:
    """Regret at the horizon, a line a policy."""
    from allotment.intervals import interval

    if as_json:
        print_json(result.to_dict())
        return
    rows = result.summary()
    shown = table("policy", "regret", "95 % interval", "median", "search rounds", numbers=4)
    for row in rows:
        searched = "-" if row.search_rounds is None else f"{row.search_rounds:.0f}"
        ends = interval(row.low, row.high)
        shown.add_row(row.policy, f"{row.mean:.1f}", ends, f"{row.median:.1f}", searched)
    out = console()
    out.print(shown)
    for row in rows:
        if row.unproved:
            out.print(f"{row.policy}: {row.unproved} choices were good but not proved to be the best.")
        if row.contradictions:
            losses = f"{row.contradictions} losses were seen at amounts that should have prevented them"
            out.print(f"{row.policy}: {losses}: its thresholds are not the true ones.")
    runs = "replication" if result.replications == 1 else "replications"
    out.print(f"After {result.horizon} rounds, {result.replications} {runs}, seed {result.seed}.")
