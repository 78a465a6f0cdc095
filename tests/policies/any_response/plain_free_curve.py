"""The free curve of the plain AnyResponse: a rate for every amount, or for every stair."""

import math

import numpy as np
from scipy.optimize import isotonic_regression

from allotment.randomness.bits import draw_uniform
from allotment.randomness.laws import draw_beta, draw_gamma

STAIRS_FROM, BEGINS, QUIET = 4000, 0.2, 0.1
UNSEEN, NEVER = 0.1, 1e12


def has_stairs(seen):
    return not seen.ages and seen.evidence >= STAIRS_FROM


def log_weight(seen):
    """Of the free curve."""
    if has_stairs(seen):
        return Stairs(seen).log_ways[-1]
    return seen.log_marginal(seen.events, seen.rounds)[seen.rounds > 0].sum()


def draw_prevented(seen, bits):
    """The loss rate of a drawn free curve, and what it prevents by units."""
    if has_stairs(seen):
        rates = Stairs(seen).draw(bits)
    else:
        rates = [draw_rate(seen, bits, s, n) for s, n in zip(seen.events, seen.rounds, strict=True)]
    weights = UNSEEN + seen.rounds
    if seen.finds:
        rates[0], weights[0] = 0.0, NEVER
    rates = isotonic_regression(rates, weights=weights, increasing=seen.finds).x
    return (rates[-1], rates) if seen.finds else (rates[0], rates[0] - rates)


def draw_rate(seen, bits, events, rounds):
    if seen.counts:
        return draw_gamma(bits, 1.0 + events) / (1.0 + rounds)
    return draw_beta(bits, 1.0 + events, 1.0 + rounds - events)


class Stairs:
    """All ways to share out the amounts among runs of neighbours."""

    def __init__(self, seen):
        self.seen = seen
        self.begins = 1.0 - (1.0 - BEGINS) ** (20 / seen.units)
        self.log_ways = [0.0]  # to lay stairs below i = 0, 1, …, G + 1
        for j in range(seen.units + 1):
            self.log_ways.append(
                np.logaddexp.reduce([self.log_ways[i] + self.log_stair(i, j) for i in range(j + 1)])
            )

    def on(self, i, j):
        """Events and rounds on a stair."""
        return self.seen.events[i : j + 1].sum(), self.seen.rounds[i : j + 1].sum()

    def log_stair(self, i, j):
        events, rounds = self.on(i, j)
        prior = (j - i) * math.log1p(-self.begins) + (math.log(self.begins) if i > 0 else 0.0)
        likelihood = math.log1p(-QUIET) + self.seen.log_marginal(events, rounds)
        return prior + (np.logaddexp(likelihood, math.log(QUIET)) if events == 0 else likelihood)

    def draw(self, bits):
        rates = np.zeros(self.seen.units + 1)
        j = self.seen.units
        while j >= 0:
            starts = range(j, -1, -1)
            chances = np.exp([self.log_ways[i] + self.log_stair(i, j) - self.log_ways[j + 1] for i in starts])
            i = starts[min(int(np.searchsorted(chances.cumsum(), draw_uniform(bits), side="right")), j)]
            events, rounds = self.on(i, j)
            odds = 0.0
            if events == 0:
                odds = QUIET / ((1.0 - QUIET) * math.exp(self.seen.log_marginal(0.0, rounds)))
            if not draw_uniform(bits) * (1.0 + odds) < odds:
                rates[i : j + 1] = draw_rate(self.seen, bits, events, rounds)
            j = i - 1
        return rates
