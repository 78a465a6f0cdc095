"""Logs as people have them: CSV in its many dialects, Excel, Parquet. Gives rows of text with their lines."""

import codecs
import csv
import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import Any

from allotment.campaign.logs.excel_files import excel_rows
from allotment.campaign.logs.parquet_files import parquet_rows
from allotment.campaign.logs.table_limits import MOST_BYTES, MOST_COLUMNS, MOST_ROWS, Line, too_large
from allotment.errors import AllotmentError, FileError
from allotment.files import AnyPath, open_ordinary

EXCEL, PARQUET = "an Excel file", "a Parquet file"
KINDS = {".xlsx": EXCEL, ".xlsm": EXCEL, ".parquet": PARQUET}
DELIMITERS = (",", ";", "\t")
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
BLOCK = 1 << 20  # bytes, in which a line ends
LINES_OF_ROW = 1000  # which a quoted cell may go on for


def lines_of(path: AnyPath, wanted: Collection[str]) -> Iterator[Line]:
    """The rows of a table, the heading first, each with its line number; blank ones are left out.

    Cells of columns that are not wanted may be left empty; `wanted` are names in lower case.
    """
    file_path = Path(path)
    with open_ordinary(path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise too_large(file_path, "too much in it", MOST_BYTES, "bytes")
        for number, cells in _lines(file_path, file, wanted):
            if any(cells):
                if number > MOST_ROWS:
                    raise too_large(file_path, "too many rows", MOST_ROWS, "rows")
                if len(cells) > MOST_COLUMNS:
                    raise too_large(file_path, f"{len(cells):,} columns", MOST_COLUMNS, "columns")
                yield number, cells


def _lines(path: Path, file: BufferedReader, wanted: Collection[str]) -> Iterator[Line]:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        yield from _csv(path, file)
        return
    rows: Iterable[tuple[int, Sequence[Any]]]
    rows = excel_rows(path, file.read()) if kind == EXCEL else enumerate(parquet_rows(path, file, wanted), 1)
    try:
        for number, row in rows:
            yield number, [_text(cell) for cell in row]
    except AllotmentError:
        raise
    except Exception as error:  # whatever the bytes make the readers stumble over
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise FileError(f"{path} is not {kind} that can be read: {reason}") from None


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
                    raise FileError(f"{path} is not text", "CSV, Excel (.xlsx) or Parquet")
                if len(block) == BLOCK and "\n" not in text and "\r" not in text:
                    raise too_large(path, "a line without an end", BLOCK, "bytes in a line")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            if marked:
                raise FileError(f"cannot read {path}: {error}", "a table as text (CSV)") from None
        else:
            return encoding
    raise FileError(f"{path} is in no known encoding", "UTF-8, UTF-16 or Windows-1252")


def _csv(path: Path, file: BufferedReader) -> Iterator[Line]:
    encoding = _encoding(path, file)
    file.seek(0)
    with TextIOWrapper(file, encoding=encoding, newline="") as text:
        heading = text.readline()
        text.seek(0)
        last = 0

        def lines() -> Iterator[str]:
            for number, line in enumerate(text):
                if number - last > LINES_OF_ROW:
                    raise too_large(path, "a row without an end", LINES_OF_ROW, "lines in a row")
                yield line

        reader = csv.reader(lines(), delimiter=max(DELIMITERS, key=heading.count), strict=True)
        try:
            for cells in reader:
                last = reader.line_num
                yield last, list(map(str.strip, cells))
        except (UnicodeError, csv.Error) as error:
            raise FileError(f"cannot read {path}: {error}", "a table as text (CSV)") from None


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == datetime.min.time() else cell.isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace").strip()
    return str(cell).strip()
