"""The policies of the trial: who plays in which world."""

from collections.abc import Callable, Iterator
from functools import partial

from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.policies.cts import Cts
from allotment.policies.cucb_dra import CucbDra
from allotment.policies.equal_split import EqualSplit
from allotment.policies.hot_spots import HotSpots
from allotment.policies.joint import Joint
from allotment.policies.known_response import KnownResponse
from allotment.policies.pair_ts import PairTs
from allotment.policies.top_places import TopPlaces
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from studies.any_response.trial.worlds import TrialWorld, unit_of

RULE = "AnyResponse"
SIMPLE = ("Hot spots", "Top places", "Equal split")
# The forms called "averaged" average two draws and use optimistic rates, as AnyResponse does.
TOLD = ("TS told the curves", "TS told the curves, averaged")
CTS = ("CTS", "CTS, averaged")
MONOTONE = "TS on pairs, monotone"
PAIRS = ("TS on pairs", MONOTONE, "CUCB-DRA", "CUCB-DRA, monotone")
LEAK_CHANCE = 0.01

Make = Callable[..., Policy]  # from a problem

MAKERS: dict[str, Make] = {
    "Hot spots": lambda problem: HotSpots(unit=unit_of(problem)),
    "Top places": lambda problem: TopPlaces(unit=unit_of(problem)),
    "Equal split": lambda problem: EqualSplit(),
    "TS told the curves": KnownResponse,
    "TS told the curves, averaged": lambda problem: KnownResponse(problem, draws=2, optimistic=True),
    "CTS": lambda problem: Cts(thresholds=problem.thresholds.tolist()),
    "CTS, averaged": lambda problem: Cts(thresholds=problem.thresholds.tolist(), draws=2, optimistic=True),
    "Joint": lambda problem: Joint(resolution=unit_of(problem), leak_chance=LEAK_CHANCE),
    "TS on pairs": lambda problem: PairTs(unit=unit_of(problem), prior="learnt", sees=problem.sees),
    MONOTONE: lambda problem: PairTs(unit=unit_of(problem), prior="learnt", sees=problem.sees, monotone=True),
    "CUCB-DRA": lambda problem: CucbDra(unit=unit_of(problem), sees=problem.sees),
    "CUCB-DRA, monotone": lambda problem: CucbDra(unit=unit_of(problem), sees=problem.sees, monotone=True),
}


def _names(world: TrialWorld) -> Iterator[str]:
    yield from SIMPLE
    if world.daily:
        return
    if world.half_life is None:  # no policy can be told curves that change
        yield from TOLD
    if world.steps:
        yield from (*CTS, "Joint")
    yield from PAIRS if world.leaks else (MONOTONE,)


def _rule(world: TrialWorld, problem: Problem | Changing) -> Policy:
    return AnyResponse(
        unit=unit_of(problem), sees=problem.sees, losses=problem.losses, half_life=world.half_life
    )


def contestants(world: TrialWorld) -> dict[str, Make]:
    """The policies that play in this world, by name."""
    return {RULE: partial(_rule, world)} | {name: MAKERS[name] for name in _names(world)}
