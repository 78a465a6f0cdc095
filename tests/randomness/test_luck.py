"""The luck of a round, against NumPy."""

import numpy as np
import pytest

import allotment as al
from allotment.compiling.interpreting import interpreting
from allotment.randomness.luck import StreamLuck, draw_luck, luck_of, next_state
from allotment.randomness.streams import StreamMemory, environment_stream, memory_of

PROBLEM = al.Problem([0.5, 0.4, 0.9], 0.4, 1.0)


def test_the_paper_s_world_draws_in_the_memory_of_its_stream_and_other_worlds_let_numpy_draw(monkeypatch):
    stream = environment_stream(1, 0)
    assert isinstance(luck_of(PROBLEM.environment(), stream), StreamMemory)
    leaking = al.Problem([0.5, 0.4, 0.9], budget=1.0, response=al.Step([0.4] * 3, leak=0.1))
    assert luck_of(leaking.environment(), stream) == StreamLuck(stream)
    monkeypatch.setattr(
        "allotment.randomness.luck.memory_of", lambda _: None
    )  # where NumPy is built otherwise
    assert luck_of(PROBLEM.environment(), stream) == StreamLuck(stream)


@pytest.mark.parametrize("arms", [1, 2, 5, 20])
@pytest.mark.parametrize("seed", [0, 7, 2**53])
def test_both_kinds_of_luck_are_numpy_s_numbers(arms, seed):
    streams = [environment_stream(seed, 3) for _ in range(2)]
    kinds = (StreamLuck(streams[0]), memory_of(streams[1]))
    expected = environment_stream(seed, 3).random((40, arms))
    for luck, stream in zip(kinds, streams, strict=True):
        uniforms = np.zeros(arms)
        for row in expected:
            with interpreting():
                draw_luck(luck, uniforms)
            assert uniforms.tolist() == row.tolist()
        assert stream.random() == environment_stream(seed, 3).random(expected.size + 1)[-1]  # where it is now


def test_a_run_is_the_same_wherever_its_luck_is_drawn(monkeypatch):
    run = {"horizon": 400, "replications": 5, "seed": 3, "workers": 1, "progress": False}
    found = []
    for memory in (memory_of, lambda _: None):
        monkeypatch.setattr("allotment.randomness.luck.memory_of", memory)
        found.append(al.simulate(PROBLEM, al.CsbSt(), **run)["CSB-ST"])
    np.testing.assert_array_equal(found[0].final, found[1].final)


def test_a_step_is_numpy_s_in_the_largest_states():
    largest = np.uint64(2**64 - 1)
    generator = np.random.PCG64()
    state = {"state": 2**128 - 1, "inc": 2**128 - 1}
    generator.state = {"bit_generator": "PCG64", "state": state, "has_uint32": 0, "uinteger": 0}
    generator.random_raw()
    low, high = next_state(largest, largest, largest, largest)
    assert int(high) << 64 | int(low) == generator.state["state"]["state"]
