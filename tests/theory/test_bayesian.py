"""The bound on Bayesian regret as a function: its forms, its entropies, and what it does not apply to."""

import math

import numpy as np
import pytest

import allotment as al
from allotment.errors import InputError, NotApplicableError
from allotment.oracles.shares.oracle import share, sharing_oracle
from allotment.theory import bayesian_regret
from allotment.theory.bayesian import entropy_limit, yes_no_limit

STEPS = al.Joint.plain(resolution=0.25)
CURVES = al.AnyResponse.plain(unit=0.5, curves=[(al.Step(0.5), 1.0), (al.Linear(1.0), 1.0)])


def test_the_forms_by_hand():
    """Three amounts of AnyResponse and five of Joint, entropies as large as they can be."""
    rate = np.mean([rate for rate, _ in CURVES.rates])
    low_rates = 2.0 * rate * (1.0 + 0.25 + 0.0)
    each = math.sqrt(min(1.5, low_rates) * math.log(3) * 400)
    bound = bayesian_regret(CURVES, 2, 400, budget=1.0, severities=[1, 3], entropies="largest")
    eta = 2 * 2e-4  # single precision, by arm
    assert bound.terms == pytest.approx(
        {"search": 0.0, "learning": 4 * each * math.exp(eta), "rounding": 4 * 400 * rate * eta / 2}, rel=1e-6
    )
    assert bound.confidence == 1.0
    search = 0.999 * (0.75 + 0.5 + 0.25) + 0.001 * 4
    bound = bayesian_regret(STEPS, 2, 400, budget=1.0, entropies="largest")
    assert bound.terms == pytest.approx(
        {"search": 2 * search, "learning": 2 * math.sqrt(0.5 * math.log(2) * 400), "rounding": 0.0}, abs=1e-5
    )
    early = bayesian_regret(STEPS, 2, 1, budget=1.0, entropies="largest")  # before the search has paid
    assert early.terms["search"] == 0.0
    assert early == pytest.approx(2 * math.sqrt(2.5 * math.log(5)))


def test_low_rates_and_counts_take_the_second_form():
    rare = al.AnyResponse.plain(unit=0.5, curves=[(al.Step(0.5), 1.0)], rates=[(0.01, 1.0), (0.03, 1.0)])
    bound = bayesian_regret(rare, 1, 100, budget=1.0, entropies="largest")
    assert bound.terms["learning"] == pytest.approx(math.sqrt(2 * 0.02 * math.log(3) * 100), rel=3e-4)
    counted = al.AnyResponse.plain(
        unit=0.5, losses="counts", curves=[(al.Step(0.5, 0.5), 1.0)], rates=(2.0, 4.0)
    )
    squares = sum(0.5 * share + 0.375 * share**2 for share in (1.0, 0.5, 0.5))  # E[λ²] = 2·3/16
    bound = bayesian_regret(counted, 1, 100, budget=1.0, entropies="largest")
    assert bound.terms["learning"] == pytest.approx(math.sqrt(2 * squares * math.log(3) * 100), rel=3e-4)
    assert bound.terms["rounding"] >= 100 * 0.5 * 1e-4  # E[λ] in a round, times half of 2e-4
    joint = al.Joint.plain(resolution=0.5, losses="counts", leak=0.5, uncoverable=1e-9, shape=(2.0, 4.0))
    above = (1.0, 0.5, 0.0)
    squares = sum(0.5 * (p + (1 - p) * 0.5) + 0.375 * (p + (1 - p) * 0.25) for p in above)
    bound = bayesian_regret(joint, 1, 100, budget=1.0, entropies="largest")
    assert bound == pytest.approx(math.sqrt(2 * squares * math.log(3) * 100), rel=1e-6)


def test_an_arm_counts_the_amounts_that_it_may_get():
    capped = bayesian_regret(CURVES, 1, 100, budget=1.0, entropies="largest", most=0.5)
    factor = min(1.0, 2.0 * np.mean([rate for rate, _ in CURVES.rates]) * 1.25)
    assert capped.terms["learning"] == pytest.approx(math.sqrt(factor * math.log(2) * 100), rel=3e-4)
    small = bayesian_regret(al.Joint.plain(resolution=0.25), 1, 10**9, budget=0.5, entropies="largest")
    assert small.terms["search"] < 0.999 * (0.75 + 0.5) + 0.003


@pytest.mark.parametrize("policy", [STEPS, CURVES])
def test_missing_and_late_reports_cost_a_factor(policy):
    whole = bayesian_regret(policy, 3, 1000, budget=1.0, entropies="largest")
    for options, factor in (({"reported": 0.5}, 2.0), ({"delay": 3}, 4.0)):
        worse = bayesian_regret(policy, 3, 1000, budget=1.0, entropies="largest", **options)
        assert worse.terms["learning"] == pytest.approx(math.sqrt(factor) * whole.terms["learning"])
        assert worse.terms["search"] == pytest.approx(factor * whole.terms["search"])
        assert worse.terms["rounding"] == pytest.approx(whole.terms["rounding"])


def test_entropies_are_upper_limits_and_not_far_off():
    """The law of the first allocation is known here: one arm, whose draw decides alone."""
    bound = bayesian_regret(STEPS, 1, 1000, budget=1.0, draws=20_000)
    shares = np.array([0.001, *[0.999 / 4] * 4])
    exact = -shares @ np.log(shares)
    assert exact < bound.entropies.amounts[0] < exact + 0.12
    assert bound.entropies.covered[0] == pytest.approx(0.06, abs=0.06)
    assert bound < bayesian_regret(STEPS, 1, 1000, budget=1.0, entropies="largest")


def test_the_limits_hold_as_often_as_they_say():
    """They hold much more often: the inequality of McDiarmid knows nothing of the law."""
    rng, shares = np.random.default_rng(0), np.array([0.6, 0.3, 0.05, 0.03, 0.02])
    exact = -shares @ np.log(shares)
    chance = -0.05 * math.log(0.05) - 0.95 * math.log(0.95)
    for _ in range(200):
        drawn = rng.choice(5, 400, p=shares)
        assert entropy_limit(drawn, 5, 0.05) >= exact
        assert yes_no_limit(drawn == 2, 0.05) >= chance
    plug_in = [
        -(c := np.bincount(rng.choice(5, 400, p=shares)) / 400)[c > 0] @ np.log(c[c > 0]) for _ in range(200)
    ]
    assert np.mean(plug_in) < exact  # which is why the observed entropy alone would not do


def test_one_draw_changes_the_observed_entropy_by_no_more_than_the_limit_takes_it_to():
    for number in (2, 3, 10, 1000):
        steps = np.arange(number + 1) / number
        parts = np.append(0.0, -steps[1:] * np.log(steps[1:]))
        more = np.diff(parts)
        assert more.max() - more.min() <= (1.0 + math.log(number)) / number + 1e-15


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (al.Joint(), "Joint is not plain: trust is 1.5, not 1.0; the bound is for Joint.plain()"),
        (al.Joint.plain(opening=3), "opening is 3, not 0"),
        (al.Joint.plain(finest=0.01), "finest is 0.01, not None"),
        (al.Joint.plain(leak_chance=0.1), "leak_chance is 0.1, not 0.0"),
        (al.AnyResponse(), "curves=None puts finer curves"),
        (al.AnyResponse(curves="coarse"), "rates are no list"),
        (al.AnyResponse.plain(draws=2), "draws is 2, not 1"),
        (al.AnyResponse.plain(likeness=1.0), "likeness is 1.0, not None"),
        (al.AnyResponse.plain(half_life=90), "half_life is 90.0, not None"),
        (al.AnyResponse.plain(sees="finds", losses="counts"), "finds are counted"),
        (al.CsbDt(), "CsbDt.. draws from no posterior"),
    ],
)
def test_a_sentence_says_what_it_does_not_apply_to(policy, sentence):
    with pytest.raises(NotApplicableError, match=sentence):
        bayesian_regret(policy, 3, 100, budget=1.0)


def test_bad_input_is_refused():
    for options, sentence in (
        ({"moves": 0.5, "before": [0, 0, 0]}, "before is given"),
        ({"reported": 0.0}, "reported is 0.0"),
        ({"delay": -1}, "delay is -1"),
        ({"reported": 0.5, "delay": 3}, "reported is 0.5 and delay is 3; .* missing or late, and not both"),
        ({"entropies": "none"}, "entropies is 'none'; expected one of estimated, largest"),
        ({"draws": 1}, "draws is 1"),
        ({"confidence": 1.0}, "confidence is 1.0"),
    ):
        with pytest.raises(InputError, match=sentence):
            bayesian_regret(CURVES, 3, 100, budget=1.0, **options)


def test_yes_no_finds_take_the_first_form():
    finds = al.AnyResponse.plain(unit=0.5, curves=[(al.Step(0.5), 1.0)], sees="finds", rates=[(0.01, 1.0)])
    bound = bayesian_regret(finds, 1, 100, budget=1.0, entropies="largest")
    assert bound.terms["learning"] == pytest.approx(math.sqrt(1.5 * math.log(3) * 100), rel=3e-4)


@pytest.mark.parametrize("entropies", ["estimated", "largest"])
@pytest.mark.parametrize("bounds", [{"least": 0.25}, {"groups": {"a": ([0, 1], 0.5, None)}}])
def test_proposition_2_is_refused_where_grants_have_a_least_amount(bounds, entropies):
    with pytest.raises(NotApplicableError, match="Joint takes no floors, caps, groups or crews"):
        bayesian_regret(STEPS, 3, 100, budget=1.0, entropies=entropies, **bounds)


def test_joint_grants_nothing_or_the_threshold_that_it_has_drawn():
    """Proposition 2 assumes that no arm gets units that do not help it, ties and idle budget included."""
    for seed in range(20):
        learner, rng = STEPS.start(3, 1.5, seed=seed), np.random.default_rng(seed)
        for _ in range(20):
            granted = learner.ask()
            assert np.all((granted == 0.0) | (granted == learner.state.draws.wanted))
            learner.tell((rng.random(3) < 0.5) & (granted < 0.6))


@pytest.mark.parametrize("grouped", [False, True])
def test_ties_are_broken_alike_whatever_was_asked_before(grouped):
    """The proof needs one rule for ties: the same values must give the same units at any time."""
    rng = np.random.default_rng(4)
    groups = {"a": ([0, 1], None, 3)} if grouped else None
    old = sharing_oracle(4, 3, 5, groups=groups)
    for _ in range(40):
        values = np.maximum.accumulate(rng.integers(0, 3, (4, 4)).astype(float), axis=1)
        units = [np.zeros(4, np.int64) for _ in range(2)]
        share(old, values, units[0])
        share(sharing_oracle(4, 3, 5, groups=groups), values, units[1])
        np.testing.assert_array_equal(*units)


def test_the_bound_holds_in_worlds_of_the_prior():
    """Far too large to fail; the enumeration tests the proof. This tests that the pieces fit together."""
    for policy in (STEPS, CURVES):
        lost = [simulated(policy, al.Problem.from_prior(policy, 3, 1.0, seed), seed) for seed in range(40)]
        assert 0.0 < np.mean(lost) < bayesian_regret(policy, 3, 200, budget=1.0, draws=2000)


def simulated(policy, world, seed):
    return al.simulate(world, policy, horizon=200, replications=1, seed=seed, progress=False)[
        policy.label
    ].mean[-1]
