"""Calls compiled code from Python. Errors of kernels from outside become one sentence."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numba
from numba.core import event
from numba.core.errors import NumbaError
from numba.core.typing.typeof import typeof_impl

from allotment.compiling.kernel_errors import failure, refusal, untyped
from allotment.compiling.user_kernels import (
    developing,
    forget_failures,
    is_developing,
    is_of_package,
    states_in,
)
from allotment.errors import AllotmentError

_kernels: list[dict[type, Callable[..., Any]]] = []  # of every generic function, by the class of a state


def know_kernels(implementations: dict[type, Callable[..., Any]]) -> None:
    """Register the kernels of a generic function, so that an error can name the kernel at fault."""
    _kernels.append(implementations)


def _kernels_for(arguments: Sequence[Any]) -> list[Any]:
    """The kernels from outside that are registered for these arguments, before compilation."""
    classes = [type(state) for state in states_in(arguments)]
    found = [kernels[each] for each in classes for kernels in _kernels if each in kernels]
    written = [getattr(each, "py_func", each) for each in found]
    return [each for each in written if not is_of_package(each)]


def run_user_kernels(made: Any, arguments: Sequence[Any]) -> Any:
    """Run compiled code that includes kernels from outside. Their errors become one sentence."""
    runs, plain = made, getattr(made, "py_func", made)
    if is_developing():
        compile_for(made, arguments)
        runs = plain
    try:
        return runs(*arguments)
    except AllotmentError:
        raise
    except Exception as error:
        compile_for(made, arguments)  # which says so if that is what failed
        raise failure(error, functools.partial(_run_as_python, plain, arguments)) from None


def compile_for(made: Any, arguments: Sequence[Any]) -> None:
    """Compile for these arguments, unless that is done."""
    if not hasattr(made, "compile"):
        return  # with NUMBA_DISABLE_JIT
    try:
        made.compile(types_of(arguments))
    except AllotmentError:
        raise
    except Exception as error:  # Numba refuses with errors of many kinds
        forget_failures()
        raise refusal(error, arguments, _kernels_for(arguments)) from None


def _run_as_python(plain: Callable[..., Any], arguments: Sequence[Any]) -> None:
    with developing():
        plain(*arguments)


def _know_as_tuple(state: type) -> None:
    """Tell Numba that a class is a tuple, since it would take milliseconds to find out."""
    if state not in typeof_impl.registry:
        typeof_impl.register(state)(typeof_impl.registry[tuple])


def types_of(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The types that code is compiled for, given these arguments."""
    for state in states_in(arguments):
        _know_as_tuple(type(state))
    try:
        return tuple(cast(Any, numba).typeof(each) for each in arguments)
    except (ValueError, NumbaError):
        raise untyped(arguments) from None


class _Once(event.Listener):
    """Calls what it is given when something begins, the first time."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._calls = iter([call])

    def on_start(self, event: Any) -> None:
        for call in self._calls:
            call()

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def before_compiling(call: Callable[[], None]) -> Iterator[None]:
    """Call this, once, as soon as anything within the block has to be compiled."""
    with cast(Any, event.install_listener)("numba:compile", _Once(call)):
        yield
