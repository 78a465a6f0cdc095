"""Shows results: sentences, tables on a terminal, JSON for machines."""

import json
import math
import os
import shutil
import sys
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from allotment.simulation.found import Found
    from allotment.simulation.result import Result


def width_of(file: TextIO) -> int | None:
    """The width of the terminal behind a file; None if there is none."""
    there = file.isatty() or bool(os.environ.get("FORCE_COLOR"))  # as tables take it
    return shutil.get_terminal_size().columns if there else None


def say(sentence: str, *, file: TextIO | None = None, end: str = "\n", indent: str = "") -> None:
    """Print a sentence, to the standard output unless a file is named."""
    file = sys.stdout if file is None else file
    width = width_of(file)
    lines = [f"{indent}{sentence}"]
    if width is not None:
        lines = wrap(
            sentence,
            width - len(end.strip("\n")),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    print("\n".join(lines), end=end, file=file, flush=True)


def complain(sentence: str) -> None:
    """Print a sentence to the standard error."""
    say(sentence, file=sys.stderr)


PlotOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw a figure into this file (.png, .svg or .pdf).")
]


def check_plot(path: Path | None) -> None:
    """Raise an error before the work if the figure cannot be drawn or written."""
    if path is not None:
        from allotment.plots.figures import ensure_drawable

        ensure_drawable(path)


def save_plot(shown: Any, path: Path | None) -> None:
    """Write a figure."""
    if path is not None:
        from allotment.plots.figures import save_figure

        save_figure(shown.plot(), path)


def console() -> "Console":
    """The console; wide if it is no terminal, so that piped tables are not cut."""
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
    """Print plain data as JSON; NaN and infinities become null."""
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
    """Print regret at the horizon, one line per policy."""
    from allotment.simulation.result_pictures import summary_cells

    if as_json:
        print_json(result.to_dict())
        return
    columns, cells = summary_cells(result)
    shown = table(*columns, numbers=4)
    for each in cells:
        shown.add_row(*each)
    out = console()
    out.print(shown)
    for row in result.summary():
        if row.unproved:
            out.print(f"{row.policy}: {row.unproved} choices were good but not proved to be the best.")
        if row.contradictions:
            losses = f"{row.contradictions} losses were seen at amounts that should have prevented them"
            out.print(f"{row.policy}: {losses}: its thresholds are not the true ones.")
    for label, found in _found(result).items():
        if found.right < found.replications:
            out.print(f"{label}: the thresholds found were {found}.")
    runs = "replication" if result.replications == 1 else "replications"
    out.print(f"After {result.horizon} rounds, {result.replications} {runs}, seed {result.seed}.")


def _found(result: "Result") -> "dict[str, Found]":
    """Say how often threshold searches succeeded, in worlds with thresholds."""
    from allotment.errors import NotApplicableError

    try:
        return result.found()
    except NotApplicableError:
        return {}
