"""MABWiser: its sampled expectations of all arms, of which the largest are played and fitted together."""

from importlib.metadata import version

import numpy as np
from mabwiser.mab import MAB, LearningPolicy
from turns import ARMS, BEST, CHANCES, PLAYED, ROUNDS, take_turns


def play(replications, seed):
    """Mean regret."""
    rng, earned, arms = np.random.default_rng(seed), 0.0, list(range(ARMS))
    for replication in range(replications):
        bandit = MAB(arms, LearningPolicy.ThompsonSampling(), seed=seed + replication)
        bandit.fit(decisions=[], rewards=[])
        for _ in range(ROUNDS):
            drawn = bandit.predict_expectations()
            played = sorted(arms, key=drawn.__getitem__)[-PLAYED:]
            uniforms = rng.random(PLAYED)
            rewards = [int(uniform < CHANCES[arm]) for uniform, arm in zip(uniforms, played, strict=True)]
            bandit.partial_fit(played, rewards)
            earned += sum(CHANCES[arm] for arm in played)
    return ROUNDS * BEST - earned / replications


if __name__ == "__main__":
    take_turns(play, 1, version("mabwiser"))
