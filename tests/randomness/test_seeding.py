"""Many streams seeded at once, against NumPy."""

import numpy as np
import pytest

from allotment.randomness.streams import (
    environment_stream,
    first_states,
    memory_of,
    policy_stream,
    stream_starts,
)

SEEDS = (0, 1, 12345, 2**32 - 1, 2**32, 2**40 + 11, 2**53, 2**64 - 1, 2**64, 2**127 + 5, 2**200 + 9)


def numpys(seed, *key):
    """What PCG64 starts from, as words."""
    state = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)).state["state"]
    return [half for name in ("state", "inc") for half in (state[name] % 2**64, state[name] >> 64)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("first", [0, 2**31 - 9, 2**32 - 9, 2**53 - 60])
def test_many_replications_start_as_numpy_starts_each(seed, first):
    replications = range(first, first + 60)
    expected = [[numpys(seed, replication, role) for role in (0, 1)] for replication in replications]
    assert stream_starts(seed, replications).tolist() == expected


def test_thousands_of_seeds_and_keys():
    rng = np.random.default_rng(1)
    for seed in rng.integers(0, 2**63, 200).tolist():
        keys = rng.integers(0, 2**32, (20, 3), dtype=np.uint64)
        assert first_states(seed, list(keys.T)).tolist() == [numpys(seed, *key) for key in keys.tolist()]


def test_a_stream_can_be_started_anew_in_its_memory():
    stream = policy_stream(5, 0)
    memory = memory_of(stream)
    for replication in (3, 1, 2**33):
        stream.integers(0, 9, dtype=np.int32)  # leaves half of a word to the next draw
        memory.words[:] = stream_starts(5, range(replication, replication + 1))[0, 1]
        memory.spare[0] = 0
        same = policy_stream(5, replication)
        assert stream.bit_generator.state == same.bit_generator.state
        assert stream.random(5).tolist() == same.random(5).tolist()


def test_both_streams_of_a_replication():
    environment, policy = stream_starts(7, range(4, 5))[0]
    for stream, words in ((environment_stream(7, 4), environment), (policy_stream(7, 4), policy)):
        assert memory_of(stream).words.tolist() == words.tolist()


def test_unknown_memory_is_left_alone():
    assert memory_of(np.random.Generator(np.random.MT19937(1))) is None
    assert memory_of(np.random.Generator(np.random.SFC64(1))) is None
