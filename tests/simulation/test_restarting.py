"""Replications in the same memory, one after the other."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import allotment as al
from allotment.randomness.streams import environment_stream, policy_stream
from allotment.simulation import restarting
from allotment.simulation.restarting import restartable
from allotment.simulation.rollout import Run

PROBLEM = al.Problem.named("paper-2")
CHANGING = al.Changing([(1, PROBLEM), (30, al.Problem([0.1, 0.9, 0.5, 0.5, 0.5], 0.4, 2.0))])
ROUNDS = np.arange(1, 61)


class Part(NamedTuple):
    numbers: np.ndarray
    more: Any


def laid_out(state):
    streams = (environment_stream(1, 0), policy_stream(1, 0))
    return restartable(state, Part(np.zeros(3), 1.0), streams, 1, range(5))


def played(problem, policy, replications, turns=10**6):
    run, paths = Run(problem, policy, 60, 3, replications), np.zeros((len(replications), 60))
    while run.completed < len(run.replications):
        run.play(turns, ROUNDS, paths)
    return run, paths


@pytest.mark.parametrize("problem", [PROBLEM, CHANGING])
@pytest.mark.parametrize("policy", [al.RandomSplit(), al.CsbDt(gamma=0.1), al.Joint()])
def test_each_replication_is_as_if_played_alone(problem, policy):
    _, together = played(problem, policy, range(2, 8))
    alone = [played(problem, policy, range(each, each + 1))[1][0] for each in range(2, 8)]
    np.testing.assert_array_equal(together, alone)


def test_it_does_not_matter_how_often_it_pauses():
    run, whole = played(PROBLEM, al.CsbDt(gamma=0.1), range(4))
    paused, pieces = played(PROBLEM, al.CsbDt(gamma=0.1), range(4), turns=7)
    np.testing.assert_array_equal(whole, pieces)
    for one, other in zip(run.findings, paused.findings, strict=True):
        np.testing.assert_array_equal(one, other)
    assert run.findings.search_rounds.shape == (4,)
    assert run.findings.thresholds.shape == (4, 5)


def test_arrays_are_moved_with_their_content():
    state = Part(np.arange(6.0).reshape(2, 3), Part(np.array([True, False]), (np.arange(4), 2.5)))
    there = laid_out(state).state
    np.testing.assert_array_equal(there.numbers, state.numbers)
    np.testing.assert_array_equal(there.more.more[0], np.arange(4))
    assert there.more.more[1] == 2.5
    assert not np.shares_memory(there.numbers, state.numbers)


def test_an_array_that_stands_in_two_places_still_does():
    shared = np.zeros(3)
    there = laid_out(Part(shared, Part(shared, 0))).state
    there.numbers[0] = 1.0
    assert there.more.numbers[0] == 1.0


def test_what_cannot_be_written_stays_where_it_is():
    constant = np.arange(3.0)
    constant.setflags(write=False)
    assert laid_out(Part(constant, np.zeros(1))).state.numbers is constant


@pytest.mark.parametrize(
    "state",
    [
        Part(np.zeros((4, 4)).T[1:], 0),
        Part(np.zeros(3), [1, 2]),
        Part(np.zeros(3), {"a": 1}),
        Part((whole := np.zeros(4)), whole[1:]),
    ],
)
def test_other_states_are_made_anew(state):
    assert laid_out(state) is None


def test_large_states_are_made_anew(monkeypatch):
    before = al.simulate(PROBLEM, al.CsbDt(), horizon=60, replications=8, seed=3, workers=1)
    monkeypatch.setattr(restarting, "LARGEST", 10)
    assert len(Run(PROBLEM, al.CsbDt(), 60, 3, range(8)).replications) == 1
    anew = al.simulate(PROBLEM, al.CsbDt(), horizon=60, replications=8, seed=3, workers=1)
    np.testing.assert_array_equal(before["CSB-DT"].paths, anew["CSB-DT"].paths)
    np.testing.assert_array_equal(before["CSB-DT"].search_rounds, anew["CSB-DT"].search_rounds)
