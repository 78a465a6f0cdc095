"""Errors in kernels from outside the package: one sentence with the line, compiled and not; and no crash."""

import os
import pickle
import re
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
    (faulty.Typo, "state.buget", "Numba does not compile this: Unknown attribute 'buget' of type Misspelt"),
    (faulty.Unsupported, "axis=0", "Numba does not compile this: Unsupported keywords: ['axis']"),
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
        (uses_plain, "Untyped global name 'plain'"),
        (uses_table, "Untyped global name 'TABLE'"),
        (uses_nothing, "NameError: name 'not_there' is not defined"),
        (assigns, "number = float64"),
        (indexes, "Unsupported array index type float64"),
        (formats, "ormat spec in f-strings|FORMAT_WITH_SPEC"),  # the latter from Python 3.13 on
        (generates, "use of yield|from a generator to a plain function"),  # likewise
        (draws, "missing a required argument: 'high'"),
        (sorts, ""),
        (divides, "ZeroDivisionError: division by zero"),
        (writes, "Cannot modify readonly array"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_sentence_has_the_place_and_the_last_line_of_numba(kernel, words):
    numbers = np.zeros(2)
    numbers.setflags(write=kernel is not writes)
    with pytest.raises(KernelError) as caught:
        asked(make(Small, kernel, Small(1.0, numbers)))
    assert re.search(words, str(caught.value))
    assert "\n" not in str(caught.value)
    assert caught.value.line == kernel.__code__.co_firstlineno + 1


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
        KernelError,
        match=r"`return yard.rate\[0\]`: Numba does not compile this: Unknown attribute 'rate' of type Yard",
    ):
        observe(Yard(np.zeros(2)), np.zeros(2), np.zeros(2), np.zeros(2))
