"""Worlds beyond the paper's on the command line."""

import importlib
import json
import re

import pytest

from allotment import (
    Changing,
    Clairvoyant,
    EqualSplit,
    FileError,
    Problem,
    Result,
    Situations,
    Step,
    simulate,
)
from allotment.worlds.responses import RESPONSES

SHORT = ("--horizon", 200, "--replications", 4, "--seed", 1)


WORLD = """
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from allotment import Optimum, World, observe

@dataclass(frozen=True)
class Quiet(World):
    budget: float = 1.0
    arms = 2
    severities = (1.0, 1.0)
    def best_in(self, t):
        return Optimum(np.zeros(2), 0.0)
    def environment(self):
        return Nothing(0)

class Nothing(NamedTuple):
    unused: int

@observe.register
def _observe(environment: Nothing, uniforms, allocation, losses):
    losses[:] = 0.0
    return 0.0
"""


def test_a_world_from_outside_is_extended_if_it_is_trusted(allotment, tmp_path, monkeypatch):
    (tmp_path / "quiet_world.py").write_text(WORLD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    quiet = importlib.import_module("quiet_world").Quiet(2.0)
    policies = [EqualSplit(), Clairvoyant(quiet)]
    simulate(quiet, policies, horizon=20, replications=2, seed=1).save("own.npz")
    answer = allotment("extend", "own.npz", "--replications", 4)
    assert (answer.code, answer.out) == (2, "")
    assert (
        "'quiet_world.Quiet' is not a world of the package; expected its class as an argument" in answer.err
    )
    trusted = allotment("extend", "own.npz", "--replications", 4, "--trust", "quiet_world.Quiet")
    assert "4 replications" in trusted.out
    assert Result.load("own.npz", worlds=[type(quiet)]).problem == quiet
    with pytest.raises(FileError, match="is not a world of the package"):
        Result.load("own.npz")


OVERSPENDER = """
from dataclasses import dataclass
from allotment import EqualSplit
from allotment.policies.equal_split import EqualSplitState

@dataclass(frozen=True)
class Generous(EqualSplit):
    family = "Generous"
    def state(self, setting):
        return EqualSplitState(1.0)
"""


def test_a_policy_that_overspends_gets_a_sentence_and_no_number(allotment, tmp_path, monkeypatch):
    (tmp_path / "generous.py").write_text(OVERSPENDER)
    monkeypatch.chdir(tmp_path)
    answer = allotment("simulate", "paper-2", "-p", "generous.Generous", *SHORT, "--out", "run.npz")
    assert (answer.code, answer.out) == (2, "")
    found = re.search(r"Generous in round 1 of replication \d granted 5 in all: (.*)", answer.err)
    assert found  # of whichever replication came first
    assert found[1] == "allocation adds up to 5; expected at most the budget, 2"
    assert not (tmp_path / "run.npz").exists()


@pytest.mark.parametrize("kind", [kind for kind in RESPONSES if kind not in ("step", "capped")])
def test_problem_explains_worlds_without_thresholds(allotment, tmp_path, kind):
    problem = Problem.random(3, seed=5, response=kind, leak=0.1, sees="finds", losses="counts")
    problem.save(tmp_path / "p.toml")
    words = " ".join(allotment("problem", tmp_path / "p.toml").out.split())
    assert "best grant" in words
    assert "Best: grant" in words
    assert "This world has no thresholds" in words
    assert "whole units of 0.01" in words
    assert "A round shows the incidents that grants prevent" in words
    assert "their number is Poisson" in words
    data = json.loads(allotment("problem", tmp_path / "p.toml", "--json").out)
    assert data["optimum"]["loss"] == problem.best.loss
    assert "gamma" not in data["optimum"]
    bounds = allotment("bounds", tmp_path / "p.toml")
    assert bounds.code == 0
    assert f"there are no thresholds here: the response is {kind}, not a step." in " ".join(
        bounds.out.split()
    )
    told = allotment("simulate", tmp_path / "p.toml", "-p", "cts:thresholds=known", *SHORT)
    assert (told.code, told.out) == (2, "")
    assert "there are no thresholds here" in told.err


def test_problem_explains_leaks_and_changes(allotment, tmp_path):
    leaky = Problem([0.9, 0.5], budget=0.5, response=Step(0.5, leak=0.25))
    world = Changing([(1, leaky), (100, Problem([0.1, 0.5], budget=0.5, response=Step(0.5)))])
    world.save(tmp_path / "w.toml")
    words = " ".join(allotment("problem", tmp_path / "w.toml").out.split())
    assert "it has 2 stages" in words
    assert "From round 1 on: Best: cover arm 1." in words
    assert "a share of 0.25 of each loss rate remains" in words
    assert "From round 100 on: Best: cover arm 2." in words
    assert len(json.loads(allotment("problem", tmp_path / "w.toml", "--json").out)["stages"]) == 2
    answer = allotment("bounds", tmp_path / "w.toml")
    assert answer.code == 0
    assert "the world is not one problem for all rounds" in " ".join(answer.out.split())
    shown = allotment("simulate", tmp_path / "w.toml", "-p", "clairvoyant", "-p", "joint", *SHORT)
    assert shown.code == 0
    leaky.save(tmp_path / "p.toml")
    assert "losses leak here" in " ".join(allotment("bounds", tmp_path / "p.toml").out.split())


def test_problem_and_simulate_know_situations(allotment, tmp_path):
    weekday, weekend = (Problem(rates, 0.5, 0.5) for rates in ([0.9, 0.5], [0.1, 0.5]))
    world = Situations([weekday, weekend], [0, 0, 1], ["weekday", "weekend"])
    world.save(tmp_path / "w.toml")
    words = " ".join(allotment("problem", tmp_path / "w.toml").out.split())
    assert "This world has 2 situations." in words
    assert "In situation weekday (2 of 3 rounds): Best: cover arm 1." in words
    assert "In situation weekend (1 of 3 rounds): Best: cover arm 2." in words
    told = json.loads(allotment("problem", tmp_path / "w.toml", "--json").out)["situations"]
    assert [each["name"] for each in told] == ["weekday", "weekend"]
    assert "--plot draws one problem, and this world has several situations" in (
        allotment("problem", tmp_path / "w.toml", "--plot", tmp_path / "w.png").err
    )
    bounds = allotment("bounds", tmp_path / "w.toml")
    assert "the world is not one problem for all rounds" in " ".join(bounds.out.split())
    shown = allotment("simulate", tmp_path / "w.toml", "-p", "clairvoyant", "-p", "equal-split", *SHORT)
    assert shown.code == 0
    assert re.search(r"Clairvoyant +0\.0 ", shown.out)


def test_policies_say_which_worlds_they_are_for(allotment):
    listed = json.loads(allotment("policies", "--json").out)
    worlds = {each["name"]: each["worlds"] for each in listed}
    assert all(worlds.values())
    assert worlds["equal-split"] == "any"
    assert worlds["csb-st"] == "steps at one threshold"
    assert worlds["cts"] == "steps whose thresholds are known"
    assert "Suitable worlds: steps" in allotment("policies", "joint").out
