"""Regret by the size of counts and half-life, beside simple rules and beliefs computed anew every round."""

from collections.abc import Iterator

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.policies.equal_split import EqualSplit
from allotment.policies.hot_spots import HotSpots
from allotment.randomness.streams import policy_stream
from allotment.simulation.simulate import simulate
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Exponential
from studies.regret import mean_interval, percentile_interval, ratio_interval

UNIT, HORIZON, BUDGET = 0.1, 1000, 2.0
SHARES = (1.0, 0.8, 0.6, 0.4, 0.2, 0.1)  # of the largest mean count, by arm
LARGEST = (2.0, 8.0, 16.0, 32.0, 100.0)
HALF_LIVES = (None, 50.0, 200.0)
ANEW = 10  # replications with beliefs computed anew: a round of these takes a hundred times as long
SAME = 1e-9  # runs are the same if their regret differs by a smaller share


def rising_problem(largest: float, sees: str) -> Problem:
    """Six arms with mean counts up to the largest."""
    rates = largest * np.array(SHARES)
    response = Exponential(0.35)
    return Problem(rates, budget=BUDGET, response=response, unit=UNIT, losses="counts", sees=sees)


def regrets(
    problem: Problem, policy: Policy, replications: int, seed: int, workers: int | None
) -> FloatArray:
    """The regret of every replication."""
    result = simulate(
        problem,
        policy,
        horizon=HORIZON,
        replications=replications,
        seed=seed,
        workers=workers,
        record=[HORIZON],
        progress=False,
    )
    return result[policy.label].final


def regret_anew(problem: Problem, policy: AnyResponse, luck_seed: int) -> tuple[float, float]:
    """Regret of one run as the policy is, and if it computes all beliefs anew in every round.

    Both face the same incidents, and draw from the same stream.
    """
    found = []
    for anew in (False, True):
        learner = policy.start(problem.arms, problem.budget, seed=policy_stream(luck_seed, replication=0))
        luck, total = np.random.default_rng([luck_seed, 7]), 0.0
        for _ in range(HORIZON):
            grants = learner.ask()
            total += problem.regret(grants)
            happened = luck.poisson(problem.loss_rates)
            shown = problem.remaining(grants) if problem.sees == "losses" else 1.0 - problem.remaining(grants)
            places = luck.random(problem.arms)
            seen = [_binomial(n, p, u) for n, p, u in zip(happened, shown, places, strict=True)]
            if anew:
                learner.state.beliefs.rows.due[:] = 0.0
            learner.tell(seen)
        found.append(total)
    return found[0], found[1]


def _binomial(trials: int, chance: float, place: float) -> float:
    from scipy.special import bdtrik

    if trials == 0 or chance <= 0.0:
        return 0.0
    if chance >= 1.0:
        return float(trials)
    return float(np.clip(np.ceil(bdtrik(place, trials, chance)), 0, trials))


def table(replications: int, seed: int, workers: int | None) -> Iterator[str]:
    """Regret after 1000 rounds."""
    yield (
        "| sees | largest mean count | half-life | AnyResponse | hot spots | equal split | "
        "over hot spots | over beliefs computed anew |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    for sees in ("losses", "finds"):
        for largest in LARGEST:
            problem = rising_problem(largest, sees)
            hot, equal = (
                regrets(problem, rule, replications, seed, workers)
                for rule in (HotSpots(unit=UNIT), EqualSplit(unit=UNIT))
            )
            for half_life in HALF_LIVES:
                policy = AnyResponse(unit=UNIT, losses="counts", sees=sees, half_life=half_life)
                ours = regrets(problem, policy, replications, seed, workers)
                cells = [
                    sees,
                    f"{largest:g}",
                    "none" if half_life is None else f"{half_life:g}",
                    mean_interval(ours).shown(0),
                    f"{hot.mean():.0f}",
                    f"{equal.mean():.0f}",
                    ratio_interval(ours, hot).shown(),
                    "" if half_life is None else _beside_anew(problem, policy, seed),
                ]
                yield f"| {' | '.join(cells)} |"


def _beside_anew(problem: Problem, policy: AnyResponse, seed: int) -> str:
    runs = np.array([regret_anew(problem, policy, seed + k) for k in range(ANEW)])
    return beside_anew(runs[:, 0], runs[:, 1])


def beside_anew(ours: FloatArray, anew: FloatArray) -> str:
    """The ratio of means, and how many runs are the same with beliefs computed anew.

    Where few runs differ, many samples of the bootstrap have none of them. Then these have no standard error,
    and a studentised interval has no end. So the interval is one of plain percentiles.
    """
    same = int((np.abs(ours - anew) <= SAME * anew).sum())
    found = percentile_interval(ours, anew)
    return f"{found.shown(3)}, {same} of {ours.size} the same"
