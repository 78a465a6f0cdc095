"""Reads logs as CSV in its many dialects, Excel or Parquet, into rows of text with line numbers."""

import codecs
import csv
import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from io import BufferedReader, TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any

from allotment.campaign.logs.table_kinds import (
    CSV,
    MOST_BYTES,
    MOST_COLUMNS,
    MOST_ROWS,
    Line,
    kind_of,
    kinds_in_words,
    too_large,
)
from allotment.errors import AllotmentError, FileError, InputError
from allotment.system.files import AnyPath, open_ordinary
from allotment.tables import as_text

DELIMITERS = (",", ";", "\t")
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
BLOCK = 1 << 20  # bytes, in which a line ends
LINES_OF_ROW = 1000  # which a quoted cell may go on for


def lines_of(
    path: AnyPath, wanted: Collection[str], header: int | None = None, sheet: str | None = None
) -> Iterator[Line]:
    """The rows of a table, the heading first, each with its line number; blank ones are left out.

    Cells of columns that are not wanted may be left empty; `wanted` are names in lower case. `header` is the
    line of the heading, if it is not the first one.
    """
    file_path = Path(path)
    kind = kind_of(file_path)
    if sheet is not None and not kind.has_sheets:
        raise InputError(
            f"{file_path.name} has no sheets", "an Excel file, or no sheet", what="sheet", value=sheet
        )
    if header is not None and not kind.has_lines:
        raise InputError(
            f"{file_path.name} names its columns itself", "no header", what="header", value=header
        )
    with open_ordinary(path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise too_large(file_path, "too much in it", MOST_BYTES, "bytes")
        for number, cells in _lines(file_path, file, wanted, header or 1, sheet):
            if any(cells):
                if number > MOST_ROWS:
                    raise too_large(file_path, "too many rows", MOST_ROWS, "rows")
                if len(cells) > MOST_COLUMNS:
                    raise too_large(file_path, f"{len(cells):,} columns", MOST_COLUMNS, "columns")
                yield number, cells


def _lines(
    path: Path, file: BufferedReader, wanted: Collection[str], header: int, sheet: str | None
) -> Iterator[Line]:
    kind = kind_of(path)
    rows = kind.rows()(path, file, wanted, header, sheet)
    if kind is CSV:
        yield from rows  # whose cells are text
        return
    try:
        for number, row in rows:
            yield number, [_text(cell) for cell in row]
    except AllotmentError:
        raise
    except Exception as error:  # whatever the bytes make the readers stumble over
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise FileError(f"{path} is not {kind.one} that can be read: {reason}") from None


def has_heading(path: AnyPath, said: Mapping[str, Any]) -> bool:
    """Whether a log has the heading, where it was said to be, of one that was imported before."""
    try:
        _, cells = next(lines_of(path, (), said.get("header"), said.get("sheet")), (0, []))
    except AllotmentError:  # no such sheet, or no rows that far down
        return False
    return cells == said["heading"]


def fingerprint(path: AnyPath) -> str:
    """What tells the contents of a file from others."""
    with open_ordinary(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _encoding(path: Path, file: BufferedReader) -> str:
    start = file.read(4)
    marked = [encoding for mark, encoding in MARKS if start.startswith(mark)]
    for encoding in marked or ("utf-8", "cp1252"):  # bytes that are no UTF-8 are what Windows wrote
        decoder = codecs.getincrementaldecoder(encoding)()
        file.seek(0)
        try:
            while block := file.read(BLOCK):
                text = decoder.decode(block)
                if "\0" in text:
                    raise FileError(f"{path} is not text", kinds_in_words())
                if len(block) == BLOCK and "\n" not in text and "\r" not in text:
                    raise too_large(path, "a line without an end", BLOCK, "bytes in a line")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            if marked:
                raise FileError(f"cannot read {path}: {error}", CSV.one) from None
        else:
            return encoding
    raise FileError(f"{path} is in no known encoding", "UTF-8, UTF-16 or Windows-1252")


def csv_rows(
    path: Path, file: BufferedReader, wanted: Collection[str], header: int, sheet: str | None
) -> Iterator[Line]:
    """The rows of a table as text, from the heading on, with their line numbers."""
    encoding = _encoding(path, file)
    file.seek(0)
    with TextIOWrapper(file, encoding=encoding, newline="") as text:
        for _ in range(header - 1):
            text.readline()
        heading = text.readline()
        last = 0

        def lines() -> Iterator[str]:
            for number, line in enumerate(chain([heading], text)):
                if number - last > LINES_OF_ROW:
                    raise too_large(path, "a row without an end", LINES_OF_ROW, "lines in a row")
                yield line

        reader = csv.reader(lines(), delimiter=max(DELIMITERS, key=heading.count), strict=True)
        try:
            for cells in reader:
                last = reader.line_num
                yield last + header - 1, [as_text(cell.strip()) for cell in cells]
        except (UnicodeError, csv.Error) as error:
            raise FileError(f"cannot read {path}: {error}", CSV.one) from None


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace").strip()
    return str(cell).strip()
