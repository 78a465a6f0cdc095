"""Files that visitors download: each is written whole before its first byte is sent, and then deleted."""

import csv
import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from allotment.tables import inert
from allotment.web.files.passing import passing_folder

BLOCK = 1 << 16


class _Download(StreamingResponse):
    """A file in a folder that goes once the file is sent, or the visitor is gone."""

    def __init__(self, folder: "tempfile.TemporaryDirectory[str]", path: Path, **options: Any) -> None:
        self.folder, self.blocks = folder, _blocks(path)
        super().__init__(self.blocks, **options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.blocks.close()
            self.folder.cleanup()


def _blocks(path: Path) -> Generator[bytes, None, None]:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block


def download(write: Callable[[Path], None], name: str, kind: str) -> StreamingResponse:
    """The file that `write` makes, under a name for the visitor's own folder."""
    folder = passing_folder()
    path = Path(folder.name, "file")
    try:
        write(path)
    except BaseException:
        folder.cleanup()
        raise

    plain = "".join(each if each.isascii() and (each.isalnum() or each in "-_.") else "-" for each in name)
    headers = {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "content-length": str(path.stat().st_size),
    }
    return _Download(folder, path, media_type=kind, headers=headers)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Rows as CSV that a spreadsheet opens and does not compute."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(map(inert, rows))
