"""Files that visitors download: each is written whole before its first byte is sent, and then deleted."""

import csv
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.responses import StreamingResponse

from allotment.spreadsheets import inert

BLOCK = 1 << 16


def download(write: Callable[[Path], None], name: str, kind: str) -> StreamingResponse:
    """The file that `write` makes, under a name for the visitor's own folder."""
    folder = tempfile.TemporaryDirectory(prefix="allotment-download-")  # mode 0700
    path = Path(folder.name, "file")
    try:
        write(path)
    except BaseException:
        folder.cleanup()
        raise

    def blocks() -> Iterator[bytes]:
        with folder, path.open("rb") as file:
            while block := file.read(BLOCK):
                yield block

    plain = "".join(each if each.isascii() and (each.isalnum() or each in "-_.") else "-" for each in name)
    headers = {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "content-length": str(path.stat().st_size),
    }
    return StreamingResponse(blocks(), media_type=kind, headers=headers)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Rows as CSV that a spreadsheet opens and does not compute."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(map(inert, rows))
