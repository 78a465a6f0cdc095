import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import AnyResponse, Changing, Exponential, FileError, HotSpots, InputError, Linear, Problem
from strategies import problems


def brute_force(problem):
    """The least loss, and the least weight that comes as near to it as makes no difference, over all sets."""
    found = []
    stakes = problem.loss_rates * problem.severities
    for taken in itertools.product([False, True], repeat=problem.arms):
        covered = np.array(taken)
        weight = math.fsum(problem.thresholds[covered])
        if weight <= problem.budget + problem.slack:
            found.append((math.fsum(stakes[covered]), math.fsum(stakes[~covered]), weight))
    most = max(worth for worth, _, _ in found)
    equal = [each for each in found if each[0] >= most - 1e-12 * min(1.0, most)]
    return min(loss for _, loss, _ in equal), min(weight for _, _, weight in equal)


@given(problems())
@settings(max_examples=150, deadline=None)
def test_the_optimum_equals_brute_force_and_is_the_lightest(problem):
    loss, weight = brute_force(problem)
    best = problem.best
    assert best.loss == pytest.approx(loss, abs=1e-11)
    assert best.residual == pytest.approx(max(problem.budget - weight, 0.0), abs=1e-9)
    assert best.gamma == pytest.approx(best.residual / problem.arms)
    assert best.hopeless == (best.gamma == 0.0)
    assert problem.loss(best.allocation) == best.loss
    assert problem.regret(best.allocation) == 0.0


@given(problems(), st.data())
@settings(max_examples=100, deadline=None)
def test_no_feasible_allocation_beats_the_optimum(problem, data):
    shares = data.draw(st.lists(st.floats(0, 1), min_size=problem.arms, max_size=problem.arms))
    total = sum(shares)
    scale = min(1.0, problem.budget / total) if total > 0 else 0.0
    assert problem.regret([scale * share for share in shares]) >= -1e-12


@given(problems())
@settings(max_examples=50, deadline=None)
def test_files_give_the_problem_back_exactly(tmp_path_factory, problem):
    folder = tmp_path_factory.mktemp("problems")
    for name in ("problem.toml", "problem.json"):
        problem.save(folder / name)
        assert Problem.load(folder / name) == problem
    assert sorted(path.name for path in folder.iterdir()) == ["problem.json", "problem.toml"]


def test_the_papers_instances_ship_as_printed():
    first, second = Problem.named("paper-1"), Problem.named("paper-2")
    assert np.allclose(first.loss_rates, [0.25 + i / 50 for i in range(20)])
    assert set(first.thresholds) == {0.7}
    assert first.budget == 7.0
    assert first.best.covered.tolist() == [False] * 10 + [True] * 10
    assert second.best.covered.tolist() == [True, True, False, True, False]
    assert second.best.hopeless
    roomier = Problem(second.loss_rates, second.thresholds, 2.05)
    assert not roomier.best.hopeless
    assert roomier.best.residual == pytest.approx(0.05)


def test_severities_weigh_what_is_lost():
    problem = Problem([0.5, 0.5], 1.0, 1.0, severities=[1, 3], names=["shed", "vault"])
    assert problem.best.covered.tolist() == [False, True]
    assert problem.loss([0, 0]) == pytest.approx(2.0)
    assert problem.regret([1, 0]) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["spread", "clustered", "same"])
@pytest.mark.parametrize("rates", ["uniform", "low", "high", "gapped"])
def test_random_problems_depend_on_the_seed_alone(kind, rates):
    options = {"thresholds": kind, "rates": rates, "resolution": 0.01}
    one, again = (Problem.random(15, seed=3, **options) for _ in range(2))
    other = Problem.random(15, seed=4, **options)
    assert one == again
    assert one != other
    assert np.allclose(one.thresholds / 0.01, np.round(one.thresholds / 0.01))
    assert hash(one) == hash(again)


def test_a_hopeless_random_problem_is_hopeless():
    assert Problem.random(10, seed=1, hopeless=True).best.hopeless
    assert not Problem.random(10, seed=1).best.hopeless


NAN = float("nan")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], 0.5, 1), r"loss_rates is \[\]; expected a list of at least one number"),
        (([0.5, NAN], 0.5, 1), r"loss_rates\[1\] is nan; expected numbers between 0 and 1"),
        (([-0.1], 0.5, 1), r"loss_rates\[0\] is -0.1"),
        (([1.1], 0.5, 1), r"loss_rates\[0\] is 1.1"),
        ((["a"], 0.5, 1), r"loss_rates is \['a'\]; expected numbers"),
        (([[0.5]], 0.5, 1), r"loss_rates is \[\[0.5\]\]; expected a list"),
        ((0.5, 0.5, 1), r"loss_rates is 0.5; expected a list"),
        (([0.5], 0.0, 1), r"thresholds\[0\] is 0.0; expected numbers above 0 and at most 1"),
        (([0.5], 1.5, 1), r"thresholds\[0\] is 1.5"),
        (([0.5], [0.5, 0.5], 1), r"thresholds has 2 numbers; expected 1, one for each arm"),
        (([0.5], None, 1), r"thresholds is None; expected numbers above 0"),
        ((["0.5"], 0.5, 1), r"loss_rates is \['0.5'\]; expected numbers"),
        (([True], 0.5, 1), r"loss_rates is \[True\]; expected numbers"),
        (([10**400], 0.5, 1), r"loss_rates is \[1000.*; expected numbers"),
        (([0.5], 0.5, 10**400), r"budget is 1000.*; expected a finite number"),
        (([0.5, 0.5], [[0.5], [0.4, 0.5]], 1), r"thresholds is \[\[0.5\], \[0.4, 0.5\]\]; expected numbers"),
        (([0.5], 0.5, -1), r"budget is -1; expected a finite number of at least 0"),
        (([0.5], 0.5, NAN), r"budget is nan"),
        (([0.5], 0.5, "much"), r"budget is 'much'"),
        (([0.5], 0.5, True), r"budget is True"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(InputError, match=message):
        Problem(*arguments)


def test_bad_names_severities_and_allocations_are_named():
    with pytest.raises(InputError, match="names is .* expected 2 different names"):
        Problem([0.5, 0.5], 0.5, 1, names=["a", "a"])
    with pytest.raises(InputError, match="names is 'ab'"):
        Problem([0.5, 0.5], 0.5, 1, names="ab")
    with pytest.raises(InputError, match=r"severities\[0\] is 0.0"):
        Problem([0.5], 0.5, 1, severities=[0])
    problem = Problem([0.5, 0.5], 0.5, 1)
    with pytest.raises(InputError, match="allocation adds up to 1.2; expected at most the budget, 1"):
        problem.loss([0.6, 0.6])
    with pytest.raises(InputError, match=r"allocation\[1\] is -0.5"):
        problem.loss([0.5, -0.5])
    with pytest.raises(InputError, match="allocation has 3 numbers"):
        problem.loss([0.1, 0.1, 0.1])
    with pytest.raises(InputError, match="rates is 'red'; expected one of uniform, low, high, gapped"):
        Problem.random(3, seed=1, rates="red")
    with pytest.raises(
        InputError, match="there is no problem named 'paper-3'; expected one of paper-1, paper-2"
    ):
        Problem.named("paper-3")


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.toml", "budget = ", FileError, "a.toml is not TOML"),
        ("a.json", "{", FileError, "a.json is not JSON"),
        ("a.json", "[1]", InputError, "expected a table with"),
        ("a.toml", "budget = 1\nthresholds = 1\n", InputError, "needs loss_rates, which is missing"),
        ("a.toml", "budget = 1\ncolour = 1\n", InputError, "has no 'colour'; expected loss_rates"),
        (
            "a.toml",
            "loss_rates = [2]\nthresholds = 1\nbudget = 1\n",
            InputError,
            r"a.toml: loss_rates\[0\] is 2",
        ),
    ],
)
def test_bad_files_are_named(tmp_path, name, text, error, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        Problem.load(tmp_path / name)


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="a.toml is not TOML"):
        Problem.load(tmp_path / "a.toml")


@pytest.mark.parametrize(
    "names", ["ab", [1, 2], [["a"], "b"], {"a": 1, "b": 2}, ["a", ""], ["a", "\ud800"], 5]
)
def test_names_must_be_names(names):
    with pytest.raises(InputError, match="names is .* expected 2 different names"):
        Problem([0.5, 0.5], 0.5, 1, names=names)


def test_copies_are_read_only_too():
    copy = pickle.loads(pickle.dumps(Problem.named("paper-2")))
    assert copy == Problem.named("paper-2")
    with pytest.raises(ValueError, match="read-only"):
        copy.thresholds[0] = 0.1


@pytest.mark.parametrize("budget", [10.0, 1e13, 1e300])
def test_a_budget_beyond_what_can_be_granted_changes_nothing(budget):
    problem = Problem([0.5, 0.5], 0.5, budget)
    assert problem.loss([0, 0]) == 1.0
    assert problem.best.loss == 0.0
    with pytest.raises(InputError, match="allocation"):
        problem.loss([-5, 5])


@pytest.mark.parametrize(
    ("problem", "allocation"),
    [
        (Problem([1, 5e-7], [1, 0.3], 0.5, severities=[1e6, 1]), [0, 0.3]),
        (Problem([1.0] * 60 + [4e-11], [1.0] * 60 + [0.3], 0.5), [0] * 60 + [0.3]),
        (Problem([1e-13, 1e-13], 0.5, 1.0), [0.5, 0.5]),
    ],
)
def test_regret_is_never_negative_however_small_a_stake(problem, allocation):
    assert problem.regret(allocation) >= -1e-12


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileError, match="cannot read .*absent.toml: No such file"):
        Problem.load(tmp_path / "absent.toml")


def test_a_world_is_short_in_a_log_and_says_what_is_unlike_the_paper():
    problem = Problem([0.5, 0.4], 0.6, 0.6)
    assert repr(problem) == "<Problem of 2 arms, budget 0.6>"
    soft = Problem([0.5, 4.0], budget=0.6, response=Linear(0.5), losses="counts", sees="finds")
    assert repr(soft) == "<Problem of 2 arms, budget 0.6, linear response, unit 0.01, counts, finds>"
    assert (
        repr(Changing([(1, problem), (20, problem)]))
        == "<Changing of 2 arms, budget 0.6, changes in round 20>"
    )


def test_a_notebook_lists_no_more_arms_than_one_can_read():
    content = Problem.random(100, seed=1)._repr_html_()
    assert content.count("<tr>") == 21
    assert "… and 81 more" in content


@pytest.mark.parametrize("unit", [0.3333333333, 0.07, 0.0, 1.5, True, "0.1"])
def test_problems_and_policies_refuse_the_same_units(unit):
    for made in (
        lambda: Problem([0.5], response=Exponential(0.3), budget=1.0, unit=unit),
        lambda: AnyResponse(unit=unit),
        lambda: HotSpots(unit=unit),
    ):
        with pytest.raises(
            InputError, match="unit is .*; expected a number above 0 and at most 1 that divides 1"
        ):
            made()
