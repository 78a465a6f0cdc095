import concurrent.futures
import threading
import time

import numpy as np
import pytest

import allotment.simulation.job as module
from allotment import (
    CsbDt,
    CsbSt,
    Cts,
    EqualSplit,
    InputError,
    Problem,
    RandomSplit,
    SimulationInterrupted,
    extend,
    simulate,
    trace,
)
from allotment.randomness.streams import environment_stream
from allotment.simulation.simulate import recorded_rounds
from running import wait_until

PROBLEM = Problem.named("paper-2")
RUN = {"horizon": 400, "seed": 3}


def test_numbers_do_not_depend_on_workers_company_or_replications():
    alone = simulate(PROBLEM, CsbDt(), replications=3, workers=1, **RUN)["CSB-DT"]
    together = simulate(PROBLEM, [RandomSplit(), CsbDt(), EqualSplit()], replications=7, workers=3, **RUN)[
        "CSB-DT"
    ]
    assert np.array_equal(alone.paths, together.paths[:3])
    assert np.array_equal(alone.search_rounds, together.search_rounds[:3])
    assert len(set(together.final.tolist())) > 1


def test_other_executors_give_the_same_numbers():
    ours = simulate(PROBLEM, CsbDt(), replications=3, **RUN)
    with concurrent.futures.ProcessPoolExecutor(1) as processes:
        theirs = simulate(PROBLEM, CsbDt(), replications=3, executor=processes, **RUN)
    assert np.array_equal(ours["CSB-DT"].paths, theirs["CSB-DT"].paths)


def test_losses_are_the_environments_and_hidden_where_covered():
    played = trace(PROBLEM, CsbDt(), horizon=500, seed=9, replication=4)
    uniforms = environment_stream(9, 4).random((500, 5))
    happened = uniforms < PROBLEM.loss_rates
    covered = played.allocations >= PROBLEM.thresholds - 1e-12
    assert np.array_equal(played.losses, happened & ~covered)
    regret = (PROBLEM.loss_rates * ~covered).sum(axis=1) - PROBLEM.best.loss
    assert np.cumsum(regret) == pytest.approx(played.regret)


def test_a_trace_is_one_replication_of_the_simulation():
    result = simulate(PROBLEM, CsbDt(), replications=3, record=400, **RUN)
    for replication in range(3):
        played = trace(PROBLEM, CsbDt(), replication=replication, **RUN)
        assert np.array_equal(played.regret, result["CSB-DT"].paths[replication])


def test_rounds_can_be_chosen():
    full = simulate(PROBLEM, CsbSt(), replications=2, record=400, **RUN)
    few = simulate(PROBLEM, CsbSt(), replications=2, record=[1, 10, 399, 400], **RUN)
    spaced = simulate(PROBLEM, CsbSt(), replications=2, record=7, **RUN)
    assert full.rounds.tolist() == list(range(1, 401))
    for result in (few, spaced):
        assert np.array_equal(result["CSB-ST"].paths, full["CSB-ST"].paths[:, result.rounds - 1])
    assert spaced.rounds[-1] == 400
    assert spaced.rounds.size == 7


@pytest.mark.parametrize("horizon", [66_600_475, 2**53, 7, 1])
@pytest.mark.parametrize("record", [500, 49, 1])
def test_the_last_recorded_round_is_the_horizon(horizon, record):
    rounds = recorded_rounds(record, horizon)
    assert rounds[-1] == horizon
    assert rounds[0] >= 1
    assert (np.diff(rounds) > 0).all()


def test_replications_can_be_added():
    four = simulate(PROBLEM, [CsbDt(), CsbSt()], replications=4, **RUN)
    ten = simulate(PROBLEM, [CsbDt(), CsbSt()], replications=10, **RUN)
    more = extend(four, 10)
    for label in ten:
        assert np.array_equal(more[label].paths, ten[label].paths)
        assert np.array_equal(more[label].found_thresholds, ten[label].found_thresholds, equal_nan=True)
    with pytest.raises(InputError, match="replications is 4; expected more than the 4 that are there"):
        extend(four, 4)


def test_common_losses_make_paired_differences_sharp():
    one, other = Cts(thresholds=PROBLEM.thresholds, label="a"), Cts(thresholds=PROBLEM.thresholds, label="b")
    result = simulate(PROBLEM, [one, other], replications=5, **RUN)
    assert (result.compare("a", "b").paths == 0.0).all()


class CtrlC:
    """Presses Ctrl-C when so many rounds have been played."""

    def __init__(self, rounds):
        self.rounds = rounds

    def __call__(self, pending, timeout=None, return_when=concurrent.futures.ALL_COMPLETED):
        if self.rounds is not None:
            watch = next(item for item in WATCHES)
            while watch.rounds < self.rounds:
                time.sleep(0.001)
            self.rounds = None
            raise KeyboardInterrupt
        return concurrent.futures.wait(pending, timeout, return_when)


WATCHES = []


class Watch(module.Watch):
    def __init__(self):
        super().__init__()
        WATCHES[:] = [self]


def test_ctrl_c_stops_at_once_and_keeps_what_is_done(monkeypatch):
    whole = simulate(PROBLEM, EqualSplit(), horizon=50_000, replications=3, seed=1, workers=1, progress=False)
    monkeypatch.setattr(module, "Watch", Watch)
    monkeypatch.setattr(module, "wait", CtrlC(rounds=130_000))
    before = set(threading.enumerate())
    with pytest.raises(SimulationInterrupted) as caught:
        simulate(
            PROBLEM, [EqualSplit()], horizon=50_000, replications=10**5, seed=1, workers=1, progress=False
        )
    kept = caught.value.result
    assert kept.replications >= 2
    assert np.array_equal(kept["Equal split"].paths[:2], whole["Equal split"].paths[:2])
    wait_until(lambda: set(threading.enumerate()) <= before)


def test_ctrl_c_before_anything_is_done_is_just_that(monkeypatch):
    monkeypatch.setattr(module, "Watch", Watch)
    monkeypatch.setattr(module, "wait", CtrlC(rounds=1))
    with pytest.raises(KeyboardInterrupt) as caught:
        simulate(PROBLEM, EqualSplit(), horizon=10**9, replications=2, seed=1, progress=False)
    assert not isinstance(caught.value, SimulationInterrupted)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0}, "horizon is 0; expected a whole number of at least 1"),
        ({"horizon": 2.5}, "horizon is 2.5"),
        ({"replications": 0}, "replications is 0"),
        ({"seed": -1}, "seed is -1; expected a whole number of at least 0"),
        ({"workers": 0}, "workers is 0"),
        ({"horizon": 10**20}, "horizon is 1000.*; expected a whole number of at least 1 and at most"),
        ({"policies": 5}, "policies contains 5"),
        ({"policies": CsbDt}, "policies contains <class"),
        ({"record": 2.5}, "record is 2.5"),
        ({"policies": []}, "policies is empty"),
        ({"policies": ["csb-dt"]}, "policies contains 'csb-dt'; expected policies only"),
        (
            {"policies": [CsbDt(), CsbDt(gamma=0.1)]},
            "two policies are labelled 'CSB-DT'; give one of them label=",
        ),
        ({"problem": "paper-1"}, "problem is 'paper-1'; expected a Problem"),
        ({"record": [5, 2]}, r"record is \[5, 2\]; expected increasing rounds up to the horizon, 10"),
        ({"record": 0}, "record is 0"),
        ({"policies": Cts()}, "CTS has no thresholds"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"problem": PROBLEM, "policies": EqualSplit(), "horizon": 10, "replications": 1, "seed": 1}
    with pytest.raises(InputError, match=message):
        simulate(**{**arguments, **change})


@pytest.mark.parametrize("replications", [1, 99, 100, 1000])
def test_blocks_of_a_job_are_about_equal(replications):
    """A much smaller last block would leave the other workers idle."""
    size = module.Crew.of(2, None).block_size(replications, horizon=10_000, arms=20)
    blocks = -(-replications // size)
    assert replications - (blocks - 1) * size > size - blocks


def test_many_points_are_played_in_fewer_larger_blocks():
    alone, one_of_many = (module.Crew.of(2, None, points).block_size(100, 1000, 20) for points in (1, 34))
    assert (alone, one_of_many) == (13, 100)
