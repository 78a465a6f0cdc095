"""Compares the tables of regret in README and in the study of Joint with runs."""

import re
from pathlib import Path

import pytest

from allotment import CsbDt, CsbDtUcb, Cts, EqualSplit, Joint, Problem, RandomSplit, Refute, simulate

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = (README, ROOT / "docs" / "studies" / "joint.md")
HEAD = "| who decides | regret after 5000 rounds | 95 % interval |"
ROW = re.compile(r"^\| ([^|]+?) \| (\d+) \| (?:(\d+) to (\d+) )?\|$", re.MULTILINE)
TWO = Problem.named("paper-2")
SPACIOUS = Problem(TWO.loss_rates, TWO.thresholds, 2.05)
OFF_THE_GRID = Problem.random(8, seed=9)
TABLES = [  # the problem, and who decides, by how a row begins
    (
        SPACIOUS,
        {
            "split equally": EqualSplit(),
            "split at random": RandomSplit(),
            "CSB-DT-UCB": CsbDtUcb(),
            "CSB-DT": CsbDt(),
            "Refute": Refute(),
            "Joint": Joint(),
            "CTS": Cts(thresholds=SPACIOUS.thresholds),
        },
    ),
    (
        OFF_THE_GRID,
        {
            "Joint": Joint(),
            "Joint that grants multiples of 0.01 only": Joint(finest=None, label="multiples"),
            "CSB-DT": CsbDt(),
            "CTS": Cts(thresholds=OFF_THE_GRID.thresholds),
        },
    ),
]


def tables():
    """The rows of each table: (who, mean, low, high)."""
    parts = [part for page in PAGES for part in page.read_text(encoding="utf-8").split(HEAD)[1:]]
    return [ROW.findall(part.split("\n\n")[0]) for part in parts]


RUNS = (2000, 100)  # that each table has
DIFFERENCE = re.compile(
    r"Joint loses ([\d.]+) more than CTS, with a paired 95 % interval from ([\d.]+) to (\d+\.\d)"
)


@pytest.mark.parametrize(
    ("position", "replications"),
    [(0, 100), (1, 20), *(pytest.param(k, RUNS[k], marks=pytest.mark.soak) for k in range(2))],
)
def test_the_tables_are_what_a_run_gives(position, replications):
    (problem, policies), rows = TABLES[position], tables()[position]
    result = simulate(problem, policies.values(), horizon=5000, replications=replications, seed=0)
    for (who, *shown), start, regret in zip(rows, policies, result.curves.values(), strict=True):
        assert who.startswith(start)
        # Rounded; on another kind of processor the numbers may move a little within the interval. Fewer
        # replications than the table has give a mean within four standard errors.
        width = regret.high[-1] - regret.low[-1]
        whole = replications == RUNS[position]
        free = 0.51 + (0.2 if whole else 1.0) * width
        measured = (regret.mean, regret.low, regret.high)[: 3 if whole else 1]
        for number, values in zip(shown, measured, strict=False):
            assert number == "" or float(number) == pytest.approx(values[-1], abs=free)
    if position == 0:
        found, paired = result.compare("Joint", "CTS"), DIFFERENCE.search(README.read_text(encoding="utf-8"))
        free = 0.06 + (0.2 if whole else 1.0) * (found.high[-1] - found.low[-1])
        for number, values in zip(paired.groups(), (found.mean, found.low, found.high), strict=True):
            assert float(number) == pytest.approx(values[-1], abs=free)


def test_no_table_is_left_out():
    assert len(tables()) == len(TABLES)
