"""AnyResponse leaves an arm alone now and then, as often as it says and only where its grant is in doubt."""

import numpy as np
import pytest

import allotment as al
from allotment.policies.any_response.tuning import ALONE_FROM

UNIT = 0.05
RATES, SCALES = np.array([0.8, 0.5, 0.6]), np.array([0.3, 0.2, 0.4])
SEEN_FOR = int(1.2 * ALONE_FROM)


def seen(sees="losses", rounds=SEEN_FOR, elsewhere=20):
    """Evidence at 0.4 and, of so many rounds each, at 0, 0.2 and 0.6, with as many losses as expected."""
    rows = []
    for arm, (rate, scale) in enumerate(zip(RATES, SCALES, strict=True)):
        for amount in (0.0, 0.2, 0.4, 0.6):
            n = elsewhere if amount != 0.4 else rounds - 3 * elsewhere
            left = np.exp(-amount / scale)
            rows.append((arm, amount, n, round(n * rate * (left if sees == "losses" else 1.0 - left))))
    return al.Evidence(3, rows, sees=sees)


def granted(evidence, rounds, **options):
    """The units of each arm in so many rounds of which nothing is reported, so that nothing is learnt."""
    policy = al.AnyResponse(unit=UNIT, sees=evidence.sees, **options)
    learner = policy.start(3, 1.2, seed=7, evidence=evidence)
    asked = []
    for _ in range(rounds):
        asked.append(np.round(learner.ask() / UNIT).astype(int))
        learner.tell([np.nan] * 3)
    return np.array(asked)


def test_an_arm_is_left_alone_as_often_as_it_says():
    """If it is its turn and a single draw differs from the average; the first arm's turn is never taken."""
    evidence, rounds, chance = seen(), 4_000, 0.3
    once, averaged = (granted(evidence, rounds, draws=draws, left_alone=0)[:, 0] for draws in (1, 2))
    assert averaged.min() > 0
    shares = [np.bincount(units, minlength=21) / rounds for units in (once, averaged)]
    expected = chance * (1.0 - shares[0] @ shares[1])
    alone = (granted(evidence, rounds, draws=2, left_alone=chance * SEEN_FOR)[:, 0] == 0).mean()
    assert 0.1 < expected < chance
    assert abs(alone - expected) < 5 * np.sqrt(expected / rounds)


def test_at_most_one_arm_is_left_alone_and_others_get_what_it_leaves():
    units = granted(seen(), 300, left_alone=SEEN_FOR)
    alone = (units == 0).sum(axis=1)
    assert alone.max() == 1 and alone.mean() > 0.5
    assert (units.sum(axis=1) <= 24).all() and (units.sum(axis=1) == 24).mean() > 0.9


def test_an_arm_that_is_left_alone_anyway_is_tried():
    """Nothing was seen of it but what happens without a grant, and that is little."""
    rows = [row for row in seen() if row.arm > 0]
    evidence, rounds = al.Evidence(3, [(0, 0.0, SEEN_FOR, SEEN_FOR // 40), *rows]), 2_000
    once, averaged = (granted(evidence, rounds, draws=draws, left_alone=0)[:, 0] for draws in (1, 8))
    tried = granted(evidence, rounds, draws=8, left_alone=SEEN_FOR)[:, 0]
    # Others get their averages meanwhile, so it gets something less often than if all were drawn once.
    assert (averaged > 0).mean() < 0.03 < 0.07 < (tried > 0).mean() < (once > 0).mean()


@pytest.mark.parametrize(
    ("evidence", "options"),
    [
        (seen(), {"left_alone": 0}),
        (seen(), {"half_life": 1e6}),  # what ages is never seen for long
        (seen(rounds=int(ALONE_FROM) - 1), {}),
        (seen(rounds=4_000_000, elsewhere=1_000_000), {}),  # nothing is in doubt
        (seen(sees="finds"), {}),  # an arm that is left alone would show nothing
    ],
)
def test_no_arm_is_left_alone_otherwise(evidence, options):
    """Draws themselves leave one alone, but seldom."""
    units = granted(evidence, 300, **{"left_alone": 1e9, **options})
    assert (units == 0).any(axis=1).mean() < 0.05
