"""Beliefs that were updated round by round equal beliefs that are computed from all evidence."""

import math

import numpy as np
import pytest

import allotment as al
from allotment.compiling.switches import interpreting
from allotment.policies.any_response import counted, updates
from allotment.policies.any_response.situations.settling import settle_arm
from policies.any_response.histories import History, distance, expected_in, random_history

EXACT = 1e-9  # of the largest expected loss
FINER = 0.05  # the same where finer curves replace coarse ones, at the worst; nearly all are exact
MANY = 2000
WORST = 5.0  # standard deviations that yes/no beliefs are off, in thousands of histories


def test_counts_are_exact():
    for seed in range(60):
        assert distance(random_history(seed, losses="counts", curves="coarse")) < EXACT, seed


def test_counts_with_finer_curves_differ_only_where_curves_were_divided_at_another_time():
    off = [distance(random_history(seed, losses="counts")) for seed in range(60)]
    assert max(off) < FINER
    assert np.quantile(off, 0.9) < 1e-6


def test_capped_finds_are_exact_where_curves_are_coarse():
    """With a half-life, curves are not divided."""
    histories = [
        random_history(seed, losses="counts", capped=True, wild=False, ages=True) for seed in range(40)
    ]
    assert max(distance(each) for each in histories) < EXACT
    histories = [random_history(seed, losses="counts", capped=True, ages=False) for seed in range(40)]
    off = [distance(each) for each in histories]
    assert max(off) < FINER
    assert np.quantile(off, 0.9) < 1e-6


def same_model_anew(learner):
    """Compute the rows of all arms anew, with the factors and the model that the learner has."""
    beliefs = learner.state.beliefs
    with interpreting():
        for arm in range(beliefs.due.size):
            settle_arm(beliefs, arm, False)


def distance_in_situations(seed):
    history = random_history(seed, losses="counts", situations=2, longest=60, curves="coarse")
    learner = history.learner()
    before = expected_in(history.policy, learner)
    same_model_anew(learner)
    after = expected_in(history.policy, learner)
    return float(np.abs(before - after).max() / after.max())


def test_counts_in_situations_are_exact_given_what_situations_have_in_common():
    assert max(distance_in_situations(seed) for seed in range(6)) < EXACT


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_counts_over_thousands_of_histories(part):
    seeds = range(1000 + part * MANY // 4, 1000 + (part + 1) * MANY // 4)
    assert max(distance(random_history(seed, losses="counts", curves="coarse")) for seed in seeds) < EXACT
    for capped, share in ((False, 0.95), (True, 0.9)):  # finds of few units divide curves more often
        off = [distance(random_history(seed, losses="counts", capped=capped)) for seed in seeds]
        assert max(off) < FINER
        assert np.quantile(off, share) < 1e-6


def deviations(seed):
    """How far yes/no beliefs are off, in standard deviations of the posterior."""
    history = random_history(seed, losses="binary", ages=False, wild=False)
    learner, rebuilt = history.learner(), history.rebuilt()
    off = np.abs(expected_in(history.policy, learner) - expected_in(history.policy, rebuilt))[0]
    posterior = al.ResponsePosterior(history.evidence(), unit=history.policy.unit, likeness=None)
    spread = posterior.draw(400, seed=0)[:, 0].std(axis=0)
    return float((off / np.maximum(spread, 5e-3 * posterior.mean_losses.max())).max())


def test_yes_no_beliefs_are_within_their_own_uncertainty():
    """Nodes stay where they were put when rows were computed; the sum over them is less exact afterwards."""
    off = [deviations(seed) for seed in range(40)]
    assert max(off) < 1.0
    assert np.quantile(off, 0.8) < 0.1


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_yes_no_beliefs_over_thousands_of_histories(part):
    """Of thousands, a few are off by up to five standard deviations, until rows are computed again."""
    off = [deviations(seed) for seed in range(1000 + part * MANY // 4, 1000 + (part + 1) * MANY // 4)]
    assert max(off) < WORST
    assert np.quantile(off, 0.8) < 0.1
    assert np.quantile(off, 0.95) < 1.0


@pytest.mark.parametrize("half_life", [5.0, 50.0, 200.0])
def test_yes_no_beliefs_that_age_are_exact_when_rows_are_computed_and_bounded_in_between(half_life):
    rng, units = np.random.default_rng(4), 4
    policy = al.AnyResponse(unit=1 / units, half_life=half_life, likeness=None)
    told, off, anew = [], [], 0
    learner = policy.start(1, 1.0, seed=0)
    for _ in range(200):
        place = int(rng.integers(units + 1))
        told.append((place, float(rng.random() < 0.6 * math.exp(-place / 2)), 0))
        due = learner.state.beliefs.rows.due[0]
        learner.tell([told[-1][1]], [place / units])
        rebuilt = History(policy, al.Evidence(1), told).rebuilt()
        difference = np.abs(expected_in(policy, learner) - expected_in(policy, rebuilt)).max()
        if learner.state.beliefs.rows.due[0] > due:
            anew += 1
            assert difference < 1e-12
        off.append(difference)
    assert anew >= 3
    assert max(off) < 0.3


def left_out(*_):
    """Nothing: a term that is missing."""


def unaged(keep, start, exposure, log_events):
    """Age the events, and forget to age the exposures."""
    for j in range(exposure.size):
        log_events[j] *= keep


def nothing(*_):
    """The logarithm of a factor that is missing."""
    return 0.0


LOSSES = [(0, 2.0, 0), (1, 1.0, 0), (2, 0.0, 0), (0, 3.0, 0)]
FINDS = [(1, 1.0, 0), (2, 2.0, 0), (1, 1.0, 0), (2, 1.0, 0)]


@pytest.mark.parametrize(
    ("owner", "name", "fault", "half_life", "sees"),
    [
        (counted, "_add", left_out, None, "losses"),
        (counted, "_age", left_out, 20.0, "losses"),
        (counted, "_age", unaged, 20.0, "losses"),
        (counted, "log_counted", nothing, None, "losses"),
        (counted, "log_seen", nothing, None, "losses"),
        (counted, "log_tries", nothing, None, "finds"),
        (counted, "log_found", nothing, None, "finds"),
        (counted, "weigh_tries", left_out, 20.0, "finds"),
        (updates, "weigh_counted", lambda *_: 1.0, None, "losses"),
    ],
)
def test_a_fault_in_the_update_is_noticed(monkeypatch, owner, name, fault, half_life, sees):
    policy = al.AnyResponse(
        unit=0.5, losses="counts", sees=sees, half_life=half_life, likeness=None, free=0.2
    )
    evidence = al.Evidence(1, losses="counts", sees=sees)
    history = History(policy, evidence, LOSSES if sees == "losses" else FINDS)
    with interpreting():
        assert distance(history) < EXACT
        monkeypatch.setattr(owner, name, fault)
        assert distance(history) > 1e-3
