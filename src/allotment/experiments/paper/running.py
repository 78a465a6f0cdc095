"""Runs the paper's figures: settings in, numbers out; nothing is drawn or written here."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import whole
from allotment.experiments.paper.paper_figures import Experiment, PaperFigure, Part
from allotment.policies.base.policy import Policy
from allotment.simulation.job import Crew, Job
from allotment.simulation.partial_run import PartialRun, play_together
from allotment.simulation.progress import Progress, explained
from allotment.simulation.regret_paths import Curve
from allotment.simulation.result import Result
from allotment.simulation.run_memory import refuse_large_run
from allotment.simulation.simulate import recorded_rounds
from allotment.simulation.warming import compile_missing
from allotment.system.interrupts import interrupts
from allotment.version import versions
from allotment.worlds.problem import Problem

RECORDED = 250  # rounds at which regret is recorded: enough for a smooth line
INDEPENDENT_REPETITIONS = 200

Run = tuple[Problem, Policy, int]  # what is simulated for an experiment; the number is the horizon


@dataclass(frozen=True)
class FigureRow:
    """One line of a figure at the horizon, beside what others found."""

    figure: str
    setting: str
    part: str
    line: str
    mean: float
    low: float
    high: float
    search_rounds: float | None  # median
    in_paper: float | None
    independent: float | None
    z: float | None  # our mean less the independent one, in standard errors of the difference

    def to_dict(self) -> dict[str, Any]:
        """The row as plain data; the files that we write call a line a curve."""
        return {"curve" if name == "line" else name: value for name, value in asdict(self).items()}


@dataclass(frozen=True, eq=False)
class Measured:
    """A figure with its numbers: the regret of each experiment, part by part."""

    figure: PaperFigure
    rounds: IntArray
    regrets: dict[Experiment, Curve]

    def rows(self) -> Iterator[FigureRow]:
        """The regret at the horizon of every line."""
        for part in self.figure.parts:
            for experiment in part.experiments:
                yield self._row(part, experiment)

    def _row(self, part: Part, experiment: Experiment) -> FigureRow:
        regret = self.regrets[experiment]
        searched = regret.search_rounds
        return FigureRow(
            figure=self.figure.name,
            setting=self.figure.setting,
            part=part.title,
            line=experiment.label,
            mean=float(regret.mean[-1]),
            low=float(regret.low[-1]),
            high=float(regret.high[-1]),
            search_rounds=None if searched is None else float(np.median(searched)),
            in_paper=experiment.in_paper,
            independent=experiment.independent,
            z=_standard_errors_apart(regret, experiment.independent),
        )


@dataclass(frozen=True, eq=False)
class Reproduction:
    """What a run of the figures gave, and how it was made."""

    figures: list[Measured]
    replications: int
    seed: int
    seconds: float  # what the simulations took, compiling included

    @property
    def rows(self) -> list[FigureRow]:
        """The regret at the horizon of every line."""
        return [row for measured in self.figures for row in measured.rows()]

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        return {
            "replications": self.replications,
            "seed": self.seed,
            "versions": versions(),
            "curves": [row.to_dict() for row in self.rows],
        }


def measure(
    figures: Sequence[PaperFigure],
    *,
    replications: int,
    seed: int,
    workers: int | None = None,
    progress: bool = True,
    ready: Callable[[Measured], object] = lambda _: None,
) -> Reproduction:
    """Run every experiment of the figures; one that stands in two of them is run once.

    `ready` gets each figure in turn, as soon as its experiments are finished. Figures with many panels take
    longest to draw, so they come first.
    """
    started = time.perf_counter()
    ordered = sorted(figures, key=lambda each: len(each.parts), reverse=True)
    wanted = dict.fromkeys(run for figure in ordered for run in _runs(figure))
    crew = Crew.of(workers, None, len(wanted))
    runs = {run: _partial_run(run, replications, seed, crew) for run in wanted}
    measured: dict[PaperFigure, Measured] = {}

    def loaded() -> Iterator[PartialRun]:
        for run in runs.values():  # compiled code is loaded here, while others play
            compile_missing([run.job], progress=False)
            yield run

    def finish(run: PartialRun) -> None:
        # Which run ends first depends on the machine. The order of figures must not.
        for figure in ordered[len(measured) :]:
            if any(runs[each].left for each in _runs(figure)):
                return
            measured[figure] = _gathered(figure, runs)
            ready(measured[figure])

    notice = f"{len(runs)} experiments; the first time, compiling for them takes a minute"
    rounds = sum(run.left * run.job.horizon for run in runs.values())
    with interrupts(), explained(notice, shown=progress):
        refuse_large_run((run.job for run in runs.values()), replications, crew)
        compile_missing((run.job for run in runs.values()), progress=False, load=False)
        with Progress(rounds, shown=progress, text="reproducing") as bar:
            play_together(loaded(), crew, bar, finish)
    seconds = time.perf_counter() - started
    return Reproduction([measured[figure] for figure in figures], replications, seed, seconds)


def _partial_run(run: Run, replications: int, seed: int, crew: Crew) -> PartialRun:
    problem, policy, horizon = run
    job = Job(problem, (policy,), horizon, whole("seed", seed, least=0), recorded_rounds(RECORDED, horizon))
    return PartialRun(job, whole("replications", replications, least=1), crew)


def _runs(figure: PaperFigure) -> list[Run]:
    return [(each.problem, each.policy, figure.horizon) for part in figure.parts for each in part.experiments]


def _gathered(figure: PaperFigure, runs: dict[Run, PartialRun]) -> Measured:
    regrets: dict[Experiment, Curve] = {}
    for part in figure.parts:
        for each in part.experiments:
            result = cast(Result, runs[each.problem, each.policy, figure.horizon].result())
            regrets[each] = result[each.policy.label]
    return Measured(figure, result.rounds, regrets)


def _standard_errors_apart(regret: Curve, independent: float | None) -> float | None:
    """How far our mean is from an independent one, if that one's runs scatter as ours do."""
    repetitions = regret.final.size
    if independent is None or repetitions < 2:
        return None
    error = float(regret.final.std(ddof=1)) * math.sqrt(1 / repetitions + 1 / INDEPENDENT_REPETITIONS)
    return (float(regret.mean[-1]) - independent) / error if error > 0.0 else None
