"""Cells that are cut: believed as by integration, whatever the order, and calibrated about the grid."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

from allotment import Evidence, Joint, Posterior, Problem, Setting
from allotment.policies.joint.belief_grid import after_step, insert, may_be_cut, width_of
from allotment.policies.joint.belief_updates import learn
from allotment.policies.joint.threshold_beliefs import candidates_covered, chance_on_grid, weigh
from allotment.policies.joint.tuning import ROOM, STEPS

OFF_THE_GRID = Problem.random(8, seed=9)


def live(problem, policy, rounds, seed=1):
    """A learner's beliefs after so many rounds, and the evidence that it saw."""
    learner, stream = policy.start(problem.arms, problem.budget, seed=seed), np.random.default_rng(seed)
    rows = []
    for _ in range(rounds):
        granted = learner.ask()
        rate = problem.loss_rates * (granted < problem.thresholds - 1e-12)
        losses = (stream.random(problem.arms) < rate).astype(float)
        learner.tell(losses)
        rows += [(i, granted[i], 1, losses[i]) for i in range(problem.arms)]
    return learner.state.beliefs, Evidence(problem.arms, rows)


def shares(beliefs, arm):
    """The weights by candidate, as far as they are not nothing."""
    size = beliefs.last[arm] + 1
    weights = beliefs.weights[arm, :size] / beliefs.totals[arm]
    return {
        round(float(level), 12): weight
        for level, weight in zip(beliefs.levels[arm, :size], weights, strict=True)
        if weight > 0.0
    }


@pytest.mark.parametrize(
    "policy",
    [Joint(finest=1e-4), Joint(finest=1e-4, leak_chance=0.01), Joint(finest=1e-5, resolution=0.1)],
    ids=str,
)
def test_what_was_lived_is_what_the_evidence_says(policy):
    beliefs, evidence = live(OFF_THE_GRID, policy, rounds=1500)
    at_once = policy.beliefs(Setting(OFF_THE_GRID.arms, OFF_THE_GRID.budget), evidence)
    assert beliefs.between.max() > 2  # cells were cut
    for arm in range(OFF_THE_GRID.arms):
        ours, theirs = shares(beliefs, arm), shares(at_once, arm)
        posterior = Posterior.on_grid(policy.resolution, leak_chance=policy.leak_chance).given(evidence, arm)
        exact = {round(float(c), 12): w for c, w in zip(posterior.candidates, posterior.weights, strict=True)}
        for level in ours.keys() | theirs.keys():
            assert ours.get(level, 0.0) == pytest.approx(theirs.get(level, 0.0), abs=1e-9)
            assert ours.get(level, 0.0) == pytest.approx(exact[level], abs=1e-9)
    assert chance_on_grid(beliefs) == pytest.approx(chance_on_grid(at_once), abs=1e-9)


def test_the_chance_of_the_grid_is_that_of_integration():
    rows = [(0, 0.0, 4, 3), (0, 0.55, 3, 0), (0, 0.6, 5, 0), (0, 0.52, 1, 1), (1, 0.24, 6, 0), (1, 0.1, 4, 2)]
    policy = Joint(resolution=0.25, off_grid=0.3, finest=0.01)
    beliefs = policy.beliefs(Setting(2, 1.5), Evidence(2, rows))

    def likelihood(arm, threshold):
        """Of all that was seen of an arm, the loss rate integrated out."""

        def given(rate):
            chance = 1.0
            for who, amount, rounds, losses in rows:
                if who == arm:
                    lost = rate if amount < threshold else 0.0
                    chance *= lost**losses * (1.0 - lost) ** (rounds - losses)
            return chance

        return integrate.quad(given, 0.0, 1.0, epsabs=1e-14)[0]

    odds, never = 0.7 / 0.3, policy.uncoverable
    for arm in range(2):
        ends = sorted({0.0, 1.0, *(amount for who, amount, *_ in rows if who == arm)})
        uncovered = never * likelihood(arm, math.inf)
        on = sum(likelihood(arm, multiple) / 4 for multiple in (0.25, 0.5, 0.75, 1.0))
        off = sum(
            (high - low) * likelihood(arm, high) for low, high in pairwise(ends)
        )  # it is the same all over a cell
        odds *= ((1 - never) * on + uncovered) / ((1 - never) * off + uncovered)
    assert chance_on_grid(beliefs) == pytest.approx(odds / (1 + odds), abs=1e-9)


def test_the_chance_of_the_grid_is_calibrated():
    stream, policy = np.random.default_rng(5), Joint(resolution=0.25, off_grid=0.5, finest=0.01)
    said, true = [], []
    for _ in range(1500):
        on_grid = stream.random() < 0.5
        thresholds = stream.integers(1, 5, 2) / 4 if on_grid else stream.random(2)
        rates, rows = stream.random(2), []
        for arm in range(2):
            for amount in (0.0, 0.3, 0.45, 0.5, 0.7):
                losses = stream.binomial(6, rates[arm] * (amount < thresholds[arm]))
                rows.append((arm, amount, 6, losses))
        beliefs = policy.beliefs(Setting(2, 1.5), Evidence(2, rows))
        said.append(chance_on_grid(beliefs))
        true.append(on_grid)
    said, true = np.array(said), np.array(true)
    assert said.std() > 0.1  # there was something to learn
    for low, high in [(0.0, 0.35), (0.35, 0.65), (0.65, 1.01)]:
        among = (said >= low) & (said < high)
        error = 4.0 * 0.5 / math.sqrt(among.sum())
        assert true[among].mean() == pytest.approx(said[among].mean(), abs=error)


def test_what_is_ruled_out_makes_room():
    policy = Joint(resolution=0.1, finest=1e-6)
    beliefs = policy.beliefs(Setting(2, 1.0), Evidence(2))
    posterior, low, high = Posterior.on_grid(0.1), 0.5, 0.6
    for _ in range(3):
        for step in range(1, STEPS):  # losses nearly to the top of the cell
            amount = low + step / STEPS * (high - low)
            learn(beliefs, 0, amount, 1.0)
            posterior = posterior.after(amount, losses=1)
        learn(beliefs, 0, high, 0.0)
        posterior = posterior.after(high, losses=0)
        low = amount
    assert posterior.candidates.size > beliefs.levels.shape[1]
    assert low > 0.599
    exact = {round(float(c), 12): w for c, w in zip(posterior.candidates, posterior.weights, strict=True)}
    for _ in range(2):  # also when weighed anew
        for level, weight in shares(beliefs, 0).items():
            assert weight == pytest.approx(exact[level], abs=1e-9)
        weigh(beliefs, 0)


@pytest.mark.parametrize("multiples", [10, 6])
def test_what_is_far_too_high_makes_room(multiples):
    prior = 1.0 * (np.arange(10) < multiples)
    policy, before = Joint(resolution=0.1, finest=1e-6, prior=prior), Evidence(2, [(0, 0.0, 200, 150)])
    beliefs, top = policy.beliefs(Setting(2, 1.0), before), 0.6
    posterior = Posterior.over(np.arange(1, 11) / 10, prior=prior).given(before, 0)
    learn(beliefs, 0, 0.65, 0.0)
    posterior = posterior.after(0.65, losses=0)
    for _ in range(2 * ROOM):
        top -= 0.1 / 2 / ROOM
        for _ in range(80):  # all quiet: what is above is out of the question
            learn(beliefs, 0, top, 0.0)
        posterior = posterior.after(top, rounds=80, losses=0)
    assert posterior.candidates.size > beliefs.levels.shape[1]
    assert top < 0.51
    exact = {round(float(c), 12): w for c, w in zip(posterior.candidates, posterior.weights, strict=True)}
    size = beliefs.last[0] + 1
    for _ in range(2):  # also when weighed anew
        for level, weight in shares(beliefs, 0).items():
            assert weight == pytest.approx(exact[level], abs=1e-9)
        assert np.exp(beliefs.log_prior[0, :size]).sum() == pytest.approx(1.0)
        assert np.all(np.diff(beliefs.levels[0, :size]) > 0.0)
        on_grid = beliefs.on_grid[0, : size - 1] * np.exp(beliefs.log_prior[0, : size - 1])
        np.testing.assert_allclose(on_grid[on_grid > 0.0], on_grid.sum() / multiples)
        weigh(beliefs, 0)


def test_where_nothing_is_ruled_out_room_ends():
    policy = Joint(resolution=0.5, finest=1e-6)
    beliefs = policy.beliefs(Setting(2, 2.0), Evidence(2, [(0, 1.0, 1e12, 0)]))
    cut = 0
    while may_be_cut(beliefs, 0, candidates_covered(beliefs, 0, 0.5) - 1, ROOM):
        amount = 0.5 - 0.4 * 0.5**cut / 2
        insert(beliefs, 0, amount, candidates_covered(beliefs, 0, amount))
        cut += 1
    assert 10 < cut <= ROOM


def test_a_cell_is_gone_down_in_even_steps_and_further_only_if_that_pays():
    policy = Joint(resolution=0.1, finest=1e-5)
    beliefs = policy.beliefs(Setting(2, 1.0), Evidence(2))
    top, steps = 0.6, 0
    while (place := candidates_covered(beliefs, 0, top) - 1) and (
        left := after_step(beliefs, 0, place, False)
    ) < 1.0:
        low = top - width_of(beliefs, 0, place)
        top = low + left * (top - low)
        learn(beliefs, 0, top, 0.0)
        steps += 1
    assert steps == STEPS - 1  # and the last one would be at the multiple below
    assert top == pytest.approx(0.5 + 0.1 / STEPS)
    deeper = after_step(beliefs, 0, place, True)
    assert deeper == pytest.approx(1 - 1 / 8)
    learn(beliefs, 0, top - 0.1 / STEPS / 8, 1.0)  # lost: what is left is finer than the first steps
    assert after_step(beliefs, 0, candidates_covered(beliefs, 0, top) - 1, False) == 1.0
    assert after_step(beliefs, 0, candidates_covered(beliefs, 0, top) - 1, True) < 1.0
