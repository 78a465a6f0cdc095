"""What each device of Joint buys: regret without it, compared with the whole rule against the same losses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.base.policy import Policy
from allotment.policies.cts import Cts
from allotment.policies.joint import Joint
from allotment.simulation.simulate import simulate
from allotment.worlds.problem import Problem
from studies.regret import Interval, mean_interval

WITHOUT: Mapping[str, Joint] = {
    "opening": Joint(opening=0),
    "curiosity in the opening": Joint(curiosity=0),
    "trust": Joint(trust=1),
    "optimism": Joint(optimistic=False),
    "spending the rest": Joint(spend=False),
}


@dataclass(frozen=True)
class Bought:
    """What a device buys: the regret without it over that with it, less 1."""

    device: str
    share: Interval  # the geometric mean over problems, with its paired 95 % interval
    worst_tenth: float  # the same for the tenth of problems with the largest multiples of CTS's regret


def final_regret(problem: Problem, policy: Policy, **run: Any) -> FloatArray:
    """Regret at the horizon, one number for each replication."""
    return simulate(problem, policy, record=1, progress=False, **run)[policy.label].final


def bought(device: str, whole: FloatArray, without: FloatArray, known: FloatArray) -> Bought:
    """From regrets of problems x replications with and without a device, and CTS's mean regrets.

    The interval is over replications, since the problems of a replication share its luck.
    """
    means, others = whole.mean(axis=1), without.mean(axis=1)
    logarithm = float(np.log(others / means).mean())
    noise = (without / others[:, None] - whole / means[:, None]).mean(axis=0)  # to the first order
    found = mean_interval(logarithm + noise)
    worst = -max(1, whole.shape[0] // 10)
    tails = [np.sort(each / known)[worst:].mean() for each in (means, others)]
    return Bought(
        device,
        Interval(*(np.expm1(each) for each in found)),
        float(tails[1] / tails[0] - 1.0),
    )


def devices_table(problems: Sequence[Problem], **run: Any) -> str:
    """Every device on one suite; `run` has the horizon, replications, seed and workers."""
    told = [Cts(thresholds=problem.thresholds.tolist()) for problem in problems]
    known = [final_regret(each, cts, **run).mean() for each, cts in zip(problems, told, strict=True)]
    whole = np.array([final_regret(each, Joint(), **run) for each in problems])
    lines = ["| device | buys, 95 % interval | worst tenth of problems |", "| --- | ---: | ---: |"]
    for device, rule in WITHOUT.items():
        without = np.array([final_regret(each, rule, **run) for each in problems])
        found = bought(device, whole, without, np.array(known))
        middle, low, high = (100.0 * each for each in found.share)
        interval = f"{middle:+.1f} % ({low:+.1f} to {high:+.1f})"
        lines.append(f"| {device} | {interval} | {100 * found.worst_tenth:+.0f} % |")
    return "\n".join(lines)
