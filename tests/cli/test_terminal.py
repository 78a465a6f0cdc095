"""What a person at a terminal sees: a real one, made with a pseudo-terminal."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from running import PATIENCE_SECONDS, UNHURRIED, hears_interrupts
from running import allotment as command

pytestmark = pytest.mark.usefixtures("compiled")
LONG_RUN = ("simulate", "paper-1", "-p", "equal-split", "--replications", "100000")


def start(arguments):
    main, worker = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *command(*arguments, before=UNHURRIED)],
        stdout=worker,
        stderr=worker,
        start_new_session=True,
        preexec_fn=hears_interrupts,
    )
    os.close(worker)
    return process, main


def read_until(main, pattern):
    text, deadline = "", time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and not re.search(pattern, text):
        if select.select([main], [], [], 0.2)[0]:
            try:
                text += os.read(main, 65536).decode(errors="replace")
            except OSError:
                break
    return text


def test_a_long_run_shows_progress_and_ctrl_c_keeps_what_is_done():
    process, main = start(LONG_RUN)
    try:
        assert re.search(r"simulating.*\d+ %", read_until(main, r"simulating.*\d+ %"))
        os.kill(process.pid, signal.SIGINT)
        rest = re.sub(r"\x1b\[[0-9;]*m", "", read_until(main, "interrupted"))
        assert re.search(r"After 10000 rounds, \d+ replications", rest)
        assert process.wait(PATIENCE_SECONDS) == 130
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(main)


def test_a_sweep_shows_how_far_it_is_and_the_time_left(tmp_path):
    grid = {"problems": ["paper-1", "paper-2"], "policies": ["equal-split", "random-split"]}
    grid |= {"horizon": 10_000, "replications": 50_000, "seed": 1}
    (tmp_path / "grid.json").write_text(json.dumps(grid))
    process, main = start(("sweep", str(tmp_path / "grid.json"), "--out", str(tmp_path / "r.parquet")))
    try:
        line = r"sweeping, 0 of 4 points.*\d+ %.*\d:\d\d:\d\d.*left"
        assert re.search(line, read_until(main, line))
        os.kill(process.pid, signal.SIGINT)
        assert "no point is finished" in read_until(main, "interrupted; .*there")
        assert process.wait(PATIENCE_SECONDS) == 130
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(main)


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
