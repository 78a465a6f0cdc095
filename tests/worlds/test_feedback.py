"""What is seen, in every kind of world: its frequencies, and that all follows from one uniform number."""

import numpy as np
import pytest
from scipy import special, stats

from allotment import Exponential, Linear, Logistic, Piecewise, Problem, Step
from allotment.worlds.environment import observe
from allotment.worlds.stages import binomial_quantile

AMOUNTS = np.array([0.0, 0.03, 0.1, 0.19, 0.25, 0.4, 0.5, 0.55, 0.6, 0.77, 0.9, 1.0])
ROUNDS = 8000
RESPONSES = {
    "step": Step(0.5, leak=0.2),
    "linear": Linear(0.9),
    "exponential": Exponential(0.4, leak=0.1),
    "logistic": Logistic(0.5, 0.1),
    "piecewise": Piecewise([0, 0.2, 0.6, 1], [1, 0.9, 0.3, 0.1]),
}
# Chi-square sums may exceed this with chance 1e-6; the seeds are fixed, so they never do.
HIGHEST = 1e-6


def seen_at_all_amounts(problem, uniforms):
    """An arm for each amount."""
    environment, losses = problem.environment(), np.zeros(problem.arms)
    seen = np.zeros((len(uniforms), problem.arms))
    for t, row in enumerate(uniforms):
        observe(environment, row, AMOUNTS, losses)
        seen[t] = losses
    return seen


def world(response, sees, losses, rate, unit=0.05, overdispersion=0.0):
    return Problem(
        [rate] * len(AMOUNTS),
        budget=len(AMOUNTS),
        response=response,
        unit=unit,
        sees=sees,
        losses=losses,
        overdispersion=overdispersion,
    )


def expected_rates(response, sees, rate, unit=0.05):
    whole = np.floor((AMOUNTS + 1e-12) / unit) * unit
    remaining = response.remaining(whole)
    return rate * (remaining if sees == "losses" else 1.0 - remaining)


@pytest.mark.parametrize("sees", ["losses", "finds"])
@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_frequencies_of_yes_or_no(response, sees):
    uniforms = np.random.default_rng(5).random((ROUNDS, len(AMOUNTS)))
    seen = seen_at_all_amounts(world(response, sees, "binary", 0.7), uniforms)
    rates = expected_rates(response, sees, 0.7)
    assert (seen[:, rates == 0.0] == 0.0).all()
    some = rates > 0.0
    spread = ROUNDS * rates[some] * (1.0 - rates[some])
    chi_square = ((seen[:, some].sum(axis=0) - ROUNDS * rates[some]) ** 2 / spread).sum()
    assert special.chdtrc(some.sum(), chi_square) > HIGHEST


@pytest.mark.parametrize("sees", ["losses", "finds"])
@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
@pytest.mark.parametrize(("rate", "overdispersion"), [(0.6, 0.0), (4.0, 0.0), (4.0, 0.2), (4.0, 1.0)])
def test_frequencies_of_counts(response, sees, rate, overdispersion):
    """Thinned counts have the same law with a smaller mean: every bin of every amount is compared."""
    uniforms = np.random.default_rng(6).random((ROUNDS, len(AMOUNTS)))
    problem = world(response, sees, "counts", rate, overdispersion=overdispersion)
    seen = seen_at_all_amounts(problem, uniforms)
    chi_square, degrees = 0.0, 0
    for arm, mean in enumerate(expected_rates(response, sees, rate)):
        if mean < 1e-9:
            assert (seen[:, arm] == 0.0).all()
            continue
        bins = np.arange(0, 40)
        size = 1.0 / overdispersion if overdispersion else np.inf
        law = stats.nbinom(size, size / (size + mean)) if overdispersion else stats.poisson(mean)
        chances = law.pmf(bins)
        kept = ROUNDS * chances >= 5.0
        counted = np.array([(seen[:, arm] == k).sum() for k in bins])
        observed = np.append(counted[kept], ROUNDS - counted[kept].sum())
        expected = ROUNDS * np.append(chances[kept], max(1.0 - chances[kept].sum(), 1e-12))
        if expected[-1] < 5.0:  # join the rest with the last bin
            observed, expected = (
                np.append(observed[:-2], observed[-2:].sum()),
                np.append(expected[:-2], expected[-2:].sum()),
            )
        chi_square += ((observed - expected) ** 2 / expected).sum()
        degrees += len(observed) - 1
    assert special.chdtrc(degrees, chi_square) > HIGHEST


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_one_uniform_number_is_lost_found_or_neither(response):
    uniforms = np.random.default_rng(7).random((500, len(AMOUNTS)))
    lost = seen_at_all_amounts(world(response, "losses", "binary", 0.7), uniforms)
    found = seen_at_all_amounts(world(response, "finds", "binary", 0.7), uniforms)
    left = 0.7 * world(response, "losses", "binary", 0.7).remaining(AMOUNTS)
    assert np.array_equal(lost == 1.0, uniforms < left)
    assert np.array_equal(found == 1.0, (uniforms >= left) & (uniforms < 0.7))


@pytest.mark.parametrize("overdispersion", [0.0, 0.2, 30.0])
@pytest.mark.parametrize("rate", [0.3, 5.0, 100.0])
def test_counts_are_split_into_lost_and_found(rate, overdispersion):
    uniforms = np.random.default_rng(8).random((300, len(AMOUNTS)))
    kind = {"losses": "counts", "rate": rate, "overdispersion": overdispersion}
    happened = seen_at_all_amounts(world(Step(1.0, leak=1.0), "losses", **kind), uniforms)
    before = np.zeros_like(happened)
    for scale in (0.01, 0.1, 0.5, 3.0):  # ever more remains
        lost, found = (
            seen_at_all_amounts(world(Exponential(scale), sees, **kind), uniforms)
            for sees in ("losses", "finds")
        )
        assert np.array_equal(lost + found, happened)
        assert (lost >= before).all()
        before = lost
    plain = Problem([rate] * len(AMOUNTS), 1.0, 12.0, losses="counts", overdispersion=overdispersion)
    assert np.array_equal(seen_at_all_amounts(plain, uniforms)[:, :-1], happened[:, :-1])


@pytest.mark.parametrize("chance", [0.0, 1e-9, 0.2, 0.5, 0.7, 0.999999, 1.0])
@pytest.mark.parametrize("trials", [0, 1, 7, 150, 20_000])
def test_thinning_is_by_binomial_quantiles(chance, trials):
    for u in np.random.default_rng(9).random(40):
        count = binomial_quantile(trials, chance, u)
        assert 0 <= count <= trials
        assert special.bdtr(count, trials, chance) >= u - 1e-9
        assert count == 0 or special.bdtr(count - 1, trials, chance) <= u + 1e-9
