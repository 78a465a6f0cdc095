"""The study of situations: what it draws, plays and prints."""

import numpy as np
import pytest

from studies.situations.study import Cell, best_single_plan, cells, losses, mean_ratio, report

SAME, OTHER = Cell("same", "step", 0.0), Cell("other", "step", 1.0, same_curves=False)


def test_without_a_spread_all_situations_are_the_same_problem():
    weekday, weekend = SAME.world(3).problems
    assert weekday == weekend
    weekday, weekend = OTHER.world(3).problems
    assert not np.array_equal(weekday.loss_rates, weekend.loss_rates)
    assert weekday.response != weekend.response


def test_a_single_plan_is_best_where_situations_are_the_same():
    found = losses(SAME, 5, days=14)
    assert found.one_plan == pytest.approx(found.best)
    assert found.best < min(found.ignored, found.each, found.told)
    assert best_single_plan(OTHER.world(5), 14) > sum(OTHER.world(5).best_in(t).loss for t in range(1, 15))


def test_a_ratio_is_paired():
    assert mean_ratio(np.array([2.0, 4.0]), np.array([1.0, 2.0])) == (2.0, 2.0, 2.0)


def test_the_report_has_a_row_for_each_world():
    parts = list(report(2, workers=1, chosen=lambda: iter([SAME, OTHER]), days=14))
    assert [part.split(" | ")[0] for part in parts[1:]] == ["| same", "| other"]
    assert all("limit 1" in part for part in parts[1:])
    assert len(list(cells())) == 15
