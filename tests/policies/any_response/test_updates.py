"""Beliefs that were updated round by round equal beliefs that are computed from all evidence."""

import math

import numpy as np
import pytest

import allotment as al
from allotment.compiling.switches import interpreting
from allotment.policies.any_response import counted, settling, updates
from allotment.policies.any_response.situations.settling import settle_arm
from policies.any_response.histories import (
    History,
    apart,
    distance,
    expected_in,
    random_arms,
    random_history,
    rebuilt_together,
    told_together,
)

EXACT = 1e-9  # of the largest expected loss
FINER = 0.05  # the same where finer curves replace coarse ones, at the worst; nearly all are exact
FINER_OF_MANY = 0.1  # the same among thousands: the worst seen is 0.061, 0.5 posterior standard deviations
MANY = 2000
SINGLE = 5e-3  # yes/no beliefs, whose weights have single precision: nearly all are nearer than this
UNSURE = 0.1  # the same at the worst, in standard deviations of the posterior; 0.5 among hundreds
AGED = 0.3  # yes/no beliefs that age, until rows are computed again; at the worst of a few histories


def test_counts_are_exact():
    for seed in range(40):
        assert distance(random_history(seed, losses="counts", curves="coarse")) < EXACT, seed


def test_counts_of_several_arms_are_exact_in_any_order():
    """An arm with a half-life ages with its own reports, so their order matters there."""
    for seed in range(12):
        assert distance(*random_arms(seed, losses="counts", curves="coarse")) < EXACT, seed
        arms = random_arms(seed, losses="counts", curves="coarse", ages=False, longest=60)
        assert distance(*arms, late=True) < EXACT, seed


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
    for arm in range(beliefs.due.size):
        settle_arm(beliefs, arm, False)


def distance_in_situations(seed, losses, *, arms=None, late=False, **parameters):
    """With several arms, a late report of one teaches factors that the rows of others wait for."""
    given = {"losses": losses, "situations": 2, "curves": "coarse", **parameters}
    arms = random_arms(seed, arms=arms or 1 + seed % 3, **given)
    policy, learner = arms[0].policy, told_together(arms, late=late)
    before = expected_in(policy, learner)
    same_model_anew(learner)
    return apart(before, expected_in(policy, learner))


def test_counts_in_situations_are_exact_given_what_situations_have_in_common():
    with interpreting():  # which is faster than to compile `settle_arm` by itself
        assert max(distance_in_situations(seed, "counts", longest=40) for seed in range(6)) < EXACT
        # factors move here while the rows of the arm are not due
        assert distance_in_situations(1007, "counts", arms=1, late=True, ages=False) < EXACT


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_counts_over_thousands_of_histories(part):
    seeds = range(1000 + part * MANY // 4, 1000 + (part + 1) * MANY // 4)
    assert max(distance(random_history(seed, losses="counts", curves="coarse")) for seed in seeds) < EXACT
    for capped, share in ((False, 0.95), (True, 0.9)):  # finds of few units divide curves more often
        off = [distance(random_history(seed, losses="counts", capped=capped)) for seed in seeds]
        assert max(off) < FINER_OF_MANY
        assert np.quantile(off, share) < 1e-6


@pytest.mark.soak
def test_counts_of_several_arms_and_in_situations_over_hundreds_of_histories():
    for seed in range(1000, 1300):
        arms = random_arms(seed, losses="counts", curves="coarse", ages=False)
        assert distance(*arms) < EXACT, seed
        assert distance(*arms, late=True) < EXACT, seed
        assert distance_in_situations(seed, "counts") < EXACT, seed
        assert distance_in_situations(seed, "counts", arms=1, late=True, ages=False) < EXACT, seed


def deviations(arms, *, late=False):
    """How far yes/no beliefs are off: relative to the largest expected loss, and in standard deviations."""
    policy = arms[0].policy
    told, rebuilt = told_together(arms, late=late), rebuilt_together(arms)
    expected = expected_in(policy, rebuilt)
    off = np.abs(expected_in(policy, told) - expected)[0]
    deviation = 0.0
    for arm, each in enumerate(arms):
        posterior = al.ResponsePosterior(
            each.evidence(), unit=policy.unit, likeness=None, curves=policy.curves
        )
        spread = posterior.draw(400, seed=0)[:, 0].std(axis=0)
        least = SINGLE * posterior.mean_losses.max()
        deviation = max(deviation, float((off[arm] / np.maximum(spread, least)).max()))
    return apart(expected_in(policy, told), expected), deviation


def assert_near(found, *, most, share=0.95):
    """Nearly all histories are off by less than SINGLE, and the worst by `most` standard deviations."""
    relative, deviation = np.array(found).T
    assert deviation.max() < most
    assert np.quantile(relative, share) < SINGLE


YES_NO = {"losses": "binary", "ages": False, "wild": False, "curves": "coarse"}


def test_yes_no_beliefs_are_near():
    assert_near([deviations([random_history(seed, **YES_NO)]) for seed in range(60)], most=UNSURE)


def test_yes_no_beliefs_of_several_arms_are_near_in_any_order():
    histories = [random_arms(seed, **YES_NO) for seed in range(8)]
    found = [deviations(arms, late=late) for arms in histories for late in (False, True)]
    assert_near(found, most=UNSURE, share=0.75)  # of the worst of three arms


def test_yes_no_beliefs_stay_near_however_many_rounds_come():
    assert_near(
        [deviations([random_history(seed, longest=6000, **YES_NO)]) for seed in range(3)], most=UNSURE
    )


def test_yes_no_beliefs_in_situations_are_near():
    given = {"ages": False, "wild": False, "longest": 20}
    with interpreting():
        assert max(distance_in_situations(seed, "binary", **given) for seed in range(3)) < 0.05


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_yes_no_beliefs_over_thousands_of_histories(part):
    """With finer curves, a few are off by far more: their curves were not divided when they could be."""
    seeds = range(1000 + part * MANY // 4, 1000 + (part + 1) * MANY // 4)
    assert_near([deviations([random_history(seed, **YES_NO)]) for seed in seeds], most=0.3)
    finer = {name: each for name, each in YES_NO.items() if name != "curves"}
    assert_near([deviations([random_history(seed, **finer)]) for seed in seeds], most=5.0, share=0.9)


@pytest.mark.soak
def test_yes_no_beliefs_of_several_arms_and_long_histories_over_hundreds():
    for parameters in ({}, {"longest": 6000}):
        histories = [random_arms(seed, **YES_NO, **parameters) for seed in range(1000, 1100)]
        found = [deviations(arms, late=late) for arms in histories for late in (False, True)]
        assert_near(found, most=0.5, share=0.75)
    off = [distance_in_situations(seed, "binary", ages=False, wild=False) for seed in range(1000, 1200)]
    assert np.quantile(off, 0.9) < SINGLE


def test_yes_no_beliefs_that_age_are_exact_when_rows_are_computed():
    """After a last report that makes all arms due."""
    for seed in range(30):
        history = random_history(seed, losses="binary", ages=True)
        learner = told_together([History(history.policy, history.before, history.told[:-1])])
        learner.state.beliefs.rows.due[:] = 0.0
        units, seen, _ = history.told[-1]
        if not np.isnan(seen):
            learner.tell([seen], [units / history.units])
            expected = expected_in(history.policy, history.rebuilt())
            assert apart(expected_in(history.policy, learner), expected) < EXACT, seed


@pytest.mark.parametrize(
    ("seeds", "most"),
    [
        (range(60), AGED),
        pytest.param(range(1000, 1000 + MANY), 1.0, marks=pytest.mark.soak),
    ],
)
def test_yes_no_beliefs_that_age_are_bounded_in_between(seeds, most):
    off = [distance(random_history(seed, losses="binary", ages=True, wild=False)) for seed in seeds]
    assert max(off) < most
    assert np.quantile(off, 0.9) < 0.1


def left_out(*_):
    """Nothing: a term that is missing."""


def unaged(keep, start, exposure, log_events):
    """Age the events, and forget to age the exposures."""
    for j in range(exposure.size):
        log_events[j] *= keep


def nothing(*_):
    """The logarithm of a factor that is missing."""
    return 0.0


def unweighed(weight, rate, seen, sums):
    """Add up the weights, and forget to multiply them by the probability of the report."""
    sums += weight[:, : sums.size].sum(axis=0)


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


SURPRISED = al.Evidence(1, [(0, 1.0, 800, 0)])  # nothing under a full grant says little about the rate
AFTER = [(0, float(t % 2), 0) for t in range(24)]


@pytest.mark.parametrize(
    ("owner", "name", "fault"),
    [
        (updates, "_weigh_by_event", unweighed),
        (updates, "_weigh_by_quiet", unweighed),
        (settling, "FIRST_EVENTS", math.inf),
    ],
)
def test_a_fault_in_the_update_of_yes_no_beliefs_is_noticed(monkeypatch, owner, name, fault):
    """The last one is to let nodes stay where they are, however many events come."""
    policy = al.AnyResponse(unit=0.5, likeness=None, curves="coarse")
    history = History(policy, SURPRISED, AFTER)
    with interpreting():
        assert distance(history) < SINGLE
        monkeypatch.setattr(owner, name, fault)
        assert distance(history) > 10.0 * SINGLE
