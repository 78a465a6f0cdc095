"""Sentences of the library in the words of the pages, which say place where Python says arm."""

import re

QUOTED = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")  # names stay as they are
WORDS = (
    (re.compile(r"\barm\b"), "place"),
    (re.compile(r"\barms\b"), "places"),
    (re.compile(r"\ban place\b"), "a place"),
)


def in_page_words(sentence: str) -> str:
    """A sentence of an error as pages say it.

    >>> in_page_words("arm 'An arm' is retired; expected an arm that is active")
    "place 'An arm' is retired; expected a place that is active"
    """
    parts = QUOTED.split(sentence)
    for word, instead in WORDS:
        parts[::2] = [word.sub(instead, part) for part in parts[::2]]
    return "".join(parts)
