"""SMPyBandits: its Thompson sampling, and its own way to choose several arms."""

import contextlib
import sys
from importlib.metadata import version

import numpy as np
from turns import ARMS, BEST, CHANCES, PLAYED, ROUNDS, take_turns

with contextlib.redirect_stdout(sys.stderr):  # it prints what it misses
    from SMPyBandits.Policies import Thompson


def play(replications, seed):
    """Mean regret."""
    rng, earned = np.random.default_rng(seed), 0.0
    np.random.seed(seed)  # noqa: NPY002 - it draws from there
    for _ in range(replications):
        policy = Thompson(ARMS)
        policy.startGame()
        for _ in range(ROUNDS):
            uniforms = rng.random(PLAYED)
            for uniform, arm in zip(uniforms, policy.choiceMultiple(PLAYED), strict=True):
                policy.getReward(arm, float(uniform < CHANCES[arm]))
                earned += CHANCES[arm]
    return ROUNDS * BEST - earned / replications


if __name__ == "__main__":
    take_turns(play, 1, version("SMPyBandits"))
