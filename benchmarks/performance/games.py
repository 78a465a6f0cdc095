"""Small and short games beside NumPy, and what a replication takes before its first round."""

import statistics
import time

import numpy as np
from machine import about
from peers import Player, a_core

import allotment as al
from allotment.compiling.decorators import Entry
from allotment.simulation.restarting import begin_again
from allotment.simulation.rollout import Run

GAMES = {
    "cts-2": "CTS, Instance 2",
    "cts-2.05": "CTS, Instance 2 with Q = 2.05",
    "mp-ts-1000": "MP-TS, 20 arms",
    "mp-ts-10000": "MP-TS, 20 arms",
}
PEER = "numpy"
SHORT_RUNS = (200, 1200)  # replications of one round: 1000 more take the time of 1000 starts and first rounds
STARTS = 1000


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
    alone = [[_start(problem, policy) for policy in policies] for _ in range(passes)]
    with_round = [[_start_and_round(problem, policy) for policy in policies] for _ in range(passes)]
    return {
        "about": about(command, passes),
        "rows": games,
        "starts": {
            policy.label: {"start": statistics.median(starts), "with_round": statistics.median(both)}
            for policy, starts, both in zip(
                policies, zip(*alone, strict=True), zip(*with_round, strict=True), strict=True
            )
        },
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


@Entry
def _begin(restart, stream, starts):
    for replication in range(starts):
        begin_again(restart, replication, stream)


def _start(problem, policy):
    """Seconds of the processor that a replication takes before its first round."""
    run = Run(problem, policy, 1, 1, range(STARTS))
    _begin(run._restart, run.learner.stream, 1)  # compiles
    before = time.process_time()
    _begin(run._restart, run.learner.stream, STARTS)
    return (time.process_time() - before) / STARTS


def _start_and_round(problem, policy):
    """The same, with the first round."""
    few, many = (_seconds_of(problem, policy, replications) for replications in SHORT_RUNS)
    return (many - few) / (SHORT_RUNS[1] - SHORT_RUNS[0])


def _seconds_of(problem, policy, replications):
    before = time.process_time()
    al.simulate(problem, policy, horizon=1, replications=replications, seed=1, workers=1, progress=False)
    return time.process_time() - before
