"""The errors that allotment raises on purpose. The command line turns each into one line and exit code 2."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self


def shown(value: object) -> str:
    """A value as error messages show it: short, on one line."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    try:
        text = repr(plain).replace("\n", " ")
    except (ValueError, RecursionError):  # Python writes no number of thousands of digits
        text = "a value too large to show"
    return text if len(text) <= 60 else text[:57] + "..."


class AllotmentError(Exception):
    """The base class of all errors that allotment raises on purpose: one sentence, and its parts.

    Parameters
    ----------
    wrong : str
        What is wrong.
    expected : str
        What was expected instead; empty if there is no such part.
    what : str
        The name of the value that is wrong.
    value : object
        The value.

    Attributes
    ----------
    what, value, expected
        The parts of the sentence.
    """

    def __init__(self, wrong: str, expected: str = "", *, what: str = "", value: object = None) -> None:
        super().__init__(f"{wrong}; expected {expected}" if expected else wrong)
        self.what = what
        self.value = value
        self.expected = expected

    def within(self, place: str) -> Self:
        """The same error, with the place where it happened at the front of its sentence.

        Parameters
        ----------
        place : str
            The place, such as a file.

        Returns
        -------
        AllotmentError
            The new error.
        """
        found = type(self)(f"{place}: {self}", what=self.what, value=self.value)
        found.expected = self.expected
        return found


class InputError(AllotmentError, ValueError):
    """A value cannot be used. The message names the value and what was expected."""

    @classmethod
    def of(cls, what: str, value: object, expected: str) -> Self:
        """Make the usual sentence: "budget is -1; expected a finite number of at least 0".

        Parameters
        ----------
        what : str
            The name of the value.
        value : object
            The value.
        expected : str
            What was expected.

        Returns
        -------
        InputError
            The error.
        """
        return cls(f"{what} is {shown(value)}", expected, what=what, value=value)


class NotFoundError(InputError):
    """Nothing has the given name."""


class ConflictError(InputError):
    """The request contradicts itself, or contradicts something recorded before."""


class NotAllowedError(AllotmentError):
    """Someone asked for what their role does not allow, or is not signed in."""


class NotAcceptedError(InputError):
    """This policy does not accept the input, though others do. The message names the input."""


class NotApplicableError(InputError):
    """A result of the paper does not apply to this problem. The message says why."""


class InfeasibleError(InputError):
    """A policy made an allocation that is not allowed. The message names the arm, round and amount."""


class BeliefError(AllotmentError):
    """The beliefs of a policy are not finite any more, so it cannot decide. The message says when."""


class KernelError(AllotmentError):
    """A kernel from outside the package failed, or cannot be compiled. The message says where and why.

    Attributes
    ----------
    file, line : str, int
        Where; empty and 0 if unknown.
    value : Exception
        The error as it happened.
    details : str
        Everything that Numba said. With ALLOTMENT_FULL_ERRORS=1, the message includes it.
    """

    file: str = ""
    line: int = 0
    details: str = ""

    def at(self, file: str, line: int, details: str) -> Self:
        """Add the place and the details to the error.

        Parameters
        ----------
        file : str
            The file.
        line : int
            The line.
        details : str
            Everything that Numba said.

        Returns
        -------
        KernelError
            The same error.
        """
        self.file, self.line, self.details = file, line, details
        return self

    def within(self, place: str) -> Self:
        """The same error, with the kernel's owner at the front of its sentence."""
        found = type(self)(f"{place}: {self.args[0]}", what=self.what, value=self.value)
        return found.at(self.file, self.line, self.details)

    def __str__(self) -> str:
        asked = self.details and os.environ.get("ALLOTMENT_FULL_ERRORS")
        return f"{self.args[0]}\n\n{self.details}" if asked else str(self.args[0])


class KernelIndexError(KernelError, IndexError):
    """A kernel from outside the package reads or writes beyond the end of an array."""


@contextmanager
def kernels_of(whose: str) -> Iterator[None]:
    """Add the owner's name to kernel errors that happen in this block."""
    try:
        yield
    except KernelError as error:
        raise error.within(whose) from None


class FileError(AllotmentError, OSError):
    """A file cannot be read, understood or written."""


class StoreError(FileError):
    """A store of campaigns cannot be opened, read or written. The history stays as it was."""


class HistoryError(StoreError):
    """A campaign's history, or a value derived from it, is damaged. The message says where."""


class UnsavedError(FileError):
    """A result could not be written to its file. `result` holds it.

    Parameters
    ----------
    wrong : str
        What is wrong.
    result : object
        The result.
    **parts
        As in `AllotmentError`.
    """

    def __init__(self, wrong: str, result: Any = None, **parts: Any) -> None:
        super().__init__(wrong, **parts)
        self.result = result


class MissingExtraError(AllotmentError, ImportError):
    """An optional library is not installed. The message says how to install it."""


class ClusterError(AllotmentError, OSError):
    """A cluster cannot be reached, cannot do the work, or was lost. Finished work is kept."""


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C, SIGTERM or SIGHUP stopped a simulation or a sweep.

    Parameters
    ----------
    result : Result or pandas.DataFrame
        The complete replications; for a sweep, the frame of its finished points.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("the simulation was interrupted")
        self.result = result


class VersionWarning(UserWarning):
    """Another version of a library that affects numbers made this file. The message says what differs."""


class StoreWarning(UserWarning):
    """A store lies in a folder where other programs may copy or lock it."""


class AmountWarning(UserWarning):
    """A report says that a place received more than its model distinguishes. The report is kept."""


class CacheWarning(UserWarning):
    """Compiled code cannot be kept on disk, so every run compiles it again. The message says why."""
