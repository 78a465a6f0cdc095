"""Campaigns speak of places; only names in Python, in events and in stored columns say arm."""

import ast
import re
from pathlib import Path

import pytest

import allotment.campaign
import allotment.cli.campaigns
from allotment.campaign.history import snapshots
from allotment.campaign.history.kinds import OF_SETTINGS

ROOTS = [Path(package.__path__[0]) for package in (allotment.campaign, allotment.cli.campaigns)]
FILES = sorted(file for root in ROOTS for file in root.rglob("*.py"))
NAMES = {*OF_SETTINGS, "arm "}  # kinds of events, and how they begin


def sentences_of(file):
    """The texts of a file that have several words, without its docstrings."""
    tree = ast.parse(file.read_text())
    lone = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        text = each.value if isinstance(each, ast.Constant) and id(each) not in lone else None
        if isinstance(text, str) and " " in text and text not in NAMES:
            yield text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_sentences_speak_of_places(file):
    if file == Path(snapshots.__file__):  # its columns are named in files that are there
        return
    assert not [text for text in sentences_of(file) if re.search(r'(?<!")\barms?\b(?!")', text)]
