"""The worlds of counts: a set of their own, with its own frozen file, number, results and page.

Rates, responses and budgets are random. `mean` is the mean count of an arm with the highest rate. Counts are
Poisson or negative binomial numbers, or every unit prevents at most one incident of a Poisson number. Worlds
that drift have new rates and curves every 300 rounds, and AnyResponse has a half-life there.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.policies.capped_ts import CappedTs
from allotment.policies.equal_split import EqualSplit
from allotment.policies.hot_spots import HotSpots
from allotment.policies.known_response import KnownResponse
from allotment.policies.top_places import TopPlaces
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Capped, Exponential
from studies.any_response.further import HALF_LIFE
from studies.any_response.trial.extent import Extent
from studies.any_response.trial.games import Game
from studies.any_response.trial.limits import Limit
from studies.any_response.trial.worlds import DRIFT, SHAPES, TrialWorld, levels_and_budget, response_of
from studies.any_response.worlds import UNIT

HORIZON = 1_000
EXTENT = Extent(problems=12, runs=2, horizon=HORIZON)
MEANS = (0.1, 1.0, 10.0, 100.0)
LOWEST_SHARE = 0.05  # of the highest rate
LAWS: Mapping[str, float] = {"Poisson": 0.0, "size 5": 0.2, "size 1": 1.0}
CAPPED = "capped"

RULE, TOLD, TOLD_OF_CAPS = "AnyResponse", "TS told the curves", "TS told of caps"
SIMPLE = ("Hot spots", "Top places", "Equal split")
Make = Callable[[Problem | Changing], Policy]


def _rates(mean: float, stream: np.random.Generator, arms: int) -> Any:
    return mean * stream.uniform(LOWEST_SHARE, 1.0, arms)


def _gradual(law: str, sees: str, mean: float, stream: np.random.Generator) -> Iterator[Problem]:
    """Problems that differ in rates and curves."""
    shape = str(stream.choice(SHAPES))
    levels, budget = levels_and_budget(stream)
    while True:
        yield Problem(
            _rates(mean, stream, levels.size),
            budget=budget,
            response=response_of(shape, levels, stream),
            unit=UNIT,
            losses="counts",
            overdispersion=LAWS[law],
            sees=sees,
        )
        levels, _ = levels_and_budget(stream)


def _capped(sees: str, mean: float, stream: np.random.Generator) -> Iterator[Problem]:
    """Problems with a budget of 0.3 to 0.7 times the units that the mean counts would take."""
    levels, _ = levels_and_budget(stream)
    rates, units = _rates(mean, stream, levels.size), round(1.0 / UNIT)
    needed = np.minimum(np.ceil(rates), units).sum()
    budget = max(1.0, round(stream.uniform(0.3, 0.7) * needed)) / units
    while True:
        yield Problem(rates, budget=budget, response=Capped(), unit=UNIT, losses="counts", sees=sees)
        rates = _rates(mean, stream, levels.size)


def _problems(law: str, sees: str, mean: float, stream: np.random.Generator) -> Iterator[Problem]:
    return _capped(sees, mean, stream) if law == CAPPED else _gradual(law, sees, mean, stream)


def _steady(law: str, sees: str, mean: float, stream: np.random.Generator) -> Problem:
    return next(_problems(law, sees, mean, stream))


def _drifting(law: str, sees: str, mean: float, stream: np.random.Generator) -> Changing:
    made = _problems(law, sees, mean, stream)
    return Changing([(start, next(made)) for start in range(1, HORIZON, DRIFT)])


def _worlds() -> Iterator[TrialWorld]:
    for law in (*LAWS, CAPPED):
        for sees in ("losses", "finds"):
            for mean in MEANS:
                name = f"{law}, {sees}, mean {mean:g}"
                yield TrialWorld(name, partial(_steady, law, sees, mean), horizon=HORIZON)
                yield TrialWorld(
                    f"{name}, drift",
                    partial(_drifting, law, sees, mean),
                    horizon=HORIZON,
                    half_life=HALF_LIFE,
                )


WORLDS = tuple(_worlds())
LIMITS = (
    Limit(
        "regret over the best simple policy",
        tuple(world.name for world in WORLDS),
        SIMPLE,
        at_most=2.4,
        goal=1.0,
    ),
)


def contestants(world: TrialWorld) -> dict[str, Make]:
    """The policies that play in a world of counts, by name. None can be told curves that change."""
    makers: dict[str, Make] = {
        RULE: lambda problem: AnyResponse(
            unit=UNIT, losses="counts", sees=problem.sees, half_life=world.half_life
        ),
        "Hot spots": lambda problem: HotSpots(unit=UNIT),
        "Top places": lambda problem: TopPlaces(unit=UNIT),
        "Equal split": lambda problem: EqualSplit(unit=UNIT),
    }
    if world.half_life is None:
        makers[TOLD] = KnownResponse  # type: ignore[assignment]
        if world.name.startswith(CAPPED):
            makers[TOLD_OF_CAPS] = lambda problem: CappedTs(unit=UNIT, sees=problem.sees)
    return makers


def _game_problem(mean: float, **law: Any) -> Problem:
    given: dict[str, Any] = {"response": Exponential([0.1, 0.2, 0.3, 0.4])} | law
    return Problem(mean * np.array([1.0, 0.3, 0.6, 0.1]), budget=1.0, unit=0.1, losses="counts", **given)


def games() -> Iterator[Game]:
    """Fixed games whose decisions are frozen."""
    for sees in ("losses", "finds"):
        for mean in MEANS:
            for half_life in (None, HALF_LIFE):
                rule = AnyResponse(unit=0.1, losses="counts", sees=sees, half_life=half_life)
                name = f"{sees}, mean {mean:g}, half-life {half_life or 'none'}"
                yield Game(name, rule, _game_problem(mean, sees=sees))
        yield Game(
            f"capped, {sees}",
            AnyResponse(unit=0.1, losses="counts", sees=sees),
            _game_problem(8.0, response=Capped(), sees=sees),
        )
    for name, make in contestants(WORLDS[0]).items():
        problem = _game_problem(1.0)
        yield Game(f"{name}, others' game", make(problem), problem)
