"""Rates that are listed: the posterior is a table, and draws from it are exact."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

import allotment as al
from allotment.errors import InputError, NotApplicableError
from allotment.theory.bayesian import ask_often

UNIT = 0.5
CURVES = [(al.Step(0.5), 1.0), (al.Step(1.0, 0.25), 2.0), (al.Linear(1.0), 1.0)]
RATES = [(0.1, 1.0), (0.4, 2.0), (0.9, 1.0)]
PLAIN = al.AnyResponse.plain(unit=UNIT, curves=CURVES, rates=RATES)


def exact_table(evidence):
    """Rates x curves: their chances given rows of (amount, rounds, losses)."""
    family = al.Family.of(CURVES, 2)
    chances = np.outer([w for _, w in RATES], family.weights * family.kind_weights[family.kinds])
    for amount, rounds, losses in evidence:
        lost = np.outer([rate for rate, _ in RATES], family.remaining[:, round(amount / UNIT)])
        chances = chances * lost**losses * (1.0 - lost) ** (rounds - losses)
    return chances / chances.sum()


def believed_table(learner):
    beliefs = learner.state.beliefs
    kinds = beliefs.prior.by_kind[beliefs.prior.kinds]
    weights = beliefs.weight[0, : len(RATES), : kinds.size] * kinds
    return weights / weights.sum()


def test_the_posterior_is_exact_however_it_was_told():
    """Told round by round in single precision, it is off by 1e-4 at most; from evidence, by less."""
    rng, seen = np.random.default_rng(0), {0.0: [0, 0], 0.5: [0, 0], 1.0: [0, 0]}
    learner = PLAIN.start(1, 1.0, seed=0)
    for k in range(700):
        amount = float(rng.choice([0.0, 0.5, 1.0]))
        lost = float(rng.random() < (0.4, 0.38, 0.1)[int(2 * amount)])
        learner.tell([lost], [amount])
        seen[amount][0] += 1
        seen[amount][1] += lost
        if k in (3, 60, 350, 699):
            rows = [(amount, *counts) for amount, counts in seen.items()]
            exact = exact_table(rows)
            likely = exact > 1e-30
            np.testing.assert_allclose(believed_table(learner)[likely], exact[likely], rtol=1e-4)
            evidence = al.Evidence(1, [(0, *row) for row in rows])
            fresh = PLAIN.start(1, 1.0, seed=0, evidence=evidence)
            np.testing.assert_allclose(believed_table(fresh)[likely], exact[likely], rtol=1e-6)


def test_a_curve_that_is_all_but_ruled_out_keeps_its_chance():
    learner = PLAIN.start(1, 1.0, seed=0, evidence=al.Evidence(1, [(0, 0.5, 30, 2)]))
    assert believed_table(learner).min() > 0.0
    counted = al.AnyResponse.plain(unit=UNIT, curves=CURVES, losses="counts")
    learner = counted.start(1, 1.0, seed=0, evidence=al.Evidence(1, [(0, 0.5, 30, 4)], losses="counts"))
    assert learner.state.beliefs.rows.used[0] == len(CURVES)


def test_allocations_have_the_law_of_what_is_best_under_the_posterior():
    """Two arms with evidence, ties among their draws included."""
    rows = [(0, 0.0, 6, 2), (0, 0.5, 4, 0), (1, 0.0, 5, 3), (1, 1.0, 3, 1)]
    learner = PLAIN.start(2, 1.0, seed=1, evidence=al.Evidence(2, rows))
    family, expected = al.Family.of(CURVES, 2), {}
    tables = [exact_table([row[1:] for row in rows if row[0] == arm]) for arm in range(2)]
    values = np.array([[rate * (1.0 - curve) for curve in family.remaining] for rate, _ in RATES]).reshape(
        9, 3
    )
    for j, first in enumerate(tables[0].ravel()):
        for k, second in enumerate(tables[1].ravel()):
            units = tuple(al.allocate(values[[j, k]], 2).units.tolist())
            expected[units] = expected.get(units, 0.0) + first * second
    allocations = np.zeros((4000, 2))
    ask_often(learner.state, learner.stream, allocations)
    drawn = Counter(map(tuple, np.rint(allocations / UNIT).astype(int).tolist()))
    assert drawn.keys() <= expected.keys()
    likely = [units for units, chance in expected.items() if chance > 2e-3]
    counts, chances = (np.array([each[units] for units in likely]) for each in (drawn, expected))
    rest = 4000 - counts.sum(), 1.0 - chances.sum()
    counts, chances = np.append(counts, rest[0]), np.append(chances, rest[1])
    assert stats.chisquare(counts, 4000 * chances).pvalue > 1e-4


def test_other_rates_are_never_drawn():
    learner = PLAIN.start(1, 1.0, seed=2)
    posterior = al.ResponsePosterior(
        al.Evidence(1, [(0, 0.0, 4, 1)]), unit=UNIT, curves=CURVES, rates=RATES, free=0.0, likeness=None
    )
    assert set(np.round(posterior.draw(200, seed=0)[:, 0, 0], 9)) <= {rate for rate, _ in RATES}
    assert learner.state.beliefs.prior.listed[:3].tolist() == [rate for rate, _ in RATES]


def test_the_coarse_family_is_the_standard_one_without_finer_curves():
    coarse, standard = al.Family.coarse(20), al.Family.standard(20)
    size = coarse.kinds.size
    assert coarse.remaining.shape[0] == size < standard.kinds.size
    np.testing.assert_array_equal(coarse.remaining, standard.remaining[:size])
    np.testing.assert_array_equal(coarse.weights, standard.weights)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"rates": [(0.1, 1.0), 3]}, r"rates\[1\] is 3; expected \(rate, weight\)"),
        ({"rates": [(1.5, 1.0)]}, r"the rate of rates\[0\] is 1.5; expected a number from 0 to 1"),
        ({"rates": [(0.5, 0.0)]}, r"the weight of rates\[0\] is 0.0; expected a number above 0"),
        ({"rates": [(0.5, 1.0)], "losses": "counts"}, "rates is .*; expected"),
        ({"curves": "fine"}, "curves is 'fine'; expected one of coarse"),
    ],
)
def test_bad_lists_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        al.AnyResponse(**parameters)


@pytest.mark.parametrize(
    ("switch", "sentence"),
    [({"free": 0.05}, "free is 0.05; expected free=0.0"), ({"likeness": 1.0}, "likeness is 1.0")],
)
def test_without_a_prior_there_is_nothing_to_draw(switch, sentence):
    with pytest.raises(NotApplicableError, match=sentence):
        al.Problem.from_prior(al.AnyResponse.plain(**switch), 3, 1.0, seed=0)
