import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import InputError, Problem
from allotment.theory import (
    NotApplicableError,
    RegretBound,
    csb_dt_regret,
    csb_dt_rounds,
    csb_st_regret,
    csb_st_rounds,
    gap,
    largest_gap,
    lower_bound,
    over_rounds,
    regret_order,
    smallest_gap,
)
from slow import slow_divergence
from strategies import problems

SPACIOUS = Problem([0.9, 0.89, 0.87, 0.58, 0.3], [0.7, 0.7, 0.7, 0.6, 0.35], 2.05)


def gaps_the_slow_way(problem):
    """∇ of every set that can be covered."""
    for size in range(problem.arms + 1):
        for cover in itertools.combinations(range(problem.arms), size):
            allocation = np.zeros(problem.arms)
            allocation[list(cover)] = problem.thresholds[list(cover)]
            if allocation.sum() <= problem.budget + problem.slack:
                yield gap(problem, allocation)


@given(problems(most_arms=7))
@settings(max_examples=60, deadline=None)
def test_gaps_are_those_of_all_allocations(problem):
    gaps = list(gaps_the_slow_way(problem))
    assert min(gaps) == pytest.approx(0.0, abs=1e-11)  # Proposition 2: the knapsack's choice is the best
    assert largest_gap(problem) == pytest.approx(max(gaps), abs=1e-11)
    positive = [each for each in gaps if each > 1e-11]
    if positive:
        assert smallest_gap(problem) == pytest.approx(min(positive), abs=1e-11)
    elif max(gaps) <= 1e-13:
        with pytest.raises(NotApplicableError, match="every allocation is optimal"):
            smallest_gap(problem)


def test_gaps_up_to_twenty_arms():
    problem = Problem((np.arange(20) + 1) / 20, 0.5, 5.0)
    assert smallest_gap(problem) == pytest.approx(0.05)
    with pytest.raises(NotApplicableError, match="for up to 20 arms; this problem has 21"):
        smallest_gap(Problem([0.5] * 21, 0.5, 5.0))


@pytest.mark.parametrize("form", ["corrected", "printed"])
def test_the_lower_bound_is_the_formula(form):
    problem = Problem.named("paper-1")
    rates = sorted(problem.loss_rates.tolist())
    margin = rates[9]
    expected = sum(
        (rate - margin)
        / (slow_divergence(rate, margin) if form == "corrected" else slow_divergence(margin, rate))
        for rate in rates[10:]
    )
    assert lower_bound(problem, 10_000, form=form) == pytest.approx(expected * math.log(10_000), rel=1e-12)


def test_the_lower_bound_at_the_edges():
    assert lower_bound(Problem([1.0, 0.5], 1.0, 1.0), 100) == pytest.approx(0.5 / math.log(2) * math.log(100))
    assert lower_bound(Problem([1.0, 0.5], 1.0, 1.0), 100, form="printed") == 0.0  # d(0.5, 1) is infinite
    assert lower_bound(Problem([0.5, 0.0], 1.0, 1.0), 100) == 0.0  # d(0.5, 0) is infinite
    assert lower_bound(Problem([0.5, 0.5, 0.5], 1.0, 1.0), 100) == 0.0  # ties cost nothing
    assert lower_bound(Problem([0.5, 0.3], 1.0, 2.0), 100) == 0.0  # everything is covered
    assert lower_bound(Problem([0.5, 0.3], 1.0, 0.5), 100) == 0.0  # nothing can be
    assert lower_bound(Problem([0.5, 0.3], 1.0, 1.0), 1) == 0.0
    close = lower_bound(Problem([0.5 + 1e-9, 0.5], 1.0, 1.0), 100)
    assert close == pytest.approx(0.5 / 1e-9 * math.log(100), rel=1e-6)


@given(problems(same_threshold=True), st.integers(1, 10**9))
@settings(max_examples=150, deadline=None)
def test_the_lower_bound_is_always_a_number(problem, horizon):
    for form in ("corrected", "printed"):
        value = lower_bound(problem, horizon, form=form)
        assert 0.0 <= value < math.inf


def test_search_rounds_as_printed_and_in_whole_numbers():
    problem = Problem.named("paper-1")
    assert csb_st_rounds(problem) == 4 * 5
    assert csb_st_rounds(problem, form="printed") == pytest.approx(18.788, abs=1e-3)
    one_candidate = Problem([0.5, 0.4], 1.0, 2.0)
    assert csb_st_rounds(one_candidate) == csb_st_rounds(one_candidate, form="printed") == 0
    steps, window = 1 + 10, math.ceil(math.log(5 * math.log2(1001) / 0.1) / -math.log(0.9))
    assert csb_dt_rounds(SPACIOUS, gamma=1e-3) == steps * window * (2 + 4) // 2
    assert csb_dt_rounds(SPACIOUS, gamma=1e-3, form="printed") == pytest.approx(
        5 / 2 * math.log(5 * math.log2(1001) / 0.1) / -math.log(0.9) * math.log2(1001)
    )


@given(st.integers(1, 500), st.integers(2, 8), st.integers(1, 999))
@settings(max_examples=200, deadline=None)
def test_gamma_of_a_problem_counts_guesses_as_on_paper(threshold, arms, rest):
    """γ is computed from decimals, so that 1/γ may miss a whole number by rounding."""
    rest = min(rest, threshold - 1, 1000 - threshold)
    problem = Problem([0.5] * arms, threshold / 1000, (arms * threshold + rest * arms) / 1000)
    if rest <= 0 or problem.best.covered.sum() < arms:
        return
    guesses = arms * math.log2(math.ceil(1 + Fraction(1000, rest)))
    window = math.log(guesses / 0.1) / -math.log(0.9)
    probes = max(1, arms * (threshold + rest) // 1000)
    assert csb_dt_rounds(problem, form="printed") == pytest.approx(guesses * window / probes, rel=1e-9)
    steps = 1 + (Fraction(1000, rest).__ceil__() - 1).bit_length()
    assert csb_dt_rounds(problem) == steps * math.ceil(window) * (probes + arms - 1) // probes


def test_theorem_1_term_by_term():
    problem, horizon = Problem.named("paper-1"), 10_000
    printed = csb_st_regret(problem, horizon, form="printed", constant=2.0).terms
    window = math.log(horizon * math.log2(14)) / (7 * -math.log(0.9))
    assert printed["search"] == pytest.approx(window * math.log2(14) * largest_gap(problem))
    assert printed["lower order"] == pytest.approx(2.0 * math.log(horizon) ** (2 / 3))
    assert printed["learning"] == pytest.approx(lower_bound(problem, horizon, form="printed"))
    assert "wrong threshold" not in printed
    corrected = csb_st_regret(problem, horizon)
    assert corrected.terms["search"] == pytest.approx(math.ceil(window) * 4 * largest_gap(problem))
    assert corrected.terms["wrong threshold"] == pytest.approx(largest_gap(problem))
    assert corrected.terms["learning"] == pytest.approx(lower_bound(problem, horizon))
    assert corrected.total == float(corrected) == pytest.approx(sum(corrected.terms.values()))
    likely = csb_st_regret(problem, horizon, delta=0.1)
    assert likely.terms["search"] == pytest.approx(20 * largest_gap(problem))
    assert "wrong threshold" not in likely.terms


def test_theorem_2_term_by_term():
    horizon, eta, alpha = 50_000, 1e-4, 3.0
    bound = csb_dt_regret(SPACIOUS, horizon, eta=eta, alpha=alpha, form="printed").terms
    worst, uncovered = largest_gap(SPACIOUS), 2
    guesses = math.log2(101)  # γ is 0.01 on paper
    window = math.log(5 * horizon * guesses) / -math.log(0.9)
    assert bound["search"] == pytest.approx(5 * window * guesses / 2 * worst)
    learning = 0.0
    for arm in range(5):
        terms = [0.0]
        for size in range(6):
            for left in itertools.combinations(range(5), size):
                covered = [i for i in range(5) if i not in left]
                weight = SPACIOUS.thresholds[covered].sum()
                nabla = SPACIOUS.loss_rates[list(left)].sum() - SPACIOUS.best.loss
                if arm in left and weight <= 2.05 + 1e-12 and nabla > 1e-12:
                    terms.append(8 * size * math.log(horizon) / (nabla - 2 * (uncovered**2 + 2) * eta))
        learning += max(terms)
    assert bound["learning"] == pytest.approx(learning)
    assert bound["neighbourhood"] == pytest.approx(5 * (5 - 2.05) ** 2 / eta**2 * worst)
    start = 8 * alpha / eta**2 * (4 / eta**2 + 1) ** uncovered * math.log(uncovered / eta**2) * worst
    assert bound["start"] == pytest.approx(start)
    assert bound["constant"] == pytest.approx(15 * worst)
    corrected = csb_dt_regret(SPACIOUS, horizon, eta=eta).terms
    assert corrected["neighbourhood"] == pytest.approx(5 * 3**2 / eta**2 * worst)
    assert corrected["search"] == pytest.approx(csb_dt_rounds(SPACIOUS, delta=1 / horizon) * worst)


def test_the_order_of_the_regret():
    assert regret_order(SPACIOUS, 1000, constant=2.0) == pytest.approx(2 * 5 * math.log(1000) / 0.02)


def test_terms_too_large_for_a_float_stay_usable():
    problem = Problem([0.9] + [0.5 + 0.001 * i for i in range(15)], [0.5] * 16, 0.7)
    bound = csb_dt_regret(problem, 10**9, eta=1e-60)
    assert bound.total == math.inf
    assert 1000 < bound.log_total < 1e5
    assert RegretBound({"nothing": -math.inf}).total == 0.0


@given(problems(most_arms=6), st.integers(1, 10**7))
@settings(max_examples=100, deadline=None)
def test_theorem_2_is_a_number_or_a_sentence(problem, horizon):
    for form in ("corrected", "printed"):
        try:
            bound = csb_dt_regret(problem, horizon, epsilon=0.05, form=form)
        except NotApplicableError as reason:
            assert len(str(reason)) > 20
        else:
            assert not math.isnan(bound.log_total)
            assert bound.total >= 0.0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: csb_dt_regret(Problem.named("paper-2"), 5000), r"needs the whole budget \(gamma = 0\)"),
        (lambda: csb_dt_regret(Problem.named("paper-2"), 5000, gamma=1e-3), r"\(gamma = 0\)"),
        (lambda: csb_dt_rounds(Problem.named("paper-2")), r"\(gamma = 0\)"),
        (lambda: csb_dt_regret(SPACIOUS, 50_000, gamma=0.1), "gamma is 0.1; the bound holds up to"),
        (lambda: csb_st_regret(SPACIOUS, 5000), "the thresholds differ"),
        (lambda: lower_bound(Problem([0.5, 0.1], 1, 1, severities=[1, 2]), 10), "severities differ from 1"),
        (lambda: csb_st_regret(Problem([0.5, 0.05], 1, 1), 5000), "0.05, below epsilon = 0.1"),
        (lambda: csb_st_regret(Problem([0.5, 0.5], 1, 1), 5000), "lose equally often, 0.5"),
        (lambda: csb_st_regret(Problem.named("paper-1"), 9), "needs a horizon longer than that, not 9"),
    ],
)
def test_where_a_bound_says_nothing_a_sentence_says_why(make, sentence):
    with pytest.raises(NotApplicableError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: lower_bound(SPACIOUS, 10, form="wrong"),
            "form is 'wrong'; expected one of corrected, printed",
        ),
        (lambda: lower_bound(SPACIOUS, 0), "horizon is 0; expected a whole number of at least 1"),
        (lambda: csb_dt_regret(SPACIOUS, 50_000, eta=1.0), "eta is 1.0; expected a number above 0 and below"),
        (lambda: csb_st_rounds(Problem.named("paper-1"), delta=2.0), "delta is 2.0"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_bounds_over_rounds():
    problem = Problem.named("paper-1")
    rounds = [1, 100, 10_000]
    assert over_rounds(lower_bound, problem, rounds).tolist() == [lower_bound(problem, t) for t in rounds]
    upper = over_rounds(csb_st_regret, problem, rounds)
    assert math.isnan(upper[0])  # shorter than the search
    assert upper[2] == csb_st_regret(problem, 10_000).total
    assert upper[2] > lower_bound(problem, 10_000)
