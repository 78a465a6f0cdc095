"""What a limit of moves costs: campaigns rehearsed with and without one, against the same luck."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from allotment.arrays import FloatArray
from studies.regret import mean_interval
from studies.rehearsal import WORLDS, Rehearsal

ARMS, DAYS = 60, 180
LIMITS = (2, 4, 8, 16)
REPLICATIONS = 20
GOAL = 1.06  # times the losses without a limit, at GOAL_AT moves
GOAL_AT = 8


@dataclass(frozen=True)
class Calmness:
    """Losses of one campaign without a limit and with each, and the units that moved a night without."""

    free: float
    limited: tuple[float, ...]
    moved: float  # on average
    late: float  # in the last third of the days

    @property
    def ratios(self) -> FloatArray:
        """Losses with each limit, over those without."""
        return np.array(self.limited) / self.free


def calmness(
    world: str, seed: int, *, arms: int = ARMS, days: int = DAYS, limits: tuple[int, ...] = LIMITS
) -> Calmness:
    """Rehearse one campaign without a limit, and with each."""
    it = Rehearsal(world, arms, days, seed)
    free = it.play(it.policy())
    moved = np.array(it.gained)
    return Calmness(
        free,
        tuple(it.play(it.policy(moves)) for moves in limits),
        float(moved.mean()),
        float(moved[-(days // 3) :].mean()),
    )


def report(replications: int = REPLICATIONS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """Losses over half a year with limits of moves, over those without a limit, world by world."""
    yield (
        f"{ARMS} places, {DAYS} nights, {replications} campaigns a world. Losses with a limit of moves over "
        f"losses without one, with 95 % intervals. Goal: at most {GOAL} at {GOAL_AT}."
    )
    titles = [f"limit {moves}" for moves in LIMITS]
    yield f"| world | units moved a night | in the last {DAYS // 3} | {' | '.join(titles)} |"
    seeds = range(seed, seed + replications)
    for world in WORLDS:
        if workers == 1:
            found = [calmness(world, each) for each in seeds]
        else:
            with ProcessPoolExecutor(workers) as pool:
                found = list(pool.map(partial(calmness, world), seeds))
        yield row(world, found)


def row(world: str, found: list[Calmness]) -> str:
    """A line of the table."""
    ratios = np.array([each.ratios for each in found])
    cells = " | ".join(mean_interval(column).shown(3) for column in ratios.T)
    moved, late = (np.mean([getattr(each, name) for each in found]) for name in ("moved", "late"))
    return f"| {world} | {moved:.1f} | {late:.1f} | {cells} |"
