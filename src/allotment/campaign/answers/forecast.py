"""The forecast: the campaign's policy and simpler rules, played in worlds drawn from the posterior."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.answer import Answer, Record, between, short
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs
from allotment.campaign.planning.calm import limited
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.planning.plain_rules import equal_split, hot_spots, losses_seen
from allotment.campaign.planning.plan_bounds import widest
from allotment.campaign.settings.settings import Settings
from allotment.checks import whole
from allotment.plots.bands import Band, BandPanel, draw_bands
from allotment.randomness.streams import environment_stream, policy_stream

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What a round of the policy takes, about, in milliseconds; so that a forecast takes some seconds, always
# with the same worlds.
EACH_ROUND, EACH_AMOUNT, IN_ALL = 0.6, 0.002, 4000.0
LEAST_WORLDS, MOST_WORLDS = 8, 100
ADDED_UP = "Losses to expect, added up"
POLICY, EQUAL, HOT_SPOTS, REPEATED = "this policy", "equal split", "hot spots", "today's plan repeated"


@dataclass(frozen=True)
class Outlook(Record):
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
    situations : dict of str to int
        The number of rounds of each situation, by the calendar. Empty if the campaign has no situations.
    """

    rounds: int
    worlds: int
    every: int
    weighted: bool
    outlooks: tuple[Outlook, ...]
    situations: dict[str, int] = field(default_factory=dict)

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
        return draw_bands(
            self.panels(), f"Rounds from now{self._parts()}", y_label, note=note, same_scale=False
        )

    def sentences(self) -> list[str]:
        """What it is a forecast of."""
        said = [
            f"In {self.rounds} rounds{self._parts()}, with 90 % bands; {self.worlds} worlds "
            "drawn from what the reports allow. It holds as far as the model does."
        ]
        if self.every > 1:
            said.append(f"To save time, each plan was repeated for {self.every} rounds.")
        if len(self.situations) > 1:
            said.append(f"{REPEATED.capitalize()}: one plan for each situation, as it would be made today.")
        return said

    def _parts(self) -> str:
        """How many rounds are of each situation, in brackets."""
        parts = ", ".join(f"{count} {name}" for name, count in self.situations.items())
        return f" ({parts})" if parts else ""


def forecast_of(
    inputs: Sequence[PlanInputs], rounds: Any, progress: Callable[[float], None] = lambda share: None
) -> Forecast:
    """Play the next rounds in worlds drawn from what is known. The same inputs give the same forecast.

    `inputs` has the inputs of a plan for each situation; the calendar says which rounds follow. `progress`
    is called with the share of the work that is done.
    """
    rounds = whole("rounds", rounds, least=1, most=100_000)
    first = inputs[0]
    settings = first.settings
    course = _course(first, rounds)
    bounds = [each.bounds() for each in inputs]
    arms = bounds[0].arms
    evidence = decision.model_evidence(settings, first.tallies, arms)
    each = EACH_ROUND + EACH_AMOUNT * len(arms) * settings.steps
    worlds = int(min(max(IN_ALL / (each * rounds), LEAST_WORLDS), MOST_WORLDS))
    every = max(1, math.ceil(each * rounds * worlds / (1.5 * IN_ALL)))
    curves = [
        decision.posterior_of(settings, evidence, arms, c).draw(worlds, settings.seed)
        for c in range(len(inputs))
    ]
    cost = decision.severities_of(settings, arms)
    seen = np.array([losses_seen(evidence, c) for c in range(len(inputs))])
    several = len(bounds) > 1
    begun = decision.started(settings, evidence, widest(bounds), policy_stream(settings.seed, 0))

    def planned_today(c: int) -> IntArray:
        learner = decision.fitted(settings, evidence, bounds[c], inputs[c].plan)
        return decision.drawn_units(settings, learner, bounds[c], c)

    def policy(world: int) -> "_Player":
        learner = copy.deepcopy(begun)
        learner.stream = policy_stream(settings.seed, world)
        within = list(bounds)

        def grant(c: int) -> IntArray:
            units = decision.drawn_units(settings, learner, within[c], c, narrower=several)
            if within[c].moves is not None and settings.moves is not None:
                within[c] = limited(within[c], units, settings.moves)
            return units

        def learn(c: int, units: IntArray, lost: FloatArray) -> None:
            decision.learn(settings, learner, within[c], units, lost, narrower=several)

        return _Player(grant, learn)

    def hot(world: int) -> "_Player":
        counted = seen * cost

        def learn(c: int, units: IntArray, lost: FloatArray) -> None:
            counted[c] += lost * cost

        return _Player(lambda c: hot_spots(counted[c], bounds[c]), learn)

    def always(rule: Callable[[int], IntArray]) -> Callable[[int], "_Player"]:
        units = {c: rule(c) for c in sorted(set(course))}
        return lambda world: _Player(lambda c: units[c], lambda *_: None)

    ways = (
        (POLICY, policy),
        (EQUAL, always(lambda c: equal_split(bounds[c]))),
        (HOT_SPOTS, hot),
        (REPEATED, always(planned_today)),
    )
    outlooks = []
    for name, start in ways:
        played = []
        for w in range(worlds):
            if name == POLICY:  # the others take no time beside it
                progress(w / worlds)
            played.append(_played(start(w), [each[w] for each in curves], settings, cost, course, every, w))
        lost, spent = np.array(played).transpose(1, 0, 2)
        path, costs = Path.of(lost), Path.of(spent)
        at_end = [each[-1] for each in (*path, *costs)]
        parts = ("losses", "low", "high", "cost", "cost_low", "cost_high")
        totals: dict[str, Any] = dict(zip(parts, at_end, strict=True))
        outlooks.append(Outlook(name, **totals, path=path, cost_path=costs))
    names = settings.situations.names
    counts = {name: course.count(c) for c, name in enumerate(names) if c in course}
    return Forecast(rounds, worlds, every, is_weighted(settings), tuple(outlooks), counts)


def _course(first: PlanInputs, rounds: int) -> list[int]:
    """The situations of the next rounds, from the date of a plan on, by the calendar."""
    situations, found, day = first.settings.situations, list[int](), first.day
    if not situations.several:
        return [0] * rounds
    while len(found) < rounds:
        found.extend(situations.on(day))
        day = day + timedelta(days=1) if day < date.max else day
    return found[:rounds]


@dataclass(frozen=True)
class _Player:
    """Grants units in a situation, and learns from what was seen."""

    ask: Callable[[int], IntArray]
    tell: Callable[[int, IntArray, FloatArray], None]


def _played(
    player: _Player,
    curves: Sequence[FloatArray],
    settings: Settings,
    cost: FloatArray,
    course: Sequence[int],
    every: int,
    world: int,
) -> FloatArray:
    """Expected losses and cost so far, after every round of one world, whose players have the same luck.

    `curves` are by situation. A plan is repeated in `every` rounds of its situation.
    """
    luck, arms = environment_stream(settings.seed, world), np.arange(cost.size)
    a_round, expected = np.empty((2, len(course))), dict[int, FloatArray]()
    repeated = [0] * len(curves)
    for t, c in enumerate(course):
        if repeated[c] % every == 0:
            units = player.ask(c)
            expected[c] = curves[c][arms, units]
            seen = curves[c][:, 0] - expected[c] if settings.sees == "finds" else expected[c]
            if settings.losses == "counts":
                lost = luck.poisson(np.maximum(seen, 0.0)).astype(np.float64)
            else:
                lost = (luck.random(cost.size) < seen).astype(np.float64)
            player.tell(c, units, lost)
        repeated[c] += 1
        a_round[0, t], a_round[1, t] = expected[c].sum(), expected[c] @ cost
    return np.cumsum(a_round, axis=1)
