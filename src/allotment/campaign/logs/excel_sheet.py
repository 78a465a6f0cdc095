"""Cells of an Excel sheet, read while unpacking, so that memory holds one row at a time."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.parsers import expat

from allotment.campaign.logs.table_limits import MOST_COLUMNS, MOST_ROWS, too_large
from allotment.errors import FileError

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
