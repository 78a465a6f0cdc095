"""The study of Joint's decision rule, in small."""

import numpy as np
import pytest

from allotment import Joint, Problem
from studies.joint import devices, off_grid
from studies.joint import study as joint_study
from studies.joint.devices import bought
from studies.joint.standings import standings, table
from studies.joint.study import (
    CHOOSING,
    CONFIRMING,
    HORIZON,
    KINDS,
    rounding_cost,
    suite,
)


def test_the_suites_are_many_kinds_of_problems_and_share_none():
    chosen, confirmed = list(suite(CHOOSING)), list(suite(CONFIRMING))
    assert len(chosen) == len(confirmed) == 40
    assert {kind for kind, _ in chosen} == set(KINDS)
    assert not {problem for _, problem in chosen} & {problem for _, problem in confirmed}
    for kind, problem in chosen:
        np.testing.assert_allclose(problem.thresholds * 100, np.round(problem.thresholds * 100))
        assert problem.best.hopeless or kind != "hopeless"


def test_rules_are_compared_with_the_learner_that_knows():
    problems = [Problem([0.9, 0.5, 0.4], [0.5, 0.3, 0.6], 0.9), Problem([0.9, 0.5], [0.5, 0.3], 0.5)]
    rules = [Joint(), Joint(finest=None, label="multiples")]
    found = standings(problems, rules, replications=2, horizon=200)
    assert {standing.rule for standing in found} == {"Joint", "multiples"}
    assert [standing.median for standing in found] == sorted(standing.median for standing in found)
    for standing in found:
        assert standing.ratios.shape == (2,)
        assert standing.worst == standing.ratios.max()
        assert f"| {standing.rule} | {standing.summed:.2f} |" in table(found)


def test_what_a_device_buys_is_a_paired_interval():
    stream = np.random.default_rng(1)
    whole = stream.gamma(4.0, 10.0, (20, 200))
    without = 1.2 * whole * stream.uniform(0.9, 1.1, whole.shape)
    found = bought("luck", whole, without, known=np.ones(20))
    assert 0.19 < found.share.low < 0.2 < found.share.high < 0.21
    assert found.share.low < found.share.value < found.share.high
    assert abs(found.worst_tenth - 0.2) < 0.03


def test_the_report_has_its_parts(monkeypatch):
    monkeypatch.setattr(off_grid, "SEEDS", [(range(2), 50)])
    monkeypatch.setattr(off_grid, "HOPELESS", range(500, 502))
    monkeypatch.setattr(off_grid, "EARLY", 20)
    monkeypatch.setattr(off_grid, "LATE", 30)
    monkeypatch.setattr(off_grid, "LAST", 50)
    monkeypatch.setattr(joint_study, "KINDS", {"ten arms": {"arms": 10}})
    monkeypatch.setattr(devices, "WITHOUT", {"trust": Joint(trust=1)})
    monkeypatch.setattr(joint_study, "MORE", 2)
    bought_by, confirmed, rounded, finer, hopeless = joint_study.report(replications=1, seed=0, horizon=50)
    assert "| trust |" in bought_by
    assert "| Joint |" in confirmed
    assert "| ten arms |" in rounded
    assert "| 0 to 1 | 50 |" in finer
    assert "| 2 | " in hopeless


def test_what_hopeless_problems_lose_is_counted():
    early, late = np.array([0.2, 0.4, 0.1]), np.array([0.0, 0.039, 0.05])
    assert off_grid.hopeless_table(early, late).splitlines()[-1] == "| 3 | 0.233 | 0.030 | 1 | 2 |"


def test_rounding_costs_what_the_coarser_thresholds_cost():
    assert rounding_cost(Problem([0.9, 0.5], [0.5, 0.3], 0.8)) == 0.0
    # 0.501 + 0.299 fits 0.8; rounded up to 0.51 + 0.30 it does not, and the second arm stays uncovered.
    assert rounding_cost(Problem([0.9, 0.5], [0.501, 0.299], 0.8), horizon=10) == pytest.approx(5.0)


def test_the_interval_knows_that_problems_share_their_luck():
    """Twenty copies of one problem tell no more than one of them."""
    stream = np.random.default_rng(2)
    whole, without = stream.gamma(4.0, 10.0, (2, 1, 200))
    alone = bought("luck", whole, without, known=np.ones(1)).share
    copies = [np.repeat(each, 20, axis=0) for each in (whole, without)]
    assert bought("luck", *copies, known=np.ones(20)).share == pytest.approx(alone)


@pytest.mark.soak
def test_the_default_stays_close_to_the_learner_that_knows_the_thresholds():
    found = standings(
        (problem for _, problem in suite(CONFIRMING)), [Joint()], replications=100, horizon=HORIZON
    )
    assert found[0].median <= 1.5  # 1.502 without probes and middle draws, 1.45 with them; the goal is 1.25
