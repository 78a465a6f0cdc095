"""Shows results: tables on a terminal, JSON for machines."""

import json
import math
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from allotment.simulation.result import Result


def console() -> Console:
    """Where people read; wide enough when nobody looks, so that piped tables are not cut."""
    plain = Console(markup=False)  # names and labels are the user's own, brackets and all
    return plain if plain.is_terminal else Console(markup=False, width=160)


def table(*columns: str, numbers: int) -> Table:
    """An empty table whose last columns hold numbers."""
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


def show_result(result: Result, *, as_json: bool) -> None:
    """Regret at the horizon, a line a policy."""
    rows = result.summary()
    if as_json:
        content = {
            "problem": result.problem.to_dict(),
            "horizon": result.horizon,
            "replications": result.replications,
            "seed": result.seed,
            "policies": [vars(row) for row in rows],
        }
        print_json(content)
        return
    shown = table("policy", "regret", "95 % interval", "median", "search rounds", numbers=4)
    for row in rows:
        interval = "-" if math.isnan(row.low) else f"{row.low:.1f} to {row.high:.1f}"
        searched = "-" if row.search_rounds is None else f"{row.search_rounds:.0f}"
        shown.add_row(row.policy, f"{row.mean:.1f}", interval, f"{row.median:.1f}", searched)
    out = console()
    out.print(shown)
    for row in rows:
        if row.unproved:
            out.print(f"{row.policy}: {row.unproved} choices were good but not proved to be the best.")
    runs = "replication" if result.replications == 1 else "replications"
    out.print(f"After {result.horizon} rounds, {result.replications} {runs}, seed {result.seed}.")
