"""Random histories of an arm: what was granted and seen, round by round, and the evidence that they imply."""

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

import allotment as al

FORGOTTEN = 0.01  # rounds and incidents, as in docs/explanation/any-response.md


@dataclass(frozen=True)
class History:
    """A policy for one arm, the evidence to start from, and the rounds that follow."""

    policy: al.AnyResponse
    before: al.Evidence
    told: list  # (units granted, seen, situation); seen is NaN where nobody reported

    @property
    def units(self):
        return round(1 / self.policy.unit)

    def rows(self):
        """The rows of what the history implies, with ages."""
        half_life, places = self.policy.half_life, {}
        keep = 1.0 if half_life is None else 0.5 ** (1.0 / half_life)
        for _, amount, rounds, seen, *situation in self.before.rows:
            places[round(amount * self.units), *(situation or (0,))] = rounds, seen
        for units, seen, situation in self.told:
            if np.isnan(seen):
                continue
            for place, (n, s) in places.items():
                n, s = keep * n, keep * s
                places[place] = (0.0, 0.0) if n < FORGOTTEN > s and keep < 1.0 else (n, s)
            n, s = places.get((units, situation), (0.0, 0.0))
            places[units, situation] = n + 1.0, s + seen
        return [
            (0, u / self.units, n, s, *([c] if self.policy.situations > 1 else []))
            for (u, c), (n, s) in places.items()
            if n > 0.0
        ]

    def evidence(self):
        """What the history implies."""
        return _evidence(self.policy, self.rows())

    def learner(self):
        """A learner that was told round by round."""
        return told_together([self])

    def rebuilt(self):
        """A learner that computes its beliefs from all evidence."""
        return rebuilt_together([self])


def _side_by_side(histories, rows_of):
    policy = histories[0].policy
    rows = [(arm, *row[1:]) for arm, each in enumerate(histories) for row in rows_of(each)]
    return policy.start(len(histories), 1.0, seed=0, evidence=_evidence(policy, rows, len(histories)))


def told_together(histories, *, late=False):
    """A learner with an arm for each history. `late` reports come one by one, the last round first."""
    learner, units = _side_by_side(histories, lambda each: each.before.rows), histories[0].units
    rounds = list(zip_longest(*(each.told for each in histories), fillvalue=None))
    for arms in reversed(rounds) if late else rounds:
        situation = next(each[2] for each in arms if each)
        granted = [each[0] / units if each else 0.0 for each in arms]
        seen = np.array([each[1] if each else np.nan for each in arms])
        for told in np.where(np.eye(len(arms)), seen, np.nan) if late else [seen]:
            learner.tell(told, granted, situation)
    return learner


def rebuilt_together(histories):
    """The same, but its beliefs are computed from all evidence."""
    return _side_by_side(histories, History.rows)


def _evidence(policy, rows, arms=1):
    return al.Evidence(arms, rows, sees=policy.sees, losses=policy.losses, situations=policy.situations)


def _curve(rng, amounts):
    return [
        np.where(amounts >= rng.uniform(0.1, 1), rng.uniform(0, 0.3), 1.0),
        np.maximum(0, 1 - amounts / rng.uniform(0.3, 1.5)),
        np.exp(-amounts * rng.uniform(0.3, 8)),
        np.sort(rng.uniform(0, 1, amounts.size))[::-1],
    ][rng.integers(4)]


def random_policy(rng, losses, *, ages=None, situations=1, capped=False, **parameters):
    """A policy with a random unit and half-life."""
    units = int(rng.choice([4, 10, 20]))
    ages = bool(rng.integers(2)) if ages is None else ages
    return al.AnyResponse(
        unit=1 / units,
        sees="finds" if capped else str(rng.choice(["losses", "finds"])),
        losses=losses,
        half_life=float(rng.choice([5, 50, 200])) if ages else None,
        situations=situations,
        **({} if situations > 1 else {"likeness": None}),
        **parameters,
    )


def random_history(seed, *, losses, wild=True, capped=False, longest=300, like=None, **parameters):
    """A history of up to `longest` rounds. `wild` ones may hold counts that no rate explains.

    Mean counts are from 0.1 to 10,000. Worlds may change, reports may be missing, and evidence to start from
    may have exposures from 0.01 to 1000 rounds. In `capped` ones, every unit finds one incident at most; mean
    counts are up to 100. `like` is a history whose policy and situations this one has, for another arm.
    """
    rng = np.random.default_rng(seed)
    policy = like.policy if like else random_policy(rng, losses, capped=capped, **parameters)
    units, counts, situations = round(1 / policy.unit), losses == "counts", policy.situations
    amounts = np.arange(units + 1) / units
    odd, changing = wild and counts and rng.random() < 0.3, wild and rng.random() < 0.3

    def rate():
        return 10.0 ** rng.uniform(-1, 2 if capped else 4) if counts else rng.uniform(0.01, 1)

    curve, top = _curve(rng, amounts), rate()
    factors = rng.uniform(0.2, 1.0, situations)
    shares = curve if policy.sees == "losses" else 1.0 - curve

    def draw(units, situation, rounds=1.0):
        if capped:
            found = np.minimum(units, rng.poisson(top, max(1, int(rounds)))).sum()
            return float(min(found, units * rounds))
        if odd:
            return float(rng.choice([0, int(10 ** rng.uniform(0, 4))]))
        mean = top * factors[situation] * shares[units] * rounds
        return float(
            rng.poisson(mean) if counts else rng.binomial(max(1, int(rounds)), min(1.0, mean / rounds))
        )

    rows = []
    for units_before in rng.permutation(units + 1)[: rng.integers(4)]:
        rounds = 10.0 ** rng.uniform(-2, 3) if counts else float(rng.integers(1, 1000))
        situation = int(rng.integers(situations))
        seen = draw(units_before, situation, rounds)
        rows.append((0, units_before / units, rounds, seen, *([situation] if situations > 1 else [])))
    told = []
    for t in range(rng.integers(1, longest)):
        if changing and rng.random() < 0.02:
            top = rate()
        place, situation = int(rng.integers(units + 1)), int(rng.integers(situations))
        if like and t < len(like.told):
            situation = like.told[t][2]
        told.append((place, draw(place, situation) if rng.random() > 0.05 else np.nan, situation))
    return History(policy, _evidence(policy, rows), told)


def random_arms(seed, arms=3, **parameters):
    """Histories of several arms, whose reports come in together."""
    first = random_history(seed, **parameters)
    others = (random_history([seed, k], like=first, **parameters) for k in range(1, arms))
    return [first, *others]


def expected_in(policy, learner):
    """Situations x arms x amounts: the losses that a learner expects."""
    expected = []
    for situation in range(policy.situations):
        arms = learner.ask(situation).size
        expected.append(policy.summary(learner.state).losses)
        learner.tell([np.nan] * arms)
    return np.array(expected)


def apart(first, second):
    """How far expectations are apart, relative to the largest of an arm; the largest over arms."""
    assert np.isfinite(first).all() and np.isfinite(second).all()
    largest = np.maximum(second.max(axis=(0, 2), keepdims=True), 1e-9)
    return float((np.abs(first - second) / largest).max())


def distance(*histories, late=False):
    """How far a learner is from one that computes beliefs anew; a history for each arm."""
    policy = histories[0].policy
    learner, rebuilt = told_together(histories, late=late), rebuilt_together(histories)
    return apart(expected_in(policy, learner), expected_in(policy, rebuilt))
