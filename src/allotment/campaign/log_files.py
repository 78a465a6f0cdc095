"""Logs as people have them: CSV in its many dialects, Excel, Parquet. Gives rows of text with their lines."""

import codecs
import csv
import hashlib
import io
import os
import zipfile
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from allotment.errors import FileError
from allotment.extras import needed
from allotment.files import AnyPath

Line = tuple[int, list[str]]
DELIMITERS = (",", ";", "\t")
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def lines_of(path: AnyPath) -> Iterator[Line]:
    """The rows of a table, the heading first, each with its line number; blank ones are left out."""
    kind = Path(path).suffix.lower()
    read = {".xlsx": _excel, ".xlsm": _excel, ".parquet": _parquet}.get(kind, _csv)
    try:
        for number, cells in read(Path(path)):
            if any(cells):
                yield number, cells
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from None
    except (UnicodeError, csv.Error) as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error}", "a table as text (CSV)") from None


def fingerprint(path: AnyPath) -> str:
    """What tells the contents of a file from others."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from None


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(4)
    for mark, encoding in MARKS:
        if start.startswith(mark):
            return encoding
    for encoding in ("utf-8", "cp1252"):  # bytes that are no UTF-8 are what Windows wrote
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    if 0 in block:
                        raise FileError(f"{path} is not text", "CSV, Excel (.xlsx) or Parquet")
                    decoder.decode(block)
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding
    raise FileError(f"{path} is in no known encoding", "UTF-8, UTF-16 or Windows-1252")


def _csv(path: Path) -> Iterator[Line]:
    encoding = _encoding(path)
    with path.open(encoding=encoding, newline="") as file:
        heading = file.readline()
        delimiter = max(DELIMITERS, key=heading.count)
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        for cells in reader:
            yield reader.line_num, [cell.strip() for cell in cells]


def _excel(path: Path) -> Iterator[Line]:
    openpyxl = needed("openpyxl", "Excel files", "tables")
    content = io.BytesIO(path.read_bytes())
    try:
        book = openpyxl.load_workbook(content, read_only=True, data_only=True)
        sheet = book.worksheets[0]
        for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            yield number, [_text(cell) for cell in cells]
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError, TypeError) as error:
        raise FileError(f"{path} is not an Excel file: {error}") from None


def _parquet(path: Path) -> Iterator[Line]:
    pyarrow, parquet = (needed(name, "Parquet files", "tables") for name in ("pyarrow", "pyarrow.parquet"))
    try:
        with parquet.ParquetFile(path) as file:
            yield 1, [str(name) for name in file.schema_arrow.names]
            number = 1
            for batch in file.iter_batches(batch_size=20_000):
                for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    number += 1
                    yield number, [_text(cell) for cell in cells]
    except pyarrow.ArrowException as error:
        raise FileError(f"{path} is not a Parquet file: {' '.join(str(error).split())[:100]}") from None


def _text(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == datetime.min.time() else cell.isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
