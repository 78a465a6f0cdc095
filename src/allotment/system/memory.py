"""The memory limit: work that would take more is refused before it begins."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from allotment.errors import InputError

VARIABLE = "ALLOTMENT_MEMORY_GB"
SHARE = 0.5  # of the machine's memory, unless the variable says otherwise
UNKNOWN = 4e9  # bytes that a machine is taken to have if it does not tell
CONTAINER = Path("/sys/fs/cgroup/memory.max")  # where Linux says what a container may use
BASE = 0.4e9  # bytes that Python, the libraries and compiling take


class Memory(NamedTuple):
    """Bytes that the learners of a policy take, about."""

    shared: float  # by all of them together
    each: float


def memory_limit() -> float:
    """The limit in bytes."""
    text = os.environ.get(VARIABLE)
    if not text:
        return SHARE * _machine()
    with suppress(ValueError):
        if (gigabytes := float(text)) > 0.0:
            return gigabytes * 1e9
    raise InputError.of(VARIABLE, text, "a number of gigabytes above 0")


def _machine() -> float:
    """Bytes of memory that the machine has, or its container."""
    found = []
    with suppress(AttributeError, OSError, ValueError):
        found.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    with suppress(OSError, ValueError):  # no file, or "max": no limit
        found.append(float(CONTAINER.read_text()))
    return min(found, default=UNKNOWN)


def refuse_above_limit(work: str, needed: float, instead: str) -> None:
    """Raise an error if work needs more bytes than the limit; `instead` says how it would need less."""
    limit = memory_limit()
    if needed > limit:
        raise InputError(
            f"{work} would take about {gigabytes(needed)} of memory, and the limit is {gigabytes(limit)}",
            f"{instead}, or a higher limit in {VARIABLE}",
            what="memory",
            value=needed,
        )


def gigabytes(size: float) -> str:
    """Bytes as people read them."""
    if size < 1e8:
        return "less than 0.1 GB"
    return f"{size / 1e9:.2g} GB" if size < 1e11 else f"{size / 1e9:,.0f} GB"
