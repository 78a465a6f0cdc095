"""Us at the small and short games."""

import sys

from games import BUDGETS, LOSS_RATES, THRESHOLDS, play_in_turns
from with_allotment import play as play_mp_ts

import allotment as al


def play(game, rounds, replications, seed):
    """Mean regret."""
    if game not in BUDGETS:
        return play_mp_ts(replications, seed, rounds)
    problem = al.Problem(LOSS_RATES, THRESHOLDS, BUDGETS[game])
    run = {"horizon": rounds, "replications": replications, "workers": 1, "progress": False}
    return al.simulate(problem, al.Cts(thresholds=THRESHOLDS), seed=seed, **run)["CTS"].mean[-1]


if __name__ == "__main__":
    play_in_turns(sys.argv[1], play, al.__version__)
