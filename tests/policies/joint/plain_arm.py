"""What the plain Joint knows of one arm: candidates, posterior, cells, raises (docs/explanation/joint.md)."""

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy import special

from allotment.tolerance import slack_of

SAME = 1e-12  # amounts in evidence that differ by less are one
ALIKE = 1e-6
ABOUT_ONE, STEPS, DEEPER_STEPS, ROOM, HALF = 1.5, 64, 8, 96, 48


@dataclass
class World:
    """What Joint is told: the parameters that it takes from the user, and the setting."""

    budget: float
    severities: list
    resolution: float = 0.01
    finest: float = SAME  # inf: only multiples
    off_grid: float = 0.05
    uncoverable: float = 1e-3
    shape: tuple = (1.0, 1.0)
    leak: float = 0.0  # of counts a share, of yes/no losses a chance
    counts: bool = False
    choices: tuple = ()  # of arms, to be preferred to others that are as good

    @property
    def slack(self):
        return slack_of(self.budget)

    @property
    def refines(self):
        return self.finest < self.resolution

    def fits(self, amount, room):
        return amount <= room + self.slack


def entropy(chance):
    """Of an event, in nats."""
    return special.entr(chance) + special.entr(1.0 - chance)


@dataclass(eq=False)
class Arm:
    """The posterior of one arm, and what a round decides about it. Candidates count from 0; the last is ∞."""

    world: World
    rows: list  # (amount, rounds, losses)
    place: int = 0  # the candidate that was drawn as the threshold
    share: float = 1.0  # σ
    stake: float = 0.0
    stays: bool = False
    chosen: bool = False
    within: bool = False
    covered: int = 0  # the grant: so many candidates are covered, the last of them by a reach
    reach: float = 1.0
    target: tuple = (0, 1.0)  # the planned raise
    worth: float = 0.0
    levels: list = field(default_factory=list)
    told: list = field(default_factory=list)  # in the opening

    def __post_init__(self):
        world, step = self.world, self.world.resolution
        multiples = [round(k * step, 12) for k in range(1, math.ceil(1.0 / step - SAME))] + [1.0]
        self.levels = list(multiples)
        for amount in [world.budget, *(amount for amount, _, _ in self.rows)]:
            if SAME < amount < 1.0 and min(abs(amount - level) for level in self.levels) > SAME:
                self.levels.append(amount)
        self.levels.sort()
        self.is_multiple = [any(abs(level - m) <= SAME for m in multiples) for level in self.levels]
        coverable = 1.0 - world.uncoverable
        off = [coverable * (b - a) for a, b in pairwise([0.0, *self.levels])]
        length = {b: b - a for a, b in pairwise([0.0, *multiples])}
        on = [
            coverable * length[min(multiples, key=lambda m: abs(m - level))] if grid else 0.0
            for level, grid in zip(self.levels, self.is_multiple, strict=True)
        ]
        self.levels.append(math.inf)
        self.is_multiple.append(True)  # ∞ is possible on the grid, too
        logs = [self._log_likelihood(level) for level in self.levels]
        likelihoods = np.exp(np.array(logs) - max(logs))
        self.w = (np.array([*off, world.uncoverable]) * likelihoods).tolist()
        self.v = (np.array([*on, world.uncoverable]) * likelihoods).tolist()
        self.total_w, self.total_v = sum(self.w), sum(self.v)

    def _sums(self, level):
        """Rounds and losses at amounts below a candidate, and at or above it."""
        sums = [0.0, 0.0, 0.0, 0.0]
        for amount, n, x in self.rows:
            first = 0 if amount < level - SAME else 2
            sums[first] += n
            sums[first + 1] += x
        return sums

    def _log_likelihood(self, level):
        n, x, covered_n, covered_x = self._sums(level)
        (a, b), leak = self.world.shape, self.world.leak
        if covered_x > 0 and leak == 0.0:
            return -math.inf
        result = covered_x * math.log(leak) if covered_x > 0 else 0.0
        if self.world.counts:
            return result - (a + x + covered_x) * math.log(b + n + leak * covered_n)
        return result + (covered_n - covered_x) * math.log1p(-leak) + special.betaln(a + x, b + n - x)

    def law(self, trust, k=None):
        """The parameters of the loss rate's law if a candidate (the drawn one) is the threshold."""
        n, x, covered_n, covered_x = self._sums(self.levels[self.place if k is None else k])
        a, b = self.world.shape
        if self.world.counts:
            return a + trust * (x + covered_x), b + trust * (n + self.world.leak * covered_n)
        return a + trust * x, b + trust * (n - x)

    @property
    def expected_rate(self):
        a, b = self.law(1.0)
        return a / b if self.world.counts else a / (a + b)

    def informations(self):
        """What a round tells about the threshold, in nats, by how many candidates the grant covers."""
        shares = np.array(self.w) / self.total_w
        a, b = np.array([self.law(1.0, k) for k in range(len(self.levels))]).T
        leak = self.world.leak
        uncovered, covered = a / (a + b), np.full(a.size, leak)
        if self.world.counts:
            uncovered, covered = 1.0 - (b / (b + 1.0)) ** a, 1.0 - (b / (b + leak)) ** a
        found = []
        for k in range(len(self.levels)):
            seen = np.where(np.arange(a.size) < k, covered, uncovered)
            found.append(entropy(shares @ seen) - shares @ entropy(seen))
        return found

    @property
    def is_cut(self):
        return self.within and self.share < 1.0

    def low(self, k):
        return self.levels[k - 1] if k > 0 else 0.0

    def width(self, k):
        return self.levels[k] - self.low(k)

    def amount(self, k, reach):
        return self.levels[k] if reach == 1.0 else self.low(k) + reach * self.width(k)

    @property
    def granted(self):
        return self.amount(self.covered - 1, self.reach) if self.covered > 0 else 0.0

    def up(self, k, amount):
        above = amount - self.low(k)
        return min(1.0, above / self.width(k)) if above >= self.world.finest else 0.0

    def chance(self, k):
        return sum(self.w[: k + 1]) / self.total_w

    def may_be_cut(self, k, room):
        if math.isinf(self.levels[k]) or self.width(k) < 2.0 * self.world.finest:
            return False
        return self.is_multiple.count(False) < room

    def after_step(self, k, deeper):
        if not self.may_be_cut(k, ROOM):
            return 1.0
        width, step = self.width(k), self.world.resolution / STEPS
        while width < ABOUT_ONE * step:
            if not deeper:
                return 1.0
            step /= DEEPER_STEPS
        step = max(step, self.world.finest)
        return 1.0 - step / width if width - step >= self.world.finest else 1.0

    def covers(self, amount):
        x = self.up(self.place, amount)
        missed = (1.0 - x) * self.w[self.place] / self.total_w
        return self.chance(self.place) - missed if x > 0.0 else 0.0

    def plan(self, left, on_grid, finer, curiosity):
        """Find the best raise per unit."""
        weights, total = (self.v, self.total_v) if on_grid else (self.w, self.total_w)
        k, before, chance, best = self.covered, self.granted, 0.0, 0.0
        self.worth = 0.0
        if self.stays:
            return
        if self.reach < 1.0:
            k -= 1
            chance = -self.reach * self.w[k]
        covered = k
        while k < len(self.levels) - 1:
            cost = self.levels[k] - before
            if not self.world.fits(cost, left):
                break
            chance += weights[k]
            gain = chance / total
            if curiosity > 0.0:
                gain += curiosity * (self.told[k + 1] - self.told[covered])
            if gain > max(best * cost * (1.0 + ALIKE), ALIKE):
                best, self.target = gain / cost, (k + 1, 1.0)
            k += 1
        if k < len(self.levels) - 1 and finer and self.may_be_cut(k, HALF):
            reach = math.floor(STEPS * self.up(k, before + left + 0.5 * self.world.slack)) / STEPS
            reach = self.up(k, self.low(k) + reach * self.width(k))
            cost = self.low(k) + reach * self.width(k) - before
            gain = (chance + reach * self.w[k]) / total
            if reach > 0.0 and cost > 0.0 and gain > max(best * cost * (1.0 + ALIKE), ALIKE):
                best, self.target = gain / cost, (k + 1, reach)
        self.worth = best * self.stake
