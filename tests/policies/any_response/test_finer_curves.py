"""Finer curves where the evidence has narrowed: the same prior, whatever the order, and less error."""

import numpy as np
import pytest

import allotment as al
from allotment.policies.any_response import curve_kinds as response_kinds
from allotment.policies.any_response.tuning import FEW, FINER_FROM

UNIT = 0.05
ROUNDS = 20_000


@pytest.mark.parametrize(("units", "capped"), [(1, False), (4, True), (20, False), (20, True)])
def test_parts_weigh_as_much_as_the_curve_that_they_stand_for(units, capped):
    family = al.Family.standard(units, capped)
    coarse, part, finer, _ = family.levels
    curves = family.weights.size
    assert (coarse[:curves] == np.arange(curves)).all() and (part[:curves] == 1.0).all()
    np.testing.assert_allclose(np.bincount(family.kinds[:curves], family.weights), 1.0)
    reached = set(range(curves))
    for curve, (first, end) in enumerate(finer):
        if end > first:
            assert part[first:end].sum() == part[curve]
            assert (coarse[first:end] == coarse[curve]).all()
            assert (family.kinds[first:end] == family.kinds[curve]).all()
            reached.update(range(first, end))
    assert reached == set(range(len(coarse)))


def test_parts_lie_around_the_curve_that_they_stand_for():
    """What remains lies between what the parts say; steps without a leak and the flat curve have none."""
    family = al.Family.standard(20)
    for curve, (first, end) in enumerate(family.levels.finer):
        if end > first:
            low, high = family.remaining[first:end].min(axis=0), family.remaining[first:end].max(axis=0)
            assert (low <= family.remaining[curve] + 1e-12).all()
            assert (family.remaining[curve] <= high + 1e-12).all()
    undivided = np.flatnonzero((family.levels.finer[: family.weights.size] == 0).all(axis=1))
    shapes = [family.shape_of(curve) for curve in undivided]
    assert {shape: shapes.count(shape) for shape in shapes} == {"step": 20, "flat": 1}


def drawn(response, rate, losses="binary", rounds=ROUNDS):
    """Rounds at random amounts around the middle, as pairs of an amount and what was seen."""
    stream = np.random.default_rng(5)
    amounts = np.clip(stream.normal(0.5, 0.2, rounds) // UNIT, 0, 20) * UNIT
    chance = rate * response.remaining(amounts[:, np.newaxis])[:, 0]
    return amounts, stream.poisson(chance) if losses == "counts" else stream.random(rounds) < chance


def told(amounts, seen, losses="binary"):
    """What a learner believes that was told one round after the other: the chance of every coarse curve."""
    learner = al.AnyResponse(unit=UNIT, losses=losses, likeness=None).start(1, 1.0, seed=0)
    for amount, each in zip(amounts.tolist(), seen.tolist(), strict=True):
        learner.tell([float(each)], [amount])
    prior, rows = learner.state.beliefs.prior, learner.state.beliefs.rows
    used = rows.curve[0, : rows.used[0]]
    weights = np.zeros(prior.weights.shape[1] + 1)
    np.add.at(
        weights, prior.levels.coarse[used], prior.by_kind[prior.kinds[used]] * rows.total[0, : used.size]
    )
    weights[-1] = prior.by_kind[-1] * rows.by_kind[0, -1]
    return weights / weights.sum(), prior.levels.part[used]


def posterior(amounts, seen, losses="binary", **options):
    at, place = np.unique(amounts, return_inverse=True)
    rows = zip(at, np.bincount(place), np.bincount(place, seen), strict=True)
    evidence = al.Evidence(1, [(0, amount, int(n), int(s)) for amount, n, s in rows], losses=losses)
    return al.ResponsePosterior(evidence, unit=UNIT, likeness=None, **options)


@pytest.mark.parametrize(
    ("response", "rate", "losses"),
    [
        (al.Linear(0.7125), 0.8, "binary"),
        pytest.param(al.Exponential(0.37), 0.6, "binary", marks=pytest.mark.soak),
        pytest.param(al.Logistic(0.43, 0.06), 0.7, "binary", marks=pytest.mark.soak),
        (al.Linear(0.7125), 0.8, "counts"),
    ],
)
def test_what_the_policy_believes_after_many_rounds_is_within_a_thousandth(response, rate, losses):
    amounts, seen = drawn(response, rate, losses)
    believed, parts = told(amounts, seen, losses)
    fine = posterior(amounts, seen, losses)
    assert 0.5 * np.abs(believed - fine.chances[0]).sum() < 1e-3
    assert parts.min() < 0.2 and np.count_nonzero(parts < 1.0) <= FEW
    order = np.random.default_rng(1).permutation(ROUNDS)
    assert 0.5 * np.abs(told(amounts[order], seen[order], losses)[0] - believed).sum() < 2e-3


def test_curves_are_coarse_until_an_arm_was_seen_for_long():
    """Rows are made anew in the very round from which on finer curves count."""
    enough = int(FINER_FROM)
    amounts, seen = drawn(al.Step(0.5, 0.1), 0.8, rounds=enough)
    assert (told(amounts[:-1], seen[:-1])[1] == 1.0).all()
    assert told(amounts, seen)[1].max() < 1.0
    vague = posterior(np.zeros(9 * enough), np.arange(9 * enough) % 2 == 0)
    assert (
        vague._curves.prior.levels.part[vague._curves.rows.curve] == 1.0
    ).all()  # nothing tells them apart


def test_a_cap_between_two_coarse_ones_is_found():
    """With coarse lines alone, the best of them is off by a hundredth, however many rounds there are."""
    cap, rate, rounds = 0.7125, 0.8, 50_000
    truth = rate * al.Linear(cap).table(1, 20, 1e-12)[0]
    rows = [(0, u * UNIT, rounds, round(rounds * truth[u])) for u in (0, 10, 13, 14)]
    evidence = al.Evidence(1, rows)
    lines = [(al.Linear(k / 40), 1.0) for k in range(1, 81)]
    coarse = al.ResponsePosterior(evidence, unit=UNIT, curves=lines, free=0.0)
    finer = al.ResponsePosterior(evidence, unit=UNIT)
    assert np.abs(coarse.mean_losses[0] - truth).max() > 0.01
    assert np.abs(finer.mean_losses[0] - truth).max() < 0.002
    assert finer.chances[0, -1] < 0.01 and finer.shapes[0][0][0] == "gradual"


@pytest.mark.parametrize("losses", ["binary", "counts"])
@pytest.mark.parametrize("sees", ["losses", "finds"])
def test_finer_curves_say_the_same_whether_they_stand_in_a_table_or_are_computed(sees, losses, monkeypatch):
    shares = np.array([0.0, 0.25, 0.5, 1.0])
    left = np.array([al.Step(0.5, 0.06).remaining(shares), al.Linear(0.83).remaining(shares)])
    seen = 0.6 * (left if sees == "losses" else 1.0 - left)
    rows = [
        (arm, share, 1500, round(1500 * seen[arm, k])) for arm in range(2) for k, share in enumerate(shares)
    ]
    evidence, found = al.Evidence(2, rows, sees=sees, losses=losses), []
    for tabled in (20, 0):
        monkeypatch.setattr(response_kinds, "TABLED", tabled)
        al.Family.standard.cache_clear()
        posterior = al.ResponsePosterior(evidence, unit=UNIT)
        learner = al.AnyResponse(unit=UNIT, sees=sees, losses=losses).start(2, 1.0, seed=3, evidence=evidence)
        told = []
        for k in range(40):
            told.append(learner.ask().tolist())
            learner.tell([k % 2, k % 3 == 0])
        prior, rows_made = learner.state.beliefs[:2]
        used = np.concatenate([rows_made.curve[arm, : rows_made.used[arm]] for arm in range(2)])
        assert prior.levels.part[used].min() < 1.0
        assert (used >= prior.seen.shape[0]).any() == (tabled == 0)
        found.append((posterior.mean_losses.tolist(), posterior.draw(50, 1).tolist(), told))
    al.Family.standard.cache_clear()
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "shape", [al.Step, al.Linear, al.Exponential, lambda at, leak: al.Logistic(at, 0.1, leak)]
)
@pytest.mark.parametrize("leak", [0.03, 0.15, 0.35, 0.65])
def test_every_shape_may_leak(shape, leak):
    """A leak between those of the family is found too, and the free curve is not needed for it."""
    truth = 0.8 * shape(0.45, leak).table(1, 20, 1e-12)[0]
    rows = [(0, u * UNIT, 400, round(400 * truth[u])) for u in range(21)]
    found = al.ResponsePosterior(al.Evidence(1, rows), unit=UNIT)
    assert np.abs(found.mean_losses[0] - truth).max() < 0.05
    assert found.chances[0, -1] < 0.2
