"""Errors in kernels from outside the package: one sentence with the line, compiled and not; and no crash."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import faulty_kernels as faulty
from allotment import (
    KernelError,
    KernelIndexError,
    Problem,
    ask,
    check_policy,
    developing,
    observe,
    simulate,
    tell,
)
from allotment.compiling.numba_messages import explain_refusal
from allotment.policies.base.policy import Policy

PAGE = Path(faulty.__file__).read_text(encoding="utf-8").splitlines()
PROBLEM = Problem([0.9, 0.6, 0.4], [0.5, 0.3, 0.7], 1.1)


def line_of(text):
    return next(number for number, line in enumerate(PAGE, 1) if text in line)


def simulated(policy):
    simulate(PROBLEM, policy, horizon=20, replications=1, seed=1, progress=False)


def asked(policy):
    policy.start(3, 1.1, seed=1).ask()


def developed(policy):
    with developing():
        asked(policy)


REFUSED = [
    (faulty.Typo, "state.buget", "Misspelt has no field 'buget'; write 'budget'"),
    (faulty.Unsupported, "axis=0", "Numba knows no np.argsort(an array, axis=0)"),
]


@pytest.mark.parametrize("run", [simulated, asked, developed])
@pytest.mark.parametrize(
    ("policy", "source", "words"), REFUSED, ids=lambda value: getattr(value, "family", "")
)
def test_what_numba_refuses_is_one_sentence_with_its_line(policy, source, words, run):
    with pytest.raises(KernelError) as caught:
        run(policy())
    error, line = caught.value, line_of(source)
    assert (Path(error.file).name, error.line) == ("faulty_kernels.py", line)
    sentence = str(error)
    assert sentence.startswith(f"{policy.family}: ")
    assert f"faulty_kernels.py, line {line}, `{PAGE[line - 1].strip()}`: {words}" in sentence
    assert "\n" not in sentence


def test_all_that_numba_said_is_shown_on_request(monkeypatch):
    with pytest.raises(KernelError) as caught:
        asked(faulty.Typo())
    error = pickle.loads(pickle.dumps(caught.value))
    assert "ALLOTMENT_FULL_ERRORS=1" in str(error)
    monkeypatch.setenv("ALLOTMENT_FULL_ERRORS", "1")
    assert len(str(error).splitlines()) > 20
    assert "Unknown attribute 'buget' of type Misspelt(float64, array(float64, 1d, C))" in str(error)


@pytest.mark.parametrize("run", [simulated, asked, developed, check_policy])
def test_a_write_past_the_end_is_an_index_error_with_its_line(run):
    with pytest.raises(IndexError) as caught:
        run(faulty.PastTheEnd())
    error = caught.value
    assert isinstance(error, KernelIndexError)
    assert error.line == line_of("allocation[i] = min(1.0, state.budget / allocation.size)")
    assert "IndexError: index 3 is out of bounds for axis 0 with size 3" in str(error)


def test_so_it_is_in_a_function_that_a_kernel_calls():
    with pytest.raises(
        KernelIndexError, match=r"`fill\(allocation, 0.0\)`: IndexError: index is out of bounds"
    ):
        asked(faulty.HelperPastTheEnd())


def command(policy, **variables):
    given = ["paper-2", "--policy", f"faulty_kernels.{policy}", "--horizon", "1000"]
    return subprocess.run(
        [sys.executable, "-m", "allotment", "simulate", *given],
        cwd=Path(__file__).parents[1],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("policy", "variables", "words"),
    [
        ("PastTheEnd", {}, "IndexError: index 5 is out of bounds"),
        ("PastTheEnd", {"NUMBA_DISABLE_JIT": "1"}, "IndexError: index 5 is out of bounds"),
        ("PastTheEnd", {"ALLOTMENT_DEVELOPING": "1"}, "IndexError: index 5 is out of bounds"),
        ("Typo", {"NUMBA_DISABLE_JIT": "1"}, "AttributeError: 'Misspelt' object has no attribute 'buget'"),
    ],
)
def test_on_the_command_line_it_ends_with_a_sentence(policy, variables, words):
    done = command(policy, **variables)
    assert done.returncode == 2
    said = done.stderr.splitlines()[-1]
    assert said.startswith(f"allotment: {policy}: faulty_kernels.py, line ")
    assert words in said
    assert "Traceback" not in done.stderr


def test_kernels_may_create_arrays_and_copy_by_slices():
    check_policy(faulty.CreatesArrays())  # compiled and not, here and in fresh processes


def make(state_class, ask_kernel, state):
    """A policy of one kernel and a state."""

    def _tell(state, allocation, losses):
        pass

    ask_kernel.__annotations__["state"] = _tell.__annotations__["state"] = state_class
    ask.register(ask_kernel)
    tell.register(_tell)
    return type("Made", (Policy,), {"state": lambda self, setting: state})()


class Small(NamedTuple):
    number: float
    numbers: np.ndarray


TABLE = {"a": 1.0}


def plain(number):
    return number


def uses_plain(state, rng, allocation):
    allocation[0] = plain(state.number)


def uses_table(state, rng, allocation):
    allocation[0] = TABLE["a"]


def uses_nothing(state, rng, allocation):
    allocation[0] = not_there  # noqa: F821


def assigns(state, rng, allocation):
    state.number = 1.0


def indexes(state, rng, allocation):
    allocation[state.number] = 1.0


def formats(state, rng, allocation):
    print(f"{state.number:.3f}")


def generates(state, rng, allocation):
    allocation[0] = sum(each for each in state.numbers)


def draws(state, rng, allocation):
    allocation[0] = rng.integers(3)


def sorts(state, rng, allocation):
    state.numbers.sort(0, "heapsort")


def divides(state, rng, allocation):
    allocation[0] = 1.0 / state.numbers[0]


def writes(state, rng, allocation):
    state.numbers[0] = 1.0


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (uses_plain, "'plain' is a plain Python function; put @numba.njit above its definition"),
        (uses_table, "'TABLE' is of type dict, which compiled code cannot read"),
        (uses_nothing, "there is no 'not_there'; define it"),
        (assigns, "field 'number' of Small cannot be assigned; keep what changes in an array"),
        (indexes, "an array is indexed with a number that need not be whole; write int(...)"),
        (formats, "text with a format (as in :.3f) is not compiled; print the number itself"),
        (generates, "generators are not compiled; write a loop"),
        (draws, "Numba knows no integers(3) of rng (missing a required argument: 'high'); write a loop"),
        (sorts, "Numba does not compile this: it gives no reason; write a loop"),
        (divides, "ZeroDivisionError: division by zero"),
        (writes, "this array cannot be written to; let the state hold a copy of it"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_wrong_is_said_in_plain_words(kernel, words):
    numbers = np.zeros(2)
    numbers.setflags(write=kernel is not writes)
    with pytest.raises(KernelError) as caught:
        asked(make(Small, kernel, Small(1.0, numbers)))
    assert words in str(caught.value)
    assert caught.value.line == kernel.__code__.co_firstlineno + 1


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "DeprecationWarning: Assigning a code object of non-matching type is deprecated"
            " (e.g., from a generator to a plain function)",
            "generators are not compiled",
        ),
        ("Use of unsupported opcode (FORMAT_WITH_SPEC) found", "text with a format"),
    ],
)
def test_so_is_what_numba_says_from_python_3_13_on(said, words):
    assert explain_refusal(said, said, "", "", ()).startswith(words)


def test_a_state_that_compiled_code_cannot_hold_is_refused_by_its_field():
    policy = make(Small, lambda state, rng, allocation: None, Small(1.0, {"a": 1}))
    for run in (simulated, asked):
        with pytest.raises(
            KernelError, match="Made: field 'numbers' of Small is {'a': 1}; expected a number"
        ):
            run(policy)


class Yard(NamedTuple):
    rates: np.ndarray


@observe.register
def _observe_yard(yard: Yard, uniforms, allocation, losses):
    return yard.rate[0]


def test_so_are_errors_in_the_kernel_of_a_world():
    with pytest.raises(
        KernelError, match=r"`return yard.rate\[0\]`: Yard has no field 'rate'; write 'rates'"
    ):
        observe(Yard(np.zeros(2)), np.zeros(2), np.zeros(2), np.zeros(2))
