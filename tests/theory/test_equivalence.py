"""Propositions 1 and 3: the same sets, the same losses, the same regret, on either side."""

import numpy as np
import pytest
from hypothesis import given, settings

from allotment import CsbDt, Cts, Cucb, EqualSplit, Escb, InputError, MpKlUcb, MpTs, Problem, trace
from allotment.randomness.streams import policy_stream
from allotment.theory import (
    AsAllocationLearner,
    AsBanditLearner,
    CombinatorialBandit,
    KnapsackFamily,
    ListedFamily,
    MultiplePlayBandit,
    NotApplicableError,
    combinatorial_bandit,
    draw_losses,
    multiple_play_bandit,
    play_bandit,
    play_problem,
    problem_of,
)
from strategies import problems

ROUNDS = 300
SAME = Problem([0.3, 0.7, 0.45, 0.9, 0.1, 0.6], 0.7, 2.1)
DIFFERENT = Problem([0.9, 0.89, 0.87, 0.58, 0.3], [0.7, 0.7, 0.7, 0.6, 0.35], 2.0)


class SuccessiveBandit:
    """A bandit policy written for superarms: the least mean so far, every arm tried in turn at first."""

    def __init__(self, bandit, seed):
        self.bandit = bandit
        self.seen, self.lost = np.zeros(bandit.loss_rates.size), np.zeros(bandit.loss_rates.size)
        self.stream = policy_stream(seed, 0)

    def play(self):
        width = np.sqrt(2.0 * np.log(1.0 + self.seen.sum()) / np.maximum(self.seen, 1e-3))
        noise = 1e-3 * self.stream.random(self.seen.size)
        hope = np.clip(self.lost / np.maximum(self.seen, 1.0) - width + noise, 0.0, 1.0)
        self.played = type(self.bandit)(hope, getattr(self.bandit, "plays", None) or self.bandit.family).best
        return self.played

    def see(self, losses):
        self.seen += self.played
        self.lost += losses


PROPOSITION_1 = (multiple_play_bandit, SAME)
PROPOSITION_3 = (combinatorial_bandit, DIFFERENT)


@pytest.mark.parametrize(
    ("proposition", "policy"),
    [(PROPOSITION_1, each) for each in (MpTs, MpKlUcb, Cts, Escb, Cucb)]
    + [(PROPOSITION_3, each) for each in (Cts, Cucb, Escb)],
)
def test_a_policy_of_ours_on_the_bandit(proposition, policy):
    bandit_of, problem = proposition
    ours = trace(problem, policy.for_problem(problem), horizon=ROUNDS, seed=4)
    learner = policy.for_problem(problem).start(problem.arms, problem.budget, seed=4)
    losses = draw_losses(problem.loss_rates, ROUNDS, seed=4)
    theirs = play_bandit(bandit_of(problem), AsBanditLearner(learner, problem), losses)
    assert theirs == pytest.approx(ours.regret, abs=1e-9)
    assert ours.regret[-1] > 1.0


@pytest.mark.parametrize(("bandit_of", "problem"), [PROPOSITION_1, PROPOSITION_3])
def test_a_bandit_policy_on_our_problem(bandit_of, problem):
    bandit = bandit_of(problem)
    losses = draw_losses(problem.loss_rates, ROUNDS, seed=9)
    theirs = play_bandit(bandit, SuccessiveBandit(bandit, seed=9), losses)
    ours = play_problem(problem, AsAllocationLearner(SuccessiveBandit(bandit, seed=9), problem), losses)
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert theirs[-1] > 1.0


def test_the_multiple_play_bandit_plays_as_many_arms_as_stay_uncovered():
    assert multiple_play_bandit(SAME).plays == 3


def test_there_and_back_again_is_the_same_learner():
    learner = MpTs(thresholds=0.7).start(SAME.arms, SAME.budget, seed=4)
    twice = AsAllocationLearner(AsBanditLearner(learner, SAME), SAME)
    losses = draw_losses(SAME.loss_rates, ROUNDS, seed=4)
    ours = trace(SAME, MpTs(thresholds=0.7), horizon=ROUNDS, seed=4)
    assert play_problem(SAME, twice, losses) == pytest.approx(ours.regret, abs=1e-9)


@given(problems(same_threshold=True))
@settings(max_examples=100, deadline=None)
def test_multiple_play_and_back(problem):
    bandit = multiple_play_bandit(problem)
    again = problem_of(bandit)
    assert bandit.loss_rates[bandit.best].sum() == pytest.approx(problem.best.loss, abs=1e-11)
    assert again.best.loss == pytest.approx(problem.best.loss, abs=1e-11)
    assert multiple_play_bandit(again).plays == bandit.plays


@given(problems())
@settings(max_examples=100, deadline=None)
def test_combinatorial_and_back(problem):
    bandit = combinatorial_bandit(problem)
    assert bandit.loss_rates[bandit.best].sum() == pytest.approx(problem.best.loss, abs=1e-11)
    assert problem_of(bandit) == Problem(problem.loss_rates, problem.thresholds, problem.budget)


def test_heavy_weights_are_scaled():
    bandit = CombinatorialBandit(np.array([0.9, 0.5, 0.2]), KnapsackFamily(np.array([4.0, 2.0, 1.0]), 5.0))
    problem = problem_of(bandit)
    assert problem.thresholds.tolist() == [1.0, 0.5, 0.25]
    assert problem.budget == 1.25
    assert problem.best.loss == pytest.approx(0.5)


def test_listed_superarms_can_be_played_but_have_no_way_back():
    sets = tuple(np.array(each) for each in ([True, False, True], [False, True, False]))
    bandit = CombinatorialBandit(np.array([0.2, 0.5, 0.4]), ListedFamily(sets))
    assert bandit.best.tolist() == [False, True, False]
    bandit.check(sets[0])
    with pytest.raises(InputError, match=r"arms \[0\] are no superarm of this bandit's family"):
        bandit.check(np.array([True, False, False]))
    with pytest.raises(InputError, match="only a knapsack family makes a problem"):
        problem_of(bandit)


def test_a_policy_that_leaves_another_number_uncovered_has_no_counterpart():
    learner = EqualSplit().start(SAME.arms, SAME.budget, seed=1)
    losses = draw_losses(SAME.loss_rates, 5, seed=1)
    with pytest.raises(
        InputError, match="6 arms are played; expected 3: a policy that leaves another number"
    ):
        play_bandit(multiple_play_bandit(SAME), AsBanditLearner(learner, SAME), losses)


def test_a_superarm_that_spares_too_much_is_refused():
    class Nobody:
        def play(self):
            return np.zeros(6, np.bool_)

        def see(self, losses):
            pass

    with pytest.raises(InputError, match=r"adds up to 4.2; expected at most the budget, 2.1"):
        AsAllocationLearner(Nobody(), SAME).ask()
    with pytest.raises(InputError, match="ask first"):
        AsAllocationLearner(Nobody(), SAME).tell(np.zeros(6))


def test_what_is_no_such_bandit_is_said():
    with pytest.raises(NotApplicableError, match="thresholds differ"):
        multiple_play_bandit(DIFFERENT)
    with pytest.raises(NotApplicableError, match="severities differ from 1"):
        combinatorial_bandit(Problem([0.5], 0.5, 1.0, severities=[2.0]))
    with pytest.raises(InputError, match="plays is 4; expected at most 3"):
        MultiplePlayBandit(np.array([0.1, 0.2, 0.3]), 4)


def test_losses_are_those_of_the_simulator():
    losses = draw_losses(DIFFERENT.loss_rates, 200, seed=11, replication=2)
    seen = trace(DIFFERENT, CsbDt(), horizon=200, seed=11, replication=2)
    assert np.array_equal(seen.losses[seen.allocations == 0.0], losses[seen.allocations == 0.0])
