import sys
from typing import NamedTuple

import pytest

from allotment.cli import main


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def allotment(monkeypatch, capsys):
    """Runs the command line in this process."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["allotment", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Answer(int(ended.value.code or 0), captured.out, captured.err)

    return run
