"""`--scheduler`: the same numbers from a cluster, and one sentence if there is none."""

import json
import signal
import sys

import pandas as pd
import pytest
from distributed import Client
from pandas.testing import assert_frame_equal

from allotment import Problem, RandomSplit, Result, simulate
from allotment.simulation import cluster
from clusters import running_cluster
from running import OFTEN, started, wait_for
from running import allotment as command

pytestmark = pytest.mark.usefixtures("compiled")
RUN = ("simulate", "paper-2", "-p", "random-split", "--horizon", 20_000, "--seed", 4)


def test_simulate_and_extend_print_what_they_print_here(allotment, running, tmp_path):
    here = allotment(*RUN, "--replications", 5, "--out", tmp_path / "here.npz")
    there = allotment(*RUN, "--replications", 5, "--out", tmp_path / "a.npz", "--scheduler", running.address)
    assert (there.code, there.out, there.err) == (0, here.out, "")
    more = ("--replications", 7, "--json")
    here = allotment("extend", tmp_path / "here.npz", *more)
    there = allotment("extend", tmp_path / "a.npz", *more, "--scheduler", running.address)
    assert (there.code, there.out) == (0, here.out)


def test_sweep_writes_the_same_file(allotment, running, tmp_path):
    grid = {"problems": ["paper-1", "paper-2"], "policies": ["random-split", "equal-split"]}
    (tmp_path / "grid.json").write_text(
        json.dumps({**grid, "horizon": 200, "replications": 3, "seed": 1, "record": 2})
    )
    sweep = ("sweep", tmp_path / "grid.json", "--out")
    assert allotment(*sweep, tmp_path / "here.parquet").code == 0
    assert allotment(*sweep, tmp_path / "there.parquet", "--scheduler", running.address).code == 0
    assert_frame_equal(
        pd.read_parquet(tmp_path / "there.parquet"), pd.read_parquet(tmp_path / "here.parquet")
    )


def test_a_signal_keeps_what_is_complete(running, tmp_path):
    out = tmp_path / "run.npz"
    elsewhere = ("--replications", 10**5, "--out", out, "--scheduler", running.address)
    with started(*command(*RUN, *elsewhere, before=OFTEN)) as process:
        wait_for(out.exists, process)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate()
    assert process.returncode == 143
    found = Result.load(out)
    kept = found.replications
    assert said == (
        f"allotment: interrupted; {kept} of 100000 replications are complete, and kept in {out}; "
        "the same command goes on from there\n"
    )
    whole = simulate(Problem.named("paper-2"), RandomSplit(), horizon=20_000, replications=kept, seed=4)
    assert found["Random split"].final.tolist() == whole["Random split"].final.tolist()


def test_without_workers_it_says_that_it_waits(tmp_path):
    with (
        running_cluster(tmp_path, workers=0) as empty,
        started(*command(*RUN, "--replications", 2, "--scheduler", empty.address)) as process,
    ):
        said = process.stderr.readline()
        assert said == f"no worker is at {empty.address} yet; waiting for the first\n"
        empty.fill_up(1)
        shown, said = process.communicate()
    assert "After 20000 rounds, 2 replications, seed 4." in shown
    assert (process.returncode, said) == (0, "")


@pytest.mark.parametrize("address", ["", "nonsense", "ftp://127.0.0.1:1", "tcp://127.0.0.1:1"])
def test_where_no_scheduler_is_one_sentence_says_so(allotment, tmp_path, monkeypatch, address):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    answer = allotment(*RUN, "--out", tmp_path / "run.npz", "--scheduler", address)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"allotment: no Dask scheduler answers at {address!r}; "
        "expected the address of one that runs, such as tcp://head:8786\n"
    )
    assert not list(tmp_path.iterdir())


def test_nor_is_a_worker_one(allotment, running):
    with Client(running.address, set_as_default=False) as client:
        client.wait_for_workers(1)
        worker = next(iter(client.scheduler_info()["workers"]))
    assert f"no Dask scheduler answers at {worker!r}" in allotment(*RUN, "--scheduler", worker).err


def test_what_is_missing_or_contradictory_gets_a_sentence(allotment, monkeypatch):
    both = allotment(*RUN, "--scheduler", "tcp://head:8786", "--workers", 2)
    assert (both.code, both.err.count("\n")) == (2, 1)
    assert "--workers counts threads here, and --scheduler works elsewhere" in both.err
    monkeypatch.setitem(sys.modules, "distributed", None)
    without = allotment(*RUN, "--scheduler", "tcp://head:8786")
    assert (without.code, without.err) == (
        2,
        "allotment: clusters need distributed; install it with: pip install 'allotment[cluster]'\n",
    )
