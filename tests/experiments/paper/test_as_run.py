import numpy as np
import pytest
from hypothesis import given, settings

from allotment import CsbUcb, Cts, InputError, MpTs, Problem, Setting, simulate, trace
from allotment.experiments.paper.as_run import PUBLISHED_KNAPSACK, CsbDtAsRun
from allotment.testing import CHECKS, check_feasible_on, policy_maker
from strategies import problems

WINDOW = 19  # ⌈log(5/0.1) / (2 log(1/0.9))⌉


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_it_keeps_the_contract(check):
    check(policy_maker(CsbDtAsRun()))


@given(problems())
@settings(max_examples=40, deadline=None)
def test_allocations_are_feasible_on_any_problem(problem):
    check_feasible_on(problem, CsbDtAsRun(), rounds=150)


@pytest.fixture
def learner():
    return CsbDtAsRun().start(arms=5, budget=2.0, seed=0)


def tell_loss_at(learner, *arms, rounds=1):
    for _ in range(rounds):
        learner.ask()
        learner.tell([float(arm in arms) for arm in range(5)])
    return learner.ask()


def test_the_first_arms_start_at_a_half_and_the_others_share_as_much(learner):
    assert learner.ask() == pytest.approx([0.5, 0.5, 1 / 3, 1 / 3, 1 / 3])


def test_a_loss_takes_half_of_the_interval_from_the_last_arms(learner):
    assert tell_loss_at(learner, 0) == pytest.approx([0.75, 0.5, 1 / 3, 1 / 3, 1 / 12])
    # Arm 2 wants a quarter as well: what is left of the last arm, and the rest from the one before it.
    assert tell_loss_at(learner, 1) == pytest.approx([0.75, 0.75, 1 / 3, 1 / 6, 0.0])


def test_quiet_rounds_lower_the_upper_end_and_fill_the_pool(learner):
    assert tell_loss_at(learner, rounds=WINDOW - 1) == pytest.approx([0.5, 0.5, 1 / 3, 1 / 3, 1 / 3])
    assert tell_loss_at(learner) == pytest.approx([0.25, 0.25, 1 / 6, 1 / 6, 1 / 6])
    # The pool now holds 1: nobody has to give when an arm wants half of [0.25, 0.5].
    assert tell_loss_at(learner, 0) == pytest.approx([0.375, 0.25, 1 / 6, 1 / 6, 1 / 6])


def test_who_gives_counts_quiet_rounds_anew(learner):
    tell_loss_at(learner, rounds=WINDOW - 1)
    tell_loss_at(learner, 0)  # the last arm gives, one round before it would have been believed
    grants = tell_loss_at(learner)
    assert grants[4] == pytest.approx(1 / 12)
    assert grants[1:4] == pytest.approx([0.25, 1 / 6, 1 / 6])


def test_nothing_is_granted_between_the_search_and_the_next_multiple_of_twenty():
    problem = Problem.named("paper-2")
    policy = CsbDtAsRun()
    searched = simulate(problem, policy, horizon=1000, replications=1, seed=0)[policy.label].search_rounds[0]
    grants = trace(problem, policy, horizon=1000, seed=0).allocations
    first = -(-(searched + 1) // 20) * 20  # the first round of that kind, counted from 1
    assert grants[:searched].any(axis=1).all()
    assert not grants[searched : first - 1].any()
    assert grants[first - 1 :].any(axis=1).all()
    for start in range(first - 1, 980, 20):
        assert (grants[start : start + 20] == grants[start]).all()


def test_on_instance_2_the_search_takes_350_rounds_and_rounding_makes_it_exact():
    problem = Problem.named("paper-2")
    regret = simulate(problem, CsbDtAsRun(), horizon=1000, replications=60, seed=1)["CSB-DT as run"]
    assert 350 <= np.median(regret.search_rounds) <= 351
    exact = (np.abs(regret.found_thresholds - problem.thresholds) < 1e-9).all(axis=1)
    assert exact.mean() > 0.95


def test_arms_with_an_index_of_zero_stay_uncovered():
    """That is what costs CSB-DT-UCB its jump after the search in the published figure."""
    problem = Problem.named("paper-2")
    grants = {}
    for covered in (False, True):
        learner = CsbUcb(**{**PUBLISHED_KNAPSACK, "cover_worthless": covered})
        policy = CsbDtAsRun(learner=learner)
        grants[covered] = trace(problem, policy, horizon=400, seed=0).allocations[359:379].sum()
    assert grants[False] == 0.0
    assert grants[True] > 0.0


def test_bad_parameters_are_refused():
    with pytest.raises(InputError, match="gamma is -1"):
        CsbDtAsRun(gamma=-1)
    with pytest.raises(InputError, match="expected a Combinatorial policy"):
        CsbDtAsRun(learner=MpTs())
    with pytest.raises(InputError, match="no horizon was given"):
        CsbDtAsRun(delta="1/T").state(Setting(5, 2.0))
    assert CsbDtAsRun(learner=Cts()).state(Setting(5, 2.0)).scale == 1000.0
