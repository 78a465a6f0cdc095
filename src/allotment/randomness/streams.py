"""Random streams, keyed by seed, replication and role, and by nothing else.

So neither the other policies of a run nor the number of replications, workers or chunks changes what one
policy sees or draws, and all policies of a run face the same losses.
"""

import ctypes
from typing import Any, NamedTuple

import numpy as np

from allotment.checks import whole
from allotment.randomness.seeding import WORD, LongWords, first_states

ENVIRONMENT, POLICY = 0, 1
NEARBY = 256  # bytes: the state of a stream lies within the stream's own object


def environment_stream(seed: int, replication: int) -> np.random.Generator:
    """What the environment of one replication draws from."""
    return _stream(seed, replication, ENVIRONMENT)


def policy_stream(seed: int, replication: int) -> np.random.Generator:
    """What a policy in one replication draws from."""
    return _stream(seed, replication, POLICY)


def _stream(seed: int, replication: int, role: int) -> np.random.Generator:
    key = np.random.SeedSequence(whole("seed", seed, least=0), spawn_key=(replication, role))
    return np.random.Generator(np.random.PCG64(key))


def stream_starts(seed: int, replications: range) -> LongWords:
    """What the streams of many replications start from: replications x roles x words of a `StreamMemory`."""
    numbers = np.arange(replications.start, replications.stop, dtype=np.uint64)
    starts = []
    for part, is_large in ((numbers[numbers < WORD], False), (numbers[numbers >= WORD], True)):
        if part.size > 0:
            each = np.repeat(part, 2)
            words = [each % WORD, each // WORD] if is_large else [each]
            roles = np.tile(np.array([ENVIRONMENT, POLICY], np.uint64), part.size)
            starts.append(first_states(seed, [*words, roles]).reshape(part.size, 2, -1))
    return np.concatenate(starts)


class StreamMemory(NamedTuple):
    """Where a stream keeps its state, to start it anew from compiled code."""

    words: LongWords  # of the state the lower half and the upper, and the same of the increment
    spare: LongWords  # one word: half of the last one, if only half was needed


def memory_of(stream: np.random.Generator) -> StreamMemory | None:
    """The memory of a stream; None where NumPy keeps it in another way than it does on common machines.

    It is memory of the stream's: what uses it must also hold the stream.
    """
    own: Any = stream.bit_generator
    address = own.ctypes.state_address
    pointer = ctypes.c_uint64.from_address(address).value
    if ctypes.sizeof(ctypes.c_void_p) != 8 or not 0 < pointer - address < NEARBY:
        return None
    words = np.ctypeslib.as_array((ctypes.c_uint64 * 4).from_address(pointer))
    numbers = own.state["state"]
    expected = [half for name in ("state", "inc") for half in (numbers[name] % 2**64, numbers[name] >> 64)]
    if words.tolist() != expected:
        return None
    spare = np.ctypeslib.as_array((ctypes.c_uint64 * 1).from_address(address + 8))
    return StreamMemory(words, spare)
