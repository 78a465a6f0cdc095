"""Random situations for AnyResponse: evidence of every kind of arm, settings and bounds of every kind."""

import copy
from dataclasses import dataclass

import numpy as np

from allotment import AnyResponse, Evidence, Exponential, Linear, Logistic, Step

UNITS = (0.05, 0.1, 0.25, 0.5, 1.0)
OWN_THRESHOLDS = [0.5, 1.0]
OWN_CURVES = [
    (Step(0.5, 0.1), 1.0),
    (Exponential(0.2), 2.0),
    (Step(1.0), 0.5),
    (Logistic(0.4, 0.05, 0.2), 1.0),
]


@dataclass
class Situation:
    """All that decides a round, in amounts. `rows` are (arm, amount, rounds, events)."""

    policy: AnyResponse
    budget: float
    rows: list
    severities: list
    least: list
    most: list
    seed: int

    @property
    def arms(self):
        return len(self.severities)

    def ask(self):
        """The learner after a round, its grants, and its random numbers before the round."""
        policy = self.policy
        learner = policy.start(
            self.arms,
            self.budget,
            seed=self.seed,
            severities=self.severities,
            evidence=Evidence(self.arms, self.rows, sees=policy.sees, losses=policy.losses),
            least=self.least,
            most=self.most,
        )
        bits = copy.deepcopy(learner.state.sketch.bits)
        return learner, learner.ask(), bits


def random_situation(seed):
    stream = np.random.default_rng(seed)
    units = round(1.0 / stream.choice(UNITS))
    arms = int(stream.choice([1, 2, 3, 4, 12]))
    policy = AnyResponse(unit=1.0 / units, **_random_options(stream, arms))
    fewest = 4000 if stream.random() < 0.2 else 1  # rounds of an arm
    rows = [row for arm in range(arms) for row in _random_rows(stream, arm, units, policy, fewest)]
    most = [units] * arms
    least = [0] * arms
    if stream.random() < 0.3:
        most = stream.integers(1, units + 1, arms).tolist()
    if stream.random() < 0.2:
        least = [int(stream.integers(0, limit + 1)) if stream.random() < 0.3 else 0 for limit in most]
    share = 3.0 if stream.random() < 0.05 else stream.uniform(0.1, 0.7)  # rarely, more than may be granted
    budget = max(int(share * sum(most)), sum(least), 1) + stream.choice([0.0, 0.4])
    severities = stream.choice([0.5, 1.0, 3.0], arms) if stream.random() < 0.3 else np.ones(arms)
    return Situation(
        policy,
        float(budget) / units,
        rows,
        severities.tolist(),
        [each / units for each in least],
        [each / units for each in most],
        seed,
    )


def _random_options(stream, arms):
    options = {
        "sees": "finds" if stream.random() < 0.25 else "losses",
        "losses": "counts" if stream.random() < 0.3 else "binary",
    }
    unusual = {
        "likeness": None,
        "free": float(stream.choice([0.0, 0.5, 0.95])),
        "draws": int(stream.choice([1, 3])),
        "optimistic": False,
        "opening": int(stream.choice([0, 10**6])),
        "curiosity": 1.0,
        "left_alone": 0.0,
        "rates": (1.5, 2.0),
        "half_life": 400.0,
        "curves": OWN_CURVES,
    }
    options.update({name: value for name, value in unusual.items() if stream.random() < 0.12})
    if stream.random() < 0.3:
        options["left_alone"] = 20_000.0  # of arms that were seen for long, one is surely in doubt
    if stream.random() < 0.2:
        thresholds = (
            stream.choice(OWN_THRESHOLDS, arms) if "curves" in options else stream.uniform(0.05, 1.0, arms)
        )
        known = stream.random(arms) < 0.6
        options["thresholds"] = [
            each if knows else None for each, knows in zip(thresholds.tolist(), known, strict=True)
        ]
    return options


def _random_rows(stream, arm, units, policy, fewest):
    """What was seen of an arm with a random curve: nothing, little, or as much as 20,000 rounds."""
    if stream.random() < 0.1:
        return
    left = _random_curve(stream, units)
    rate = float(stream.choice([0.003, 0.05, 0.4, 0.9])) * stream.uniform(0.5, 1.0)
    if policy.losses == "counts" and stream.random() < 0.2:
        rate *= 20.0
    rounds = int(np.exp(stream.uniform(np.log(fewest), np.log(20_000))))
    amounts = stream.integers(0, units + 1, int(stream.integers(1, 5))).tolist()
    if stream.random() < 0.4:
        amounts = list(range(units + 1))  # every amount was tried
    shares = stream.dirichlet([0.5] * len(amounts))
    capped = policy.losses == "counts" and policy.sees == "finds" and stream.random() < 0.5
    for amount, n in zip(amounts, stream.multinomial(rounds, shares).tolist(), strict=True):
        within = float(stream.uniform(0.0, 0.9)) if stream.random() < 0.2 and amount < units else 0.0
        chance = rate * (1.0 - left[amount] if policy.sees == "finds" else left[amount])
        events = stream.poisson(chance * n) if policy.losses == "counts" else stream.binomial(n, chance)
        if capped:  # every unit finds one incident at most
            events = np.minimum(amount, stream.poisson(rate, n)).sum()
        if n > 0:
            yield arm, (amount + within) / units, n, int(events)


def _random_curve(stream, units):
    """What is left of a loss rate, by units: a curve of the family, or none that ever falls in order."""
    leak = float(stream.choice([0.0, 0.0, 0.03, 0.15, 0.5]))
    responses = [
        Step(float(stream.uniform(0.05, 1.0)), leak),
        Linear(float(stream.uniform(0.1, 1.5)), leak),
        Exponential(float(stream.uniform(0.03, 1.0)), leak),
        Logistic(float(stream.uniform(0.1, 0.9)), float(stream.uniform(0.02, 0.2)), leak),
    ]
    kind = stream.integers(len(responses) + 1)
    if kind == len(responses):
        return stream.random(units + 1)
    return responses[kind].table(1, units, 1e-12)[0]
