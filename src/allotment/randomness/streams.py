"""Random streams, keyed by seed, replication and role, and by nothing else.

So neither the other policies of a run nor the number of replications, workers or chunks changes what one
policy sees or draws, and all policies of a run face the same losses.

The first states of many streams are computed at once: NumPy's SeedSequence and PCG64, over arrays.
`SeedSequence(seed, spawn_key=key)` mixes its words into a pool of four, and PCG64 starts from eight words
that are hashed out of the pool. Both are fixed by NumPy's promise that a seed keeps its stream. NumPy takes
ten microseconds for each stream; here, a thousand streams take 0.2 ms. The constants are NumPy's. The hash is
from O'Neill, "Developing a seed_seq alternative" (2015), PCG64 from O'Neill, "PCG: A family of simple fast
space-efficient statistically good algorithms for random number generation" (2014)."""

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allotment.checks import whole

LongWords = NDArray[np.uint64]

POOL = 4  # words
WORD = 2**32
FIRST_HASH, NEXT_HASH = 0x43B0D7E5, 0x931E8875  # of the words that are mixed in
FIRST_OUTPUT, NEXT_OUTPUT = 0x8B51F9DD, 0x58F38DED  # of the words that come out
MIX_LEFT, MIX_RIGHT = 0xCA01F9DD, 0x4973F715
STEP_HIGH, STEP_LOW = 2549297995355413924, 4865540595714422341  # PCG64's multiplier


def first_states(seed: int, key: Sequence[LongWords]) -> LongWords:
    """What `PCG64(SeedSequence(seed, spawn_key=…))` starts from, for many keys at once.

    `key` has the first word (of 32 bits) of all keys, then the second of all, and so on. Returns keys x 4
    words of 64 bits: of the state the lower half and the upper, and the same of the increment.
    """
    words = [seed >> shift & WORD - 1 for shift in range(0, max(1, seed.bit_length()), 32)]
    words += [0] * (POOL - len(words))
    constants = _powers(FIRST_HASH, NEXT_HASH)
    pool: list[Any] = [_hashed(word, constants) for word in words[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mixed(pool[target], _hashed(pool[source], constants))
    for word in [*words[POOL:], *key]:
        pool = [_mixed(each, _hashed(word, constants)) for each in pool]
    return _started(_hashed_out(pool))


def _powers(first: int, factor: int) -> Iterator[tuple[int, int]]:
    """Each number of a geometric series, with its successor."""
    while True:
        following = first * factor % WORD
        yield first, following
        first = following


# Words are Python's integers, or arrays of 64 bits, which overflow without harm to the lower 32.


def _hashed(word: Any, constants: Iterator[tuple[int, int]]) -> Any:
    before, after = next(constants)
    word = (word ^ before) * after & WORD - 1
    return word ^ (word >> 16)


def _mixed(word: Any, other: Any) -> Any:
    word = word * MIX_LEFT - other * MIX_RIGHT & WORD - 1
    return word ^ (word >> 16)


def _hashed_out(pool: list[Any]) -> list[Any]:
    """Four words of 64 bits."""
    constants = _powers(FIRST_OUTPUT, NEXT_OUTPUT)
    words = [_hashed(pool[k % POOL], constants) for k in range(2 * POOL)]
    return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]


def _started(words: list[Any]) -> LongWords:
    """Set up PCG64 with numbers s and n: its increment is i = 2n + 1, its state (i + s)·multiplier + i."""
    state_high, state_low, increment_high, increment_low = words
    increment_high = increment_high << 1 | increment_low >> 63
    increment_low = increment_low << 1 | 1
    low = state_low + increment_low
    high = state_high + increment_high + (low < increment_low)
    high = _upper_half(low, STEP_LOW) + high * STEP_LOW + low * STEP_HIGH
    low = low * STEP_LOW + increment_low
    high = high + increment_high + (low < increment_low)
    return np.stack([low, high, increment_low, increment_high], axis=-1)


def _upper_half(one: Any, other: int) -> Any:
    """The upper 64 bits of a product of 128."""
    low, high = one & WORD - 1, one >> 32
    middle = high * (other % WORD) + (low * (other % WORD) >> 32)
    return high * (other >> 32) + (middle >> 32) + (low * (other >> 32) + (middle & WORD - 1) >> 32)


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
