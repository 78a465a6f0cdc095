"""Worlds with situations: what holds when, who is told, and that nothing else changes."""

import numpy as np
import pytest

from allotment import (
    AnyResponse,
    Changing,
    Clairvoyant,
    ConflictError,
    EqualSplit,
    InputError,
    Joint,
    Linear,
    MpTs,
    NotAcceptedError,
    NotApplicableError,
    NotFoundError,
    Problem,
    Result,
    Situations,
    simulate,
    sweep,
    trace,
)
from allotment.randomness.streams import environment_stream
from allotment.worlds.descriptions import load_world
from situated_policies import MostLosses

WEEK = [0, 0, 0, 0, 0, 1, 1]
WEEKDAY = Problem([0.1, 0.5, 0.3], 0.4, 0.9, names=["a", "b", "c"])
WEEKEND = Problem([0.9, 0.2, 0.8], [0.4, 0.3, 0.5], 0.9, names=["a", "b", "c"])
WORLD = Situations([WEEKDAY, WEEKEND], calendar=WEEK, situation_names=["weekday", "weekend"])


def _bent(response, **other):
    return Problem([0.5, 0.4], **{"budget": 0.5, "response": response, "unit": 0.1, **other})


def test_each_round_is_of_its_situation():
    played = trace(WORLD, EqualSplit(), horizon=70, seed=4)
    uniforms = environment_stream(4, 0).random((70, 3))
    weekend = np.tile(WEEK, 10) == 1
    rates = np.where(weekend[:, np.newaxis], WEEKEND.loss_rates, WEEKDAY.loss_rates)
    covered = weekend[:, np.newaxis] & [False, True, False]  # 0.3 each
    assert np.array_equal(played.losses, (uniforms < rates) & ~covered)
    regret = np.diff(played.regret, prepend=0.0)
    share = [0.3] * 3
    assert regret[~weekend] == pytest.approx(WEEKDAY.regret(share))
    assert regret[weekend] == pytest.approx(WEEKEND.regret(share))
    assert [WORLD.situation_in(t) for t in range(1, 15)] == WEEK * 2
    assert WORLD.best_in(5) is WORLD.best_of(0) is WEEKDAY.best
    assert WORLD.best_in(6) is WORLD.best_of(1) is WEEKEND.best


def test_a_policy_is_told_the_situation_before_it_decides_and_learns_for_it():
    played = trace(WORLD, MostLosses(), horizon=140, seed=4)
    losses = np.zeros((2, 3))
    for t, situation in enumerate(WEEK * 20):
        assert played.allocations[t].argmax() == losses[situation].argmax()
        losses[situation] += played.losses[t]
    ignored = trace(WORLD, MostLosses(situations=1), horizon=140, seed=4)
    assert not np.array_equal(played.allocations, ignored.allocations)


def test_a_trace_has_the_situation_of_each_round():
    frame = trace(WORLD, EqualSplit(), horizon=14, seed=4).to_frame()
    assert list(frame.columns) == ["round", "situation", "arm", "granted", "loss", "regret"]
    assert frame["situation"][frame["arm"] == "a"].tolist() == WEEK * 2


def test_the_simulator_and_a_learner_agree():
    played = trace(WORLD, MostLosses(), horizon=50, seed=4)
    learner = MostLosses().start(3, 0.9, seed=4)
    for t in range(50):
        assert learner.ask(WORLD.situation_in(t + 1)).tolist() == played.allocations[t].tolist()
        learner.tell(played.losses[t])


def test_in_pieces_and_one_replication_after_the_other_it_is_the_same():
    whole = simulate(WORLD, MostLosses(), horizon=45, replications=3, seed=4, record=45)["MostLosses"].paths
    for replication in range(3):
        played = trace(WORLD, MostLosses(), horizon=45, seed=4, replication=replication)
        assert np.array_equal(played.regret, whole[replication])


@pytest.mark.parametrize("policy", [Joint(), MostLosses(situations=1)])
def test_policies_that_use_no_situations_ignore_them(policy):
    same = Situations([WEEKEND, WEEKEND], calendar=WEEK)
    alone = simulate(Changing([(1, WEEKEND)]), policy, horizon=60, replications=2, seed=3)[policy.label]
    assert np.array_equal(
        simulate(same, policy, horizon=60, replications=2, seed=3)[policy.label].paths, alone.paths
    )


@pytest.mark.parametrize(
    ("world", "policy", "message"),
    [
        (
            WORLD,
            MostLosses(situations=3),
            "^MostLosses knows 3 situations; the problem has 2; expected situations=2, or situations=1 to",
        ),
        (WEEKDAY, MostLosses(), "^MostLosses knows 2 situations; the problem has 1; expected situations=1$"),
        (WEEKDAY, Clairvoyant(WORLD), "^Clairvoyant knows 2 situations; the problem has 1"),
    ],
)
def test_other_numbers_of_situations_are_refused(world, policy, message):
    with pytest.raises(NotAcceptedError, match=message):
        simulate(world, policy, horizon=5, replications=1, seed=1)
    with pytest.raises(NotAcceptedError, match=message):
        trace(world, policy, horizon=5, seed=1)


def test_the_clairvoyant_follows():
    result = simulate(WORLD, Clairvoyant(WORLD), horizon=70, replications=2, seed=1)
    assert (result["Clairvoyant"].paths == 0.0).all()
    blind = simulate(WORLD, Clairvoyant(WEEKDAY), horizon=70, replications=1, seed=1)["Clairvoyant"]
    assert blind.final[0] == pytest.approx(20 * WEEKEND.regret(WEEKDAY.best.allocation))
    learner = Clairvoyant(WORLD).start(3, 0.9, seed=0)
    assert learner.ask(1).tolist() == WEEKEND.best.allocation.tolist()


def test_one_situation_is_the_problem_itself():
    bent = Problem.random(4, seed=2, response="logistic", unit=0.05, losses="counts", sees="finds")
    policy = AnyResponse(unit=0.25, sees="finds", losses="counts")
    paths = [
        simulate(world, policy, horizon=20, replications=2, seed=3)[policy.label].paths
        for world in (bent, Situations([bent], calendar=[0]))
    ]
    assert np.array_equal(*paths)


def test_files_results_and_sweeps_give_it_back(tmp_path):
    bent = Situations([_bent(Linear(0.5)), _bent(Linear(0.9, leak=0.1))], calendar=[1, 0])
    for world in (WORLD, bent):
        for name in ("w.toml", "w.json"):
            world.save(tmp_path / name)
            assert Situations.load(tmp_path / name) == load_world(tmp_path / name) == world
        result = simulate(world, [EqualSplit(), Clairvoyant(world)], horizon=9, replications=2, seed=1)
        result.save(tmp_path / "run.npz")
        loaded = Result.load(tmp_path / "run.npz")
        assert loaded.problem == world
        assert loaded.policies == result.policies
        assert hash(loaded.problem) == hash(world)
    frame = sweep({"week": WORLD}, [EqualSplit()], horizon=7, replications=1, seed=1)
    assert frame["regret"].iloc[-1] == pytest.approx(
        5 * WEEKDAY.regret([0.3] * 3) + 2 * WEEKEND.regret([0.3] * 3)
    )
    assert "2 situations" in result.methods()


def test_names_are_numbers_unless_given():
    plain = Situations([WEEKDAY, WEEKEND], WEEK)
    assert plain.situation_names == ("0", "1")
    assert "name" not in plain.to_dict()["situations"][0]
    assert plain != WORLD
    assert Situations.from_dict(plain.to_dict()) == plain
    assert repr(plain) == "<Situations of 3 arms, budget 0.9, 2 situations>"


@pytest.mark.parametrize(
    ("problems", "calendar", "names", "error", "message"),
    [
        ([], [0], None, InputError, r"^problems is \[\]; expected at least one Problem"),
        (3, [0], None, InputError, "^problems is 3; expected at least one Problem"),
        (["x"], [0], None, InputError, r"^problems\[0\] is 'x'; expected a Problem"),
        ([WEEKDAY], [], None, InputError, r"^calendar is \[\]; expected the situation of each round"),
        ([WEEKDAY], "01", None, InputError, "^calendar is '01'; expected the situation of each round"),
        ([WEEKDAY], None, None, InputError, "^calendar is None; expected the situation of each round"),
        ([WEEKDAY], [0, 1], None, InputError, r"^calendar\[1\] is 1; expected a situation from 0 to 0"),
        ([WEEKDAY], [0, -1], None, InputError, r"^calendar\[1\] is -1; expected a whole number"),
        ([WEEKDAY], [0.0], None, InputError, r"^calendar\[0\] is 0.0; expected a whole number"),
        (
            [WEEKDAY, WEEKEND],
            [1, 1],
            None,
            ConflictError,
            r"^calendar is \[1, 1\]; expected situation 0 to occur at least once",
        ),
        (
            [WEEKDAY, Problem([0.1] * 3, 0.4, 1.0)],
            WEEK,
            None,
            ConflictError,
            r"^budget of problems\[1\] is 1.0; expected the value of the first situation; only loss rates",
        ),
        (
            [_bent(Linear(1)), _bent(Linear(1), sees="finds")],
            WEEK,
            None,
            ConflictError,
            r"^sees of problems\[1\] is 'finds'",
        ),
        (
            [WEEKDAY, WEEKEND],
            WEEK,
            ["day", "day"],
            InputError,
            r"^situation_names is \['day', 'day'\]; expected 2 different names, one for each situation",
        ),
    ],
)
def test_bad_input_is_named(problems, calendar, names, error, message):
    with pytest.raises(error, match=message):
        Situations(problems, calendar, names)


SITUATION = "[[situations]]\nloss_rates = [0.5]\nthresholds = 0.5\n"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("budget = 1.0\nsituations = 3\n", InputError, "w.toml: situations is 3; expected tables, one for"),
        (f"budget = 1.0\n{SITUATION}", InputError, "w.toml: a world with situations needs calendar"),
        (
            "budget = 1.0\ncalendar = [0]\n[[situations]]\nthresholds = 0.5\n",
            InputError,
            r"w.toml: situations\[0\]: a problem needs loss_rates",
        ),
        (
            f"budget = 1.0\ncalendar = [0, 1]\n{SITUATION}name = 'day'\n{SITUATION}",
            InputError,
            "w.toml: situation_names is .*; expected 2 different names",
        ),
        (
            f"budget = 1.0\ncalendar = [0]\nstages = []\n{SITUATION}",
            NotFoundError,
            r"w.toml: situations\[0\]: a problem has no 'stages'",
        ),
    ],
)
def test_bad_files_are_named(tmp_path, text, error, message):
    (tmp_path / "w.toml").write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        Situations.load(tmp_path / "w.toml")


def test_only_thresholds_that_stay_can_be_told():
    with pytest.raises(NotApplicableError, match="the thresholds change from situation to situation"):
        MpTs.for_problem(WORLD)
    same = Situations([WEEKDAY, Problem([0.5, 0.1, 0.9], 0.4, 0.9, names=["a", "b", "c"])], WEEK)
    assert same.thresholds.tolist() == [0.4] * 3
