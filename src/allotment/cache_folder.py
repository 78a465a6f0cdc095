"""The folder that keeps compiled code, named after a digest of all that the code depends on.

Numba's own cache looks at the file of one function, and would go on using stale code after an edit to a
kernel elsewhere. Ours looks at every module that holds compiled code, and at those whose numbers are frozen
into it; docstrings, comments and sentences for people do not count, so that editing one recompiles nothing.

Loading compiled code runs it, so the folder must be one that only this user can change. A cache that cannot
be used costs time and nothing else: everything is then compiled in each process.
"""

import ast
import functools
import hashlib
import os
import re
import secrets
import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from allotment.errors import CacheWarning, FileError
from allotment.private_folders import private_folder

PACKAGE = Path(__file__).parent
# A module that says this; kernels of a generic function need not name what compiles them.
HOLDS_COMPILED_CODE = re.compile(r"^from allotment\.compiling import |^@\w+\.register\b", re.MULTILINE)
# As what code is compiled, and in which form it is kept.
COMPILES = ("compiling.py", "parts.py", "disk_cache.py", "cache_folder.py")
FROZEN = (
    "outside.py",
    "tolerance.py",
    "divergence.py",
    "log_beta.py",
)  # plain modules that are compiled, or taken numbers from
FOR_PEOPLE = ("family", "use")  # sentences that a policy says of itself
PLAIN = os.environ.get("ALLOTMENT_PLAIN_NUMBA", "")  # which compiles otherwise
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


def compiled_modules() -> Iterator[Path]:
    """The modules that compiled code depends on."""
    for source in sorted(PACKAGE.rglob("*.py")):
        frozen = source.relative_to(PACKAGE).as_posix() in FROZEN
        if frozen or source.name in COMPILES or HOLDS_COMPILED_CODE.search(source.read_text("utf-8")):
            yield source


def code_of(source: str) -> str:
    """What a module does, without what it says to people."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_for_people(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_for_people(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    return named and node.targets[0].id in FOR_PEOPLE  # type: ignore[attr-defined]


@functools.cache
def home() -> Path | None:
    """The folder for this state of the compiled code, or None if code cannot be kept, which is said once."""
    try:
        base = base_folder()
        folder = private_folder(base / _name(private_folder(base / "keys")))
    except OSError as error:
        say_not_kept(str(error))
        return None
    with suppress(OSError):  # a cache that cannot be written can still be read
        os.utime(folder)
        if not _is_tagged(folder):
            write_whole(folder / TAG, TAG_CONTENT)
    _delete_unused(base)
    return folder


def ensure_kept() -> None:
    """Refuse to compile ahead where compiled code cannot be kept."""
    if home() is None:
        raise FileError("nothing was compiled ahead, because compiled code cannot be kept")


def _name(keys: Path) -> str:
    """The digest of what the code does. To parse all sources takes a while, so it is kept for each state."""
    sources = [(path.relative_to(PACKAGE).as_posix(), path.read_bytes()) for path in compiled_modules()]
    known = keys / _digest(sources)
    with suppress(OSError, UnicodeError):
        name = known.read_text("ascii")
        if NAME.fullmatch(name):
            return name
    name = _digest([(path, code_of(content.decode()).encode()) for path, content in sources])
    with suppress(OSError):
        write_whole(known, name.encode())
    return name


def _digest(sources: list[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256(PLAIN.encode())
    for path, content in sources:
        digest.update(path.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:16]


def _is_tagged(folder: Path) -> bool:
    tag = folder / TAG
    return tag.is_file() and tag.read_bytes() == TAG_CONTENT


def _delete_unused(base: Path) -> None:
    """Delete what other versions kept and nobody used for long. Whatever else lies there is the user's."""
    with suppress(OSError):
        for other in base.iterdir():
            unused = time.time() - other.lstat().st_mtime > UNUSED_SECONDS
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
def say_not_kept(reason: str) -> None:
    """Warn, once, that compiled code is not kept."""
    warnings.warn(
        f"compiled code is not kept, so every run compiles it again: {reason}; to keep it elsewhere, set "
        "NUMBA_CACHE_DIR to a folder that only you can change",
        CacheWarning,
        stacklevel=2,
    )
