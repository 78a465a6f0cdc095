"""Calls every command in every wrong way. The test finds the commands, so a new one is covered at once.

LASTING lists what is left out: valid calls that do not end or take long. Typer's `--install-completion` is
left out as well, because it writes to the user's shell.
"""

import shutil
import sys

import pytest
import typer

from allotment.cli import collect
from allotment.cli.app import app

LASTING = {"extend", "reproduce", "serve", "simulate", "sweep", "trace", "warm-up"}
ABSENT, NO_STORE, STORE = "absent.db", "zones.csv", "night.db"
ODD = {"empty": "", "long": "x" * 10_000, "long number": "9" * 10_000}
VALUES = {  # of parameters that a call needs beside the odd value
    "budget": "6",
    "copy": "copy.db",
    "log": "log.csv",
    "name": "Ada",
    "out": "out.html",
    "path": "copy.jsonl",
    "policy": "csb-st",
    "problem": "paper-1",
    "role": "viewer",
    "store": STORE,
    "unit": "0.5",
}


def commands():
    """The parameters of every command, by the words that call it."""
    found = {}

    def walk(command, words):
        for name, each in getattr(command, "commands", {}).items():
            walk(each, (*words, name))
        if not hasattr(command, "commands"):
            found[words] = command.params

    collect()
    walk(typer.main.get_command(app), ())
    return found


COMMANDS = commands()


def call(words, /, **values):
    """A call of a command with these values, and with usual ones for all else that it needs."""
    parts = list(words)
    for each in COMMANDS[words]:
        if each.required or each.name in values:
            value = values.get(each.name, VALUES.get(each.name, "1"))
            parts.append(value if each.param_type_name == "argument" else f"{each.opts[0]}={value}")
    return parts


def wrong_calls(words):
    """Every wrong call of a command, by its kind."""
    parameters = COMMANDS[words]
    first = next(
        (each.name for each in parameters if each.param_type_name == "argument" and each.required), None
    )
    yield "--help", [*words, "--help"]
    yield "unknown option", [*words, "--no-such-option"]
    if first is None and words[0] in LASTING:
        return
    yield "no arguments", [*words]
    if first is None:
        return
    if words != ("serve",):  # which makes the store
        yield "absent", call(words, **{first: ABSENT})
    yield "no store", call(words, **{first: NO_STORE})
    usual = {first: NO_STORE} if words[0] in LASTING else {"store": "new.db"} if words == ("new",) else {}
    if words == ("new",):
        usual |= {"places": NO_STORE}
    for each in parameters:
        if not getattr(each, "is_flag", False):
            for kind, value in ODD.items():
                yield f"{kind} {each.name}", call(words, **{**usual, each.name: value})


@pytest.fixture
def template(night, allotment, tmp_path_factory, tmp_path):
    """A folder with a campaign, a plan in it, and no home of the user's."""
    assert allotment("ask", night).code == 0
    (tmp_path / "log.csv").write_text(
        "date,place,amount,incidents\n2026-01-01,Dock,1,0\n2026-01-02,Dock,1,1\n"
    )
    folder = tmp_path_factory.mktemp("every") / "template"
    shutil.copytree(tmp_path, folder)
    return folder


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_wrong_call_ends_with_a_sentence(words, template, allotment, monkeypatch):
    failures = []
    monkeypatch.setattr(sys, "stdin", None)  # what Python makes of a standard input that is closed
    for number, (kind, arguments) in enumerate(wrong_calls(words)):
        folder = template.parent / str(number)
        shutil.copytree(template, folder)
        monkeypatch.setenv("HOME", str(folder / "home"))
        monkeypatch.chdir(folder)
        if complaint := _complaint(allotment, arguments):
            failures.append(f"{kind}: {complaint}")
    assert not failures, "\n".join(failures)


def _complaint(allotment, arguments):
    """What is wrong with the answer to a call; None if nothing is."""
    try:
        answer = allotment(*arguments)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    if answer.code not in (0, 2):
        return f"exit code {answer.code}"
    sentences = [line.startswith("allotment: ") for line in answer.err.splitlines()]
    if answer.code == 2 and (sum(sentences) != 1 or not sentences[-1]):  # before it there may be questions
        return f"no sentence: {answer.err[:300]!r}"
    if answer.code == 0 and not answer.out + answer.err:
        return "nothing is said"
    return None


def test_the_walk_finds_commands_and_subcommands():
    assert {("new",), ("change",), ("token", "add")} < set(COMMANDS)
    assert {words[0] for words in COMMANDS} >= LASTING


def test_every_kind_of_call_is_made():
    kinds = {kind for kind, _ in wrong_calls(("new",))}
    assert kinds > {
        "--help",
        "unknown option",
        "no arguments",
        "absent",
        "no store",
        "empty budget",
        "long seed",
    }
