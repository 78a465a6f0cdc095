"""Stairs: what the free curve is made of once an arm was seen for long.

At first every amount has a rate of its own. On stairs, amounts side by side share one: a new stair begins at
an amount by chance, and with chance QUIET nothing ever happens on it. A stair weighs as much as what
was seen on it is likely, over what that would be with a rate for every amount. The weights of all ways to lay
stairs are added up from one amount to the next: ways[j + 1] = Σ_i ways[i]·stairs[j, i], from i to j a stair.
"""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.kernels.bits import Bits, draw_uniform
from allotment.kernels.laws import draw_beta, draw_gamma
from allotment.policies.any_response.beliefs import CountedCurves, Rows, YesNoCurves
from allotment.policies.any_response.lane_math import log_beta, log_gamma, sum_of_products
from allotment.policies.any_response.tuning import BEGINS, QUIET, SUREST


@generic
def log_seen(curves: Any, events: float, rounds: float) -> float:
    """The logarithm of how likely it is to see this at one rate that nothing is known of."""
    raise NotImplementedError


@log_seen.register
def _log_seen_yes_no(curves: YesNoCurves, events: float, rounds: float) -> float:
    return log_beta(1.0 + events, 1.0 + max(0.0, rounds - events))


@log_seen.register
def _log_seen_counted(curves: CountedCurves, events: float, rounds: float) -> float:
    return log_gamma(1.0 + events) - (1.0 + events) * math.log1p(rounds)


@generic
def _chance(curves: Any, seen: float, events: float, rounds: float) -> float:
    """How likely it is that a round shows this, at a rate that so much was seen of."""
    raise NotImplementedError


@_chance.register
@lanes
def _chance_yes_no(curves: YesNoCurves, seen: float, events: float, rounds: float) -> float:
    return ((events if seen > 0.0 else rounds - events) + 1.0) / (rounds + 2.0)


@_chance.register
def _chance_counted(curves: CountedCurves, seen: float, events: float, rounds: float) -> float:
    """Up to a factor that every rate has in common."""
    return math.exp(log_seen(curves, events + seen, rounds + 1.0) - log_seen(curves, events, rounds))


@generic
def draw_seen(curves: Any, bits: Bits, events: float, rounds: float) -> float:
    """A draw of a rate that so much was seen of."""
    raise NotImplementedError


@draw_seen.register
def _draw_seen_yes_no(curves: YesNoCurves, bits: Bits, events: float, rounds: float) -> float:
    return draw_beta(bits, 1.0 + events, 1.0 + max(0.0, rounds - events))


@draw_seen.register
def _draw_seen_counted(curves: CountedCurves, bits: Bits, events: float, rounds: float) -> float:
    return draw_gamma(bits, 1.0 + events) / (1.0 + rounds)


@lanes
def _quiet_odds(events: float, rounds: float) -> float:
    """How much likelier it is that nothing ever happens on a stair than that something may.

    After so many quiet rounds; at a rate that nothing is known of they have a chance of 1 / (1 + rounds).
    """
    return QUIET / (1.0 - QUIET) * (1.0 + rounds) if events == 0.0 else 0.0


@kernel
def begins(units: int) -> float:
    """The chance that a stair begins at an amount, if so many units are a full grant."""
    return 1.0 - (1.0 - BEGINS) ** (20.0 / units)


@kernel
def has_stairs(rows: Rows, arm: int) -> bool:
    """Whether the free curve of an arm is made of stairs."""
    return rows.ways[arm, 0] > 0.0


@kernel
def _go_up(ways: FloatArray, stairs: FloatArray, first: int) -> None:
    """Add up the weights of all ways, from the first amount on."""
    for j in range(first, stairs.shape[0]):
        ways[j + 1] = sum_of_products(ways, stairs[j, : j + 1])


@kernel
def lay_stairs(curves: Any, arm: int) -> float:
    """Weigh the stairs of an arm; the logarithm of how likely they are, over a rate for every amount."""
    rows = curves.rows
    ways, stairs = rows.ways[arm], rows.stairs[arm]
    begin = begins(stairs.shape[0] - 1)
    for j in range(stairs.shape[0]):
        events, rounds, apart = 0.0, 0.0, 0.0
        for i in range(j, -1, -1):
            events += rows.events[arm, i]
            rounds += rows.rounds[arm, i]
            apart += log_seen(curves, rows.events[arm, i], rows.rounds[arm, i])
            together = log_seen(curves, events, rounds) + math.log1p(_quiet_odds(events, rounds))
            together += math.log(1.0 - QUIET) + (j - i) * math.log(1.0 - begin) - apart
            stairs[j, i] = math.exp(min(together, SUREST)) * (1.0 if i == 0 else begin)
    ways[0] = 1.0
    _go_up(ways, stairs, 0)
    return math.log(ways[stairs.shape[0]])


@lanes
def _weigh_by(
    curves: Any, seen: float, alone: float, events: FloatArray, rounds: FloatArray, stairs: FloatArray
) -> None:
    """Weigh stairs by the chance of what was seen, over that at a rate for the amount alone."""
    for i in range(stairs.size):
        odds, chance = _quiet_odds(events[i], rounds[i]), _chance(curves, seen, events[i], rounds[i])
        stairs[i] *= (chance + (0.0 if seen > 0.0 else odds)) / ((1.0 + odds) * alone)


@kernel
def learn_stairs(
    curves: Any, arm: int, amount: int, seen: float, events: FloatArray, rounds: FloatArray
) -> float:
    """Weigh stairs by what a round shows at an amount; how much likelier they become than amounts apart.

    `events` and `rounds` are scratch by amount.
    """
    rows = curves.rows
    ways, stairs = rows.ways[arm], rows.stairs[arm]
    last, before = stairs.shape[0], ways[stairs.shape[0]]
    events[amount], rounds[amount] = rows.events[arm, amount], rows.rounds[arm, amount]
    for i in range(amount - 1, -1, -1):  # from there to the amount
        events[i], rounds[i] = events[i + 1] + rows.events[arm, i], rounds[i + 1] + rows.rounds[arm, i]
    alone = _chance(curves, seen, events[amount], rounds[amount])
    for j in range(amount, last):
        if j > amount:
            for i in range(amount + 1):
                events[i] += rows.events[arm, j]
                rounds[i] += rows.rounds[arm, j]
        _weigh_by(curves, seen, alone, events, rounds, stairs[j, : amount + 1])
    _go_up(ways, stairs, amount)
    return ways[last] / before


@kernel
def draw_stairs(curves: Any, bits: Bits, arm: int, curve: FloatArray) -> None:
    """Draw how stairs lie, from the last one on, and what is seen on each of them."""
    rows = curves.rows
    ways, stairs, end = rows.ways[arm], rows.stairs[arm], curve.size
    while end > 0:
        first, events, rounds = end, 0.0, 0.0
        left = draw_uniform(bits) * ways[end]
        while first > 0 and left >= 0.0:
            first -= 1
            left -= ways[first] * stairs[end - 1, first]
            events += rows.events[arm, first]
            rounds += rows.rounds[arm, first]
        odds = _quiet_odds(events, rounds)
        quiet = draw_uniform(bits) * (1.0 + odds) < odds
        drawn = 0.0 if quiet else draw_seen(curves, bits, events, rounds)
        for u in range(first, end):
            curve[u] = drawn
        end = first


@kernel
def expect_stairs(
    curves: Any, arm: int, counts: bool, mean: FloatArray, square: FloatArray, onwards: FloatArray
) -> None:
    """Write what is expected to be seen at every amount, and for counts the mean square of the rate there.

    `onwards` is scratch by amount.
    """
    rows, extra = curves.rows, 1.0 if counts else 2.0
    ways, stairs, last = rows.ways[arm], rows.stairs[arm], mean.size
    for i in range(last - 1, -1, -1):
        onwards[i], mean[i], square[i] = stairs[last - 1, i], 0.0, 0.0  # the weights of all ways from i on
        for j in range(i, last - 1):
            onwards[i] += stairs[j, i] * onwards[j + 1]
    for i in range(last):
        events, rounds = 0.0, 0.0
        for j in range(i, last):
            events += rows.events[arm, j]
            rounds += rows.rounds[arm, j]
            chance = ways[i] * stairs[j, i] / ways[last] * (onwards[j + 1] if j + 1 < last else 1.0)
            expected = (1.0 + events) / ((extra + rounds) * (1.0 + _quiet_odds(events, rounds)))
            for u in range(i, j + 1):
                mean[u] += chance * expected
                square[u] += chance * expected * (2.0 + events) / (1.0 + rounds)
