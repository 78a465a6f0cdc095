"""The paragraph for a paper says what was run, and nothing that was not."""

import numpy as np

from allotment import CsbDt, EqualSplit, Exponential, Problem, Result, simulate
from allotment.version import __version__

PROBLEM = Problem([0.5, 0.4], 0.6, 0.6)
SHORT = {"horizon": 20, "seed": 3, "progress": False}


def test_it_names_policies_replications_seed_intervals_and_versions():
    said = simulate(PROBLEM, [CsbDt(gamma=1e-4), EqualSplit()], replications=5, **SHORT).methods()
    assert "CSB-DT (CsbDt(gamma=0.0001)) and Equal split (EqualSplit())" in said
    assert "5 independent replications of 20 rounds, with seed 3." in said
    assert "the same random numbers" in said
    assert "95 % confidence intervals (Student's t)" in said
    assert f"allotment {__version__} (Python 3." in said


def said_of(problem, *name):
    return simulate(problem, EqualSplit(), replications=1, **SHORT).methods(*name)


def test_it_names_the_problem_that_was_played():
    shipped, other = Problem.named("paper-2"), Problem(np.full(11, 0.5), 0.6, 2.0)
    assert "on paper-2, which ships with allotment (Problem of 5 arms, budget 2). " in said_of(shipped)
    assert "on patrols.toml (Problem of 11 arms, budget 2). " in said_of(other, "patrols.toml")
    assert "on a problem of our own (Problem of 11 arms, budget 2). " in said_of(other)


def test_a_small_problem_without_a_name_has_its_numbers():
    assert "(Problem of 2 arms, budget 0.6; loss rates 0.5, 0.4; thresholds 0.6, 0.6). " in said_of(PROBLEM)
    curved = Problem([0.5, 0.4], budget=0.6, response=Exponential(0.5), severities=[1, 5])
    assert "; response Exponential(scale=0.5, leak=0.0); severities 1, 5). " in said_of(curved)


def test_one_replication_of_one_policy_has_no_intervals_and_nothing_to_share():
    said = simulate(PROBLEM, EqualSplit(), replications=1, **SHORT).methods()
    assert "confidence" not in said
    assert "the same random numbers" not in said


def test_a_loaded_result_says_what_it_was_made_with(tmp_path):
    result = simulate(PROBLEM, EqualSplit(), replications=2, **SHORT)
    result.save(tmp_path / "run.npz")
    assert Result.load(tmp_path / "run.npz").methods() == result.methods()
