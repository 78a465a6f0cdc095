"""The errors that allotment raises on purpose; the command line turns each into one line and exit code 2."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self


def shown(value: object) -> str:
    """A value as it stands in an error message: short, on one line."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    try:
        text = repr(plain).replace("\n", " ")
    except (ValueError, RecursionError):  # Python writes no number of thousands of digits
        text = "a value too large to show"
    return text if len(text) <= 60 else text[:57] + "..."


class AllotmentError(Exception):
    """Anything that allotment itself reports as wrong: one sentence, and its parts for those who need them.

    `what` is wrong, its `value`, and what was `expected` instead; empty (None) where there is no such part.
    """

    def __init__(self, wrong: str, expected: str = "", *, what: str = "", value: object = None) -> None:
        super().__init__(f"{wrong}; expected {expected}" if expected else wrong)
        self.what = what
        self.value = value
        self.expected = expected

    def within(self, place: str) -> Self:
        """The same error, with where it was met before its sentence."""
        found = type(self)(f"{place}: {self}", what=self.what, value=self.value)
        found.expected = self.expected
        return found


class InputError(AllotmentError, ValueError):
    """A value that was handed in is not one that can be used; the message names it and what was expected."""

    @classmethod
    def of(cls, what: str, value: object, expected: str) -> Self:
        """The usual sentence: «budget is -1; expected a finite number of at least 0»."""
        return cls(f"{what} is {shown(value)}", expected, what=what, value=value)


class NotFoundError(InputError):
    """Nothing goes by the name that was given."""


class ConflictError(InputError):
    """What was handed in contradicts what is there already, or itself."""


class NotAllowedError(AllotmentError):
    """Someone asked for what their role does not allow, or is not signed in."""


class NotAcceptedError(InputError):
    """A policy cannot take what was handed to it, though others can; the message says what."""


class NotApplicableError(InputError):
    """A result of the paper does not apply to this problem; the message says why."""


class InfeasibleError(InputError):
    """A policy granted what may not be granted; the message says which, when and how much."""


class KernelError(AllotmentError):
    """A kernel from outside the package cannot be compiled, or failed: where, why, what to write instead.

    `file` and `line` say where (empty and 0 where that is not known), `value` is the error as it ran, and
    `details` all that Numba said, which ALLOTMENT_FULL_ERRORS=1 shows after the sentence.
    """

    file: str = ""
    line: int = 0
    details: str = ""

    def at(self, file: str, line: int, details: str) -> Self:
        """The same error, with where it was met and all that was said."""
        self.file, self.line, self.details = file, line, details
        return self

    def within(self, place: str) -> Self:
        """The same error, with whose kernel it is before its sentence."""
        found = type(self)(f"{place}: {self.args[0]}", what=self.what, value=self.value)
        return found.at(self.file, self.line, self.details)

    def __str__(self) -> str:
        asked = self.details and os.environ.get("ALLOTMENT_FULL_ERRORS")
        return f"{self.args[0]}\n\n{self.details}" if asked else str(self.args[0])


class KernelIndexError(KernelError, IndexError):
    """A kernel from outside the package reads or writes beyond the end of an array."""


@contextmanager
def kernels_of(whose: str) -> Iterator[None]:
    """Say whose kernel it is that cannot be compiled, or fails, in here."""
    try:
        yield
    except KernelError as error:
        raise error.within(whose) from None


class FileError(AllotmentError, OSError):
    """A file cannot be read, understood or written."""


class StoreError(FileError):
    """A store of campaigns cannot be opened, read or written; the history is as it was."""


class HistoryError(StoreError):
    """A campaign's history, or what was derived from it, is not what it should be; the message says where."""


class UnsavedError(FileError):
    """A result could not be written to its file; `result` holds it."""

    def __init__(self, wrong: str, result: Any = None, **parts: Any) -> None:
        super().__init__(wrong, **parts)
        self.result = result


class MissingExtraError(AllotmentError, ImportError):
    """An optional library is needed for this and is not installed."""


class ClusterError(AllotmentError, OSError):
    """A cluster cannot be reached, cannot do the work, or was lost; what was finished is kept."""


class SimulationInterrupted(KeyboardInterrupt):
    """A simulation was stopped by Ctrl-C, SIGTERM or SIGHUP; `result` holds the complete replications.

    Of a sweep, it is the frame of those points that were.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("the simulation was interrupted")
        self.result = result


class VersionWarning(UserWarning):
    """What is read was made with another version, on which numbers depend; the message says what differs."""


class StoreWarning(UserWarning):
    """A store lies where files are not safe from being copied or locked by others."""


class AmountWarning(UserWarning):
    """A report says that a place was granted more than it can use; the report is kept."""


class CacheWarning(UserWarning):
    """Compiled code cannot be kept on disk, so that every run compiles it again; the message says why."""
