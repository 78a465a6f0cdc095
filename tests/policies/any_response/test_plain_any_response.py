"""AnyResponse grants what its page says: a plain implementation, written from the page, decides the same."""

import math
from collections import Counter

import numpy as np
import pytest

from policies.any_response import plain_any_response, plain_free_curve, plain_posterior
from policies.any_response.plain_situations import random_situation

CLOSE = 1e-5  # of the largest value: the policy keeps weights in single precision

# Both implementations round differently. Rarely, a number is drawn so close to the border of two curves that
# they draw different ones, and values differ: in 3 of the first 200 situations below.
FEW = 0.03
DIFFERENT = 2e-3  # the largest share of situations in which grants may differ for that reason: 2 of 3300 do


def plainly(situation):
    """The same situation, for the plain implementation."""
    policy, units = situation.policy, round(1.0 / situation.policy.unit)
    return plain_any_response.Situation(
        units=units,
        budget=min(math.floor(situation.budget * units + 1e-9), units * situation.arms),
        evidence=situation.rows,
        severities=situation.severities,
        least=[round(amount * units) for amount in situation.least],
        most=[round(amount * units) for amount in situation.most],
        policy=policy,
    )


def compare(situation):
    """How far the values of both differ, relative to the largest, and whether both grant the same."""
    learner, grants, bits = situation.ask()
    plain = plainly(situation)
    values, units = plain_any_response.decide(plain, bits)
    after = learner.state.sketch.bits
    assert bits.place[0] == after.place[0], "both draw as many random numbers"
    np.testing.assert_array_equal(bits.words, after.words)
    allowed = np.arange(plain.units + 1) <= np.array(plain.most)[:, np.newaxis]
    off = np.abs(learner.state.values - values)[allowed].max() / max(np.abs(values).max(), 1e-9)
    granted = np.rint(np.array(grants) * plain.units).astype(int)
    assert granted.sum() <= plain.budget
    arms = np.arange(situation.arms)
    missed = values[arms, units].sum() - values[arms, granted].sum()
    return off, missed <= CLOSE * max(np.abs(values).max(), 1e-9)


@pytest.fixture
def reached(monkeypatch):
    """Counts how often each part of the plain implementation is at work."""
    counts = Counter()

    def watch(owner, name, describe):
        original = getattr(owner, name)

        def watched(*given, **named):
            result = original(*given, **named)
            counts[describe(result, *given)] += 1
            return result

        monkeypatch.setattr(owner, name, watched)

    watch(plain_any_response, "opening_values", lambda *_: "opening")
    watch(plain_any_response, "draw_of_family", lambda *_: "a curve of the family")
    watch(
        plain_any_response,
        "draw_count_rate",
        lambda _rate, _situation, arm, _bits, h, _left: (
            "a capped curve" if arm.beliefs.means[h] > 0.0 else "a rate of counts"
        ),
    )
    watch(plain_free_curve, "draw_prevented", lambda *_: "the free curve")
    watch(plain_free_curve.Stairs, "draw", lambda *_: "stairs")
    watch(plain_posterior, "finer", lambda found, coarse, _: f"finer curves: {found is not coarse}")
    watch(
        plain_any_response,
        "values_in_doubt",
        lambda _values, granted, _: f"in doubt, {'left alone' if granted else 'granted something'}",
    )
    return counts


def compare_all(seeds, reached, at_least):
    offs, same = [], []
    for seed in seeds:
        off, agrees = compare(random_situation(seed))
        offs.append(off)
        same.append(agrees)
    assert np.mean(np.array(offs) > CLOSE) <= FEW
    assert same.count(False) <= DIFFERENT * len(same)
    assert len(reached) == 10
    assert min(reached.values()) >= at_least, reached


def test_both_implementations_decide_the_same(reached):
    compare_all(range(300), reached, at_least=2)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(6))
def test_both_implementations_decide_the_same_in_thousands_of_situations(part, reached):
    compare_all(range(1000 + 500 * part, 1500 + 500 * part), reached, at_least=1)
