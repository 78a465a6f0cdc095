"""The errors that allotment raises on purpose; the command line turns each into one line and exit code 2."""

from typing import Any


class AllotmentError(Exception):
    """Anything that allotment itself reports as wrong."""


class InputError(AllotmentError, ValueError):
    """A value that was handed in is not one that can be used; the message names it and what was expected."""


class NotApplicableError(InputError):
    """A result of the paper does not apply to this problem; the message says why."""


class FileError(AllotmentError, OSError):
    """A file cannot be read, understood or written."""


class MissingExtraError(AllotmentError, ImportError):
    """An optional library is needed for this and is not installed."""


class SimulationInterrupted(KeyboardInterrupt):
    """A simulation was stopped by Ctrl-C; `result` holds the replications that were complete."""

    def __init__(self, result: Any) -> None:
        super().__init__("the simulation was interrupted")
        self.result = result
