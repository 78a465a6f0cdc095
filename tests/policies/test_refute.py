"""Refute: its rule, and every inequality of its proof on every path of tiny games."""

import numpy as np
import pytest

import allotment as al
from allotment import Evidence, Problem, Refute
from policies.refute_laws import WithoutJumps, check_laws, game, path

TINY = [
    (Problem([0.5, 0.75], [0.5, 0.75], 0.75), 0.25, 6),
    (Problem([0.25, 0.5], [0.6, 0.3], 1.0, severities=[2.0, 1.0]), 0.35, 6),  # between candidates
    (Problem([0.5, 0.0], [1.0, 0.25], 0.5), 1 / 3, 6),  # a rate of 0, and an arm that the budget cannot cover
    (Problem([0.5, 0.5, 0.25], [0.4, 0.8, 0.8], 1.2), 0.4, 4),
    (Problem([0.75, 0.25], [0.5, 0.5], 0.2), 0.4, 4),  # a budget below the first multiple
]


def play(policy, problem, rounds, outcomes):
    """Play a game in which open arms lose or not as `outcomes` says, which grows as it is needed.

    Returns allocations, losses and the probability of the outcomes.
    """
    learner = policy.start(problem.arms, problem.budget, seed=1, severities=problem.severities)
    allocations, losses = np.zeros((rounds, problem.arms)), np.zeros((rounds, problem.arms))
    chance, used = 1.0, 0
    for t in range(rounds):
        allocations[t] = learner.ask()
        for i in np.flatnonzero((allocations[t] < problem.thresholds - 1e-12) & (problem.loss_rates > 0.0)):
            if used == len(outcomes):
                outcomes.append(0)
            losses[t, i] = outcomes[used]
            chance *= problem.loss_rates[i] if outcomes[used] else 1.0 - problem.loss_rates[i]
            used += 1
        learner.tell(losses[t])
    return allocations, losses, chance


def all_games(policy, problem, rounds):
    """Every game that the policy can play, once."""
    outcomes = []
    while True:
        yield play(policy, problem, rounds, outcomes)
        while outcomes and outcomes[-1] == 1:
            outcomes.pop()
        if not outcomes:
            return
        outcomes[-1] = 1


@pytest.mark.parametrize("kind", [Refute, WithoutJumps])
@pytest.mark.parametrize("bound", ["kl", "hoeffding"])
@pytest.mark.parametrize(("problem", "resolution", "rounds"), TINY)
def test_every_inequality_holds_on_every_path_of_tiny_games(problem, resolution, rounds, bound, kind):
    policy = kind(resolution=resolution, bound=bound)
    played, total, too_little = game(problem, policy), 0.0, 0.0
    for allocations, losses, chance in all_games(policy, problem, rounds):
        check_laws(played, policy, allocations, losses)
        total += chance
        too_little += chance * float((losses * (allocations > 0.0) * problem.severities).sum())
    assert total == pytest.approx(1.0)
    assert too_little <= (played.below * problem.severities).sum() + 1e-12


@pytest.mark.parametrize("bound", ["kl", "hoeffding"])
def test_every_inequality_holds_on_every_path_with_one_threshold(bound):
    problem, policy = Problem([0.5, 0.25, 0.75], 0.8, 1.7), Refute(shared=True, bound=bound)
    for allocations, losses, _ in all_games(policy, problem, 4):
        check_laws(game(problem, policy), policy, allocations, losses)


def check_random(seeds):
    checked = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        problem = Problem.random(int(rng.integers(2, 8)), seed=seed)
        if seed % 3 == 0:
            problem = Problem(problem.loss_rates, float(rng.choice(problem.thresholds)), problem.budget)
        policy = (Refute, WithoutJumps)[seed % 2](
            resolution=float(rng.choice([0.05, 0.1, 0.3])),
            shared=seed % 3 == 0,
            bound="hoeffding" if rng.random() < 0.7 else "kl",
        )
        run = al.trace(problem, policy, horizon=400, seed=seed)
        checked += check_laws(game(problem, policy), policy, run.allocations, run.losses)
    return checked


def test_every_inequality_holds_in_random_problems():
    assert check_random(range(40)) > 1000  # good rounds in which A* was better than the choice


@pytest.mark.soak
def test_every_inequality_holds_in_thousands_of_random_problems():
    assert check_random(range(1000, 5000)) > 100_000


def test_the_laws_notice_losses_that_refute_nothing():
    problem = Problem([0.9, 0.9], [0.75, 0.75], 1.0)
    policy = WithoutJumps(resolution=0.25, bound="hoeffding")
    learner = policy.start(2, 1.0, seed=1)
    allocations, losses = np.zeros((40, 2)), np.zeros((40, 2))
    for t in range(40):
        learner.state.left.lowest[:] = 0
        allocations[t] = learner.ask()
        losses[t] = allocations[t] < 0.75
        learner.tell(losses[t])
    with pytest.raises(AssertionError):
        check_laws(game(problem, policy), policy, allocations, losses)


def test_the_laws_notice_a_choice_that_is_not_the_best():
    problem = Problem([0.9, 0.2], [0.5, 0.5], 0.5)
    policy = WithoutJumps(resolution=0.5, bound="hoeffding")
    allocations = np.tile([0.0, 0.5], (40, 1))
    with pytest.raises(AssertionError):
        check_laws(game(problem, policy), policy, allocations, np.tile([1.0, 0.0], (40, 1)))


@pytest.mark.parametrize("bound", ["kl", "hoeffding"])
def test_bounds_of_loss_rates_are_right_in_every_round(bound):
    problem, policy = Problem.random(6, seed=4), Refute(resolution=0.1, bound=bound)
    learner = policy.start(problem.arms, problem.budget, seed=1)
    rng, known = np.random.default_rng(1), []
    allocations, losses = np.zeros((600, 6)), np.zeros((600, 6))
    for t in range(600):
        allocations[t] = learner.ask()
        known.append(learner.state.rates.bounds.copy())
        losses[t] = (rng.random(6) < problem.loss_rates) & (allocations[t] < problem.thresholds)
        learner.tell(losses[t])
    expected = path(game(problem, policy).candidates, policy, allocations, losses).bounds
    np.testing.assert_allclose(known, expected, rtol=0.0, atol=2e-9)


def test_a_loss_refutes_all_candidates_up_to_its_amount():
    learner = Refute(resolution=0.25).start(3, 1.5, seed=1)
    learner.tell([1, 0, 1], allocation=[0.5, 0.75, 0.3])
    left = learner.state.left
    assert left.levels[left.lowest].tolist() == [0.75, 0.25, 0.5]
    learner.tell([1, 0, 0], allocation=[1.0, 0.0, 0.0])
    assert left.levels[left.lowest].tolist() == [np.inf, 0.25, 0.5]
    assert learner.findings.contradictions == 1  # a grant of 1 covers every arm, so one of both is wrong
    assert learner.ask()[0] == 0.0  # nothing is left that might cover it


def test_with_one_threshold_a_loss_refutes_for_all_arms():
    learner = Refute(shared=True).start(4, 2.0, seed=1)
    assert learner.ask().tolist() == [0.5] * 4
    learner.tell([0, 1, 0, 0])
    assert sorted(learner.ask()) == pytest.approx([0.0, 2 / 3, 2 / 3, 2 / 3])


def test_grants_are_candidates_and_leave_no_budget_that_could_raise_one():
    problem, policy = Problem([0.5, 0.6, 0.7], [0.5, 0.5, 0.75], 1.0), Refute(unit=0.25)
    for allocation in al.trace(problem, policy, horizon=300, seed=2).allocations:
        assert (allocation % 0.25 == 0.0).all()
    late = al.trace(problem, Refute(resolution=0.01), horizon=1000, seed=2).allocations[900:]
    assert late.sum(axis=1).min() > 0.96  # equal shares of the rest


def test_a_budget_below_1_is_a_candidate_itself():
    setting = al.Setting(3, 0.33)
    assert Refute(resolution=0.1).candidates(setting).tolist() == pytest.approx([0.1, 0.2, 0.3, 0.33])
    assert Refute(unit=0.1).candidates(setting).tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert Refute().candidates(al.Setting(3, 0.0)).size == 0


def test_evidence_counts_as_if_it_had_been_lived():
    rows = [(0, 0.0, 20, 10), (0, 0.2, 5, 1), (1, 0.0, 30, 3), (1, 0.6, 9, 0)]
    told, learner = (
        Refute(resolution=0.1).start(2, 0.6, seed=1, evidence=Evidence(2, rows)),
        Refute(resolution=0.1).start(2, 0.6, seed=1),
    )
    for arm, amount, rounds, losses in rows:
        for k in range(rounds):
            report, amounts = np.full(2, np.nan), np.zeros(2)
            report[arm], amounts[arm] = float(k < losses), amount
            learner.tell(report, amounts)
    assert np.array_equal(told.ask(), learner.ask())
    assert told.state.left.lowest.tolist() == learner.state.left.lowest.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"resolution": 0.0}, "resolution is 0"),
        ({"unit": 0.3}, "unit is 0.3; expected a number above 0 and at most 1 that divides 1"),
        ({"shared": 2}, "shared is 2"),
        ({"bound": "ucb"}, "bound is 'ucb'; expected one of kl, hoeffding, draws"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(al.InputError, match=message):
        Refute(**parameters)


@pytest.mark.parametrize("bound", ["kl", "draws"])
def test_refute_loses_much_less_than_a_search(bound):
    two = Problem.named("paper-2")
    problem = Problem(two.loss_rates, two.thresholds, 2.05)
    result = al.simulate(problem, [Refute(bound=bound), al.CsbDt()], horizon=2000, replications=20, seed=6)
    assert result["Refute"].final.mean() < 0.4 * result["CSB-DT"].final.mean()
