"""River: its Beta distributions, one for each arm. (Its bandits pull one arm at a time.)"""

from importlib.metadata import version

import numpy as np
from river import proba
from turns import ARMS, BEST, CHANCES, PLAYED, ROUNDS, take_turns


def play(replications, seed):
    """Mean regret."""
    rng, earned = np.random.default_rng(seed), 0.0
    for replication in range(replications):
        beliefs = [proba.Beta(seed=ARMS * replication + arm) for arm in range(ARMS)]
        for _ in range(ROUNDS):
            drawn = [belief.sample() for belief in beliefs]
            played = sorted(range(ARMS), key=drawn.__getitem__)[-PLAYED:]
            for uniform, arm in zip(rng.random(PLAYED), played, strict=True):
                beliefs[arm].update(bool(uniform < CHANCES[arm]))
                earned += CHANCES[arm]
    return ROUNDS * BEST - earned / replications


if __name__ == "__main__":
    take_turns(play, 1, version("river"))
