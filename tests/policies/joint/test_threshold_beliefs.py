"""The compiled beliefs against the posterior of one arm, after any rounds and after very many."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import Evidence, Joint, Posterior, Problem
from allotment.compiling.decorators import kernel
from allotment.policies.joint.belief_grid import with_candidates
from allotment.policies.joint.belief_updates import learn
from allotment.policies.joint.threshold_beliefs import candidate_at, log_beta, new_beliefs, weigh
from allotment.simulation.rollout import Run

LEVELS = [0.2, 0.4, 0.6, 0.9]


@kernel
def learn_often(compiled, arm, amount, losses, rounds):
    for _ in range(rounds):
        learn(compiled, arm, amount, losses)


LEAK_OF = {"binary": "leak_chance", "counts": "leak"}


def leak_of(posterior):
    return posterior.leak if posterior.counts else posterior.leak_chance


@st.composite
def cases(draw, kinds=("binary", "counts")):
    kind = draw(st.sampled_from(kinds))
    prior = Posterior.over(
        LEVELS,
        prior=draw(st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4)),
        losses=kind,
        shape=draw(st.sampled_from([(1.0, 1.0), (2.0, 1.5)])),
        **{LEAK_OF[kind]: draw(st.sampled_from([0.0, 0.02]))},
    )
    # Stretches of equal rounds, long enough for weights to be dropped, and to be missed afterwards.
    stretch = st.tuples(
        st.integers(0, 2),
        st.integers(0, 4),
        st.integers(0, 1 if kind == "binary" else 3),
        st.integers(1, 400),
    )
    return prior, draw(st.lists(stretch, max_size=8))


def before(prior, rows, arms, evidence=None):
    kind = {"losses": "counts" if prior.counts else "binary"}
    return new_beliefs(
        arms,
        np.tile(prior.candidates, (rows, 1)),
        np.tile(prior.prior, (rows, 1)),
        counts=prior.counts,
        shape=prior.shape,
        leak=leak_of(prior),
        evidence=evidence or Evidence(arms, **kind),
    )


def told(prior, stretches, arms, shared):
    """The compiled beliefs, and for each arm the posterior, after the same rounds."""
    compiled = before(prior, 1 if shared else arms, arms)
    posteriors = [prior] * arms
    for arm, covered, losses, rounds in stretches:
        amount = [0.0, *LEVELS][covered]
        posteriors[arm] = posteriors[arm].after(amount, losses=losses * rounds, rounds=rounds)
        learn_often(compiled, arm, amount, float(losses), rounds)
    return compiled, posteriors


def shares(compiled):
    return compiled.weights / compiled.totals[:, None]


@given(cases())
@settings(max_examples=60, deadline=None)
def test_equal_the_posterior_of_each_arm(case):
    prior, stretches = case
    compiled, posteriors = told(prior, stretches, arms=3, shared=False)
    for arm, posterior in enumerate(posteriors):
        np.testing.assert_allclose(shares(compiled)[arm], posterior.weights, rtol=1e-8, atol=1e-9)


@given(cases())
@settings(max_examples=60, deadline=None)
def test_a_shared_threshold_has_the_product_of_what_the_arms_say(case):
    prior, stretches = case
    compiled, posteriors = told(prior, stretches, arms=3, shared=True)
    with np.errstate(divide="ignore"):
        logs = np.log(prior.prior)
        logs = logs + sum(np.log(posterior.weights) - logs for posterior in posteriors)
    for posterior in posteriors:
        losses_from = posterior.losses[::-1].cumsum()[
            ::-1
        ]  # at amounts that cover so many candidates, or more
        possible = (leak_of(prior) > 0.0) | (np.append(losses_from[1:], 0.0) == 0.0)
        if (posterior.weights[possible] < 1e-250).any():
            return  # an arm's own posterior has underflown; the compiled one has not
    expected = np.exp(logs - logs.max())
    np.testing.assert_allclose(shares(compiled)[0], expected / expected.sum(), rtol=1e-6, atol=1e-9)


def test_a_dropped_candidate_comes_back_when_the_others_are_ruled_out():
    prior = Posterior.over(LEVELS)
    stretches = [(0, 0, 1, 500), (0, 2, 0, 5000), (0, 2, 1, 1)]
    compiled, (posterior, *_) = told(prior, stretches[:2], arms=2, shared=False)
    assert (compiled.weights[0, 2:] == 0.0).all()  # three more levels, all dropped
    assert posterior.weights[2] < 1e-40
    compiled, (posterior, *_) = told(prior, stretches, arms=2, shared=False)
    np.testing.assert_allclose(shares(compiled)[0], posterior.weights, rtol=1e-9)


@pytest.mark.parametrize("policy", [Joint(), Joint(leak_chance=0.01), Joint(shared=True)], ids=str)
def test_a_million_rounds_bring_no_drift(policy):
    problem = Problem([0.5, 0.2, 0.0], [0.6, 0.35, 0.2], 0.8)
    rounds = 1_000_000 if policy == Joint() else 100_000
    run = Run(problem, policy, rounds, seed=1, replications=0)
    run.advance(rounds, np.zeros(0, np.int64), np.zeros(0))
    compiled = run.learner.state.beliefs
    before = shares(compiled).copy()
    for row in range(compiled.weights.shape[0]):
        weigh(compiled, row)
    np.testing.assert_allclose(before, shares(compiled), atol=1e-9, rtol=0.0)
    assert compiled.rounds_below[0, compiled.last[0]] == rounds


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_evidence_at_once_equals_evidence_lived_in_any_order(case, random):
    prior, stretches = case
    compiled, posteriors = told(prior, stretches, arms=3, shared=False)
    random.shuffle(stretches)
    rows = [(arm, [0.0, *LEVELS][level], n, losses * n) for arm, level, losses, n in stretches]
    evidence = Evidence(3, rows, losses="counts" if prior.counts else "binary")
    at_once = before(prior, 3, 3, evidence)
    np.testing.assert_allclose(shares(at_once), shares(compiled), atol=1e-9, rtol=0.0)
    for arm, posterior in enumerate(posteriors):
        np.testing.assert_allclose(prior.given(evidence, arm).weights, posterior.weights, atol=1e-12)


def test_an_amount_between_candidates_becomes_one():
    prior = Posterior.over(LEVELS)
    compiled = before(prior, 2, 2)
    told_of = [
        (0.5, 1.0),
        (0.7, 0.0),
        (0.7, 0.0),
        (0.45, 0.0),
        (0.2, 1.0),
        (0.0, 1.0),
        (1.0, 0.0),
        (0.9, 0.0),
    ]
    posterior = prior
    for amount, loss in told_of:
        compiled = with_candidates(compiled, np.array([amount, 0.0]))
        learn(compiled, 0, amount, loss)
        posterior = posterior.after(min(amount, 0.9), losses=loss)
    size = posterior.candidates.size
    assert (
        compiled.levels[0, :size].tolist()
        == posterior.candidates.tolist()
        == [0.2, 0.4, 0.45, 0.5, 0.6, 0.7, 0.9, np.inf]
    )
    np.testing.assert_allclose(shares(compiled)[0, :size], posterior.weights, atol=1e-12)
    np.testing.assert_allclose(shares(compiled)[1, : len(LEVELS) + 1], prior.weights, atol=1e-12)


@settings(deadline=None)
@given(st.floats(1e-3, 1e6), st.floats(1e-3, 1e6))
def test_log_beta(a, b):
    expected = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    rounding = 1e-15 * (abs(math.lgamma(a)) + abs(math.lgamma(b)) + abs(math.lgamma(a + b)) + 1.0)
    assert log_beta(a, b) == pytest.approx(expected, rel=1e-13, abs=1e-14 + rounding)


def test_log_beta_is_exact_where_three_logarithms_of_gamma_are_not():
    # log B(a, b) for whole a: (a-1)!/(b(b+1)…(b+a-1)), added up exactly.
    for a, b in [(1, 1), (3, 10**6), (2000, 10**6), (5000, 5000)]:
        exact = math.fsum(math.log(k) for k in range(1, a)) - math.fsum(math.log(b + k) for k in range(a))
        assert log_beta(float(a), float(b)) == pytest.approx(exact, rel=3e-14, abs=1e-14)


def test_quantiles_give_the_posterior():
    compiled, _ = told(Posterior.over(LEVELS), [(0, 0, 1, 3), (0, 2, 0, 4)], arms=1, shared=False)
    quantiles = (np.arange(10_000) + 0.5) / 10_000
    drawn = np.bincount([candidate_at(compiled, 0, q)[0] for q in quantiles], minlength=5) / 10_000
    np.testing.assert_allclose(drawn, shares(compiled)[0], atol=2e-4)
