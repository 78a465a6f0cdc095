"""What was compiled is kept on disk, in a folder named after a digest of all that compiled code depends on.

Numba's own cache looks at the file of one function, and would go on using stale code after an edit to a
kernel elsewhere. Ours looks at every module that holds compiled code, and at those whose numbers are frozen
into it; docstrings, comments and sentences for people do not count, so that editing one recompiles nothing.
"""

import ast
import functools
import hashlib
import os
import pickle
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from llvmlite.binding import address_of_symbol
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

from allotment.outside import names_outside

PACKAGE = Path(__file__).parent
# A module that says this; kernels of a generic function need not name what compiles them.
HOLDS_COMPILED_CODE = re.compile(r"^from allotment\.compiling import |^@\w+\.register\b", re.MULTILINE)
COMPILES = ("compiling.py", "parts.py", "disk_cache.py")  # as what, and in which form it is kept
FROZEN = (
    "outside.py",
    "tolerance.py",
    "divergence.py",
    "log_beta.py",
)  # plain modules that are compiled, or taken numbers from
FOR_PEOPLE = ("family", "use")  # sentences that a policy says of itself
UNUSED_SECONDS = 30 * 24 * 3600  # after which the cache of some other version is cleared away
PLAIN = os.environ.get("ALLOTMENT_PLAIN_NUMBA", "")  # which compiles otherwise
DAMAGE = (pickle.UnpicklingError, EOFError, ImportError, AttributeError, ValueError, TypeError, IndexError)


def base_folder() -> Path:
    """Where caches of all versions are."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("NUMBA_CACHE_DIR") or default) / "allotment"


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
def home() -> Path:
    """The folder for this state of the compiled code; those long unused are cleared away."""
    base, sources = base_folder(), [(path, path.read_bytes()) for path in compiled_modules()]
    exact = hashlib.sha256(PLAIN.encode())
    for path, content in sources:
        exact.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + content)
    known = (
        base / "digests" / exact.hexdigest()[:16]
    )  # to parse all sources takes a while: once for each state
    try:
        name = known.read_text("utf-8")
    except OSError:
        digest = hashlib.sha256(PLAIN.encode())
        for path, content in sources:
            digest.update(
                path.relative_to(PACKAGE).as_posix().encode() + b"\0" + code_of(content.decode()).encode()
            )
        name = digest.hexdigest()[:16]
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(name, "utf-8")
    folder = base / name
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in base.iterdir():
        if time.time() - other.stat().st_mtime > UNUSED_SECONDS:
            shutil.rmtree(other, ignore_errors=True)
    return folder


class _Locator(_CacheLocator):
    """Tells Numba where the code of one module is kept."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._folder = home() / function.__module__.removeprefix("allotment.")

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return "same"  # the folder says it all

    def get_disambiguator(self) -> str:
        return "kernel"

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_Locator":
        return cls(function)


class Impl(CompileResultCacheImpl):
    """How Numba's cache writes and reads what was compiled: together with the names of what it calls.

    Before Numba loads anything, it loads all that compiling takes, a third of a second's worth of modules.
    What was compiled runs without them, if the few functions of Numba's runtime that it calls can be found.
    """

    _locator_classes: Any = (_Locator,)

    def reduce(self, made: Any) -> Any:
        """What is kept."""
        return _calls(made.library), super().reduce(made)  # type: ignore[no-untyped-call]

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """What was kept, ready to run."""
        calls, kept = payload
        if calls is None or not _can_be_found(calls, target_context):
            target_context.refresh()
        return super().rebuild(target_context, kept)  # type: ignore[no-untyped-call]


def _calls(library: Any) -> list[str] | None:
    """The functions and variables from elsewhere that compiled code names, or None if Numba does not tell."""
    with suppress(AttributeError):
        if not PLAIN:
            module = library._get_module_for_linking()
            named = [each for each in (*module.functions, *module.global_variables) if each.is_declaration]
            return [each.name for each in named if not each.name.startswith("llvm.")]  # which LLVM has itself
    return None


def _can_be_found(names: list[str], target_context: Any) -> bool:
    """Whether code that names these can be linked; if it cannot, LLVM would end the process."""
    with suppress(ImportError, AttributeError):  # which say that Numba has changed inside: they are not found
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(target_context)
    return all(address_of_symbol(name) is not None for name in names)


class _Files:
    """Files of their own for every signature: processes that compile at a time keep out of each other's way.

    Two that add to one index would lose what one of them wrote, or take the code of one for the other's.
    """

    def __init__(self, folder: str, base: str) -> None:
        self._folder, self._base = folder, base

    def _of(self, key: Any) -> Any:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:12]
        return IndexDataCacheFile(self._folder, f"{self._base}-{digest}", "same")  # type: ignore[no-untyped-call]

    def load(self, key: Any) -> Any:
        return self._of(key).load(key)

    def save(self, key: Any, data: Any) -> None:
        self._of(key).save(key, data)

    def holds(self, key: Any) -> bool:
        return key in self._of(key)._load_index()


class DiskCache(FunctionCache):
    """Numba's cache of a function, in our folder; what is damaged counts as not there.

    What names a class from outside the package is not kept: its kernels, which nobody looks at for changes,
    are part of it. And the index names all classes in it, so one that some later process cannot import would
    break the index for everyone.
    """

    _impl_class: Any = Impl

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        numba: Any = self
        numba._cache_file = _Files(numba.cache_path, numba._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for this signature, or None."""
        if names_outside(sig):
            return None
        load: Any = getattr(self, "_load_overload", super().load_overload)  # which loads what compiling takes
        try:
            found = load(sig, target_context)
        except DAMAGE:
            shutil.rmtree(self.cache_path, ignore_errors=True)
            found = None
        except PermissionError:  # on Windows: somebody is writing it
            found = None
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for this signature."""
        if not names_outside(sig):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Whether something is kept for this signature, without loading it."""
        if names_outside(sig):
            return False
        try:
            numba: Any = self
            return numba._cache_file.holds(numba._index_key(sig, target_context.codegen()))
        except (OSError, *DAMAGE):
            return False
