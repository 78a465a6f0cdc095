"""Excel files: openpyxl finds the sheet and its formats, after a check of the unpacked size.

Cells are read while unpacking, so that memory holds one row at a time.
"""

import copy
import io
import warnings
import zipfile
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from allotment.campaign.forms.amounts import listed
from allotment.campaign.forms.names import unknown
from allotment.campaign.logs.table_kinds import MOST_BYTES, MOST_COLUMNS, MOST_ROWS, too_large
from allotment.errors import FileError, shown
from allotment.system.extras import needed

NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ROW, CELL, VALUE, TEXT, PHONETIC, SHARED_TEXT, DIMENSION = (
    f"{NAMESPACE} {tag}" for tag in ("row", "c", "v", "t", "rPh", "si", "dimension")
)
MOST_ELEMENTS = 100_000  # in a row, or in a part of the file that is no table
MOST_IN_ELEMENT = 2**20  # bytes; Excel ends a cell after 32,767 characters
NO_DATE = "#VALUE!"  # what a cell shows whose number is beyond the last date


class Elements:
    """Goes through the elements of a part; raises an error where they are too many to be held in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._count = 0
        self._row = 0  # the number of the present row, or shared text
        self._begun = 0  # elements before it
        self._collected: list[str] = []
        self._collects = self._phonetic = False
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.CharacterDataHandler = self._characters
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_entities

    def feed(self, blocks: Iterable[bytes]) -> None:
        """Take in all bytes."""
        for _ in self._fed(blocks):
            pass

    def _fed(self, blocks: Iterable[bytes]) -> Iterator[None]:
        """Take in one block after another."""
        since = 0
        for block in blocks:
            before = self._count
            self._parser.Parse(block)
            since = since + len(block) if self._count == before else 0
            if since > MOST_IN_ELEMENT:
                raise too_large(self.path, "a cell without an end", MOST_IN_ELEMENT, "bytes in a cell")
            yield
        self._parser.Parse(b"", True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._next(name)

    def _next(self, name: str) -> None:
        self._count += 1
        if self._count - self._begun > MOST_ELEMENTS:
            raise too_large(self.path, "too much in one place", MOST_ELEMENTS, "elements in a row")
        self._phonetic |= name == PHONETIC
        self._collects = name == VALUE or (name == TEXT and not self._phonetic)

    def _next_row(self, number: float) -> None:
        if not number > self._row:
            raise FileError(f"{self.path} has row {number:g} after row {self._row}", "rows in their order")
        if number > MOST_ROWS:
            raise too_large(self.path, f"a row {number:,.0f}", MOST_ROWS, "rows")
        self._row, self._begun = int(number), self._count

    def _characters(self, text: str) -> None:
        if self._collects:
            self._collected.append(text)

    def _end(self, name: str) -> None:
        self._collects = False
        self._phonetic &= name != PHONETIC

    def _refuse_entities(self, *declared: Any) -> None:
        raise FileError(f"{self.path} declares entities, which Excel never does")


class SharedTexts(Elements):
    """The texts that cells refer to by their number."""

    def read(self, blocks: Iterable[bytes]) -> list[str]:
        """All of them."""
        self._texts: list[str] = []
        self.feed(blocks)
        return self._texts

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._next(name)
        if name == SHARED_TEXT:
            self._next_row(self._row + 1)
            self._collected.clear()

    def _end(self, name: str) -> None:
        super()._end(name)
        if name == SHARED_TEXT:
            self._texts.append("".join(self._collected))


class SheetCells(Elements):
    """Turns the bytes of a sheet into rows of values, each at least as long as the heading."""

    def __init__(self, path: Path, texts: list[str], book: Any, dates: Any, header: int = 1) -> None:
        super().__init__(path)
        self._header = header
        self._texts, self._book, self._dates = texts, book, dates
        self._width, self._headed = 0, False
        self._rows: list[tuple[int, list[Any]]] = []
        self._cells: list[Any] = []
        self._column = self._style = 0
        self._kind = ""

    def read(self, blocks: Iterable[bytes]) -> Iterator[tuple[int, list[Any]]]:
        """The rows with their numbers, as they are unpacked."""
        for _ in self._fed(blocks):
            yield from self._rows
            self._rows.clear()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._next(name)
        if name == CELL:
            where = attributes.get("r")
            self._column = _column(where.rstrip("0123456789")) if where else self._column + 1
            if not 0 < self._column <= MOST_COLUMNS:
                raise too_large(self.path, f"a cell in column {self._column:,}", MOST_COLUMNS, "columns")
            self._kind, self._style = attributes.get("t", "n"), int(attributes.get("s", 0))
            self._collected.clear()
        elif name == ROW:
            self._next_row(float(attributes.get("r", self._row + 1)))
            self._column, self._cells = 0, []
        elif name == DIMENSION:
            last = _column(attributes["ref"].rpartition(":")[2].rstrip("0123456789"))
            self._width = last if last <= MOST_COLUMNS else 0  # which need not be true

    def _end(self, name: str) -> None:
        if name == CELL:
            missing = self._column - len(self._cells)
            if missing > 0:
                self._cells.extend([None] * missing)
            text = "".join(self._collected)
            self._cells[self._column - 1] = self._value(text) if text else None
        elif name == ROW and self._row >= self._header:
            if not self._headed:
                self._width, self._headed = max(self._width, len(self._cells)), any(self._cells)
            self._cells.extend([None] * (self._width - len(self._cells)))
            self._rows.append((self._row, self._cells))
        super()._end(name)

    def _value(self, text: str) -> Any:
        if self._kind == "s":
            return self._texts[int(text)]
        if self._kind == "n":
            number = int(text) if text.isdecimal() else float(text)
            return self._date(number) if self._style in self._book._date_formats else number
        if self._kind == "b":
            return bool(int(text))
        return self._dates.from_ISO8601(text) if self._kind == "d" else text

    def _date(self, number: float) -> Any:
        spans = self._style in self._book._timedelta_formats
        try:
            return self._dates.from_excel(number, self._book.epoch, timedelta=spans)
        except (OverflowError, ValueError):
            return NO_DATE


@lru_cache(maxsize=MOST_COLUMNS)
def _column(letters: str) -> int:
    """The place of a column: 28 for AB."""
    place = 0
    for letter in letters[:4].upper():  # Excel needs three at most
        place = place * 26 + ord(letter) - 64
    return place


UNPACKED_BY_EXCEL = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DIRECTORY_ENTRY = b"PK\x01\x02"
MOST_PARTS = 10_000
MOST_IN_PART = 2**24  # bytes, except for sheets and their texts
MOST_TIMES = 200  # what a part unpacks to; rows of a log fill ten to thirty times their size
BLOCK = 1 << 16


def excel_rows(
    path: Path, file: BinaryIO, wanted: Collection[str] = (), header: int = 1, sheet: str | None = None
) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet, or the first one, from the heading on, with their numbers.

    Rows that are left out in the file are left out.
    """
    reading, dates = _library("reader.excel"), _library("utils.datetime")
    reader, parts, targets = _opened(path, file.read())
    if sheet is not None and sheet not in targets:
        wrong = f"{path.name} has no sheet {shown(sheet)}"
        raise unknown(wrong, sheet, targets, f"one of {listed(targets)}", what="sheet")
    target = next(iter(targets.values())) if sheet is None else targets[sheet]
    shared = reader.package.find(reading.SHARED_STRINGS)
    texts = [] if shared is None else SharedTexts(path).read(parts.blocks(shared.PartName[1:]))
    yield from SheetCells(path, texts, reader.wb, dates, header).read(parts.blocks(target))


def sheet_names(path: Path, content: bytes) -> tuple[str, ...]:
    """The names of the sheets of a workbook, in their order."""
    return tuple(_opened(path, content)[2])


def _library(name: str) -> Any:
    return needed(f"openpyxl.{name}", "Excel files", "tables")


def _opened(path: Path, content: bytes) -> tuple[Any, "_Parts", dict[str, str]]:
    """A workbook, its parts, and where its sheets are, by their names."""
    if content.count(DIRECTORY_ENTRY) > MOST_PARTS:
        raise too_large(path, "too many parts", MOST_PARTS, "parts")
    reader = _library("reader.excel").ExcelReader(io.BytesIO(content), read_only=True, keep_links=False)
    reader.archive = parts = _Parts(path, content)
    with warnings.catch_warnings(action="ignore"):
        reader.read_manifest()
        reader.read_workbook()
        _library("styles.stylesheet").apply_stylesheet(parts, reader.wb)
        sheets = reader.parser.find_sheets()
        targets = {each.name: found.target for each, found in sheets if "chart" not in found.Type}
    if not targets:
        raise FileError(f"{path} has no sheet", "a table in the first sheet")
    return reader, parts, targets


class _Parts(zipfile.ZipFile):
    """The parts of a workbook. Each is counted before openpyxl gets it."""

    def __init__(self, path: Path, content: bytes) -> None:
        super().__init__(io.BytesIO(content))
        self._path = path
        if sum(part.file_size for part in self.infolist()) > MOST_BYTES:
            raise too_large(path, "too much in it", MOST_BYTES, "bytes")

    def read(self, name: Any, pwd: bytes | None = None) -> bytes:
        """A part that openpyxl holds in memory as a whole."""
        if self.getinfo(name).file_size > MOST_IN_PART:
            raise too_large(self._path, f"too much in {name}", MOST_IN_PART, "bytes there")
        Elements(self._path).feed(self.blocks(name))
        return super().read(name, pwd)

    def blocks(self, name: Any) -> Iterator[bytes]:
        """What is in a part, no more of it than the directory says."""
        part = self.getinfo(name)
        if part.compress_type not in UNPACKED_BY_EXCEL:
            raise FileError(f"{self._path} is packed in a way that Excel does not use")
        if part.file_size > MOST_IN_PART + MOST_TIMES * part.compress_size:
            raise FileError(
                f"{self._path} unpacks to more than {MOST_TIMES} times its size",
                "a workbook saved by Excel, or CSV",
            )
        one_more = copy.copy(part)
        one_more.file_size += 1  # zipfile would hide from us that the directory lies
        left = part.file_size
        with super().open(one_more) as file:
            while block := file.read(BLOCK):
                left -= len(block)
                if left < 0:
                    raise FileError(f"{self._path} holds more than its directory says")
                yield block
