"""HTML for notebooks: tables and sentences."""

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
