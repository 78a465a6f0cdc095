"""Compares a campaign with simulated ones: its policy, in worlds drawn from its posterior.

The statistics say how far rounds are from a world that never changes and that fits. None of them has a known
distribution, because grants answer earlier losses. So each is compared with the same statistic in simulated
campaigns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.answers.checks.finding import FEWEST_DAYS
from allotment.campaign.planning import decision
from allotment.campaign.planning.plan_bounds import PlanBounds
from allotment.campaign.settings.settings import Settings
from allotment.evidence import Evidence
from allotment.simulation.known_curves import Rounds, replayed

if TYPE_CHECKING:
    from allotment.policies.base.learner import Learner


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


SIMULATED = 199  # campaigns, at most
ALLOWED = 0  # of them may reach a statistic of the campaign; with more, there is no warning
FIRST_BREAK, LAST_BREAK, EVERY = 14, 7, 7  # days after the first and before the last, and between breaks
STREAM = 36  # keeps these random streams apart from the streams of plans

SHIFT, MISFIT, NIGHTS, SPREAD = "shift", "misfit", "nights", "spread"


@dataclass(frozen=True, eq=False)
class Course:
    """The rounds of a campaign under its settings, and the evidence from elsewhere."""

    settings: Settings
    bounds: PlanBounds
    days: IntArray  # by round: the date as an ordinal, first to last
    rounds: Rounds
    before: Evidence  # that does not come from these rounds
    aged: Evidence | None = None  # what is known today, where reports age; otherwise it follows

    @property
    def arms(self) -> tuple[int, ...]:
        """The numbers of the places."""
        return self.bounds.arms

    @property
    def names(self) -> list[str]:
        """The names of the places."""
        return [self.settings.arms[arm].name for arm in self.arms]

    @property
    def situations(self) -> int:
        """The number of situations."""
        return len(self.settings.situations.numbers)

    @property
    def counts(self) -> bool:
        """Whether reports count losses."""
        return self.settings.losses == "counts"

    @property
    def reported_days(self) -> int:
        """The number of dates with a report."""
        return np.unique(self.days).size

    @property
    def is_long_enough(self) -> bool:
        """Whether anything can be said."""
        return self.reported_days >= FEWEST_DAYS

    @cached_property
    def breaks(self) -> IntArray:
        """The rounds at which a step is looked for: the first round of some days, a week apart."""
        days = np.arange(self.days[0] + FIRST_BREAK, self.days[-1] + 1 - LAST_BREAK + 1, EVERY)
        found: IntArray = np.unique(np.searchsorted(self.days, days))  # few, however far apart the dates are
        return found

    def evidence(self, rounds: Rounds) -> Evidence:
        """The evidence from elsewhere and of some rounds."""
        found = Tallies.of(rounds, self.settings.steps + 1, self.situations)
        where = np.nonzero(found.rounds)
        situation, arm, amount = (each.tolist() for each in where)
        share = [each / self.settings.steps for each in amount]
        columns = (arm, share, found.rounds[where].tolist(), found.losses[where].tolist(), situation)
        rows = zip(*columns, strict=True)
        kind: dict[str, Any] = {"sees": self.settings.sees, "losses": self.settings.losses}
        return self.before + Evidence(len(self.arms), rows, **kind, situations=self.situations)

    def started(self, evidence: Evidence) -> "Learner":
        """The policy with some evidence."""
        return decision.started(self.settings, evidence, self.bounds, np.random.default_rng(0))

    def expected(self, rounds: Rounds) -> FloatArray:
        """What the model expects a round to show once it knows these rounds, as in `Tallies`."""
        learner = self.started(self.evidence(rounds))
        tables = [
            decision.expected_of(self.settings, learner, self.arms, c).losses for c in range(self.situations)
        ]
        losses = np.array(tables)
        return losses[:, :, :1] - losses if self.settings.sees == "finds" else losses

    def shift(self, rounds: Rounds) -> Shift:
        """How losses at the same amounts changed."""
        return shift_of(rounds, self.breaks, self.settings.steps + 1, self.situations)

    def misfit(self, rounds: Rounds) -> dict[str, FloatArray]:
        """How far losses are from what the model expects: by place, by round, and of counts how they vary."""
        expected = self.expected(rounds)
        tallies = Tallies.of(rounds, self.settings.steps + 1, self.situations)
        found = {
            MISFIT: misfit_of(tallies, expected, counts=self.counts),
            NIGHTS: night_spread_of(rounds, expected, counts=self.counts),
        }
        return found | ({SPREAD: spread_of(rounds, expected)} if self.counts else {})

    def statistics(self, rounds: Rounds) -> dict[str, float]:
        """All statistics of some rounds."""
        misfit = {name: float(parts.sum()) for name, parts in self.misfit(rounds).items()}
        return {SHIFT: self.shift(rounds).statistic, **misfit}

    def drawn_worlds(self) -> list[FloatArray]:
        """Curves drawn from the posterior of the whole history: situations x places x amounts, each."""
        known = self.evidence(self.rounds) if self.aged is None else self.aged
        drawn = [
            decision.posterior_of(self.settings, known, self.arms, c).draw(SIMULATED, self.settings.seed)
            for c in range(self.situations)
        ]
        return list(np.array(drawn).transpose(1, 0, 2, 3))

    def replay(self, begun: "Learner", curves: FloatArray, number: int) -> Rounds:
        """The same rounds in another world: the policy plans, and the same reports are missing."""
        stream, luck = (np.random.default_rng([self.settings.seed, STREAM, number, k]) for k in range(2))
        uniforms = np.where(np.isnan(self.rounds.losses), np.nan, luck.random(self.rounds.losses.shape))
        told = self.rounds.situations
        finds = self.settings.sees == "finds"
        return replayed(begun, stream, curves, told, told, uniforms, counts=self.counts, finds=finds)


@dataclass(frozen=True)
class Comparison:
    """A statistic of a campaign beside the same statistic of simulated campaigns."""

    value: float
    reached: int  # the simulated campaigns whose statistic is at least as large
    simulated: int

    @property
    def is_extreme(self) -> bool:
        """Whether hardly any simulated campaign reaches it."""
        return self.simulated == SIMULATED and self.reached <= ALLOWED


def compared(
    course: Course, progress: Callable[[float], None] = lambda share: None
) -> Mapping[str, Comparison]:
    """Simulate campaigns, until it is clear for each statistic whether it is extreme."""
    own = course.statistics(course.rounds)
    reached = dict.fromkeys(own, 0)
    begun = course.started(course.before)
    played = 0
    for number, curves in enumerate(course.drawn_worlds()):
        progress(number / SIMULATED)
        found = course.statistics(course.replay(begun, curves, number))
        played += 1
        for name, value in found.items():
            reached[name] += value >= own[name]
        if min(reached.values()) > ALLOWED:
            break
    progress(1.0)
    return {name: Comparison(own[name], reached[name], played) for name in own}
