"""Compiling with Numba: kernels, functions generic over the class of a state, and the on-disk cache.

A policy's state is a NamedTuple of arrays and numbers. `ask`, `tell` and their like are generic: what runs
is picked by the class of their first argument, in compiled code and (with NUMBA_DISABLE_JIT=1) in plain
Python alike. So one compiled rollout serves every policy, nested ones included.

What was compiled is kept on disk, kernels too, so that policies share what they have in common. Numba's own
cache looks at one file per function and would go on using stale code after an edit to a kernel elsewhere;
ours lives in a folder named after a digest of the whole package.
"""

import functools
import hashlib
import os
import pickle
import shutil
import time
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import config, types
from numba.extending import overload

from allotment.errors import InputError, NotFoundError

P = ParamSpec("P")
R = TypeVar("R")

PACKAGE = Path(__file__).parent
OURS = "allotment."
UNUSED_SECONDS = 30 * 24 * 3600  # after which the cache of some other version is cleared away


# Kernels allocate nothing, so they need no reference counting, which would otherwise cost several times
# what the kernels do: every array of a state is counted up and down at each call. Without it Numba refuses
# to create arrays and to copy one into another by a slice; kernels write loops instead.
UNCOUNTED: Any = {"_nrt": False}
PART_OF_CALLER: Any = {**UNCOUNTED, "forceinline": True}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that other compiled functions call, and that creates no array."""
    return cast(Callable[P, R], _kept_on_disk(function, {**UNCOUNTED, "forceinline": False}))


def lanes(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel whose loops are to do several turns at once, as part of the kernels that call it.

    Its divisions are not checked for zero, since a loop that might stop halfway does one turn at a time.
    It becomes part of its callers, because to hand over a state of many arrays costs as much as a few turns.
    """
    options = {**PART_OF_CALLER, "error_model": "numpy"}
    return cast(Callable[P, R], _kept_on_disk(function, options))


def ordered_lanes(function: Callable[P, R]) -> Callable[P, R]:
    """Likewise, for loops that compare numbers which are never NaN: minima too take several turns at once.

    That no zero counts as negative is taken for granted as well. Neither changes a number.
    """
    options = {**PART_OF_CALLER, "error_model": "numpy", "fastmath": {"nnan", "nsz"}}
    return cast(Callable[P, R], _kept_on_disk(function, options))


def allocating(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that creates arrays, for use at the start of things and not in every round."""
    return cast(Callable[P, R], _kept_on_disk(function, {}))


def _kept_on_disk(function: Callable[..., Any], options: Any) -> Any:
    """Compile with the cache if the function is the package's own and there is somewhere to write."""
    if _is_of_package(function):
        try:
            with _cache_folder():
                return numba.njit(nogil=True, cache=True, **options)(function)
        except (OSError, RuntimeError):
            pass
    return numba.njit(nogil=True, **options)(function)


def _is_of_package(function: Callable[..., Any]) -> bool:
    return (function.__module__ or "").startswith(OURS)  # there is no module where code was typed in


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a small kernel into its callers: for what runs per arm and round, where a call would tell."""
    return cast(Callable[P, R], numba.njit(nogil=True, inline="always", **UNCOUNTED)(function))


class Generic(typing.Protocol[P, R]):
    """A function whose implementation depends on the class of its first argument."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the implementation registered for the first argument's class."""

    def register(self, implementation: Callable[..., R]) -> Callable[..., R]:
        """Take an implementation for the class that its first parameter is annotated with.

        It is compiled as a kernel, unless it was compiled already, as `lanes` for example.
        """


def generic(signature: Callable[P, R]) -> Generic[P, R]:
    """Make a function generic over the class of its first argument; the signature's body is never run."""
    return _generic(signature, None)


def generic_with_default(signature: Callable[P, R]) -> Generic[P, R]:
    """Likewise, but the signature's body, compiled, runs for classes that registered nothing."""
    return _generic(signature, lanes(signature))


def _generic(signature: Callable[P, R], default: Callable[..., R] | None) -> Generic[P, R]:
    implementations: dict[type, Callable[..., R]] = {}

    @functools.wraps(signature)
    def dispatch(state: Any, *others: Any) -> R:
        return _registered(type(state))(state, *others)

    def _registered(state_class: type) -> Callable[..., R]:
        implementation = implementations.get(state_class, default)
        if implementation is None:
            name = getattr(signature, "__name__", "function")
            raise NotFoundError(
                f"{state_class.__name__} has no '{name}' kernel; register one", what=name, value=state_class
            )
        return implementation

    def register(implementation: Callable[..., R]) -> Callable[..., R]:
        plain = getattr(implementation, "py_func", implementation)
        first = next(iter(typing.get_type_hints(plain).values()), None)
        if not (isinstance(first, type) and issubclass(first, tuple)):
            raise InputError("the first parameter of a kernel must be annotated with its NamedTuple class")
        if plain is implementation:  # not compiled yet
            implementation = (kernel if _is_of_package(plain) else allocating)(implementation)
        implementations[first] = implementation
        return implementations[first]

    # Numba compares the two signatures below, annotations included, so they must read alike.
    @overload(dispatch, jit_options=PART_OF_CALLER)
    def pick(state: Any, *others: Any) -> Callable[..., R] | None:
        if not isinstance(state, types.NamedTuple | types.NamedUniTuple):
            return None
        implementation = _registered(state.instance_class)

        def run(state: Any, *others: Any) -> R:
            return implementation(state, *others)

        return run

    result = cast(Any, dispatch)
    result.register = register
    return cast(Generic[P, R], result)


class Entry:
    """A compiled function that Python calls, kept on disk for states that belong to the package.

    The cache's index names the classes of all states in it, so a class that some later process cannot
    import would break the index for everyone: states from outside the package are compiled per process.
    """

    def __init__(self, function: Callable[..., Any], *, creates_arrays: bool = False) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._options = {} if creates_arrays else UNCOUNTED

    @functools.cached_property
    def _fresh(self) -> Callable[..., Any]:
        return cast(Callable[..., Any], numba.njit(nogil=True, **self._options)(self._function))

    @functools.cached_property
    def _kept(self) -> Callable[..., Any]:
        return cast(Callable[..., Any], _kept_on_disk(self._function, self._options))

    def __call__(self, state: Any, *others: Any) -> Any:
        """Run it for this state."""
        if not (_is_ours(state) and all(_is_ours(other) for other in others)):
            return self._fresh(state, *others)
        try:
            return self._kept(state, *others)
        except (pickle.UnpicklingError, EOFError, ImportError, AttributeError):  # a damaged cache: start anew
            shutil.rmtree(_cache_home(), ignore_errors=True)
            return self._fresh(state, *others)


def _is_ours(state: Any) -> bool:
    if not isinstance(state, tuple):
        return True  # arrays and numbers are everybody's
    return type(state).__module__.startswith(OURS) and all(_is_ours(part) for part in state)


@functools.cache
def _cache_home() -> Path:
    """The folder for this exact source of the package; those long unused are cleared away."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or default) / "allotment"
    digest = hashlib.sha256()
    for source in sorted(PACKAGE.rglob("*.py")):
        digest.update(source.relative_to(PACKAGE).as_posix().encode() + b"\0" + source.read_bytes())
    home = base / digest.hexdigest()[:16]
    home.mkdir(parents=True, exist_ok=True)
    os.utime(home)
    for other in base.iterdir():
        if time.time() - other.stat().st_mtime > UNUSED_SECONDS:
            shutil.rmtree(other, ignore_errors=True)
    return home


@contextmanager
def _cache_folder() -> Iterator[None]:
    """Numba reads its cache folder when a function is decorated: ours for that moment only."""
    settings = cast(Any, config)
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(_cache_home())
    try:
        yield
    finally:
        settings.CACHE_DIR = before
