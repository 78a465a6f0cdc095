"""Beta draws for all arms of a round, beside what they replace: NumPy's own, and one by one from its stream.

Targets: at most 12 ns a draw for 20 arms and 10 ns for 1,000 on one core, and three times as fast as one by
one from NumPy's stream. The arms have seen between 5 and 400 losses, and as many quiet rounds.
"""

import statistics
import time

import numba
import numpy as np
import pytest

from allotment.compiling.decorators import UNCOUNTED
from allotment.randomness import laws
from allotment.randomness.bits import bits_from
from allotment.randomness.ziggurat import draw_exponential, draw_normal

DRAWS = 40_000
uncounted = numba.njit(nogil=True, **UNCOUNTED)  # as kernels are


@uncounted
def all_arms(bits, a, b, out, rounds):
    for _ in range(rounds):
        laws.draw_betas(bits, a, b, out)


@uncounted
def arm_by_arm(bits, a, b, out, rounds):
    for _ in range(rounds):
        for i in range(out.size):
            out[i] = laws.draw_beta(bits, a[i], b[i])


@numba.njit(nogil=True)
def generator_compiled(rng, a, b, out, rounds):
    for _ in range(rounds):
        for i in range(out.size):
            out[i] = rng.beta(a[i], b[i])


def generator(rng, a, b, out, rounds):
    rng.beta(np.tile(a, (rounds, 1)), np.tile(b, (rounds, 1)))


WAYS = {
    "all arms at once": all_arms,
    "arm by arm": arm_by_arm,
    "Generator.beta, compiled": generator_compiled,
    "Generator.beta on arrays": generator,
}


def prepared(way, arms):
    """What to call, warmed up: it makes DRAWS draws."""
    rng = np.random.default_rng(1)
    source = bits_from(rng) if way in (all_arms, arm_by_arm) else rng
    a, b = rng.integers(6, 402, (2, arms)).astype(float)
    out, rounds = np.zeros(arms), DRAWS // arms
    way(source, a, b, out, 1)
    return lambda: way(source, a, b, out, rounds)


@pytest.mark.benchmark(group="40,000 Beta draws")
@pytest.mark.parametrize("arms", [20, 1000])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_betas(benchmark, way, arms):
    benchmark.pedantic(prepared(way, arms), rounds=15)


@uncounted
def normals(bits, out):
    for i in range(out.size):
        out[i] = draw_normal(bits)


@uncounted
def exponentials(bits, out):
    for i in range(out.size):
        out[i] = draw_exponential(bits)


@pytest.mark.benchmark(group="40,000 normal or exponential draws")
@pytest.mark.parametrize("way", [normals, exponentials])
def test_ziggurat(benchmark, way):
    bits, out = bits_from(np.random.default_rng(1)), np.zeros(DRAWS)
    way(bits, out)
    benchmark.pedantic(way, args=(bits, out), rounds=15)


@pytest.mark.benchmark(group="40,000 normal or exponential draws")
@pytest.mark.parametrize("law", ["standard_normal", "standard_exponential"])
def test_ziggurat_of_numpy(benchmark, law):
    rng, out = np.random.default_rng(1), np.zeros(DRAWS)
    benchmark.pedantic(lambda: getattr(rng, law)(out=out), rounds=15)


def test_ratios(benchmark):
    """Nanoseconds a draw, and theirs over ours, interleaved: medians of nine."""

    def seconds(action):
        before = time.perf_counter()
        action()
        return time.perf_counter() - before

    for arms in (20, 1000):
        actions = {name: prepared(way, arms) for name, way in WAYS.items()}
        taken = [{name: seconds(action) for name, action in actions.items()} for _ in range(9)]
        print(f"\n{arms} arms")
        for name in WAYS:
            each = statistics.median(times[name] for times in taken) / DRAWS * 1e9
            ratio = statistics.median(times[name] / times["all arms at once"] for times in taken)
            benchmark.extra_info[f"{name}, {arms} arms"] = {"ns a draw": each, "over ours": ratio}
            print(f"{name:32} {each:6.1f} ns a draw, {ratio:5.1f} times ours")
    benchmark.pedantic(lambda: None, rounds=1)
