"""NumPy at the small and short games, vectorised over replications.

CTS lists the sets that can be covered once, and finds the best of them by one matrix product.
"""

import sys

import numpy as np
from games import BUDGETS, LOSS_RATES, maximal_sets, play_in_turns
from with_numpy import play as play_mp_ts


def play_cts(budget, rounds, replications, seed):
    """Mean regret; all replications at once, which of the sizes tried was the best."""
    rng, rates = np.random.default_rng(seed), np.array(LOSS_RATES)
    covered = np.array(maximal_sets(budget), float)
    uncovered, columns = 1.0 - covered, np.ascontiguousarray(covered.T)
    lost = uncovered @ rates
    size = (replications, rates.size)
    losses, quiet, regret = np.ones(size), np.ones(size), np.zeros(replications)
    for _ in range(rounds):
        chosen = (rng.beta(losses, quiet) @ columns).argmax(axis=1)
        seen = uncovered[chosen]
        happened = (rng.random(size) < rates) * seen
        losses += happened
        quiet += seen - happened
        regret += lost[chosen]
    return (regret - rounds * lost.min()).mean()


def play(game, rounds, replications, seed):
    """Mean regret."""
    if game in BUDGETS:
        return play_cts(BUDGETS[game], rounds, replications, seed)
    return play_mp_ts(replications, seed, rounds)


if __name__ == "__main__":
    play_in_turns(sys.argv[1], play, np.__version__)
