"""Worlds drawn from a policy's prior: they have its law, and what is learnt from them is calibrated."""

import numpy as np
import pytest
from scipy import stats

import allotment as al
from allotment.errors import InputError, NotApplicableError
from allotment.policies.joint.threshold_beliefs import chance_on_grid

WORLDS = 600
PRIORS = {
    "Joint": al.Joint.plain(resolution=0.25),
    "Joint, off the grid": al.Joint(resolution=0.25, off_grid=0.5),
    "Joint, counts": al.Joint.plain(resolution=0.25, losses="counts", leak=0.2),
    "Joint, one threshold": al.Joint.plain(shared=True),
    "AnyResponse": al.AnyResponse.plain(unit=0.25),
    "AnyResponse, counts": al.AnyResponse.plain(unit=0.25, losses="counts"),
    "AnyResponse, finds": al.AnyResponse.plain(unit=0.25, sees="finds"),
}


@pytest.mark.parametrize("policy", PRIORS.values(), ids=PRIORS)
def test_the_same_seed_draws_the_same_world_and_the_policy_can_play_it(policy):
    world = al.Problem.from_prior(policy, 5, 1.5, seed=3, severities=[1, 2, 3, 4, 5])
    assert world == al.Problem.from_prior(policy, 5, 1.5, seed=3, severities=[1, 2, 3, 4, 5])
    assert world != al.Problem.from_prior(policy, 5, 1.5, seed=4, severities=[1, 2, 3, 4, 5])
    policy.check_world(world)
    assert world.best.loss <= world.loss(np.zeros(5))


def test_thresholds_and_rates_have_the_law_of_the_prior():
    policy = al.Joint.plain(resolution=0.25, uncoverable=0.2, shape=(2.0, 3.0))
    world = al.Problem.from_prior(policy, 8000, 1.0, seed=0)
    covered = world.leak == 0.0
    assert stats.binomtest(int((~covered).sum()), 8000, 0.2).pvalue > 1e-4
    counts = np.unique(world.thresholds[covered], return_counts=True)[1]
    assert stats.chisquare(counts).pvalue > 1e-4
    assert stats.kstest(world.loss_rates, stats.beta(2.0, 3.0).cdf).pvalue > 1e-4


def test_curves_have_the_law_of_the_prior():
    curves, rates = [(al.Step(0.5), 3.0), (al.Exponential(0.3), 1.0)], [(0.2, 1.0), (0.6, 3.0)]
    policy = al.AnyResponse.plain(unit=0.25, curves=curves, rates=rates)
    world = al.Problem.from_prior(policy, 8000, 1.0, seed=1)
    steps = world.table[:, 1] == 1.0
    assert stats.binomtest(int(steps.sum()), 8000, 0.75).pvalue > 1e-4
    assert stats.binomtest(int((world.loss_rates == 0.6).sum()), 8000, 0.75).pvalue > 1e-4


@pytest.mark.parametrize("kind", ["Joint", "Joint, off the grid", "Joint, counts"])
def test_posterior_quantiles_of_thresholds_are_uniform(kind):
    """Evidence from worlds of the prior; the truth lies anywhere in the posterior, equally often."""
    policy, rng = PRIORS[kind], np.random.default_rng(7)
    ranks = []
    for k in range(WORLDS):  # of one arm each, since all arms of a world are on the grid, or none need be
        drawn = al.Problem.from_prior(policy, 1, 1.0, seed=1000 + k)
        rows = [(0, amount, 4, seen(drawn, amount, 4, rng)) for amount in (0.0, 0.25, 0.6, 0.75)]
        learner = policy.start(1, 1.0, seed=0, evidence=al.Evidence(1, rows, losses=policy.losses))
        ranks.append(quantile_of(learner.state.beliefs, drawn, rng))
    assert stats.kstest(ranks, "uniform").pvalue > 1e-4


def seen(world, amount, rounds, rng):
    """The losses of some rounds, all at one amount."""
    mean = world.loss_rates[0] * world.response.remaining([amount])[0]
    return int(rng.poisson(rounds * mean) if world.losses == "counts" else rng.binomial(rounds, mean))


def quantile_of(beliefs, world, rng):
    """The posterior chance of thresholds below the true one, and of a random part of those equal to it."""
    weights = beliefs.weights[0] / beliefs.totals[0]
    if np.isfinite(beliefs.log_odds):
        on_grid = beliefs.weights[0] * beliefs.on_grid[0] / beliefs.on_grid_totals[0]
        chance = chance_on_grid(beliefs)
        weights = chance * on_grid + (1.0 - chance) * weights
    place = beliefs.last[0]
    if world.leak[0] < 1.0:
        place = int(np.searchsorted(beliefs.levels[0], world.thresholds[0] - 1e-9))
    return weights[:place].sum() + rng.random() * weights[place]


@pytest.mark.parametrize("kind", ["AnyResponse", "AnyResponse, counts", "AnyResponse, finds"])
def test_posterior_quantiles_of_losses_are_uniform(kind):
    policy, rng = PRIORS[kind], np.random.default_rng(8)
    world, rows = al.Problem.from_prior(policy, WORLDS, 1.0, seed=5), []
    for amount in (0.0, 0.5, 0.75):
        share = world.table[:, round(amount / 0.25)]
        mean = world.loss_rates * (1.0 - share if policy.sees == "finds" else share)
        lost = rng.poisson(6 * mean) if policy.losses == "counts" else rng.binomial(6, mean)
        rows += [(arm, amount, 6, int(lost[arm])) for arm in range(WORLDS)]
    posterior = al.ResponsePosterior(
        al.Evidence(WORLDS, rows, losses=policy.losses, sees=policy.sees),
        unit=0.25,
        curves=policy.curves,
        rates=policy.rates,
        likeness=None,
        free=0.0,
    )
    truth, draws = world.loss_rates * world.table[:, 1], posterior.draw(99, seed=6)[:, :, 1]
    below = (draws < truth - 1e-12).sum(axis=0)
    equal = (np.abs(draws - truth) <= 1e-12).sum(axis=0)
    ranks = below + np.floor(rng.random(WORLDS) * (equal + 1))
    assert stats.chisquare(np.histogram(ranks, bins=10, range=(0, 100))[0]).pvalue > 1e-4


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (
            al.EqualSplit(),
            "EqualSplit.. has no prior to draw a world from; expected Joint or AnyResponse.plain",
        ),
        (al.Joint(leak_chance=0.1), "leak_chance is 0.1; expected leak_chance=0.0"),
        (al.AnyResponse(free=0.0, likeness=None), "curves is None; expected curves='coarse'"),
    ],
)
def test_other_policies_have_no_prior_to_draw_from(policy, sentence):
    with pytest.raises(NotApplicableError, match=sentence):
        al.Problem.from_prior(policy, 3, 1.0, seed=0)


def test_bad_sizes_are_refused():
    with pytest.raises(InputError, match="arms is 0"):
        al.Problem.from_prior(al.Joint(), 0, 1.0, seed=0)
    with pytest.raises(InputError, match="seed is -1"):
        al.Problem.from_prior(al.Joint(), 2, 1.0, seed=-1)
