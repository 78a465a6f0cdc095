"""Campaigns rehearsed: reports that are missing, late, corrected, and of other amounts than planned.

python campaign_rehearsal.py CAMPAIGNS ARMS DAYS [WORLD...]
"""

import sys
from dataclasses import dataclass

import numpy as np

from allotment.campaign.answers.plain_rules import PRIOR, equal_split, hot_spots
from allotment.campaign.changes import first_settings
from allotment.campaign.planning import decision
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.evidence import Evidence

STEPS = 6
WORLDS = ("step", "leaking", "logistic", "linear", "exponential")
MISSING, LATE, WRONG, ELSEWHERE = 0.05, 0.2, 0.02, 0.1
DAYS_LATE, DAYS_TO_CORRECT = 7, 3


def remaining(world, arms, luck):
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
    curve = 1.0 / (1.0 + np.exp((amounts - middle) / width))
    return curve / curve[:, :1]


@dataclass
class Reports:
    """Rounds and losses by arm and amount, as far as they have come in."""

    rounds: np.ndarray
    losses: np.ndarray

    def add(self, arms, units, lost, sign=1.0):
        np.add.at(self.rounds, (arms, units), sign)
        np.add.at(self.losses, (arms, units), sign * lost)

    def evidence(self):
        arms, units = np.nonzero(self.rounds)
        columns = (
            arms.tolist(),
            (units / STEPS).tolist(),
            self.rounds[arms, units],
            self.losses[arms, units],
        )
        return Evidence(len(self.rounds), zip(*columns, strict=True))


def campaign(plan, curves, rates, days, seed, *, perfect):
    """Expected losses of all days, planned by `plan(reports, day)`."""
    luck, faults = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    arms, every = len(rates), np.arange(len(rates))
    reports = Reports(np.zeros((arms, STEPS + 1)), np.zeros((arms, STEPS + 1)))
    due, total = {}, 0.0
    for day in range(days):
        for change in due.pop(day, ()):
            reports.add(*change)
        units = plan(reports, day)
        total += float(rates @ curves[every, units])
        moved = np.clip(units + faults.integers(-1, 2, arms), 0, STEPS)
        granted = np.where(faults.random(arms) < ELSEWHERE, moved, units)
        lost = (luck.random(arms) < rates * curves[every, granted]).astype(float)
        kind = faults.random((3, arms))
        if perfect:
            reports.add(every, granted, lost)
            continue
        told = kind[0] >= MISSING
        late, wrong = kind[1] < LATE, kind[2] < WRONG
        for is_late, when in ((False, day + 1), (True, day + DAYS_LATE)):
            here = told & (late == is_late)
            said = np.where(wrong, 1.0 - lost, lost)
            due.setdefault(when, []).append((every[here], granted[here], said[here]))
            again = here & wrong
            later = due.setdefault(when + DAYS_TO_CORRECT, [])
            later.append((every[again], granted[again], said[again], -1.0))
            later.append((every[again], granted[again], lost[again]))
    return total


def rehearse(world, arms, days, seed):
    """Losses with the policy, with it and perfect reports, with an equal split, with hot spots."""
    luck = np.random.default_rng([seed, WORLDS.index(world)])
    curves, rates = remaining(world, arms, luck), luck.uniform(0.05, 0.6, arms)
    names = [f"Zone {i}" for i in range(arms)]
    settings = first_settings("any", arms=names, budget=arms * STEPS // 4, unit=1, most=STEPS, seed=seed)
    bounds = bounds_of(settings)
    split = equal_split(bounds)

    def policy(reports, day):
        learner = decision.fitted(settings, reports.evidence(), bounds, day + 1)
        return decision.drawn_units(settings, learner, bounds)

    def hot(reports, day):
        return hot_spots(PRIOR + reports.losses.sum(axis=1), bounds)

    ways = ((policy, False), (policy, True), (lambda *_: split, False), (hot, False))
    return [campaign(plan, curves, rates, days, seed, perfect=perfect) for plan, perfect in ways]


if __name__ == "__main__":
    many, arms, days, *worlds = sys.argv[1:]
    for world in worlds or WORLDS:
        losses = np.array([rehearse(world, int(arms), int(days), seed) for seed in range(int(many))])
        mean, error = losses.mean(axis=0), losses.std(axis=0, ddof=1) / np.sqrt(len(losses))
        shown = "  ".join(f"{m:.0f} ± {2 * e:.0f}" for m, e in zip(mean, error, strict=True))
        ratios = losses[:, :1] / losses[:, 1:]
        to = ", ".join(f"{m:.3f}" for m in ratios.mean(axis=0))
        print(
            f"{world}: policy, with perfect reports, equal split, hot spots: {shown}; ratios {to}", flush=True
        )
