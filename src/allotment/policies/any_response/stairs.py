"""Stairs: the form of the free curve after many rounds of an arm.

At first, every amount has its own rate. On stairs, neighbouring amounts share one. A new stair begins at an
amount with a fixed probability, and with probability QUIET nothing ever happens on it. The weight of a stair
is the likelihood of its evidence, relative to the likelihood with a rate for every amount. The weights of all
ways to lay stairs add up from amount to amount: ways[j + 1] = Σ_i ways[i]·stairs[j, i], where a stair goes
from i to j.
"""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.kernels.lane_math import log_beta, log_gamma, sum_of_products
from allotment.policies.any_response.beliefs import CountedCurves, Rows, YesNoCurves
from allotment.policies.any_response.tuning import BEGINS, QUIET, SUREST
from allotment.randomness.bits import Bits, draw_uniform
from allotment.randomness.laws import draw_beta, draw_gamma


@generic
def log_seen(curves: Any, events: float, rounds: float) -> float:
    """The log of the marginal likelihood of events and rounds at one unknown rate."""
    raise NotImplementedError


@log_seen.register
def _log_seen_yes_no(curves: YesNoCurves, events: float, rounds: float) -> float:
    return log_beta(1.0 + events, 1.0 + max(0.0, rounds - events))


@log_seen.register
def _log_seen_counted(curves: CountedCurves, events: float, rounds: float) -> float:
    return log_gamma(1.0 + events) - (1.0 + events) * math.log1p(rounds)


@lanes
def _chance(seen: float, events: float, rounds: float) -> float:
    """The probability of a yes/no report at one rate, given earlier events and rounds at this rate."""
    return ((events if seen > 0.0 else rounds - events) + 1.0) / (rounds + 2.0)


@generic
def draw_seen(curves: Any, bits: Bits, events: float, rounds: float) -> float:
    """Draw a rate from its posterior, given events and rounds."""
    raise NotImplementedError


@draw_seen.register
def _draw_seen_yes_no(curves: YesNoCurves, bits: Bits, events: float, rounds: float) -> float:
    return draw_beta(bits, 1.0 + events, 1.0 + max(0.0, rounds - events))


@draw_seen.register
def _draw_seen_counted(curves: CountedCurves, bits: Bits, events: float, rounds: float) -> float:
    return draw_gamma(bits, 1.0 + events) / (1.0 + rounds)


@lanes
def _quiet_odds(events: float, rounds: float) -> float:
    """The odds that nothing ever happens on a stair, after `rounds` quiet rounds.

    At an unknown rate, quiet rounds have the probability 1 / (1 + rounds).
    """
    return QUIET / (1.0 - QUIET) * (1.0 + rounds) if events == 0.0 else 0.0


@kernel
def begins(units: int) -> float:
    """The probability that a stair begins at an amount, for a full grant of `units` units."""
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


@generic
def lay_stairs(curves: Any, arm: int) -> float:
    """Weigh the stairs of an arm; return the log of their likelihood relative to a rate for every amount."""
    raise NotImplementedError


@kernel
def _log_stair(curves: Any, events: float, rounds: float, apart: float) -> float:
    """The log of a stair's likelihood, relative to that of a rate for each of its amounts."""
    together = log_seen(curves, events, rounds) + math.log1p(_quiet_odds(events, rounds))
    return together + math.log(1.0 - QUIET) - apart


@lay_stairs.register
def _lay_yes_no(curves: YesNoCurves, arm: int) -> float:
    rows = curves.rows
    ways, stairs = rows.ways[arm], rows.stairs[arm]
    begin = begins(stairs.shape[0] - 1)
    for j in range(stairs.shape[0]):
        events, rounds, apart = 0.0, 0.0, 0.0
        for i in range(j, -1, -1):
            events += rows.events[arm, i]
            rounds += rows.rounds[arm, i]
            apart += log_seen(curves, rows.events[arm, i], rows.rounds[arm, i])
            together = _log_stair(curves, events, rounds, apart) + (j - i) * math.log(1.0 - begin)
            stairs[j, i] = math.exp(min(together, SUREST)) * (1.0 if i == 0 else begin)
    ways[0] = 1.0
    _go_up(ways, stairs, 0)
    return math.log(ways[stairs.shape[0]])


@lay_stairs.register
def _lay_counted(curves: CountedCurves, arm: int) -> float:
    return _lay_logs(curves, arm, -1, 0.0)


@kernel
def _lay_logs(curves: CountedCurves, arm: int, amount: int, seen: float) -> float:
    """Weigh the stairs over an amount after a further report there, or all stairs if the amount is -1.

    Weights are kept as logarithms. `ways` becomes 1 everywhere and `stairs` the chances of a draw, which are
    the same weights in other units.
    """
    rows = curves.rows
    ways, stairs, log_ways, log_stairs = (
        rows.ways[arm],
        rows.stairs[arm],
        curves.log_ways[arm],
        curves.log_stairs[arm],
    )
    last = stairs.shape[0]
    begin = begins(last - 1)
    ways[0], log_ways[0] = 1.0, 0.0
    for j in range(max(amount, 0), last):
        events, rounds, apart, best = 0.0, 0.0, 0.0, -math.inf
        for i in range(j, -1, -1):
            here, often = rows.events[arm, i], rows.rounds[arm, i]
            if i == amount:
                here, often = here + seen, often + 1.0
            events += here
            rounds += often
            apart += log_seen(curves, here, often)
            if i <= amount or amount < 0:
                log_stairs[j, i] = _log_stair(curves, events, rounds, apart) + (j - i) * math.log(1.0 - begin)
                if i > 0:
                    log_stairs[j, i] += math.log(begin)
            best = max(best, log_ways[i] + log_stairs[j, i])
        total = 0.0
        for i in range(j + 1):
            stairs[j, i] = math.exp(log_ways[i] + log_stairs[j, i] - best)
            total += stairs[j, i]
        for i in range(j + 1):
            stairs[j, i] /= total
        ways[j + 1], log_ways[j + 1] = 1.0, best + math.log(total)
    return log_ways[last]


@lanes
def _weigh_by(seen: float, alone: float, events: FloatArray, rounds: FloatArray, stairs: FloatArray) -> None:
    """Multiply a stair by the likelihood of a report, relative to a rate for the amount alone."""
    for i in range(stairs.size):
        odds, chance = _quiet_odds(events[i], rounds[i]), _chance(seen, events[i], rounds[i])
        stairs[i] *= (chance + (0.0 if seen > 0.0 else odds)) / ((1.0 + odds) * alone)


@generic
def learn_stairs(curves: Any, arm: int, amount: int, seen: float) -> float:
    """Update stairs by a report at an amount; return by how much the log of their weight grows."""
    raise NotImplementedError


@learn_stairs.register
def _learn_yes_no(curves: YesNoCurves, arm: int, amount: int, seen: float) -> float:
    rows, events, rounds = curves.rows, curves.bench.seen.events, curves.bench.seen.quiet  # scratch
    ways, stairs = rows.ways[arm], rows.stairs[arm]
    last, before = stairs.shape[0], ways[stairs.shape[0]]
    events[amount], rounds[amount] = rows.events[arm, amount], rows.rounds[arm, amount]
    for i in range(amount - 1, -1, -1):  # stairs that begin at i
        events[i], rounds[i] = events[i + 1] + rows.events[arm, i], rounds[i + 1] + rows.rounds[arm, i]
    alone = _chance(seen, events[amount], rounds[amount])
    for j in range(amount, last):
        if j > amount:
            for i in range(amount + 1):
                events[i] += rows.events[arm, j]
                rounds[i] += rows.rounds[arm, j]
        _weigh_by(seen, alone, events, rounds, stairs[j, : amount + 1])
    _go_up(ways, stairs, amount)
    return math.log(ways[last] / before)


@learn_stairs.register
def _learn_counted(curves: CountedCurves, arm: int, amount: int, seen: float) -> float:
    before = curves.log_ways[arm, curves.log_ways.shape[1] - 1]
    return _lay_logs(curves, arm, amount, seen) - before


@kernel
def draw_stairs(curves: Any, bits: Bits, arm: int, curve: FloatArray) -> None:
    """Draw the stairs, from the last one down, and a rate for each."""
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
    """Write the expected observation at every amount, and for counts the mean square of the rate.

    `onwards` is scratch by amount.
    """
    rows, extra = curves.rows, 1.0 if counts else 2.0
    ways, stairs, last = rows.ways[arm], rows.stairs[arm], mean.size
    for i in range(last - 1, -1, -1):
        # Weights of all ways from i up.
        onwards[i], mean[i], square[i] = stairs[last - 1, i], 0.0, 0.0
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
