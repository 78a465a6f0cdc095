"""Excel files: openpyxl finds the sheet and its formats, after a check of the unpacked size."""

import copy
import io
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allotment.campaign.forms.amounts import listed
from allotment.campaign.forms.names import unknown
from allotment.campaign.logs.excel_sheet import Elements, SharedTexts, SheetCells
from allotment.campaign.logs.table_limits import MOST_BYTES, too_large
from allotment.errors import FileError, shown
from allotment.system.extras import needed

UNPACKED_BY_EXCEL = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DIRECTORY_ENTRY = b"PK\x01\x02"
MOST_PARTS = 10_000
MOST_IN_PART = 2**24  # bytes, except for sheets and their texts
MOST_TIMES = 200  # what a part unpacks to; rows of a log fill ten to thirty times their size
BLOCK = 1 << 16


def excel_rows(
    path: Path, content: bytes, header: int = 1, sheet: str | None = None
) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet, or the first one, from the heading on, with their numbers.

    Rows that are left out in the file are left out.
    """
    reading, dates = _library("reader.excel"), _library("utils.datetime")
    reader, parts, targets = _opened(path, content)
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
