import csv
import io
import json
import re

import numpy as np
import pytest

from allotment import CsbDt, CsbSt, FileError, Joint, Problem, Result, SimulationInterrupted, simulate
from allotment.policies.base.catalogue import policy_classes
from allotment.simulation import simulate as simulation
from allotment.theory import bayesian_regret, lower_bound

SHORT = ("--horizon", 200, "--replications", 4, "--seed", 1)


def test_simulate_shows_what_the_library_finds(allotment, tmp_path):
    out = tmp_path / "run.npz"
    answer = allotment(
        "simulate", "paper-2", "-p", "csb-dt", "--policy", "csb-st", *SHORT, "--out", out, "--json"
    )
    assert answer.code == 0
    assert answer.err == "" or re.fullmatch("compiling for .*; it is kept for next time\n", answer.err)
    shown = json.loads(answer.out)
    expected = simulate(Problem.named("paper-2"), [CsbDt(), CsbSt()], horizon=200, replications=4, seed=1)
    assert [row["policy"] for row in shown["policies"]] == ["CSB-DT", "CSB-ST"]
    assert shown["policies"][0]["mean"] == pytest.approx(expected["CSB-DT"].mean[-1])
    assert np.array_equal(Result.load(out)["CSB-ST"].paths, expected["CSB-ST"].paths)


def test_simulate_prints_a_table(allotment):
    answer = allotment("simulate", "paper-2", "-p", "csb-dt:label=mine", "-p", "clairvoyant", *SHORT)
    assert answer.code == 0
    assert re.search(r"mine\s+\d+\.\d\s+\d+\.\d to \d+\.\d", answer.out)
    assert re.search(r"Clairvoyant\s+0\.0", answer.out)
    assert "After 200 rounds, 4 replications, seed 1." in answer.out


def test_two_of_a_kind_are_told_apart_by_how_they_were_written(allotment):
    answer = allotment("simulate", "paper-2", "-p", "csb-dt", "-p", "csb-dt:gamma=0.01", *SHORT, "--json")
    assert [row["policy"] for row in json.loads(answer.out)["policies"]] == ["csb-dt", "csb-dt:gamma=0.01"]


def test_a_single_replication_has_no_interval(allotment):
    arguments = ("simulate", "paper-2", "-p", "equal-split", "--horizon", 5, "--replications", 1)
    assert json.loads(allotment(*arguments, "--json").out)["policies"][0]["low"] is None
    assert "1 replication," in allotment(*arguments).out


def test_a_saved_run_is_extended(allotment, tmp_path):
    out = tmp_path / "run.npz"
    allotment("simulate", "paper-2", "-p", "csb-st", *SHORT, "--out", out)
    answer = allotment("extend", out, "--replications", 6, "--plot", tmp_path / "six.svg")
    assert answer.code == 0
    assert "6 replications" in answer.out
    assert (tmp_path / "six.svg").exists()
    whole = simulate(Problem.named("paper-2"), CsbSt(), horizon=200, replications=6, seed=1)
    assert np.array_equal(Result.load(out)["CSB-ST"].paths, whole["CSB-ST"].paths)


@pytest.mark.filterwarnings("always:cannot write")
@pytest.mark.parametrize("drawn", [True, False])
def test_what_was_done_before_ctrl_c_is_shown(allotment, tmp_path, monkeypatch, drawn):
    done = simulate(Problem.named("paper-2"), CsbSt(), horizon=200, replications=3, seed=1)
    picture = tmp_path / "folder" / "picture.svg"
    picture.parent.mkdir()

    def interrupted(*_, **__):
        if not drawn:
            picture.parent.rmdir()
        raise SimulationInterrupted(done)

    monkeypatch.setattr(simulation, "simulate", interrupted)
    answer = allotment("simulate", "paper-2", "-p", "csb-st", *SHORT, "--plot", picture)
    assert answer.code == 130
    assert "3 replications" in answer.out
    assert picture.exists() == drawn
    *before, last = answer.err.splitlines()
    assert [f"cannot write {picture}" in line for line in before] == [True] * (not drawn)
    assert last == "allotment: interrupted; 3 of 4 replications are complete"


def test_a_run_that_is_complete_is_drawn_without_playing_it_again(allotment, tmp_path):
    out, picture = tmp_path / "run.npz", tmp_path / "picture.svg"
    run = ("simulate", "paper-2", "-p", "csb-st", *SHORT, "--out", out)
    allotment(*run)
    answer = allotment(*run, "--plot", picture)
    assert answer.err == f"{out} holds 4 of 4 replications already; nothing is left to do\n"
    assert (answer.code, picture.exists()) == (0, True)


def test_brackets_in_names_and_labels_are_shown_as_they_are(allotment, tmp_path):
    Problem([0.9, 0.5], 0.5, 0.5, names=["[red]Dock", "[/bold]"]).save(tmp_path / "p.toml")
    assert "[red]Dock" in allotment("problem", tmp_path / "p.toml").out
    answer = allotment("simulate", tmp_path / "p.toml", "-p", "equal-split:label=[/bold]", *SHORT)
    assert answer.code == 0
    assert "[/bold]" in answer.out


def test_a_result_is_shown_even_if_it_cannot_be_kept(allotment, tmp_path, monkeypatch):
    def full(*_):
        raise FileError("cannot write run.npz: No space left on device")

    monkeypatch.setattr(Result, "save", full)
    answer = allotment("simulate", "paper-2", "-p", "equal-split", *SHORT, "--out", tmp_path / "run.npz")
    assert answer.code == 2
    assert "Equal split" in answer.out
    assert answer.err == "allotment: cannot write run.npz: No space left on device\n"


def test_a_trace_has_a_line_per_round_and_arm(allotment, tmp_path):
    out = tmp_path / "trace.csv"
    answer = allotment("trace", "paper-2", "-p", "csb-dt", "--horizon", 30, "--out", out)
    assert answer.code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert len(rows) == 30 * 5
    assert rows[0] == {
        "round": "1",
        "arm": "arm 1",
        "granted": "0.5",
        "loss": rows[0]["loss"],
        "regret": rows[0]["regret"],
    }


def test_no_cell_of_a_trace_is_computed_by_a_spreadsheet(allotment, tmp_path):
    text = "loss_rates = [0.5, 0.5]\nthresholds = [1.0, 1.0]\nbudget = 1.0\nnames = ['=1+1', 'Dock']\n"
    (tmp_path / "p.toml").write_text(text)
    out = tmp_path / "trace.csv"
    assert (
        allotment("trace", tmp_path / "p.toml", "-p", "equal-split", "--horizon", 1, "--out", out).code == 0
    )
    assert [row["arm"] for row in csv.DictReader(io.StringIO(out.read_text()))] == ["'=1+1", "Dock"]


def test_policies_lists_every_policy(allotment):
    answer = allotment("policies")
    for name in policy_classes():
        assert name in answer.out
    listed = json.loads(allotment("policies", "--json").out)
    assert {each["name"] for each in listed} == set(policy_classes())
    assert all(each["use"] and each["about"] for each in listed)
    one = allotment("policies", "csb-dt").out
    assert "gamma" in one
    assert "0.001" in one
    assert "the precision of the thresholds" in one
    assert "-----" not in one


def test_problem_says_that_instance_2_is_hopeless_and_why(allotment):
    words = " ".join(allotment("problem", "paper-2").out.split())
    assert "cover arm 1, arm 2 and arm 4" in words
    assert "Hopeless (gamma = 0): the best choice needs 0.7 + 0.7 + 0.6 = 2, all of the budget." in words
    data = json.loads(allotment("problem", "paper-2", "--json").out)
    assert data["optimum"]["hopeless"] is True


def test_problem_says_how_much_room_there_is(allotment, tmp_path):
    Problem([0.9, 0.5], [0.5, 0.6], 0.8, names=["Dock", "Gate"]).save(tmp_path / "p.toml")
    words = " ".join(allotment("problem", tmp_path / "p.toml").out.split())
    assert "Best: cover Dock." in words
    assert "Not hopeless: 0.3 is left over" in words
    assert "gamma = 0.15" in words


def test_problem_says_when_nothing_can_be_done(allotment, tmp_path):
    Problem([0.9, 0.5], 0.5, 0.2).save(tmp_path / "p.json")
    assert "cannot cover any arm" in allotment("problem", tmp_path / "p.json").out


def test_a_policy_from_the_users_folder_is_found(allotment, tmp_path, monkeypatch):
    (tmp_path / "my_own.py").write_text(
        "from dataclasses import dataclass\n"
        "from allotment import EqualSplit\n"
        "@dataclass(frozen=True)\n"
        "class Mine(EqualSplit):\n"
        "    family = 'Mine'\n"
        "    patience: int = 1\n"
    )
    monkeypatch.chdir(tmp_path)
    answer = allotment("simulate", "paper-2", "-p", "my_own.Mine:patience=3", *SHORT, "--out", "own.npz")
    assert answer.code == 0
    assert "Mine" in answer.out
    answer = allotment("extend", "own.npz", "--replications", 6)
    assert (answer.code, answer.out) == (2, "")
    assert (
        "'my_own.Mine' is code from outside the package, in the module my_own; expected its class"
        in answer.err
    )
    trusted = allotment("extend", "own.npz", "--replications", 6, "--trust", "my_own.Mine")
    assert "6 replications" in trusted.out
    assert "patience" in allotment("policies", "my_own.Mine").out


def test_a_run_goes_on_from_its_file_and_a_finished_one_says_so(allotment, tmp_path):
    out = tmp_path / "run.npz"
    run = ("simulate", "paper-2", "-p", "csb-st", "--horizon", 200, "--seed", 1, "--out", out)
    assert allotment(*run, "--replications", 3).code == 0
    more = allotment(*run, "--replications", 5)
    assert (more.code, more.err) == (0, f"{out} holds 3 of 5 replications already; going on from there\n")
    whole = simulate(Problem.named("paper-2"), CsbSt(), horizon=200, replications=5, seed=1)
    assert np.array_equal(Result.load(out)["CSB-ST"].paths, whole["CSB-ST"].paths)
    before = out.read_bytes()
    done = allotment(*run, "--replications", 5)
    assert (done.code, done.err) == (0, f"{out} holds 5 of 5 replications already; nothing is left to do\n")
    assert "5 replications" in done.out
    fewer = allotment(*run, "--replications", 2)
    assert "2 replications" in fewer.out
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--horizon", 300), "horizon is 200, not 300"),
        (("--seed", 2), "seed is 1, not 2"),
        (("-p", "equal-split"), "policies are not the same"),
    ],
)
def test_a_file_of_other_settings_is_replaced_only_on_request(allotment, tmp_path, change, message):
    out = tmp_path / "run.npz"
    run = ("simulate", "paper-2", "-p", "csb-st", *SHORT, "--out", out)
    allotment(*run)
    before = out.read_bytes()
    refused = allotment(*run, *change)
    assert (refused.code, refused.out) == (2, "")
    assert f"was made with other settings: {message}; expected the same settings, another file" in refused.err
    assert out.read_bytes() == before
    assert allotment(*run, *change, "--overwrite").code == 0
    assert out.read_bytes() != before


def test_so_is_a_file_that_is_something_else(allotment, tmp_path):
    out = tmp_path / "notes"
    out.write_text("my notes")
    run = ("simulate", "paper-2", "-p", "equal-split", *SHORT, "--out", out)
    refused = allotment(*run)
    assert refused.code == 2
    assert "is not a saved result of allotment; expected the same settings, another file" in refused.err
    assert out.read_text() == "my notes"
    assert allotment(*run, "--overwrite").code == 0
    assert Result.load(out).replications == 4


def test_version_and_help(allotment):
    assert allotment("--version").out.startswith("allotment ")
    assert "simulate" in allotment("--help").out


def test_bounds_are_those_of_the_library(allotment):
    answer = allotment("bounds", "paper-1", "--horizon", 10_000, "--json")
    assert (answer.code, answer.err) == (0, "")
    shown = {each["source"]: each for each in json.loads(answer.out)["bounds"]}
    problem = Problem.named("paper-1")
    assert shown["equation 3"]["corrected"] == pytest.approx(lower_bound(problem, 10_000))
    assert shown["Lemma 2"]["printed"] == pytest.approx(18.788, abs=1e-3)
    assert shown["Theorem 1"]["corrected"]["terms"]["search"] == pytest.approx(324.0)
    assert "gamma = 0" in shown["Theorem 2"]["reason"]
    bound = bayesian_regret(Joint.plain(), problem.arms, 10_000, budget=problem.budget, entropies="largest")
    assert shown["docs/explanation/bayesian-regret.md"]["name"] == "Bayesian regret of Joint.plain()"
    assert shown["docs/explanation/bayesian-regret.md"]["corrected"] == pytest.approx(bound)


def test_bounds_print_a_table_and_sentences(allotment):
    answer = allotment("bounds", "paper-2", "-p", "clairvoyant", "--horizon", 100, "--replications", 2)
    assert answer.code == 0
    assert re.search(r"largest gap, nabla_m\s+section 3.2\s+2.37", answer.out)
    assert "Not for this problem: Lemma 4; Theorem 2" in answer.out
    assert re.search(r"Clairvoyant\s+0\.0", answer.out)
    assert allotment("bounds", "paper-1", "--horizon", 0).err.startswith("allotment: horizon is 0; expected")


def test_bounds_are_drawn_over_simulated_regret(allotment, tmp_path):
    picture = tmp_path / "bounds.svg"
    answer = allotment("bounds", "paper-1", "-p", "csb-st", *SHORT, "--plot", picture)
    assert (answer.code, answer.err) == (0, "")
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    refused = allotment("bounds", "paper-1", "--plot", tmp_path / "nothing.svg")
    assert refused.code == 2
    assert "expected at least one --policy" in refused.err
    assert not (tmp_path / "nothing.svg").exists()


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (("simulate", "paper-2", "-p", "equal-split", *SHORT), "pdf"),
        (("trace", "paper-2", "-p", "equal-split", "--horizon", 50, "--out", "run.csv"), "png"),
        (("problem", "paper-2"), "svg"),
    ],
    ids=lambda part: part[0],
)
def test_what_is_shown_can_be_drawn_too(allotment, tmp_path, monkeypatch, command, kind):
    monkeypatch.chdir(tmp_path)
    answer = allotment(*command, "--plot", f"picture.{kind}")
    assert (answer.code, answer.err) == (0, "")
    starts = {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<?xml"}
    assert (tmp_path / f"picture.{kind}").read_bytes().startswith(starts[kind])
    refused = allotment(*command, "--plot", "picture.gif")
    assert refused.code == 2
    assert refused.err == "allotment: picture format is 'gif'; expected one of png, svg, pdf\n"
    assert refused.out == ""


def test_what_became_of_searches_is_said_where_not_all_is_well(allotment):
    answer = allotment("simulate", "paper-2", "-p", "csb-dt", "--horizon", 900, "--replications", 3)
    assert "CSB-DT: the thresholds found were right in 0 of 3; too high in 3." in answer.out
