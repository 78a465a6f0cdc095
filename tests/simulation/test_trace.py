import numpy as np
import pytest

from allotment import Clairvoyant, Problem, RandomSplit, trace

PROBLEM = Problem([0.5, 0.4], 0.3, 0.5, names=["Dock", "Gate"])


@pytest.fixture(scope="module")
def played():
    return trace(PROBLEM, RandomSplit(), horizon=30, seed=4)


def test_a_frame_has_a_row_per_round_and_arm(played):
    frame = played.to_frame()
    assert list(frame.columns) == ["round", "arm", "granted", "loss", "regret"]
    assert len(frame) == 60
    gate = frame[frame["arm"] == "Gate"]
    assert gate["round"].tolist() == list(range(1, 31))
    assert gate["granted"].tolist() == played.allocations[:, 1].tolist()
    assert gate["loss"].tolist() == played.losses[:, 1].tolist()
    assert gate["regret"].tolist() == played.regret.tolist()
    assert played.to_arrow().to_pydict() == {name: frame[name].tolist() for name in frame}


def test_a_trace_says_what_it_is_of(played):
    assert played.names == ("Dock", "Gate")
    seen = f"{played.losses.sum():g} losses, {played.regret[-1]:.1f} regret in all"
    assert repr(played) == f"<Trace of Random split: 30 rounds, 2 arms, {seen}>"
    best = trace(PROBLEM, Clairvoyant(PROBLEM), horizon=5, seed=4)
    assert np.array_equal(best.regret, np.zeros(5))
    assert best.problem == PROBLEM
