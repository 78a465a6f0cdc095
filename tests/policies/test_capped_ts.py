"""Thompson sampling that knows caps: its posterior is the exact one, whatever the reports."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import allotment as al
from allotment.policies.capped_ts import LEAST, MEANS, MOST

MEAN = np.geomspace(LEAST, MOST, MEANS)
UNITS = 4


def law(mean, overdispersion):
    if overdispersion == 0.0:
        return stats.poisson(mean)
    size = 1.0 / overdispersion
    return stats.nbinom(size, size / (size + mean))


def log_posterior(told, sees, overdispersion):
    """From the definition: what each report says of N."""
    log = stats.gamma(0.5, scale=2.0).logpdf(MEAN) + np.log(MEAN)  # nodes are evenly spaced in logarithms
    counts = law(MEAN, overdispersion)
    for units, seen in told:
        if sees == "finds":
            log += counts.logsf(units - 1) if seen == units else counts.logpmf(seen)
        else:
            log += counts.logcdf(units) if seen == 0 else counts.logpmf(seen + units)
    return log


def weights(log):
    shares = np.exp(log - log.max())
    return shares / shares.sum()


reports = st.lists(st.tuples(st.integers(0, UNITS), st.integers(0, 40)), min_size=1, max_size=30)


@given(reports, st.sampled_from(["losses", "finds"]), st.sampled_from([0.0, 0.2, 1.0]))
@settings(max_examples=60)
def test_the_posterior_is_exact(told, sees, overdispersion):
    if sees == "finds":
        told = [(units, min(seen, units)) for units, seen in told]
    policy = al.CappedTs(unit=1 / UNITS, sees=sees, overdispersion=overdispersion)
    learner = policy.start(1, 1.0, seed=0)
    for units, seen in told:
        learner.tell([seen], [units / UNITS])
    expected = weights(log_posterior(told, sees, overdispersion))
    np.testing.assert_allclose(weights(learner.state.log_weights[0]), expected, atol=1e-9)


def test_draws_have_the_law_of_the_posterior():
    """One unit goes to the arm with the higher draw of P(N ≥ 1), so it shows how often one draw is higher."""
    told = [(2, 2), (2, 1), (3, 1), (1, 0)]
    learner = al.CappedTs(unit=1 / UNITS, sees="finds").start(2, 1 / UNITS, seed=3)
    for units, seen in told:
        learner.tell([seen, np.nan], [units / UNITS, 0.0])
    mine, other = weights(log_posterior(told, "finds", 0.0)), weights(log_posterior([], "finds", 0.0))
    higher = (mine[:, None] * other * (MEAN[:, None] > MEAN)).sum() + 0.5 * (mine * other).sum()
    many = 4000
    granted = 0
    for _ in range(many):
        granted += learner.ask()[0] > 0.0
        learner.tell([np.nan, np.nan])
    assert abs(granted / many - higher) < 5.0 * np.sqrt(0.25 / many)


def test_it_finds_nearly_what_can_be_found():
    problem = al.Problem(
        [8.0, 6.0, 4.0, 3.0, 1.5], budget=1.0, response=al.Capped(), unit=1 / 6, losses="counts", sees="finds"
    )
    result = al.simulate(
        problem,
        [al.CappedTs(unit=1 / 6, sees="finds"), al.EqualSplit(unit=1 / 6)],
        horizon=300,
        replications=8,
        seed=0,
        progress=False,
    )
    assert result["TS told of caps"].mean[-1] < 0.25 * result["Equal split"].mean[-1]


@pytest.mark.parametrize("bad", [{"overdispersion": -1.0}, {"sees": "both"}, {"unit": 0.3}])
def test_parameters_are_checked(bad):
    with pytest.raises(al.InputError):
        al.CappedTs(**bad)
