"""A learner that is told round by round knows what one knows that starts from all evidence."""

import dataclasses
import itertools
from contextlib import suppress

import numpy as np
import pytest

import allotment as al
from allotment.policies.base.catalogue import policy_classes
from allotment.testing import SMALL

ASKED = 4
MANY = 2_000  # histories in the soak, over all policies
APART = (
    "any-response",
)  # keeps single precision: tests/policies/any_response/test_updates.py states how exact
KINDS = list(itertools.product(("losses", "finds"), ("binary", "counts")))


def order_free():
    """Every policy and variant for which the order of reports does not matter, by what rounds may show."""
    for kind in policy_classes().values():
        for made in (kind.for_problem(SMALL), *kind.variants(SMALL)):
            if (
                made.accepts.any_order
                and made.accepts.evidence
                and made.situations == 1
                and kind.name() not in APART
            ):
                yield from each_kind(made)


def each_kind(made):
    for sees, losses in KINDS:
        wanted = {"sees": sees, "losses": losses}
        own = {field.name: wanted[field.name] for field in dataclasses.fields(made) if field.name in wanted}
        with suppress(al.ConflictError):  # a leak as a share is for counts alone
            policy = dataclasses.replace(made, **own)
            if policy.accepts.finds >= (sees == "finds") and policy.accepts.counts >= (losses == "counts"):
                yield pytest.param(policy, sees, losses, id=f"{policy.name()}-{sees}-{losses}")


def history(rng, losses):
    """Rounds at amounts of every sort; reports may be missing."""
    top = 10.0 ** rng.uniform(-1, 4, SMALL.arms)
    for _ in range(rng.integers(1, 80)):
        amounts = rng.choice([0.0, 0.1, 0.25, 0.5, 0.7, 1.0], SMALL.arms)
        left = np.exp(-2.0 * amounts)
        seen = (rng.random(SMALL.arms) < left) * 1.0 if losses == "binary" else rng.poisson(top * left) * 1.0
        seen[rng.random(SMALL.arms) < 0.1] = np.nan
        yield amounts, seen


def evidence_before(rng, losses):
    """Rows with exposures from 0.01 to 1000 rounds."""
    for arm in range(SMALL.arms):
        if losses == "counts":
            rounds = 10.0 ** rng.uniform(-2, 3)
            yield arm, 0.25, rounds, float(rng.poisson(3.0 * rounds))
        else:
            rounds = int(rng.integers(1, 1000))
            yield arm, 0.25, rounds, int(rng.binomial(rounds, 0.3))


def rows_of(rounds):
    for amounts, seen in rounds:
        for arm in np.flatnonzero(np.isfinite(seen)):
            yield int(arm), amounts[arm], 1, seen[arm]


def answers(learner):
    learner.stream = np.random.default_rng(1)
    return np.array([learner.ask() for _ in range(ASKED)])


def assert_equal(policy, sees, losses, seeds):
    """A learner told round by round, or late and one report at a time, equals one with all evidence."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        before = list(evidence_before(rng, losses))
        rounds = list(history(rng, losses))
        first, everything = (
            al.Evidence(SMALL.arms, rows, sees=sees, losses=losses)
            for rows in (before, [*before, *rows_of(rounds)])
        )

        def start(evidence):
            return policy.start(
                SMALL.arms, SMALL.budget, seed=0, severities=SMALL.severities, evidence=evidence, horizon=200
            )

        told, late = start(first), start(first)
        for amounts, seen in rounds:
            told.tell(seen, amounts)
        for amounts, seen in reversed(rounds):
            for arm in range(SMALL.arms):
                late.tell(np.where(np.arange(SMALL.arms) == arm, seen, np.nan), amounts)
        expected = answers(start(everything))
        assert np.array_equal(answers(told), expected), seed
        assert np.array_equal(answers(late), expected), seed


POLICIES = list(order_free())


@pytest.mark.parametrize(("policy", "sees", "losses"), POLICIES)
def test_a_learner_told_round_by_round_equals_one_that_starts_from_all_evidence(policy, sees, losses):
    assert_equal(policy, sees, losses, range(6))


@pytest.mark.soak
@pytest.mark.parametrize(("policy", "sees", "losses"), POLICIES)
def test_the_same_over_thousands_of_histories(policy, sees, losses):
    assert_equal(policy, sees, losses, range(1000, 1000 + -(-MANY // len(POLICIES))))
