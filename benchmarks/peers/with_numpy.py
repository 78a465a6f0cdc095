"""NumPy, vectorised over replications: all of a batch at once, round by round."""

import numpy as np
from turns import ARMS, BEST, CHANCES, PLAYED, ROUNDS, take_turns

BATCH = 100


def play_batch(rng, rounds):
    """Regret of each replication."""
    chances = np.array(CHANCES)
    wins, losses = np.ones((BATCH, ARMS)), np.ones((BATCH, ARMS))
    rows, earned = np.arange(BATCH)[:, None], np.zeros(BATCH)
    for _ in range(rounds):
        drawn = rng.beta(wins, losses)
        played = np.argpartition(drawn, ARMS - PLAYED, axis=1)[:, ARMS - PLAYED :]
        rewards = rng.random((BATCH, PLAYED)) < chances[played]
        wins[rows, played] += rewards
        losses[rows, played] += ~rewards
        earned += chances[played].sum(axis=1)
    return rounds * BEST - earned


def play(replications, seed, rounds=ROUNDS):
    """Mean regret."""
    rng = np.random.default_rng(seed)
    return np.mean([play_batch(rng, rounds) for _ in range(replications // BATCH)])


if __name__ == "__main__":
    take_turns(play, 100, np.__version__)
