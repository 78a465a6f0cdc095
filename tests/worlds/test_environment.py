"""Counts of incidents: their law, and that all policies face the same ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from allotment import InputError, Joint, Problem
from allotment.worlds.environment import observe, poisson_quantile


@settings(deadline=None)
@given(st.floats(0.0, 100.0), st.floats(0.0, 1.0, exclude_max=True))
def test_counts_are_quantiles_of_the_poisson_law(mean, u):
    count = poisson_quantile(mean, u)
    slack = 1e-9
    assert special.pdtr(count, mean) >= u - slack
    assert count == 0 or special.pdtr(count - 1, mean) <= u + slack


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


def test_a_problem_with_counts_can_be_kept(tmp_path):
    problem = Problem([3.0, 0.2], 0.5, 0.7, losses="counts")
    problem.save(tmp_path / "counts.toml")
    assert Problem.load(tmp_path / "counts.toml") == problem
    with pytest.raises(InputError, match=r"loss_rates\[0\] is 3.0; expected numbers between 0 and 1"):
        Problem([3.0], 0.5, 0.7)
    with pytest.raises(InputError, match="losses is 'many'; expected one of binary, counts"):
        Problem([0.5], 0.5, 0.7, losses="many")
    assert Joint(losses="counts").accepts.counts
