"""A real scheduler with two worker processes: the same numbers as here, whatever happens to them."""

import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import allotment.simulation.cluster as module
import allotment.simulation.job as job_module
import allotment.simulation.simulate as simulate_module
from allotment import (
    Cluster,
    ClusterError,
    CsbSt,
    EqualSplit,
    MissingExtraError,
    Problem,
    RandomSplit,
    Result,
    SimulationInterrupted,
    extend,
    simulate,
    sweep,
)
from allotment.simulation.progress import Progress
from clusters import running_cluster
from running import PATIENCE_SECONDS, wait_until

PROBLEM = Problem.named("paper-2")
POLICIES = [CsbSt(), RandomSplit()]
GRID = [{"problem": "paper-2", "budget": [1.5, 1.75, 2.0, 2.25, 2.5]}]
RUN = {"horizon": 20_000, "replications": 10, "seed": 5, "progress": False}
ENDLESS = {**RUN, "horizon": 2000, "replications": 10**5}


@pytest.fixture
def cluster(running):
    with Cluster(running.address) as found:
        yield found


@pytest.fixture(scope="module")
def frame():
    return sweep(GRID, POLICIES, workers=1, **RUN)


def at_work(running):
    """How many blocks are being played, by workers that no test has killed."""
    alive = {each.pid for each in running.workers if each.poll() is None}
    change = {"began": 1, "ended": -1}
    return sum(change.get(what, 0) for what, process, *_ in running.noted() if process in alive)


def same(one, other):
    return all(np.array_equal(one[label].paths, other[label].paths) for label in other)


def test_a_sweep_is_the_same_frame_wherever_it_is_played(cluster, running, frame):
    before = len(running.noted())
    assert_frame_equal(sweep(GRID, POLICIES, executor=cluster, **RUN), frame)
    assert_frame_equal(sweep(GRID, POLICIES, workers=2, **RUN), frame)
    with ProcessPoolExecutor(2) as processes:
        assert_frame_equal(sweep(GRID, POLICIES, executor=processes, **RUN), frame)
    noted = running.noted()[before:]
    played = {process for what, process, *_ in noted if what == "ended"}
    assert set() < played <= {each.pid for each in running.workers}
    loads = [tuple(each) for each in running.noted() if each[0] == "loaded"]
    assert len(loads) == len(set(loads)) > 0  # each worker warms up, and once


def test_so_are_simulate_and_extend(cluster):
    here = simulate(PROBLEM, POLICIES, **RUN)
    there = simulate(PROBLEM, POLICIES, executor=cluster, **{**RUN, "replications": 4})
    assert same(extend(there, 10, executor=cluster, progress=False), here)
    assert cluster.submit(divmod, 7, 2).result() == (3, 1)


def test_progress_comes_in_while_a_block_is_played(cluster, running, monkeypatch):
    def enough(self, count):
        if count > 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "set", enough)
    with pytest.raises(KeyboardInterrupt):  # of the only block
        simulate(PROBLEM, RandomSplit(), executor=cluster, horizon=10**10, replications=1, seed=1)
    wait_until(lambda: at_work(running) == 0)


def test_an_interrupt_keeps_what_is_complete_and_stops_the_workers(cluster, running, tmp_path, monkeypatch):
    monkeypatch.setattr(job_module, "FAR_BLOCK_ROUNDS", 200_000)
    monkeypatch.setattr(job_module, "LAST_SECONDS", PATIENCE_SECONDS)  # however busy this machine is
    out, add, came_in, stopped = tmp_path / "run.npz", simulate_module.PartialRun.add, [], []

    def interrupted(self, block, regret):
        add(self, block, regret)
        came_in.append(regret.replications)
        if block.replications[0] == 0 and not stopped:
            stopped.append(True)
            raise KeyboardInterrupt

    monkeypatch.setattr(simulate_module.PartialRun, "add", interrupted)
    with pytest.raises(SimulationInterrupted) as caught:
        simulate(PROBLEM, CsbSt(), executor=cluster, out=out, **ENDLESS)
    monkeypatch.setattr(simulate_module.PartialRun, "add", add)
    kept = caught.value.result
    assert kept.replications >= max(came_in)  # what the others had complete is handed over too
    assert len(came_in) > 1
    assert same(kept, simulate(PROBLEM, CsbSt(), **{**ENDLESS, "replications": kept.replications}))
    assert same(Result.load(out), kept)
    wait_until(lambda: at_work(running) == 0)
    more = {**ENDLESS, "replications": kept.replications + 2}
    assert same(
        simulate(PROBLEM, CsbSt(), executor=cluster, out=out, **more), simulate(PROBLEM, CsbSt(), **more)
    )


def test_a_worker_that_is_killed_costs_what_it_had_not_finished_and_changes_nothing(
    cluster, running, monkeypatch
):
    grid = [{"problem": "paper-2", "budget": [1.5 + k / 20 for k in range(20)]}]
    whole, received = sweep(grid, CsbSt(), workers=2, **RUN), []
    add, victim, before = simulate_module.PartialRun.add, running.workers[0], len(running.noted())

    def noted(*what):
        return [each for each in running.noted()[before:] if each[: len(what)] == list(what)]

    def note_what_is_received(self, block, regret):
        add(self, block, regret)
        if victim.poll() is None:
            received.append(["Problem", block.problem.budget, *block.key, len(block.replications)])

    def kill_when_it_is_busy():
        wait_until(lambda: noted("held", victim.pid))
        victim.kill()
        victim.wait()

    monkeypatch.setattr(simulate_module.PartialRun, "add", note_what_is_received)
    held = running.log.with_name("held")
    held.write_text(str(victim.pid))
    killer = threading.Thread(target=kill_when_it_is_busy)
    killer.start()
    assert_frame_equal(sweep(grid, CsbSt(), executor=cluster, **RUN), whole)
    killer.join()
    held.unlink()
    began = [which for _, _, *which in noted("began")]
    lost = [which for _, _, *which in noted("began", victim.pid) if which not in received]
    again = [each for each in began if began.count(each) > 1]
    assert again
    assert all(each in lost and began.count(each) == 2 for each in again)
    assert len(began) - len(again) // 2 == len(grid[0]["budget"])


def test_a_scheduler_that_is_lost_is_said_and_what_was_finished_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(job_module, "FAR_BLOCK_ROUNDS", 200_000)
    out, add = tmp_path / "run.npz", simulate_module.PartialRun.add
    with running_cluster(tmp_path, workers=1) as found, Cluster(found.address) as cluster:

        def kill(self, block, regret):
            add(self, block, regret)
            if block.replications[0] == 0:  # a result has all replications from the first on
                found.scheduler.kill()

        monkeypatch.setattr(simulate_module.PartialRun, "add", kill)
        with pytest.raises(ClusterError, match="the scheduler at .* was lost; finished work is kept"):
            simulate(PROBLEM, EqualSplit(), executor=cluster, out=out, **ENDLESS)
    assert Result.load(out).replications > 0


def test_other_versions_elsewhere_are_refused(cluster, monkeypatch):
    here = module.versions()
    monkeypatch.setattr(module, "versions", lambda: {**here, "NumPy": "99.0"})
    with pytest.raises(ClusterError, match=r"a worker has NumPy .* \(there 99.0\); expected the versions"):
        simulate(PROBLEM, EqualSplit(), executor=cluster, **RUN)


def test_what_a_worker_cannot_import_is_said(cluster, monkeypatch, tmp_path):
    (tmp_path / "only_here.py").write_text("def answer(): return 42")
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    with pytest.raises(ClusterError, match="lacks a module: No module named 'only_here'"):
        cluster.submit(only_here.answer).result()


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"clusters need distributed; .* 'allotment\[cluster\]'"):
        Cluster("tcp://127.0.0.1:1")
