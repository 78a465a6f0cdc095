"""The clean trial of AnyResponse, in small: freeze, refusals, resumption, labels, verdicts and report."""

import dataclasses
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import allotment as al
from studies.any_response.trial import command, counted, frozen, games, report, run, run_log, unseen, worlds
from studies.any_response.trial.contestants import MAKERS, RULE, contestants
from studies.any_response.trial.extent import SMALL, Extent
from studies.any_response.trial.games import Game
from studies.any_response.trial.limits import LIMITS
from studies.any_response.trial.measuring import measure
from studies.any_response.trial.old_rule import asked_of_old, measure_old, python_of
from studies.any_response.trial.old_rule_script import answer
from studies.any_response.trial.parts import COUNTS, WHOLE
from studies.any_response.trial.results import outcomes_in
from studies.any_response.trial.seeds import seed_of
from studies.any_response.trial.worlds import TrialWorld, draw_problem

BY_NAME = {world.name: world for world in worlds.FIXED}
PLAYED = ("off-unit thresholds", "exponential, large leaks")
CHEAP = ("Hot spots", "Equal split")


def _flat(stream):
    return al.Problem(stream.uniform(0, 1, 3), budget=1.0, response=al.Linear(1.0, 0.9), unit=0.25)


def _tiny_game():
    problem = al.Problem([0.9, 0.2, 0.1], budget=1.0, response=al.Step(0.5, 0.2), unit=0.25)
    return Game("tiny", al.HotSpots(unit=0.25), problem, rounds=20)


class Trial:
    """A trial of two worlds, three unseen ones and a few cheap policies, in a folder of its own."""

    def __init__(self, folder: Path):
        self.frozen, self.unseen, self.results, self.page = (
            folder / each for each in ("frozen.json", "unseen.py", "results", "page.md")
        )
        self.unseen.write_text("UNSEEN = ...")
        self.part = dataclasses.replace(
            WHOLE,
            contestants=lambda world: {RULE: MAKERS["Top places"]} | {name: MAKERS[name] for name in CHEAP},
            extent=SMALL,
            frozen=self.frozen,
            results=self.results,
            page=self.page,
            unseen=self.unseen,
        )
        frozen.freeze(self.part)

    def run(self, number=7, **options):
        return run.run_trial(number, self.part, workers=1, **options)

    def log(self):
        return [line.split(" | ")[4:] for line in run_log.lines(self.results)]


@pytest.fixture
def trial(tmp_path, monkeypatch):
    monkeypatch.setattr(worlds, "FIXED", tuple(BY_NAME[name] for name in PLAYED))
    monkeypatch.setattr(unseen, "UNSEEN", dict.fromkeys(("one", "two", "three"), _flat))
    monkeypatch.setattr(games, "games", lambda: (_tiny_game(),))
    return Trial(tmp_path)


def test_a_run_keeps_a_number_for_each_problem(trial):
    assert trial.run() == 1
    found = outcomes_in(trial.results / "run-1")
    assert set(found) == {*PLAYED, "one", "two", "three"}
    assert all(lost.shape == (SMALL.problems,) for of in found.values() for lost in of.values())
    assert trial.log() == [["first run", "started"], ["first run", "finished"]]


def test_a_changed_decision_is_refused(trial, monkeypatch):
    monkeypatch.setattr(games, "games", lambda: (_changed(_tiny_game()),))
    with pytest.raises(al.AllotmentError, match="decisions → tiny → round 1 is .* but frozen.json has"):
        trial.run()
    ((line,),) = trial.log()
    assert line.startswith("refused: decisions → tiny")
    assert not (trial.results / "run-1").exists()


def _changed(game):
    return Game(game.name, al.TopPlaces(unit=0.25), game.problem, game.rounds)


def test_a_changed_generator_is_refused(trial, monkeypatch):
    monkeypatch.setattr(worlds, "FIXED", (TrialWorld(PLAYED[0], _flat), worlds.FIXED[1]))
    with pytest.raises(al.AllotmentError, match="worlds → off-unit thresholds → problems is"):
        trial.run()


def test_a_changed_limit_is_refused(trial, monkeypatch):
    monkeypatch.setattr("studies.any_response.trial.limits.LIMITS", LIMITS[1:])
    with pytest.raises(
        al.AllotmentError, match="limits → regret over the best simple policy is only in froz"
    ):
        trial.run()


def test_without_three_unseen_worlds_nothing_runs(trial, monkeypatch):
    monkeypatch.setattr(unseen, "UNSEEN", {})
    with pytest.raises(al.AllotmentError, match="number of worlds in unseen.py is 0; expected 3"):
        trial.run()
    monkeypatch.setattr(unseen, "UNSEEN", dict.fromkeys(("one", "two", "three"), _flat))
    trial.unseen.write_text("UNSEEN = 3")
    assert trial.run() == 1  # a refused call is no run


def test_a_failed_run_is_logged(trial, monkeypatch):
    def failing(world, policy, make, **options):
        raise al.InputError("no room")

    monkeypatch.setattr(run, "measure", failing)
    with pytest.raises(al.InputError):
        trial.run()
    assert [event for _, event in trial.log()] == ["started", "failed: no room"]


def test_an_interrupted_run_goes_on(trial, monkeypatch):
    played = []

    def interrupted(world, policy, make, **options):
        played.append((world.name, policy))
        if len(played) == 3:
            raise KeyboardInterrupt
        return measure(world, policy, make, **options)

    monkeypatch.setattr(run, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trial.run()
    assert trial.run() == 1
    assert played[3:6] == [played[2], (PLAYED[1], RULE), (PLAYED[1], CHEAP[0])]
    assert len(played) == 1 + 3 * 5
    assert [event for _, event in trial.log()] == ["started", "interrupted", "started", "finished"]


def test_another_number_is_a_second_run(trial):
    trial.run(7)
    assert trial.run(8) == 2 and trial.run(7) == 1
    assert [label for label, _ in trial.log()[::2]] == ["first run", "second run", "first run"]
    first, second = (outcomes_in(trial.results / name) for name in ("run-1", "run-2"))
    assert (first["one"][RULE] != second["one"][RULE]).all()


def test_the_seed_is_the_digest_of_both_files_and_the_number(tmp_path):
    first, second = tmp_path / "frozen.json", tmp_path / "unseen.py"
    first.write_bytes(b"{}"), second.write_bytes(b"UNSEEN = {}")
    digest = hashlib.sha256(b"{}UNSEEN = {}12").hexdigest()
    assert seed_of(12, first, second) == int(digest, 16)
    assert seed_of(12, first, None) == int(hashlib.sha256(b"{}12").hexdigest(), 16)


def test_the_page_has_verdicts_tables_and_the_log(trial):
    trial.run(7), trial.run(8)
    report.write_report(trial.part)
    text = trial.page.read_text("utf-8")
    assert text.count("another run came before it") == 1
    assert "| regret over the best simple policy | one | - | - | 2.4 | 1.5 | not run |" in text
    assert "| world | AnyResponse | Hot spots | Equal split |" in text
    assert text.count("| geometric mean |") == 4  # regret and daily use, in both runs
    assert text.count("| number 8 |") == 2


def test_commands_answer_in_one_sentence(trial, monkeypatch, capsys):
    monkeypatch.setattr(command, "run_trial", lambda number, part, **options: trial.run(number))
    assert command.main(["--number", "3"]) == 0
    assert "The first run is complete" in capsys.readouterr().out
    trial.frozen.unlink()
    assert command.main(["--number", "3"]) == 2
    assert capsys.readouterr().err.startswith("error: cannot read ")


COUNTED = ("Poisson, losses, mean 10", "capped, finds, mean 1", "size 1, finds, mean 100, drift")


@pytest.fixture
def counted_trial(tmp_path, monkeypatch):
    monkeypatch.setattr(counted, "WORLDS", tuple(each for each in counted.WORLDS if each.name in COUNTED))
    monkeypatch.setattr(counted, "LIMITS", [dataclasses.replace(counted.LIMITS[0], worlds=COUNTED)])
    monkeypatch.setattr(counted, "games", lambda: (_tiny_game(),))
    frozen_file, results, page = (tmp_path / each for each in ("frozen-counts.json", "results", "page.md"))
    part = dataclasses.replace(COUNTS, extent=SMALL, frozen=frozen_file, results=results, page=page)
    frozen.freeze(part)
    return part


def test_worlds_of_counts_are_a_part_with_files_of_its_own(counted_trial):
    assert run.run_trial(3, counted_trial, workers=1) == 1
    found = outcomes_in(counted_trial.results / "run-1")
    simple = {RULE, *counted.SIMPLE}
    assert {world: set(of) for world, of in found.items()} == {
        COUNTED[0]: {*simple, counted.TOLD},
        COUNTED[1]: {*simple, counted.TOLD, counted.TOLD_OF_CAPS},
        COUNTED[2]: simple,
    }
    report.write_report(counted_trial)
    text = counted_trial.page.read_text("utf-8")
    assert text.startswith("# The trial of AnyResponse in worlds of counts")
    assert "not run" not in text and "Daily use" not in text
    monkeyed = dataclasses.replace(counted_trial, extent=Extent(problems=3, runs=2, horizon=50))
    with pytest.raises(al.AllotmentError, match="extent → problems is 3, but frozen.json has 2"):
        run.run_trial(3, monkeyed, workers=1)


def test_worlds_of_counts_have_every_law_mean_and_kind_of_report():
    assert len(counted.WORLDS) == 4 * 2 * 4 * 2
    problem, _ = draw_problem({each.name: each for each in counted.WORLDS}["size 5, finds, mean 100"], 1, 0)
    assert (problem.overdispersion, problem.sees, problem.losses) == (0.2, "finds", "counts")
    assert problem.loss_rates.min() >= 5.0 and 50.0 < problem.loss_rates.max() <= 100.0
    drifting, _ = draw_problem(
        {each.name: each for each in counted.WORLDS}["capped, finds, mean 1, drift"], 1, 0
    )
    assert drifting.changes == (301, 601, 901)
    assert (drifting.problems[0].loss_rates != drifting.problems[1].loss_rates).all()


@pytest.mark.parametrize("world", (*worlds.FIXED, *counted.WORLDS), ids=lambda world: world.name)
def test_generators_depend_on_seed_name_and_place_alone(world):
    (first, luck), (again, same) = draw_problem(world, 2**255, 0), draw_problem(world, 2**255, 0)
    other, _ = draw_problem(world, 2**255, 1)
    assert first.to_dict() == again.to_dict() != other.to_dict() and luck == same
    part = COUNTS if world in counted.WORLDS else WHOLE
    assert all(make(first).label for make in part.contestants(world).values())


def test_worlds_are_what_they_are_called():
    def drawn(name):
        return [draw_problem(BY_NAME[name], 1, k)[0] for k in range(20)]

    leaks = [np.unique(each.leak) for each in drawn("step, large leaks")]
    assert {each.size for each in leaks} == {1, 12}
    assert all(0.05 <= each.min() <= each.max() <= 0.65 for each in leaks)
    rates = np.array([each.loss_rates for each in drawn("exponential, low rates")])
    assert rates.min() >= 0.001 and rates.max() <= 0.02 and 0.003 < np.median(rates) < 0.006
    assert {each.unit for each in drawn("mixed units")} == {0.05, 0.1, 0.2, 0.25}
    assert all(each.unit is None for each in drawn("off-unit thresholds"))
    assert drawn("step, drift")[0].changes == tuple(range(301, 3000, 300))


def test_games_cover_every_policy():
    found = games.games()
    names = [game.name for game in found]
    assert len(set(names)) == len(names) >= 60
    assert {f"{name}, losses" for name in MAKERS} <= set(names)
    short = {game.name: game for game in found}["step, unit 0.5"]
    assert short.decisions() == short.decisions()


def test_another_version_plays_the_same_problems():
    """With this version in the place of the other, the same problems and luck give the same regret."""
    world, extent = BY_NAME["leak"], Extent(problems=2, runs=2, horizon=30)
    own = measure(world, RULE, contestants(world)[RULE], 5, extent, 1)
    asked = asked_of_old(world, 5, extent, 1)
    assert answer(json.loads(json.dumps(asked))) == pytest.approx(own, abs=1e-4)


def _python(folder, script):
    """A program that stands for the Python of a checkout."""
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return python


def test_another_version_answers_from_its_own_process(tmp_path):
    world, extent = BY_NAME["leak"], Extent(problems=2, runs=2, horizon=30)
    python = _python(tmp_path, "grep -q loss_rates && echo '[1.5, 2.0]'")
    assert measure_old(world, python, 5, extent, 1) == [1.5, 2.0]
    with pytest.raises(al.AllotmentError, match="ended with exit code 3: no room"):
        measure_old(world, _python(tmp_path, "echo no room >&2; exit 3"), 5, extent, 1)


def test_another_version_than_the_limits_name_is_refused(tmp_path):
    with pytest.raises(al.AllotmentError, match="run `make setup` in the checkout first"):
        python_of(tmp_path)
    _python(tmp_path, "echo 0.1")
    with pytest.raises(al.AllotmentError, match="is '0.1'; expected 0.2.0.dev1"):
        python_of(tmp_path)
