"""Kernels from outside the package: how to recognise them, what they may do, and how to debug them."""

import inspect
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, cast

from numba.core import types
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher

OURS = "allotment."
# Numba's private option for reference counting. Said aloud, since else it takes over what the caller has.
COUNTED: Any = {"_nrt": True} if hasattr(CPUTargetOptions, "_nrt") else {}
# They may create arrays; and a wrong index is an error, where unchecked it would end the process.
USER_OPTIONS: Any = {**COUNTED, "boundscheck": True}

_developing = 1 if os.environ.get("ALLOTMENT_DEVELOPING") else 0  # how many ask for it: threads may, at once
_lock = threading.Lock()
_seen: weakref.WeakSet[Any] = weakref.WeakSet()  # functions from outside that were allowed and checked
_made: list[Any] = []  # everything that may have a kernel from outside compiled into it


@contextmanager
def developing() -> Iterator[None]:
    """Run kernels from outside the package as plain Python in this block, to debug them.

    Numba still types and compiles them first, so that errors of compilation show. Then a debugger can follow
    them, `print` works, and an error names its line. It is slow. ALLOTMENT_DEVELOPING=1 does the same for a
    whole process.

    Examples
    --------
    >>> with developing():
    ...     pass  # simulate, check or ask a policy of your own
    """
    global _developing  # and no context variable, which would not reach the threads that do the work
    with _lock:
        _developing += 1
    try:
        yield
    finally:
        with _lock:
            _developing -= 1


def is_developing() -> bool:
    """Whether kernels from outside the package run as Python now."""
    return _developing > 0


def is_of_package(function: Callable[..., Any]) -> bool:
    """Whether a function is the package's own."""
    return (function.__module__ or "").startswith(OURS)  # there is no module where code was typed in


def is_ours(state: Any) -> bool:
    """Whether the class of a state, and the classes of all its parts, belong to the package."""
    if not isinstance(state, tuple):
        return True  # arrays and numbers are everybody's
    named = type(state) is not tuple
    return (not named or type(state).__module__.startswith(OURS)) and all(is_ours(part) for part in state)


def states_in(values: Sequence[Any]) -> Iterator[Any]:
    """The NamedTuples among values, and in them."""
    for each in values:
        if isinstance(each, tuple):
            yield from states_in(each)
            if hasattr(each, "_fields"):
                yield each


def classes_in(signature: Any) -> Iterator[type]:
    """The classes of the states that types name, which code is compiled for."""
    found = getattr(signature, "args", signature)
    if isinstance(found, tuple | types.BaseTuple):
        kind = getattr(found, "instance_class", None)
        if kind is not None:
            yield kind
        for part in cast(Any, found):
            yield from classes_in(part)


def names_user_class(signature: Any) -> bool:
    """Whether types that code is compiled for name a class from outside: its kernels are then part of it."""
    return any(not kind.__module__.startswith(OURS) for kind in classes_in(signature))


def allow_and_check(kernel: Any) -> None:
    """Let a kernel from outside, and the functions of its author's that it calls, do what these may."""
    if not isinstance(kernel, Dispatcher) or is_of_package(kernel.py_func) or kernel in _seen:
        return
    _seen.add(kernel)
    options = kernel.targetoptions
    options.update({name: value for name, value in USER_OPTIONS.items() if options.get(name) is None})
    with suppress(ValueError):  # where a name is bound to nothing yet
        used = inspect.getclosurevars(kernel.py_func)
        for each in (*used.globals.values(), *used.nonlocals.values()):
            allow_and_check(each)


def remember(made: Any) -> Any:
    """Remember, and return, a function that a kernel from outside may be compiled into."""
    _made.append(made)
    return made


def forget_failures() -> None:
    """Let what could not be compiled be tried again; Numba would repeat itself, whatever was mended."""
    for made in _made:
        getattr(getattr(made, "_compiler", None), "_failed_cache", {}).clear()


def forget_user_kernels() -> None:
    """Compile anew what kernels from outside are part of: one of them was written anew, as in a notebook."""
    forget_failures()
    for made in _made:
        if any(names_user_class(signature) for signature in getattr(made, "overloads", ())):
            made._reset_overloads()
