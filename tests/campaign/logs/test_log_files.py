"""Files that are no tables: what could keep a reader waiting, or fill its memory, is refused at once."""

import os

import pytest

from allotment import FileError, InputError
from allotment.campaign.logs import log_files
from allotment.campaign.logs.arm_table import read_arms, read_report
from allotment.campaign.logs.log_files import lines_of


@pytest.fixture
def read(tmp_path):
    def lines(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content)
        return list(lines_of(path, ()))

    return lines


@pytest.mark.parametrize("name", ["pipe", "pipe.xlsx", "pipe.parquet"])
@pytest.mark.parametrize("reader", [lambda path: list(lines_of(path, ())), read_arms, read_report])
def test_a_pipe_keeps_nobody_waiting(tmp_path, name, reader):
    os.mkfifo(tmp_path / name)
    with pytest.raises(FileError, match="it is not an ordinary file"):
        reader(tmp_path / name)


def test_devices_folders_and_names_that_are_none(tmp_path):
    for path in (tmp_path, "/dev/zero", "a\0b"):
        with pytest.raises(FileError, match="cannot read"):
            list(lines_of(path, ()))


@pytest.mark.parametrize("name", ["table.csv", "table.xlsx", "table.parquet"])
def test_a_file_of_gigabytes(tmp_path, name):
    with (tmp_path / name).open("wb") as file:
        file.truncate(2**30)  # which takes no room on the disk
    with pytest.raises(FileError, match=r"expected at most 536,870,912 bytes; .*split the file"):
        list(lines_of(tmp_path / name, ()))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_line_without_an_end(read, encoding):
    with pytest.raises(FileError, match="has a line without an end; expected at most 1,048,576 bytes"):
        read(("é" * 3_000_000).encode(encoding))


def test_a_row_without_an_end(read):
    with pytest.raises(FileError, match="has a row without an end; expected at most 1,000 lines in a row"):
        read(b"a\n" + b'"a\nb",' * 2000)
    with pytest.raises(FileError, match="field larger than field limit"):
        read(b"a\n" + b'"' + b"a" * 200_000 + b'"')
    assert len(read(b"a\n" + b'"b\nc"\n' * 2000)) == 2001


def test_limits_of_rows_and_columns(read, monkeypatch):
    with pytest.raises(FileError, match="has 1,001 columns; expected at most 1,000"):
        read(b"a," * 1000 + b"a\n")
    monkeypatch.setattr(log_files, "MOST_ROWS", 3)
    assert len(read(b"a\n1\n2\n")) == 3
    with pytest.raises(FileError, match="has too many rows; expected at most 3 rows"):
        read(b"a\n1\n2\n3\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_is_not_text(read, encoding):
    with pytest.raises(FileError, match=r"is not text; expected CSV, Excel \(.xlsx\) or Parquet"):
        read("a\0b\n".encode(encoding))


def test_dates_that_no_calendar_has(campaign, tmp_path):
    path = tmp_path / "log.csv"
    for day in ("01.01.99999999999", f"01.01.{'9' * 5000}", "9999999999-01-01", "01.01.10000"):
        path.write_text(f"date,place,amount,incidents\n{day},Dock,0,0\n")
        with pytest.raises(InputError, match="expected a date such as 2026-03-31"):
            campaign.import_log(path)
