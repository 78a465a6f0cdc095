"""Chooses within a block whether functions run compiled or as plain Python, without loading Numba."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_interpreting = ContextVar("is_interpreting", default=False)
_is_hurried = ContextVar("is_hurried", default=False)


def is_interpreting() -> bool:
    """Whether kernels run as plain Python now."""
    return _is_interpreting.get()


def is_hurried() -> bool:
    """Whether functions that are not compiled yet run as plain Python while that is quicker."""
    return _is_hurried.get()


@contextmanager
def interpreting() -> Iterator[None]:
    """Within the block, run kernels as plain Python."""
    before = _is_interpreting.set(True)
    try:
        yield
    finally:
        _is_interpreting.reset(before)


@contextmanager
def without_waiting() -> Iterator[None]:
    """Within the block, run functions that are not compiled yet as plain Python while that is quicker."""
    before = _is_hurried.set(True)
    try:
        yield
    finally:
        _is_hurried.reset(before)
