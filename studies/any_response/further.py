"""Further parts of the study: daily use, a published peer's world, and drift."""

import numpy as np

from allotment.arrays import FloatArray
from allotment.evidence import Evidence
from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.policies.clairvoyant import Clairvoyant
from allotment.policies.equal_split import EqualSplit
from allotment.policies.greedy_pairs import GreedyPairs
from allotment.policies.hot_spots import HotSpots
from allotment.policies.lizard import Lizard
from allotment.policies.pair_ts import PairTs
from allotment.policies.top_places import TopPlaces
from allotment.randomness.streams import policy_stream
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Piecewise
from studies.any_response.worlds import (
    CONFIRMING,
    DAILY_KINDS,
    DAILY_UNIT,
    DAYS,
    KINDS,
    UNIT,
    daily_problem,
    peer_problem,
    problem_in,
)
from studies.regret import mean_interval, mean_regret, ratio_interval

HISTORY = 365
CAMPAIGNS = 20
INSTANCES, RUNS, ROUNDS = 20, 10, 500  # of the peer's world
PEER_SIZES = ((25, 1.0), (25, 5.0), (100, 5.0), (100, 10.0))  # targets and budget
LIZARD = Lizard(unit=0.1, sees="finds")
GREEDY = GreedyPairs(unit=0.1, sees="finds")
PEERS = (AnyResponse(unit=0.1, sees="finds"), LIZARD, GREEDY, PairTs(unit=0.1, sees="finds", monotone=True))
HALF_LIFE = 250.0
CHANGES_AT, ENDS_AT = 2_001, 4_000


def daily_losses(problem: Problem, policy: Policy, history: int, seed: int) -> float:
    """Losses in all days, after so many days at amount 0; the luck depends on the seed alone."""
    luck = np.random.default_rng(np.random.SeedSequence([seed, 4]))
    before = luck.binomial(history, problem.loss_rates) if history else np.zeros(problem.arms)
    rows = [(i, 0.0, history, int(before[i])) for i in range(problem.arms)] if history else []
    learner = policy.start(
        problem.arms,
        problem.budget,
        seed=policy_stream(seed, replication=0),
        evidence=Evidence(problem.arms, rows),
    )
    total = 0.0
    for _ in range(DAYS):
        chance = problem.loss_rates * problem.remaining(learner.ask())
        lost = (luck.random(problem.arms) < chance).astype(np.float64)
        learner.tell(lost)
        total += lost.sum()
    return total


def daily(
    kind: str, median: float, history: int, seed: int = 0, campaigns: int = CAMPAIGNS
) -> dict[str, float]:
    """Mean losses of each policy in daily use."""
    policies: tuple[Policy, ...] = (
        AnyResponse(unit=DAILY_UNIT),
        HotSpots(unit=DAILY_UNIT),
        TopPlaces(unit=DAILY_UNIT),
        EqualSplit(),
    )
    losses: dict[str, list[float]] = {}
    for k in range(campaigns):
        problem = daily_problem(kind, median, seed + k)
        for policy in (*policies, Clairvoyant(problem)):
            losses.setdefault(policy.label, []).append(daily_losses(problem, policy, history, seed + k))
    return {label: float(np.mean(values)) for label, values in losses.items()}


def daily_table(seed: int = 0, campaigns: int = CAMPAIGNS) -> str:
    """Losses by rates, world and history."""
    lines = [
        "| rates | world | history | best | AnyResponse | hot spots | top places | equal split | share |",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for median in (0.05, 0.2):
        for kind in DAILY_KINDS:
            for history in (0, HISTORY):
                of = daily(kind, median, history, seed, campaigns)
                names = ("Clairvoyant", "AnyResponse", "Hot spots", "Top places", "Equal split")
                numbers = " | ".join(f"{of[name]:.0f}" for name in names)
                share = of["AnyResponse"] / of["Hot spots"]
                lines.append(f"| {median:g} | {kind} | {history} | {numbers} | {share:.2f} |")
    return "\n".join(lines)


def peer(
    targets: int,
    budget: float,
    seed: int = 0,
    workers: int | None = None,
    instances: int = INSTANCES,
    runs: int = RUNS,
) -> dict[str, FloatArray]:
    """Finds lost to the best: by policy, the mean over runs of every instance."""
    lost: dict[str, list[float]] = {}
    for k in range(instances):
        problem = peer_problem(seed + k, targets, budget)
        for policy in PEERS:
            mean = mean_regret(problem, policy, [ROUNDS], replications=runs, seed=seed, workers=workers)
            lost.setdefault(policy.label, []).append(float(mean[-1]))
    return {label: np.array(values) for label, values in lost.items()}


def peer_table(seed: int = 0, workers: int | None = None) -> str:
    """Finds lost, by policy, in the four sizes of the peer's experiments; and ours over two peers'."""
    labels = [policy.label for policy in PEERS]
    lines = [
        f"| targets | budget | {' | '.join(labels)} | over {LIZARD.label} | over {GREEDY.label} |",
        f"| ---: {'| ---: ' * (len(labels) + 3)}|",
    ]
    for targets, budget in PEER_SIZES:
        lost = peer(targets, budget, seed, workers)
        means = " | ".join(mean_interval(lost[label]).shown(0) for label in labels)
        ratios = " | ".join(
            ratio_interval(lost[labels[0]], lost[other.label]).shown() for other in (LIZARD, GREEDY)
        )
        lines.append(f"| {targets} | {budget:g} | {means} | {ratios} |")
    return "\n".join(lines)


def changing_world(kind: str, seed: int) -> Changing:
    """A world in which half of the arms swap their loss rates and responses, pair by pair."""
    before = problem_in(kind, seed)
    order = np.arange(before.arms)
    half = before.arms // 4 * 2
    order[:half] = order[:half].reshape(-1, 2)[:, ::-1].ravel()
    rates, rows = before.loss_rates[order], before.table[order]
    amounts = np.round(np.arange(rows.shape[1]) / (rows.shape[1] - 1), 12).tolist()
    first = Problem(
        before.loss_rates, budget=before.budget, response=Piecewise(amounts, before.table.tolist()), unit=UNIT
    )
    other = Problem(rates, budget=before.budget, response=Piecewise(amounts, rows.tolist()), unit=UNIT)
    return Changing([(1, first), (CHANGES_AT, other)])


def drift(kind: str, seed: int = 0, workers: int | None = None, problems: int = 32) -> tuple[float, float]:
    """Mean regret after the change, without and with a half-life."""
    after: list[list[float]] = [[], []]
    for k in range(problems):
        world = changing_world(kind, CONFIRMING + k)
        for place, half_life in enumerate((None, HALF_LIFE)):
            policy = AnyResponse(unit=UNIT, half_life=half_life)
            rounds = [CHANGES_AT - 1, ENDS_AT]
            mean = mean_regret(world, policy, rounds, replications=1, seed=seed + k, workers=workers)
            after[place].append(float(mean[-1] - mean[0]))
    return float(np.mean(after[0])), float(np.mean(after[1]))


def drift_table(seed: int = 0, workers: int | None = None) -> str:
    """Regret after the change."""
    lines = [
        f"| world | without | half-life of {HALF_LIFE:g} rounds | share |",
        "| --- | ---: | ---: | ---: |",
    ]
    for kind in KINDS:
        without, aged = drift(kind, seed, workers)
        lines.append(f"| {kind} | {without:.0f} | {aged:.0f} | {aged / without:.2f} |")
    return "\n".join(lines)
