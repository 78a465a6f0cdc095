"""Worlds that change: what holds when, what may change, and that the clairvoyant follows."""

import numpy as np
import pytest

from allotment import (
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
    Problem,
    Result,
    simulate,
    trace,
)
from allotment.randomness.streams import environment_stream

CALM = Problem([0.1, 0.5, 0.3], 0.4, 0.9, names=["a", "b", "c"])
BUSY = Problem([0.9, 0.2, 0.8], [0.4, 0.3, 0.5], 0.9, names=["a", "b", "c"])
WORLD = Changing([(1, CALM), (31, BUSY), (61, CALM)])


def test_each_round_is_of_its_stage():
    played = trace(WORLD, EqualSplit(), horizon=90, seed=4)
    uniforms = environment_stream(4, 0).random((90, 3))
    busy = (np.arange(90) // 30 == 1)[:, np.newaxis]
    rates = np.where(busy, BUSY.loss_rates, CALM.loss_rates)
    covered = np.full((90, 3), False)
    covered[30:60, 1] = True  # 0.3 each
    assert np.array_equal(played.losses, (uniforms < rates) & ~covered)
    regret = np.diff(played.regret, prepend=0.0)
    share = [0.3] * 3
    assert regret[:30] == pytest.approx(CALM.regret(share))
    assert regret[30:60] == pytest.approx(BUSY.regret(share))
    assert WORLD.best_in(30) is CALM.best
    assert WORLD.best_in(31) is BUSY.best


def test_in_pieces_it_is_the_same():
    whole = simulate(WORLD, Joint(), horizon=90, replications=2, seed=4, record=90)["Joint"].paths
    for replication in range(2):
        played = trace(WORLD, Joint(), horizon=90, seed=4, replication=replication)
        assert np.array_equal(played.regret, whole[replication])


def test_the_clairvoyant_follows():
    result = simulate(WORLD, Clairvoyant(WORLD), horizon=90, replications=2, seed=1)
    assert (result["Clairvoyant"].paths == 0.0).all()
    blind = simulate(WORLD, Clairvoyant(CALM), horizon=90, replications=1, seed=1)["Clairvoyant"]
    assert blind.final[0] == pytest.approx(30 * BUSY.regret(CALM.best.allocation))
    learner = Clairvoyant(WORLD).start(3, 0.9, seed=0)
    with pytest.raises(NotAcceptedError, match="needs a report of every arm"):
        learner.tell([0, np.nan, 0], [0, 0, 0])


def test_one_stage_is_the_problem_itself():
    alone = simulate(CALM, Joint(), horizon=300, replications=2, seed=3)["Joint"].paths
    staged = simulate(Changing([(1, CALM)]), Joint(), horizon=300, replications=2, seed=3)["Joint"].paths
    assert staged == pytest.approx(alone, abs=1e-9)


def test_files_and_results_give_it_back(tmp_path):
    bent = Changing([(1, _bent(Linear(0.5))), (5, _bent(Linear(0.9, leak=0.1)))])
    for world in (WORLD, bent):
        for name in ("w.toml", "w.json"):
            world.save(tmp_path / name)
            assert Changing.load(tmp_path / name) == world
        result = simulate(world, [EqualSplit(), Clairvoyant(world)], horizon=9, replications=2, seed=1)
        result.save(tmp_path / "run.npz")
        loaded = Result.load(tmp_path / "run.npz")
        assert loaded.problem == world
        assert loaded.policies == result.policies
        assert hash(loaded.problem) == hash(world)


def _bent(response, **other):
    return Problem([0.5, 0.4], **{"budget": 0.5, "response": response, "unit": 0.1, **other})


@pytest.mark.parametrize(
    ("stages", "error", "message"),
    [
        ([], InputError, r"stages is \[\]; expected at least one"),
        (3, InputError, "stages is 3"),
        ([(1, "x")], InputError, r"the problem of stages\[0\] is 'x'; expected a Problem"),
        ([CALM], InputError, r"stages\[0\] is .*; expected \(round, problem\)"),
        ([(2, CALM)], InputError, r"the round of stages\[0\] is 2; expected 1"),
        ([(1.5, CALM)], InputError, r"the round of stages\[0\] is 1.5; expected a whole number"),
        ([(1, CALM), (1, BUSY)], ConflictError, r"the round of stages\[1\] is 1; expected more than 1"),
        (
            [(1, CALM), (9, BUSY), (5, CALM)],
            ConflictError,
            r"the round of stages\[2\] is 5; expected more",
        ),
        ([(1, CALM), (9, Problem([0.1] * 3, 0.4, 1.0))], ConflictError, r"budget of stages\[1\] is 1.0"),
        (
            [(1, CALM), (9, Problem([0.1] * 2, 0.4, 0.9))],
            ConflictError,
            r"arms of stages\[1\] is 2; expected",
        ),
        (
            [(1, _bent(Linear(1))), (9, _bent(Linear(1), unit=0.2))],
            ConflictError,
            r"unit of stages\[1\] is 0.2",
        ),
        (
            [(1, _bent(Linear(1))), (9, _bent(Linear(1), sees="finds"))],
            ConflictError,
            r"sees of stages\[1\] is 'finds'",
        ),
        (
            [(1, _bent(Linear(1))), (9, _bent(Linear(1), severities=2))],
            ConflictError,
            r"severities of stages\[1\] is \[2.0, 2.0\]",
        ),
    ],
)
def test_bad_stages_are_named(stages, error, message):
    with pytest.raises(error, match=message):
        Changing(stages)


def test_bad_files_are_named(tmp_path):
    (tmp_path / "w.toml").write_text("budget = 1.0\nstages = 3\n", encoding="utf-8")
    with pytest.raises(InputError, match="w.toml: stages is 3; expected tables, each with the round"):
        Changing.load(tmp_path / "w.toml")
    text = "budget = 1.0\n[[stages]]\nfrom = 1\nthresholds = 0.5\n"
    (tmp_path / "w.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"w.toml: stages\[0\]: a problem needs loss_rates"):
        Changing.load(tmp_path / "w.toml")


def test_only_thresholds_that_stay_can_be_told():
    with pytest.raises(NotApplicableError, match="the thresholds change from stage to stage"):
        MpTs.for_problem(WORLD)
    with pytest.raises(NotApplicableError, match="MP-TS must be told thresholds: the thresholds change"):
        simulate(WORLD, MpTs(thresholds=0.4), horizon=5, replications=1, seed=1)
    steady = Changing([(1, CALM), (9, Problem([0.9, 0.2, 0.8], 0.4, 0.9, names=["a", "b", "c"]))])
    assert steady.thresholds.tolist() == [0.4] * 3
    simulate(steady, MpTs.for_problem(steady), horizon=20, replications=1, seed=1)
