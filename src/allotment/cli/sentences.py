"""Sentences for people, wrapped at a terminal and on one line each elsewhere."""

import os
import shutil
import sys
from textwrap import wrap
from typing import TextIO


def width_of(file: TextIO) -> int | None:
    """The width of the terminal behind a file; None if there is none."""
    there = file.isatty() or bool(os.environ.get("FORCE_COLOR"))  # as tables take it
    return shutil.get_terminal_size().columns if there else None


def say(sentence: str, *, file: TextIO | None = None, end: str = "\n", indent: str = "") -> None:
    """Print a sentence, to the standard output unless a file is named."""
    file = sys.stdout if file is None else file
    width = width_of(file)
    lines = [f"{indent}{sentence}"]
    if width is not None:
        lines = wrap(
            sentence,
            width - len(end.strip("\n")),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    print("\n".join(lines), end=end, file=file, flush=True)


def complain(sentence: str) -> None:
    """Print a sentence to the standard error."""
    say(sentence, file=sys.stderr)
