"""Campaigns with control rounds, played by the learner without a store, beside the truth."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.answers.effect.confidence_sequences import (
    approximate_limits,
    exact_limits,
    tightest_at,
)
from allotment.campaign.answers.effect.effect import APPROXIMATE_FROM
from allotment.campaign.planning import decision
from allotment.campaign.planning.compared_rounds import Contrast, first_limits, squares_that_matter
from allotment.campaign.planning.plain_rules import equal_split
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.settings.changes import first_settings
from allotment.campaign.settings.settings import Settings
from allotment.evidence import Evidence
from allotment.randomness.streams import policy_stream
from studies.effect.worlds import ARMS, DAYS_LATE, LATE, Kind, World
from studies.rehearsal import STEPS

WEEK = {"rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}], "default": "weekday"}


class Report(NamedTuple):
    """What the learner is told of a round; NaN where nothing is."""

    units: IntArray
    losses: FloatArray
    situation: int


@dataclass(frozen=True, eq=False)
class Played:
    """A campaign: its compared rounds, and what is true of them."""

    contrast: Contrast
    limits: tuple[float, float]
    losses: FloatArray
    effects: FloatArray  # what each plan prevents in expectation, of losses that count
    left: FloatArray  # expected losses of what was carried out, without a cap
    withheld: FloatArray  # what control rounds cost in expectation, without a cap

    @property
    def truth(self) -> FloatArray:
        """The mean effect of the first n rounds."""
        return np.cumsum(self.effects) / np.arange(1, self.effects.size + 1)

    def exact(self) -> tuple[FloatArray, FloatArray]:
        """Limits after every round."""
        return exact_limits(self.contrast.terms(self.losses), self.contrast.centres, *self.limits)

    def approximate(self) -> tuple[FloatArray, FloatArray]:
        """The same, from the round on in which they are shown."""
        first = int(np.searchsorted(np.cumsum(self.contrast.drawn), APPROXIMATE_FROM))
        at_first = (self.contrast.plan[0], self.contrast.comparison[0], self.contrast.shares[0])
        eta = tightest_at(squares_that_matter(*at_first))
        low, high = approximate_limits(self.contrast.terms(self.losses), self.contrast.centres, eta)
        return low[first:], high[first:]


def _settings(kind: Kind, seed: int) -> Settings:
    several = {"situations": ["weekday", "weekend"], "calendar": WEEK} if kind.situations else {}
    return first_settings(
        "effect",
        arms=[f"Zone {i}" for i in range(ARMS)],
        budget=ARMS * STEPS // 4,
        unit=1,
        most=STEPS,
        seed=seed,
        losses="binary" if kind.shape is None else "counts",
        **several,
    )


def _reports(
    kind: Kind, report: Report, day: int, faults: np.random.Generator
) -> Iterator[tuple[int, Report]]:
    """What is told of a round, and on which day."""
    late = faults.random(ARMS) < LATE * kind.late
    after = faults.integers(2, DAYS_LATE + 1, ARMS)
    yield day + 1, report._replace(losses=np.where(late, np.nan, report.losses))
    for when in np.unique(after[late]).tolist():
        here = late & (after == when)
        yield day + when, report._replace(losses=np.where(here, report.losses, np.nan))


def play(kind: Kind, share: float, days: int, seed: int, *, before: int = 0) -> Played:
    """Play a campaign against an equal split. Control rounds start after `before` rounds.

    With a share of 0, the campaign has no control rounds; only its losses mean anything.
    """
    world, settings = World(kind, before + days, seed), _settings(kind, seed)
    luck, lot, faults = (np.random.default_rng([seed, number]) for number in (11, 12, 13))
    bounds = bounds_of(settings)
    split = equal_split(bounds)
    learner = decision.started(
        settings,
        Evidence(ARMS, losses=settings.losses, situations=len(settings.situations.numbers)),
        bounds,
        policy_stream(seed, 0),
    )
    due: dict[int, list[Report]] = {}
    plans, drawn, expected, losses = [], [], [], []
    for day in range(before + days):
        for report in due.pop(day, ()):
            learner.tell(report.losses, report.units / STEPS, report.situation)
        situation = int(world.situation[day])
        units = decision.drawn_units(settings, learner, bounds, situation)
        tables = decision.expected_of(settings, learner, bounds.arms, situation)
        is_control = bool(lot.random() < share and day >= before)
        granted = split if is_control else units
        lost = world.lost(day, granted, luck)
        for when, report in _reports(kind, Report(granted, lost, situation), day, faults):
            due.setdefault(when, []).append(report)
        plans.append(units)
        drawn.append(is_control)
        expected.append([kind.trust * tables.of(each).losses for each in (units, split)])
        losses.append(lost.sum())
    limits = first_limits(expected[before][1], share or 0.5)
    columns = np.array(expected[before:]).T
    contrast = Contrast.of(drawn[before:], np.full(days, share or 0.5), columns[0], columns[1], limits)
    left, prevented, counted = np.array(
        [
            [
                world.expected(day, units),
                world.expected(day, split) - world.expected(day, units),
                world.expected(day, split, cap) - world.expected(day, units, cap),
            ]
            for day, units, cap in zip(
                range(before, before + days), plans[before:], contrast.caps.tolist(), strict=True
            )
        ]
    ).T
    withheld = prevented * contrast.drawn
    return Played(contrast, limits, np.array(losses[before:]), counted, left + withheld, withheld)
