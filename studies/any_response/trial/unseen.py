"""Three worlds that AnyResponse's family does not contain.

Someone who did not choose the rule writes them after the freeze. The seed of the trial depends on the bytes
of this file, so any change to it draws other problems.

`UNSEEN` maps the name of each world to its generator. A generator takes a random stream and returns a random
`Problem`. It draws from this stream only, so that the same seed gives the same problems. Each problem has:

- a response that never rises: `Piecewise` can hold any such curve;
- a `unit`, of which AnyResponse and the policies on pairs grant multiples;
- losses, yes or no (the default), or `sees="finds"`.

The number of arms, the loss rates and the budget are free.
"""

from collections.abc import Callable, Mapping

import numpy as np

from allotment.arrays import FloatArray
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Piecewise

UNITS = 20  # of a full grant
AMOUNTS = np.arange(UNITS + 1) / UNITS


def _patrol_teams(stream: np.random.Generator) -> Problem:
    """Beats where each further team stops some of the losses at once, in two to four stages with a leak."""
    arms = int(stream.integers(8, 31))
    return _problem(stream, stream.beta(1.2, 2.0, arms), [_staircase(stream) for _ in range(arms)])


def _staircase(stream: np.random.Generator) -> FloatArray:
    """What remains after sudden drops of random sizes at random amounts."""
    stages = int(stream.integers(2, 5))
    places = stream.choice(np.arange(1, UNITS + 1), stages, replace=False)
    drops = stream.dirichlet(np.ones(stages + 1))[:-1]  # the last share is the leak
    return np.asarray(1.0 - (np.arange(UNITS + 1)[:, np.newaxis] >= places) @ drops)


def _careless_and_crooked(stream: np.random.Generator) -> Problem:
    """Inspections that soon stop the careless and much later the crooked, who are most where losses are."""
    arms = int(stream.integers(8, 26))
    rates = stream.uniform(0.02, 0.95, arms)
    return _problem(stream, rates, [_two_phases(stream, rate) for rate in rates])


def _two_phases(stream: np.random.Generator, rate: float) -> FloatArray:
    """What remains after a quick exponential fall, a plateau, a straight fall and a leak."""
    leak = stream.uniform(0.0, 0.2)
    careless = (1.0 - leak) * np.clip(0.85 - 0.7 * rate + stream.normal(0.0, 0.12), 0.05, 0.95)
    early = np.exp(-AMOUNTS / stream.uniform(0.02, 0.12))
    late = np.clip(1.0 - (AMOUNTS - stream.uniform(0.25, 0.7)) / stream.uniform(0.05, 0.3), 0.0, 1.0)
    return np.asarray(leak + careless * early + (1.0 - leak - careless) * late)


def _motley_traps(stream: np.random.Generator) -> Problem:
    """Sites where only catches are seen: heavy tails, speed-ups, slow starts with kinks, or no use at all."""
    arms = int(stream.integers(10, 29))
    shapes = stream.choice(4, arms, p=[0.35, 0.25, 0.25, 0.15])
    usual = stream.beta(1.0, 2.5, arms)
    rates = np.where(shapes == 3, stream.uniform(0.3, 1.0, arms), usual)  # useless traps, many pests
    return _problem(stream, rates, [_trapped(stream, shape) for shape in shapes], sees="finds")


def _trapped(stream: np.random.Generator, shape: int) -> FloatArray:
    """What remains at a site of one of the four shapes."""
    least = stream.uniform(0.0, 0.4)
    full = stream.uniform(0.3, 1.0)
    if shape == 0:  # falls like a power: no scale, and no end
        return np.asarray((1.0 + AMOUNTS / stream.uniform(0.01, 0.1)) ** -stream.uniform(0.3, 1.2))
    if shape == 1:  # each unit helps more than the one before, and then none does
        return np.asarray(1.0 - (1.0 - least) * np.minimum(AMOUNTS / full, 1.0) ** stream.uniform(1.8, 4.0))
    if shape == 2:  # slow, then steep, then slow again, with kinks
        first, second = np.sort(stream.uniform(0.1, 0.8, 2))
        levels = [1.0, stream.uniform(0.8, 1.0), least + 0.2, least]
        return np.asarray(np.interp(AMOUNTS, [0.0, first, second + 0.05, 1.0], levels))
    return np.ones(UNITS + 1)


def _problem(
    stream: np.random.Generator, rates: FloatArray, rows: list[FloatArray], sees: str = "losses"
) -> Problem:
    """A problem with 0.3 to 0.7 of the budget that would bring every arm almost as low as it can get."""
    remaining = np.minimum.accumulate(np.clip(rows, 0.0, 1.0), axis=1)
    remaining[:, 0] = 1.0
    prevented = 1.0 - remaining
    needed = (prevented >= 0.95 * prevented[:, -1:]).argmax(axis=1)
    budget = round(stream.uniform(0.3, 0.7) * float(needed.sum())) / UNITS
    return Problem(rates, budget=budget, response=Piecewise(AMOUNTS, remaining), unit=1.0 / UNITS, sees=sees)


UNSEEN: Mapping[str, Callable[[np.random.Generator], Problem]] = {
    "patrol teams": _patrol_teams,
    "careless and crooked": _careless_and_crooked,
    "motley traps": _motley_traps,
}
