"""Small and short games beside NumPy, and what a replication takes before its first round."""

import statistics
import time

import numpy as np
from machine import about
from peers import Player, a_core

import allotment as al

GAMES = {
    "cts-2": "CTS, Instance 2",
    "cts-2.05": "CTS, Instance 2 with Q = 2.05",
    "mp-ts-1000": "MP-TS, 20 arms",
    "mp-ts-10000": "MP-TS, 20 arms",
}
PEER = "numpy"
STARTED = (200, 1200)  # replications: what the second takes more than the first, is what 1000 starts take


def starting_policies():
    """Policies with 20 arms."""
    return [al.MpTs(thresholds=0.7), al.Cts(thresholds=0.7), al.CsbDt(), al.Joint(), al.AnyResponse()]


def measure(passes, command):
    """A row for each game, and a start for each policy."""
    games = [_game(name, passes) for name in GAMES]
    problem = al.Problem(np.linspace(0.3, 0.7, 20), 0.7, 7.0)
    policies = starting_policies()
    for policy in policies:
        _seconds_of(problem, policy, 2)  # compiles
    starts = [[_start(problem, policy) for policy in policies] for _ in range(passes)]
    medians = [statistics.median(column) for column in zip(*starts, strict=True)]
    return {
        "about": about(command, passes),
        "rows": games,
        "starts": {policy.label: median for policy, median in zip(policies, medians, strict=True)},
    }


def _game(name, passes):
    """Both sides in turns, in processes of their own on the same core."""
    core = a_core()
    with Player("allotment", core, name) as ours, Player(PEER, core, name) as theirs:
        passed = [(ours.play(), theirs.play()) for _ in range(passes)]
        played = {"rounds": ours.about["rounds"], "replications": ours.about["replications"]}
    return {
        "name": GAMES[name],
        **played,
        "microseconds": statistics.median(mine for (mine, _), _ in passed),
        "peer_microseconds": statistics.median(other for _, (other, _) in passed),
        "times": statistics.median(other / mine for (mine, _), (other, _) in passed),
        "regret": statistics.fmean(regret for (_, regret), _ in passed),
        "peer_regret": statistics.fmean(regret for _, (_, regret) in passed),
    }


def _start(problem, policy):
    """Seconds of the processor that a replication takes before its first round, and the round itself."""
    few, many = (_seconds_of(problem, policy, replications) for replications in STARTED)
    return (many - few) / (STARTED[1] - STARTED[0])


def _seconds_of(problem, policy, replications):
    before = time.process_time()
    al.simulate(problem, policy, horizon=1, replications=replications, seed=1, workers=1, progress=False)
    return time.process_time() - before
