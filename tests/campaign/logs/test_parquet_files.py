"""Parquet files: every kind of column and page, and one sentence for whatever cannot be read."""

import datetime
import decimal
import random

import pyarrow
import pyarrow.parquet
import pytest

from allotment import FileError
from allotment.campaign.logs import parquet_files
from allotment.campaign.logs.log_files import lines_of

WANTED = ("date", "place")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.parquet"


@pytest.fixture
def read(path):
    def lines(columns, **options):
        pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
        return [cells for _, cells in lines_of(path, WANTED)]

    return lines


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_dictionary": False, "compression": "zstd", "data_page_size": 64},
        {"data_page_version": "2.0", "compression": "gzip", "row_group_size": 7},
        {"use_dictionary": False, "column_encoding": {"place": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "column_encoding": {"place": "DELTA_LENGTH_BYTE_ARRAY"}},
        {"compression": "none", "write_page_index": True, "write_page_checksum": True},
    ],
)
def test_pages_of_every_kind(read, path, options):
    places = [f"Place {k}" for k in range(100)]
    found = read({"date": ["2024-01-01"] * 100, "place": places, "note": [["x"]] * 100}, **options)
    assert found == [["date", "place", "note"]] + [["2024-01-01", place, ""] for place in places]
    metadata = pyarrow.parquet.read_metadata(path)
    with path.open("rb") as file:
        for group in range(metadata.num_row_groups):
            for place in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(place)
                pages = parquet_files._page_sizes(path, file, chunk)
                headers = chunk.total_uncompressed_size - sum(pages)
                assert 0 < headers <= 400 * len(pages)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (pyarrow.array([datetime.date(2024, 2, 29)]), "2024-02-29"),
        (pyarrow.array([86_400_000_000_000], pyarrow.timestamp("ns")), "1970-01-02 00:00:00"),
        (pyarrow.array([b" Dock "]), "Dock"),
        (pyarrow.array([decimal.Decimal("2.50")]), "2.50"),
        (pyarrow.array(["Dock"]).dictionary_encode(), "Dock"),
        (pyarrow.array([7.0]), "7"),
        (pyarrow.array([float("nan")]), ""),
        (pyarrow.array([None], pyarrow.null()), ""),
        (pyarrow.array([True]), "True"),
    ],
)
def test_columns_of_every_kind(read, column, text):
    assert read({"date": ["x"], "place": column}) == [["date", "place"], ["x", text]]


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (pyarrow.array([2**30], pyarrow.date32()), "is not a Parquet file that can be read: days"),
        (pyarrow.array([2**62], pyarrow.timestamp("us")), "is not a Parquet file that can be read"),
        (pyarrow.array([1], pyarrow.timestamp("s", "No/Where")), "is not a Parquet file that can be read"),
        (pyarrow.array([["Dock"]]), "lists or tables in the column place; expected one value in a cell"),
        (pyarrow.array(["x" * 2**18]), "expected at most 131,072 bytes in a cell"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(read, column, sentence):
    with pytest.raises(FileError, match=sentence):
        read({"place": column})


def test_limits_of_rows_columns_and_bytes(read, monkeypatch):
    with pytest.raises(FileError, match="has 2,000,001 rows; expected at most 2,000,000 rows"):
        read({"place": pyarrow.nulls(2_000_001, pyarrow.int8())})
    with pytest.raises(FileError, match="has 1,001 columns; expected at most 1,000 columns"):
        read({f"column {k}": [1] for k in range(1001)})
    monkeypatch.setattr(parquet_files, "MOST_BYTES", 1000)
    with pytest.raises(FileError, match="expected at most 1,000 bytes"):
        read({"place": ["x" * 1000]}, use_dictionary=False)
    assert len(read({"place": ["x"], "note": ["y" * 10_000]})) == 2  # what is not wanted is not unpacked
    monkeypatch.setattr(parquet_files, "MOST_IN_FOOTER", 100)
    with pytest.raises(FileError, match="too much in its footer"):
        read({"place": ["x"]})
    monkeypatch.undo()
    monkeypatch.setattr(parquet_files, "MOST_PAGES", 1)
    with pytest.raises(FileError, match="too many pages"):
        read({"place": ["x"]})


def test_a_long_text_that_every_row_repeats_is_unpacked_for_a_few_rows_at_a_time(path):
    """The file has a few kilobytes; the cells of its rows together, 1.3 GB."""
    places = pyarrow.array([0] * 10_000, pyarrow.int32())
    column = pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(["x" * 130_000]))
    pyarrow.parquet.write_table(pyarrow.table({"place": column}), path)
    assert path.stat().st_size < 50_000
    rows = lines_of(path, WANTED)
    assert [len(cells[0]) for _, cells in (next(rows), next(rows))] == [5, 130_000]
    assert pyarrow.total_allocated_bytes() < 2**29


def test_flipped_bits_give_cells_or_a_sentence(read, path):
    read({"date": ["2024-01-01"] * 20, "place": ["Dock"] * 20})
    content, luck, refused = path.read_bytes(), random.Random(5), 0
    for _ in range(60):
        damaged = bytearray(content)
        damaged[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
        path.write_bytes(bytes(damaged))
        try:
            list(lines_of(path, WANTED))
        except FileError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1
    assert refused > 5
