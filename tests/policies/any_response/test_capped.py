"""Capped curves: every unit finds one incident at most, so finds tell more than Poisson numbers would."""

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom, poisson

import allotment as al
from allotment.policies.any_response.inference import usual_rates

MEANS, UNITS = (8.0, 6.0, 4.0, 3.0, 1.5), 6


def found(mean, units, rounds, seed):
    return float(np.minimum(units, np.random.default_rng(seed).poisson(mean, rounds)).sum())


def posterior(rows, **parameters):
    return al.ResponsePosterior(
        al.Evidence(1, rows, sees="finds", losses="counts"), unit=1 / UNITS, likeness=None, **parameters
    )


def chance_of_caps(evidence):
    return float(
        evidence.chances[0, np.flatnonzero(evidence.family.means[: evidence.family.weights.size])].sum()
    )


def test_one_find_in_every_round_of_one_unit_tells_that_finds_are_capped():
    hundred = posterior([(0, 1 / UNITS, 100, 100), (0, 3 / UNITS, 100, found(8.0, 3, 100, 0))])
    assert chance_of_caps(hundred) > 0.9
    at_random = posterior([(0, 1 / UNITS, 100, 80), (0, 3 / UNITS, 100, 240), (0, 1.0, 100, 480)])
    assert chance_of_caps(at_random) < 0.5


@pytest.mark.parametrize("mean", MEANS)
def test_what_more_units_find_is_foretold(mean):
    rows = [(0, n / UNITS, 200, found(mean, n, 200, n)) for n in (1, 2, 3)]
    expected = posterior(rows).mean_losses[0]
    finds = expected[0] - expected
    truth = [np.minimum(n, np.arange(60)) @ poisson.pmf(np.arange(60), mean) for n in range(UNITS + 1)]
    assert finds[:4] == pytest.approx(truth[:4], abs=0.12)


def test_more_finds_than_units_rule_caps_out():
    within = [(0, 2 / UNITS, 10, 20)]
    assert chance_of_caps(posterior(within)) > 0.05
    assert chance_of_caps(posterior([(0, 2 / UNITS, 10, 21)])) < 1e-9


def test_only_counted_finds_in_one_situation_may_be_capped():
    for sees, losses, situations in (("losses", "counts", 1), ("finds", "binary", 1), ("finds", "counts", 2)):
        policy = al.AnyResponse(unit=0.5, sees=sees, losses=losses, situations=situations)
        assert policy.start(2, 1.0, seed=0).state.beliefs.prior.means.size == 0
    own = al.AnyResponse(unit=0.5, sees="finds", losses="counts", curves="coarse")
    assert own.start(2, 1.0, seed=0).state.beliefs.prior.means.size == 0


def test_weights_are_the_likelihood_of_the_sums():
    """Beside a step of leak 0 at one unit, whose finds are a Poisson number with an unknown mean."""
    rounds, events = 12, 9
    evidence = posterior([(0, 1.0, rounds, events)], free=0.0)
    family, chances = evidence.family, evidence.chances[0]
    capped = np.flatnonzero(family.means[: family.weights.size])
    step = int(np.flatnonzero(family.steps == 1)[0])
    a, b = usual_rates("counts", "finds")
    log_poisson = (
        a * np.log(b) + gammaln(a + events) - gammaln(a) - (a + events) * np.log(b + rounds)
        + events * np.log(rounds) - gammaln(events + 1)
    )  # fmt: skip
    for h in capped[::5]:
        mean = family.means[h]
        each = np.minimum(UNITS, np.arange(200)) @ poisson.pmf(np.arange(200), mean) / UNITS
        log_binomial = binom.logpmf(events, UNITS * rounds, each)
        weights = [family.weights[k] * family.kind_weights[family.kinds[k]] for k in (h, step)]
        expected = weights[0] / weights[1] * np.exp(log_binomial - log_poisson)
        assert chances[h] / chances[step] == pytest.approx(expected, rel=1e-6)


def test_units_that_find_one_incident_each_are_learnt_fast():
    """The attention allocation benchmark: without capped curves, 5709 are found in 1000 rounds."""
    problem = al.Problem(
        MEANS, budget=1.0, response=al.Capped(), unit=1 / UNITS, losses="counts", sees="finds"
    )
    policy = al.AnyResponse(unit=1 / UNITS, losses="counts", sees="finds")
    result = al.simulate(problem, policy, horizon=1000, replications=4, seed=3, progress=False)
    best = 1000 * (sum(MEANS) - problem.best.loss)
    assert best - result[policy.label].final.max() > 5850
