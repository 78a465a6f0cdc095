"""`python -m studies.any_response.outside`: seven worlds whose curves are none of AnyResponse's family.

Whether AnyResponse is stuck there: what it loses in the first and in the second half of 20,000 rounds, beside
Thompson sampling on (arm, amount) pairs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.policies.pair_ts import PairTs
from allotment.tolerance import RELATIVE
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Piecewise, Response
from studies.any_response.worlds import ARMS, UNIT, up_to_units
from studies.command import run
from studies.regret import Interval, mean_interval, mean_regret, ratio_interval

HALVES = (10_000, 20_000)  # rounds
PROBLEMS = 24
FRESH = 150_000  # where the seeds of problems start; no other suite has them
UNITS = round(1.0 / UNIT)
AMOUNTS = np.round(np.arange(UNITS + 1) * UNIT, 12)
SEVERAL = 3.0  # times the pairs' loss in the second half: stuck
MONOTONE = PairTs(unit=UNIT, monotone=True, label="TS on pairs, monotone")
POLICIES: Sequence[Policy] = (AnyResponse(unit=UNIT), MONOTONE, PairTs(unit=UNIT))

Draw = Callable[[FloatArray, np.random.Generator], FloatArray]  # what remains: arms x amounts


def _few_falls(levels: FloatArray, stream: np.random.Generator) -> FloatArray:
    """Falls at every unit, of which a few are nearly all."""
    falls = stream.dirichlet(np.full(UNITS, 0.15), levels.size)
    return np.column_stack([np.ones(levels.size), 1.0 - np.cumsum(falls, axis=1)])


def _power(levels: FloatArray, stream: np.random.Generator) -> FloatArray:
    """Falls like a power: it has no scale, and no end."""
    scale = stream.uniform(0.01, 0.2, (levels.size, 1))
    rows: FloatArray = (1.0 + AMOUNTS / scale) ** -stream.uniform(0.5, 3.0, (levels.size, 1))
    return rows


def _two_steps(levels: FloatArray, stream: np.random.Generator, left: tuple[float, float]) -> FloatArray:
    """The first step leaves a share in this range; the second leaves nothing."""
    first = np.array(up_to_units(levels * stream.uniform(0.1, 0.6, levels.size)))
    rows = _covered(first, stream.uniform(*left, levels.size))
    return rows * _covered(np.array(up_to_units(levels)), np.zeros(levels.size))


def _low_step_first(levels: FloatArray, stream: np.random.Generator) -> FloatArray:
    """Two steps, the first of which prevents little."""
    return _two_steps(levels, stream, (0.8, 0.95))


def _high_step_first(levels: FloatArray, stream: np.random.Generator) -> FloatArray:
    """Two steps, the first of which prevents nearly everything."""
    return _two_steps(levels, stream, (0.05, 0.2))


def _plateau(levels: FloatArray, stream: np.random.Generator) -> FloatArray:
    """An exponential fall, a plateau, and a straight fall to nothing."""
    share = stream.uniform(0.2, 0.8, (levels.size, 1))
    early = np.exp(-AMOUNTS / stream.uniform(0.02, 0.1, (levels.size, 1)))
    ends = levels[:, np.newaxis]
    late = np.clip((ends - AMOUNTS) / (ends * stream.uniform(0.1, 0.4, (levels.size, 1))), 0.0, 1.0)
    return share * early * late + (1.0 - share) * late


def _accelerating(levels: FloatArray, stream: np.random.Generator) -> FloatArray:
    """Every unit prevents more than the one before, until nothing remains."""
    power = stream.uniform(2.0, 5.0, (levels.size, 1))
    rows: FloatArray = 1.0 - np.minimum(AMOUNTS / levels[:, np.newaxis], 1.0) ** power
    return rows


def _rising(levels: FloatArray, stream: np.random.Generator) -> FloatArray:
    """A step, and above a further amount more is lost again: too much cover drives losses elsewhere."""
    reached = np.array(up_to_units(levels * stream.uniform(0.3, 0.7, levels.size)))
    too_much = np.array(up_to_units(reached + stream.uniform(0.1, 0.5, levels.size) * (1.0 - reached)))
    rises = too_much[:, np.newaxis] + 1e-9 < AMOUNTS
    rows = _covered(reached, stream.uniform(0.0, 0.2, levels.size))
    return np.where(rises, rows + stream.uniform(0.1, 0.5, (levels.size, 1)), rows)


def _covered(thresholds: FloatArray, left: FloatArray) -> FloatArray:
    """Everything remains below the threshold, and a share from it on."""
    return np.where(thresholds[:, np.newaxis] - 1e-9 <= AMOUNTS, left[:, np.newaxis], 1.0)


WORLDS: Mapping[str, Draw] = {
    "few falls": _few_falls,
    "power": _power,
    "low step first": _low_step_first,
    "high step first": _high_step_first,
    "plateau": _plateau,
    "accelerating": _accelerating,
    "rising": _rising,
}


@dataclass(frozen=True)
class Tabled(Response):
    """What remains at whole units, which may rise; a `Piecewise` response never does."""

    rows: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        """Keep the rows as they are."""

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """What remains at the whole units in each amount."""
        units = np.floor(np.asarray(amounts, np.float64) * UNITS + 1e-9).astype(np.int64)
        return np.array(self.rows)[np.arange(len(self.rows)), units]

    @classmethod
    def parameters(cls) -> dict[str, bool]:
        """None that a file could hold."""
        return {}


def outside_problem(kind: str, seed: int) -> Problem:
    """A random problem; the same seed gives the same rates, levels and budget in every world."""
    stream = np.random.default_rng(np.random.SeedSequence([seed, 5]))
    arms = ARMS[seed % len(ARMS)]
    rates, levels = stream.uniform(0.0, 1.0, arms), stream.uniform(UNIT, 1.0, arms)
    budget = float(stream.uniform(0.3, 0.7) * levels.sum())
    rows = np.clip(WORLDS[kind](levels, stream), 0.0, 1.0)
    rows[:, 0] = 1.0  # without rounding
    falls = (np.diff(rows) <= 0.0).all()
    response = (
        Piecewise(AMOUNTS.tolist(), rows.tolist()) if falls else Tabled(tuple(map(tuple, rows.tolist())))
    )
    return Problem(rates, budget=budget, response=response, unit=UNIT)


@dataclass(frozen=True)
class Halves:
    """What one policy loses in the first and in the second half, by problem."""

    first: FloatArray
    second: FloatArray

    def shown(self) -> str:
        """The means, with the interval of the second."""
        return f"{self.first.mean():.0f} | {mean_interval(self.second).shown(0)}"


def halves(kind: str, policy: Policy, problems: int, seed: int = 0, workers: int | None = None) -> Halves:
    """One run of each problem, with luck of its own."""
    found = np.array(
        [
            mean_regret(
                outside_problem(kind, FRESH + k),
                policy,
                HALVES,
                replications=1,
                seed=seed + k,
                workers=workers,
            )
            for k in range(problems)
        ]
    )
    return Halves(found[:, 0], found[:, 1] - found[:, 0])


def stuck(ours: Halves, theirs: Halves) -> tuple[Interval, int]:
    """Our second half over theirs, and the number of problems in which ours is several times as large."""
    return ratio_interval(ours.second, theirs.second), int((ours.second > SEVERAL * theirs.second).sum())


def report(problems: int = PROBLEMS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """Regret in both halves, by world and policy; `--replications` is the number of problems."""
    yield (
        f"| world | policy | first {HALVES[0]:,} rounds | second | AnyResponse over it, second "
        f"| problems above {SEVERAL:g} |\n| --- | --- | ---: | ---: | ---: | ---: |"
    )
    for kind in WORLDS:
        found = [halves(kind, policy, problems, seed, workers) for policy in POLICIES]
        for policy, each in zip(POLICIES, found, strict=True):
            ratio, worse = stuck(found[0], each)
            beside = "| |" if each is found[0] else f"{ratio.shown()} | {worse} of {problems} |"
            yield f"| {kind} | {policy.label} | {each.shown()} | {beside}"


if __name__ == "__main__":
    run(report, PROBLEMS)
