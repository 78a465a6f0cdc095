"""Files that are written whole or not at all, and folders that only this user can change."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from allotment.errors import FileError

AnyPath = str | os.PathLike[str]


def read_bytes(path: AnyPath) -> bytes:
    """The contents of a file, or a FileError that says what is in the way."""
    with open_ordinary(path) as file:
        try:
            return file.read()
        except OSError as error:
            raise _in_the_way("read", path, error) from None


def open_ordinary(path: AnyPath) -> BufferedReader:
    """An ordinary file, opened to be read; a pipe or a device could keep the reader waiting for ever."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
        raise FileError("it is not an ordinary file")
    except (OSError, ValueError) as error:
        raise _in_the_way("read", path, error) from None


@contextmanager
def replacing(path: AnyPath, like: Path | None = None) -> Iterator[Path]:
    """A draft beside `path` that takes its place when the block ends well, and is removed if not.

    From its first byte on, only those may read the draft who may read an earlier file at `path`, or `like`.
    """
    try:
        draft, target = _draft_for(path, like)
    except (OSError, ValueError) as error:
        raise _in_the_way("write", path, error) from None
    try:
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        if (mode := _mode_of(target, like)) is not None:
            draft.chmod(mode)
        draft.replace(target)
        sync_folder(target.parent)
    except FileError:
        raise
    except OSError as error:
        raise _in_the_way("write", path, error) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to disk: until then, a power cut could take back a rename."""
    if os.name == "nt":  # a folder cannot be opened there
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def ensure_writable(path: AnyPath) -> None:
    """Fail now, and not after an hour's work, if `path` cannot be written."""
    try:
        _draft_for(path, None)[0].unlink()
    except (OSError, ValueError) as error:
        raise _in_the_way("write", path, error) from None


def ensure_folder(path: AnyPath) -> None:
    """Make a folder, if it is not there."""
    try:
        Path(path).mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise _in_the_way("write", path, error) from None


def make_empty(path: Path, like: Path | None) -> None:
    """Make an empty file that nobody may use who may not use `like`."""
    mode = _mode_of(like)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else 0o600))
    if mode is not None:
        path.chmod(mode)


def _mode_of(*paths: Path | None) -> int | None:
    """Who may use the first of these files that exists."""
    for path in paths:
        if path is not None and path.exists():
            return stat.S_IMODE(path.stat().st_mode)
    return None


def _draft_for(path: AnyPath, like: Path | None) -> tuple[Path, Path]:
    """Make an empty draft beside the file that `path` means, links followed; return both."""
    target = Path(path).resolve()
    if target.is_dir():
        raise FileError("it is a folder")
    if target.exists() and not target.is_file():
        raise FileError("it is not an ordinary file")
    if target.exists() and not os.access(target, os.W_OK):
        raise FileError("it is write-protected")
    draft = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}")
    make_empty(draft, target if target.exists() else like)
    return draft, target


def _in_the_way(what: str, path: AnyPath, error: Exception) -> FileError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return FileError(f"cannot {what} {os.fspath(path)}: {reason}")


try:
    import grp
    import pwd
except ImportError:  # Windows, where a user's folders are private by default
    grp = pwd = None  # type: ignore[assignment]

PRIVATE = 0o700


def private_folder(path: Path) -> Path:
    """Make a folder with mode 0700 unless it exists, and return where it lies once links are followed.

    The last part of the path must not be a link. The folder is refused (FileError) unless it belongs to this
    user, nobody else has access to it, and nobody else can replace it or a folder above it.
    """
    try:
        folder = Path(os.path.realpath(path.parent), path.name)
        for parent in reversed(folder.parents):
            _make(parent)
            _check_parent(parent)
        _make(folder)
        _check(folder)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot make the folder {path}: {error.strerror}") from None
    return folder


def _make(folder: Path) -> None:
    if not os.path.lexists(folder):
        folder.mkdir(PRIVATE, exist_ok=True)  # another process may be faster


def _check(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise FileError(f"{folder} is not a folder")
    if pwd is None:
        return
    if status.st_uid != os.geteuid():
        raise _belongs_to_another(folder, status)
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise FileError(f"other users have access to {folder}; `chmod 700 {folder}` ends that")


def _check_parent(folder: Path) -> None:
    """Refuse a folder in which somebody else could replace one of this user's."""
    status = folder.stat()
    if pwd is None:
        return
    if status.st_uid not in (os.geteuid(), Path(folder.anchor).stat().st_uid):  # the latter can do anything
        raise _belongs_to_another(folder, status)
    group_writes = status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid)
    sticky = status.st_mode & stat.S_ISVTX  # others may add to the folder, but replace only what is theirs
    if not sticky and (group_writes or status.st_mode & stat.S_IWOTH):
        raise FileError(f"other users can write to {folder}; `chmod go-w {folder}` ends that")


def _is_own_group(number: int) -> bool:
    """Whether a group has this user alone in it, as many systems make one for each user."""
    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _belongs_to_another(folder: Path, status: os.stat_result) -> FileError:
    return FileError(f"{folder} belongs to another user (number {status.st_uid})")
