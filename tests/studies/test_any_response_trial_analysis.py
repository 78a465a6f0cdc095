"""The analysis of the clean trial: intervals cover what they should, and verdicts follow from them."""

import numpy as np
import pytest

from studies.any_response.trial.analysis import Estimate, Verdict, judge, mean, ratio, together
from studies.any_response.trial.contestants import RULE
from studies.any_response.trial.limits import OLD, Limit


def test_intervals_of_ratios_cover_the_truth():
    """Skewed numbers that share the difficulty of their problem, as regrets do; the true ratio is 1.5."""
    stream, covered, trials = np.random.default_rng(3), 0, 1000
    for _ in range(trials):
        difficulty = stream.lognormal(0.0, 0.7, 100)
        one, other = (scale * difficulty * stream.gamma(3.0, 1 / 3, 100) for scale in (1.5, 1.0))
        found = ratio(one, other)
        covered += found.low <= 1.5 <= found.high
    assert 0.93 <= covered / trials <= 0.97


def test_intervals_of_geometric_means_cover_the_truth():
    stream, covered, trials = np.random.default_rng(4), 0, 500
    for _ in range(trials):
        worlds = [(stream.gamma(3.0, scale, 100), stream.gamma(3.0, 1.0, 100)) for scale in (0.5, 2.0, 4.0)]
        found = together([ratio(one, other) for one, other in worlds])
        covered += found.low <= 4.0 ** (1 / 3) <= found.high
    assert 0.93 <= covered / trials <= 0.98


def test_what_is_paired_is_not_noise():
    difficulty = np.random.default_rng(5).lognormal(0.0, 2.0, 50)
    found = ratio(3.0 * difficulty, difficulty)
    assert found.value == pytest.approx(3.0) and found.high - found.low < 1e-9
    assert mean(np.full(10, 7.0)).value == 7.0


def test_policies_that_lose_nothing_have_a_ratio():
    nothing, some = np.zeros(3), np.array([1.0, 2.0, 3.0])
    assert (ratio(nothing, some).value, ratio(some, nothing).value) == (0.0, np.inf)
    assert together([ratio(nothing, some), ratio(some, some)]).value == 0.0


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (None, "not run"),
        (Estimate(1.4, 0.05), "met, goal too"),
        (Estimate(2.0, 0.05), "met"),
        (Estimate(2.3, 0.1), "met (the interval crosses the limit)"),
        (Estimate(2.5, 0.1), "not met (the interval crosses the limit)"),
        (Estimate(2.7, 0.05), "not met"),
    ],
)
def test_verdicts(estimate, words):
    limit = Limit("name", ("step",), (OLD,), at_most=2.4, goal=1.5)
    assert Verdict(limit, "step", OLD, estimate).words == words


def test_limits_are_judged_against_the_best():
    outcome = {RULE: np.array([10.0, 30.0]), "one": np.array([1.0, 99.0]), "two": np.array([20.0, 20.0])}
    (found,) = judge(Limit("name", ("step",), ("one", "two"), at_most=2.0), {"step": outcome})
    assert (found.against, found.estimate.value) == ("two", 1.0)
    (alone,) = judge(Limit("name", ("step",), (), at_most=2.0), {"step": outcome})
    assert (alone.estimate.value, alone.words.split(" (")[0]) == (20.0, "not met")


def test_worlds_together_need_all_of_them():
    limit = Limit("name", ("step", "leak"), ("one",), at_most=2.0, together=True)
    world = {RULE: np.array([10.0, 30.0]), "one": np.array([10.0, 10.0])}
    quarter = {RULE: np.array([10.0, 30.0]), "one": np.array([40.0, 40.0])}
    (found,) = judge(limit, {"step": world, "leak": quarter})
    assert found.estimate.value == pytest.approx(1.0)
    (missing,) = judge(limit, {"step": world})
    assert missing.words == "not run"
