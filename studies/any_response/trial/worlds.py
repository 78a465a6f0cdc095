"""The worlds of the trial: a name, a generator of random problems, and which policies it suits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from allotment.arrays import FloatArray
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Exponential, Linear, Logistic, Response, Step
from studies.any_response.further import HALF_LIFE, HISTORY
from studies.any_response.further import ROUNDS as PEER_ROUNDS
from studies.any_response.trial import unseen
from studies.any_response.worlds import (
    DAILY_KINDS,
    KINDS,
    UNIT,
    daily_problem,
    peer_problem,
    problem_in,
    tabled,
    up_to_units,
)

HORIZON = 3_000
ARMS = 12
LEAKS = (0.05, 0.65)
LOW_RATES = (0.001, 0.02)
UNITS = (0.05, 0.1, 0.2, 0.25)
DRIFT = 300  # rounds after which everything is new
DAILY_MEDIANS = (0.05, 0.2)
SHAPES = ("step", "linear", "exponential", "logistic")

Draw = Callable[[np.random.Generator], Problem | Changing]


@dataclass(frozen=True)
class TrialWorld:
    """One world of the trial."""

    name: str
    draw: Draw
    horizon: int = HORIZON
    steps: bool = False  # whether responses are steps, so that policies can be told thresholds
    leaks: bool = False
    half_life: float | None = None  # told to AnyResponse where the world drifts
    history: int | None = None  # daily use: days at amount 0 before the first plan

    @property
    def daily(self) -> bool:
        """Whether this is a world of daily use, where total losses count instead of regret."""
        return self.history is not None


def _rates_levels_budget(stream: np.random.Generator) -> tuple[FloatArray, FloatArray, float]:
    levels = stream.uniform(UNIT, 1.0, ARMS)
    return stream.uniform(0.0, 1.0, ARMS), levels, float(stream.uniform(0.3, 0.7) * levels.sum())


def levels_and_budget(stream: np.random.Generator) -> tuple[FloatArray, float]:
    """The amounts around which the curves of the arms fall, and a budget that is too small for all."""
    levels = stream.uniform(UNIT, 1.0, ARMS)
    return levels, float(stream.uniform(0.3, 0.7) * levels.sum())


def response_of(
    shape: str, levels: FloatArray, stream: np.random.Generator, leak: float | list[float] = 0.0
) -> Response:
    """A response of this shape, whose curves fall around the levels."""
    match shape:
        case "step":
            return Step(up_to_units(levels), leak)
        case "linear":
            return Linear(levels.tolist(), leak)
        case "exponential":
            return Exponential((levels / stream.uniform(1.5, 3.0)).tolist(), leak)
        case _:
            return Logistic(levels.tolist(), float(stream.uniform(0.02, 0.15)), leak)


def _studied(kind: str, stream: np.random.Generator) -> Problem:
    return problem_in(kind, _any_seed(stream))


def _leaking(shape: str, stream: np.random.Generator) -> Problem:
    """One leak for all arms in half of the problems, another leak for each arm in the other half."""
    rates, levels, budget = _rates_levels_budget(stream)
    same = stream.random() < 0.5
    leak = float(stream.uniform(*LEAKS)) if same else stream.uniform(*LEAKS, ARMS).tolist()
    return Problem(rates, budget=budget, response=response_of(shape, levels, stream, leak), unit=UNIT)


def _low_rates(shape: str, stream: np.random.Generator) -> Problem:
    """Loss rates spread log-normally, and cut off at both ends."""
    _, levels, budget = _rates_levels_budget(stream)
    middle = np.log(LOW_RATES).mean()
    rates = np.clip(np.exp(stream.normal(middle, 0.75, ARMS)), *LOW_RATES)
    return Problem(rates, budget=budget, response=response_of(shape, levels, stream), unit=UNIT)


def _mixed_units(stream: np.random.Generator) -> Problem:
    """Another unit for every problem, another shape for every arm."""
    unit = float(stream.choice(UNITS))
    rates, levels, budget = _rates_levels_budget(stream)
    shapes = stream.choice(SHAPES, ARMS)
    responses = [response_of(shapes[i], levels[i : i + 1], stream) for i in range(ARMS)]
    return Problem(rates, budget=budget, response=tabled(responses, unit), unit=unit)


def _off_unit(stream: np.random.Generator) -> Problem:
    rates, levels, budget = _rates_levels_budget(stream)
    return Problem(rates, thresholds=levels, budget=budget)


def _drifting(shape: str, stream: np.random.Generator) -> Changing:
    """New loss rates and new curves in every stage; the budget stays."""
    _, _, budget = _rates_levels_budget(stream)
    stages = []
    for start in range(1, HORIZON, DRIFT):
        rates, levels, _ = _rates_levels_budget(stream)
        response = response_of(shape, levels, stream)
        stages.append((start, Problem(rates, budget=budget, response=response, unit=UNIT)))
    return Changing(stages)


def _daily(kind: str, median: float, stream: np.random.Generator) -> Problem:
    return daily_problem(kind, median, _any_seed(stream))


def _peer(stream: np.random.Generator) -> Problem:
    return peer_problem(_any_seed(stream))


def _any_seed(stream: np.random.Generator) -> int:
    return int(stream.integers(2**52))


def _fixed_worlds() -> Iterator[TrialWorld]:
    for kind in KINDS:
        steps, leaks = kind in ("step", "leak"), kind == "leak"
        yield TrialWorld(kind, partial(_studied, kind), steps=steps, leaks=leaks)
    for shape in SHAPES:
        yield TrialWorld(f"{shape}, large leaks", partial(_leaking, shape), steps=shape == "step", leaks=True)
    for shape in ("exponential", "step"):
        yield TrialWorld(f"{shape}, low rates", partial(_low_rates, shape), steps=shape == "step")
    yield TrialWorld("mixed units", _mixed_units)
    yield TrialWorld("off-unit thresholds", _off_unit, steps=True)
    for shape in ("exponential", "step"):
        yield TrialWorld(f"{shape}, drift", partial(_drifting, shape), half_life=HALF_LIFE)
    yield TrialWorld("Xu et al., finds", _peer, horizon=PEER_ROUNDS)
    for median in DAILY_MEDIANS:
        for kind in DAILY_KINDS:
            for history in (0, HISTORY):
                name = f"daily: {kind}, rates {median:g}, history {history}"
                yield TrialWorld(name, partial(_daily, kind, median), history=history)


FIXED = tuple(_fixed_worlds())  # frozen with the rule


def unseen_worlds() -> tuple[TrialWorld, ...]:
    """The worlds written after the freeze."""
    return tuple(TrialWorld(name, draw) for name, draw in unseen.UNSEEN.items())


def draw_problem(world: TrialWorld, seed: int, k: int) -> tuple[Problem | Changing, int]:
    """The k-th problem of a world, and the seed of its luck; both depend on the seed, the name and k only."""
    key = np.random.SeedSequence(seed, spawn_key=(*world.name.encode(), k))
    problem, luck = (np.random.default_rng(each) for each in key.spawn(2))
    return world.draw(problem), _any_seed(luck)


def unit_of(problem: Problem | Changing) -> float:
    """The unit in which policies grant; where any amount counts, that of the study."""
    first = problem.first if isinstance(problem, Changing) else problem
    return first.unit or UNIT
