import contextlib
import json
import re
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np
import pytest
from scipy import stats

from allotment import (
    Clairvoyant,
    CsbDt,
    CsbSt,
    Cts,
    Curve,
    EqualSplit,
    FileError,
    InputError,
    MissingExtraError,
    Problem,
    Result,
    VersionWarning,
    extend,
    simulate,
)
from allotment.simulation.rollout import Run
from allotment.version import versions

PROBLEM = Problem.named("paper-2")


@dataclass(frozen=True)
class Outsider(EqualSplit):
    """A policy that is not the package's."""


@pytest.fixture(scope="module")
def result():
    policies = [CsbDt(learner=Cts(solve_every=5)), CsbSt(), Clairvoyant(PROBLEM)]
    return simulate(PROBLEM, policies, horizon=300, replications=8, seed=2)


def test_a_result_is_a_mapping_of_curves(result):
    assert isinstance(result, Mapping)
    assert list(result.keys()) == list(result) and len(result) == 3
    assert all(result[label] is curve for label, curve in result.items())
    assert "CSB-ST" in result and "nobody" not in result and ["CSB-ST"] not in [*result]
    assert result.get("nobody") is None
    assert result == result and result != replace(result) and hash(result) is not None


def test_intervals_are_students(result):
    regret = result["CSB-DT"]
    expected = stats.ttest_1samp(regret.paths[:, -1], 0.0).confidence_interval(0.95)
    assert regret.low[-1] == pytest.approx(expected.low)
    assert regret.high[-1] == pytest.approx(expected.high)
    assert np.array_equal(regret.final, regret.paths[:, -1])
    assert regret.quantile(0.5) == pytest.approx(np.median(regret.paths, axis=0))


def test_the_interval_covers_the_mean_as_often_as_it_says():
    # 2000 intervals of 10 normal draws: a 95 % interval covers 1900 of them; ± 5 standard deviations.
    draws = np.random.default_rng(1).normal(3.0, 2.0, (2000, 10))
    covered = sum(regret.low[0] <= 3.0 <= regret.high[0] for regret in (Curve(row[:, None]) for row in draws))
    assert abs(covered - 1900) <= 5 * (2000 * 0.95 * 0.05) ** 0.5


def test_one_replication_has_no_interval():
    regret = Curve(np.array([[1.0, 2.0]]))
    assert np.isnan(regret.low).all()
    assert np.isnan(regret.high).all()
    assert regret.mean.tolist() == [1.0, 2.0]


def test_a_saved_result_comes_back_whole(result, tmp_path):
    result.save(tmp_path / "run.npz")
    back = Result.load(tmp_path / "run.npz")
    assert list(back) == list(result) == ["CSB-DT", "CSB-ST", "Clairvoyant"]
    assert back.problem == result.problem
    assert back.policies == result.policies
    assert (back.horizon, back.seed, back.replications) == (300, 2, 8)
    assert np.array_equal(back.rounds, result.rounds)
    for label in result:
        assert np.array_equal(back[label].paths, result[label].paths)
    assert np.array_equal(back["CSB-DT"].found_thresholds, result["CSB-DT"].found_thresholds, equal_nan=True)
    assert back["Clairvoyant"].search_rounds is None
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 half a file"])
def test_other_files_are_not_results(tmp_path, content):
    (tmp_path / "run.npz").write_bytes(content)
    with pytest.raises(FileError, match="run.npz is not a saved result of allotment"):
        Result.load(tmp_path / "run.npz")


def edited(result, path, **changes):
    """A saved result with parts replaced."""
    result.save(path)
    with np.load(path) as content:
        arrays = dict(content)
    head = json.loads(str(arrays["head"]))
    for name, value in changes.items():
        if name in head:
            head[name] = value
        else:
            arrays[name.replace("_0", "0.")] = value
    arrays["head"] = np.array(json.dumps(head))
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"policies": []},
        {"policies": [{"policy": "csb-st", "label": "x"}] * 3},
        {"policies": [{"policy": "nobody.Known"}]},
        {"horizon": 10},
        {"rounds": np.arange(300)[::-1]},
        {"_0paths": np.zeros(3)},
        {"_0paths": np.zeros((2, 300))},
        {"problem": {"budget": 1}},
        {"format": "allotment-result-9"},
        {"_0paths": np.full((8, 300), np.nan)},
        {"_0paths": np.full((8, 300), np.inf)},
        {"_0paths": np.full((8, 300), "x")},
        {"_0search_rounds": np.full(8, 0.5)},
        {"_0found_thresholds": np.full((8, 1), 0.5)},
        {"horizon": 300.5},
        {"seed": -1},
        {"versions": ["2.0"]},
    ],
    ids=str,
)
def test_an_edited_result_is_refused(result, tmp_path, changes):
    with pytest.raises(FileError, match="run.npz (cannot be used|has format)"):
        Result.load(edited(result, tmp_path / "run.npz", **changes))


SPY = """
from pathlib import Path
from allotment import EqualSplit

Path("ran").touch()

class Spy(EqualSplit):
    pass
"""


def test_loading_runs_no_code_that_the_file_names(result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "spy.py").write_text(SPY)
    named = [{"policy": "spy.Spy", "label": "spy"}]
    with pytest.raises(
        FileError, match=r"'spy.Spy' is code from outside the package, in the module spy; expected its class"
    ):
        Result.load(edited(result, tmp_path / "run.npz", policies=named))
    assert not (tmp_path / "ran").exists()


def test_nor_code_of_a_world_that_it_names(result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "spy.py").write_text(SPY)
    for named in ({"world": "spy.Spy", "is": {}}, {"world": "spy.Spy"}, {"world": ["spy.Spy"]}):
        with pytest.raises(FileError, match=r"spy.Spy'.* is not a world of the package; expected its class"):
            Result.load(edited(result, tmp_path / "run.npz", problem=named))
    clairvoyant = {"policy": "clairvoyant", "label": "spy", "problem": {"problem": {"world": "spy.Spy"}}}
    with pytest.raises(FileError, match="'spy.Spy' is not a world of the package"):
        Result.load(edited(result, tmp_path / "run.npz", policies=[clairvoyant]))
    assert not (tmp_path / "ran").exists()


def test_a_policy_from_outside_is_restored_if_its_class_is_handed_over(tmp_path):
    made = simulate(PROBLEM, Outsider(), horizon=20, replications=2, seed=1)
    made.save(tmp_path / "run.npz")
    with pytest.raises(FileError, match="Outsider' is code from outside the package"):
        Result.load(tmp_path / "run.npz")
    loaded = Result.load(tmp_path / "run.npz", policies=[Outsider])
    assert loaded.policies == (Outsider(),)


def test_the_versions_are_kept_and_a_difference_is_said(result, tmp_path):
    result.save(tmp_path / "run.npz")
    loaded = Result.load(tmp_path / "run.npz")
    assert loaded.versions == versions()
    older = replace(loaded, versions={**versions(), "NumPy": "1.0"})
    with pytest.warns(VersionWarning, match=rf"made with NumPy 1.0 \(now {version('numpy')}\); further ones"):
        extended = extend(older, 9)
    assert extended.versions["NumPy"] == f"1.0, {version('numpy')}"
    assert extended.versions["Numba"] == version("numba")


def test_flipped_bytes_never_get_through_as_anything_but_a_file_error(result, tmp_path):
    result.save(tmp_path / "run.npz")
    whole = (tmp_path / "run.npz").read_bytes()
    for position in np.random.default_rng(1).integers(0, len(whole), 150):
        broken = bytearray(whole)
        broken[position] ^= 0xFF
        (tmp_path / "run.npz").write_bytes(bytes(broken))
        with contextlib.suppress(FileError):
            Result.load(tmp_path / "run.npz")


def test_an_array_is_not_a_result(tmp_path):
    np.savez(tmp_path / "run.npz", x=np.zeros(3))
    with pytest.raises(FileError, match="not a saved result"):
        Result.load(tmp_path / "run.npz")


def test_a_frame_has_a_row_per_policy_and_round(result):
    frame = result.to_frame()
    assert list(frame.columns) == ["policy", "round", "mean", "low", "high"]
    assert len(frame) == 3 * result.rounds.size
    last = frame[(frame["policy"] == "CSB-ST") & (frame["round"] == 300)]
    assert last["mean"].item() == pytest.approx(result["CSB-ST"].mean[-1])


def test_a_tidy_frame_has_a_row_per_replication_too(result):
    frame = result.to_frame(tidy=True)
    assert list(frame.columns) == ["policy", "replication", "round", "regret"]
    assert len(frame) == 3 * 8 * result.rounds.size
    one = frame[(frame["policy"] == "CSB-DT") & (frame["replication"] == 5)]
    assert one["round"].tolist() == result.rounds.tolist()
    assert one["regret"].tolist() == result["CSB-DT"].paths[5].tolist()


@pytest.mark.parametrize("tidy", [False, True])
def test_an_arrow_table_holds_the_same_without_pandas(result, tidy, monkeypatch):
    frame = result.to_frame(tidy=tidy)
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = result.to_arrow(tidy=tidy)
    assert table.column_names == list(frame.columns)
    for name in table.column_names:
        assert table[name].to_pylist() == frame[name].tolist()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        MissingExtraError, match=r"need pyarrow; install it with: pip install 'allotment\[frames\]'"
    ):
        result.to_arrow()


def test_a_result_and_its_regret_are_short_in_a_log(result):
    assert repr(result) == "<Result of CSB-DT, CSB-ST, Clairvoyant: 8 replications of 300 rounds, seed 2>"
    assert re.fullmatch(
        r"<Curve of 8 replications, 300 recorded rounds: .* at the end, .*>", repr(result["CSB-ST"])
    )


def test_the_summary_says_what_the_paths_say(result):
    rows = {row.policy: row for row in result.summary()}
    assert rows["CSB-ST"].mean == pytest.approx(result["CSB-ST"].final.mean())
    assert rows["Clairvoyant"].search_rounds is None
    assert "CSB-ST" in str(result)


def test_an_unknown_label_is_named(result):
    with pytest.raises(
        InputError, match="no policy is labelled 'XYZ'; expected one of CSB-DT, CSB-ST, Clairvoyant"
    ):
        result["XYZ"]


def test_unproved_knapsacks_are_counted(result):
    assert result["CSB-DT"].unproved.tolist() == [0] * 8
    assert result["Clairvoyant"].unproved is None
    run = Run(PROBLEM, Cts(thresholds=PROBLEM.thresholds), 1, 1, 0)
    assert run.learner.findings.unproved == 0
    run.learner.state.coverage.oracle.exact.unproved[0] = 3
    assert run.learner.findings.unproved == 3


def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    simulate(Problem.named("paper-1"), EqualSplit(), horizon=10, replications=2, seed=1, progress=False).save(
        path
    )
    Result.load(path)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("planted.npy", "w") as bomb,
    ):
        for _ in range(80):
            bomb.write(bytes(2**20))
    with pytest.raises(FileError, match="is not a saved result"):
        Result.load(path)
