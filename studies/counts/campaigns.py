"""Campaigns of counts: what the last four weeks of 200 days cost, over what the best plan costs."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from scipy.special import gammainc

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.planning import decision
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.settings.changes import first_settings
from allotment.evidence import Evidence
from allotment.oracles.shares.allocate import allocate
from studies.checks.worlds import daily_curves
from studies.regret import mean_interval
from studies.rehearsal import STEPS

PLACES, DAYS, LAST = 8, 200, 28
RATES = (0.5, 20.0)  # log-uniform
SHAPES = ("step", "leaking", "logistic", "linear", "exponential", "mixed", "piecewise", "stairs")
CAMPAIGNS = 20
MEAN_LIMIT, LIMIT = 1.02, 1.05
SITES, SITE_UNITS = (8.0, 6.0, 4.0, 3.0, 1.5), 6  # where a unit finds at most one incident


def capped_curves(rates: FloatArray, steps: int) -> FloatArray:
    """What remains if every unit handles one incident, by place and units: E[(N - n)+] / E[N]."""
    tails = np.array([gammainc(n, rates) for n in range(1, steps + 1)])
    handled = np.vstack([np.zeros(rates.size), np.cumsum(tails, axis=0)])
    return 1.0 - handled.T / rates[:, np.newaxis]


class CountedWorld:
    """A hidden world of counts."""

    def __init__(self, seed: int, sees: str, capped: bool = False) -> None:
        luck = np.random.default_rng([seed, 11])
        self.seed, self.sees, self.capped = seed, sees, capped
        if capped:
            self.rates, self.steps, self.budget = np.array(SITES), SITE_UNITS, SITE_UNITS
            self.curves = capped_curves(self.rates, self.steps)
            return
        self.rates = np.exp(luck.uniform(np.log(RATES[0]), np.log(RATES[1]), PLACES))
        self.steps, self.budget = STEPS, PLACES * STEPS // 4
        self.curves = daily_curves(SHAPES[seed % len(SHAPES)], PLACES, luck)

    def remaining(self, units: IntArray) -> float:
        """The losses that remain on a day, in expectation."""
        return float(self.rates @ self.curves[np.arange(self.rates.size), units])

    def best(self) -> float:
        """The same of the best plan."""
        prevented = self.rates[:, np.newaxis] * (1.0 - self.curves)
        return self.remaining(np.array(allocate(prevented.tolist(), self.budget).units))

    def seen(self, units: IntArray, luck: np.random.Generator) -> FloatArray:
        """The report of a day."""
        happened = luck.poisson(self.rates)
        if self.capped:
            handled = np.minimum(units, happened)
        else:
            handled = luck.binomial(happened, 1.0 - self.curves[np.arange(self.rates.size), units])
        return (handled if self.sees == "finds" else happened - handled).astype(float)


def last_weeks(sees: str, capped: bool, seed: int) -> tuple[float, float, float]:
    """The mean cost of the last days, that of the best plan, and that of no grant."""
    world = CountedWorld(seed, sees, capped)
    names = [f"Zone {i}" for i in range(world.rates.size)]
    settings = first_settings(
        "any",
        arms=names,
        budget=world.budget,
        unit=1,
        most=world.steps,
        losses="counts",
        sees=sees,
        seed=seed,
    )
    bounds, luck = bounds_of(settings), np.random.default_rng([seed, 12])
    rounds = np.zeros((len(names), world.steps + 1))
    counts, last, every = np.zeros_like(rounds), 0.0, np.arange(len(names))
    for day in range(DAYS):
        where = np.nonzero(rounds)
        columns = (where[0].tolist(), (where[1] / world.steps).tolist(), rounds[where], counts[where])
        evidence = Evidence(len(names), list(zip(*columns, strict=True)), losses="counts", sees=sees)
        learner = decision.fitted(settings, evidence, bounds, day + 1)
        units = decision.drawn_units(settings, learner, bounds)
        if day >= DAYS - LAST:
            last += world.remaining(units) / LAST
        rounds[every, units] += 1.0
        counts[every, units] += world.seen(units, luck)
    return last, world.best(), float(world.rates.sum())


def table(seed: int, workers: int | None) -> Iterator[str]:
    """Ratios of costs: by what reports show, their mean and the largest."""
    yield f"Goal: {MEAN_LIMIT} on average, {LIMIT} at most.\n"
    yield (
        "| campaigns | cost over that of the best plan | largest | prevented, of the best plan's |\n"
        "| --- | ---: | ---: | ---: |"
    )
    with ProcessPoolExecutor(workers) as pool:
        for name, sees, capped in (
            ("losses", "losses", False),
            ("finds", "finds", False),
            ("finds, a unit finds at most one", "finds", True),
        ):
            seeds = range(seed, seed + CAMPAIGNS)
            found = np.array(list(pool.map(partial(last_weeks, sees, capped), seeds)))
            ratios = found[:, 0] / found[:, 1]
            prevented = (found[:, 2] - found[:, 0]) / (found[:, 2] - found[:, 1])
            yield (
                f"| {name} | {mean_interval(ratios).shown(3)} | {ratios.max():.3f} | "
                f"{mean_interval(prevented).shown(3)} |"
            )
