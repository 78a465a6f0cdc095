import numpy as np
import pytest

from allotment import ConflictError, Exponential, InputError, NotFoundError, Problem
from allotment.simulation.grid import cases_of, load_grid

PROBLEM = Problem([0.6, 0.3], [0.8, 0.4], 1.0)


def names(problems):
    return [case.name for case in cases_of(problems)]


def test_problems_are_given_by_name_as_files_and_as_they_are(tmp_path):
    PROBLEM.save(tmp_path / "night.toml")
    cases = cases_of(["paper-1", str(tmp_path / "night.toml"), PROBLEM])
    assert [case.name for case in cases] == ["paper-1", "night", "problem 3"]
    assert [case.world for case in cases] == [Problem.named("paper-1"), PROBLEM, PROBLEM]
    assert names(PROBLEM) == ["problem 1"]
    assert names("paper-2") == ["paper-2"]
    assert names({"mine": PROBLEM, "theirs": "paper-1"}) == ["mine", "theirs"]


def test_a_parameter_takes_every_value_of_its_range():
    cases = cases_of(
        [{"problem": "paper-2", "budget": [1, 2.5], "thresholds": {"from": 0.3, "to": 0.6, "step": 0.1}}]
    )
    assert len(cases) == 8
    assert cases[1].name == "paper-2, budget=1, thresholds=0.4"
    assert cases[-1].parameters == {"budget": 2.5, "thresholds": 0.6}
    assert cases[-1].world == Problem(Problem.named("paper-2").loss_rates, 0.6, 2.5)


def test_random_problems_are_drawn_by_seed():
    table = {"problem": "random", "arms": np.int64(4), "seed": range(3), "tightness": np.array([0.3, 0.5])}
    cases = cases_of([table])
    assert cases[1].name == "random, seed=0, tightness=0.5"
    assert cases[1].parameters == {"arms": 4, "seed": 0, "tightness": 0.5}
    assert cases[-1].world == Problem.random(4, seed=2, tightness=0.5)


def test_a_part_of_a_response_goes_by_its_path():
    bent = Problem([0.6, 0.3], budget=1.0, response=Exponential(0.4))
    cases = cases_of({"bent": {"problem": bent, "response": {"leak": [0.0, 0.1]}}})
    assert [case.name for case in cases] == ["bent, response.leak=0.0", "bent, response.leak=0.1"]
    assert cases[1].world == Problem([0.6, 0.3], budget=1.0, response=Exponential(0.4, leak=0.1))


def test_whole_numbers_stay_whole():
    seeds = [
        case.parameters["seed"]
        for case in cases_of([{"problem": "random", "arms": 2, "seed": {"from": 3, "to": 9, "step": 3}}])
    ]
    assert seeds == [3, 6, 9]
    assert all(type(seed) is int for seed in seeds)


@pytest.mark.parametrize(
    ("problems", "kind", "message"),
    [
        ([], InputError, r"problems is \[\]; expected at least one problem"),
        (5, InputError, r"problems\[0\] is 5; expected a Problem, a name, a file, or 'random'"),
        ([{"budget": 2}], InputError, r"problems\[0\] is {'budget': 2}"),
        (["paper-1", "paper-1"], ConflictError, "two problems are named 'paper-1'; give one of them another"),
        (["nowhere"], NotFoundError, "there is no file or problem named 'nowhere'"),
        ([{"problem": "paper-1", "budget": []}], InputError, r"budget is \[\]; expected at least one value"),
        (
            [{"problem": "paper-1", "budget": [1, -1]}],
            InputError,
            "paper-1, budget=-1: budget is -1; expected",
        ),
        ([{"problem": "paper-1", "bugdet": 1}], NotFoundError, "paper-1: a problem has no 'bugdet'"),
        ([{"problem": "random", "arms": 3}], InputError, "random: cannot draw a problem: .*'seed'"),
        (
            [{"problem": "paper-1", "budget": {"from": 2, "to": 1}}],
            InputError,
            "to in the range of budget is 1; expected a number of at least 2",
        ),
        ([{"problem": "paper-1", "budget": {"from": 0, "to": 1, "step": 0}}], InputError, "step in .* is 0"),
        ([{"problem": "paper-1", "budget": {"from": 0, "to": 1, "by": 1}}], NotFoundError, "has no 'by'"),
        (
            [{"problem": "paper-1", "budget": {"from": 0, "to": 1, "step": 1e-9}}],
            InputError,
            "expected at most 100000 values",
        ),
        (
            [{"problem": "random", "arms": 3, "seed": [1, 16**5000]}],
            InputError,
            "seed is a value too large to show; expected whole numbers of at most",
        ),
    ],
)
def test_what_is_no_problem_is_named(problems, kind, message):
    with pytest.raises(kind, match=message):
        cases_of(problems)


def test_ranges_that_would_never_end_are_refused_before_anything_is_made(monkeypatch):
    monkeypatch.setenv("ALLOTMENT_MEMORY_GB", "2")
    for absurd in ({"to": 1e12}, {"to": 1e308, "step": 1e-300}, {"from": -1e308, "to": 1e308}):
        with pytest.raises(InputError, match="the range of seed is .*; expected at most 100000 values"):
            cases_of([{"problem": "random", "arms": 2, "seed": {"from": 0, **absurd}}])
    wide = {"from": 1, "to": 99_999}
    with pytest.raises(InputError, match="making 9,999,800,001 problems would take about .* smaller ranges"):
        cases_of([{"problem": "paper-1", "budget": wide, "thresholds": wide}])
    several = [{"problem": "random", "name": str(k), "arms": 2, "seed": wide} for k in range(3)]
    with pytest.raises(InputError, match="making 299,997 problems with up to 2 arms would take about 4.* GB"):
        cases_of(several)
    with pytest.raises(InputError, match="making 1 problems with up to 1,000,000,000,000 arms"):
        cases_of([{"problem": "random", "arms": 10**12, "seed": 1}])


GRID = """
horizon = 100
replications = 2
seed = 1
policies = ["csb-dt"]
problems = ["night.toml", "paper-1", {problem = "night.toml", name = "other", budget = 2}]
"""


def test_a_grid_file_finds_problems_beside_it(tmp_path):
    PROBLEM.save(tmp_path / "night.toml")
    (tmp_path / "grid.toml").write_text(GRID)
    grid = load_grid(tmp_path / "grid.toml")
    assert (grid["horizon"], grid["policies"]) == (100, ["csb-dt"])
    assert names(grid["problems"]) == ["night", "paper-1", "other"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("horizon = 100", "horizons = 100"),
            "grid.toml: a grid has no 'horizons'; expected problems, policies",
        ),
        (("seed = 1", ""), "grid.toml: a grid needs seed, which is missing"),
        (('["csb-dt"]', '"csb-dt"'), "grid.toml: policies is 'csb-dt'; expected a list"),
    ],
)
def test_a_wrong_grid_file_is_named(tmp_path, change, message):
    (tmp_path / "grid.toml").write_text(GRID.replace(*change))
    with pytest.raises(InputError, match=message):
        load_grid(tmp_path / "grid.toml")


@pytest.mark.parametrize("entry", [{"budget": {"to": 1.0, "step": 0.25}}, {"thresholds": {"a": 1.0}}])
def test_a_parameter_below_a_number_is_refused(entry):
    with pytest.raises(InputError, match=r"(budget|thresholds)\.\w+ is .*; expected no part of"):
        cases_of([{"problem": "paper-2", **entry}])
