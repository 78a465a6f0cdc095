"""False alarms and detections of the calendar alarm, the drift warning and the fit warning."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.campaign.answers.checks.simulated import SHIFT, compared
from studies.checks.worlds import FEW_PLACES, KINDS, MANY_PLACES, NONE, Trouble, played

CAMPAIGNS = 200
FRESH = 380_000  # where the seeds of campaigns start; statistics and thresholds were chosen on others
LOOKS = (30, 60, 90, 120, 150, 180)
AFTER = (120, 150)  # looks after rates changed
WEEKENDS = (
    (1.8, 0.68, MANY_PLACES),
    (1.5, 0.8, MANY_PLACES),
    (1.25, 0.9, MANY_PLACES),
    (0.5, 1.2, MANY_PLACES),
    (1.8, 0.68, 30),
    (1.8, 0.68, FEW_PLACES),
)
DRIFTS = (2.5, 2.0, 1.5)
BY = (42, 70, 180)  # days
OUTSIDE = ("piecewise", "stairs")  # curves that are none of the model's family
Job = tuple[str, int]  # the kind of a world, and a seed


@dataclass(frozen=True)
class Looked:
    """A campaign that was looked at on some days, and which warnings there were on each."""

    kind: str
    drift: tuple[bool, ...]
    fit: tuple[bool, ...]


def alarm_day(job: Job, trouble: Trouble = NONE, places: int = MANY_PLACES) -> float:
    """The day of the calendar alarm."""
    return played(*job, trouble, places=places).alarm_day


def looked_at(job: Job, looks: Sequence[int], trouble: Trouble = NONE) -> Looked:
    """Look at a campaign on some days."""
    campaign = played(*job, trouble)
    found = [compared(campaign.until(day)) for day in looks]
    fit = [any(each[name].is_extreme for name in each if name != SHIFT) for each in found]
    return Looked(job[0], tuple(each[SHIFT].is_extreme for each in found), tuple(fit))


@dataclass(frozen=True)
class Pool:
    """The number of campaigns, their first seed, and how functions are mapped over them."""

    campaigns: int
    first: int = FRESH
    map: Callable[..., Iterable[Any]] = map

    def of_kind(self, kind: str) -> list[Job]:
        """The campaigns of one kind."""
        return [(kind, self.first + k) for k in range(self.campaigns)]

    def of_all_kinds(self) -> list[Job]:
        """The same number of campaigns, of all kinds in turn."""
        return [(KINDS[k % len(KINDS)], self.first + k // len(KINDS)) for k in range(self.campaigns)]

    def false_alarms(self, kind: str) -> int:
        """The calendar alarms in campaigns of a kind, without trouble."""
        return int(np.isfinite(list(self.map(alarm_day, self.of_kind(kind)))).sum())

    def alarm_days(self, trouble: Trouble, places: int) -> FloatArray:
        """The days of the calendar alarms in campaigns of all kinds."""
        found = self.map(partial(alarm_day, trouble=trouble, places=places), self.of_all_kinds())
        return np.array(list(found))

    def looked(self, looks: Sequence[int], trouble: Trouble = NONE) -> list[Looked]:
        """Campaigns of all kinds, looked at on some days."""
        return list(self.map(partial(looked_at, looks=looks, trouble=trouble), self.of_all_kinds()))


def warned_by(found: Sequence[Looked], looks: Sequence[int], day: int) -> int:
    """The campaigns with a drift warning at a look up to a day."""
    return sum(any(each.drift[k] for k, at in enumerate(looks) if at <= day) for each in found)


def calendar_tables(pool: Pool) -> Iterator[str]:
    """False calendar alarms by kind of world, and alarms where weekends differ."""
    yield f"| places respond | false calendar alarms in {pool.campaigns} |\n| --- | ---: |"
    for kind in KINDS:
        yield f"| {kind} | {pool.false_alarms(kind)} |"
    heads = " | ".join(f"by day {day}" for day in BY)
    yield f"| weekend, weekday | places | {heads} | median day |\n| --- | ---: |{' ---: |' * (len(BY) + 1)}"
    for weekend, weekday, places in WEEKENDS:
        days = pool.alarm_days(Trouble(weekend=weekend, weekday=weekday), places)
        shares = " | ".join(f"{100.0 * (days <= day).mean():.1f} %" for day in BY)
        yield f"| {weekend:g}, {weekday:g} | {places} | {shares} | {np.median(days):.0f} |"


def warning_tables(pool: Pool) -> Iterator[str]:
    """Warnings of drift and fit in campaigns without trouble, and with it."""
    found = pool.looked(LOOKS)
    inside = [each for each in found if each.kind not in OUTSIDE]
    outside = [each for each in found if each.kind in OUTSIDE]
    fit = [f"{sum(any(each.fit) for each in some)} of {len(some)}" for some in (inside, outside)]
    yield "| no trouble, looked at every 30 days | campaigns |\n| --- | ---: |"
    yield f"| false drift warnings | {warned_by(found, LOOKS, LOOKS[-1])} of {len(found)} |"
    yield f"| false fit warnings | {fit[0]} |\n| fit warnings, piecewise and stairs | {fit[1]} |"
    heads = " | ".join(f"drift warnings by day {day}" for day in AFTER)
    yield f"| trouble | campaigns | {heads} | fit warnings |\n| --- | ---: | {'---: | ' * len(AFTER)}---: |"
    fewer = replace(pool, campaigns=-(-pool.campaigns // 2))
    troubles = {f"a third of the rates times {factor:g}": Trouble(drift=factor) for factor in DRIFTS}
    troubles["a third of the places lose more with more cover"] = Trouble(perverse=True)
    for name, trouble in troubles.items():
        found = (pool if trouble.drift == DRIFTS[0] else fewer).looked(AFTER, trouble)
        drift = " | ".join(f"{warned_by(found, AFTER, day)}" for day in AFTER)
        yield f"| {name} | {len(found)} | {drift} | {sum(any(each.fit) for each in found)} |"


def report(campaigns: int = CAMPAIGNS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """How often the checks of a campaign misfire, and what they find."""
    with ProcessPoolExecutor(workers) as processes:
        pool = Pool(campaigns, FRESH + seed * campaigns, partial(processes.map, chunksize=2))
        for part in (calendar_tables, warning_tables):
            yield from part(pool)
