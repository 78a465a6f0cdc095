"""The random generator of most policies, which draws for many arms at a time.

It is xoshiro256++ (Blackman and Vigna, Scrambled linear pseudorandom number generators, ACM Transactions on
Mathematical Software 47, 2021). LANES independent generators run side by side, so that one instruction
advances several. They fill a store of words, from which draws take theirs.

Each lane starts from 256 bits of a NumPy stream, so draws depend on that stream and on nothing else. Words
are signed 64-bit numbers, since Numba and NumPy agree on every operation with these. `np.add` wraps around
silently in both, while `+` would warn in uncompiled code.
"""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray, lined_up
from allotment.compiling.decorators import inlined, kernel
from allotment.compiling.switches import interpreting
from allotment.compiling.user_kernels import states_in

LANES = 16
WORDS = 512  # in the store: whole rounds of all lanes
BLOCK = 64  # arms that are drawn for in one go
ROWS = 3  # of the bench

LOW_53 = 2**53 - 1
UNIT = 2.0**-53


class Bits(NamedTuple):
    """State: the lanes, the words in store, and a bench to draw for a block of arms at once."""

    lanes: IntArray  # four words for each lane: the first of all lanes, then the second of all, and so on
    words: IntArray
    place: IntArray  # one number: the next word in store
    bench: FloatArray  # ROWS x BLOCK, in one row
    waiting: IntArray  # what a block leaves to be finished

    def carried_over(self) -> tuple[str, ...]:
        """The fields that replications share: scratch memory, and words that a new seed discards."""
        return ("words", "bench", "waiting")


def unsown_bits() -> Bits:
    """Make a state without a seed; `sow` gives it one."""
    return Bits(
        lanes=lined_up((4 * LANES,), np.int64),
        words=lined_up((WORDS,), np.int64),
        place=np.full(1, WORDS),
        bench=lined_up((ROWS * BLOCK,)),
        waiting=np.zeros(BLOCK, np.int64),
    )


def bits_from(rng: np.random.Generator) -> Bits:
    """A state seeded from a stream."""
    bits = unsown_bits()
    sow(bits, rng)
    return bits


def sow(bits: Bits, rng: np.random.Generator) -> None:
    """Seed every lane from a stream, and discard the stored words."""
    with interpreting():
        seed_lanes(bits.lanes, rng)
    bits.place[0] = WORDS


def sow_all(state: Any, rng: np.random.Generator) -> None:
    """Seed every generator in a state. Many states draw only from the stream that `ask` gets."""
    for part in states_in([state]):
        if isinstance(part, Bits):
            sow(part, rng)


@kernel
def seed_lanes(lanes: IntArray, rng: Any) -> None:
    """Write 256 random bits for every lane."""
    for k in range(4 * LANES):
        upper = int(rng.random() * 2.0**32) - 2**31
        word = (upper << 32) | int(rng.random() * 2.0**32)
        lanes[k] = word | 1 if k < LANES else word  # a lane of zeros would stay so


@inlined
def _rotate(word: int, count: int) -> int:
    return (word << count) | ((word >> (64 - count)) & ((1 << count) - 1))


@kernel
def refill(bits: Bits) -> None:
    """Refill the store: each lane in turn gives one word."""
    lanes, words = bits.lanes, bits.words
    for start in range(0, WORDS, LANES):
        for lane in range(LANES):
            s0, s1 = lanes[lane], lanes[lane + LANES]
            s2, s3 = lanes[lane + 2 * LANES], lanes[lane + 3 * LANES]
            words[start + lane] = np.add(_rotate(np.add(s0, s3), 23), s0)
            shifted = s1 << 17
            s2 ^= s0
            s3 ^= s1
            lanes[lane + LANES] = s1 ^ s2
            lanes[lane] = s0 ^ s3
            lanes[lane + 2 * LANES] = s2 ^ shifted
            lanes[lane + 3 * LANES] = _rotate(s3, 45)
    bits.place[0] = 0


@inlined
def draw_word(bits: Bits) -> int:
    """The next 64 random bits."""
    if bits.place[0] >= WORDS:
        refill(bits)
    place = bits.place[0]
    bits.place[0] = place + 1
    return bits.words[place]


@inlined
def take_words(bits: Bits, count: int) -> int:
    """The position of the next `count` consecutive words in the store. Discards a shorter remainder."""
    if bits.place[0] + count > WORDS:
        refill(bits)
    place = bits.place[0]
    bits.place[0] = place + count
    return place


@inlined
def uniform_of(word: int) -> float:
    """A uniform number in [0, 1) from the upper 53 bits of a word."""
    return ((word >> 11) & LOW_53) * UNIT


@inlined
def draw_uniform(bits: Bits) -> float:
    """A uniform number in [0, 1)."""
    return uniform_of(draw_word(bits))


@kernel
def another_word(bits: Bits) -> int:
    """The next 64 random bits, for rare cases: a call, which is quicker to compile."""
    return draw_word(bits)
