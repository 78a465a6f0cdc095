"""The numbers in docs/studies/reproduction.md: a stored run has them, and a fresh run agrees."""

import json
import math
from pathlib import Path

import pytest

from allotment.experiments.paper.paper_figures import paper_figures
from allotment.experiments.paper.running import measure

DOCS = Path(__file__).parents[3] / "docs" / "studies"
STORED = json.loads((DOCS / "reproduction.json").read_text(encoding="utf-8"))
ROWS = STORED["curves"]
T_QUANTILE = 1.984  # of the stored 95 % intervals, made of 100 repetitions
FRESH = 10


def key(row):
    return row["figure"], row["setting"], row["part"], row["curve"]


def scatter(row):
    """The standard deviation of one repetition."""
    return (row["high"] - row["mean"]) / T_QUANTILE * math.sqrt(STORED["replications"])


def test_the_stored_run_has_every_line():
    expected = [
        (figure.name, figure.setting, part.title, each.label)
        for figure in paper_figures()
        for part in figure.parts
        for each in part.experiments
    ]
    assert [key(row) for row in ROWS] == expected
    assert STORED["replications"] == 100


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(key(row)))
def test_the_page_shows_the_stored_numbers(row):
    cells = [
        row["figure"].replace("fig", "figure "),
        row["setting"],
        ", ".join([row["curve"], *row["part"].split(",")[:1]]) if row["part"] else row["curve"],
        f"{row['mean']:.1f} ± {row['high'] - row['mean']:.1f}",
        "" if row["independent"] is None else f"{row['independent']:g}",
        "" if row["z"] is None else f"{row['z']:+.1f}",
        "" if row["in_paper"] is None else f"{row['in_paper']:g}",
    ]
    assert f"| {' | '.join(cells)} |" in (DOCS / "reproduction.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(key(row)))
def test_the_stored_numbers_agree_with_independent_ones(row):
    if row["z"] is not None:
        assert abs(row["z"]) <= 3.5
    elif row["setting"] == "published":
        assert row["mean"] == pytest.approx(row["in_paper"], rel=0.1)


def test_a_fresh_run_agrees_with_the_stored_one():
    fresh = measure(paper_figures(), replications=FRESH, seed=2024, progress=False).rows
    for stored, row in zip(ROWS, fresh, strict=True):
        error = scatter(stored) * math.sqrt(1 / FRESH + 1 / STORED["replications"])
        assert abs(row.mean - stored["mean"]) <= 4.5 * error, key(stored)
