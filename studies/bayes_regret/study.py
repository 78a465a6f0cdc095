"""What plain and kept rules lose in worlds drawn from the prior, and what plain rules lose at most.

docs/explanation/bayesian-regret.md has the propositions, and the results.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from allotment.arrays import FloatArray
from allotment.plots.figures import save_figure
from allotment.plots.lines import Line, Panel, draw_panels
from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.policies.joint import Joint
from allotment.simulation.simulate import simulate
from allotment.theory.bayesian import ESTIMATED, LARGEST, bayesian_regret
from allotment.worlds.problem import Problem
from studies.regret import Interval, mean_interval

WORLDS = 200
ROUNDS = [10, 30, 100, 300, 1_000, 3_000, 10_000]
SHOWN = (100, 1_000, 10_000)  # rounds in the table
PLAIN, KEPT, BOUND = "plain", "kept", "bound"
FIGURE = Path("build/bayes-regret.svg")


@dataclass(frozen=True)
class Size:
    """Arms and a budget, for the plain rule whose prior worlds are drawn from, and for the kept one."""

    name: str
    plain: Joint | AnyResponse
    kept: Policy
    arms: int
    budget: float

    def regrets(self, seed: int) -> dict[str, FloatArray]:
        """The regret of both rules at the recorded rounds, in one world and against the same luck."""
        world = Problem.from_prior(self.plain, self.arms, self.budget, seed)
        rules: list[Policy] = [self.plain, self.kept]
        result = simulate(
            world,
            rules,
            horizon=ROUNDS[-1],
            replications=1,
            seed=seed,
            workers=1,
            record=ROUNDS,
            progress=False,
        )
        return {rule.label: result[rule.label].paths[0] for rule in rules}

    def bound(self, rounds: int, entropies: str = ESTIMATED) -> float:
        """What the plain rule loses at most, averaged over worlds."""
        return bayesian_regret(self.plain, self.arms, rounds, budget=self.budget, entropies=entropies)


def _joint(arms: int, budget: float, resolution: float) -> Size:
    plain = Joint.plain(resolution=resolution, label=PLAIN)
    return Size(f"Joint, {arms} arms", plain, Joint(resolution=resolution, label=KEPT), arms, budget)


def _any_response(arms: int, budget: float, unit: float) -> Size:
    plain = AnyResponse.plain(unit=unit, label=PLAIN)
    return Size(f"AnyResponse, {arms} arms", plain, AnyResponse(unit=unit, label=KEPT), arms, budget)


SIZES = (
    _joint(4, 1.0, 0.1),
    _joint(8, 3.0, 0.05),
    _joint(20, 5.0, 0.01),
    _any_response(4, 1.0, 0.25),
    _any_response(6, 2.0, 0.1),
    _any_response(8, 3.0, 0.05),
)


def report(worlds: int = WORLDS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """Regret of plain and kept rules in worlds drawn from the prior, beside the bound for plain rules."""
    yield (
        f"{worlds} worlds of each size. Mean regret with 95 % intervals. The bound with entropies estimated "
        f"to 95 % confidence, and with the largest possible entropies."
    )
    titles = "| worlds | rounds | plain | kept | bound | bound, largest entropies |"
    yield f"{titles}\n| --- | ---: | ---: | ---: | ---: | ---: |"
    panels = []
    with ThreadPoolExecutor(workers) as pool:
        for size in SIZES:
            found = list(pool.map(size.regrets, range(seed, seed + worlds)))
            curves = {name: mean_interval([each[name] for each in found]) for name in (PLAIN, KEPT)}
            bounds = {rounds: size.bound(rounds) for rounds in ROUNDS}
            yield "\n".join(_rows(size, curves, bounds))
            panels.append(_panel(size, curves, bounds))
    FIGURE.parent.mkdir(exist_ok=True)
    save_figure(draw_panels(panels), FIGURE)
    yield f"The figure is in {FIGURE}."


def _rows(size: Size, curves: dict[str, Interval], bounds: dict[int, float]) -> Iterator[str]:
    for rounds in SHOWN:
        k = ROUNDS.index(rounds)
        cells = [Interval(*(column[k] for column in each)).shown(1) for each in curves.values()]
        most = size.bound(rounds, entropies=LARGEST)
        yield f"| {size.name} | {rounds:,} | {' | '.join(cells)} | {bounds[rounds]:.0f} | {most:.0f} |"


def _panel(size: Size, curves: dict[str, Interval], bounds: dict[int, float]) -> Panel:
    rounds, most = np.array(ROUNDS), np.array([bounds[each] for each in ROUNDS])
    lines = [Line(name, rounds, *each.with_ends()) for name, each in curves.items()]
    return Panel((*lines, Line(BOUND, rounds, most, most, most)), size.name, logx=True, logy=True)
