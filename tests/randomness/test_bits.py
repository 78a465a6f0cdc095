"""The generator: its published numbers, how it is seeded, and that what it gives looks random."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from allotment.randomness.bits import (
    LANES,
    WORDS,
    bits_from,
    draw_uniform,
    draw_word,
    refill,
    take_words,
)

# The first words of xoshiro256++ from the state 1, 2, 3, 4, as its authors' own program gives them.
PUBLISHED = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def many_words(seed, count):
    """Words by turn and lane, as they stand in store."""
    bits, parts = bits_from(np.random.default_rng(seed)), []
    for _ in range(-(-count // WORDS)):
        refill(bits)
        parts.append(bits.words.copy())
    return np.concatenate(parts)[:count].view(np.uint64).reshape(-1, LANES)


@pytest.fixture(scope="module")
def words():
    return many_words(1, 2**19)


def test_every_lane_gives_the_published_numbers():
    bits = bits_from(np.random.default_rng(0))
    bits.lanes[:] = np.repeat([1, 2, 3, 4], LANES)
    refill(bits)
    words = bits.words.view(np.uint64).reshape(-1, LANES)
    for lane in range(LANES):
        assert words[: len(PUBLISHED), lane].tolist() == PUBLISHED


def test_the_seed_is_the_stream_and_nothing_else():
    stream = np.random.default_rng(5)
    first, second = bits_from(stream), bits_from(stream)
    assert np.array_equal(first.lanes, bits_from(np.random.default_rng(5)).lanes)
    assert len(set(first.lanes) | set(second.lanes)) == 8 * LANES
    assert (first.lanes < 0).any()
    assert (first.lanes > 0).any()


def test_no_word_is_handed_out_twice():
    bits = bits_from(np.random.default_rng(6))
    taken = []
    for turn in range(400):
        count = 1 + turn * 7 % 64
        place = take_words(bits, count)
        assert place + count <= WORDS
        taken += bits.words[place : place + count].tolist()
        taken += [draw_word(bits) for _ in range(turn % 3)]
    assert len(set(taken)) == len(taken)


def test_uniform_numbers_are_the_upper_bits():
    bits, again = (bits_from(np.random.default_rng(7)) for _ in range(2))
    for _ in range(2 * WORDS):
        assert draw_uniform(bits) == (int(draw_word(again)) % 2**64 >> 11) / 2**53


def test_all_bits_are_balanced(words):
    ones = np.array([int(((words >> np.uint64(k)) & np.uint64(1)).sum()) for k in range(64)])
    scores = (ones - words.size / 2) / np.sqrt(words.size / 4)
    assert np.abs(scores).max() < 4.5


@pytest.mark.parametrize("shift", [0, 11, 30, 52])
def test_twelve_bits_in_a_row_are_uniform(words, shift):
    values = ((words.ravel() >> np.uint64(shift)) & np.uint64(4095)).astype(np.int64)
    assert 1e-6 < stats.chisquare(np.bincount(values, minlength=4096)).pvalue < 1 - 1e-6


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 8, LANES, 2 * LANES, 5 * LANES, WORDS])
def test_pairs_of_words_are_independent(words, lag):
    """Upper bits with upper bits, and the lowest, which pick layers, with the upper ones of a later word."""
    flat = words.ravel()
    upper, lower = (flat >> np.uint64(58)).astype(np.int64), (flat & np.uint64(63)).astype(np.int64)
    for left in (upper, lower):
        cells = np.bincount(left[:-lag] * 64 + upper[lag:], minlength=4096)
        assert stats.chisquare(cells).pvalue > 1e-6


def test_lower_and_upper_bits_of_a_word_are_independent(words):
    flat = words.ravel()
    cells = np.bincount(((flat & np.uint64(63)) * np.uint64(64) + (flat >> np.uint64(58))).astype(np.int64))
    assert stats.chisquare(cells).pvalue > 1e-6


def test_lanes_and_lags_are_uncorrelated(words):
    uniforms = (words >> np.uint64(11)) / 2**53 - 0.5
    between = np.corrcoef(uniforms.T)[np.triu_indices(LANES, 1)] * np.sqrt(len(uniforms))
    assert np.abs(between).max() < 4.5
    flat = uniforms.ravel()
    along = [12 * np.mean(flat[:-lag] * flat[lag:]) * np.sqrt(flat.size) for lag in range(1, 200)]
    assert np.abs(along).max() < 4.5


def test_gaps_between_small_numbers_are_geometric(words):
    small = np.flatnonzero((words.ravel() >> np.uint64(61)) == 0)
    gaps = np.minimum(np.diff(small), 60)
    chances = 1 / 8 * (7 / 8) ** np.arange(59)
    expected = np.append(chances, 1 - chances.sum()) * gaps.size
    assert stats.chisquare(np.bincount(gaps, minlength=61)[1:], expected).pvalue > 1e-6


PROGRAM = """
import hashlib
import numpy as np
from allotment.randomness.bits import bits_from, draw_uniform
from allotment.randomness.laws import draw_beta, draw_betas, draw_gamma, draw_gammas
from allotment.randomness.ziggurat import draw_exponential, draw_normal, finish_normal

def digest_of_draws():
    bits = bits_from(np.random.default_rng(8))
    a, b = np.geomspace(1, 1e6, 70), np.geomspace(1e3, 1, 70)
    out, drawn = np.zeros(70), []
    for _ in range(10):
        draw_betas(bits, a, b, out)
        drawn += out.tolist()
        draw_betas(bits, a[:3], b[:3], out[:3])
        drawn += out[:3].tolist()
        draw_gammas(bits, a, out)
        drawn += out.tolist()
    for _ in range(300):
        drawn += [draw_uniform(bits), draw_normal(bits), draw_exponential(bits)]
        drawn += [draw_gamma(bits, 1.5), draw_beta(bits, 1.0, 2.0)]
    drawn += [finish_normal(bits, -4.0, 0) for _ in range(50)]
    return hashlib.sha256(np.array(drawn).tobytes()).hexdigest()

print(digest_of_draws())
"""


def test_compiled_or_not_the_numbers_are_the_same():
    digests = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM],
            env={**os.environ, "NUMBA_DISABLE_JIT": disable},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for disable in ("0", "1")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0]) == 64


def test_a_lane_starts_from_the_numbers_that_a_stream_gives_one_by_one():
    stream, lanes = np.random.default_rng(9), bits_from(np.random.default_rng(9)).lanes
    for i, word in enumerate(lanes.tolist()):
        high, low = (int(stream.random() * 2.0**32) for _ in range(2))
        assert word == ((high - 2**31) << 32 | low) | (i < LANES)
