"""Capped finds: every unit prevents at most one incident."""

import itertools

import numpy as np
import pytest
from scipy import stats

from allotment import (
    AnyResponse,
    Capped,
    Changing,
    Clairvoyant,
    EqualSplit,
    Exponential,
    HotSpots,
    InputError,
    KnownResponse,
    NotApplicableError,
    Problem,
    RandomSplit,
    Situations,
    simulate,
    trace,
)
from allotment.worlds.in_words import in_words

RATES = [8.0, 6.0, 4.0, 3.0, 1.5]
UNITS = 6
RESPONSE = {"budget": 1.0, "response": Capped(), "unit": 1.0 / UNITS, "losses": "counts"}


def law_of(rate, overdispersion):
    size = 1.0 / overdispersion if overdispersion else None
    return stats.poisson(rate) if size is None else stats.nbinom(size, size / (size + rate))


@pytest.mark.parametrize("overdispersion", [0.0, 0.2, 1.0, 20.0])
def test_what_remains_is_the_exact_expectation(overdispersion):
    rates = [0.0, 1e-12, 1e-3, *RATES, 100.0]
    problem = Problem(rates, **RESPONSE, overdispersion=overdispersion)
    for rate, row in zip(rates[1:], problem.table[1:], strict=True):
        # E[(N - n)+] = E[N] - the sum of P(N > k) over k below n
        prevented = np.cumsum(law_of(rate, overdispersion).sf(np.arange(UNITS)))
        assert rate * (1.0 - row[1:]) == pytest.approx(prevented, rel=1e-9)
    assert (np.diff(problem.table, axis=1) <= 0.0).all()
    assert problem.table[:, 0].tolist() == [1.0] * len(rates)


def test_the_best_plan_equals_brute_force():
    problem = Problem(RATES, **RESPONSE, severities=[1, 1, 2, 1, 5])
    plans = (plan for plan in itertools.product(range(UNITS + 1), repeat=5) if sum(plan) <= UNITS)
    least = min(problem.loss(np.array(plan) / UNITS) for plan in plans)
    assert problem.best.loss == pytest.approx(least)
    known = Problem(RATES, **RESPONSE, sees="finds").best  # of the attention allocation benchmark
    assert (known.allocation * UNITS).round().tolist() == [3, 2, 1, 0, 0]
    assert sum(RATES) - known.loss == pytest.approx(5.9447, abs=1e-4)


@pytest.mark.parametrize("overdispersion", [0.0, 1.0])
def test_units_prevent_an_incident_each(overdispersion):
    played = {}
    for sees in ("losses", "finds"):
        problem = Problem(RATES, **RESPONSE, sees=sees, overdispersion=overdispersion)
        played[sees] = trace(problem, RandomSplit(), horizon=3000, seed=3)
    units = np.floor(played["finds"].allocations * UNITS + 1e-9)
    lost, found = played["losses"].losses, played["finds"].losses
    assert np.array_equal(found, np.minimum(units, lost + found))
    for rate, incidents in zip(RATES, (lost + found).T, strict=True):
        law = law_of(rate, overdispersion)
        counts = np.arange(law.ppf(0.99) + 1)
        expected = np.append(law.pmf(counts), law.sf(counts[-1])) * len(incidents)
        observed = np.bincount(np.minimum(incidents, counts.size).astype(int), minlength=expected.size)
        assert stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), counts.size) > 1e-3


def test_what_it_costs_is_the_expectation():
    problem = Problem(RATES, **RESPONSE, sees="finds")
    played = trace(problem, RandomSplit(), horizon=3000, seed=5)
    expected = 3000 * (sum(RATES) - problem.best.loss) - played.regret[-1]
    assert played.losses.sum() == pytest.approx(expected, abs=4 * np.sqrt(expected))


def test_every_policy_for_counts_plays_it():
    problem = Problem(RATES, **RESPONSE, sees="finds", overdispersion=0.2)
    policies = [
        AnyResponse(unit=1.0 / UNITS, sees="finds", losses="counts"),
        KnownResponse(problem),
        Clairvoyant(problem),
        EqualSplit(),
        HotSpots(unit=1.0 / UNITS),
    ]
    result = simulate(problem, policies, horizon=150, replications=2, seed=1)
    assert result["Clairvoyant"].final.max() == 0.0
    assert result["TS told the curves"].mean[-1] < result["Equal split"].mean[-1]


def test_it_changes_and_alternates_with_other_responses():
    capped, other = Problem(RATES, **RESPONSE), Problem(RATES, **RESPONSE | {"response": Exponential(0.3)})
    grant = np.array([3, 2, 1, 0, 0]) / UNITS
    for world in (Changing([(1, other), (3, capped)]), Situations([other, capped], [0, 0, 1, 1])):
        played = trace(world, Clairvoyant(world), horizon=4, seed=1)
        assert played.allocations[2] == pytest.approx(grant)
        assert type(world).from_dict(world.to_dict()).to_dict() == world.to_dict()


def test_it_is_kept_and_told_in_words(tmp_path):
    problem = Problem(RATES, **RESPONSE, sees="finds", overdispersion=1.0)
    problem.save(tmp_path / "sites.toml")
    assert Problem.load(tmp_path / "sites.toml") == problem
    told = " ".join(in_words(problem))
    assert "Every unit prevents at most one incident" in told
    assert "negative binomial with size 1" in told
    assert "overdispersion 1, finds" in problem.in_short()
    assert "Every unit prevents" in problem._repr_html_()


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="losses is 'binary'; expected counts, since a capped response"):
        Problem([0.5], budget=1.0, response=Capped())
    with pytest.raises(NotApplicableError, match="a capped response has no curve of its own"):
        Capped().remaining([0.5])
    with pytest.raises(NotApplicableError, match="a capped response has no curve of its own"):
        AnyResponse(curves=[(Capped(), 1.0)], losses="counts")
    with pytest.raises(InputError, match="losses is 'binary'; expected counts"):
        Problem.random(3, seed=1, response="capped")
    with pytest.raises(InputError, match="overdispersion of .* only loss rates and response may differ"):
        Changing([(1, Problem(RATES, **RESPONSE)), (2, Problem(RATES, **RESPONSE, overdispersion=0.1))])
