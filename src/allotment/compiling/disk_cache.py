"""Numba's on-disk cache of compiled functions, kept in our own folder (`cache_folder.py`).

Compiled code is kept with the names of the shared kernels (`linking.py`) that it calls; these load first.
"""

import hashlib
import pickle
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numba
from llvmlite.binding import address_of_symbol
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps

from allotment.compiling.cache_folder import (
    delete_unused_files,
    digest_of,
    home,
    mark_used,
    sources_changed,
    warn_of_no_cache,
    write_whole,
)
from allotment.compiling.code_digest import PLAIN
from allotment.compiling.user_kernels import classes_in, names_user_class
from allotment.errors import FileError
from allotment.system.files import private_folder

DAMAGE = (pickle.UnpicklingError, EOFError, ImportError, AttributeError, ValueError, TypeError, IndexError)
DIGEST_SIZE = hashlib.sha256().digest_size


def _folder_for(function: Callable[..., Any]) -> Path:
    found = home()
    if found is None:
        raise FileError("there is no folder to keep compiled code in")
    return found / function.__module__.removeprefix("allotment.")


class _Locator(_CacheLocator):
    """Tells Numba where the code of one module is kept."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._folder = _folder_for(function)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        private_folder(self._folder)

    def get_source_stamp(self) -> str:
        return "same"  # the name of the file says it all

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
        return calls_of(made.library), needs_of(made.library), super().reduce(made)  # type: ignore[no-untyped-call]

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """What was kept, ready to run."""
        calls, needs, compiled = payload
        load_needed(needs)
        find_calls(calls, target_context)
        made = super().rebuild(target_context, compiled)  # type: ignore[no-untyped-call]
        made.library.needs = needs
        return made


def find_calls(calls: list[str] | None, target_context: Any) -> None:
    """Load all of Numba if not everything that compiled code calls is there."""
    if calls is None or not _can_be_found(calls, target_context):
        target_context.refresh()


def calls_of(library: Any) -> list[str] | None:
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
    """A file for every signature and state of the code, so that processes do not get in each other's way.

    A digest comes first, so that Numba never sees damaged code, which could do anything.
    """

    def __init__(self, folder: Path, base: str, code: tuple[str, ...]) -> None:
        """`code` tells the code of the function, and how it is compiled."""
        self._folder, self._base, self._code = folder, base, code

    def _path(self, key: Any) -> Path:
        signature, *_ = key  # whose text names classes, but neither their modules nor their fields
        classes = [
            (kind.__module__, digest_of(kind.__module__, kind.__qualname__)) for kind in classes_in(signature)
        ]
        digest = hashlib.sha256(repr((numba.__version__, self._code, classes, key)).encode()).hexdigest()[:16]
        return self._folder / f"{self._base}-{digest}.nbc"

    def _content(self, key: Any) -> bytes | None:
        """What was kept for this key, still pickled, or None if there is nothing or it is damaged."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:  # on Windows also: somebody is writing it
            return None
        digest, payload = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
        if hashlib.sha256(payload).digest() != digest:
            return None
        mark_used(path)
        found, pickled = pickle.loads(payload)
        return pickled if found == key else None

    def load(self, key: Any) -> Any:
        pickled = self._content(key)
        return None if pickled is None else pickle.loads(pickled)

    def save(self, key: Any, data: Any) -> None:
        pickled: Any = dumps  # can pickle more than pickle can
        payload = pickled((key, pickled(data)))
        path = self._path(key)
        write_whole(path, hashlib.sha256(payload).digest() + payload)
        delete_unused_files(self._folder.parent, path)

    def holds(self, key: Any) -> bool:
        return self._content(key) is not None


def _told(options: Mapping[str, Any]) -> list[str]:
    """How a function is compiled, the same in every process."""
    return sorted(
        f"{name}={sorted(each) if isinstance(each, set) else each}" for name, each in options.items()
    )


class DiskCache(FunctionCache):
    """Numba's cache of a function, in our folder; what is damaged counts as not there.

    What names a class from outside the package is not kept: its kernels, which nobody looks at for changes,
    are part of it, and a later process may not be able to import it.
    """

    _impl_class: Any = Impl

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        code = digest_of(function.__module__, function.__qualname__)
        numba_cache: Any = self  # whose folder a variable of Numba's can change
        base: str = numba_cache._impl.filename_base
        numba_cache._cache_file = _Files(_folder_for(function), base, (code, *_told(options)))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for this signature, or None."""
        if names_user_class(sig):
            return None
        load: Any = getattr(self, "_load_overload", super().load_overload)  # which loads what compiling takes
        try:
            return load(sig, target_context)
        except (OSError, *DAMAGE):
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for this signature, if that is possible."""
        if names_user_class(sig):
            return
        try:
            if sources_changed():
                return
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            warn_of_no_cache(f"cannot write to {home()}: {error.strerror or error}")

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Whether something is kept for this signature, without loading it."""
        if names_user_class(sig):
            return False
        try:
            numba_cache: Any = self
            return numba_cache._cache_file.holds(numba_cache._index_key(sig, target_context.codegen()))
        except (OSError, *DAMAGE):
            return False


class Need(NamedTuple):
    """A shared kernel, the types it is compiled for, and the name of its machine code."""

    module: str
    name: str
    signature: tuple[Any, ...]
    symbol: str


class Reference:
    """Stands for the machine code of a shared kernel where Numba would link its code."""

    _reload_init: frozenset[Any] = frozenset()

    def __init__(self, need: Need, library: Any) -> None:
        """`library` holds the machine code."""
        self.need, self.library = need, library

    def _ensure_finalized(self) -> None:
        """Numba asks for it before it links; the machine code is there."""

    def _get_module_for_linking(self) -> Any:
        """What is linked: nothing. The callers declare the function, and LLVM finds it by its name."""
        from llvmlite import binding

        return binding.parse_assembly(str(self.library._codegen._create_empty_module(self.need.name)))


def needs_of(library: Any) -> list[Need]:
    """All that some code calls, directly or through its parts."""
    found = dict.fromkeys(getattr(library, "needs", ()))
    for part in getattr(library, "_linking_libraries", ()):
        found |= dict.fromkeys([part.need] if isinstance(part, Reference) else needs_of(part))
    return list(found)


def load_needed(needs: list[Need]) -> None:
    """Load them, or compile them anew; ImportError if one of them is not what it was."""
    for need in needs:
        kernel: Any = getattr(import_module(need.module), need.name)
        kernel.compile(need.signature)
        if kernel.overloads[need.signature].library.need.symbol != need.symbol:
            raise ImportError(f"{need.name} was compiled anew")
