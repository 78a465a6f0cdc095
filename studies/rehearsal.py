"""Campaigns rehearsed: reports that are missing, late, corrected, and of other amounts than planned.

`python -m studies.rehearsal CAMPAIGNS ARMS DAYS [WORLD...]` prints what docs/studies/rehearsal.md shows.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.planning import decision
from allotment.campaign.planning.calm import gains_over, limited
from allotment.campaign.planning.plain_rules import PRIOR, equal_split, hot_spots
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.settings.changes import first_settings
from allotment.evidence import Evidence

STEPS = 6
WORLDS = ("step", "leaking", "logistic", "linear", "exponential")
MISSING, LATE, WRONG, ELSEWHERE = 0.05, 0.2, 0.02, 0.1
DAYS_LATE, DAYS_TO_CORRECT = 7, 3


def remaining(world: str, arms: int, luck: np.random.Generator) -> FloatArray:
    """The share of each arm's losses that is left, at every amount."""
    amounts = np.arange(STEPS + 1) / STEPS
    at = luck.integers(1, STEPS + 1, arms)[:, None] / STEPS
    leak = luck.uniform(0.1, 0.4, (arms, 1)) if world == "leaking" else 0.0
    if world in ("step", "leaking"):
        return np.where(amounts < at, 1.0, leak)
    if world == "linear":
        return np.maximum(1.0 - amounts / luck.uniform(0.4, 1.0, (arms, 1)), 0.0)
    if world == "exponential":
        return np.exp(-amounts / luck.uniform(0.1, 0.5, (arms, 1)))
    middle, width = luck.uniform(0.2, 0.8, (arms, 1)), luck.uniform(0.03, 0.15, (arms, 1))
    curve: FloatArray = 1.0 / (1.0 + np.exp((amounts - middle) / width))
    return curve / curve[:, :1]


class Report(NamedTuple):
    """What is said of some arms: units granted and losses; a sign of -1 takes it back."""

    arms: IntArray
    units: IntArray
    lost: FloatArray
    sign: float = 1.0


@dataclass
class Reports:
    """Rounds and losses by arm and amount, as far as they have come in."""

    rounds: FloatArray
    losses: FloatArray

    def add(self, report: Report) -> None:
        """Take in a report."""
        where = (report.arms, report.units)
        np.add.at(self.rounds, where, report.sign)
        np.add.at(self.losses, where, report.sign * report.lost)

    def evidence(self) -> Evidence:
        """The reports as a learner takes them."""
        arms, units = np.nonzero(self.rounds)
        columns = (
            arms.tolist(),
            (units / STEPS).tolist(),
            self.rounds[arms, units],
            self.losses[arms, units],
        )
        return Evidence(len(self.rounds), zip(*columns, strict=True))


Planner = Callable[[Reports, int], IntArray]  # from the reports and the day to units


def campaign(
    plan: Planner, curves: FloatArray, rates: FloatArray, days: int, seed: int, *, perfect: bool
) -> float:
    """Expected losses of all days."""
    luck, faults = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    arms, every = len(rates), np.arange(len(rates))
    reports = Reports(np.zeros((arms, STEPS + 1)), np.zeros((arms, STEPS + 1)))
    due: dict[int, list[Report]] = {}
    total = 0.0
    for day in range(days):
        for report in due.pop(day, ()):
            reports.add(report)
        units = plan(reports, day)
        total += float(rates @ curves[every, units])
        moved = np.clip(units + faults.integers(-1, 2, arms), 0, STEPS)
        granted = np.where(faults.random(arms) < ELSEWHERE, moved, units)
        lost = (luck.random(arms) < rates * curves[every, granted]).astype(float)
        kind = faults.random((3, arms))
        if perfect:
            reports.add(Report(every, granted, lost))
            continue
        told = kind[0] >= MISSING
        late, wrong = kind[1] < LATE, kind[2] < WRONG
        for is_late, when in ((False, day + 1), (True, day + DAYS_LATE)):
            here = told & (late == is_late)
            said = np.where(wrong, 1.0 - lost, lost)
            due.setdefault(when, []).append(Report(every[here], granted[here], said[here]))
            again = here & wrong
            due.setdefault(when + DAYS_TO_CORRECT, []).extend(
                (
                    Report(every[again], granted[again], said[again], -1.0),
                    Report(every[again], granted[again], lost[again]),
                )
            )
    return total


@dataclass
class Rehearsal:
    """One hidden world, and the ways to plan in it."""

    world: str
    arms: int
    days: int
    seed: int
    gained: list[int] = field(default_factory=list)  # units that arms gained, night by night

    def __post_init__(self) -> None:
        luck = np.random.default_rng([self.seed, WORLDS.index(self.world)])
        self.curves, self.rates = remaining(self.world, self.arms, luck), luck.uniform(0.05, 0.6, self.arms)
        names = [f"Zone {i}" for i in range(self.arms)]
        budget = self.arms * STEPS // 4
        self.settings = first_settings("any", arms=names, budget=budget, unit=1, most=STEPS, seed=self.seed)
        self.bounds = bounds_of(self.settings)

    def play(self, plan: Planner, *, perfect: bool = False) -> float:
        """Expected losses of all days; `perfect` reports come at once and are right."""
        return campaign(plan, self.curves, self.rates, self.days, self.seed, perfect=perfect)

    def policy(self, moves: int | None = None) -> Planner:
        """Plans of the policy, which gain at most `moves` units over the plan before."""
        had: IntArray | None = None
        self.gained.clear()

        def plan(reports: Reports, day: int) -> IntArray:
            nonlocal had
            bounds = self.bounds if moves is None or had is None else limited(self.bounds, had, moves)
            learner = decision.fitted(self.settings, reports.evidence(), self.bounds, day + 1)
            units = decision.drawn_units(self.settings, learner, bounds)
            if had is not None:
                self.gained.append(gains_over(had, units))
            had = units
            return units

        return plan

    def equal(self) -> Planner:
        """An equal split, every day."""
        split = equal_split(self.bounds)
        return lambda reports, day: split

    def hot(self) -> Planner:
        """Units in proportion to the losses seen."""
        return lambda reports, day: hot_spots(PRIOR + reports.losses.sum(axis=1), self.bounds)


def rehearse(world: str, arms: int, days: int, seed: int) -> list[float]:
    """Losses with the policy, with it and perfect reports, with an equal split, with hot spots."""
    it = Rehearsal(world, arms, days, seed)
    return [
        it.play(it.policy()),
        it.play(it.policy(), perfect=True),
        it.play(it.equal()),
        it.play(it.hot()),
    ]


if __name__ == "__main__":
    many, places, nights, *worlds = sys.argv[1:]
    for each in worlds or WORLDS:
        losses = np.array([rehearse(each, int(places), int(nights), seed) for seed in range(int(many))])
        mean, error = losses.mean(axis=0), losses.std(axis=0, ddof=1) / np.sqrt(len(losses))
        shown = "  ".join(f"{m:.0f} ± {2 * e:.0f}" for m, e in zip(mean, error, strict=True))
        ratios = losses[:, :1] / losses[:, 1:]
        to = ", ".join(f"{m:.3f}" for m in ratios.mean(axis=0))
        print(
            f"{each}: policy, with perfect reports, equal split, hot spots: {shown}; ratios {to}", flush=True
        )
