"""Errors of kernels from outside the package, in one sentence: where, and what Numba says of it.

Numba writes a hundred lines, most of them about itself. The place that counts is the innermost one in a file
of the author's. The last line before it that is not about Numba itself says what is wrong.
"""

import inspect
import linecache
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType, FunctionType, TracebackType
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np

from allotment.compiling.user_kernels import states_in
from allotment.errors import KernelError, KernelIndexError, shown

NOT_THE_AUTHORS = tuple(
    str(Path(inspect.getfile(each)).parent) + os.sep for each in (numba, np, llvmlite, KernelError)
)
PLACES = (  # where Numba's text says that something of the author's is
    r"During: .+? at (.+?) \((\d+)\)$",
    r'File "(.+?)", line (\d+):',
    r"(?:defined at|Raised from) (.+?) \((\d+)\)",
)
UNDEFINED = r"NameError: name '(\w+)' is not defined"
ABOUT_ITSELF = (  # how lines begin in which Numba says nothing of the kernel
    *("During", "File", "raised", "There are", "- Of", "Overload", "With arg", "Rejected", ">>>", "^"),
    *("<source", "TypingError: Failed", "Failed in nopython", "- Resolution failure", "None"),
)
QUOTED = re.compile(r'^ *File ".+", line \d+:\n(?:.*\n)*? *\^', re.MULTILINE)
MORE = "(ALLOTMENT_FULL_ERRORS=1 shows all that Numba said)"
UNTYPED = (list, dict, set, frozenset)  # or not as part of a state


class Place(NamedTuple):
    """A line of the author's."""

    file: str
    line: int

    @property
    def source(self) -> str:
        """The line itself."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        near = self.file.startswith(f"{Path.cwd()}{os.sep}")
        file = _cell(self.file) or (os.path.relpath(self.file) if near else self.file)
        return f"{file}, line {self.line}" + (f", `{self.source}`" if self.source else "")


def refusal(error: Exception, arguments: Sequence[Any], kernels: Sequence[FunctionType]) -> KernelError:
    """The sentence for what Numba cannot compile, given these arguments and the kernels for their classes."""
    text = f"{type(error).__name__}: {error}"
    place, position = next(_places_in(text), (None, len(text)))
    place = place or _place_in_frames(error.__traceback__, _numba_is_at) or _place_of_name(text, kernels)
    if place is None and _unfit(arguments):
        return untyped(arguments)
    where = str(place) if place else " or ".join(each.__name__ for each in kernels) or "a kernel"
    undefined = re.search(UNDEFINED, text)
    said = text[: position if undefined is None else undefined.end()]
    sentence = f"{where}: Numba does not compile this: {_last_line(said)} {MORE}"
    return KernelError(sentence).at(*place or ("", 0), text)


def _last_line(text: str) -> str:
    """The last line in which Numba does not speak of itself."""
    lines = (line.strip() for line in QUOTED.sub("", text).splitlines())
    return [line for line in ("it gives no reason", *lines) if line and not line.startswith(ABOUT_ITSELF)][-1]


def failure(error: Exception, again: Callable[[], Any]) -> KernelError:
    """The sentence for a kernel that failed; compiled code may not say where: as Python, `again`, it does."""
    place = _place_in_frames(error.__traceback__, _python_is_at)
    if place is None:
        try:
            with np.errstate(divide="raise"):
                again()
        except KernelError as same:
            error = same.value if isinstance(same.value, type(error)) else error
            place = Place(same.file, same.line)
        except Exception as same:
            error = same if isinstance(same, type(error)) else error
            place = _place_in_frames(same.__traceback__, _python_is_at)
    kind = KernelIndexError if isinstance(error, IndexError) else KernelError
    where = f"{place}: " if place else ""
    return kind(f"{where}{type(error).__name__}: {error}", value=error).at(*place or ("", 0), "")


def untyped(arguments: Sequence[Any]) -> KernelError:
    """The sentence for a state with a field that compiled code cannot hold."""
    for name, owner, value in _unfit(arguments):
        return KernelError(f"field '{name}' of {owner} is {shown(value)}", "a number or an array of numbers")
    return KernelError("a kernel is handed what compiled code cannot hold", "numbers, arrays and NamedTuples")


def _unfit(arguments: Sequence[Any]) -> list[tuple[str, str, Any]]:
    return [
        (name, type(state).__name__, value)
        for state in states_in(arguments)
        for name, value in zip(state._fields, state, strict=True)
        if isinstance(value, UNTYPED) or not (isinstance(value, tuple) or _has_type(value))
    ]


def _has_type(value: Any) -> bool:
    try:
        numba.typeof(value)  # type: ignore[no-untyped-call]
    except Exception:
        return False
    return True


def _places_in(text: str) -> Iterator[tuple[Place, int]]:
    """Lines of the author's files that Numba's text names, and where it names them; innermost first."""
    for pattern in PLACES:
        for found in re.finditer(pattern, text, re.MULTILINE):
            file, line = found.groups()
            place = Place(_absolute(file), int(line))
            if not place.file.startswith(NOT_THE_AUTHORS):
                yield place, found.start()


def _place_of_name(text: str, kernels: Sequence[FunctionType]) -> Place | None:
    """Where a kernel uses a name that does not exist: Numba does not say."""
    name = re.search(UNDEFINED, text)
    for each in kernels if name else ():
        try:
            lines, first = inspect.getsourcelines(each)
        except OSError:
            continue
        for number, line in enumerate(lines, first):
            if name and re.search(rf"\b{name[1]}\b", line):
                return Place(_absolute(each.__code__.co_filename), number)
    return None


def _place_in_frames(
    traceback: TracebackType | None, where: Callable[[FrameType, int], tuple[str, int] | None]
) -> Place | None:
    """The innermost place in a file of the author's that the frames of an error show."""
    found = None
    while traceback is not None:
        at = where(traceback.tb_frame, traceback.tb_lineno)
        if at is not None and not at[0].startswith(NOT_THE_AUTHORS):
            found = Place(*at)
        traceback = traceback.tb_next
    return found


def _python_is_at(frame: FrameType, line: int) -> tuple[str, int] | None:
    return _absolute(frame.f_code.co_filename), line


def _numba_is_at(frame: FrameType, _: int) -> tuple[str, int] | None:
    """Which line a function of Numba's was busy with."""
    for name in ("inst", "constraint", "instr"):  # what it goes through to lower, to type, and to inline
        at = getattr(frame.f_locals.get(name), "loc", None)
        if at is not None:
            return _absolute(at.filename), at.line
    return None


def _absolute(file: str) -> str:
    return file if file.startswith("<") else os.path.normpath(Path.cwd() / file)


def _cell(file: str) -> str:
    """What a notebook calls the cell that a file stands for; empty for what is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name = shell.compile.format_code_name(file) if shell is not None else None
    return "cell " + name[1] if name else ""
