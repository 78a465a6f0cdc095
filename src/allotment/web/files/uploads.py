"""Files that visitors send. A process of its own unpacks them, with limits on memory, time and bytes.

The process turns CSV, Excel or Parquet into plain UTF-8 CSV with the same line numbers, and GeoJSON into the
geometries of places. Only what it wrote is read here: a file that is made to break a reader breaks a process
that has nothing to lose.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from allotment.campaign.forms.names import LONGEST, shown_text
from allotment.campaign.logs.log_looks import LogLook
from allotment.errors import AllotmentError, FileError
from allotment.system.processes import same_imports
from allotment.web.files.passing import passing_folder
from allotment.web.files.table_reader import BAD_INPUT

TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".parquet")
MAPS = (".geojson", ".json")
SECONDS = 60
BLOCK = 1 << 20
PROGRAM = "from allotment.web.files.table_reader import main; main()"


@contextmanager
def plain_table(
    file: BinaryIO, file_name: str, *, header: int | None = None, sheet: str | None = None
) -> Iterator[Path]:
    """A table that was sent, as a plain CSV file that goes with the block.

    Errors within the block name the file as its sender does, and say nothing of our folders.
    """
    with _unpacked(file, file_name, TABLES, "table", header=header, sheet=sheet) as plain:
        yield plain


def look_at_log(
    file: BinaryIO,
    file_name: str,
    *,
    formats: Sequence[Mapping[str, Any]] = (),
    header: int | None = None,
    sheet: str | None = None,
) -> LogLook:
    """A first look at a log that was sent."""
    asked = {"formats": [dict(each) for each in formats], "header": header, "sheet": sheet}
    with _unpacked(file, file_name, TABLES, "look", **asked) as written:
        return LogLook.from_dict(json.loads(written.read_bytes()))


def shapes_in(file: BinaryIO, file_name: str, names: Sequence[str]) -> dict[str, Any]:
    """The geometries by place of GeoJSON that was sent."""
    with _unpacked(file, file_name, MAPS, "shapes", names=list(names)) as written:
        found: dict[str, Any] = json.loads(written.read_bytes())
        return found


def shown_name(file_name: str) -> str:
    """A file's name for sentences: its last part, printable, and not long."""
    last = Path(file_name.replace("\\", "/").rpartition("/")[2])
    suffix = last.suffix[:10]
    return shown_text(f"{shown_text(last.stem, LONGEST - len(suffix))}{suffix}") or "the file"


@contextmanager
def _unpacked(
    file: BinaryIO, file_name: str, suffixes: tuple[str, ...], job: str, **asked: Any
) -> Iterator[Path]:
    """What the process makes of a file, in a folder that goes with the block."""
    name = shown_name(file_name)
    suffix = Path(name).suffix.lower()
    if suffix not in suffixes:
        wrong, right = (
            ("table", "CSV, Excel (.xlsx) or Parquet") if suffixes is TABLES else ("map", "GeoJSON")
        )
        raise FileError(f"{name} is not a {wrong}", right)
    with passing_folder() as folder:
        sent, written = Path(folder, f"sent{suffix}"), Path(folder, "plain.csv")
        with sent.open("wb") as copy:
            while block := file.read(BLOCK):
                copy.write(block)
        try:
            _run(name, {"job": job, "sent": str(sent), "written": str(written), **asked})
            yield written
        except AllotmentError as error:
            said = str(error)
            for path in (sent, written):
                said = said.replace(str(path), name).replace(path.name, name)
            if said == str(error):
                raise
            raise type(error)(said, what=error.what, value=error.value) from None


def _run(name: str, asked: Mapping[str, Any]) -> None:
    """Run the process that unpacks; an error with its sentence if it fails."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM],
            input=json.dumps(asked).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=same_imports(),
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FileError(f"reading {name} takes longer than {SECONDS} s", "a smaller file") from None
    if done.returncode == BAD_INPUT:
        raise FileError(done.stderr.decode("utf-8", "replace")[-2000:].strip())
    if done.returncode != 0:
        raise FileError(f"{name} is damaged, or too large to be read", "a smaller file")
