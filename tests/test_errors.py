import pickle

import pytest

from allotment import (
    ConflictError,
    CsbDt,
    Cts,
    EqualSplit,
    FileError,
    InputError,
    NotFoundError,
    Problem,
    simulate,
)
from allotment.policies.base.policy_texts import parse


def test_an_error_carries_its_parts():
    with pytest.raises(InputError) as caught:
        CsbDt(gamma=-1)
    error = caught.value
    assert str(error) == "gamma is -1; expected a number above 0"
    assert (error.what, error.value, error.expected) == ("gamma", -1, "a number above 0")


def test_and_keeps_them_through_pickling_and_in_a_file(tmp_path):
    (tmp_path / "p.toml").write_text("loss_rates = [0.5]\nthresholds = 0.5\nbudget = -1\n")
    with pytest.raises(InputError) as caught:
        Problem.load(tmp_path / "p.toml")
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert str(error).endswith("p.toml: budget is -1; expected a finite number of at least 0")
        assert (error.what, error.value, error.expected) == ("budget", -1, "a finite number of at least 0")


@pytest.mark.parametrize(
    ("action", "kind", "what", "value"),
    [
        (lambda: Problem.named("paper-9"), NotFoundError, "problem", "paper-9"),
        (lambda: parse("csb"), NotFoundError, "policy", "csb"),
        (lambda: parse("csb-dt:gama=1"), NotFoundError, "parameter", "gama"),
        (lambda: Cts(truncate=True), ConflictError, "truncate", True),
        (
            lambda: simulate(
                Problem([0.5], 1, 1), [EqualSplit(), EqualSplit()], horizon=1, replications=1, seed=0
            ),
            ConflictError,
            "label",
            "Equal split",
        ),
    ],
)
def test_not_found_and_conflict_are_kinds_of_their_own(action, kind, what, value):
    with pytest.raises(InputError) as caught:
        action()
    assert type(caught.value) is kind
    assert (caught.value.what, caught.value.value) == (what, value)


def test_errors_are_what_python_programs_expect_too():
    assert issubclass(InputError, ValueError)
    assert issubclass(FileError, OSError)
