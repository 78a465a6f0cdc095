"""The game that all play, and how they take turns: each in a process of its own, on the same core.

Multiple-play Thompson sampling with flat Beta priors: of 20 arms, 10 are played in each round and shown a
reward of 0 or 1. Whoever waits writes a line; the player plays its replications and answers with the seconds
of the processor that this took, so that what else the machine does counts little. What is imported, compiled
and warmed up before the first turn does not count.
"""

import json
import sys
import time

ARMS, PLAYED, ROUNDS = 20, 10, 10_000
CHANCES = [0.7 - 0.02 * arm for arm in range(ARMS)]  # of a reward; the first ten arms are the best
BEST = sum(CHANCES[:PLAYED])


def take_turns(play, replications, version, rounds=ROUNDS):
    """Answer every line with a pass; `play(replications, seed)` returns the mean regret."""
    play(replications, 0)
    print(json.dumps({"version": version, "replications": replications, "rounds": rounds}), flush=True)
    for seed, _ in enumerate(sys.stdin, start=1):
        before = time.process_time()
        regret = play(replications, seed)
        seconds = time.process_time() - before
        print(json.dumps({"seconds": seconds, "regret": float(regret)}), flush=True)
