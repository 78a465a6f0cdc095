"""Counts of incidents: their law, and that all policies face the same ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from allotment import InputError, Joint, Problem
from allotment.worlds.environment import count_step, observe

UNIFORM = st.floats(0.0, 1.0, exclude_max=True)
SLACK = 1e-9


def at_most(count, mean, overdispersion):
    """The distribution function of a count."""
    if overdispersion * mean < 1e-12:
        return special.pdtr(count, mean)
    size = 1.0 / overdispersion
    return special.betainc(size, count + 1.0, size / (size + mean))


@settings(deadline=None)
@given(st.floats(0.0, 100.0) | st.floats(100.0, 1e5), st.just(0.0) | st.floats(1e-4, 10.0), UNIFORM)
def test_counts_are_quantiles_of_their_law(mean, overdispersion, u):
    count, place = count_step(mean, overdispersion, u)
    before = at_most(count - 1, mean, overdispersion) if count else 0.0
    assert before - SLACK <= u <= at_most(count, mean, overdispersion) + SLACK
    assert 0.0 <= place < 1.0


@settings(deadline=None)
@given(st.floats(0.0, 2000.0), st.just(0.0) | st.floats(1e-3, 10.0), UNIFORM, UNIFORM)
def test_counts_rise_with_the_uniform_number(mean, overdispersion, u, other):
    low, high = sorted([u, other])
    assert count_step(mean, overdispersion, low) <= count_step(mean, overdispersion, high)


@pytest.mark.parametrize("mean", [0.1, 1.0, 10.0, 100.0, 3000.0])
@pytest.mark.parametrize("size", [0.5, 1.0, 5.0, None])
def test_frequencies_of_counts_have_their_law(mean, size):
    """A chi-square test in 20 bins that are about equally likely."""
    law = stats.poisson(mean) if size is None else stats.nbinom(size, size / (size + mean))
    overdispersion, rounds = 0.0 if size is None else 1.0 / size, 20_000
    uniforms = np.random.default_rng(17).random(rounds)
    counts = np.array([count_step(mean, overdispersion, u)[0] for u in uniforms])
    ends = np.unique(law.ppf(np.arange(1, 20) / 20))
    expected = rounds * np.diff(law.cdf(ends), prepend=0.0, append=1.0)
    observed = np.bincount(np.searchsorted(ends, counts), minlength=len(expected))
    kept = expected > 0.0
    statistic = ((observed[kept] - expected[kept]) ** 2 / expected[kept]).sum()
    assert stats.chi2.sf(statistic, kept.sum() - 1) > 1e-3  # with a fixed seed


def test_what_is_seen_and_what_it_costs():
    problem = Problem([3.0, 2.0, 1.0], [0.5, 0.5, 0.5], 1.0, losses="counts", severities=[1, 1, 10])
    environment = problem.environment()
    stream, seen, allocation = np.random.default_rng(3), np.zeros(3), np.array([0.5, 0.0, 0.49])
    counts = np.zeros((4000, 3))
    for k in range(4000):
        regret = observe(environment, stream.random(allocation.size), allocation, seen)
        assert regret == pytest.approx(problem.regret(allocation))
        counts[k] = seen
    assert (counts[:, 0] == 0.0).all()
    # Four standard errors: the mean of 4000 Poisson numbers.
    assert counts[:, 1].mean() == pytest.approx(2.0, abs=4 * np.sqrt(2.0 / 4000))
    assert counts[:, 2].mean() == pytest.approx(1.0, abs=4 * np.sqrt(1.0 / 4000))


def test_what_is_granted_does_not_change_what_happens():
    environment = Problem([3.0, 2.0], [0.5, 0.5], 1.0, losses="counts").environment()
    seen = {}
    for grant in (0.0, 0.5):
        stream, losses = np.random.default_rng(1), np.zeros(2)
        seen[grant] = []
        for _ in range(50):
            observe(environment, stream.random(2), np.array([0.0, grant]), losses)
            seen[grant].append(losses[0])
    assert seen[0.0] == seen[0.5]


def test_overdispersed_counts_vary_more_about_the_same_mean():
    problem = Problem([3.0], 0.5, 0.7, losses="counts", overdispersion=0.2)
    environment, seen, counts = problem.environment(), np.zeros(1), []
    for u in np.random.default_rng(3).random(20_000):
        assert observe(environment, np.array([u]), np.zeros(1), seen) == pytest.approx(3.0)
        counts.append(seen[0])
    assert np.mean(counts) == pytest.approx(3.0, abs=4 * np.sqrt(4.8 / 20_000))
    assert np.var(counts) == pytest.approx(3.0 + 0.2 * 3.0**2, rel=0.05)


def test_a_problem_with_counts_can_be_kept(tmp_path):
    problem = Problem([3.0, 0.2], 0.5, 0.7, losses="counts")
    problem.save(tmp_path / "counts.toml")
    assert Problem.load(tmp_path / "counts.toml") == problem
    with pytest.raises(InputError, match=r"loss_rates\[0\] is 3.0; expected numbers between 0 and 1"):
        Problem([3.0], 0.5, 0.7)
    with pytest.raises(InputError, match="losses is 'many'; expected one of binary, counts"):
        Problem([0.5], 0.5, 0.7, losses="many")
    overdispersed = Problem([3.0, 0.2], 0.5, 0.7, losses="counts", overdispersion=0.2)
    overdispersed.save(tmp_path / "overdispersed.toml")
    assert Problem.load(tmp_path / "overdispersed.toml") == overdispersed != problem
    with pytest.raises(InputError, match="overdispersion is 101; expected a number from 0 to 100"):
        Problem([3.0], 0.5, 0.7, losses="counts", overdispersion=101)
    with pytest.raises(InputError, match="overdispersion is 0.2; expected 0, unless losses are counts"):
        Problem([0.5], 0.5, 0.7, overdispersion=0.2)
    assert Joint(losses="counts").accepts.counts
