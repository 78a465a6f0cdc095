"""The check of prose that `make lint` runs (tools/prose)."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import allotment.cli
from tools.prose.rules import LONGEST, PATTERNS, Passage, findings, median_words, sentences
from tools.prose.texts import EXCEPTION, FEWEST_WORDS, passages

ROOT = Path(__file__).parent.parent

BAD = {
    "name the number": "The plan grants so many units.",
    "name the amount": "A place gets so much.",
    "repeat the noun": "It shows the one that is open.",
    "name the thing": "What is known of it is kept.",
    "say at or above which value": "The round from which on it holds.",
    "write loss rate, or without a grant": "Losses if left alone.",
    "write distinguish": "The largest amount that is told apart.",
    "round to two or three digits": "It loses 8.294e-05 a night.",
}
GOOD = "The plan grants three units. The one tolerance is 1e-12. What is new? Joint is faster."


def advice_on(text):
    return [finding.advice for finding in findings([Passage("page.md", 1, text)])]


@pytest.mark.parametrize("advice", PATTERNS)
def test_each_pattern_is_found(advice):
    assert [found.partition(", ")[2] for found in advice_on(BAD[advice])] == [advice]


@pytest.mark.parametrize("text", ["More than those of Joint.", "the ones with a leak", "SO MUCH\nfor that"])
def test_patterns_have_variants(text):
    assert len(advice_on(text.replace("\n", " "))) == 1


def test_plain_sentences_and_code_pass():
    assert advice_on(GOOD) == []
    assert advice_on("Call `so many those of` once, as $the one that$ says.") == []


def test_a_sentence_may_have_35_words():
    assert advice_on("word " * (LONGEST - 1) + "`code of several words`.") == []
    assert advice_on("word " * LONGEST + "end. Short.") == [f"{LONGEST + 1} words, at most {LONGEST}"]


def test_sentences_end_at_stops_but_not_within_abbreviations_and_numbers():
    text = "See eq. 3, e.g. Joint with 0.5 losses. (It is\nshort.) Is it? Yes: “done.” `code` ends…"
    found = list(sentences(Passage("page.md", 7, text)))
    assert [each.text for each in found] == [
        "See eq. 3, e.g. Joint with 0.5 losses.",
        "(It is short.)",
        "Is it?",
        "Yes: “done.”",
        "`code` ends…",
    ]
    assert [each.line for each in found] == [7, 7, 8, 8, 8]


def test_the_median_counts_words():
    assert median_words([Passage("page.md", 1, "One two three. One. One two three four - five.")]) == 3


PAGE = """# A heading, those of

Fine. A paragraph of
so many lines.

- An item of so much
  text

| so many | so much |
| --- | --- |
| those of | left alone |

```sh
allotment ask  # so many
```
"""

MODULE = '''"""A module: those of the past."""
import typer

CLEAR = 1  # so many
# A comment of its own, on
# so much more.


def command(text: str = typer.Option(help="Left alone as it is.")):
    """Do a thing.

    Fine here. But
    so many there.

    Parameters
    ----------
    text : str
        From which on it holds.

    - an item that is told
      apart

    >>> print("so many of the examples")
    so many of the examples
    """
    raise ValueError(f"{text} is the one that is wrong")
'''


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [("page.md", PAGE, [1, 3, 6]), ("module.py", MODULE, [1, 4, 5, 9, 12, 18, 20, 26])],
)
def test_every_kind_of_text_is_read_and_code_is_not(tmp_path, name, content, lines):
    (tmp_path / name).write_text(content, encoding="utf-8")
    found = findings(passages(tmp_path))
    assert sorted(each.sentence.line for each in found) == lines


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.md", f"<!-- {EXCEPTION} -->\nA paragraph of\nso many lines.\n"),
        ("page.md", f"So many <!-- {EXCEPTION} --> lines.\n"),
        ("docstring.py", f'"""A module\n\nof so many lines.\n"""  # {EXCEPTION}\n'),
        ("message.py", f'print("There are so many lines.")  # {EXCEPTION}\n'),
        ("comment.py", f"# so many lines, {EXCEPTION}\n"),
    ],
)
def test_a_marked_exception_is_accepted_and_only_where_it_is_marked(tmp_path, name, content):
    page = tmp_path / name
    page.write_text(content, encoding="utf-8")
    assert list(findings(passages(page))) == []
    page.write_text(content.replace(EXCEPTION, "todo"), encoding="utf-8")
    assert len(list(findings(passages(page)))) == 1


def test_the_help_of_every_command_is_read():
    for module in pkgutil.iter_modules(allotment.cli.__path__):
        pkgutil.resolve_name(f"allotment.cli.{module.name}")
    command = typer.main.get_command(pkgutil.resolve_name("allotment.cli.app:app"))
    shown = [command.help]
    for each in command.commands.values():
        shown += [each.help, *(getattr(option, "help", None) for option in each.params)]
    shown = [text for text in shown if text and len(text.split()) >= FEWEST_WORDS]
    read = "\n".join(" ".join(each.text.split()) for each in passages(ROOT / "src"))
    for text in shown:
        assert all(" ".join(part.split()) in read for part in text.split("\n\n")), text
    assert len(shown) > 100


def test_the_command_prints_file_line_and_sentence_or_medians(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Fine.\n\nIt has so many words.\n", encoding="utf-8")

    def run(*arguments):
        program = [sys.executable, "-m", "tools.prose", *arguments]
        return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)

    found = run(page)
    assert found.returncode == 1
    assert found.stdout == f"{page}:3: “so many”, name the number: It has so many words.\n"
    assert run("--medians", page).stdout == f"   3  {page}\n"
