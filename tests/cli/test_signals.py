"""Real signals: what is finished is kept, whatever arrives, and a run goes on from there."""

import re
import signal
import time

import numpy as np
import pytest

from allotment import CsbSt, Problem, RandomSplit, Result, simulate
from allotment.system.interrupts import TOGETHER_SECONDS
from running import OFTEN, PATIENCE_SECONDS, UNHURRIED, at_a_terminal, started, wait_for
from running import allotment as command

pytestmark = pytest.mark.usefixtures("compiled")
RUN = ("simulate", "paper-2", "-p", "csb-st", "-p", "random-split", "--horizon", 20_000, "--seed", 4)
SIGNALS = {
    "one": ([signal.SIGINT], 130),
    "two": ([signal.SIGINT] * 2, 130),
    "SIGTERM": ([signal.SIGTERM], 143),
    "SIGHUP": ([signal.SIGHUP], 129),
    "ten": ([signal.SIGINT] * 10, 130),
}


def same_as_through(out):
    """Whether a file holds what a run without interruption gives, bit for bit."""
    found = Result.load(out)
    policies, count = [CsbSt(), RandomSplit()], found.replications
    whole = simulate(Problem.named("paper-2"), policies, horizon=20_000, replications=count, seed=4)
    return all(
        np.array_equal(getattr(found[label], name), getattr(whole[label], name), equal_nan=True)
        for label in whole
        for name in ("paths", "search_rounds", "found_thresholds")
        if getattr(whole[label], name) is not None
    )


@pytest.mark.parametrize(("signals", "code"), SIGNALS.values(), ids=SIGNALS)
def test_what_is_finished_is_kept_and_gone_on_from(allotment, tmp_path, signals, code):
    out = tmp_path / "run.npz"
    with started(*command(*RUN, "--replications", 10**5, "--out", out, before=OFTEN)) as process:
        wait_for(out.exists, process)  # it is written as the run goes
        for each in signals:
            process.send_signal(each)
            time.sleep(0.0005)
        shown, said = process.communicate()
    assert process.returncode == code
    kept = Result.load(out).replications
    assert f"After 20000 rounds, {kept} replications, seed 4." in shown
    assert said == (
        f"allotment: interrupted; {kept} of 100000 replications are complete, and kept in {out}; "
        "the same command goes on from there\n"
    )
    answer = allotment(*RUN, "--replications", kept + 3, "--out", out)
    assert (answer.code, Result.load(out).replications) == (0, kept + 3)
    assert answer.err == f"{out} holds {kept} of {kept + 3} replications already; going on from there\n"
    assert same_as_through(out)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_nor_does_a_kill_lose_what_was_written(allotment, tmp_path):
    out = tmp_path / "run.npz"
    with started(*command(*RUN, "--replications", 10**5, "--out", out, before=OFTEN)) as process:
        wait_for(out.exists, process)
        process.kill()
        process.communicate()
    kept = Result.load(out).replications
    assert allotment(*RUN, "--replications", kept + 1, "--out", out).code == 0
    assert same_as_through(out)


SCRIPT = """
import allotment as al
try:
    al.simulate(al.Problem.named("paper-2"), al.CsbSt(), horizon=20_000, replications=10**5, seed=4)
except al.SimulationInterrupted as interrupted:
    interrupted.result.save("kept.npz")
    print("kept", interrupted.result.replications)
"""
TELLS = """
import os, allotment.simulation.partial_run as partial
first = partial.PartialRun.add
def add(self, *played):
    first(self, *played)
    os.write(1, b"played\\n")
partial.PartialRun.add = add
"""


@pytest.mark.parametrize("signals", [SIGNALS["two"][0], SIGNALS["SIGTERM"][0]], ids=["two", "SIGTERM"])
def test_a_script_of_ones_own_keeps_what_it_wants(tmp_path, signals):
    with started("-c", UNHURRIED + TELLS + SCRIPT, cwd=tmp_path) as process:
        assert process.stdout.readline() == "played\n"
        for each in signals:
            process.send_signal(each)
            time.sleep(0.0005)
        shown, said = process.communicate()
    assert (process.returncode, said) == (0, "")
    kept = Result.load(tmp_path / "kept.npz").replications
    assert shown.endswith(f"kept {kept}\n")


def test_a_later_interrupt_leaves_at_once(tmp_path):
    stuck = (
        "import time, allotment.system.interrupts, allotment.simulation.result as result\n"
        "allotment.system.interrupts.TOGETHER_SECONDS = 0.1\n"
        "result.Result.save = lambda *_: (print('saving', flush=True), time.sleep(600))\n"
    )
    run = command(*RUN, "--replications", 10**5, "--out", tmp_path / "run.npz", before=TELLS + stuck)
    with started(*run) as process:
        assert process.stdout.readline() == "played\n"
        process.send_signal(signal.SIGINT)
        while process.stdout.readline() != "saving\n":
            assert process.poll() is None
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert (process.returncode, said) == (130, "allotment: interrupted\n")


def test_a_terminal_that_is_gone_ends_a_run_as_a_signal_does(tmp_path):
    """Its bar is drawn there, and cannot be any more."""
    out = tmp_path / "run.npz"
    drawn = "import allotment.simulation.progress as progress; progress.QUIET_SECONDS = 0.0\n"
    run = command(*RUN, "--replications", 10**5, "--out", out, before=drawn + OFTEN)
    with at_a_terminal(*run) as terminal:
        assert terminal.shown_until("simulating")
        wait_for(lambda: terminal.shown() and out.exists(), terminal.process)
        terminal.close()
        assert terminal.process.wait(PATIENCE_SECONDS) == 129
    assert same_as_through(out)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


LOOPS = """
import os, time, allotment.simulation.job as job
def play(block, watch=None):
    os.write(1, b"looping\\n")  # two policies say it at once; print would mix their lines
    while True:
        time.sleep(0.01)
job.Block.play = play
"""


def test_a_policy_that_never_comes_back_ends_at_the_first_interrupt(tmp_path):
    run = ("simulate", "paper-2", "-p", "equal-split", "-p", "random-split", "--horizon", 5)
    with started(*command(*run, "--out", tmp_path / "run.npz", before=LOOPS)) as process:
        assert process.stdout.readline() == "looping\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    assert said == "allotment: interrupted; no replication was complete\n"
    assert not list(tmp_path.iterdir())


def test_or_a_script_of_ones_own_says_that_another_is_needed():
    with started("-c", LOOPS + SCRIPT) as process:
        assert process.stdout.readline() == "looping\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == (
            "CSB-ST did not stop; when your program ends, press Ctrl-C again to leave it\n"
        )
        time.sleep(TOGETHER_SECONDS)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    ("module", "number", "code"),
    [("typer", signal.SIGINT, 130), ("numpy", signal.SIGTERM, 143), ("numba", signal.SIGINT, 130)],
)
def test_an_interrupt_while_importing_shows_no_traceback(module, number, code):
    """Python reports every import, those within a package first: so we know when one is going on."""
    with started("-X", "importtime", "-m", "allotment", *map(str, RUN)) as process:
        for line in process.stderr:
            if re.search(rf"\| +{module}\.", line):
                break
        process.send_signal(number)
        _, rest = process.communicate()
    said = [line for line in rest.splitlines() if not line.startswith("import time:")]
    assert said == ["allotment: interrupted"]
    assert process.returncode == code
