"""The forecast: worlds drawn from what is known, this policy played in them, and what else one might do."""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.answers.answer import Answer
from allotment.campaign.answers.plain_rules import PRIOR, equal_split, hot_spots
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs
from allotment.campaign.planning.plan_bounds import PlanBounds, bounds_of
from allotment.campaign.settings import Settings
from allotment.checks import whole
from allotment.plots.bands import Band, BandPanel, draw_bands
from allotment.streams import environment_stream, policy_stream

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What a round of the policy takes, about, in milliseconds; so that a forecast takes some seconds, always
# with the same worlds.
EACH_ROUND, EACH_AMOUNT, IN_ALL = 0.6, 0.002, 4000.0
LEAST_WORLDS, MOST_WORLDS = 8, 100
POLICY, EQUAL, HOT_SPOTS, REPEATED = "this policy", "equal split", "hot spots", "today's plan repeated"


@dataclass(frozen=True)
class Outlook:
    """What one way to plan is expected to lose: over all rounds, and round by round, added up."""

    plans_by: str
    losses: float
    low: float
    high: float
    path: tuple[float, ...]


@dataclass(frozen=True)
class Forecast(Answer):
    """Losses to expect in the next rounds, in worlds as the evidence allows them; with 90 % bands."""

    rounds: int
    worlds: int
    every: int  # rounds after which plans were made anew, to save time
    outlooks: tuple[Outlook, ...]

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data."""
        return {**vars(self), "outlooks": [vars(each) for each in self.outlooks]}

    def columns(self) -> tuple[str, ...]:
        """Of the table."""
        return ("who plans", "losses expected", "from", "to")

    def rows(self) -> list[tuple[Any, ...]]:
        """A row for each way to plan."""
        return [(each.plans_by, each.losses, each.low, each.high) for each in self.outlooks]

    def plot(self) -> "Figure":
        """Draw the losses to expect, added up round by round, for each way to plan."""
        rounds = range(1, self.rounds + 1)
        bands = tuple(Band(each.plans_by, list(rounds), each.path) for each in self.outlooks)
        return draw_bands([BandPanel(bands)], "Rounds from now", "Losses to expect, added up")

    def sentences(self) -> list[str]:
        """What it is a forecast of."""
        said = [
            f"In {self.rounds} rounds, what each loss costs included; {self.worlds} worlds drawn from what "
            f"the reports allow. It holds as far as the model does."
        ]
        if self.every > 1:
            said.append(f"To save time, plans were made anew every {self.every} rounds only.")
        return said


def forecast_of(inputs: PlanInputs, rounds: Any) -> Forecast:
    """Play the next rounds in worlds drawn from what is known. The same inputs give the same forecast."""
    rounds = whole("rounds", rounds, least=1, most=100_000)
    settings = inputs.settings
    bounds = bounds_of(settings)
    arms = bounds.arms
    evidence = decision.model_evidence(settings, inputs.tallies, arms)
    each = EACH_ROUND + EACH_AMOUNT * len(arms) * settings.steps
    worlds = int(min(max(IN_ALL / (each * rounds), LEAST_WORLDS), MOST_WORLDS))
    every = max(1, math.ceil(each * rounds * worlds / (1.5 * IN_ALL)))
    curves = decision.posterior_of(settings, evidence, arms).draw(worlds, settings.seed)
    cost = decision.severities_of(settings, arms)
    seen = np.full(len(arms), PRIOR)
    for row in evidence:
        seen[row.arm] += row.losses
    plan = decision.fitted(settings, evidence, bounds, inputs.plan)
    today = decision.drawn_units(settings, plan, bounds)

    begun = decision.started(settings, evidence, bounds, policy_stream(settings.seed, 0))

    def policy(world: int) -> "_Player":
        learner = copy.deepcopy(begun)
        learner.stream = policy_stream(settings.seed, world)
        return _Player(
            lambda: np.rint(learner.ask() * settings.steps).astype(np.int64),
            lambda _, lost: learner.tell(lost),
        )

    def hot(world: int) -> "_Player":
        counted = seen * cost

        def learn(units: IntArray, lost: FloatArray) -> None:
            counted[:] += lost * cost

        return _Player(lambda: hot_spots(counted, bounds), learn)

    def always(units: IntArray) -> Callable[[int], "_Player"]:
        return lambda world: _Player(lambda: units, lambda *_: None)

    ways = (
        (POLICY, policy),
        (EQUAL, always(equal_split(bounds))),
        (HOT_SPOTS, hot),
        (REPEATED, always(today)),
    )
    outlooks = []
    for name, start in ways:
        paths = np.array(
            [_played(start(w), curves[w], settings, bounds, rounds, every, w) for w in range(worlds)]
        )
        low, high = np.quantile(paths[:, -1], (0.05, 0.95)).tolist()
        mean = paths.mean(axis=0)
        outlooks.append(Outlook(name, float(mean[-1]), low, high, tuple(mean.tolist())))
    return Forecast(rounds, worlds, every, tuple(outlooks))


@dataclass(frozen=True)
class _Player:
    """Grants units, and learns from what was seen."""

    ask: Callable[[], IntArray]
    tell: Callable[[IntArray, FloatArray], None]


def _played(
    player: _Player,
    curves: FloatArray,
    settings: Settings,
    bounds: PlanBounds,
    rounds: int,
    every: int,
    world: int,
) -> FloatArray:
    """Expected losses so far, after every round of one world; all players of a world have the same luck."""
    luck, cost = environment_stream(settings.seed, world), decision.severities_of(settings, bounds.arms)
    arms, lost_a_round = np.arange(cost.size), np.empty(rounds)
    for t in range(0, rounds, every):
        units = player.ask()
        expected = curves[arms, units]
        seen = curves[:, 0] - expected if settings.sees == "finds" else expected
        if settings.losses == "counts":
            lost = luck.poisson(np.maximum(seen, 0.0)).astype(np.float64)
        else:
            lost = (luck.random(cost.size) < seen).astype(np.float64)
        player.tell(units, lost)
        lost_a_round[t : t + every] = expected @ cost
    return np.cumsum(lost_a_round)
