"""How AnyResponse should decide: rules measured in eight kinds of worlds, and the kept one, on others.

Regret is compared with that of Thompson sampling that is told the response curves, against the same luck.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.any_response import AnyResponse
from allotment.policies.any_response.tuning import LIKENESS
from allotment.policies.base.policy import Policy
from allotment.policies.cucb_dra import CucbDra
from allotment.policies.equal_split import EqualSplit
from allotment.policies.joint import Joint
from allotment.policies.known_response import KnownResponse
from allotment.policies.pair_ts import PairTs
from allotment.simulation.progress import Progress
from allotment.worlds.problem import Problem
from studies.any_response.worlds import (
    CHOOSING,
    CONFIRMING,
    KINDS,
    PROBLEMS,
    UNIT,
    suite,
)
from studies.regret import mean_regret

HORIZON = 3_000
REPLICATIONS = 1
RUNS_TO_CONFIRM = 4  # of each problem, for every one to choose
EARLY = 200  # from this round on, regret must be below that of an equal split

Make = Callable[[Problem], Policy]


PLAIN: Mapping[str, Any] = {"draws": 1, "optimistic": False, "opening": 0, "likeness": None, "free": 0.0}
RULES: Sequence[Policy] = (
    AnyResponse(label="plain draws", **PLAIN),
    AnyResponse(label="average of 2", **{**PLAIN, "draws": 2}),
    AnyResponse(label="average of 2, kinds learnt", **{**PLAIN, "draws": 2, "likeness": LIKENESS}),
    AnyResponse(label="kept"),
    AnyResponse(label="kept, but average of 1", draws=1),
    AnyResponse(label="kept, but average of 3", draws=3),
    AnyResponse(label="kept, but not optimistic", optimistic=False),
    AnyResponse(label="kept, but kinds not learnt", likeness=None),
    AnyResponse(label="kept, but no free curve", free=0.0),
    AnyResponse(label="kept, but no opening", opening=0),
    AnyResponse(label="kept, but opening of 10", opening=10),
    AnyResponse(label="kept, but opening of 10, curiosity 2", opening=10, curiosity=2.0),
    AnyResponse(label="kept, but uniform rates", rates=(1.0, 1.0)),
)
YARDSTICK = KnownResponse.family
COMPARED: Mapping[str, Make] = {
    "AnyResponse": lambda problem: AnyResponse(unit=UNIT),
    "Joint": lambda problem: Joint(resolution=UNIT),
    "TS on pairs": lambda problem: PairTs(unit=UNIT),
    "TS on pairs, monotone": lambda problem: PairTs(unit=UNIT, monotone=True, label="TS on pairs, monotone"),
    "CUCB-DRA": lambda problem: CucbDra(unit=UNIT),
    "CUCB-DRA, monotone": lambda problem: CucbDra(unit=UNIT, monotone=True, label="CUCB-DRA, monotone"),
    "Equal split": lambda problem: EqualSplit(),
}
PAIRS = ("TS on pairs", "TS on pairs, monotone", "CUCB-DRA", "CUCB-DRA, monotone")


@dataclass(frozen=True)
class Outcome:
    """The regret of each policy in each kind of world: one number per problem."""

    regret: dict[str, dict[str, FloatArray]]  # by world, then by policy; at the horizon
    late: dict[str, dict[str, FloatArray]]  # per round, after the early ones

    def ratio(self, world: str, policy: str, to: str = YARDSTICK) -> float:
        """The median over problems of one policy's regret over another's."""
        of = self.regret[world]
        return float(np.median(of[policy] / np.maximum(of[to], 1.0)))

    def best_pair(self, world: str) -> str:
        """Whichever of the policies on pairs loses least there."""
        return min(PAIRS, key=lambda policy: float(np.median(self.regret[world][policy])))


def measure(
    problems: Iterable[tuple[str, Problem]],
    makers: Mapping[str, Make],
    *,
    replications: int,
    seed: int = 0,
    horizon: int = HORIZON,
    workers: int | None = None,
) -> Outcome:
    """Every policy, and the yardstick, on every problem."""
    listed = list(problems)
    regret: dict[str, dict[str, list[float]]] = {}
    late: dict[str, dict[str, list[float]]] = {}
    early = min(EARLY, horizon // 2)
    with Progress(len(listed) * (1 + len(makers)), text="comparing rules") as bar:
        for world, problem in listed:
            for name, make in {**makers, YARDSTICK: KnownResponse}.items():
                policy = make(problem)
                mean = mean_regret(
                    problem, policy, [early, horizon], replications=replications, seed=seed, workers=workers
                )
                regret.setdefault(world, {}).setdefault(name, []).append(float(mean[-1]))
                after = float(mean[-1] - mean[0]) / (horizon - early)
                late.setdefault(world, {}).setdefault(name, []).append(after)
                bar.add(1)
    return Outcome(_arrays(regret), _arrays(late))


def _arrays(found: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, FloatArray]]:
    return {world: {name: np.array(values) for name, values in of.items()} for world, of in found.items()}


def choosing(problems: int = PROBLEMS, **run: Any) -> Outcome:
    """All rules on the choosing suite."""
    return measure(suite(CHOOSING, problems), {rule.label: _always(rule) for rule in RULES}, **run)


def confirming(problems: int = PROBLEMS, **run: Any) -> Outcome:
    """The rule that was kept, and what a reader would compare it with, on other problems."""
    return measure(suite(CONFIRMING, problems), COMPARED, **run)


def _always(policy: Policy) -> Make:
    return lambda problem: policy


def choosing_table(found: Outcome) -> str:
    """Medians of regret over the yardstick's, by rule and world, and their geometric mean."""
    worlds = [world for world in KINDS if world in found.regret]
    lines = [f"| rule | {' | '.join(worlds)} | together |", f"| --- {'| ---: ' * (len(worlds) + 1)}|"]
    for rule in (name for name in found.regret[worlds[0]] if name != YARDSTICK):
        ratios = [found.ratio(world, rule) for world in worlds]
        together = float(np.exp(np.mean(np.log(ratios))))
        lines.append(f"| {rule} | {' | '.join(f'{each:.2f}' for each in ratios)} | {together:.2f} |")
    return "\n".join(lines)


def confirming_table(found: Outcome) -> str:
    """Median regret by world and policy, and what the kept rule's is as a share of others'."""
    names = [YARDSTICK, *COMPARED]
    lines = [
        f"| world | {' | '.join(names)} | over told | over best on pairs | over Joint |",
        f"| --- {'| ---: ' * (len(names) + 3)}|",
    ]
    for world, of in found.regret.items():
        medians = [f"{np.median(of[name]):.0f}" for name in names]
        shares = (
            found.ratio(world, "AnyResponse", to) for to in (YARDSTICK, found.best_pair(world), "Joint")
        )
        lines.append(f"| {world} | {' | '.join(medians)} | {' | '.join(f'{each:.2f}' for each in shares)} |")
    return "\n".join(lines)


def late_table(found: Outcome) -> str:
    """Regret per round after the early ones, in the mean of every world."""
    lines = ["| world | AnyResponse | Equal split |", "| --- | ---: | ---: |"]
    for world, of in found.late.items():
        lines.append(f"| {world} | {of['AnyResponse'].mean():.4f} | {of['Equal split'].mean():.3f} |")
    return "\n".join(lines)


def report(replications: int = REPLICATIONS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """The study, part by part."""
    from studies.any_response.further import daily_table, drift_table, peer_table

    run: dict[str, Any] = {"replications": replications, "seed": seed, "workers": workers}
    yield "Choosing: regret as a multiple of that of TS told the curves\n\n" + choosing_table(choosing(**run))
    found = confirming(**{**run, "replications": RUNS_TO_CONFIRM * replications})
    yield "Confirming, on other problems: median regret\n\n" + confirming_table(found)
    yield f"Regret per round from round {EARLY} on\n\n" + late_table(found)
    yield "Daily use: losses in 180 days as a share of those of hot spots\n\n" + daily_table(seed=seed)
    yield "LIZARD's world: finds lost to the best in 500 rounds\n\n" + peer_table(seed=seed, workers=workers)
    yield "Half of the arms swap after 2000 rounds\n\n" + drift_table(seed=seed, workers=workers)
