import json

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from allotment import SimulationInterrupted, sweep
from allotment.simulation import sweep as module

GRID = {
    "problems": ["paper-1", {"problem": "random", "arms": 4, "seed": [1, 2]}],
    "policies": ["csb-st", "equal-split"],
    "horizon": 200,
    "replications": 3,
    "seed": 1,
    "record": 2,
}


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "grid.json"
    path.write_text(json.dumps(GRID))
    return path


def test_sweep_writes_the_frame_of_the_library(allotment, grid, tmp_path):
    out = tmp_path / "r.parquet"
    answer = allotment("sweep", grid, "--out", out)
    assert answer.code == 0
    assert answer.out == f"{out}: 36 rows, 3 problems x 2 policies.\n"
    assert_frame_equal(pd.read_parquet(out), sweep(**GRID))
    again = allotment("sweep", grid, "--out", out)
    assert (again.code, again.err) == (0, f"{out} holds this sweep already; nothing is left to do\n")


def test_other_settings_are_refused_without_overwrite(allotment, grid, tmp_path):
    out = tmp_path / "r.parquet"
    allotment("sweep", grid, "--out", out)
    grid.write_text(json.dumps({**GRID, "horizon": 300}))
    refused = allotment("sweep", grid, "--out", out)
    assert refused.code == 2
    assert "was made with other settings: horizon is 200, not 300; expected the same settings" in refused.err
    assert allotment("sweep", grid, "--out", out, "--overwrite").code == 0
    assert pd.read_parquet(out)["round"].max() == 300


def test_an_interrupted_sweep_says_what_is_kept(allotment, grid, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise SimulationInterrupted(pd.DataFrame({"problem": ["a", "a", "b"], "policy": ["x", "x", "x"]}))

    monkeypatch.setattr(module, "sweep", interrupted)
    answer = allotment("sweep", grid, "--out", tmp_path / "r.parquet")
    assert answer.code == 130
    assert answer.err == (
        "allotment: interrupted; 2 points are finished and kept; the same command goes on from there\n"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policies": ["csb"]}, "paper-1: there is no policy named 'csb'"),
        ({"problems": ["nowhere"]}, "nowhere: there is no file or problem named"),
        ({"horizon": 0}, "horizon is 0"),
        ({"extra": 1}, "a grid has no 'extra'"),
    ],
)
def test_a_wrong_grid_gets_one_sentence(allotment, grid, tmp_path, change, message):
    grid.write_text(json.dumps(GRID | change))
    answer = allotment("sweep", grid, "--out", tmp_path / "r.parquet")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("allotment: ")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["grid.json"]


def test_code_that_a_grid_names_runs_only_if_it_is_trusted(allotment, grid, tmp_path, monkeypatch):
    beside = "from pathlib import Path\nfrom allotment import EqualSplit\nPath('ran').touch()\n"
    beside += "class Mine(EqualSplit): pass\n"
    (tmp_path / "beside_the_grid.py").write_text(beside)
    monkeypatch.chdir(tmp_path)
    grid.write_text(json.dumps({**GRID, "policies": ["beside_the_grid.Mine"]}))
    refused = allotment("sweep", grid, "--out", "r.parquet")
    assert (refused.code, refused.out) == (2, "")
    assert (
        "'beside_the_grid.Mine' is code from outside the package, in the module beside_the_grid"
        in refused.err
    )
    assert "--trust" in refused.err
    assert not (tmp_path / "ran").exists()
    trusted = allotment("sweep", grid, "--out", "r.parquet", "--trust", "beside_the_grid.Mine")
    assert trusted.code == 0, trusted.err
    assert (tmp_path / "ran").exists()
