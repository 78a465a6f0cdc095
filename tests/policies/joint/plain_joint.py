"""Joint a second time, slow and plain: from docs/explanation/joint.md, without policies/joint.

`decide` takes a round's random numbers as inputs, so its grants can be compared with those of the policy.
"""

import math
from dataclasses import dataclass
from itertools import compress, product

from policies.joint.plain_arm import ABOUT_ONE, ALIKE, ROOM, STEPS, Arm

OPENING, CURIOSITY, WORTH_TAKING = 30, 2.0, 0.8
DOUBT, SURE, PROBES = 0.01, 0.9, 1000
FAIR, TRIED, TRUSTED, MIDWAY = 0.5, 0.25, 0.7, 0.5


@dataclass
class Luck:
    """The random numbers of a round."""

    uniform: float
    quantiles: list
    rates: list


def decide(world, rows, luck):
    """The grants of a round; `rows` has the evidence of every arm, as (amount, rounds, losses)."""
    arms = [Arm(world, each) for each in rows]
    on_grid, probing, finer = _hypothesis(world, arms, luck.uniform)
    for arm, quantile, rate, severity in zip(arms, luck.quantiles, luck.rates, world.severities, strict=True):
        _draw(arm, quantile, on_grid, finer)
        arm.stake = severity * min(rate, arm.expected_rate)
    granted = sum(amount * rounds for each in rows for amount, rounds, _ in each)
    if granted < OPENING * world.budget - 1e-9:
        for arm in arms:
            arm.told = arm.informations()
        spend(world, arms, world.budget, on_grid, finer, CURIOSITY)
        return [arm.granted for arm in arms]
    if finer:
        choose_finer(world, arms, granted)
    else:
        take(knapsack(world, arms, wanted(arms)), arms)
    for arm in arms:
        arm.covered, arm.reach = (arm.place + 1, arm.reach) if arm.chosen else (0, 1.0)
    spend(world, arms, world.budget - sum(arm.granted for arm in arms if arm.chosen), on_grid, finer)
    if probing:
        probe(world, arms)
    return [arm.granted for arm in arms]


def _hypothesis(world, arms, uniform):
    """Whether thresholds are drawn to be multiples, whether to probe, whether to grant finer amounts."""
    if not world.refines:
        return False, False, False
    odds = (1.0 - world.off_grid) / world.off_grid
    for arm in arms:
        odds *= arm.total_v / arm.total_w
    chance = odds / (1.0 + odds)
    on = uniform < chance
    return on or chance > DOUBT, not on and chance > DOUBT, not on and chance <= DOUBT


def _draw(arm, quantile, on_grid, finer):
    weights, total = (arm.v, arm.total_v) if on_grid else (arm.w, arm.total_w)
    below, k = 0.0, 0
    while k < len(weights) - 1 and below + weights[k] <= quantile * total:
        below += weights[k]
        k += 1
    arm.place = k
    if finer and arm.may_be_cut(k, ROOM):
        steps = min(STEPS, arm.width(k) / arm.world.finest)
        share = (quantile * total - below) / weights[k]
        arm.share = min(1.0, math.floor(1.0 + steps * share) / steps)


def knapsack(world, arms, weights, stakes=None):
    """The best arms that fit; of equally good choices, one that the other implementation made."""
    stakes = [arm.stake for arm in arms] if stakes is None else stakes
    possible = []
    for chosen in product([False, True], repeat=len(arms)):
        if world.fits(sum(compress(weights, chosen)), world.budget):
            possible.append((sum(compress(stakes, chosen)), chosen))
    best = max(value for value, _ in possible)
    good = [chosen for value, chosen in possible if value >= best * (1.0 - 1e-12)]
    return next((chosen for chosen in world.choices if chosen in good), good[0])


def take(chosen, arms):
    for arm, takes in zip(arms, chosen, strict=True):
        arm.chosen = takes


def spend(world, arms, left, on_grid, finer, curiosity=0.0):
    for arm in arms:
        arm.plan(left, on_grid, finer, curiosity)
    most = max(arm.worth for arm in arms)
    while most > 0.0:
        bar, most = WORTH_TAKING * most, 0.0
        for arm in arms:
            while arm.worth > bar:
                covered, reach = arm.target
                cost = arm.amount(covered - 1, reach) - arm.granted
                if world.fits(cost, left):
                    arm.covered, arm.reach = arm.target
                    left -= cost
                arm.plan(left, on_grid, finer, curiosity)
            most = max(most, arm.worth)


def probe(world, arms):
    """Grant one arm a little less than the multiple that covers it."""
    less, best, probed = max(world.finest, world.resolution / PROBES), 0.0, None
    for arm, severity in zip(arms, world.severities, strict=True):
        j = arm.place
        if not arm.chosen or math.isinf(arm.levels[j]) or arm.v[j] < SURE * arm.total_v:
            continue
        lost = j == 0 or arm.w[j - 1] <= ALIKE * arm.total_w
        if arm.width(j) <= ABOUT_ONE * less and lost:
            continue
        if arm.expected_rate / severity > best:
            best, probed = arm.expected_rate / severity, arm
    if probed is not None:
        j = probed.place
        wide = probed.width(j) > ABOUT_ONE * less
        probed.covered, probed.reach = (j + 1, 1.0 - less / probed.width(j)) if wide else (j, 1.0)


def choose_finer(world, arms, granted):
    """Choose arms, and how far down their cells to go."""
    drawn = [arm.amount(arm.place, arm.share) for arm in arms]
    for arm, takes in zip(arms, knapsack(world, arms, drawn), strict=True):
        arm.within = takes
    if world.fits(sum(arm.levels[arm.place] for arm in arms if arm.within), world.budget):
        take_within(arms)
    else:
        take(knapsack(world, arms, wanted(arms)), arms)
        if cuts_pay(world, arms, granted):
            cut(world, arms)
    for arm in arms:
        if not arm.chosen:
            arm.reach = 1.0
            continue
        if arm.reach == 1.0 and arm.w[arm.place] >= FAIR * arm.total_w:
            arm.reach = arm.after_step(arm.place, deeper=False)
        arm.stays = arm.stays or arm.reach < 1.0 or arm.chance(arm.place) >= TRUSTED


def wanted(arms):
    return [arm.levels[arm.place] for arm in arms]


def take_within(arms):
    take([arm.within for arm in arms], arms)


def cuts_pay(world, arms, granted):
    """Whether the arms within would have saved more so far than a loss for every cell to be cut."""
    cuts = [arm for arm in arms if arm.is_cut]
    if not cuts:
        return False
    within = [arm for arm in arms if arm.within]
    better = sum(arm.stake for arm in within) - sum(arm.stake for arm in arms if arm.chosen)
    chance = math.prod(arm.chance(arm.place) for arm in within)
    middle = sum(wanted(within)) - sum(0.5 * arm.width(arm.place) for arm in cuts)
    spread = sum(arm.width(arm.place) ** 2 / 12.0 for arm in cuts)
    chance *= 0.5 * math.erfc((middle - world.budget) / math.sqrt(2.0 * spread))
    return chance * better * granted >= len(cuts) * world.budget


def cut(world, arms):
    left_out = [arm for arm in arms if arm.is_cut and not arm.chosen]
    odd = max(left_out, key=lambda arm: arm.width(arm.place), default=None)
    for arm in arms:
        if arm.is_cut:
            arm.reach = arm.after_step(arm.place, deeper=True)
    others = [arm for arm in arms if arm.within and arm is not odd]

    def left():
        return world.budget - sum(arm.amount(arm.place, arm.reach) for arm in others)

    if odd is None:
        if left() >= -world.slack:
            take_within(arms)
        return
    if odd.covers(left()) < TRIED:
        for arm in left_out:
            if arm is not odd:
                arm.reach = arm.share
    most = world.budget - sum(arm.low(arm.place) for arm in others)
    if odd.covers(left()) >= TRIED:
        odd.reach = odd.up(odd.place, left())
        take_within(arms)
    elif odd.covers(most) < TRUSTED:
        make_way(world, arms, odd, odd.up(odd.place, most))
    elif odd.width(odd.place) > sum(arm.width(arm.place) for arm in arms if arm.is_cut and arm.chosen):
        make_way(world, arms, odd, MIDWAY)


def make_way(world, arms, odd, reach):
    stakes = [arm.stake for arm in arms]
    stakes[arms.index(odd)] += 1.0 + sum(stakes)
    take(knapsack(world, arms, wanted(arms), stakes), arms)
    for arm in arms:
        arm.reach = 1.0
    odd.reach, odd.stays = reach, True
