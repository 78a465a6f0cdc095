"""The bounds on Refute's regret, against the statements of docs/explanation/refute.md word by word."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import InputError, Problem, Refute, Setting, simulate
from allotment.theory import NotApplicableError, all_bounds, csb_dt_regret, refute_bound
from strategies import problems

TWO = Problem.named("paper-2")
SPACIOUS = Problem(TWO.loss_rates, TWO.thresholds, 2.05)


def sets(problem):
    """All sets of arms."""
    arms = range(problem.arms)
    for size in range(problem.arms + 1):
        yield from itertools.combinations(arms, size)


def by_the_page(problem, horizon, step, form):
    """Theorems 1 and 2, computed the slow way: the bound for every choice of A*."""
    stakes, rates = problem.severities * problem.loss_rates, problem.loss_rates
    setting = Setting(problem.arms, problem.budget, problem.severities)
    policy = Refute(resolution=step)
    candidates = policy.candidates(setting)
    rounded = [
        min([c for c in candidates if c >= theta - 1e-12], default=math.inf) for theta in problem.thresholds
    ]

    def value(members):
        return sum(stakes[i] for i in members)

    def fits(members, weights):
        return sum(weights[i] for i in members) <= problem.budget + 1e-12

    allowed = [s for s in sets(problem) if fits(s, rounded) and all(rates[i] > 0.0 for i in s)]
    most = max(value(s) for s in allowed)
    return [bound_for(problem, horizon, policy, s, form) for s in allowed if value(s) > most - 1e-9]


def bound_for(problem, horizon, policy, best, form):
    """The bound with this A*."""
    stakes, rates, best = problem.severities * problem.loss_rates, problem.loss_rates, list(best)
    candidates = policy.candidates(Setting(problem.arms, problem.budget, problem.severities))

    def value(members):
        return sum(stakes[i] for i in members)

    def fits(members, weights):
        return sum(weights[i] for i in members) <= problem.budget + 1e-12

    below = [
        sum(c < theta - 1e-12 for c in candidates) * (rate > 0)
        for theta, rate in zip(problem.thresholds, rates, strict=True)
    ]
    losses, total, k = sum(problem.severities * below), value(best), len(best)
    jumps = problem.arms * math.ceil(math.log2(len(candidates) + 1)) * total

    def learning(weights):
        result = 0.0
        for i in best:
            gaps = [total - value(s) for s in sets(problem) if i not in s and fits(s, weights)]
            nearest = min([gap for gap in gaps if gap > 1e-9], default=math.inf)
            result += 24 * k * math.log(horizon) * problem.severities[i] ** 2 / nearest
        return result

    missed = total - problem.severities @ rates + problem.best.loss
    beside = losses + jumps - horizon * min(0.0, missed)
    if form == "gap":
        smallest = [candidates[0] if candidates.size else math.inf] * problem.arms
        infeasible = total * sum(n / rate for n, rate in zip(below, rates, strict=True) if rate > 0.0)
        learnt = min(learning(smallest), learning(problem.thresholds) + infeasible)
        return beside + learnt + (0.45 * problem.arms + 2) * total
    if form == "free":
        learnt = 4 * math.sqrt(1.5 * horizon * math.log(horizon)) * sum(problem.severities[best])
        return beside + learnt + (0.45 * problem.arms + 1) * total
    others = sum(problem.severities) - sum(problem.severities[best])
    return (
        beside
        + math.sqrt(horizon) * ((math.sqrt(math.pi) + 0.5) * sum(problem.severities[best]) + 21 * others)
        + total
    )


@pytest.mark.parametrize("form", ["gap", "free", "kl"])
@given(
    problem=problems(most_arms=5), horizon=st.integers(1, 10**6), step=st.sampled_from([0.03, 0.1, 0.25, 1.0])
)
@settings(max_examples=40, deadline=None)
def test_bounds_are_what_the_page_says(form, problem, horizon, step):
    found = float(refute_bound(problem, horizon, resolution=step, form=form))
    assert any(found == pytest.approx(each, rel=1e-6) for each in by_the_page(problem, horizon, step, form))


def test_the_smallest_rates_have_a_bound():
    tiny = Problem([5e-324, 0.5], [0.5, 0.5], 0.5)
    assert math.isfinite(float(refute_bound(tiny, 1000, resolution=0.1)))


def test_one_threshold_costs_what_theorem_3_says():
    one = Problem.named("paper-1")
    terms = refute_bound(one, 10_000, shared=True).terms
    assert terms["thresholds"] == pytest.approx(155.0)  # 11 + 12 + … + 20
    assert terms["jumps"] == 0.0
    twice = Problem(one.loss_rates, one.thresholds, one.budget, severities=2.0)
    assert refute_bound(twice, 10_000, shared=True).terms["thresholds"] == pytest.approx(310.0)
    with pytest.raises(NotApplicableError, match="the thresholds differ"):
        refute_bound(TWO, 1000, shared=True)


def test_candidates_that_miss_the_best_allocation_cost_a_share_of_every_round():
    problem = Problem([0.9, 0.5], [0.26, 0.24], 0.5)
    assert "candidates" not in refute_bound(problem, 1000, resolution=0.02).terms
    assert refute_bound(problem, 1000, resolution=0.25).terms["candidates"] == pytest.approx(500.0)


def test_it_is_smaller_than_the_bound_of_csb_dt():
    for form in ("gap", "free", "kl"):
        assert (
            refute_bound(SPACIOUS, 5000, form=form).log_total < 0.5 * csb_dt_regret(SPACIOUS, 5000).log_total
        )


def test_regret_is_within_the_bound_though_the_bound_is_large():
    for form, bound in (("gap", "hoeffding"), ("free", "hoeffding"), ("kl", "kl")):
        regret = simulate(SPACIOUS, Refute(bound=bound), horizon=1000, replications=10, seed=3)[
            "Refute"
        ].final
        assert regret.mean() < float(refute_bound(SPACIOUS, 1000, form=form))


def test_the_bounds_stand_beside_theorems_1_and_2():
    shown = {statement.name: statement for statement in all_bounds(SPACIOUS, 5000)}
    assert float(shown["regret of Refute()"].corrected) == float(refute_bound(SPACIOUS, 5000, form="kl"))
    assert "the thresholds differ" in shown["regret of Refute(shared=True)"].reason


def test_wrong_input_gets_a_sentence():
    with pytest.raises(InputError, match="form is 'gaps'; expected one of gap, free, kl"):
        refute_bound(TWO, 1000, form="gaps")
    with pytest.raises(
        NotApplicableError, match="up to 20 arms; this problem has 21. form='free' needs no gaps"
    ):
        refute_bound(Problem([0.5] * 21, 0.5, 5.0), 1000)
    with pytest.raises(NotApplicableError, match="leak"):
        refute_bound(Problem.random(3, seed=1, leak=0.1), 1000)
    assert np.isfinite(float(refute_bound(Problem([0.5] * 21, 0.5, 5.0), 1000, form="free")))
