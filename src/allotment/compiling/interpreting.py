"""Runs compiled functions as plain Python where compiling would take longer than the work.

A first plan takes a second as plain Python, and half a minute to compile. Within `without_waiting`, a
function that is not compiled yet runs as plain Python, with every kernel that it calls, until the process has
spent about as long on it as compiling would take. If it is compiled, it does so until that took as long as
loading the compiled code. Plain Python and compiled code compute the same bits.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher

from allotment.compiling.compiled_once import CompiledOnce
from allotment.compiling.disk_cache import DiskCache
from allotment.compiling.python_calls import types_of
from allotment.compiling.switches import interpreting, is_hurried, is_interpreting

# What it takes, about, to compile one of the functions of a plan, and to load it once it is compiled.
COMPILING_SECONDS, LOADING_SECONDS = 5.0, 0.03


class Interpretable(CompiledOnce):
    """A compiled function that can also run as plain Python."""

    python_seconds: Callable[..., float] | None = None  # how long given arguments take; None: never interpret
    spent = 0.0  # seconds that this process has spent on interpreting it

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it, compiled or not."""
        if is_interpreting():
            return self.py_func(*arguments, **named)
        if is_hurried() and self._is_quicker_as_python(arguments):
            return self._interpreted(arguments)
        return super().__call__(*arguments, **named)

    def is_compiled(self, signature: tuple[Any, ...]) -> bool:
        """Whether it would run at once for arguments of these types: compiled before, here or on disk."""
        return signature in self.overloads or self._is_on_disk(signature)

    def _is_on_disk(self, signature: tuple[Any, ...]) -> bool:
        cache = vars(self)["_cache"]
        return isinstance(cache, DiskCache) and cache.holds(signature, self.targetctx)

    def _is_quicker_as_python(self, arguments: tuple[Any, ...]) -> bool:
        if self.python_seconds is None:
            return False
        seconds = self.spent + self.python_seconds(*arguments)
        if seconds >= COMPILING_SECONDS:
            return False
        if seconds < LOADING_SECONDS and not self.overloads:
            return True  # without looking at types, which takes longer than a short call
        signature = types_of(arguments)
        return signature not in self.overloads and not self._is_on_disk(signature)

    def _interpreted(self, arguments: tuple[Any, ...]) -> Any:
        started = time.monotonic()
        try:
            with interpreting():
                return self.py_func(*map(_with_fields, arguments))
        finally:
            self.spent += time.monotonic() - started


def _with_fields(argument: Any) -> Any:
    """The same memory, but fields of records are attributes, as they are in compiled code."""
    if isinstance(argument, np.ndarray) and argument.dtype.names:
        return argument.view(np.recarray)
    if isinstance(argument, tuple) and hasattr(argument, "_fields"):
        return type(argument)(*map(_with_fields, argument))
    return argument


def make_interpretable(made: Any, python_seconds: Callable[..., float] | None = None) -> Any:
    """Let what Numba made run as plain Python too, unless Numba was told to compile nothing."""
    if type(made) is CPUDispatcher:
        made.__class__ = Interpretable  # it has the same data; only calls from Python differ
    if isinstance(made, Interpretable):
        made.python_seconds = python_seconds
    return made
