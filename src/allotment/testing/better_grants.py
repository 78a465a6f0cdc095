"""A search for grants that are better than a world's claimed optimum."""

from collections.abc import Callable, Iterator

import numpy as np

from allotment.arrays import FloatArray
from allotment.oracles.shares.allocate import allocate
from allotment.tolerance import fits, slack_of
from allotment.worlds.environment import observe
from allotment.worlds.world import World

UNITS = 60  # of a full grant, in which amounts are compared
HALVINGS = 45  # to find the smallest amount that prevents as much as a whole number of units
BUDGETS = 12  # budgets to try, in units: smaller amounts of the same effect may fit

Regret = Callable[[FloatArray], float]


def better_grants(world: World, t: int) -> Iterator[FloatArray]:
    """Grants that are likely to be as good as any, in round t.

    The search measures what every amount prevents at every arm while the others get nothing. It then shares
    out the budget exactly, as if arms did not depend on each other. Where they do, the grants are a guess.
    """
    if world.budget <= 0.0:
        return
    units, regret = UNITS, _regret_of(world, t)
    nothing = regret(np.zeros(world.arms))
    prevented = np.array(
        [
            [nothing - regret(_alone(world, arm, unit / units)) for unit in range(units + 1)]
            for arm in range(world.arms)
        ]
    )
    whole = int(min(world.budget, world.arms) * units)
    for budget in range(whole, whole + min(world.arms, BUDGETS) + 1):
        shares = allocate(prevented, budget).units
        grants = np.array(
            [_smallest(world, regret, arm, int(unit), units) for arm, unit in enumerate(shares)]
        )
        if fits(float(grants.sum()), world.budget, 0.5 * slack_of(min(world.budget, world.arms))):
            yield grants


def _regret_of(world: World, t: int) -> Regret:
    """The regret of grants in round t, which needs a new environment each time."""
    luck, seen, nothing = np.full(world.arms, 0.5), np.zeros(world.arms), np.zeros(world.arms)

    def regret(grants: FloatArray) -> float:
        environment = world.environment()
        for _ in range(t - 1):
            observe(environment, luck, nothing, seen)
        return float(observe(environment, luck, grants, seen))

    return regret


def _alone(world: World, arm: int, amount: float) -> FloatArray:
    grants = np.zeros(world.arms)
    grants[arm] = amount
    return grants


def _smallest(world: World, regret: Regret, arm: int, unit: int, units: int) -> float:
    """The smallest amount, of at least a unit less, that prevents as much as these units."""
    if unit == 0:
        return 0.0
    low, high = (unit - 1) / units, unit / units
    enough = regret(_alone(world, arm, high))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if regret(_alone(world, arm, middle)) <= enough:
            high = middle
        else:
            low = middle
    return high
