"""The folder of compiled code, named after a digest of everything that the code depends on.

Loading compiled code runs it, so the folder must be one that only this user can change. A cache that cannot
be used costs time and nothing else: everything is then compiled in each process.
"""

import functools
import os
import re
import secrets
import shutil
import time
import warnings
from contextlib import suppress
from pathlib import Path

from allotment.compiling.code_digest import digest_of_code, digest_of_text, read_sources, stamp
from allotment.errors import CacheWarning, FileError
from allotment.system.files import private_folder

NAME = re.compile(r"[0-9a-f]{16}")  # of a folder of compiled code
UNUSED_SECONDS = 30 * 24 * 3600  # after which the cache of some other version is cleared away
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
    """The folder for this state of the compiled code, or None if code cannot be kept, which is said once."""
    try:
        _stamp_at_first()
        base = base_folder()
        folder = private_folder(base / _name(private_folder(base / "code-digests")))
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


def _name(digests: Path) -> str:
    """The digest of the code. To parse the sources takes a while, so it is kept for each text of theirs."""
    sources = read_sources()
    if not sources:
        raise FileError("the sources of allotment are not there to be looked at")
    known = digests / digest_of_text(sources)
    with suppress(OSError, UnicodeError):
        name = known.read_text("ascii")
        if NAME.fullmatch(name):
            return name
    name = digest_of_code(sources)
    with suppress(OSError):
        write_whole(known, name.encode())
    return name


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
