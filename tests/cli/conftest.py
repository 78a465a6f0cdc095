import sys
from typing import NamedTuple

import pytest

from allotment import CsbSt, EqualSplit, Problem, RandomSplit, simulate
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


@pytest.fixture(scope="session")
def compiled():
    """What is compiled is kept: processes that are watched then neither wait for that nor speak of it."""
    policies = [CsbSt(), EqualSplit(), RandomSplit()]
    for name in ("paper-1", "paper-2"):
        simulate(Problem.named(name), policies, horizon=1, replications=1, seed=0, progress=False)
