"""Random histories of an arm: what was granted and seen, round by round, and the evidence that they imply."""

from dataclasses import dataclass

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

    def learner(self):
        """A learner that was told round by round."""
        learner = self.policy.start(1, 1.0, seed=0, evidence=self.before)
        for units, seen, situation in self.told:
            learner.tell([seen], [units / self.units], situation)
        return learner

    def rebuilt(self):
        """A learner that computes its beliefs from all evidence."""
        return self.policy.start(1, 1.0, seed=0, evidence=self.evidence())

    def evidence(self):
        """What the history implies, with ages."""
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
        rows = [
            (0, u / self.units, n, s, *([c] if self.policy.situations > 1 else []))
            for (u, c), (n, s) in places.items()
            if n > 0.0
        ]
        return _evidence(self.policy, rows)


def _evidence(policy, rows):
    return al.Evidence(1, rows, sees=policy.sees, losses=policy.losses, situations=policy.situations)


def _curve(rng, amounts):
    return [
        np.where(amounts >= rng.uniform(0.1, 1), rng.uniform(0, 0.3), 1.0),
        np.maximum(0, 1 - amounts / rng.uniform(0.3, 1.5)),
        np.exp(-amounts * rng.uniform(0.3, 8)),
        np.sort(rng.uniform(0, 1, amounts.size))[::-1],
    ][rng.integers(4)]


def random_history(
    seed, *, losses, ages=None, situations=1, wild=True, capped=False, longest=300, **parameters
):
    """A history of up to `longest` rounds. `wild` ones may hold counts that no rate explains.

    Mean counts are from 0.1 to 10,000. Worlds may change, reports may be missing, and evidence to start from
    may have exposures from 0.01 to 1000 rounds. In `capped` ones, every unit finds one incident at most; mean
    counts are up to 100.
    """
    rng = np.random.default_rng(seed)
    units, counts = int(rng.choice([4, 10, 20])), losses == "counts"
    ages = bool(rng.integers(2)) if ages is None else ages
    policy = al.AnyResponse(
        unit=1 / units,
        sees="finds" if capped else str(rng.choice(["losses", "finds"])),
        losses=losses,
        half_life=float(rng.choice([5, 50, 200])) if ages else None,
        situations=situations,
        **({} if situations > 1 else {"likeness": None}),
        **parameters,
    )
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
    for _ in range(rng.integers(1, longest)):
        if changing and rng.random() < 0.02:
            top = rate()
        place, situation = int(rng.integers(units + 1)), int(rng.integers(situations))
        told.append((place, draw(place, situation) if rng.random() > 0.05 else np.nan, situation))
    return History(policy, _evidence(policy, rows), told)


def expected_in(policy, learner):
    """Situations x amounts: the losses that a learner of one arm expects."""
    expected = []
    for situation in range(policy.situations):
        learner.ask(situation)
        expected.append(policy.summary(learner.state).losses[0])
        learner.tell([np.nan])
    return np.array(expected)


def distance(history):
    """How far a learner is from one that computes beliefs anew: expected losses, relative to the largest."""
    learner, rebuilt = (expected_in(history.policy, each) for each in (history.learner(), history.rebuilt()))
    assert np.isfinite(learner).all() and np.isfinite(rebuilt).all()
    return float(np.abs(learner - rebuilt).max() / max(rebuilt.max(), 1e-9))
