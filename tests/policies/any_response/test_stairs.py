"""Stairs: weights, means and draws against all ways to lay them, one by one."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import allotment as al
from allotment.compiling.decorators import Entry
from allotment.policies.any_response.stairs import begins, draw_stairs, expect_stairs, has_stairs
from allotment.policies.any_response.tuning import QUIET, STAIRS_FROM
from allotment.randomness.bits import bits_from

UNITS = 4
FALLING = (0.7, 0.7, 0.3, 0.3, 0.0)
DRAWS = 40_000


@Entry
def _expect(curves: Any, counts: bool, mean: Any, square: Any) -> None:
    expect_stairs(curves, 0, counts, mean, square, curves.bench.seen.events)


@Entry
def _draw(curves: Any, bits: Any, out: Any) -> None:
    for k in range(out.shape[0]):
        draw_stairs(curves, bits, 0, out[k])


def beliefs(losses="binary", rounds=int(STAIRS_FROM) + 300, **options):
    """What a learner believes that was told round by round, mostly at one amount."""
    stream = np.random.default_rng(1)
    learner = al.AnyResponse(unit=1.0 / UNITS, losses=losses, **options).start(1, 1.0, seed=0)
    for unit in stream.choice(UNITS + 1, rounds, p=[0.002, 0.002, 0.985, 0.001, 0.01]):
        rate = FALLING[unit]
        seen = stream.poisson(rate) if losses == "counts" else stream.random() < rate
        learner.tell([float(seen)], [unit / UNITS])
    return learner.state.beliefs


def log_likely(events, rounds, losses):
    """The logarithm of the chance of this at one rate: Beta(1, 1), for counts Gamma(1, 1)."""
    if losses == "counts":
        return math.lgamma(1 + events) - (1 + events) * math.log1p(rounds)
    return math.lgamma(1 + events) + math.lgamma(1 + rounds - events) - math.lgamma(2 + rounds)


def all_ways(rows, losses):
    """Every way to lay stairs: its weight over that of amounts apart, and its stairs.

    A stair is its first amount, where it ends, the chance that it is quiet, and the rate to expect if not.
    """
    events, rounds = rows.events[0], rows.rounds[0]
    apart = sum(log_likely(s, n, losses) for s, n in zip(events, rounds, strict=True))
    begin = begins(UNITS)
    for number in range(UNITS + 1):
        for inner in itertools.combinations(range(1, UNITS + 1), number):
            log_weight, stairs = number * math.log(begin) + (UNITS - number) * math.log(1 - begin), []
            for first, end in itertools.pairwise((0, *inner, UNITS + 1)):
                s, n = events[first:end].sum(), rounds[first:end].sum()
                log_heard = math.log(1 - QUIET) + log_likely(s, n, losses)
                both = np.logaddexp(log_heard, math.log(QUIET)) if s == 0 else log_heard
                log_weight += both
                expected = (1 + s) / ((1 if losses == "counts" else 2) + n)
                stairs.append((first, end, 1 - math.exp(log_heard - both), expected))
            yield math.exp(log_weight - apart), stairs


@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_weights_and_means_are_sums_over_all_ways(losses):
    curves = beliefs(losses)
    total, mean = 0.0, np.zeros(UNITS + 1)
    for weight, stairs in all_ways(curves.rows, losses):
        total += weight
        for first, end, quiet, expected in stairs:
            mean[first:end] += weight * (1 - quiet) * expected
    counted = losses == "counts"
    found_total = math.exp(curves.log_ways[0, -1]) if counted else curves.rows.ways[0, -1]
    assert found_total == pytest.approx(total, rel=1e-9)
    found, squares = np.zeros(UNITS + 1), np.zeros(UNITS + 1)
    _expect(curves, counted, found, squares)
    np.testing.assert_allclose(found, mean / total, rtol=1e-9)
    if counted:
        drawn = np.zeros((DRAWS, UNITS + 1))
        _draw(curves, bits_from(np.random.default_rng(3)), drawn)
        off = np.abs((drawn**2).mean(axis=0) - squares)
        assert (off <= 5.0 / math.sqrt(DRAWS) * (drawn**2).std(axis=0) + 1e-9).all()


@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_draws_have_the_law_of_all_ways(losses):
    """Where stairs begin, how often one is quiet, and the mean at every amount."""
    curves = beliefs(losses)
    new, quiet, mean, total = np.zeros(UNITS), np.zeros(UNITS + 1), np.zeros(UNITS + 1), 0.0
    for weight, stairs in all_ways(curves.rows, losses):
        total += weight
        for first, end, silent, expected in stairs:
            quiet[first:end] += weight * silent
            mean[first:end] += weight * (1 - silent) * expected
            if first > 0:
                loud = [1 - q for a, b, q, _ in stairs if first in (a, b)]  # two quiet stairs look like one
                new[first - 1] += weight * (1 - (1 - loud[0]) * (1 - loud[1]))
    drawn = np.zeros((DRAWS, UNITS + 1))
    _draw(curves, bits_from(np.random.default_rng(3)), drawn)
    spread = 5.0 / math.sqrt(DRAWS)
    for found, expected in (
        ((drawn[:, 1:] != drawn[:, :-1]).mean(axis=0), new / total),
        ((drawn == 0.0).mean(axis=0), quiet / total),
    ):
        assert (np.abs(found - expected) <= spread * np.sqrt(expected * (1 - expected)) + 1e-3).all()
    assert (np.abs(drawn.mean(axis=0) - mean / total) <= spread * drawn.std(axis=0) + 1e-9).all()
    assert quiet[-1] / total > 0.01 and 0.01 < new[0] / total < 0.99


def test_one_stair_is_as_likely_whatever_the_unit():
    """Or else a place where nothing helps would be called some other curve where units are few."""
    for units in (1, 2, 4, 20, 50):
        assert (1 - begins(units)) ** units == pytest.approx(0.8**20)


def test_there_are_stairs_only_where_an_arm_was_seen_for_long():
    assert not has_stairs(beliefs(rounds=int(STAIRS_FROM) - 1).rows, 0)
    assert has_stairs(beliefs(rounds=int(STAIRS_FROM)).rows, 0)
    assert not has_stairs(beliefs(half_life=1e6).rows, 0)
    assert not has_stairs(beliefs(free=0.0).rows, 0)


def test_a_long_quiet_does_not_rule_out_stairs():
    """A step at 0.8 fits what was seen in 10⁵ rounds, but hardly anything else was tried."""
    evidence = al.Evidence(1, [(0, 0.0, 30, 24), (0, 0.75, 2, 2), (0, 0.8, 100_000, 0), (0, 0.85, 5, 0)])
    posterior = al.ResponsePosterior(evidence, unit=0.05)
    assert posterior.shapes[0][0][0] == "a step at 0.8"
    assert 1e-3 < posterior.chances[0, -1] < 0.3


def test_a_second_stair_is_found_out():
    """A few quiet rounds where a leaking step would lose now and then are enough to say so."""
    rows = [(0, 0.35, 40, 27), (0, 0.4, 100_000, 21_600), (0, 0.6, 40, 9), (0, 0.95, 40, 0)]
    posterior = al.ResponsePosterior(al.Evidence(1, rows), unit=0.05)
    lost = posterior.mean_losses[0]
    assert posterior.chances[0, -1] > 0.5
    assert lost[8] == pytest.approx(0.216, abs=0.01) and lost[19] < 0.05
