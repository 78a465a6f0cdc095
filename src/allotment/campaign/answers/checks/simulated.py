"""Compares a campaign with simulated ones: its policy, in worlds drawn from its posterior."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.answers.checks.finding import FEWEST_DAYS
from allotment.campaign.answers.checks.statistics import (
    Shift,
    Tallies,
    misfit_of,
    night_spread_of,
    shift_of,
    spread_of,
)
from allotment.campaign.planning.deciding import decision
from allotment.campaign.planning.limits.plan_bounds import PlanBounds
from allotment.campaign.settings.settings import Settings
from allotment.evidence import Evidence
from allotment.simulation.known_curves import Rounds, replayed

if TYPE_CHECKING:
    from allotment.policies.base.learner import Learner

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
