"""Files written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from allotment.errors import FileError


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The contents of a file, or a FileError that says what is in the way."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from None


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when the block ends well, and is removed if not."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from None
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.chmod(0o666 & ~_umask())
        if target.is_dir():
            raise FileError(f"cannot write {target}: it is a folder")
        draft.replace(target)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        draft.unlink(missing_ok=True)


def ensure_writable(path: str | os.PathLike[str]) -> None:
    """Fail now, and not after an hour's work, if `path` cannot be written."""
    target = Path(path)
    if target.is_dir():
        raise FileError(f"cannot write {target}: it is a folder")
    try:
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
