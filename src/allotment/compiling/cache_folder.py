"""The folder of compiled code, named after a digest of the package's own compiler.

The files in it are named after digests of the code that they were compiled from (`code_digest.py`).

Loading compiled code runs it, so the folder must be one that only this user can change. A cache that cannot
be used costs time and nothing else: everything is then compiled in each process.
"""

import functools
import json
import os
import re
import secrets
import shutil
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeGuard

from allotment.compiling.code_digest import (
    OF_ALL,
    OF_COMPILER,
    Digests,
    digest_of_text,
    digests_of_code,
    name_of,
    read_sources,
    stamp,
)
from allotment.errors import CacheWarning, FileError
from allotment.system.files import private_folder

NAME = re.compile(r"[0-9a-f]{16}")  # of a folder of compiled code
UNUSED_SECONDS = 30 * 24 * 3600  # after which files of other versions of the code are deleted
USED_SECONDS = 24 * 3600  # after which a file that is used again is marked as used
# Backup programs skip a folder with such a file, and the cleaner deletes no folder without it.
TAG = "CACHEDIR.TAG"
TAG_CONTENT = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n# Code that allotment compiled; it can be deleted.\n"
)


def base_folder() -> Path:
    """Where caches of all versions are."""
    chosen = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(chosen or Path.home() / ".cache") / "allotment"
    except RuntimeError:
        raise FileError("this user has no home folder") from None


@functools.cache
def home() -> Path | None:
    """The folder of compiled code, or None if code cannot be kept, which is said once."""
    try:
        _stamp_at_first()
        base = base_folder()
        folder = private_folder(base / _digests()[OF_COMPILER])
    except (OSError, SyntaxError) as error:  # SyntaxError: somebody is writing a module, needed here or not
        warn_of_no_cache(str(error))
        return None
    with suppress(OSError):  # a cache that cannot be written can still be read
        os.utime(folder)
        if not _is_tagged(folder):
            write_whole(folder / TAG, TAG_CONTENT)
    _delete_unused(base, folder)
    return folder


@functools.cache
def _stamp_at_first() -> object:
    return stamp()


def sources_changed() -> bool:
    """Whether a source was edited since this process chose its folder, which may then hold the wrong code."""
    return stamp() != _stamp_at_first()


def ensure_cache() -> None:
    """Refuse to compile ahead where compiled code cannot be kept."""
    if home() is None:
        raise FileError("nothing was compiled ahead, because compiled code cannot be kept")


def digest_of(module: str, qualified: str) -> str:
    """The digest of what a function or a class depends on; of everything, if that cannot be told."""
    digests = _digests()
    return digests.get(name_of(module, qualified), digests[OF_ALL])


def digest_of_all() -> str:
    """The digest of all code that kernels can depend on."""
    return _digests()[OF_ALL]


@functools.cache
def _digests() -> Digests:
    """All digests. To parse the sources takes seconds, so they are kept for each text of theirs."""
    sources = read_sources()
    if not sources:
        raise FileError("the sources of allotment are not there to be looked at")
    known = private_folder(base_folder() / "code-digests") / digest_of_text(sources)
    with suppress(OSError, ValueError):
        digests = json.loads(known.read_bytes())
        if _are_digests(digests):
            return digests
    digests = digests_of_code(sources)
    with suppress(OSError):
        write_whole(known, json.dumps(digests).encode())
    return digests


def _are_digests(content: Any) -> TypeGuard[Digests]:
    return (
        isinstance(content, dict)
        and {OF_COMPILER, OF_ALL} <= content.keys()
        and all(isinstance(each, str) and NAME.fullmatch(each) for each in content.values())
    )


def mark_used(path: Path) -> None:
    """Note that a file of the cache is in use, once a day."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > USED_SECONDS:
            os.utime(path)


@functools.cache
def delete_unused_files(folder: Path, newest: Path) -> None:
    """Delete what was compiled from other code and nobody used for long, once per process.

    The clocks of this machine and of the disk may differ by far. A file that was just written tells the time.
    """
    with suppress(OSError):
        now = newest.stat().st_mtime
        for each in folder.glob("*/*.nbc"):
            if now - each.lstat().st_mtime > UNUSED_SECONDS:
                each.unlink(missing_ok=True)


def _is_tagged(folder: Path) -> bool:
    tag = folder / TAG
    return tag.is_file() and tag.read_bytes() == TAG_CONTENT


def _delete_unused(base: Path, used: Path) -> None:
    """Delete what other versions kept and nobody used for long. Whatever else lies there is the user's."""
    with suppress(OSError):
        for other in base.iterdir():
            # The clocks of this machine and of the disk may differ by far, so the folder in use is named.
            unused = other != used and time.time() - other.lstat().st_mtime > UNUSED_SECONDS
            if unused and NAME.fullmatch(other.name) and not other.is_symlink() and _is_tagged(other):
                shutil.rmtree(other, ignore_errors=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that other processes see all of it or nothing."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


@functools.cache
def warn_of_no_cache(reason: str) -> None:
    """Warn, once, that compiled code is not kept."""
    warnings.warn(
        f"compiled code is not kept, so every run compiles it again: {reason}; to keep it elsewhere, set "
        "NUMBA_CACHE_DIR to a folder that only you can change",
        CacheWarning,
        stacklevel=2,
    )
