"""Joint's rule, by the law of what it grants where that is known exactly."""

import numpy as np
import pytest
from scipy import stats

import allotment as al

ASKED = 5_000
SPREAD = 5 * np.sqrt(0.25 / ASKED)  # five standard errors of a share, at most
PLAIN = {"finest": None, "opening": 0, "spend": False}


def granted(rows, arms, budget, losses="binary", rounds=ASKED, **options):
    """The grants of so many rounds of which nothing is reported, so that nothing is learnt."""
    evidence = al.Evidence(arms, rows, losses=losses)
    learner = al.Joint(losses=losses, **options).start(arms, budget, seed=7, evidence=evidence)
    asked = []
    for _ in range(rounds):
        asked.append(learner.ask())
        learner.tell([np.nan] * arms)
    return np.array(asked)


@pytest.mark.parametrize("rows", [[], [(0, 0.0, 30, 10)], [(0, 0.2, 6, 4), (0, 0.7, 5, 0)]])
def test_grants_are_drawn_from_the_posterior_of_the_threshold(rows):
    levels = np.arange(1, 11) / 10.0
    posterior = al.Posterior.over(levels)
    for _, amount, rounds, lost in rows:
        posterior = posterior.after(amount, losses=lost, rounds=rounds)
    amounts = granted(rows, 1, 1.0, resolution=0.1, **PLAIN)[:, 0]
    shares = [np.isclose(amounts, level).mean() for level in (*levels, 0.0)]  # 0 if it cannot be covered
    np.testing.assert_allclose(shares, posterior.weights, atol=SPREAD)


@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_rates_are_drawn_and_never_above_what_is_expected(losses):
    """An arm that was seen for 20 rounds against one whose rate is known; the budget covers one of them."""
    laws = {"binary": stats.beta(1 + 1.5 * 8, 1 + 1.5 * 12), "counts": stats.gamma(1 + 1.5 * 8, scale=1 / 31)}
    sure, known = 1_000_000, {**PLAIN, "resolution": 0.5, "prior": [1.0, 0.0], "uncoverable": 1e-9}
    for rate, expected in ((0.32, laws[losses].sf(0.32)), (0.46, 0.0)):
        rows = [(0, 0.0, 20, 8), (1, 0.0, sure, round(sure * rate))]
        grants = granted(rows, 2, 0.5, losses, **known)
        assert (np.sort(grants, axis=1) == [0.0, 0.5]).all()
        spread = 5 * np.sqrt(expected * (1 - expected) / ASKED)
        assert abs((grants[:, 0] > 0.0).mean() - expected) <= spread


ENDS_AT_HALF = [(0, 0.4, 200, 100), (0, 0.5, 200, 0)]  # the threshold is above 0.4 and at most 0.5


def test_a_probe_is_just_below_the_multiple_that_covers():
    """As often as thresholds are drawn to be off the grid: 1 in 20 times, while nothing speaks against it."""
    amounts = granted(ENDS_AT_HALF, 1, 0.5, resolution=0.1, opening=0)[:, 0]
    probes = amounts[amounts != 0.5]
    np.testing.assert_allclose(probes, 0.5 - 0.1 / 1000)
    assert abs(probes.size / ASKED - 0.05) < 5 * np.sqrt(0.05 * 0.95 / ASKED)


def test_off_the_grid_a_cell_is_gone_down_step_by_step():
    rows = [*ENDS_AT_HALF, (0, 0.47, 200, 0)]
    grants = granted(rows, 1, 1.0, rounds=300, resolution=0.1, opening=0)
    np.testing.assert_allclose(grants, 0.47 - 0.1 / 64)


def test_what_is_left_raises_the_grant_that_may_cover():
    """The first arm needs 0.5. Of the second one no more is known than its rate, so what is left may do."""
    rows = [*ENDS_AT_HALF, (1, 0.0, 200, 40)]
    grants = granted(rows, 2, 0.9, rounds=300, resolution=0.1, opening=0, finest=None)
    np.testing.assert_allclose(grants, np.tile([0.5, 0.4], (300, 1)))
