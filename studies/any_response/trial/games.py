"""Fixed games whose decisions are frozen: every policy, and every part of AnyResponse's rule at work."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from allotment.evidence import Evidence
from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Exponential, Linear, Logistic, Response, Step
from studies.any_response.trial.contestants import MAKERS
from studies.any_response.worlds import KINDS, UNIT, daily_problem, peer_problem, problem_in

SEED = 29
ROUNDS, LONG = 300, 6_000  # the long games reach every device of the rule
LOOKED_AT = frozenset((1, 2, 3, 5, 10, 20, 50, 100, 200, 300, 500, 1_000, 2_000, 3_000, 4_000, 5_000, LONG))
ARMS = 6
CURVES: Mapping[str, Response] = {
    "step": Step([0.2, 0.4, 0.5, 0.6, 0.8, 1.0], 0.3),
    "linear": Linear([0.3, 0.5, 0.7, 0.9, 1.1, 1.3], 0.2),
    "exponential": Exponential([0.1, 0.2, 0.25, 0.3, 0.4, 0.6], 0.1),
    "logistic": Logistic([0.2, 0.3, 0.5, 0.6, 0.7, 0.9], 0.08, 0.4),
}
RATES = [0.9, 0.05, 0.4, 0.6, 0.15, 0.3]
BOUNDS: Mapping[str, Mapping[str, Any]] = {
    "least": {"least": [0.2, 0.0, 0.0, 0.1, 0.0, 0.3]},
    "most": {"most": [0.5, 0.5, 0.2, 1.0, 1.0, 0.0]},
    "least and most": {"least": 0.1, "most": 0.6},
    "groups": {"groups": {"north": ([0, 1, 2], 0.3, 0.8), "south": ([3, 4], 0.0, 0.6)}},
    "crew": {"crew": 0.3},
    "moves": {"before": [0.5, 0.5, 0.5, 0.2, 0.3, 0.0], "moves": 0.2},
}


@dataclass(frozen=True)
class Game:
    """A policy, a problem, and what the policy is told before the first round."""

    name: str
    policy: Policy
    problem: Problem
    rounds: int = ROUNDS
    told: Mapping[str, Any] = field(default_factory=dict)

    def decisions(self) -> dict[str, str]:
        """The allocation in units, at some rounds."""
        problem = self.problem
        unit = getattr(self.policy, "unit", UNIT)
        luck = np.random.default_rng(SEED)
        learner = self.policy.start(
            problem.arms, problem.budget, seed=SEED, severities=problem.severities, **self.told
        )
        found = {}
        for t in range(1, self.rounds + 1):
            grants = learner.ask()
            if t in LOOKED_AT:
                found[f"round {t}"] = " ".join(f"{each:.6g}" for each in grants / unit)
            learner.tell(_seen(problem, problem.remaining(grants), luck))
        return found


def _seen(problem: Problem, remaining: Any, luck: np.random.Generator) -> Any:
    share = remaining if problem.sees == "losses" else 1.0 - remaining
    chance = problem.loss_rates * share
    return luck.poisson(chance) if problem.losses == "counts" else luck.random(problem.arms) < chance


def _problem(shape: str, unit: float = 0.1, **kind: Any) -> Problem:
    return Problem(RATES, budget=2.0, response=CURVES[shape], unit=unit, **kind)


def _history(rounds: int, amounts: tuple[float, ...] = (0.0,)) -> Evidence:
    """The same rounds at each amount, with losses as a step at 0.4 would have them."""
    rows = [
        (i, amount, rounds, round(rounds * rate * (1.0 if amount < 0.4 else 0.05)))
        for i, rate in enumerate(RATES)
        for amount in amounts
    ]
    return Evidence(ARMS, rows)


def _games_of_the_rule() -> Iterator[Game]:
    for seed, kind in enumerate(KINDS):
        yield Game(f"{kind}", AnyResponse(), problem_in(kind, seed))
    for kind in ("step", "exponential", "mixed", "piecewise"):
        yield Game(f"{kind}, long", AnyResponse(), problem_in(kind, 4), LONG)
    for shape in CURVES:
        yield Game(f"{shape}, leaks", AnyResponse(), _problem(shape, UNIT))
        yield Game(
            f"{shape}, counts", AnyResponse(unit=0.1, losses="counts"), _problem(shape, losses="counts")
        )
        yield Game(f"{shape}, finds", AnyResponse(unit=0.1, sees="finds"), _problem(shape, sees="finds"))
    yield Game("peer", AnyResponse(unit=0.1, sees="finds"), peer_problem(SEED), 500)
    for name, bounds in BOUNDS.items():
        yield Game(f"bounds: {name}", AnyResponse(unit=0.1), _problem("step"), told=bounds)
    for shape, half_life in (("exponential", 250.0), ("step", 250.0), ("logistic", 40.0)):
        rounds = 2_000 if half_life == 250.0 else ROUNDS
        rule = AnyResponse(unit=0.1, half_life=half_life)
        yield Game(f"{shape}, half-life {half_life:g}", rule, _problem(shape), rounds)
    for shape in ("linear", "step"):
        severe = _problem(shape, severities=[1.0, 20.0, 3.0, 1.0, 8.0, 2.0])
        yield Game(f"{shape}, severities", AnyResponse(unit=0.1), severe)
    for rounds in (5, 365, 20_000):
        for amounts in ((0.0,), (0.0, 0.2, 0.4, 0.8)):
            told = {"evidence": _history(rounds, amounts)}
            name = f"history of {rounds} rounds at {len(amounts)} amounts"
            yield Game(name, AnyResponse(unit=0.1), _problem("step"), told=told)
    for unit in (0.5, 0.25, 0.2):
        for shape in ("step", "exponential"):
            yield Game(f"{shape}, unit {unit:g}", AnyResponse(unit=unit), _problem(shape, unit))
    for shape in ("step", "exponential"):
        rare = Problem(np.array(RATES) / 50.0, budget=2.0, response=CURVES[shape], unit=UNIT)
        yield Game(f"{shape}, low rates", AnyResponse(), rare, 1_000)
    for kind in ("step", "exponential"):
        yield Game(f"daily {kind}", AnyResponse(unit=0.25), daily_problem(kind, 0.2, SEED), 100)


def _games_of_others() -> Iterator[Game]:
    """Every other policy, in a world of steps that leak."""
    problem = problem_in("leak", 1)
    for name, make in MAKERS.items():
        yield Game(f"{name}, losses", make(problem), problem)
    peer = peer_problem(SEED)
    for name in ("Hot spots", "TS told the curves", "TS told the curves, averaged", "TS on pairs, monotone"):
        yield Game(f"{name}, finds", MAKERS[name](peer), peer)


def games() -> tuple[Game, ...]:
    """All games."""
    return (*_games_of_the_rule(), *_games_of_others())
