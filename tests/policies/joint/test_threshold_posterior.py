"""The posterior against brute-force integration, under reordering, and for calibration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from allotment.errors import InputError
from allotment.policies.joint.parameters import grid
from allotment.policies.joint.threshold_posterior import Posterior

# Gauss-Legendre nodes on [0, 1]. Rates are integrated over t with μ = sin²(πt/2), or λ = (14t)²: smooth also
# where a prior with a half in its shape is not.
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(600)
NODES, NODE_WEIGHTS = (NODES + 1.0) / 2.0, NODE_WEIGHTS / 2.0


def rates_of(kind, shape):
    """Rates with weights, such that weighted sums over them are expectations under the prior."""
    first, second = shape
    if kind == "binary":
        angle = np.pi / 2.0 * NODES
        rates = np.sin(angle) ** 2
        density = np.sin(angle) ** (2 * first - 1) * np.cos(angle) ** (2 * second - 1)
    else:
        rates = (14.0 * NODES) ** 2
        density = NODES ** (2 * first - 1) * np.exp(-second * rates)
    weights = NODE_WEIGHTS * density
    return rates, weights / weights.sum()


def brute_force(arm, history):
    """Weights and expected loss rates of each candidate, integrated round by round."""
    rates, prior = rates_of("counts" if arm.counts else "binary", arm.shape)
    masses, means = [], []
    for candidate in arm.candidates:
        likelihood = np.ones(rates.size)
        for amount, losses in history:
            covered = amount >= candidate
            if not arm.counts:
                rate = np.full(rates.size, arm.leak_chance) if covered else rates
                likelihood *= rate if losses else 1.0 - rate
            else:
                rate = arm.leak * rates if covered else rates
                likelihood *= rate**losses * np.exp(-rate) / special.factorial(losses)
        masses.append(prior @ likelihood)
        means.append(prior @ (likelihood * rates) / masses[-1] if masses[-1] > 0 else 0.0)
    weights = arm.prior * masses
    return weights / weights.sum(), np.array(means)


LEVELS = [0.0, 0.2, 0.4, 0.55, 0.9]
LEAK_OF = {"binary": "leak_chance", "counts": "leak"}


@st.composite
def arms_with_history(draw):
    kind = draw(st.sampled_from(["binary", "counts"]))
    halves = st.integers(1, 6).map(lambda n: n / 2.0)
    arm = Posterior.over(
        LEVELS[1:],
        prior=draw(st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4)),
        uncoverable=draw(st.floats(0.001, 0.5)),
        losses=kind,
        shape=(draw(halves), draw(halves)),
        **{LEAK_OF[kind]: draw(st.sampled_from([0.0, 0.01, 0.2]))},
    )
    most = 1 if kind == "binary" else 4
    history = draw(st.lists(st.tuples(st.sampled_from(LEVELS), st.integers(0, most)), max_size=25))
    return arm, history


def told(arm, history):
    for amount, losses in history:
        arm = arm.after(amount, losses=losses)
    return arm


@settings(deadline=None)
@given(arms_with_history())
def test_equals_brute_force_integration(case):
    arm, history = case
    posterior = told(arm, history)
    weights, means = brute_force(arm, history)
    np.testing.assert_allclose(posterior.weights, weights, rtol=1e-9, atol=1e-9)
    assert posterior.rate_mean == pytest.approx(weights @ means, rel=1e-9)
    for amount in LEVELS:
        covered = arm.candidates <= amount
        leaking = arm.leak * means if arm.counts else arm.leak_chance
        predicted = weights @ np.where(covered, leaking, means)
        assert posterior.expected_loss(amount) == pytest.approx(predicted, rel=1e-9, abs=1e-9)
        assert posterior.cover(amount) == pytest.approx(weights[covered].sum(), rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(arms_with_history(), st.randoms(use_true_random=False))
def test_order_and_batching_do_not_matter(case, random):
    arm, history = case
    reference = told(arm, history)
    shuffled = random.sample(history, len(history))
    np.testing.assert_array_equal(told(arm, shuffled).weights, reference.weights)
    if history:
        amounts, losses = zip(*shuffled, strict=True)
        np.testing.assert_array_equal(arm.after(amounts, losses=losses).weights, reference.weights)


@settings(deadline=None)
@given(arms_with_history(), st.floats(0.5, 0.99))
def test_intervals_hold_their_share(case, level):
    arm, history = case
    posterior = told(arm, history)
    tail = (1.0 - level) / 2.0
    low, high = posterior.threshold_interval(level)
    weights, candidates = posterior.weights, posterior.candidates
    assert weights[candidates < low].sum() <= tail + 1e-9
    assert weights[candidates > high].sum() <= tail + 1e-9
    assert weights[candidates <= low].sum() >= tail - 1e-9
    first, second = posterior.rate_shapes
    for end, mass in zip(posterior.rate_interval(level), (tail, 1.0 - tail), strict=True):
        if not arm.counts:
            below = special.betainc(first, second, end)
        else:
            below = special.gammainc(first, second * end)
        assert weights @ below == pytest.approx(mass, abs=1e-7)


def ranks_of(kind, leak, draws, seed):
    """Randomised ranks of the true threshold and rate, drawn from the prior: uniform if all is right."""
    stream = np.random.default_rng(seed)
    prior = Posterior.on_grid(0.1, losses=kind, uncoverable=0.1, **{LEAK_OF[kind]: leak})
    ranks = np.zeros((draws, 2))
    for k in range(draws):
        threshold = stream.choice(prior.candidates, p=prior.prior)
        rate = stream.beta(1, 1) if kind == "binary" else stream.gamma(1.0, 1.0)
        amounts = stream.choice(np.arange(11) / 10.0, size=stream.integers(0, 30))
        covered = amounts >= threshold - 1e-12
        if kind == "binary":
            losses = stream.random(amounts.size) < np.where(covered, leak, rate)
        else:
            losses = stream.poisson(np.where(covered, leak * rate, rate))
        arm = prior.after(amounts, losses=losses) if amounts.size else prior
        weights, (first, second) = arm.weights, arm.rate_shapes
        ties = weights[arm.candidates == threshold].sum()
        ranks[k, 0] = weights[arm.candidates < threshold].sum() + stream.random() * ties
        below = (
            special.betainc(first, second, rate)
            if kind == "binary"
            else special.gammainc(first, second * rate)
        )
        ranks[k, 1] = weights @ below
    return ranks


@pytest.mark.parametrize("kind", ["binary", "counts"])
@pytest.mark.parametrize("leak", [0.0, 0.05])
def test_calibrated_over_the_prior(kind, leak):
    draws, bins = 1500, 20
    for ranks in ranks_of(kind, leak, draws, seed=7).T:
        counts = np.histogram(ranks, bins=bins, range=(0.0, 1.0))[0]
        surprise = ((counts - draws / bins) ** 2 / (draws / bins)).sum()
        assert surprise < special.chdtri(bins - 1, 1e-4)  # a right posterior fails one seed in ten thousand


def test_a_loss_rules_out_what_it_happened_at_and_no_more():
    arm = Posterior.on_grid(0.25, uncoverable=0.2).after(0.5, losses=1)
    np.testing.assert_allclose(arm.weights, [0.0, 0.0, 1 / 3, 1 / 3, 1 / 3])


def test_a_loss_at_the_top_means_it_cannot_be_covered():
    arm = Posterior.on_grid(0.25).after(1.0, losses=1)
    assert arm.weights.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert arm.threshold_interval() == (np.inf, np.inf)
    with pytest.raises(InputError, match="rules out every candidate"):
        _ = Posterior.on_grid(0.25, uncoverable=0.0).after(1.0, losses=1).weights


def test_one_stray_incident_does_not_condemn_a_level():
    quiet = {"losses": 0, "rounds": 300}
    history = Posterior.on_grid(0.25, leak_chance=0.01).after(0.0, losses=50, rounds=100).after(0.5, **quiet)
    assert history.after(0.5, losses=1).cover(0.5) > 0.99
    assert history.after(0.5, losses=60, rounds=100).cover(0.5) < 0.01
    sure = Posterior.on_grid(0.25).after(0.0, losses=50, rounds=100).after(0.5, **quiet)
    assert sure.cover(0.5) > 0.99
    assert sure.after(0.5, losses=1).cover(0.5) == 0.0


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=6), st.integers(0, 40))
@settings(max_examples=50, deadline=None)
def test_off_grid_amounts_become_candidates(amounts, losses):
    arm = Posterior.on_grid(0.1)
    before = arm.after(0.3, losses=2, rounds=9)
    after = before.after(amounts, losses=0, rounds=3)
    for amount in amounts:
        assert np.abs(after.candidates - amount).min() <= 1e-12
    # The prior of the cells is cut up, not changed, and evidence already there means what it meant.
    np.testing.assert_allclose(
        [after.prior[after.candidates <= g + 1e-12].sum() for g in grid(0.1)],
        [before.prior[before.candidates <= g + 1e-12].sum() for g in grid(0.1)],
    )
    refined = before.after(amounts, losses=0, rounds=0)
    for g in grid(0.1):
        assert refined.cover(g) == pytest.approx(before.cover(g), abs=1e-12)
    assert refined.rate_mean == pytest.approx(before.rate_mean, rel=1e-12)
    # Order does not matter for amounts that were off the grid either.
    backwards = arm.after(amounts[::-1], losses=0, rounds=3).after(0.3, losses=2, rounds=9)
    np.testing.assert_allclose(backwards.weights, after.weights, rtol=1e-9, atol=1e-15)


def test_an_off_grid_loss_is_not_read_as_a_loss_on_the_grid():
    arm = Posterior.on_grid(0.5, uncoverable=0.0).after(0.6, losses=1)
    assert arm.candidates.tolist() == [0.5, 0.6, 1.0, np.inf]
    assert arm.weights.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert arm.prior.tolist() == pytest.approx([0.5, 0.1, 0.4, 0.0])


def test_millions_of_rounds_stay_finite():
    arm = Posterior.on_grid(0.01).after([0.0, 0.5], losses=[300_000, 0], rounds=[1_000_000, 1_000_000])
    assert arm.cover(0.5) == pytest.approx(1.0)
    low, high = arm.rate_interval()
    assert 0.298 < low < 0.3 < high < 0.302


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Posterior.over([0.5, 0.4]), "candidates is .*expected increasing"),
        (lambda: Posterior.over([0.5], prior=[0.0]), "prior is .*expected a weight for each"),
        (lambda: Posterior.over([0.5], prior=[1.0, 1.0]), "prior is .*expected a weight for each"),
        (lambda: Posterior.over([0.5], losses="many"), "losses is 'many'; expected one of binary, counts"),
        (lambda: Posterior.over([0.5], leak=1.0), "leak is 1.0; expected"),
        (lambda: Posterior.over([0.5], leak=0.1), "leak is 0.1, .*expected leak_chance=.*or AnyResponse"),
        (lambda: Posterior.on_grid(0.5, leak=0.1), "leak is 0.1, .*expected leak_chance=.*or AnyResponse"),
        (lambda: Posterior.over([0.5], uncoverable=2.0), "uncoverable is 2.0; expected"),
        (lambda: Posterior.over([0.5], shape=(0.0, 1.0)), "shape is 0.0; expected"),
        (lambda: Posterior.on_grid(0.0), "resolution is 0.0; expected"),
        (lambda: Posterior.on_grid(0.1, most=0.5).after(0.6, losses=0), "an amount is 0.6; expected at most"),
        (
            lambda: Posterior.on_grid(0.1).after(0.5, losses=2),
            "losses is 2.0; expected at most 1, one a round",
        ),
        (lambda: Posterior.on_grid(0.1).after(0.5, losses=0.5), "losses is .*expected whole numbers"),
        (
            lambda: Posterior.on_grid(0.1).after([0.5, 0.1], losses=[0, 0, 0]),
            "losses has 3 numbers; expected 2",
        ),
        (lambda: Posterior.on_grid(0.1).threshold_interval(1.0), "level is 1.0; expected"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()
