"""Rehearsals: whole campaigns with faulty reports, in worlds of every kind."""

import numpy as np
import pytest

from studies.rehearsal import WORLDS, rehearse


@pytest.fixture(autouse=True)
def plain_decider():
    """Not here."""


@pytest.mark.parametrize("world", ["leaking", "linear"])
def test_better_than_splitting_equally_in_few_days_already(world):
    losses = np.array([rehearse(world, 12, 40, seed) for seed in range(2)])
    policy, perfect, equal, _ = losses.sum(axis=0)
    assert policy < equal
    assert policy < 1.3 * perfect


@pytest.mark.soak
@pytest.mark.parametrize("world", WORLDS)
def test_sixty_arms_for_half_a_year(world):
    losses = np.array([rehearse(world, 60, 180, seed) for seed in range(20)])
    policy, perfect, equal, hot = losses.T
    margin = 2.1 / np.sqrt(len(losses))  # of a 95 % interval, in standard deviations

    def surely_below(a, b):
        gain = b - a
        return gain.mean() > margin * gain.std(ddof=1)

    if world == "exponential":  # where both are nearly best
        assert policy.mean() <= 1.12 * min(equal.mean(), hot.mean())
    else:
        assert surely_below(policy, equal)
        assert surely_below(policy, hot)
    assert surely_below(policy, 1.15 * perfect)
