"""Compiling with Numba: kernels, functions generic over the class of a state, and the on-disk cache.

A policy's state is a NamedTuple of arrays and numbers. `ask`, `tell` and similar functions are generic: the
class of the first argument chooses the kernel, in compiled code and, with NUMBA_DISABLE_JIT=1, in plain
Python. So one compiled rollout serves every policy, including nested ones.

Compiled code, kernels included, is kept on disk (`disk_cache.py`), so that policies share common parts.
Kernels are compiled only as far as other functions need in order to include them (`linking.py`).
"""

import functools
import inspect
import typing
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import types
from numba.core.typing.templates import infer, infer_global, make_overload_template

from allotment.compiling.code_digest import PLAIN
from allotment.compiling.disk_cache import DiskCache
from allotment.compiling.interpreting import Interpretable, make_interpretable
from allotment.compiling.python_calls import compile_for, know_kernels, run_user_kernels, types_of
from allotment.compiling.user_kernels import (
    COUNTED,
    USER_OPTIONS,
    allow_and_check,
    forget_user_kernels,
    is_of_package,
    is_ours,
    remember,
)
from allotment.errors import InputError, NotFoundError

P = ParamSpec("P")
R = TypeVar("R")


# Kernels allocate nothing, so they need no reference counting, which would otherwise cost several times
# what the kernels do: every array of a state is counted up and down at each call. Without it Numba refuses
# to create arrays and to copy one into another by a slice; kernels write loops instead.
# The option is private to Numba: where it is not known, kernels are compiled with reference counting.
UNCOUNTED: Any = {} if PLAIN else dict.fromkeys(COUNTED, False)  # ALLOTMENT_PLAIN_NUMBA: nothing private
PART_OF_CALLER: Any = {**UNCOUNTED, "forceinline": True}


def _parts() -> Any:
    """How functions become parts of others without more ado, and how they share machine code, or None."""
    with suppress(ImportError, AttributeError):  # which say that Numba has changed inside
        if not (PLAIN or cast(Any, numba).config.DISABLE_JIT):
            from allotment.compiling.linking import LinkedKernel, SharedKernel

            return LinkedKernel, SharedKernel
    return None, None


PART, SHARED = _parts()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that other compiled functions call, and that creates no array."""
    return cast(Callable[P, R], _part(function, {**UNCOUNTED, "forceinline": False}))


def lanes(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel whose loops are to do several turns at once, as part of the kernels that call it.

    Its divisions are not checked for zero, since a loop that might stop halfway does one turn at a time.
    It becomes part of its callers, because to hand over a state of many arrays costs as much as a few turns.
    """
    return cast(Callable[P, R], _part(function, {**PART_OF_CALLER, "error_model": "numpy"}))


def ordered_lanes(function: Callable[P, R]) -> Callable[P, R]:
    """Likewise, for loops that compare numbers which are never NaN: minima too take several turns at once.

    That no zero counts as negative is taken for granted as well. Neither changes a number.
    """
    return cast(
        Callable[P, R],
        _part(function, {**PART_OF_CALLER, "error_model": "numpy", "fastmath": {"nnan", "nsz"}}),
    )


def summing_lanes(function: Callable[P, R]) -> Callable[P, R]:
    """Likewise, for sums that may be added up in any order."""
    return cast(
        Callable[P, R], _part(function, {**PART_OF_CALLER, "error_model": "numpy", "fastmath": {"reassoc"}})
    )


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a large kernel once, to machine code that all its callers share (`linking.py`)."""
    return cast(Callable[P, R], _part(function, {**UNCOUNTED, "forceinline": False}, SHARED))


def allocating(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that creates arrays, for use at the start of things and not in every round."""
    return cast(Callable[P, R], _kept_on_disk(function, COUNTED, python_seconds=lambda *_: 0.0))


def _part(function: Callable[..., Any], options: Any, kind: Any = PART) -> Any:
    """Compile what other compiled functions call: as a part of them, if it is the package's own."""

    def in_full() -> Any:
        return _kept_on_disk(function, options)

    if kind is None or not is_of_package(function):
        return in_full()
    return remember(kind(function, {"nopython": True, "nogil": True, **options}, in_full))


def _kept_on_disk(
    function: Callable[..., Any], options: Any, python_seconds: Callable[..., float] | None = None
) -> Any:
    """Compile with the cache if the function is the package's own and there is somewhere to write."""
    made = make_interpretable(numba.njit(nogil=True, **options)(function), python_seconds)
    if is_of_package(function) and hasattr(made, "_cache"):
        with suppress(OSError, RuntimeError):
            made._cache = DiskCache(function, options)
    return remember(made)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a small kernel into its callers: for what runs per arm and round, where a call would tell."""
    made = numba.njit(nogil=True, inline="always", **UNCOUNTED)(function)
    return cast(Callable[P, R], make_interpretable(made))


class Generic(typing.Protocol[P, R]):
    """A function whose implementation depends on the class of its first argument."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the implementation registered for the first argument's class."""

    def register(self, implementation: Callable[..., R]) -> Callable[..., R]:
        """Take an implementation for the class that its first parameter is annotated with.

        It is compiled as a kernel, unless it was compiled already, as `lanes` for example.
        """

    def takes(self, state: Any) -> bool:
        """Whether an implementation is registered for its class."""

    def prepare(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Compile what these arguments would run, and keep it."""


def generic(signature: Callable[P, R]) -> Generic[P, R]:
    """Make a function generic over the class of its first argument; the signature's body is never run."""
    return _generic(signature, None)


def generic_with_default(signature: Callable[P, R]) -> Generic[P, R]:
    """Likewise, but the signature's body, compiled, runs for classes that registered nothing."""
    return _generic(signature, lanes(signature))


def _generic(signature: Callable[P, R], default: Callable[..., R] | None) -> Generic[P, R]:
    implementations: dict[type, Callable[..., R]] = {}
    know_kernels(implementations)

    @functools.wraps(signature)
    def dispatch(state: Any, *others: Any) -> R:
        found = _registered(type(state))
        if is_ours(state):
            return found(state, *others)
        allow_and_check(found)
        return cast(R, run_user_kernels(found, (state, *others)))

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
        given, expected = (list(inspect.signature(each).parameters) for each in (plain, signature))
        if len(given) != len(expected):
            kernel_of = f"the {signature.__name__} kernel of {first.__name__}"
            raise InputError(f"{kernel_of} takes ({', '.join(given)})", f"({', '.join(expected)})")
        if plain is implementation:  # not compiled yet
            implementation = kernel(plain) if is_of_package(plain) else _kept_on_disk(plain, USER_OPTIONS)
        if first in implementations:
            forget_user_kernels()
        implementations[first] = implementation
        return implementations[first]

    def takes(state: Any) -> bool:
        return type(state) in implementations

    def prepare(state: Any, *others: Any) -> None:
        compile_for(_registered(type(state)), (state, *others))

    def find(state: Any) -> Callable[..., R] | None:
        if not isinstance(state, types.NamedTuple | types.NamedUniTuple):
            return None
        implementation = _registered(state.instance_class)
        allow_and_check(implementation)
        return implementation

    _call_directly(dispatch, find)
    result = cast(Any, dispatch)
    result.register, result.takes, result.prepare = register, takes, prepare
    return cast(Generic[P, R], result)


def _call_directly(dispatch: Callable[..., Any], find: Callable[[Any], Any]) -> None:
    """Let compiled code that calls `dispatch` call what `find` returns for the type of the first argument.

    Numba's way to say this, an overload, puts a function of one line in between, which takes half a second to
    compile for a large state, in every place. So its template is told the implementation itself.
    """

    def never_run(state: Any, *others: Any) -> None:
        return None

    template: Any = cast(Any, make_overload_template)(dispatch, never_run, UNCOUNTED, True, "never")

    class Direct(template):  # type: ignore[misc]
        def _get_impl(self, args: Any, kws: Any) -> tuple[Any, Any]:
            return find(args[0]), args

    cast(Any, infer)(Direct)
    cast(Any, infer_global)(dispatch, types.Function(Direct))


class Entry:
    """A compiled function that Python calls, kept on disk for states that belong to the package.

    `python_seconds` estimates how long given arguments take in plain Python: `without_waiting` asks for it.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        creates_arrays: bool = False,
        python_seconds: Callable[..., float] | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function, self._python_seconds = function, python_seconds
        self._options = COUNTED if creates_arrays else UNCOUNTED

    @functools.cached_property
    def _made(self) -> Any:
        return _kept_on_disk(self._function, self._options, self._python_seconds)

    def signature(self, *arguments: Any) -> tuple[Any, ...]:
        """The types that it is compiled for, given these arguments."""
        return types_of(arguments)

    def is_compiled(self, signature: tuple[Any, ...]) -> bool:
        """Whether it would run at once for arguments of these types: compiled before, here or on disk."""
        made = self._made
        return not isinstance(made, Interpretable) or made.is_compiled(signature)  # with NUMBA_DISABLE_JIT

    def __call__(self, *arguments: Any) -> Any:
        """Run it for these arguments."""
        return self._made(*arguments) if is_ours(arguments) else run_user_kernels(self._made, arguments)
