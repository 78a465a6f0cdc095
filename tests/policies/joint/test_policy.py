"""Joint: what it grants, that it keeps trying, and how little it loses beside the paper's policies."""

import numpy as np
import pytest
from hypothesis import given, settings

from allotment import (
    CsbDt,
    CsbSt,
    Cts,
    Evidence,
    InputError,
    Joint,
    Problem,
    Setting,
    VersionWarning,
    simulate,
)
from allotment.policies.base.policy_texts import parse
from allotment.policies.joint.information import expected_rate
from allotment.policies.joint.threshold_draws import draw_round
from allotment.policies.joint.tuning import ROOM
from allotment.simulation.rollout import Run
from allotment.testing import check_feasible_on
from strategies import problems

PAPER_2 = Problem.named("paper-2")
ROOMIER = Problem(PAPER_2.loss_rates, PAPER_2.thresholds, 2.05)


def regret(problem, *policies, horizon=5000, replications=10, seed=1):
    result = simulate(problem, policies, horizon=horizon, replications=replications, seed=seed, record=1)
    return [result[policy.label].final for policy in policies]


@given(problems())
@settings(max_examples=30, deadline=None)
def test_a_shared_threshold_is_feasible_on_any_problem(problem):
    check_feasible_on(problem, Joint(shared=True), rounds=100)


@pytest.mark.parametrize(
    "problem",
    [
        Problem([0.0, 0.0, 0.5], [0.3, 0.5, 0.4], 0.6),
        Problem([1.0, 1.0, 1.0], [0.3, 0.5, 0.4], 0.7),
        Problem([0.5] * 4, [0.3, 0.3, 0.6, 0.6], 0.6),
        Problem([0.8, 0.7], [0.4, 0.9], 0.55),
        Problem([0.8, 0.7], [0.9, 1.0], 0.5),
        Problem([0.2, 0.5, 0.4], [0.7, 0.7, 0.6], 1.3, severities=[9, 1, 1]),
        Problem([0.6, 0.4], [0.5, 0.5], 5.0),
    ],
    ids=[
        "rates of zero",
        "sure losses",
        "ties",
        "budget below 1",
        "above the budget",
        "severities",
        "plenty",
    ],
)
def test_finds_the_optimum_at_the_edges(problem):
    result = simulate(problem, Joint(), horizon=4000, replications=8, seed=2, record=[2000, 4000])
    late = result["Joint"].paths[:, 1] - result["Joint"].paths[:, 0]
    assert late.mean() < 0.02 * 2000 * (problem.severities * problem.loss_rates).max() + 1e-9


def test_a_loss_at_the_top_gives_the_arm_up():
    learner = Joint(resolution=0.5).start(1, 1.0, seed=1)
    for _ in range(60):
        learner.tell(np.ones(1) if learner.ask()[0] >= 0.0 else np.zeros(1))
    assert learner.ask()[0] == 0.0


def test_every_candidate_that_the_evidence_allows_is_tried():
    policy = Joint(resolution=0.1)
    problem = Problem([0.5, 0.5], [0.8, 1.0], 1.0)
    run = Run(problem, policy, 300, seed=1, replications=0)
    run.advance(300, np.zeros(0, np.int64), np.zeros(0))
    state = run.learner.state
    believed = state.beliefs.weights[0] / state.beliefs.totals[0]
    drawn = np.zeros(believed.size)
    for _ in range(20_000):
        draw_round(state)
        drawn[state.draws.covered[0] - 1] += 1
        expected = expected_rate(state.beliefs, 0, state.draws.covered[0] - 1)
        assert state.draws.stakes[0] <= expected  # draws are optimistic
    assert (drawn[believed > 0.01] > 0).all()
    assert (drawn[believed == 0.0] == 0).all()


def test_the_opening_halves_what_is_open_about_a_sure_loser():
    # One arm that always loses, a budget for all of it: information alone decides, so it bisects.
    learner = Joint(resolution=0.25, opening=10, curiosity=1e6, shape=(1e6, 1.0)).start(1, 1.0, seed=1)
    assert learner.ask()[0] == 0.5
    learner.tell([1])
    assert learner.ask()[0] == 0.75
    learner = Joint(resolution=0.25, opening=10, curiosity=0).start(1, 1.0, seed=1)
    assert learner.ask()[0] == 1.0  # without curiosity, cover is all that counts


def test_memory_is_linear_in_arms_times_candidates():
    def size(part):
        return sum(size(each) for each in part) if isinstance(part, tuple) else getattr(part, "nbytes", 0)

    def taken(arms):
        return size(Joint(resolution=0.05).state(Setting(arms, 100.0)))

    more, candidates = 20_000, 21 + ROOM + 1
    assert taken(2 * more) - taken(more) <= 8 * (7 * candidates + 100) * more


def test_a_prior_is_believed():
    prior = np.zeros(10)
    prior[3] = 1.0
    policy = Joint(resolution=0.1, prior=prior, uncoverable=1e-9)
    learner = policy.start(1, 1.0, seed=1)
    assert learner.ask()[0] == pytest.approx(0.4)
    levels, weights = policy.candidates(Setting(1, 0.35), Evidence(1))
    assert levels[0, :6].tolist() == [0.1, 0.2, 0.3, 0.35, 0.4, 0.5]  # the budget may be granted
    np.testing.assert_allclose(weights[0, :6], [0, 0, 0, 0.5, 0.5, 0], atol=1e-8)  # each half of a cell
    levels, _ = policy.candidates(Setting(2, 3.0), Evidence(2, [(1, 0.33, 1, 0), (1, 0.4, 1, 0)]))
    assert levels[0, 2:5].tolist() == [0.3, 0.4, 0.5]
    assert levels[1, 2:5].tolist() == [0.3, 0.33, 0.4]


def test_counts_are_learnt_where_losses_are_counted():
    problem = Problem([2.5, 1.0, 0.2], [0.7, 0.4, 0.5], 1.2, losses="counts")
    (ours,) = regret(problem, Joint(losses="counts"), horizon=2000)
    assert ours.mean() < 60  # equal shares would lose 7000
    with pytest.raises(InputError, match="Joint takes yes or no"):
        simulate(problem, Joint(), horizon=10, replications=1, seed=1)
    learner = Joint(losses="counts").start(2, 1.0, seed=1)
    learner.ask()
    learner.tell([3, 0])
    learner.ask()
    with pytest.raises(InputError, match=r"losses\[1\] is 0.5; expected numbers that are whole"):
        learner.tell([3, 0.5])


def test_little_is_lost_on_instance_2():
    printed, roomier = regret(PAPER_2, Joint())[0], regret(ROOMIER, Joint(), CsbDt())
    assert printed.mean() <= 90  # 100 replications: at most 70, under soak
    assert roomier[0].mean() <= roomier[1].mean() / 3.5  # 100 replications: a fourth


OFF_THE_GRID = Problem.random(8, seed=9)  # its best choice leaves less room than rounding takes


def test_off_the_grid_rounding_ends():
    finer, coarse, known = regret(
        OFF_THE_GRID,
        Joint(),
        Joint(finest=None, label="multiples"),
        Cts(thresholds=OFF_THE_GRID.thresholds),
    )
    assert finer.mean() <= 150  # 100 replications: 60
    assert coarse.mean() >= 1000
    assert finer.mean() <= 6 * known.mean()


TIGHT = Problem.random(8, seed=22)  # its best choice leaves 0.0007 over four arms, one of which seldom loses


def test_what_fits_only_just_is_found():
    ours, known = regret(TIGHT, Joint(), Cts(thresholds=TIGHT.thresholds), horizon=20_000, replications=4)
    assert ours.mean() <= 6 * known.mean()  # 0.05 a round, 1000 in all, without that arm


HOPELESS = Problem.random(8, seed=500, hopeless=True)  # its best choice needs every threshold exactly


def test_off_the_grid_what_is_hopeless_for_others_is_found():
    ends = [500, 9_000, 10_000]
    run = simulate(HOPELESS, Joint(), horizon=10_000, replications=4, seed=0, record=ends, progress=False)
    early, _, late = np.diff(run["Joint"].mean, prepend=0.0) / np.diff(ends, prepend=0)
    assert early > 0.2
    assert late < 0.1 * early  # second best loses 0.28 a round, for ever


def test_without_anything_finer_only_multiples_are_granted():
    learner = Joint(finest=None).start(8, OFF_THE_GRID.budget, seed=1)
    for _ in range(200):
        granted = learner.ask()
        np.testing.assert_allclose(100 * granted, np.round(100 * granted), atol=1e-9)
        learner.tell((granted < OFF_THE_GRID.thresholds).astype(float))


def test_a_tenth_of_what_csb_dt_loses_on_twenty_arms():
    ours, theirs, known = regret(
        problem := Problem.random(20, seed=11, resolution=0.01),
        Joint(),
        CsbDt(),
        Cts(thresholds=problem.thresholds),
        replications=4,
    )
    assert ours.mean() <= theirs.mean() / 10
    assert ours.mean() <= 3 * known.mean()


def test_a_shared_threshold_is_not_above_csb_st_on_instance_1():
    ours, theirs = regret(
        Problem.named("paper-1"), Joint(shared=True), CsbSt(), horizon=10_000, replications=10
    )
    assert (ours - theirs).mean() <= 3.5 * np.std(ours - theirs, ddof=1) / np.sqrt(10)


@pytest.mark.soak
def test_the_paper_s_instances_in_full():
    assert regret(PAPER_2, Joint(), replications=100)[0].mean() <= 70
    ours, theirs = regret(ROOMIER, Joint(), CsbDt(), replications=100)
    assert ours.mean() <= theirs.mean() / 4
    ours, theirs = regret(
        Problem.named("paper-1"), Joint(shared=True), CsbSt(), horizon=10_000, replications=100
    )
    assert (ours - theirs).mean() <= 3.5 * np.std(ours - theirs, ddof=1) / 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_a_tenth_of_csb_dt_on_every_random_problem_with_twenty_arms(seed):
    ours, theirs = regret(Problem.random(20, seed=seed, resolution=0.01), Joint(), CsbDt(), replications=100)
    assert ours.mean() <= theirs.mean() / 10


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"resolution": 0.0}, "resolution is 0.0; expected a number above 0"),
        ({"finest": 1e-13}, "finest is 1e-13; expected a number from 1e-12 to 1"),
        ({"off_grid": 0.0}, "off_grid is 0.0; expected"),
        ({"trust": 0.5}, "trust is 0.5; expected a number of at least 1"),
        ({"optimistic": "maybe"}, "optimistic is 'maybe'; expected"),
        ({"spend": "no"}, "spend is 'no'; expected"),
        ({"shared": 2}, "shared is 2; expected"),
        ({"opening": -1}, "opening is -1; expected"),
        ({"curiosity": -0.5}, "curiosity is -0.5; expected"),
        ({"losses": "many"}, "losses is 'many'; expected one of"),
        ({"leak": 1.0}, "leak is 1.0; expected"),
        ({"leak": 0.1}, "leak is 0.1, .*expected leak_chance=.*or AnyResponse"),
        ({"leak_chance": 1.0}, "leak_chance is 1.0; expected"),
        ({"leak_chance": 0.1, "losses": "counts"}, "leak_chance is 0.1, .*expected leak=.*share"),
        ({"uncoverable": 0.0}, "uncoverable is 0.0; expected"),
        ({"shape": [1.0]}, "shape is .*; expected two numbers"),
        ({"shape": [0.5, 1.0]}, "shape.* expected numbers of at least 1"),
        ({"prior": [1.0]}, "prior has 1 numbers .* expected 100"),
        ({"prior": [1.0] * 100, "shared": True}, "expected none with shared=True"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(InputError, match=message):
        Joint(**parameters)


def test_a_text_of_an_earlier_version_is_read_where_it_means_the_same():
    with pytest.warns(VersionWarning, match="middle_of=1, fade=None"):
        assert parse("joint:middle_of=1,fade=none,trust=2") == Joint(trust=2)
    with pytest.raises(InputError, match="joint no longer has the parameter middle_of, which is 9 here"):
        parse("joint:middle_of=9")
