"""The forecast: the campaign's policy and simpler rules, played in worlds drawn from the posterior."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.answers.answer import Answer, between, short
from allotment.campaign.answers.plain_rules import equal_split, hot_spots, losses_seen
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs
from allotment.campaign.planning.calm import limited
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.planning.plan_bounds import PlanBounds
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
ADDED_UP = "Losses to expect, added up"
POLICY, EQUAL, HOT_SPOTS, REPEATED = "this policy", "equal split", "hot spots", "today's plan repeated"


@dataclass(frozen=True)
class Outlook:
    """The expected losses and cost of one rule over all rounds."""

    plans_by: str
    losses: float
    low: float
    high: float
    cost: float  # losses weighted by severity
    cost_low: float
    cost_high: float
    path: "Path"  # round by round, added up: losses,
    cost_path: "Path"  # and their cost

    def to_dict(self) -> dict[str, Any]:
        """The outlook as plain data."""
        return {**vars(self), "path": self.path._asdict(), "cost_path": self.cost_path._asdict()}


class Path(NamedTuple):
    """Cumulative numbers, round by round, with their 90 % band."""

    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @classmethod
    def of(cls, worlds: FloatArray) -> "Path":
        """The mean and band over worlds; `worlds` is worlds x rounds."""
        low, high = np.quantile(worlds, (0.05, 0.95), axis=0)
        return cls(*(tuple(each.tolist()) for each in (worlds.mean(axis=0), low, high)))


@dataclass(frozen=True)
class Forecast(Answer):
    """The expected losses of the next rounds under several rules, with 90 % bands.

    Attributes
    ----------
    rounds : int
        The number of rounds.
    worlds : int
        The number of worlds drawn from the posterior.
    every : int
        The number of rounds that each plan is repeated, to save time.
    weighted : bool
        Whether some severity differs from 1, so that losses and cost differ.
    outlooks : tuple of Outlook
        The expectations of each rule.
    """

    rounds: int
    worlds: int
    every: int
    weighted: bool
    outlooks: tuple[Outlook, ...]

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data."""
        return {**vars(self), "outlooks": [each.to_dict() for each in self.outlooks]}

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        cost = ("expected cost", "cost from", "cost to") if self.weighted else ()
        return ("who plans", "expected losses", "losses from", "losses to", *cost)

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per rule."""
        return [
            (
                *(each.plans_by, each.losses, each.low, each.high),
                *((each.cost, each.cost_low, each.cost_high) if self.weighted else ()),
            )
            for each in self.outlooks
        ]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The same, with each band in one cell."""
        rows: list[Sequence[Any]] = []
        for name, losses, low, high, *cost in self.rows():
            bands = [(losses, low, high), tuple(cost)] if cost else [(losses, low, high)]
            cells = [f"{short(mean)} ({between(a, b)})" for mean, a, b in bands]
            rows.append((name, *cells))
        return ("who plans", "expected losses", *(("expected cost",) if self.weighted else ())), rows

    def panels(self) -> list[BandPanel]:
        """Losses added up round by round for each way to plan, and where severities differ cost as well."""
        rounds = list(range(1, self.rounds + 1))
        kinds = {ADDED_UP: "path"}
        if self.weighted:
            kinds["Cost to expect, added up"] = "cost_path"
        return [
            BandPanel(
                tuple(Band(each.plans_by, rounds, *getattr(each, kind)) for each in self.outlooks),
                title if self.weighted else "",
            )
            for title, kind in kinds.items()
        ]

    def plot(self) -> "Figure":
        """Draw what is to be expected, added up round by round, for each way to plan."""
        y_label = "" if self.weighted else ADDED_UP
        note = "Bands hold 90 % of the worlds that the reports allow"
        return draw_bands(self.panels(), "Rounds from now", y_label, note=note, same_scale=False)

    def sentences(self) -> list[str]:
        """What it is a forecast of."""
        said = [
            f"In {self.rounds} rounds, with 90 % bands; {self.worlds} worlds drawn from what the reports "
            "allow. It holds as far as the model does."
        ]
        if self.every > 1:
            said.append(f"To save time, each plan was repeated for {self.every} rounds.")
        return said


def forecast_of(
    inputs: PlanInputs, rounds: Any, progress: Callable[[float], None] = lambda share: None
) -> Forecast:
    """Play the next rounds in worlds drawn from what is known. The same inputs give the same forecast.

    `progress` is called with the share of the work that is done.
    """
    rounds = whole("rounds", rounds, least=1, most=100_000)
    settings = inputs.settings
    bounds = inputs.bounds()
    arms = bounds.arms
    evidence = decision.model_evidence(settings, inputs.tallies, arms)
    each = EACH_ROUND + EACH_AMOUNT * len(arms) * settings.steps
    worlds = int(min(max(IN_ALL / (each * rounds), LEAST_WORLDS), MOST_WORLDS))
    every = max(1, math.ceil(each * rounds * worlds / (1.5 * IN_ALL)))
    curves = decision.posterior_of(settings, evidence, arms).draw(worlds, settings.seed)
    cost = decision.severities_of(settings, arms)
    seen = losses_seen(evidence)
    plan = decision.fitted(settings, evidence, bounds, inputs.plan)
    today = decision.drawn_units(settings, plan, bounds)

    begun = decision.started(settings, evidence, bounds, policy_stream(settings.seed, 0))

    def policy(world: int) -> "_Player":
        learner = copy.deepcopy(begun)
        learner.stream = policy_stream(settings.seed, world)
        within = bounds

        def grant() -> IntArray:
            nonlocal within
            units = decision.drawn_units(settings, learner, within)
            if within.moves is not None and settings.moves is not None:
                within = limited(within, units, settings.moves)
            return units

        def learn(units: IntArray, lost: FloatArray) -> None:
            learner.tell(lost, units / settings.steps if bounds.beyond_policy else None)

        return _Player(grant, learn)

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
        played = []
        for w in range(worlds):
            if name == POLICY:  # the others take no time beside it
                progress(w / worlds)
            played.append(_played(start(w), curves[w], settings, bounds, rounds, every, w))
        lost, spent = np.array(played).transpose(1, 0, 2)
        path, costs = Path.of(lost), Path.of(spent)
        at_end = [each[-1] for each in (*path, *costs)]
        parts = ("losses", "low", "high", "cost", "cost_low", "cost_high")
        totals: dict[str, Any] = dict(zip(parts, at_end, strict=True))
        outlooks.append(Outlook(name, **totals, path=path, cost_path=costs))
    return Forecast(rounds, worlds, every, is_weighted(settings), tuple(outlooks))


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
    """Expected losses and cost so far, after every round of one world, whose players have the same luck."""
    luck, cost = environment_stream(settings.seed, world), decision.severities_of(settings, bounds.arms)
    arms, a_round = np.arange(cost.size), np.empty((2, rounds))
    for t in range(0, rounds, every):
        units = player.ask()
        expected = curves[arms, units]
        seen = curves[:, 0] - expected if settings.sees == "finds" else expected
        if settings.losses == "counts":
            lost = luck.poisson(np.maximum(seen, 0.0)).astype(np.float64)
        else:
            lost = (luck.random(cost.size) < seen).astype(np.float64)
        player.tell(units, lost)
        a_round[0, t : t + every], a_round[1, t : t + every] = expected.sum(), expected @ cost
    return np.cumsum(a_round, axis=1)
