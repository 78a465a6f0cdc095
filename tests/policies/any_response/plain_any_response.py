"""AnyResponse a second time, slow and plain: from docs/explanation/any-response.md, without its code.

`decide` takes the stream of a round's random numbers, so its grants can be compared with those of the policy.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from allotment import allocate
from allotment.randomness.bits import draw_uniform
from allotment.randomness.laws import draw_gamma
from policies.any_response import plain_free_curve as free_curve
from policies.any_response.plain_family import ROUNDING, own_family, place_of, standard_family, step
from policies.any_response.plain_posterior import NODES, Beliefs, Seen

DRAWS, SCARCE, SCARCE_ELSEWHERE, SCARCE_DRAWS = 2, 400, 4000, 5
SHORTEST_OPENING, OPENING_BY_UNIT = 10, 2
LEAST_CURIOSITY, CURIOSITY_BY_UNIT = 2.0, 0.25
KIND_STEPS = 40
ALONE_FROM = 5000


@dataclass
class Situation:
    """What AnyResponse is told: amounts in units, parameters as in the policy."""

    units: int  # in a full grant
    budget: int  # at most a full grant for every arm
    evidence: list  # (arm, amount, rounds, events)
    severities: list
    least: list
    most: list
    policy: object  # al.AnyResponse: only its parameters are read
    arms: list = field(default_factory=list)
    kinds: np.ndarray | None = None  # π, the free curve last

    def __post_init__(self):
        policy = self.policy
        family = standard_family(self.units, with_capped=self.counts and self.finds)
        if policy.curves:
            family = own_family(policy.curves, self.units)
        thresholds = policy.thresholds or [None] * len(self.severities)
        usual = ((0.3, 0.05) if self.finds else (0.5, 0.5)) if self.counts else (0.5, 1.0)
        prior = policy.rates or usual
        for number, threshold in enumerate(thresholds):
            seen = Seen(
                *self._by_units(number),
                prior=tuple(prior),
                counts=self.counts,
                finds=self.finds,
                ages=policy.half_life is not None,
            )
            self.arms.append(Arm(seen, family, threshold, policy.free))
        start = np.append((1.0 - policy.free) * family.kinds, policy.free)
        self.kinds = learn_kinds(start, [arm.kind_weights for arm in self.arms], policy.likeness)

    @property
    def counts(self):
        return self.policy.losses == "counts"

    @property
    def finds(self):
        return self.policy.sees == "finds"

    @property
    def opens(self):
        opening = self.policy.opening
        if opening is None:
            opening = max(SHORTEST_OPENING, OPENING_BY_UNIT * self.units)
        granted = sum(arm.seen.rounds @ np.arange(self.units + 1) for arm in self.arms)
        return granted < opening * self.budget

    @property
    def curiosity(self):
        if self.policy.curiosity is None:
            return max(LEAST_CURIOSITY, CURIOSITY_BY_UNIT * self.units)
        return self.policy.curiosity

    def _by_units(self, arm):
        rounds, events = np.zeros(self.units + 1), np.zeros(self.units + 1)
        for which, amount, n, s in self.evidence:
            if which == arm:
                unit = math.floor(amount * self.units + ROUNDING)
                rounds[unit] += n
                events[unit] += s
        return rounds, events

    def grant(self, values):
        return allocate(values, self.budget, least=self.least, most=self.most).units


class Arm:
    """Beliefs about an arm, its free curve included; weights are relative to the largest."""

    def __init__(self, seen, family, threshold, free):
        possible = np.ones(len(family.curves), bool)
        if threshold is not None:
            place = place_of(threshold, seen.units)
            possible = np.array(
                [curve.shape is step and curve.place.value == place for curve in family.curves]
            )
        self.seen = seen
        self.beliefs = Beliefs(seen, family.curves, possible)
        self.may_be_free = free > 0.0 and threshold is None
        log_free = free_curve.log_weight(seen) if self.may_be_free else -math.inf
        self.scale = max(self.beliefs.log_weights.max(), log_free)
        self.weights = np.exp(self.beliefs.log_weights - self.scale)
        self.kind_weights = np.append(
            np.bincount(self.beliefs.kinds, self.weights, family.kinds.size), math.exp(log_free - self.scale)
        )


def learn_kinds(start, weights, likeness):
    """π: how common the kinds of curves are, from the weights of the kinds of every arm."""
    if likeness is None:
        return start
    shares = start
    for _ in range(KIND_STEPS):
        shares = likeness * start + sum(shares * each / (shares @ each) for each in weights)
        shares = shares / shares.sum()
    if shares[-1] < start[-1]:
        shares = np.append(shares[:-1] * (1.0 - start[-1]) / shares[:-1].sum(), start[-1])
    return shares


def decide(situation, bits):
    """The values by which a round decides, and its grants in units."""
    if situation.opens:
        values = np.array([opening_values(situation, number) for number in range(len(situation.arms))])
        return values, situation.grant(values)
    doubted = arm_in_doubt(situation, bits)
    if doubted is None:
        values = drawn_values(situation, bits)
        return values, situation.grant(values)
    single = drawn_values(situation, bits, single=True)
    values = drawn_values(situation, bits)
    granted = situation.grant(values)[doubted]
    if situation.grant(single)[doubted] != granted:
        values[doubted] = values_in_doubt(granted, single[doubted])
    return values, situation.grant(values)


def values_in_doubt(granted, single):
    """The values of an arm to which a single draw grants something else."""
    return np.zeros_like(single) if granted > 0 else single


def opening_values(situation, number):
    arm, severity = situation.arms[number], situation.severities[number]
    beliefs = arm.beliefs
    chances = situation.kinds[beliefs.kinds] * np.exp(beliefs.log_weights - beliefs.log_weights.max())
    chances /= chances.sum()
    rates = beliefs.rates[:, np.newaxis] * beliefs.visible
    mean, square = chances @ rates, chances @ rates**2
    prevented = mean if situation.finds else chances @ beliefs.rates - mean
    doubt = np.maximum(0.0, square - mean**2)
    if situation.counts:
        told = 0.5 * doubt / np.maximum(mean + doubt, 1e-12)
    else:
        told = 0.5 * doubt / np.maximum(np.maximum(mean * (1.0 - mean), doubt), 1e-12)
        told[mean >= 1.0] = 0.0
    return severity * (prevented + situation.curiosity * prevented[situation.most[number]] * told)


def arm_in_doubt(situation, bits):
    """The arm to leave alone, unless a single draw agrees with its grant."""
    policy = situation.policy
    if situation.finds or policy.left_alone == 0.0 or policy.half_life is not None:
        return None
    for number, arm in enumerate(situation.arms):
        n = arm.seen.rounds.sum()
        if n >= ALONE_FROM and draw_uniform(bits) * n < policy.left_alone:
            return number
    return None


def drawn_values(situation, bits, *, single=False):
    return np.array(
        [
            severity * drawn_mean(situation, arm, bits, single=single)
            for arm, severity in zip(situation.arms, situation.severities, strict=True)
        ]
    )


def drawn_mean(situation, arm, bits, *, single):
    """What the draws of an arm prevent on average, by units."""
    kind_weights = situation.kinds * arm.kind_weights
    family, free = kind_weights[:-1].sum(), kind_weights[-1]
    is_free = arm.may_be_free and draw_uniform(bits) * (family + free) < free
    draws = 1 if single else (situation.policy.draws or DRAWS)

    def draw(times):
        if is_free:
            return [free_curve.draw_prevented(arm.seen, bits) for _ in range(times)]
        return [draw_of_family(situation, arm, bits) for _ in range(times)]

    drawn = draw(1 if is_free and free_curve.has_stairs(arm.seen) else draws)
    events = arm.seen.rounds.sum() * np.mean([rate for rate, _ in drawn])
    if situation.finds:
        events = arm.seen.events.sum()
    few = SCARCE_ELSEWHERE if situation.finds or situation.counts else SCARCE
    if len(drawn) == draws > 1 and events < few / situation.units:
        drawn += draw(SCARCE_DRAWS - draws)
    return np.mean([prevented for _, prevented in drawn], axis=0)


def lies_in(point, lengths):
    """Which of the lengths, laid end to end, a point lies in, and how far."""
    ends = np.cumsum(lengths)
    place = min(int(np.searchsorted(ends, point, side="right")), int(np.flatnonzero(lengths)[-1]))
    return place, point - (ends[place] - lengths[place])


def draw_of_family(situation, arm, bits):
    """The rate of a drawn curve, and what it prevents by units."""
    beliefs, kinds = arm.beliefs, situation.kinds[:-1]
    kind_weights = kinds * arm.kind_weights[:-1]
    kind, left = lies_in(draw_uniform(bits) * kind_weights.sum(), kind_weights)
    h, left = lies_in(left / kinds[kind], np.where(beliefs.kinds == kind, arm.weights, 0.0))
    rate = (draw_count_rate if situation.counts else draw_rate)(situation, arm, bits, h, left)
    return rate, rate * (beliefs.visible[h] if situation.finds else 1.0 - beliefs.visible[h])


def draw_rate(situation, arm, bits, h, left):
    nodes = np.exp(arm.beliefs.log_nodes[h] - arm.scale)
    node, _ = lies_in(left, nodes)
    nodes /= nodes.sum()
    mean = nodes @ np.arange(NODES)
    variance = max(nodes @ (np.arange(NODES) - mean) ** 2, 1e-12)
    first, second = draw_uniform(bits), draw_uniform(bits)
    place = mean + (node + first + second - 1.0 - mean) / math.sqrt(1.0 + 1.0 / (6.0 * variance))
    return arm.beliefs.rate_at(bounded(situation, place, mean), [h])[0, 0]


def draw_count_rate(situation, arm, bits, h, _left):
    if arm.beliefs.means[h] > 0.0:
        return arm.beliefs.means[h]
    shape = arm.seen.prior[0] + arm.beliefs.total
    drawn = draw_gamma(bits, shape + 1.0)
    drawn *= (1.0 - draw_uniform(bits)) ** (1.0 / shape)
    return bounded(situation, drawn, shape) / arm.beliefs.exposure[h]


def bounded(situation, drawn, expected):
    """A draw that errs, if at all, on the side where it is found out."""
    if not situation.policy.optimistic:
        return drawn
    return max(drawn, expected) if situation.finds else min(drawn, expected)
