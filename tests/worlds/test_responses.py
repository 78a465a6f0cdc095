"""Responses: their formulas, what they refuse, and that files give them back."""

import json
import math

import numpy as np
import pytest

from allotment import (
    ConflictError,
    Exponential,
    InputError,
    Linear,
    Logistic,
    NotApplicableError,
    NotFoundError,
    Piecewise,
    Problem,
    Response,
    Step,
)
from allotment.worlds.responses import RESPONSES

NAN = float("nan")
AMOUNTS = np.linspace(0.0, 1.0, 41)


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


FORMULAS = [
    (Step(0.4), lambda a: 1.0 if a < 0.4 - 1e-12 else 0.0),
    (Linear(0.8), lambda a: max(0.0, 1.0 - a / 0.8)),
    (Linear(3.0), lambda a: 1.0 - a / 3.0),
    (Exponential(0.3), lambda a: math.exp(-a / 0.3)),
    (Logistic(0.5, 0.1), lambda a: sigmoid((0.5 - a) / 0.1) / sigmoid(0.5 / 0.1)),
    (Logistic(0.0, 0.02), lambda a: sigmoid(-a / 0.02) / 0.5),
]


@pytest.mark.parametrize(("response", "shape"), FORMULAS)
@pytest.mark.parametrize("leak", [0.0, 0.25, 1.0])
def test_what_remains_is_the_formula(response, shape, leak):
    given = response.to_dict() | {"leak": leak}
    expected = [leak + (1.0 - leak) * shape(a) for a in AMOUNTS]
    remaining = Response.from_dict(given).remaining(AMOUNTS)
    assert remaining == pytest.approx(expected, abs=1e-12)
    assert remaining[0] == 1.0
    assert (np.diff(remaining) <= 1e-15).all()


def test_straight_lines_between_what_is_given():
    one = Piecewise([0, 0.25, 0.5], [1, 0.5, 0.2])
    assert one.remaining([0.0, 0.125, 0.25, 0.375, 0.5, 1.0]) == pytest.approx([1, 0.75, 0.5, 0.35, 0.2, 0.2])
    rows = Piecewise([0, 1], [[1, 0], [1, 0.5]])
    assert rows.remaining([0.5, 0.5]).tolist() == [0.5, 0.75]
    assert Piecewise([0], [1]).remaining([0.0, 0.7]).tolist() == [1.0, 1.0]


def test_extreme_parameters_give_plain_numbers():
    for response in (Logistic(0.5, 1e-300), Logistic(1e300, 1.0), Exponential(1e-300), Linear(1e-300)):
        remaining = response.remaining(AMOUNTS)
        assert ((remaining >= 0.0) & (remaining <= 1.0)).all()
        assert remaining[0] == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Step(0.0), r"thresholds\[0\] is 0.0; expected numbers above 0 and at most 1"),
        (lambda: Step([0.5, NAN]), r"thresholds\[1\] is nan"),
        (lambda: Step(0.5, leak=1.5), r"leak\[0\] is 1.5; expected numbers from 0 to 1"),
        (lambda: Step(0.5, leak=NAN), r"leak\[0\] is nan"),
        (lambda: Linear(0), r"full\[0\] is 0.0; expected numbers above 0"),
        (lambda: Exponential(-1.0), r"scale\[0\] is -1.0"),
        (lambda: Exponential("x"), "scale is 'x'; expected numbers above 0"),
        (lambda: Logistic(-0.1, 0.1), r"middle\[0\] is -0.1; expected numbers of at least 0"),
        (lambda: Logistic(0.5, 0.0), r"width\[0\] is 0.0"),
        (lambda: Piecewise([0, 0.5], [1, 1.5]), r"remaining\[1\] is 1.5; expected numbers from 0 to 1"),
        (lambda: Piecewise([0, 0.5, 1], [1, 0.2, 0.4]), "remaining is .* expected numbers that never rise"),
        (lambda: Piecewise([0, 0.5], [0.9, 0.5]), r"remaining\[0\] is 0.9; expected 1, since nothing"),
        (lambda: Piecewise([0, 0.5, 0.5], [1, 0.5, 0.4]), "amounts is .* expected numbers that increase"),
        (lambda: Piecewise([0.1, 0.5], [1, 0.5]), r"amounts\[0\] is 0.1; expected 0"),
        (lambda: Piecewise([0, 2.0], [1, 0.5]), r"amounts\[1\] is 2.0; expected numbers from 0 to 1"),
        (
            lambda: Piecewise([0, 0.5], [1, 0.5, 0.2]),
            "remaining has 3 numbers; expected 2, one",
        ),
        (lambda: Piecewise([0, 0.5], [[1, 0.5], [1]]), r"remaining\[1\] has 1 numbers"),
        (lambda: Piecewise([0, NAN], [1, 0.5]), r"amounts\[1\] is nan"),
        (lambda: Piecewise([0, 0.5], 3), "remaining is 3"),
        (lambda: Response.from_dict({"kind": "cubic"}), "kind is 'cubic'; expected one of step, linear"),
        (lambda: Response.from_dict([1]), r"response is \[1\]; expected a table with a kind"),
        (lambda: Response.from_dict({"kind": "linear"}), "the linear response needs full, which is missing"),
        (
            lambda: Response.from_dict({"kind": "linear", "full": 1, "colour": 2}),
            "the linear response has no 'colour'; expected full, leak",
        ),
    ],
)
def test_bad_responses_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"response": Linear([0.5, 0.5])}, InputError, "full has 2 numbers; expected 3, one for each arm"),
        ({"response": Step(0.5, leak=[0, 0.1])}, InputError, "leak has 2 numbers"),
        ({"response": Piecewise([0, 1], [[1, 0], [1, 0]])}, InputError, "remaining has 2 rows; expected 3"),
        ({"response": "linear"}, InputError, "response is 'linear'; expected Step, Linear, Exponential"),
        ({"response": Linear(1), "thresholds": 0.5}, ConflictError, "both thresholds and a response"),
        (
            {"response": Linear(1), "unit": 0},
            InputError,
            "unit is 0; expected a number above 0 and",
        ),
        ({"response": Linear(1), "unit": 1.5}, InputError, "unit is 1.5; expected"),
        ({"response": Linear(1), "unit": 0.3}, InputError, "unit is 0.3; expected .* divides 1"),
        ({"response": Linear(1), "unit": NAN}, InputError, "unit is nan"),
        ({"response": Linear(1), "unit": 1e-9}, InputError, "unit is 1e-09; expected at least"),
        ({"response": Linear(1), "sees": "all"}, InputError, "sees is 'all'; expected one of losses, finds"),
        ({}, InputError, "thresholds is None; expected numbers above 0"),
    ],
)
def test_bad_problems_are_named(given, error, message):
    with pytest.raises(error, match=message):
        Problem([0.5, 0.5, 0.5], budget=1.0, **given)
    with pytest.raises(InputError, match="budget is None"):
        Problem([0.5], response=Linear(1))


KINDS = [kind for kind in RESPONSES if kind != "capped"]  # whose curve does not depend on loss rates


@pytest.mark.parametrize("kind", KINDS)
def test_files_give_every_kind_back_exactly(tmp_path, kind):
    for given in ({}, {"leak": 0.25, "unit": 0.05, "sees": "finds", "losses": "counts"}):
        problem = Problem.random(5, seed=9, response=kind, **given)
        assert problem == Problem.random(5, seed=9, response=kind, **given)
        assert problem != Problem.random(5, seed=10, response=kind, **given)
        for name in ("p.toml", "p.json"):
            problem.save(tmp_path / name)
            copy = Problem.load(tmp_path / name)
            assert copy == problem
            assert hash(copy) == hash(problem)
            assert copy.response == problem.response
        assert json.loads(json.dumps(problem.to_dict())) == problem.to_dict()


def test_a_file_may_give_one_number_for_all_arms(tmp_path):
    text = 'loss_rates = [0.5, 0.4]\nbudget = 1.0\n[response]\nkind = "exponential"\nscale = 0.3\n'
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    problem = Problem.load(tmp_path / "p.toml")
    assert problem == Problem([0.5, 0.4], budget=1.0, response=Exponential(0.3))
    assert problem.unit == 0.01
    (tmp_path / "p.toml").write_text(text.replace("scale", "size"), encoding="utf-8")
    with pytest.raises(NotFoundError, match="p.toml: the exponential response has no 'size'"):
        Problem.load(tmp_path / "p.toml")


def test_steps_are_the_same_problem_in_both_forms():
    assert Problem([0.5, 0.4], 0.3, 0.5) == Problem([0.5, 0.4], budget=0.5, response=Step([0.3, 0.3]))
    assert Problem([0.5, 0.4], 0.3, 0.5).unit is None


@pytest.mark.parametrize("kind", KINDS[1:])
def test_without_a_threshold_what_is_of_thresholds_refuses(kind):
    problem = Problem.random(4, seed=2, response=kind)
    with pytest.raises(NotApplicableError, match=f"no thresholds here: the response is {kind}, not a step"):
        _ = problem.thresholds
    for what in ("covered", "residual", "gamma", "hopeless"):
        with pytest.raises(NotApplicableError, match="the response is not a step"):
            getattr(problem.best, what)
    with pytest.raises(NotApplicableError):
        Problem.random(4, seed=2, response=kind, hopeless=True)


def test_amounts_count_in_whole_units():
    problem = Problem([0.9, 0.9], budget=1.05, response=Linear(1.0), unit=0.1)
    assert problem.remaining([0.29, 0.3]).tolist() == pytest.approx([0.8, 0.7])
    assert problem.remaining([0.3 - 5e-13, 0.1 + 0.2]).tolist() == pytest.approx([0.7, 0.7])
    assert problem.best.allocation.sum() == pytest.approx(1.0)
    assert problem.remaining([1.0, 0.0]).tolist() == [0.0, 1.0]
    with pytest.raises(InputError, match="allocation adds up to"):
        problem.remaining([0.9, 0.9])
