"""The worlds of the study: random problems whose places respond in eight ways, and those of daily use."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from allotment.arrays import FloatArray
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Exponential, Linear, Logistic, Piecewise, Response, Step

UNIT = 0.05
ARMS = (8, 12, 20, 30)
FAMILY = (
    "step",
    "leak",
    "linear",
    "logistic",
    "exponential",
    "mixed",
)  # of the policy's family, off its grid
OUTSIDE_FAMILY = ("piecewise", "stairs")
POINTS = 6  # of a piecewise response

CHOOSING, CONFIRMING = 10_000, 20_000  # where the seeds of the suites start
PROBLEMS = 40


def _step(levels: FloatArray, stream: np.random.Generator) -> Response:
    return Step(up_to_units(levels))


def _leak(levels: FloatArray, stream: np.random.Generator) -> Response:
    """Steps with one leak for all."""
    return Step(up_to_units(levels), float(stream.uniform(0.01, 0.1)))


def _linear(levels: FloatArray, stream: np.random.Generator) -> Response:
    return Linear(levels.tolist())


def _logistic(levels: FloatArray, stream: np.random.Generator) -> Response:
    """S-curves with one width for all."""
    return Logistic(levels.tolist(), float(stream.uniform(0.02, 0.15)))


def _exponential(levels: FloatArray, stream: np.random.Generator) -> Response:
    return Exponential((levels / stream.uniform(1.5, 3.0)).tolist())


def _mixed(levels: FloatArray, stream: np.random.Generator) -> Response:
    """Another shape for every arm."""
    kinds = (_step, _leak, _linear, _logistic, _exponential)
    return tabled([kinds[stream.integers(len(kinds))](levels[i : i + 1], stream) for i in range(levels.size)])


def _piecewise(levels: FloatArray, stream: np.random.Generator) -> Response:
    """Falls by uneven steps, to nothing at a full grant."""
    falls = np.cumsum(stream.dirichlet(np.ones(POINTS - 1), levels.size), axis=1)
    rows = np.column_stack([np.ones(levels.size), 1.0 - np.minimum(falls, 1.0)])
    return Piecewise(np.linspace(0.0, 1.0, POINTS).tolist(), rows.tolist())


def _stairs(levels: FloatArray, stream: np.random.Generator) -> Response:
    """Two steps, the first of which prevents a part."""
    left = stream.uniform(0.2, 0.8, levels.size)
    first = np.array(up_to_units(levels * stream.uniform(0.2, 0.8, levels.size)))
    at = np.arange(round(1.0 / UNIT) + 1) * UNIT
    rows = np.where(at[np.newaxis] >= first[:, np.newaxis] - 1e-9, left[:, np.newaxis], 1.0)
    rows = np.where(at[np.newaxis] >= np.array(up_to_units(levels))[:, np.newaxis] - 1e-9, 0.0, rows)
    return Piecewise(np.round(at, 12).tolist(), rows.tolist())


KINDS: Mapping[str, Callable[[FloatArray, np.random.Generator], Response]] = {
    "step": _step,
    "leak": _leak,
    "linear": _linear,
    "logistic": _logistic,
    "exponential": _exponential,
    "mixed": _mixed,
    "piecewise": _piecewise,
    "stairs": _stairs,
}


def up_to_units(levels: FloatArray) -> list[float]:
    """Thresholds that are multiples of the unit."""
    return np.minimum(1.0, np.round(np.ceil(levels / UNIT - 1e-9) * UNIT, 12)).tolist()


def tabled(responses: list[Response], unit: float = UNIT) -> Response:
    """One response per arm, as what remains in whole units."""
    units = round(1.0 / unit)
    rows = [each.table(1, units, 1e-12)[0] for each in responses]
    return Piecewise(np.round(np.arange(units + 1) * unit, 12).tolist(), np.array(rows).tolist())


def problem_in(kind: str, seed: int) -> Problem:
    """A random problem in a world of this kind; the same seed gives the same rates, levels and budget."""
    stream = np.random.default_rng(np.random.SeedSequence(seed))
    arms = ARMS[seed % len(ARMS)]
    rates, levels = stream.uniform(0.0, 1.0, arms), stream.uniform(UNIT, 1.0, arms)
    budget = float(stream.uniform(0.3, 0.7) * levels.sum())
    return Problem(rates, budget=budget, response=KINDS[kind](levels, stream), unit=UNIT)


def suite(first_seed: int, problems: int = PROBLEMS) -> Iterator[tuple[str, Problem]]:
    """So many random problems, each in every kind of world."""
    for kind in KINDS:
        for k in range(problems):
            yield kind, problem_in(kind, first_seed + k)


PLACES, DAYS, DAILY_UNIT = 60, 180, 0.25
DAILY_KINDS = ("step", "logistic", "exponential")


def daily_problem(kind: str, median: float, seed: int) -> Problem:
    """What planners meet: many places, up to 4 units each, rates that differ by orders of magnitude.

    Steps leak 2 %; an exponential response leaves a fifth at the amount that a step would need.
    """
    stream = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    rates = np.minimum(median * np.exp(stream.normal(0.0, 0.9, PLACES)), 0.95)
    levels = stream.integers(1, 5, PLACES) * DAILY_UNIT
    responses: dict[str, Response] = {
        "step": Step(levels.tolist(), 0.02),
        "logistic": Logistic(levels.tolist(), 0.1),
        "exponential": Exponential((levels / np.log(5.0)).tolist()),
    }
    return Problem(rates, budget=PLACES * DAILY_UNIT, response=responses[kind], unit=DAILY_UNIT)


def peer_problem(seed: int, targets: int = 25, budget: float = 5.0) -> Problem:
    """The world of LIZARD (Xu et al. 2021): targets with increasing curves of ten pieces; finds are seen."""
    stream = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    slopes = stream.uniform(0.0, 1.0, (targets, 10))
    rows = np.column_stack([np.ones(targets), 1.0 - np.cumsum(slopes, axis=1) / 10.0])
    response = Piecewise(np.round(np.arange(11) / 10.0, 12).tolist(), np.maximum(rows, 0.0).tolist())
    return Problem(np.ones(targets), budget=budget, response=response, unit=0.1, sees="finds")
