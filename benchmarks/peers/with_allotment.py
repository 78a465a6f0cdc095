"""Us: the losses of arms left open are seen, so that an arm left open is an arm played."""

from turns import ARMS, CHANCES, PLAYED, ROUNDS, take_turns

import allotment as al

PROBLEM = al.Problem([1 - chance for chance in CHANCES], 0.7, 0.7 * (ARMS - PLAYED))
# Half of the arms are covered, and the others left open: at best those with the lowest loss rates, which here
# are those with the highest chances.


def play(replications, seed, rounds=ROUNDS):
    """Mean regret."""
    run = {"horizon": rounds, "workers": 1, "progress": False}
    policy = al.MpTs(thresholds=0.7)
    return al.simulate(PROBLEM, policy, replications=replications, seed=seed, **run)["MP-TS"].mean[-1]


if __name__ == "__main__":
    take_turns(play, 150, al.__version__)
