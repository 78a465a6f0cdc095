"""The posterior of response curves: against integration by brute force, calibrated, whatever the order."""

import numpy as np
import pytest
from scipy import integrate, special, stats

import allotment as al
from allotment.policies.any_response.inference import usual_rates
from allotment.policies.any_response.tuning import FREE

UNIT = 0.25
AMOUNTS = np.arange(5) * UNIT
FEW = [
    (al.Step(0.5), 1.0),
    (al.Step(0.75, 0.1), 1.0),
    (al.Linear(0.9), 1.5),
    (al.Exponential(0.3), 1.0),
    (al.Logistic(0.5, 0.1), 0.5),
]


def curves_of(members, sees="losses"):
    rows = np.array([np.maximum(response.table(1, 4, 1e-12)[0], 1e-9) for response, _ in members])
    return rows if sees == "losses" else np.maximum(1.0 - rows, 1e-9)


def brute_force(members, rows, *, sees, losses, free, rates):
    """Weights of all curves (the free one last) and the expected losses by amount, by adaptive quadrature."""
    weights, means = [], []
    prior = np.array([weight for _, weight in members])
    a, b = rates
    remaining = curves_of(members)
    for h, seen in enumerate(curves_of(members, sees)):

        def log_joint(rate, seen=seen):
            if losses == "counts":
                total = special.xlogy(a - 1, rate) - b * rate + a * np.log(b) - special.gammaln(a)
            else:
                total = special.xlogy(a - 1, rate) + special.xlog1py(b - 1, -rate) - special.betaln(a, b)
            for _, amount, rounds, events in rows:
                chance = rate * seen[round(amount / UNIT)]
                if losses == "counts":
                    total += special.xlogy(events, chance) - rounds * chance
                else:
                    total += special.xlogy(events, chance) + special.xlog1py(rounds - events, -chance)
            return total

        law = stats.gamma(a, scale=1.0 / b) if losses == "counts" else stats.beta(a, b)
        grid = np.linspace(*law.ppf([1e-9, 1 - 1e-9]), 4001)
        heights = log_joint(grid[1:-1])
        top, peak = heights.max(), grid[1:-1][heights.argmax()]

        def density(rate, power, top=top, log_joint=log_joint):
            return rate**power * np.exp(log_joint(rate) - top)

        ends = (0.0, grid[-1] * 3 if losses == "counts" else 1.0)
        total, mean = (
            integrate.quad(density, *ends, args=(power,), points=[peak], epsabs=0, epsrel=1e-10, limit=400)[0]
            for power in (0, 1)
        )
        weights.append(np.log(prior[h] / prior.sum() * (1 - free)) + np.log(total) + top)
        means.append(mean / total * remaining[h])
    alone = 0.0
    for _, _, rounds, events in rows:
        if losses == "counts":
            alone += special.gammaln(1 + events) - (1 + events) * np.log1p(rounds)
        else:
            alone += special.betaln(1 + events, 1 + rounds - events)
    weights.append(np.log(free) + alone if free else -np.inf)
    chances = np.exp(np.array(weights) - max(weights))
    return chances / chances.sum(), np.array(means)


CASES = [
    ("losses", "binary", [(0, 0.0, 30, 14), (0, 0.25, 25, 11), (0, 0.5, 40, 2), (0, 0.75, 10, 0)]),
    ("losses", "binary", [(0, 0.0, 3, 0)]),
    ("losses", "binary", [(0, 0.5, 2000, 300), (0, 1.0, 50, 1)]),
    ("losses", "counts", [(0, 0.0, 12, 30), (0, 0.25, 20, 41), (0, 0.75, 15, 3)]),
    ("finds", "binary", [(0, 0.25, 40, 3), (0, 0.5, 60, 21), (0, 1.0, 15, 9)]),
    ("finds", "counts", [(0, 0.25, 10, 4), (0, 0.75, 12, 20)]),
]


@pytest.mark.parametrize(("sees", "losses", "rows"), CASES)
def test_equals_integration_by_brute_force(sees, losses, rows):
    evidence = al.Evidence(1, rows, sees=sees, losses=losses)
    posterior = al.ResponsePosterior(evidence, unit=UNIT, curves=FEW, likeness=None)
    order = sorted(range(len(FEW)), key=lambda k: FEW[k][0].kind())
    chances, means = brute_force(
        FEW, rows, sees=sees, losses=losses, free=FREE, rates=usual_rates(losses, sees)
    )
    np.testing.assert_allclose(posterior.chances[0], [*chances[order], chances[-1]], atol=1e-6)
    if chances[-1] < 1e-9:
        np.testing.assert_allclose(posterior.mean_losses[0], chances[:-1] @ means, atol=1e-6)
    alone = al.ResponsePosterior(evidence, unit=UNIT, curves=FEW, likeness=None, free=0.0)
    chances, means = brute_force(
        FEW, rows, sees=sees, losses=losses, free=0.0, rates=usual_rates(losses, sees)
    )
    np.testing.assert_allclose(alone.chances[0, :-1], chances[order], atol=1e-6)
    np.testing.assert_allclose(alone.mean_losses[0], chances[:-1] @ means, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("sees", "losses", "rows"), CASES)
def test_what_the_policy_believes_is_within_half_a_hundredth(sees, losses, rows):
    """Told round by round, with rows made anew now and then, against the posterior of all the evidence."""
    evidence = al.Evidence(1, rows, sees=sees, losses=losses)
    fine = al.ResponsePosterior(evidence, unit=UNIT, likeness=None)
    learner = al.AnyResponse(unit=UNIT, sees=sees, losses=losses, likeness=None).start(1, 1.0, seed=0)
    stream = np.random.default_rng(3)
    told = []
    for _, amount, rounds, events in rows:
        each = stream.multinomial(events, np.full(rounds, 1 / rounds)) if losses == "counts" else None
        told += [(amount, each[k] if each is not None else float(k < events)) for k in range(rounds)]
    for k in stream.permutation(len(told)):
        amount, seen = told[k]
        learner.tell([seen], [amount])
    rows_ = learner.state.beliefs.rows
    prior = learner.state.beliefs.prior
    weights = np.zeros(fine.chances.shape[1])
    for row in range(rows_.used[0]):
        curve = rows_.curve[0, row]
        weights[curve] = prior.by_kind[prior.kinds[curve]] * rows_.total[0, row]
    weights[-1] = prior.by_kind[-1] * rows_.by_kind[0, -1]
    assert 0.5 * np.abs(weights / weights.sum() - fine.chances[0]).sum() < 5e-3


def test_what_an_arm_shows_counts_the_same_however_many_arms_there_are():
    """Five arms are as many as there are amounts, 0 to 4 units."""
    weights = []
    for arms in (4, 5):
        learner = al.AnyResponse(unit=UNIT, likeness=None).start(arms, 1.0, seed=0)
        learner.tell(np.ones(arms), np.full(arms, 0.5))
        weights.append(learner.state.beliefs.rows.total[0].tolist())
    assert weights[0] == weights[1]


def test_the_order_of_evidence_does_not_matter():
    rows = [(i, amount, 1, float(k % 3 == 0)) for k, (i, amount) in enumerate([(0, 0.25), (1, 0.5)] * 9)]
    forwards, backwards = (
        al.ResponsePosterior(al.Evidence(2, each), unit=UNIT) for each in (rows, rows[::-1])
    )
    np.testing.assert_array_equal(forwards.chances, backwards.chances)
    np.testing.assert_array_equal(forwards.mean_losses, backwards.mean_losses)


def test_draws_follow_the_posterior():
    """The rate of a single curve has a known law: a step that was only seen below it has a Beta."""
    evidence = al.Evidence(1, [(0, 0.0, 12, 3)])
    only = al.ResponsePosterior(evidence, unit=0.5, curves=[(al.Step(0.5), 1.0)], free=0.0, rates=(1.0, 1.0))
    drawn = only.draw(20_000, seed=1)[:, 0, 0]
    assert stats.kstest(drawn, stats.beta(4, 10).cdf).statistic < 0.015
    assert abs(drawn.mean() - 4 / 14) < 4 * 0.115 / np.sqrt(20_000) + 1e-3
    low, high = only.loss_rate_interval(0.9)
    np.testing.assert_allclose([low[0], high[0]], stats.beta(4, 10).ppf([0.05, 0.95]), atol=0.012)


@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_is_calibrated(losses):
    """Worlds drawn from the prior, and evidence from them: ranks of the truth among draws are uniform."""
    stream = np.random.default_rng(11)
    family = al.Family.of(FEW, 4)
    a, b = usual_rates(losses, "losses")
    worlds, ranks, chances, hits = 1000, [], [], []
    rows, truth = [], []
    for i in range(worlds):
        h = stream.choice(len(FEW), p=family.weights * family.kind_weights[family.kinds])
        rate = stream.gamma(a, 1.0 / b) if losses == "counts" else stream.beta(a, b)
        for amount in stream.choice(AMOUNTS, 3, replace=False):
            rounds, chance = int(stream.integers(1, 30)), rate * family.remaining[h, round(amount / UNIT)]
            seen = stream.poisson(rounds * chance) if losses == "counts" else stream.binomial(rounds, chance)
            rows.append((i, amount, rounds, int(seen)))
        truth.append((h, rate * family.remaining[h]))
    posterior = al.ResponsePosterior(
        al.Evidence(worlds, rows, losses=losses), unit=UNIT, curves=FEW, likeness=None, free=0.0
    )
    draws = posterior.draw(99, seed=5)
    for i, (h, curve) in enumerate(truth):
        ranks.append((draws[:, i, 1] < curve[1]).sum())
        chances.append(posterior.chances[i].max())
        hits.append(posterior.chances[i].argmax() == h)
    observed = np.histogram(ranks, bins=10, range=(0, 100))[0]
    assert stats.chisquare(observed).pvalue > 1e-4
    assert abs(np.mean(hits) - np.mean(chances)) < 4 * np.sqrt(0.25 / worlds)


def test_rates_get_ever_sharper():
    """The error of a rate shrinks like 1/√n up to a million rounds."""
    for rounds in (100, 10_000, 1_000_000):
        lost = round(0.37 * rounds)
        posterior = al.ResponsePosterior(al.Evidence(1, [(0, 0.0, rounds, lost)]), unit=UNIT)
        low, high = posterior.loss_rate_interval(0.95)
        wide = 2 * 1.96 * np.sqrt(0.37 * 0.63 / rounds)
        assert abs(posterior.loss_rates[0] - 0.37) < 1.5 / rounds
        assert 0.85 * wide < high[0] - low[0] < 1.15 * wide


def test_kinds_are_learnt_from_all_arms():
    clear = [
        (i, amount, 60, 30 if amount < 0.5 else 1) for i in range(6) for amount in (0.0, 0.25, 0.5, 0.75)
    ]
    vague = [(6, 0.0, 20, 10), (6, 0.75, 6, 0)]
    evidence = al.Evidence(7, clear + vague)
    chance = {}
    for likeness in (None, 1.0):
        shapes = dict(al.ResponsePosterior(evidence, unit=UNIT, likeness=likeness).shapes[6])
        chance[likeness] = sum(each for words, each in shapes.items() if words.startswith("a step"))
    assert chance[1.0] > chance[None] + 0.1


def test_a_known_threshold_leaves_only_its_steps():
    posterior = al.ResponsePosterior(al.Evidence(2, [(0, 0.25, 5, 5)]), unit=UNIT, thresholds=[0.3, None])
    assert [words for words, _ in posterior.shapes[0]] == ["a step at 0.5"]
    assert len(posterior.shapes[1]) > 3


def test_words_and_numbers():
    rows = [(0, 0.0, 3000, 1500), (0, 1.0, 3000, 1499), (1, 0.0, 80, 40), (1, 0.5, 80, 0)]
    posterior = al.ResponsePosterior(al.Evidence(2, rows), unit=0.5)
    assert posterior.shapes[0][0][0] == "nothing helps"
    assert posterior.shapes[1][0][0] == "a step at 0.5"
    assert posterior.expected_loss(1, 0.7) == posterior.mean_losses[1, 1]
    low, high = posterior.band(0.8)
    rare = 1e-3  # a leak of small probability moves the mean, and not the band
    assert (low <= posterior.mean_losses + rare).all() and (posterior.mean_losses <= high + rare).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": 0.3}, "unit is 0.3; expected a number above 0 and at most 1 that divides 1"),
        ({"unit": 0}, "unit is 0"),
        ({"free": 1.0}, "free is 1.0"),
        ({"likeness": -1}, "likeness is -1"),
        ({"rates": (1, 2, 3)}, "rates is (1, 2, 3); expected two numbers"),
        ({"thresholds": [0.5, 2.0]}, "thresholds[1] is 2.0"),
        ({"curves": []}, "family is []"),
        ({"curves": [al.Step(0.5)]}, "expected (response, weight)"),
        ({"curves": [(al.Step(0.5), 0.0)]}, "the weight of family[0] is 0.0"),
    ],
)
def test_bad_input(options, words):
    with pytest.raises(al.InputError) as error:
        al.ResponsePosterior(al.Evidence(2), **options)
    assert words in str(error.value)


def test_its_picture_and_its_table():
    evidence = al.Evidence(14, [(arm, 0.0, 40, arm) for arm in range(14)])
    posterior = al.ResponsePosterior(evidence, unit=0.25)
    assert [axes.get_title() for axes in posterior.plot().axes] == [f"Arm {arm}" for arm in range(2, 14)]
    (only,) = posterior.plot([3]).axes
    np.testing.assert_allclose(only.lines[0].get_ydata(), posterior.mean_losses[3])
    shown = posterior._repr_html_()
    assert "nothing helps" not in shown
    assert shown.count("<tr>") == 15
    for arms in ([14], []):
        with pytest.raises(al.InputError, match="arm"):
            posterior.plot(arms)


def test_beliefs_stay_numbers_where_no_curve_fits_and_where_densities_are_no_hills():
    """Curves that rise; a loss rate of nearly 1 that is told at amounts where little of it is left."""
    learner = al.AnyResponse(unit=0.25).start(2, 1.0, seed=0)
    stream = np.random.default_rng(0)
    for t in range(3000):
        amount = (t % 5) / 4
        learner.tell(
            [float(stream.random() < amount), float(stream.random() < 0.97 * np.exp(-amount / 0.3))],
            [amount, [0.5, 0.25, 0.5][t % 3]],
        )
        assert np.isfinite(learner.ask()).all()
    beliefs = learner.state.beliefs
    assert (beliefs.rows.by_kind > 0.0).any(axis=1).all()
    assert np.isfinite(beliefs.rows.by_kind).all()
    assert beliefs.rows.by_kind[0, -1] > 1e9 * beliefs.rows.by_kind[0, :-1].sum()
    spread = beliefs.gap[1, : beliefs.rows.used[1]] * (beliefs.nodes[1] - 1)
    assert spread.max() < 3.0


def test_one_arm_learns_nothing_from_itself():
    evidence = al.Evidence(1, [(0, 0.0, 20, 12), (0, 0.5, 9, 1)])
    alone, default = (al.ResponsePosterior(evidence, unit=UNIT, **each) for each in ({"likeness": None}, {}))
    np.testing.assert_allclose(default.chances, alone.chances, atol=1e-12)
    np.testing.assert_allclose(default.mean_losses, alone.mean_losses, atol=1e-12)


def test_bands_hold_even_where_arms_have_nothing_in_common():
    """90 % bands contained 89.2 % of 4000 true values; 84 % where an arm's evidence counted twice."""
    believed = al.AnyResponse(unit=UNIT, free=0.0, likeness=None, curves="coarse")
    arms, held = 8, []
    for seed in range(100):
        problem = al.Problem.from_prior(believed, arms, budget=arms, seed=seed)
        truth = np.array([problem.loss_rates * problem.remaining(np.full(arms, each)) for each in AMOUNTS]).T
        luck, rows = np.random.default_rng([seed, 7]), []
        for i in range(arms):
            rounds = luck.multinomial(100, [1 / len(AMOUNTS)] * len(AMOUNTS))
            rows += [
                (i, amount, int(n), int(luck.binomial(n, chance)))
                for amount, n, chance in zip(AMOUNTS, rounds, truth[i], strict=True)
            ]
        low, high = al.ResponsePosterior(al.Evidence(arms, rows), unit=UNIT, free=0.0).band(0.9)
        held.append(((low - 1e-6 <= truth) & (truth <= high + 1e-6)).mean())
    assert 0.87 < np.mean(held) < 0.93
