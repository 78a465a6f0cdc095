"""What a person at a terminal sees: a real one, made with a pseudo-terminal."""

import json
import re
import signal
import subprocess
import sys

import pytest

from running import PATIENCE_SECONDS, UNHURRIED, at_a_terminal
from running import allotment as command

pytestmark = pytest.mark.usefixtures("compiled")
LONG_RUN = ("simulate", "paper-1", "-p", "equal-split", "--replications", "100000")


def test_a_long_run_shows_progress_and_ctrl_c_keeps_what_is_done():
    with at_a_terminal(*command(*LONG_RUN, before=UNHURRIED)) as terminal:
        terminal.shown_until(r"simulating.*\d+ %")
        terminal.process.send_signal(signal.SIGINT)
        rest = re.sub(r"\x1b\[[0-9;]*m", "", terminal.shown_until("interrupted"))
        assert re.search(r"After 10000 rounds, \d+ replications", rest)
        assert terminal.process.wait(PATIENCE_SECONDS) == 130


def test_a_sweep_shows_how_far_it_is_and_the_time_left(tmp_path):
    grid = {"problems": ["paper-1", "paper-2"], "policies": ["equal-split", "random-split"]}
    grid |= {"horizon": 10_000, "replications": 50_000, "seed": 1}
    (tmp_path / "grid.json").write_text(json.dumps(grid))
    sweep = ("sweep", tmp_path / "grid.json", "--out", tmp_path / "r.parquet")
    with at_a_terminal(*command(*sweep, before=UNHURRIED)) as terminal:
        terminal.shown_until(r"sweeping, 0 of 4 points.*\d+ %.*\d:\d\d:\d\d.*left")
        terminal.process.send_signal(signal.SIGINT)
        assert "no point is finished" in terminal.shown_until(r"interrupted; (.|\s)*there")
        assert terminal.process.wait(PATIENCE_SECONDS) == 130


def test_there_is_no_bar_where_nobody_looks():
    arguments = [sys.executable, "-m", "allotment", *LONG_RUN[:-1], "2000"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "2000 replications" in done.stdout


RUN = ["simulate", "paper-2", "-p", "equal-split", "--horizon", "9", "--replications", "2"]
HEAVY = "numba", "scipy", "matplotlib"
NOT_FOR_A_RUN = "scipy.linalg", "numba.np.linalg", "pandas", "matplotlib", "allotment.policies.joint"


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [(["--version"], HEAVY), (["--help"], HEAVY), (["problem", "nowhere"], HEAVY), (RUN, NOT_FOR_A_RUN)],
    ids=str,
)
def test_a_command_loads_only_what_it_needs(arguments, unused):
    program = (
        "import sys, atexit\n"
        f"atexit.register(lambda: print([m for m in {unused} if m in sys.modules]))\n"
        f"sys.argv = ['allotment', *{arguments}]\n"
        "from allotment.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]"
