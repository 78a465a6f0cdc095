"""The band of a sum holds what happens in about 90 % of worlds, if each round knew the ones before."""

import numpy as np
import pytest

import allotment as al
from allotment.campaign.answers.record_sums import band, between_units, finds_at, is_inside, losses_at

ARMS, STEPS, ROUNDS, WORLDS = 4, 4, 25, 200


def held(losses, sees, *, learns=True, worlds=WORLDS):
    """The share of worlds from the prior in which the band of all rounds holds what happened."""
    policy = al.AnyResponse.plain(unit=1 / STEPS, losses=losses, sees=sees)
    inside = 0
    for seed in range(worlds):
        world = al.Problem.from_prior(policy, ARMS, 1.5, seed=seed)
        learner, luck = policy.start(ARMS, 1.5, seed=1000 + seed), np.random.default_rng([seed, 7])
        mean, variance, happened = 0.0, 0.0, 0
        for _ in range(ROUNDS):
            tables, amounts = policy.summary(learner.state), learner.ask()
            rates = world.loss_rates * world.remaining(amounts)
            rates = world.loss_rates - rates if sees == "finds" else rates
            seen = luck.poisson(rates) if losses == "counts" else luck.random(ARMS) < rates
            for arm, units in enumerate(np.rint(amounts * STEPS).tolist()):
                spread = tables.variances[arm].tolist() if losses == "counts" else None
                at = finds_at if sees == "finds" else losses_at
                expected, more = at(tables.losses[arm].tolist(), spread, units)
                if tables.find_variances is not None:
                    more = tables.find_variances[arm, int(units)]
                mean, variance = mean + expected, variance + more
            happened += int(seen.sum())
            if learns:
                learner.tell(seen.astype(np.float64))
        inside += is_inside(happened, *band(mean, variance))
    return inside / worlds


@pytest.mark.parametrize("sees", ["losses", "finds"])
@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_bands_hold(losses, sees):
    """Of 400 worlds: 88 and 90 % for yes or no losses and finds, 93 % for counts of either."""
    assert 0.83 < held(losses, sees) < 0.98


def test_bands_are_too_narrow_where_rounds_do_not_know_the_ones_before():
    assert held("binary", "losses", learns=False, worlds=60) < 0.6


def test_amounts_between_units_and_above_the_last():
    row = [0.8, 0.4, 0.1]
    assert [between_units(row, each) for each in (0, 1, 1.5, 2, 9.75)] == pytest.approx(
        [0.8, 0.4, 0.25, 0.1, 0.1]
    )
    assert losses_at(row, None, 0.5) == pytest.approx((0.6, 0.24))
    assert losses_at(row, [1.0, 0.5, 0.1], 0.5) == pytest.approx((0.6, 0.75))
    assert finds_at(row, None, 0.5) == pytest.approx((0.2, 0.16))
    assert between_units([0.3], 2.0) == 0.3


def test_the_variance_of_counted_finds_is_exact_where_rate_and_curve_are_independent():
    luck = np.random.default_rng(3)
    rate, share = luck.gamma(4.0, 0.5, 400_000), luck.choice([0.9, 0.5, 0.2], 400_000)
    stored = [each.mean() + each.var() for each in (rate, rate * share)]
    means = [rate.mean(), (rate * share).mean()]
    finds = rate * (1.0 - share)
    mean, variance = finds_at(means, stored, 1.0)
    assert mean == pytest.approx(finds.mean())
    assert variance == pytest.approx(finds.mean() + finds.var(), rel=0.02)
    assert finds_at(means, stored, 0.0) == pytest.approx((0.0, 0.0), abs=1e-9)  # without a grant, no finds
    assert finds_at([0.0, 0.0], [0.0, 0.0], 1.0) == (0.0, 0.0)


def test_a_band_does_not_go_below_0():
    assert band(0.5, 0.4)[0] == 0.0 and band(0.0, 0.0) == (0.0, 0.0)
    low, high = band(41.0, 49.0)
    assert (round(low, 2), round(high, 2)) == (29.49, 52.51)
