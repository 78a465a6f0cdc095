"""Regret of Refute: beside other policies, beside known thresholds, and over a million rounds.

docs/studies/refute.md has the results.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from allotment.arrays import FloatArray
from allotment.plots.figures import save_figure
from allotment.plots.lines import Line, Panel, draw_panels
from allotment.policies.base.policy import Policy
from allotment.policies.csb_dt import CsbDt
from allotment.policies.csb_st import CsbSt
from allotment.policies.cts import Cts
from allotment.policies.joint import Joint
from allotment.policies.mp_ts import MpTs
from allotment.policies.refute import Refute
from allotment.simulation.simulate import simulate
from allotment.worlds.problem import Problem
from studies.refute.told import told
from studies.regret import Interval, mean_interval

REPLICATIONS = 200
PROBLEMS = 10  # of a kind
SHORT, LONG = 5_000, 100_000
POINTS = 41  # of a line in the figure
DECADES = [1_000, 10_000, 100_000, 1_000_000]
FIGURE = Path("docs/figures/refute-slope.svg")

Policies = Callable[[Problem], list[Policy]]


def paper_2() -> Problem:
    """Instance 2 of the paper with a little more budget, as the published figures need it."""
    printed = Problem.named("paper-2")
    return Problem(printed.loss_rates, printed.thresholds, 2.05)


def with_zero_rates(seed: int) -> Problem:
    """Eight arms, three of which lose nothing."""
    drawn = Problem.random(8, seed=seed, resolution=0.01)
    rates = np.where(np.arange(8) % 3 == 0, 0.0, drawn.loss_rates)
    return Problem(rates, drawn.thresholds, drawn.budget)


def twenty_arms(seed: int) -> Problem:
    """Twenty arms with loss rates from 0.1 to 0.9 and thresholds from 0.1 to 1, multiples of 0.01."""
    rng = np.random.default_rng(seed)
    return Problem(rng.uniform(0.1, 0.9, 20), np.round(rng.uniform(0.1, 1.0, 20), 2), 4.005)


SEEDS = range(9000, 9000 + PROBLEMS)
KINDS: dict[str, list[Problem]] = {
    "paper-2, budget 2.05": [paper_2()],
    "8 arms, multiples of 0.01": [Problem.random(8, seed=seed, resolution=0.01) for seed in SEEDS],
    "8 arms, any thresholds": [Problem.random(8, seed=seed) for seed in SEEDS],
    "8 arms, small budget": [Problem.random(8, seed=seed, resolution=0.01, tightness=0.08) for seed in SEEDS],
    "8 arms, three rates of 0": [with_zero_rates(seed) for seed in SEEDS],
    "20 arms, multiples of 0.01": [Problem.random(20, seed=seed, resolution=0.01) for seed in SEEDS],
    "20 arms, any thresholds": [Problem.random(20, seed=seed) for seed in SEEDS],
}
SMALL = {
    "3 arms": Problem([0.7, 0.5, 0.3], [0.5, 0.5, 0.5], 1.0),
    "4 arms": Problem([0.8, 0.6, 0.5, 0.3], [0.62, 0.37, 0.48, 0.21], 1.1),
    "5 arms (paper-2, budget 2.05)": paper_2(),
}


def own_thresholds(problem: Problem) -> list[Policy]:
    """The policies for thresholds that differ."""
    return [
        Refute(),
        Refute(bound="hoeffding", label="Refute, Hoeffding"),
        Refute(bound="draws", label="Refute, draws"),
        CsbDt(),
        Joint(),
        Joint.plain(resolution=0.01, label="plain Joint"),
        Cts(thresholds=problem.thresholds.tolist(), label="CTS, told"),
    ]


def one_threshold(problem: Problem) -> list[Policy]:
    """The policies for one threshold that all arms share."""
    return [
        Refute(shared=True),
        Refute(shared=True, bound="hoeffding", label="Refute, Hoeffding"),
        Refute(shared=True, bound="draws", label="Refute, draws"),
        CsbSt(),
        Joint(shared=True),
        Joint.plain(shared=True, label="plain Joint"),
        MpTs(thresholds=float(problem.thresholds[0]), label="MP-TS, told"),
    ]


def regrets(
    problems: list[Problem],
    policies: Policies,
    horizon: int,
    replications: int,
    seed: int,
    workers: int | None,
) -> dict[str, Interval]:
    """Mean regret by policy: over runs of one problem, or over the means of several problems."""
    each = max(1, replications // len(problems))
    finals: dict[str, list[FloatArray]] = {}
    for k, problem in enumerate(problems):
        result = simulate(
            problem,
            policies(problem),
            horizon=horizon,
            replications=each,
            seed=seed + k,
            workers=workers,
            record=[horizon],
            progress=False,
        )
        for label in result:
            finals.setdefault(label, []).append(result[label].final)
    alone = len(problems) == 1
    return {
        label: mean_interval(runs[0] if alone else [run.mean() for run in runs])
        for label, runs in finals.items()
    }


def report(replications: int = REPLICATIONS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """Regret of Refute, beside other policies and beside known thresholds."""
    yield from _known_thresholds(replications, seed, workers)
    yield from _slopes(max(2, replications // 5), seed, workers)
    for horizon, runs in ((SHORT, replications), (LONG, max(2, replications // 5))):
        yield from _table(horizon, runs, seed, workers)


def _known_thresholds(replications: int, seed: int, workers: int | None) -> Iterator[str]:
    yield f"Unknown thresholds: 20 arms, {SHORT:,} rounds, {replications} runs over {PROBLEMS} problems."
    rows = ["| bound | Refute | told the thresholds | difference |", "| --- | ---: | ---: | ---: |"]
    for bound in ("kl", "hoeffding", "draws"):
        runs = max(1, replications // PROBLEMS)
        pairs = []
        for k in range(PROBLEMS):
            problem = twenty_arms(SEEDS[k])
            policies = [Refute(bound=bound), told(problem, bound)]
            result = simulate(
                problem,
                policies,
                horizon=SHORT,
                replications=runs,
                seed=seed + k,
                workers=workers,
                record=[SHORT],
                progress=False,
            )
            pairs.append([result[policy.label].final.mean() for policy in policies])
        both = np.array(pairs)
        shown = [
            mean_interval(column).shown(0) for column in (both[:, 0], both[:, 1], both[:, 0] - both[:, 1])
        ]
        rows.append(f"| {bound} | {' | '.join(shown)} |")
    yield "\n".join(rows)


def _slopes(replications: int, seed: int, workers: int | None) -> Iterator[str]:
    yield f"The same over {DECADES[-1]:,} rounds, {replications} runs of each small problem, bound='kl'."
    rows = [
        "| problem | rounds | Refute | told the thresholds | difference |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    panels = []
    for name, problem in SMALL.items():
        record = np.unique(np.logspace(2, np.log10(DECADES[-1]), POINTS).round().astype(int)).tolist()
        result = simulate(
            problem,
            [Refute(), told(problem, "kl")],
            horizon=DECADES[-1],
            replications=replications,
            seed=seed,
            workers=workers,
            record=record,
            progress=False,
        )
        found, known = result["Refute"], result["told"]
        rounds = result.rounds
        curves = {
            "Refute": mean_interval(found.paths),
            "told the thresholds": mean_interval(known.paths),
            "difference": mean_interval(found.paths - known.paths),
        }
        for decade in DECADES:
            k = int(np.searchsorted(rounds, decade))
            cells = [Interval(*(part[k] for part in curve)).shown(1) for curve in curves.values()]
            rows.append(f"| {name} | {decade:,} | {' | '.join(cells)} |")
        lines = tuple(Line(label, rounds, *curve.with_ends()) for label, curve in curves.items())
        panels.append(Panel(lines, name, logx=True))
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    save_figure(draw_panels(panels), FIGURE)
    yield "\n".join(rows)
    yield f"The figure is in {FIGURE}."


def _table(horizon: int, replications: int, seed: int, workers: int | None) -> Iterator[str]:
    yield f"Regret after {horizon:,} rounds, {replications} runs; means with 95 % intervals."
    labels = [policy.label for policy in own_thresholds(paper_2())]
    lines = [f"| problems | {' | '.join(labels)} |", f"| --- |{' ---: |' * len(labels)}"]
    for name, problems in KINDS.items():
        row = regrets(problems, own_thresholds, horizon, replications, seed, workers)
        lines.append(f"| {name} | {' | '.join(each.shown(0) for each in row.values())} |")
    yield "\n".join(lines)
    one = regrets([Problem.named("paper-1")], one_threshold, horizon, replications, seed, workers)
    titles = f"| problem | {' | '.join(one)} |\n| --- |{' ---: |' * len(one)}"
    yield f"{titles}\n| paper-1 | {' | '.join(each.shown(0) for each in one.values())} |"
