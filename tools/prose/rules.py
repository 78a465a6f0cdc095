"""Rules for prose: how long a sentence may be, and phrases that leave a reader guessing."""

import re
import statistics
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LONGEST = 35  # words of a sentence

# Each pattern, by what a writer should do instead.
PATTERNS = {
    "name the number": r"so many|so few",
    "name the amount": r"so much|so little",
    "repeat the noun": r"the ones? (?:that|which|who|whose|from|of|in|at|with|for|before|after)|those of",
    "name the thing": r"what (?:is|was|are|were)\b[^.,:;]*? (?:is|was|are|were)",
    "say at or above which value": r"from which on",
    "write loss rate, or without a grant": r"left alone",
    "write distinguish": r"t(?:old|ell|ells) apart",
    "round to two or three digits": r"\d\.\d{2,}e[-+]?\d+",
}
_PATTERNS = {advice: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for advice, pattern in PATTERNS.items()}

_CODE = re.compile(r"``.+?``|`[^`]+`|\$[^$]+\$")
_WORD = re.compile(r"\S*\w\S*")
_END = re.compile(r"(?<=[.!?…])[\"”')\]]*\s+(?=[^\sa-z])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|eq|eqs|fig|sec|no|pp)\.$", re.IGNORECASE)


class Passage(NamedTuple):
    """A paragraph, a list item, a help text or a message, and the line on which it starts."""

    file: str
    line: int
    text: str


class Sentence(NamedTuple):
    """A sentence on one line, and where it starts."""

    file: str
    line: int
    text: str

    @property
    def words(self) -> int:
        """The number of words; a piece of code is one."""
        return len(_WORD.findall(_CODE.sub("code", self.text)))


class Finding(NamedTuple):
    """A sentence to rewrite, and why."""

    sentence: Sentence
    advice: str

    def __str__(self) -> str:
        return f"{self.sentence.file}:{self.sentence.line}: {self.advice}: {self.sentence.text}"


def sentences(passage: Passage) -> Iterator[Sentence]:
    """Split a passage into its sentences."""
    text, start = passage.text, 0
    hidden = _CODE.sub(lambda code: re.sub(r"[^\n]", "X", code[0]), text)  # stops in code end no sentence
    for end in [*(each.end() for each in _END.finditer(hidden)), len(text)]:
        part = hidden[start:end]
        if part.strip() and (end == len(text) or not _ABBREVIATION.search(part.rstrip())):
            line = passage.line + text.count("\n", 0, end - len(part.lstrip()))
            yield Sentence(passage.file, line, " ".join(text[start:end].split()))
            start = end


def findings(passages: Iterable[Passage]) -> Iterator[Finding]:
    """Find the sentences to rewrite."""
    for passage in passages:
        for sentence in sentences(passage):
            if sentence.words > LONGEST:
                yield Finding(sentence, f"{sentence.words} words, at most {LONGEST}")
            for advice, pattern in _PATTERNS.items():
                if found := pattern.search(_CODE.sub("", sentence.text)):
                    yield Finding(sentence, f"“{found[0]}”, {advice}")


def median_words(passages: Iterable[Passage]) -> float:
    """The median length of the sentences."""
    return statistics.median([each.words for passage in passages for each in sentences(passage)] or [0])
