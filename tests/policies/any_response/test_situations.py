"""Several situations: against integration by brute force, calibrated, whatever the order."""

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy import special, stats

import allotment as al
from allotment.policies.any_response.inference import usual_rates
from allotment.policies.any_response.tuning import FREE, RATES

UNIT = 0.25
FEW = [
    (al.Exponential(0.3), 1.0),
    (al.Linear(0.9), 1.5),
    (al.Step(0.25), 1.0),
    (al.Step(0.75, 0.1), 1.0),
]  # by the names of kinds, as a posterior orders them
KINDS = [0, 1, 2, 2]
WEIGHTS = np.array([weight for _, weight in FEW])
REMAINING = np.array([np.maximum(response.table(1, 4, 1e-12)[0], 1e-9) for response, _ in FEW])
POINTS, SIZES = leggauss(600)


def shares(sees):
    return REMAINING if sees == "losses" else np.maximum(1.0 - REMAINING, 1e-9)


def rates_and_prior(losses, sees):
    """Nodes for rates and the log of prior times their distance; squares make the density smooth at 0."""
    a, b = usual_rates(losses, sees)
    if losses == "counts":
        root = 3.0 * (POINTS + 1.0)
        law = a * np.log(b) - special.gammaln(a) - b * root**2
    else:
        root = 0.5 * (POINTS + 1.0)
        law = special.xlog1py(b - 1, -(root**2)) - special.betaln(a, b)
    return root**2, law + (2 * a - 1) * np.log(root) + np.log(
        2.0 * SIZES * (root[1] - root[0]) / (POINTS[1] - POINTS[0])
    )


def log_likelihood(rates, rows, seen, losses):
    total = np.zeros_like(rates)
    for _, amount, rounds, events, *_ in rows:
        chance = rates * seen[round(amount / UNIT)]
        if losses == "counts":
            total += special.xlogy(events, chance) - rounds * chance
        else:
            total += special.xlogy(events, chance) + special.xlog1py(rounds - events, -chance)
    return total


def log_free(rows, losses):
    total = 0.0
    for _, _, rounds, events, *_ in rows:
        if losses == "counts":
            total += special.gammaln(1 + events) - (1 + events) * np.log1p(rounds)
        else:
            total += special.betaln(1 + events, 1 + rounds - events)
    return total


def brute_force(rows, situation, situations, in_common, factors, sees, losses, free):
    """The chances of all curves (the free one last) of an arm, and its expected rate under each."""
    rates, prior = rates_and_prior(losses, sees)
    weights, means = [], []
    for seen, weight in zip(shares(sees), WEIGHTS, strict=True):
        by_situation = [[row for row in rows if row[4] == c] for c in range(situations)]
        if in_common == "rates":
            density = prior + sum(
                log_likelihood(factors[c] * rates, by_situation[c], seen, losses) for c in range(situations)
            )
            weights.append(np.log(weight) + special.logsumexp(density))
            means.append(
                factors[situation] * np.exp(special.logsumexp(density, b=rates) - weights[-1]) * weight
            )
            continue
        counted = range(situations) if in_common == "curve" else [situation]
        densities = {c: prior + log_likelihood(rates, by_situation[c], seen, losses) for c in counted}
        weights.append(np.log(weight) + sum(special.logsumexp(each) for each in densities.values()))
        here = densities[situation]
        means.append(np.exp(special.logsumexp(here, b=rates) - special.logsumexp(here)))
    counted = rows if in_common != "nothing" else [row for row in rows if row[4] == situation]
    log_weights = np.array([*(np.array(weights) - np.log(WEIGHTS.sum())), log_free(counted, losses)])
    log_weights += np.log([*[1 - free] * len(FEW), free]) if free else [*[0.0] * len(FEW), -np.inf]
    return special.softmax(log_weights), np.array(means)


def seen_in(rates, curve, losses, sees, rounds=40):
    """Rows whose losses are about the expected ones; `rates` and `curve` by arm and situation."""
    rows = []
    for arm, by_situation in enumerate(rates):
        for c, rate in enumerate(by_situation):
            for u in (0, 1, 2, 4):
                share = shares(sees)[curve[arm][c]][u]
                events = round(rounds * rate * share)
                rows.append((arm, u * UNIT, rounds, events, c))
    return rows


def cases():
    same, other = [[2, 2], [3, 3], [2, 2], [3, 3]], [[2, 3], [3, 2], [2, 3], [3, 2]]
    proportional = [[0.4, 0.2], [0.6, 0.3], [0.5, 0.25], [0.2, 0.1]]
    crossing = [[0.7, 0.1], [0.1, 0.8], [0.6, 0.05], [0.05, 0.6]]
    for sees in ("losses", "finds"):
        for losses in ("binary", "counts"):
            yield "rates", sees, losses, proportional * 4, same * 4
            yield "curve", sees, losses, crossing, same
            yield "nothing", sees, losses, [[0.7, 0.6]] * 4, other
    yield "rates", "losses", "binary", [[*each, each[1]] for each in proportional * 4], [[2] * 3, [3] * 3] * 8
    yield "curve", "losses", "counts", [[*each, 0.4] for each in crossing], [[2, 2, 2], [3, 3, 3]] * 2


@pytest.mark.parametrize(("in_common", "sees", "losses", "rates", "curves"), list(cases()))
@pytest.mark.parametrize("free", [0.0, FREE])
def test_equals_integration_by_brute_force(in_common, sees, losses, rates, curves, free):
    rows, situations = seen_in(rates, curves, losses, sees), len(rates[0])
    evidence = al.Evidence(len(rates), rows, sees=sees, losses=losses, situations=situations)
    for situation in range(situations):
        found = al.ResponsePosterior(
            evidence, unit=UNIT, curves=FEW, likeness=None, free=free, situation=situation
        )
        assert found.in_common == in_common
        for arm in range(len(rates)):
            own = [row for row in rows if row[0] == arm]
            chances, means = brute_force(
                own, situation, situations, in_common, found.factors, sees, losses, free
            )
            np.testing.assert_allclose(found.chances[arm], chances, atol=1e-6)
            if free == 0.0:
                expected = (chances[:-1] * means) @ REMAINING
                np.testing.assert_allclose(found.mean_losses[arm], expected, rtol=1e-6, atol=1e-6)


def test_the_order_of_evidence_does_not_matter():
    rows = seen_in([[0.4, 0.2], [0.6, 0.3]], [[2, 2], [3, 3]], "binary", "losses")
    forwards, backwards = (
        al.ResponsePosterior(al.Evidence(2, each, situations=2), unit=UNIT, situation=1)
        for each in (rows, rows[::-1])
    )
    np.testing.assert_array_equal(forwards.mean_losses, backwards.mean_losses)
    np.testing.assert_array_equal(forwards.chances, backwards.chances)


@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_factors_are_those_of_the_situations(losses):
    """Half as many losses at every arm and amount, for different numbers of rounds."""
    rows = seen_in([[0.8, 0.4], [0.6, 0.3]], [[2, 2], [3, 3]], losses, "losses", rounds=50)
    rows += [(0, 0.0, 150, 120, 0), (1, 0.0, 50, 30, 0)]
    found = al.ResponsePosterior(al.Evidence(2, rows, losses=losses, situations=2), unit=UNIT, likeness=None)
    np.testing.assert_allclose(found.factors, [1.0, 0.5], atol=0.02)


@pytest.mark.parametrize(
    ("rates", "curves"),
    [
        ([[0.3, 0.15]] * 12, [[2, 2], [3, 3], [1, 1]] * 4),
        ([[0.6, 0.1], [0.1, 0.7], [0.3, 0.3]], [[2, 2], [3, 3], [1, 1]]),
        ([[0.6, 0.6], [0.7, 0.7], [0.5, 0.5]], [[2, 3], [3, 2], [1, 3]]),
    ],
    ids=["rates", "curve", "nothing"],
)
@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_a_learner_believes_what_its_evidence_says(rates, curves, losses):
    """Told round by round, with rows made anew now and then, against a learner that starts from it all."""
    stream, rows = np.random.default_rng(5), []
    policy = al.AnyResponse(unit=UNIT, situations=2, losses=losses, likeness=None)
    arms = len(rates)
    learner = policy.start(arms, 1.0, seed=0)
    for t in range(400):
        situation, units = int(t % 7 > 4), stream.integers(0, 5, arms)
        chances = [rates[i][situation] * REMAINING[curves[i][situation]][units[i]] for i in range(arms)]
        seen = stream.poisson(chances) if losses == "counts" else stream.random(arms) < chances
        learner.tell(seen.astype(float), units * UNIT, situation)
        rows += [(i, units[i] * UNIT, 1, float(seen[i]), situation) for i in range(arms)]
    informed = policy.start(arms, 1.0, seed=0, evidence=al.Evidence(arms, rows, losses=losses, situations=2))
    assert learner.state.beliefs.model[0] == informed.state.beliefs.model[0]
    for situation in (0, 1):
        found = []
        for each in (learner, informed):
            each.state.beliefs.now[0] = situation
            found.append(policy.summary(each.state).losses)
        np.testing.assert_allclose(*found, atol=0.01)


@pytest.mark.parametrize("in_common", ["rates", "curve"])
def test_is_calibrated(in_common):
    """In worlds drawn from the prior, the rank of the true losses among draws is uniform."""
    stream, ranks, arms = np.random.default_rng(8), [], 24
    for _ in range(40):
        curve = stream.choice(len(FEW), arms, p=WEIGHTS / WEIGHTS.sum())
        rates = stream.beta(*RATES["binary"], (2, arms))
        if in_common == "rates":
            rates[1] = 0.5 * rates[0]
        rows = []
        for c, many in enumerate((40, 30)):
            units = stream.integers(0, 5, (many, arms))
            lost = stream.random((many, arms)) < rates[c] * REMAINING[curve, units]
            rows += [
                (i, units[k, i] * UNIT, 1, float(lost[k, i]), c) for k in range(many) for i in range(arms)
            ]
        found = al.ResponsePosterior(
            al.Evidence(arms, rows, situations=2),
            unit=UNIT,
            curves=FEW,
            likeness=None,
            free=0.0,
            situation=1,
        )
        if found.in_common == in_common:
            truth = rates[1] * REMAINING[curve, 1]
            ranks += (found.draw(19, seed=stream)[:, :, 1] < truth).sum(axis=0).tolist()
    assert len(ranks) > 0.9 * 40 * arms
    counted = np.bincount(np.array(ranks) // 4, minlength=5)
    assert stats.chisquare(counted).pvalue > 1e-3


def test_evidence_ages_in_all_situations():
    policy = al.AnyResponse(unit=UNIT, situations=2, half_life=10)
    learner = policy.start(2, 1.0, seed=0)
    for _ in range(10):
        learner.tell([1.0, 0.0], [0.0, 0.5], 0)
    for _ in range(10):
        learner.tell([0.0, 0.0], [0.5, 0.5], 1)
    rounds = learner.state.beliefs.lines.rows.rounds
    keep = 0.5**0.1
    fresh = (1 - keep**10) / (1 - keep)
    np.testing.assert_allclose(rounds[:, 2], [0.0, 0.5 * fresh, fresh, fresh])
    np.testing.assert_allclose(rounds[0, 0], 0.5 * fresh)


def test_places_that_change_differently_get_different_plans():
    """The station loses on weekends and the offices on weekdays; one unit covers one of them."""
    rows = [(0, 0.0, 60, 3, 0), (0, 0.0, 30, 25, 1), (1, 0.0, 60, 50, 0), (1, 0.0, 30, 1, 1)]
    rows += [(arm, 0.5, 40, 0, situation) for arm in (0, 1) for situation in (0, 1)]
    learner = al.AnyResponse(unit=0.5, situations=2).start(
        2, 0.5, seed=3, evidence=al.Evidence(2, rows, situations=2)
    )
    assert learner.ask(situation=0).tolist() == [0.0, 0.5]
    learner.tell([0, 0])
    assert learner.ask(situation=1).tolist() == [0.5, 0.0]


def test_listed_rates_are_refused():
    with pytest.raises(al.ConflictError, match="rates are listed, and situations are 2"):
        al.AnyResponse(unit=0.5, situations=2, rates=[(0.1, 1.0), (0.2, 1.0)])
    evidence = al.Evidence(1, [(0, 0.0, 3, 1, 1)], situations=2)
    with pytest.raises(al.ConflictError, match="rates are listed, and situations are 2"):
        al.ResponsePosterior(evidence, unit=0.5, rates=[(0.1, 1.0), (0.2, 1.0)])


def test_a_known_threshold_leaves_numbers():
    learner = al.AnyResponse(unit=0.5, losses="counts", situations=2, thresholds=[0.5, None]).start(
        2, 1.0, seed=1
    )
    for t in range(30):
        learner.ask(situation=t % 2)
        learner.tell([1.0, 0.0])
    assert np.isfinite(learner.policy.summary(learner.state).losses).all()


def test_nothing_is_known_of_a_situation_that_never_was():
    """However alike the others are, its rates may differ."""
    rows = seen_in([[0.4, 0.2]] * 16, [[2, 2]] * 16, "binary", "losses")
    seen = al.ResponsePosterior(al.Evidence(16, rows, situations=2), unit=UNIT, curves=FEW)
    assert seen.in_common == "rates"
    found = al.ResponsePosterior(al.Evidence(16, rows, situations=3), unit=UNIT, curves=FEW, situation=2)
    low, high = found.loss_rate_interval()
    assert found.in_common == "curve"
    assert low.max() < 0.05 < 0.8 < high.min()
