"""What people read: HTML for notebooks, and intervals as text."""

import math
from collections.abc import Iterable, Sequence
from html import escape


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    """Make an HTML table whose last columns hold numbers. Cells are text, never markup.

    >>> html_table(["arm", "rate"], [["<Dock>", "0.5"]], numbers=1).count("&lt;Dock&gt;")
    1
    """

    def line(cells: Sequence[str], tag: str) -> str:
        first = len(cells) - numbers
        made = (
            f'<{tag} style="text-align: {"right" if position >= first else "left"}">{escape(cell)}</{tag}>'
            for position, cell in enumerate(cells)
        )
        return f"<tr>{''.join(made)}</tr>\n"

    head = f"<thead>{line(columns, 'th')}</thead>" if any(columns) else ""
    return f"<table>\n{head}<tbody>{''.join(line(row, 'td') for row in rows)}</tbody></table>\n"


def html_block(title: str, *parts: str) -> str:
    """A title in bold, and parts below it that are HTML already."""
    return f"<div><b>{escape(title)}</b>{''.join(parts)}</div>"


def html_sentences(sentences: Iterable[str]) -> str:
    """A paragraph for each sentence."""
    return "".join(f"<p>{escape(sentence)}</p>\n" for sentence in sentences)


def interval(low: float, high: float, digits: int = 1) -> str:
    """An interval by its ends.

    >>> interval(42.96, 53.04), interval(math.nan, math.nan)
    ('43.0 to 53.0', '-')
    """
    return "-" if math.isnan(low) else f"{low:.{digits}f} to {high:.{digits}f}"


def with_margin(mean: float, high: float, digits: int = 1) -> str:
    """A mean and how far its interval, which is symmetric, reaches to either side.

    >>> with_margin(286.71, 302.9)
    '286.7 ± 16.2'
    """
    shown = f"{mean:.{digits}f}"
    return shown if math.isnan(high) else f"{shown} ± {high - mean:.{digits}f}"
