"""The statistics behind the warnings: how far rounds are from a world that never changes and that fits.

None of them has a known distribution, because grants answer earlier losses. `simulated.py` compares each with
the same statistic in simulated campaigns.
"""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.simulation.known_curves import Rounds

LEAST_VARIANCE = 0.25  # so that a single loss of a quiet place counts little
SMALLEST = 1e-4  # expectation of a round that the deviance takes seriously
LEAST_MEAN = 0.05  # so that a rare count of a quiet place does not outweigh all others


class Shift(NamedTuple):
    """How losses at the same amounts changed on each of some days."""

    score: FloatArray  # days x places: half the squared standardised difference
    excess: FloatArray  # days x places: losses since then, less those that an even spread would give
    after: FloatArray  # days x places: losses since then

    @property
    def largest(self) -> int:
        """The day on which all places together changed most."""
        return int(np.argmax(self.score.sum(axis=1)))

    @property
    def statistic(self) -> float:
        """The change of all places together on that day."""
        return float(self.score.sum(axis=1).max())


def shift_of(rounds: Rounds, breaks: IntArray, amounts: int, situations: int) -> Shift:
    """Compare the rounds from each break on with the rounds before, at the same place, amount and situation.

    Within such a cell, all orders of its reports are equally likely if nothing changes. The expectation and
    the variance of the losses after a break follow from this (the test of Mantel and Haenszel).
    """
    places = rounds.units.shape[1]
    known = ~np.isnan(rounds.losses)
    lost = np.where(known, rounds.losses, 0.0)
    excess, variance = np.zeros((breaks.size, places)), np.zeros((breaks.size, places))
    for situation in range(situations):
        for amount in range(amounts):
            here = known & (rounds.units == amount) & (rounds.situations == situation)[:, None]
            if not here.any():
                continue
            n, x = _sums(here.astype(np.float64), breaks), _sums(lost * here, breaks)
            squares = (lost**2 * here).sum(axis=0)
            many, total = n[0], x[0]  # the first row is of all rounds
            usable = many > 1.0
            share = n[1:] / np.maximum(many, 1.0)
            spread = (squares - total**2 / np.maximum(many, 1.0)) * many / np.maximum(many - 1.0, 1.0)
            excess += np.where(usable, x[1:] - total * share, 0.0)
            variance += np.where(usable, share * (1.0 - share) * spread, 0.0)
    after = _sums(lost, breaks)[1:]
    return Shift(0.5 * excess**2 / (variance + LEAST_VARIANCE), excess, after)


def _sums(values: FloatArray, breaks: IntArray) -> FloatArray:
    """Sums over all rounds, then over the rounds from each break on."""
    up_to = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    found: FloatArray = up_to[-1] - np.concatenate([up_to[:1], up_to[breaks]])
    return found


class Tallies(NamedTuple):
    """Rounds and losses by situation, place and amount."""

    rounds: FloatArray
    losses: FloatArray

    @classmethod
    def of(cls, rounds: Rounds, amounts: int, situations: int) -> "Tallies":
        """Add up the reports of rounds."""
        places = rounds.units.shape[1]
        known = ~np.isnan(rounds.losses)
        cell = (rounds.situations[:, None] * places + np.arange(places)) * amounts + rounds.units
        shape, size = (situations, places, amounts), situations * places * amounts
        counted = np.bincount(cell[known], minlength=size).astype(np.float64)
        lost: FloatArray = np.bincount(cell[known], rounds.losses[known], size).astype(np.float64)
        return cls(counted.reshape(shape), lost.reshape(shape))


def misfit_of(tallies: Tallies, expected: FloatArray, *, counts: bool) -> FloatArray:
    """The deviance of losses from what is expected of a round, by place; `expected` is as in `tallies`."""
    lost, mean = tallies.losses, tallies.rounds * np.maximum(expected, SMALLEST)
    parts = _times_log_ratio(lost, mean) - (lost - mean)
    if not counts:
        quiet, rest = tallies.rounds - lost, tallies.rounds * np.maximum(1.0 - expected, SMALLEST)
        parts += _times_log_ratio(quiet, rest) - (quiet - rest)
    found: FloatArray = 2.0 * parts.sum(axis=(0, 2))
    return found


def spread_of(rounds: Rounds, expected: FloatArray) -> FloatArray:
    """How far counts vary around their expectation, relative to it, added up by place."""
    mean = np.maximum(_expected_at(rounds, expected), LEAST_MEAN)
    found: FloatArray = np.nansum((rounds.losses - mean) ** 2 / mean, axis=0)
    return found


def night_spread_of(rounds: Rounds, expected: FloatArray, *, counts: bool) -> FloatArray:
    """How far the total of each round is from its expectation: the squared difference over its variance."""
    mean, known = _expected_at(rounds, expected), ~np.isnan(rounds.losses)
    variance = np.where(known, mean if counts else mean * (1.0 - mean), 0.0).sum(axis=1)
    found: FloatArray = np.nansum(rounds.losses - mean, axis=1) ** 2 / np.maximum(variance, LEAST_MEAN)
    return found


def _expected_at(rounds: Rounds, expected: FloatArray) -> FloatArray:
    """What is expected of each round at the amounts granted: rounds x places."""
    places = np.arange(rounds.units.shape[1])
    found: FloatArray = expected[rounds.situations[:, None], places, rounds.units]
    return found


def _times_log_ratio(x: FloatArray, y: FloatArray) -> FloatArray:
    """x·log(x/y), which is 0 for x = 0."""
    some = x > 0.0
    found: FloatArray = np.where(some, x * np.log(np.where(some, x, 1.0) / np.where(some, y, 1.0)), 0.0)
    return found
