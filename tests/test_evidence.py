import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import (
    ConflictError,
    CsbDt,
    Cts,
    EqualSplit,
    Evidence,
    FileError,
    InputError,
    Joint,
    MpTs,
    NotAcceptedError,
    Posterior,
    Problem,
    Sdcb,
    simulate,
)
from allotment.simulation.rollout import Run

ROWS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from([0.0, 0.1, 0.1 + 0.2, 0.3, 1.0]),
        st.integers(1, 9),
        st.integers(0, 1),
    ),
    max_size=12,
)


def test_rows_are_merged_and_sorted():
    log = Evidence(2, [(1, 0.3, 2, 1), (0, 0.0, 1, 1), (1, 0.1 + 0.2, 3, 0), (0, 0.5, 0, 0)])
    assert log.rows == ((0, 0.0, 1.0, 1.0), (1, 0.3, 5.0, 1.0))
    assert len(log) == 2
    assert repr(log) == "<Evidence of 2 arms: 6 rounds in 2 rows, binary losses>"


@given(ROWS, ROWS, st.randoms(use_true_random=False))
def test_the_order_does_not_matter_and_sums_are_sums(first, second, random):
    together = [*first, *second]
    random.shuffle(together)
    assert Evidence(3, first) + Evidence(3, second) == Evidence(3, together)
    assert hash(Evidence(3, first) + Evidence(3, second)) == hash(Evidence(3, together))


@given(ROWS)
def test_saved_evidence_comes_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("evidence") / "log.json"
    log = Evidence(3, rows, losses="counts").aged(0.3)
    log.save(path)
    assert Evidence.load(path) == log


SITUATED = Evidence(
    2, [(1, 0.3, 2, 1, 1), (1, 0.5, 4, 0), (1, 0.3, 1, 0, 1), (0, 1.0, 3, 2, 1)], situations=2
)


def test_situations_are_told_apart():
    assert SITUATED.rows == ((0, 1.0, 3.0, 2.0, 1), (1, 0.5, 4.0, 0.0, 0), (1, 0.3, 3.0, 1.0, 1))
    assert [row.situation for row in SITUATED.of_arm(1)] == [0, 1]
    assert repr(SITUATED) == "<Evidence of 2 arms: 10 rounds in 3 rows, binary losses, 2 situations>"
    arms, *_, situations = SITUATED.columns()
    assert situations.tolist() == [1, 0, 1]
    assert situations.dtype == arms.dtype == np.int64
    assert SITUATED.aged(0.5).rows[0] == (0, 1.0, 1.5, 1.0, 1)
    assert (SITUATED + SITUATED).aged(0.5) == SITUATED


def test_a_table_for_each_situation_has_what_its_evidence_alone_has():
    rounds, losses = SITUATED.in_units(10)
    assert rounds.shape == losses.shape == (2, 2, 11)
    for situation in range(2):
        alone = Evidence(2, [row[:4] for row in SITUATED if row.situation == situation])
        assert np.array_equal((rounds[situation], losses[situation]), alone.in_units(10))
    assert np.array_equal((rounds.sum(axis=0), losses.sum(axis=0)), SITUATED.pooled().in_units(10))


def test_pooled_evidence_has_one_situation():
    pooled = (SITUATED + Evidence(2, [(1, 0.3, 5, 0)], situations=2)).pooled()
    assert pooled == Evidence(2, [(0, 1.0, 3, 2), (1, 0.3, 8, 1), (1, 0.5, 4, 0)])
    assert pooled.pooled() is pooled


def test_files_of_several_situations_have_another_format(tmp_path):
    SITUATED.save(tmp_path / "log.json")
    assert Evidence.load(tmp_path / "log.json") == SITUATED
    content = json.loads((tmp_path / "log.json").read_text())
    assert content["format"] == "allotment-evidence-2"
    (tmp_path / "log.json").write_text(json.dumps(content | {"format": "allotment-evidence-1"}))
    with pytest.raises(FileError, match="log.json has format allotment-evidence-1, but situations=2"):
        Evidence.load(tmp_path / "log.json")
    Evidence(1, [(0, 0.5, 2, 1)]).save(tmp_path / "log.json")
    assert json.loads((tmp_path / "log.json").read_text()) == {
        "format": "allotment-evidence-1",
        "arms": 1,
        "sees": "losses",
        "losses": "binary",
        "rows": [[0, 0.5, 2.0, 1.0]],
    }


@pytest.mark.parametrize(
    ("row", "situations", "message"),
    [
        ((0, 0.5, 1, 0, 2), 2, r"the situation of rows\[0\] is 2; expected less than situations=2"),
        ((0, 0.5, 1, 0, 1), 1, r"the situation of rows\[0\] is 1; expected less than situations=1"),
        ((0, 0.5, 1, 0, -1), 2, r"the situation of rows\[0\] is -1; expected a whole number of at least 0"),
        ((0, 0.5, 1, 0, "x"), 2, r"the situation of rows\[0\] is 'x'"),
        ((0, 0.5, 1, 0, 0, 0), 2, r"rows\[0\] is .*; expected .* or with the situation"),
        ((0, 0.5, 1, 0), 0, "situations is 0; expected a whole number of at least 1"),
    ],
)
def test_bad_situations_are_named(row, situations, message):
    with pytest.raises(InputError, match=message):
        Evidence(1, [row], situations=situations)


def test_age_takes_from_rounds_and_losses_alike():
    log = Evidence(1, [(0, 0.5, 4, 1)])
    assert log.aged(0.5).rows == ((0, 0.5, 2.0, 0.5),)
    assert log.aged(1) == log
    assert log.aged(0).rows == ()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, 0.5, 1)], r"rows\[0\] is \(0, 0.5, 1\); expected \(arm, amount, rounds, losses\)"),
        ([(0, 0, 1, 0), (2, 0.5, 1, 0)], r"the arm of rows\[1\] is 2; expected a whole number .*at most 1"),
        ([(0, 1.5, 1, 0)], r"the amount of rows\[0\] is 1.5; expected a number from 0 to 1"),
        ([(0, math.nan, 1, 0)], r"the amount of rows\[0\] is nan"),
        ([(0, 0.5, -1, 0)], r"the rounds of rows\[0\] is -1; expected a finite number of at least 0"),
        ([(0, 0.5, 1, math.inf)], r"the losses of rows\[0\] is inf"),
        ([(0, 0.5, 1, 2)], r"the losses of rows\[0\] are 2 in 1 rounds; expected at most one a round"),
        ([("x", 0.5, 1, 1)], r"the arm of rows\[0\] is 'x'"),
    ],
)
def test_bad_rows_are_named(rows, message):
    with pytest.raises(InputError, match=message):
        Evidence(2, rows)


def test_losses_in_no_rounds_are_refused():
    with pytest.raises(InputError, match="the rounds of rows.0. is 0.0; expected more than 0"):
        Evidence(1, [(0, 0.5, 0, 2)], losses="counts")


def test_kinds_are_not_mixed():
    log = Evidence(2)
    for other in (
        Evidence(3),
        Evidence(2, losses="counts"),
        Evidence(2, sees="finds"),
        Evidence(2, situations=2),
    ):
        assert log != other
        with pytest.raises(ConflictError, match="cannot be added to evidence of"):
            log + other
    with pytest.raises(InputError, match="sees is 'x'; expected one of losses, finds"):
        Evidence(2, sees="x")


@pytest.mark.parametrize("content", ["", "[]", "{}", "null", '{"format": 1, "arms": 2}', "\udcff"])
def test_other_files_are_not_evidence(tmp_path, content):
    (tmp_path / "log.json").write_text(content, errors="surrogateescape")
    with pytest.raises(FileError, match="log.json (is not evidence|has format)"):
        Evidence.load(tmp_path / "log.json")


def test_an_edited_file_is_refused(tmp_path):
    Evidence(2, [(0, 0.5, 2, 1)]).save(tmp_path / "log.json")
    for change in ({"rows": [[0, 2.0, 1, 0]]}, {"arms": 0}, {"colour": 1}, {"rows": 3}, {"losses": "x"}):
        content = json.loads((tmp_path / "log.json").read_text())
        (tmp_path / "other.json").write_text(json.dumps(content | change))
        with pytest.raises(FileError, match="other.json cannot be used"):
            Evidence.load(tmp_path / "other.json")


def test_what_a_policy_does_not_accept_it_refuses_in_a_sentence():
    known = {"thresholds": [0.5, 0.3]}
    with pytest.raises(
        NotAcceptedError, match="CSB-DT cannot start from evidence, since it needs to know the order"
    ):
        CsbDt().start(2, 1.0, seed=1, evidence=Evidence(2))
    with pytest.raises(NotAcceptedError, match="CTS takes yes or no; the evidence's losses are counts"):
        Cts(**known).start(2, 1.0, seed=1, evidence=Evidence(2, losses="counts"))
    with pytest.raises(NotAcceptedError, match="Joint takes losses; the evidence has finds"):
        Joint().start(2, 1.0, seed=1, evidence=Evidence(2, sees="finds"))
    with pytest.raises(ConflictError, match="the evidence is of 3 arms; expected evidence of 2"):
        Joint().start(2, 1.0, seed=1, evidence=Evidence(3))
    with pytest.raises(NotAcceptedError, match="Joint takes no bounds on grants"):
        Joint().start(2, 1.0, seed=1, least=0.1)
    learner = CsbDt().start(2, 1.0, seed=1)
    with pytest.raises(
        NotAcceptedError, match=r"CSB-DT learns only from the grants that it asked for.*asked first"
    ):
        learner.tell([0, 0], [0.1, 0.2])
    learner.ask()
    with pytest.raises(NotAcceptedError, match=r"losses\[1\] is not reported \(NaN\); CSB-DT needs a report"):
        learner.tell([0, math.nan])
    learner.tell([0, 0], learner.ask())  # what it asked for may be said
    assert not Sdcb(**known, levels=3).accepts.evidence
    assert not Cts(**known, solve_every=2).accepts.any_amounts
    assert EqualSplit().accepts.counts


def weights(learner):
    beliefs = learner.state.beliefs
    return beliefs.weights / beliefs.totals[:, None]


def test_learners_told_of_other_grants_learn_from_those():
    """A planner grants something else than was asked for."""
    problem = Problem([0.8, 0.5, 0.3], [0.6, 0.35, 0.2], 0.9)
    stream = np.random.default_rng(4)
    history = []
    for _ in range(300):
        amounts = np.round(stream.random(3), 2)
        losses = (stream.random(3) < problem.loss_rates) & (amounts < problem.thresholds)
        history.append((amounts, losses.astype(float)))
    for policy in (Joint(), Cts(thresholds=problem.thresholds.tolist())):
        asked, fresh = (policy.start(3, 0.9, seed=seed) for seed in (1, 2))
        for amounts, losses in history:
            asked.ask()
            asked.tell(losses, amounts)
            fresh.tell(losses, amounts)
        if isinstance(policy, Joint):
            np.testing.assert_allclose(weights(asked), weights(fresh), atol=1e-12)
            for arm in range(3):
                posterior = Posterior.on_grid(0.01)
                for amounts, losses in history:
                    posterior = posterior.after(amounts[arm], losses=losses[arm])
                chances = [posterior.cover(level) for level in (0.2, 0.35, 0.6, 0.8)]
                believed = [
                    weights(fresh)[arm][fresh.state.beliefs.levels[arm] <= x + 1e-12].sum()
                    for x in (0.2, 0.35, 0.6, 0.8)
                ]
                np.testing.assert_allclose(believed, chances, atol=1e-9)
        else:
            covered = np.array([amounts >= problem.thresholds for amounts, _ in history])
            seen = np.array([losses for _, losses in history])
            assert asked.state.coverage.seen.tolist() == (~covered).sum(axis=0).tolist()
            assert asked.state.coverage.losses.tolist() == (seen * ~covered).sum(axis=0).tolist()
            assert asked.state.coverage.seen.tolist() == fresh.state.coverage.seen.tolist()


def test_a_loss_at_the_threshold_contradicts_it_and_teaches_nothing():
    learner = Cts(thresholds=[0.5, 0.3]).start(2, 0.5, seed=1)
    learner.tell([1, 1], [0.5, 0.29])
    learner.tell([0, 1], [0.7, 0.3])
    assert learner.findings.contradictions == 2
    assert learner.state.coverage.seen.tolist() == [0.0, 1.0]
    assert learner.state.coverage.losses.tolist() == [0.0, 1.0]
    right = Problem([0.5, 0.5], [0.5, 0.3], 0.5)
    regret = simulate(right, Cts(thresholds=[0.5, 0.3]), horizon=50, replications=2, seed=1)["CTS"]
    assert regret.contradictions.tolist() == [0, 0]
    wrong = simulate(right, Cts(thresholds=[0.4, 0.2]), horizon=50, replications=2, seed=1)
    assert (wrong["CTS"].contradictions > 0).all()
    assert "CTS" in str(wrong)


def test_the_round_of_a_confidence_bound_is_the_largest_total_over_the_arms():
    learner = Sdcb(thresholds=0.5).start(2, 0.5, seed=1)
    for report in ([0, math.nan], [math.nan, 1], [0, math.nan]):
        learner.tell(report, [0.0, 0.0])
    assert learner.state.coverage.latest.tolist() == [2.0]


@pytest.mark.parametrize(
    "policy",
    [Joint(), Joint(leak_chance=0.01), Joint(losses="counts"), Joint(shared=True), Joint(finest=1e-4)],
    ids=str,
)
def test_a_million_rounds_at_once_are_a_million_rounds_lived(policy):
    kind = "counts" if policy.accepts.counts else "binary"
    problem = Problem([0.5, 0.2, 0.0], [0.6, 0.35, 0.2], 1.3, losses=kind)
    rounds = 1_000_000 if policy == Joint() else 60_000
    run = Run(problem, policy, rounds, seed=1, replications=0)
    tally = {}
    step = 20_000
    # Tally what was granted and seen, from a twin that is played round by round.
    run.advance(rounds, np.zeros(0, np.int64), np.zeros(0))
    beliefs = run.learner.state.beliefs
    for arm in range(3):
        row = arm if beliefs.totals.size > 1 else 0
        size = beliefs.last[row] + 1
        at = np.append(0.0, beliefs.levels[row, : size - 1])
        seen = np.diff(beliefs.rounds_below[arm, :size], prepend=0.0)
        lost = np.diff(beliefs.losses_below[arm, :size], prepend=0.0)
        for amount, n, x in zip(at, seen, lost, strict=True):
            tally[arm, amount] = (n, x)
    rows = [(arm, amount, n, x) for (arm, amount), (n, x) in tally.items()]
    np.random.default_rng(step).shuffle(rows)
    informed = policy.start(3, 1.3, seed=1, evidence=Evidence(3, rows, losses=kind))
    known, lived = weights(informed), weights(run.learner)
    width = min(known.shape[1], lived.shape[1])  # what is to be cut later has room of its own
    np.testing.assert_allclose(known[:, :width], lived[:, :width], atol=1e-9, rtol=0.0)
    assert not known[:, width:].any() and not lived[:, width:].any()


def test_evidence_outlives_the_budget():
    log = Evidence(2, [(0, 0.455, 20, 0), (0, 0.0, 20, 18), (1, 0.2, 5, 4)])
    learners = [Joint().start(2, budget, seed=1, evidence=log) for budget in (0.3, 0.455, 1.0, 2.0)]
    for learner in learners:
        levels = learner.state.beliefs.levels[0]
        assert 0.455 in levels.tolist()
        covered = weights(learner)[0][levels <= 0.455].sum()
        assert covered == pytest.approx(Posterior.on_grid(0.01).given(log).cover(0.455), abs=1e-12)
        assert learner.ask().sum() <= learner.state.budget + 1e-9


def test_a_log_of_rounds_at_nothing_does_not_end_the_opening():
    quiet = Evidence(3, [(arm, 0.0, 10_000, 2_000) for arm in range(3)])
    assert Joint().start(3, 1.5, seed=1, evidence=quiet).state.beliefs.granted[0] == 0.0
    spent = Evidence(3, [(arm, 0.5, 30, 3) for arm in range(3)])
    assert Joint().start(3, 1.5, seed=1, evidence=spent).state.beliefs.granted[0] == pytest.approx(45.0)


@settings(max_examples=20, deadline=None)
@given(ROWS)
def test_the_next_allocation_from_evidence_has_no_memory(rows):
    log = Evidence(3, rows)
    for policy in (Joint(), MpTs(thresholds=0.4), EqualSplit()):
        first, second = (policy.start(3, 1.0, seed=5, evidence=log).ask() for _ in range(2))
        assert first.tolist() == second.tolist()
