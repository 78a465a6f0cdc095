import concurrent.futures
import json

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import allotment.simulation.job as job_module
import allotment.simulation.sweep as module
from allotment import (
    ConflictError,
    CsbSt,
    Cts,
    EqualSplit,
    FileError,
    InputError,
    Problem,
    SimulationInterrupted,
    UnsavedError,
    VersionWarning,
    simulate,
    sweep,
)
from allotment.simulation import partial_run as partial
from allotment.version import versions
from running import PATIENCE_SECONDS, started, wait_for
from running import allotment as command

PROBLEMS = ["paper-2", {"problem": "random", "arms": 4, "seed": [1, 2]}]
POLICIES = [CsbSt(), "equal-split"]
RUN = {"horizon": 200, "replications": 5, "seed": 3, "record": 4}


@pytest.fixture(scope="module")
def frame():
    return sweep(PROBLEMS, POLICIES, **RUN)


@pytest.fixture
def played(monkeypatch):
    """The points that are played from here on."""
    found, play = [], job_module.Block.play

    def recorded(block, *watch):
        found.append((block.problem.budget, block.policy.label, block.replications))
        return play(block, *watch)

    monkeypatch.setattr(job_module.Block, "play", recorded)
    return found


def test_there_is_a_row_per_problem_policy_replication_and_round(frame):
    assert list(frame) == ["problem", "seed", "arms", "budget", "policy", "replication", "round", "regret"]
    assert len(frame) == 3 * 2 * 5 * 4
    assert not frame.duplicated(["problem", "policy", "replication", "round"]).any()
    assert frame["problem"].unique().tolist() == ["paper-2", "random, seed=1", "random, seed=2"]
    assert frame["arms"].unique().tolist() == [5, 4]
    assert np.array_equal(frame["seed"].unique(), [np.nan, 1.0, 2.0], equal_nan=True)


def test_a_point_is_what_simulate_gives(frame):
    problem = Problem.random(4, seed=2)
    alone = simulate(problem, CsbSt(), **RUN)
    rows = frame[(frame["problem"] == "random, seed=2") & (frame["policy"] == "CSB-ST")]
    assert np.array_equal(rows["regret"].to_numpy().reshape(5, 4), alone["CSB-ST"].paths)
    assert rows["round"].tolist() == alone.rounds.tolist() * 5
    assert rows["replication"].tolist() == np.repeat(range(5), 4).tolist()


def test_whoever_does_the_work(frame):
    with concurrent.futures.ProcessPoolExecutor(1) as processes:
        assert_frame_equal(sweep(PROBLEMS, POLICIES, executor=processes, **RUN), frame)
    assert_frame_equal(sweep(PROBLEMS, POLICIES, workers=1, **RUN), frame)


def test_policies_are_told_what_they_must_know_of_each_problem():
    told = sweep(PROBLEMS, ["cts:thresholds=known", "clairvoyant"], **RUN)
    alone = simulate(Problem.random(4, seed=1), Cts(thresholds=Problem.random(4, seed=1).thresholds), **RUN)
    rows = told[(told["problem"] == "random, seed=1") & (told["policy"] == "CTS")]
    assert np.array_equal(rows["regret"], alone["CTS"].paths.ravel())
    assert (told["regret"][told["policy"] == "Clairvoyant"] == 0.0).all()


def test_numbers_stay_numbers_and_all_else_is_text(tmp_path):
    tables = [
        {"problem": "random", "arms": 3, "seed": 1, "thresholds": "same", "hopeless": True},
        {"problem": "paper-2", "thresholds": [0.5]},
    ]
    mixed = sweep(tables, "equal-split", out=tmp_path / "r.parquet", **RUN)
    assert mixed["thresholds"].unique().tolist() == ["same", "0.5"]
    assert mixed["hopeless"].dropna().unique().tolist() == ["True"]
    assert_frame_equal(pd.read_parquet(tmp_path / "r.parquet"), mixed)


def test_the_file_is_the_frame_and_a_finished_sweep_says_so(frame, tmp_path, played, capsys):
    out = tmp_path / "r.parquet"
    assert_frame_equal(sweep(PROBLEMS, POLICIES, out=out, **RUN), frame)
    assert_frame_equal(pd.read_parquet(out), frame)
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]
    assert played
    played.clear()
    capsys.readouterr()
    assert_frame_equal(sweep(PROBLEMS, POLICIES, out=out, **RUN), frame)
    assert capsys.readouterr().err == f"{out} holds this sweep already; nothing is left to do\n"
    assert not played


def test_another_sweep_is_refused_without_leave_to_overwrite(tmp_path):
    out = tmp_path / "r.parquet"
    sweep("paper-2", "equal-split", out=out, **RUN)
    with pytest.raises(ConflictError, match="r.parquet was made with other settings: seed is 3, not 4; exp"):
        sweep("paper-2", "equal-split", out=out, **{**RUN, "seed": 4})
    with pytest.raises(ConflictError, match="problems are not the same"):
        sweep("paper-1", "equal-split", out=out, **RUN)
    with pytest.raises(ConflictError, match="points are not the same"):
        sweep({"paper-2": "paper-1"}, "equal-split", out=out, **RUN)
    other = sweep("paper-1", "equal-split", out=out, overwrite=True, **RUN)
    assert_frame_equal(pd.read_parquet(out), other)
    out.write_bytes(b"PAR1 no")
    with pytest.raises(FileError, match="r.parquet is not a sweep of allotment; expected the same settings"):
        sweep("paper-1", "equal-split", out=out, **RUN)


@pytest.fixture
def ctrl_c_after_three_points(monkeypatch):
    """Ctrl-C once three points are finished; what comes after them waits to be stopped."""
    play, save, begun, kept = job_module.Block.play, partial.PartialRun.save_meanwhile, [], []

    def play_or_wait(block, watch):
        begun.append(block)
        if len(begun) > 3:  # a point is one block, since there are more points than workers need blocks
            watch.stop.wait(PATIENCE_SECONDS)
        return play(block, watch)

    def save_and_stop(point):
        save(point)
        kept.append(point)
        if len(kept) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(job_module.Block, "play", play_or_wait)
        patched.setattr(partial.PartialRun, "save_meanwhile", save_and_stop)
        yield patched.undo


def test_ctrl_c_keeps_finished_points(frame, tmp_path, ctrl_c_after_three_points, capsys):
    out = tmp_path / "r.parquet"
    with pytest.raises(SimulationInterrupted) as caught:
        sweep(PROBLEMS, POLICIES, out=out, workers=1, **RUN)
    assert_frame_equal(caught.value.result, frame[: len(frame) // 2])
    assert len(list((tmp_path / "r.parquet.parts").glob("*.npz"))) == 3
    ctrl_c_after_three_points()  # no more of that
    capsys.readouterr()
    assert_frame_equal(sweep(PROBLEMS, POLICIES, out=out, **RUN), frame)
    assert "r.parquet.parts holds 3 of 6 points already; going on from there" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


def test_parts_serve_a_larger_grid_and_more_replications(frame, tmp_path, monkeypatch, played):
    out = tmp_path / "r.parquet"

    def full(*_):
        raise FileError("cannot write r.parquet: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(module, "save_frame", full)
        with pytest.raises(UnsavedError, match="No space left") as caught:
            sweep("paper-2", POLICIES, out=out, **{**RUN, "replications": 2})
        assert len(caught.value.result) == 2 * 2 * 4
    played.clear()
    assert_frame_equal(sweep(PROBLEMS, POLICIES, out=out, **RUN), frame)
    again = [replications for budget, _, replications in played if budget == Problem.named("paper-2").budget]
    assert {start for each in again for start in each} == {2, 3, 4}


def test_other_versions_are_said(tmp_path, monkeypatch):
    def full(*_):
        raise FileError("no")

    with monkeypatch.context() as patched:
        patched.setattr(module, "save_frame", full)
        with pytest.raises(UnsavedError):
            sweep("paper-2", EqualSplit(), out=tmp_path / "r.parquet", **RUN)
    monkeypatch.setattr(partial, "versions", lambda: {**versions(), "NumPy": "99.0"})
    with pytest.warns(VersionWarning, match=r"made with NumPy .* \(now 99.0\)"):
        sweep(["paper-2", "paper-1"], EqualSplit(), out=tmp_path / "r.parquet", **RUN)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policies": []}, "policies is empty"),
        ({"policies": 5}, "policies is 5; expected policies, or texts that stand for them"),
        ({"policies": [5]}, "policies contains 5; expected policies only"),
        ({"policies": ["csb"]}, "paper-1: there is no policy named 'csb'"),
        ({"policies": [CsbSt(), CsbSt(delta=0.2)]}, "two policies are labelled 'CSB-ST'"),
        ({"problems": 5}, r"problems\[0\] is 5"),
        ({"horizon": 0}, "horizon is 0"),
        ({"replications": 0}, "replications is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"policies": "mp-ts", "out": "x.parquet"}, "MP-TS has no thresholds"),
        ({"out": "x.csv"}, "out is 'x.csv'; expected a name that ends in .parquet"),
        (
            {"problems": {"seen": Problem([0.5], 0.5, 0.5, sees="finds")}, "policies": "csb-st"},
            "seen: CSB-ST takes losses; the problem has finds",
        ),
    ],
)
def test_bad_input_is_named(tmp_path, monkeypatch, change, message):
    monkeypatch.chdir(tmp_path)
    arguments = {"problems": "paper-1", "policies": "equal-split", **RUN}
    with pytest.raises(InputError, match=message):
        sweep(**{**arguments, **change})
    assert not list(tmp_path.iterdir())


def killed_thrice_and_resumed(folder, grid, points, played):
    """Kill a sweep with SIGKILL thrice, and let it end; the frame that comes of it."""
    (folder / "grid.json").write_text(json.dumps(grid))
    out, parts = folder / "r.parquet", folder / "r.parquet.parts"
    finished = {}
    for kill in (1, 2, 3):
        enough = points * kill // 5
        with started(*command("sweep", folder / "grid.json", "--out", out)) as process:
            wait_for(lambda enough=enough: len(list(parts.glob("*.npz"))) >= enough, process)
            process.kill()
            process.communicate()
        now = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
        assert finished.items() <= now.items()  # none was made again
        finished = now
    assert len(finished) < points
    resumed = sweep(**grid, out=out)
    blocks = sum(len(replications) for _, _, replications in played)
    assert blocks == (points - len(finished)) * grid["replications"]
    assert [path.name for path in folder.iterdir() if path.name.startswith("r.")] == ["r.parquet"]
    assert_frame_equal(pd.read_parquet(out), resumed)
    return resumed


def test_a_sweep_that_is_killed_thrice_gives_the_same_frame_and_redoes_nothing(tmp_path, played):
    grid = {
        "problems": [{"problem": "random", "arms": 5, "seed": {"from": 1, "to": 5}}],
        "policies": ["csb-st", "random-split"],
        "horizon": 20_000,
        "replications": 4,
        "seed": 1,
        "record": 3,
    }
    resumed = killed_thrice_and_resumed(tmp_path, grid, 10, played)
    assert_frame_equal(resumed, sweep(**grid))


@pytest.mark.soak
def test_a_large_sweep_that_is_killed_thrice_gives_the_same_frame_and_redoes_nothing(tmp_path, played):
    grid = {
        "problems": [{"problem": "random", "arms": [5, 10], "seed": {"from": 1, "to": 15}}],
        "policies": ["csb-dt", "csb-st", "joint", "equal-split"],
        "horizon": 5000,
        "replications": 50,
        "seed": 1,
    }
    resumed = killed_thrice_and_resumed(tmp_path, grid, 120, played)
    assert len(resumed) == 30 * 4 * 50 * 50
    assert_frame_equal(resumed, sweep(**grid))
