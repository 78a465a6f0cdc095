"""Parquet files: adds up the unpacked size before Arrow, which sets no limits, reads them."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from allotment.campaign.logs.table_kinds import MOST_BYTES, MOST_COLUMNS, MOST_ROWS, too_large
from allotment.errors import FileError
from allotment.system.extras import needed

MARK = b"PAR1"
MOST_IN_FOOTER = 2**24  # bytes
MOST_PAGES = 100_000  # in one column of a row group
ROWS_AT_ONCE = 20_000
BYTES_AT_ONCE = 2**28  # of a column, should each of its rows repeat the longest text that a page has room for
MOST_IN_CELL = 2**17  # bytes, as in CSV
HEADERS = (2**12, 2**24)  # bytes in which the header of a page ends, as a rule and at most
OF_ANY_LENGTH = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
UNPACKED, PACKED = 2, 3  # fields in the header of a page


def numbered_rows(
    path: Path, file: BinaryIO, wanted: Collection[str], header: int, sheet: str | None
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The names of the columns, then the rows, each with its number."""
    return enumerate(parquet_rows(path, file, wanted), 1)


def parquet_rows(path: Path, file: BinaryIO, wanted: Collection[str]) -> Iterator[tuple[Any, ...]]:
    """The names of the columns, then the rows. Cells of columns that are not wanted are empty."""
    arrow, parquet = (needed(name, "Parquet files", "tables") for name in ("pyarrow", "pyarrow.parquet"))
    file.seek(-8, os.SEEK_END)
    footer, mark = int.from_bytes(file.read(4), "little"), file.read(4)
    if mark != MARK:
        raise FileError(f"{path} is not a Parquet file, since it does not end in {MARK.decode()}")
    if footer > MOST_IN_FOOTER:
        raise too_large(path, "too much in its footer", MOST_IN_FOOTER, "bytes there")
    with parquet.ParquetFile(file, pre_buffer=False) as table:
        columns = table.schema_arrow
        if table.metadata.num_columns > MOST_COLUMNS:
            raise too_large(path, f"{table.metadata.num_columns:,} columns", MOST_COLUMNS, "columns")
        if table.metadata.num_rows > MOST_ROWS:
            raise too_large(path, f"{table.metadata.num_rows:,} rows", MOST_ROWS, "rows")
        yield tuple(columns.names)
        read = [name for name in columns.names if name.strip().lower() in wanted]
        for name in read:
            if arrow.types.is_nested(columns.field(name).type):
                raise FileError(f"{path} has lists or tables in the column {name}", "one value in a cell")
        largest = _largest_page(path, file, table.metadata, read)
        at_once = min(ROWS_AT_ONCE, max(1, BYTES_AT_ONCE // largest))
        for batch in table.iter_batches(at_once, columns=read):
            if batch.nbytes > MOST_IN_CELL * len(batch):
                raise too_large(path, "a longer cell", MOST_IN_CELL, "bytes in a cell")
            cells = {name: batch.column(name).to_pylist() for name in read}
            empty = [None] * len(batch)
            yield from zip(*(cells.get(name, empty) for name in columns.names), strict=True)


def _largest_page(path: Path, file: BinaryIO, metadata: Any, read: list[str]) -> int:
    """Bytes in the largest page of texts. Footers may lie about it; Arrow goes by the headers of pages."""
    largest, unpacked = 1, 0
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(place)
            if chunk.path_in_schema in read:
                sizes = _page_sizes(path, file, chunk)
                unpacked += sum(sizes)
                if unpacked > MOST_BYTES:
                    raise too_large(path, "too much in it", MOST_BYTES, "bytes")
                if chunk.physical_type in OF_ANY_LENGTH:
                    largest = max(largest, *sizes, 1)
    return largest


def _page_sizes(path: Path, file: BinaryIO, chunk: Any) -> list[int]:
    """How many bytes each page of a column unpacks to, in one row group."""
    first = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < first:
        first = chunk.dictionary_page_offset
    at, sizes = first, []
    while at < first + chunk.total_compressed_size:
        unpacked, packed, length = _page_at(file, at)
        if unpacked < 0 or packed < 0:
            raise ValueError("a page has fewer than 0 bytes")
        sizes.append(unpacked)
        at += length + packed
        if len(sizes) > MOST_PAGES:
            raise too_large(path, "too many pages", MOST_PAGES, "pages")
    return sizes


def _page_at(file: BinaryIO, at: int) -> tuple[int, int, int]:
    for most in HEADERS:
        file.seek(at)
        data = file.read(most)
        try:
            return _page(data)
        except IndexError:  # it is longer
            continue
    raise ValueError("a page has no header")


def _page(data: bytes) -> tuple[int, int, int]:
    """The unpacked size, packed size and header size of a page, from its header in Thrift's compact form."""
    sizes: dict[int, int] = {}
    at = name = 0
    while data[at]:
        name, kind, at = _field(data, at, name)
        if name in (UNPACKED, PACKED):
            sizes[name], at = _number(data, at)
        else:
            at = _skipped(data, at, kind)
    if len(sizes) < 2:
        raise ValueError("a page has no size")
    return sizes[UNPACKED], sizes[PACKED], at + 1


def _field(data: bytes, at: int, before: int) -> tuple[int, int, int]:
    """The number and kind of a field. The number is relative to the previous field's, or written out."""
    more, kind = divmod(data[at], 16)
    if more:
        return before + more, kind, at + 1
    name, at = _number(data, at + 1)
    return name, kind, at


def _skipped(data: bytes, at: int, kind: int, *, listed: bool = False) -> int:
    """Where a value ends."""
    if kind in (1, 2):  # true and false: the kind itself, except in a list
        return at + listed
    if kind in (3, 7):  # a byte; a number of eight
        return at + (1 if kind == 3 else 8)
    if kind in (4, 5, 6):
        return _number(data, at)[1]
    if kind == 8:  # bytes
        length, at = _count(data, at)
        return at + length
    if kind in (9, 10):  # a list, a set
        length, kind = divmod(data[at], 16)
        length, at = (length, at + 1) if length < 15 else _count(data, at + 1)
        for _ in range(length):
            at = _skipped(data, at, kind, listed=True)
            data[at]  # or else a list of any length takes any time
        return at
    if kind == 12:  # a struct
        name = 0
        while data[at]:
            name, inner, at = _field(data, at, name)
            at = _skipped(data, at, inner)
        return at + 1
    raise ValueError("a page has a header of another kind")


def _count(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def _number(data: bytes, at: int) -> tuple[int, int]:
    value, at = _count(data, at)
    return (value >> 1) ^ -(value & 1), at
