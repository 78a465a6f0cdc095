"""Folders that only this user can change, for compiled code and for locks."""

import os
import stat
from pathlib import Path

from allotment.errors import FileError

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
