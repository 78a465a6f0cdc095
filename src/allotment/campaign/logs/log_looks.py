"""A first look at a log: its sheets, where its heading may be, and its first rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from allotment.campaign.forms.amounts import listed
from allotment.campaign.forms.answer import Record
from allotment.campaign.forms.dates import moment_in
from allotment.campaign.logs.excel_files import sheet_names
from allotment.campaign.logs.log_files import lines_of
from allotment.campaign.logs.log_format import OF_LOGS, by_name
from allotment.campaign.logs.table_kinds import Line, TableKind, kind_of
from allotment.campaign.settings.settings import Settings
from allotment.errors import AllotmentError, InputError

ROWS = 20  # that a look takes in
HEADERS = 10  # rows in which a heading is looked for
ENOUGH = 2  # columns of a heading that are known by their names
LONGEST_CELL = 200


@dataclass(frozen=True)
class LogLook(Record):
    """What was seen of a log. Cells are as they stand in it, but for space."""

    sheets: tuple[str, ...]  # of an Excel file
    sheet: str | None
    header: int  # the row of the heading
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    known: int | None  # the position of the known format with this heading

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "LogLook":
        """What `to_dict` gave."""
        lists = {name: tuple(content[name]) for name in ("sheets", "heading")}
        return cls(**{**content, **lists, "rows": tuple(map(tuple, content["rows"]))})


def look_at(
    path: Path,
    formats: Sequence[Mapping[str, Any]] = (),
    header: int | None = None,
    sheet: str | None = None,
) -> LogLook:
    """Look at a log. A format of an earlier log with the same heading says how to read it."""
    kind = kind_of(path)
    sheets = sheets_of(path)
    known = None
    if header is None and sheet is None:
        known = next((at for at, said in enumerate(formats) if _has_heading(path, said)), None)
        said = {} if known is None else formats[known]
        header, sheet = said.get("header"), said.get("sheet")
        if known is None:
            header = _likely_header(path, kind) if kind.has_lines else None
    rows = _rows(path, header, sheet)
    if not rows:
        raise InputError(f"{path} has no rows", "a heading and rows", what="log")
    return LogLook(sheets, sheet or next(iter(sheets), None), header or 1, rows[0], tuple(rows[1:]), known)


def sheets_of(path: Path) -> tuple[str, ...]:
    """The names of the sheets of an Excel file; none of another file."""
    if not kind_of(path).has_sheets:
        return ()
    try:
        return sheet_names(path, path.read_bytes())
    except AllotmentError:
        raise
    except Exception:  # the rows give the sentence
        return ()


def _rows(path: Path, header: int | None, sheet: str | None, most: int = ROWS + 1) -> list[tuple[str, ...]]:
    heading = next(lines_of(path, (), header, sheet), (0, []))[1]
    wanted = {cell.strip().lower() for cell in heading}  # Parquet gives the cells that are wanted
    return [_plain(cells) for _, cells in islice(lines_of(path, wanted, header, sheet), most)]


def _plain(cells: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(cell.split())[:LONGEST_CELL] for cell in cells)


def _has_heading(path: Path, said: Mapping[str, Any]) -> bool:
    try:
        found = next(lines_of(path, (), said.get("header"), said.get("sheet")), (0, []))[1]
    except AllotmentError:  # no such sheet, or no rows that far down
        return False
    return _plain(found) == _plain(said["heading"])


def _likely_header(path: Path, kind: TableKind) -> int:
    """The first row in which enough columns are known by their names; otherwise the first row."""
    if kind.has_sheets:
        rows: Iterable[Line] = islice(lines_of(path, ()), HEADERS)
    else:  # any of the first rows of a CSV file may decide between commas and semicolons
        rows = (next(lines_of(path, (), header), (1, [])) for header in range(1, HEADERS + 1))
    return next((number for number, cells in rows if len(by_name(cells, OF_LOGS)) >= ENOUGH), 1)


def recognised(look: LogLook, settings: Settings) -> dict[str, int]:
    """Where the columns of a log stand: by their names, or because places and dates are in them."""
    found = by_name(look.heading, OF_LOGS)
    tests = {"place": lambda cell: settings.known(cell) is not None, "date": _is_date}
    if settings.situations:
        tests["situation"] = lambda cell: settings.situations.known(cell) is not None
    else:
        found.pop("situation", None)
    for ours, test in tests.items():
        columns = [place for place in range(len(look.heading)) if place not in found.values()]
        if ours not in found:
            shares = {place: _share(look, place, test) for place in columns}
            best = max(shares, key=lambda place: shares[place], default=None)
            if best is not None and shares[best] > 0.5:
                found[ours] = best
    return found


def _share(look: LogLook, place: int, test: Any) -> float:
    cells = [row[place] for row in look.rows if place < len(row) and row[place]]
    return sum(1 for cell in cells if test(cell)) / len(cells) if cells else 0.0


def _is_date(cell: str) -> bool:
    try:
        moment_in(cell, "dmy")
    except InputError:
        return False
    return True


def columns_said(look: LogLook, chosen: Mapping[str, int]) -> dict[str, str]:
    """The names of the chosen columns by ours, as `import_log` takes them."""
    for ours, place in chosen.items():
        if not 0 <= place < len(look.heading) or not look.heading[place]:
            there = listed(filter(None, look.heading))
            raise InputError(f"the log has no such column for {ours}", f"one of {there}", what="columns")
    return {ours: look.heading[place] for ours, place in chosen.items()}
