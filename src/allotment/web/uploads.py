"""Tables that visitors send. A process of its own unpacks them, with limits on memory, time and bytes.

The process turns CSV, Excel or Parquet into plain UTF-8 CSV with the same line numbers. Only that CSV is read
here: a file that is made to break a reader breaks a process that has nothing to lose.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from allotment.campaign.names import LONGEST, shown_text
from allotment.errors import AllotmentError, FileError
from allotment.processes import same_imports

SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".parquet")
SECONDS = 60
BLOCK = 1 << 20
PROGRAM = "from allotment.web.table_reader import main; main()"


@contextmanager
def plain_table(
    file: BinaryIO, file_name: str, *, header: int | None = None, sheet: str | None = None
) -> Iterator[Path]:
    """A table that was sent, as a plain CSV file that goes with the block.

    Errors within the block name the file as its sender does, and say nothing of our folders.
    """
    name = shown_name(file_name)
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(f"{name} is not a table", "CSV, Excel (.xlsx) or Parquet")
    with tempfile.TemporaryDirectory(prefix="allotment-upload-") as folder:  # mode 0700
        sent, plain = Path(folder, f"sent{suffix}"), Path(folder, "plain.csv")
        with sent.open("wb") as copy:
            while block := file.read(BLOCK):
                copy.write(block)
        try:
            _unpack(sent, plain, header, sheet)
            yield plain
        except AllotmentError as error:
            said = str(error)
            for path in (sent, plain):
                said = said.replace(str(path), name).replace(path.name, name)
            raise type(error)(said, what=error.what, value=error.value) from None


def shown_name(file_name: str) -> str:
    """A file's name for sentences: its last part, printable, and not long."""
    last = Path(file_name.replace("\\", "/").rpartition("/")[2])
    suffix = last.suffix[:10]
    return shown_text(f"{shown_text(last.stem, LONGEST - len(suffix))}{suffix}") or "the file"


def _unpack(sent: Path, plain: Path, header: int | None, sheet: str | None) -> None:
    """Run the process that unpacks; an error with its sentence if it fails."""
    arguments = [str(sent), str(plain), "" if header is None else str(header), sheet or ""]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=same_imports(),
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FileError(f"reading {sent} takes longer than {SECONDS} s", "a smaller file") from None
    if done.returncode == 2:
        raise FileError(done.stderr.decode("utf-8", "replace")[-2000:].strip())
    if done.returncode != 0:
        raise FileError(f"{sent} cannot be read", "a smaller table, as CSV, Excel (.xlsx) or Parquet")
