"""The paragraph for a paper says what was run, and nothing that was not."""

from allotment import CsbDt, EqualSplit, Problem, Result, simulate
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


def test_one_replication_of_one_policy_has_no_intervals_and_nothing_to_share():
    said = simulate(PROBLEM, EqualSplit(), replications=1, **SHORT).methods()
    assert "confidence" not in said
    assert "the same random numbers" not in said


def test_a_loaded_result_says_what_it_was_made_with(tmp_path):
    result = simulate(PROBLEM, EqualSplit(), replications=2, **SHORT)
    result.save(tmp_path / "run.npz")
    assert Result.load(tmp_path / "run.npz").methods() == result.methods()
