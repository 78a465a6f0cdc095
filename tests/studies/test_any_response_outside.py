"""Worlds outside of AnyResponse's family: what they are, and how halves of runs are compared."""

import numpy as np
import pytest

import allotment as al
from studies.any_response import outside
from studies.any_response.outside import FRESH, UNITS, WORLDS, Halves, outside_problem, stuck


@pytest.mark.parametrize("kind", WORLDS)
def test_a_world_is_what_it_is_called(kind):
    problems = [outside_problem(kind, FRESH + k) for k in range(8)]
    assert {each.arms for each in problems} == {8, 12, 20, 30}
    tables = np.concatenate([each.table for each in problems])
    assert tables.shape[1] == UNITS + 1
    assert (tables[:, 0] == 1.0).all() and tables.min() >= 0.0 and tables.max() <= 1.0
    rises = (np.diff(tables) > 0.0).any(axis=1)
    steps = (np.diff(tables) < 0.0).sum(axis=1)
    assert rises.mean() > 0.8 if kind == "rising" else not rises.any()
    if "step first" in kind:
        assert steps.max() == 2
    assert outside_problem(kind, FRESH) == problems[0] != problems[4]


def test_no_grant_beats_the_best_where_curves_rise():
    """The best allocation is exact there too: no exchange of a unit, and no unit less, loses less."""
    problem = outside_problem("rising", FRESH)
    best = problem.best
    units = np.round(best.allocation * UNITS).astype(int)
    assert units.sum() <= problem.budget * UNITS + 1e-9
    losses = problem.loss_rates[:, np.newaxis] * problem.table
    every = np.arange(problem.arms)
    assert best.loss == pytest.approx(losses[every, units].sum())
    for i in every:
        for fewer in range(units[i]):
            assert losses[i, fewer] >= losses[i, units[i]]


def test_a_policy_loses_what_simulate_says():
    found = outside.halves("rising", al.EqualSplit(), problems=2, seed=3, workers=1)
    for k in range(2):
        problem = outside_problem("rising", FRESH + k)
        regret = problem.regret(np.full(problem.arms, problem.budget / problem.arms))
        assert found.first[k] == pytest.approx(10_000 * regret)
        assert found.second[k] == pytest.approx(10_000 * regret)


def test_who_is_stuck_is_counted():
    ours, theirs = (
        Halves(np.ones(4), np.array(each)) for each in ([40.0, 10.0, 10.0, 20.0], [10.0, 10.0, 10.0, 10.0])
    )
    ratio, problems = stuck(ours, theirs)
    assert (ratio.value, problems) == (2.0, 1)


def test_the_report_has_a_row_for_each_world_and_policy(monkeypatch):
    monkeypatch.setattr(outside, "HALVES", (5, 10))
    monkeypatch.setattr(outside, "WORLDS", {"plateau": WORLDS["plateau"]})
    rows = "\n".join(outside.report(problems=2, workers=1)).splitlines()[2:]
    assert [row.split(" | ")[1] for row in rows] == [each.label for each in outside.POLICIES]
    assert {len(row.split("|")) for row in rows} == {8}
