"""Us and others at the same game, in turns on one core."""

import json
import os
import statistics
import subprocess
from pathlib import Path

from environments import NotInstalledError, python_of
from machine import about

SCRIPTS = Path(__file__).parents[1] / "peers"
PEERS = {
    "numpy": "NumPy, vectorised over replications",
    "jax": "JAX on the CPU, vectorised and compiled",
    "smpybandits": "SMPyBandits",
    "river": "River",
    "mabwiser": "MABWiser",
}
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Player:
    """A process that plays when it is told to."""

    def __init__(self, name, core, game=None):
        path = os.environ.get("PYTHONPATH", "") if name == "allotment" else ""
        self._process = subprocess.Popen(
            [python_of(name), SCRIPTS / f"with_{name}.py"]
            if game is None
            else [python_of(name), SCRIPTS / f"games_with_{name}.py", game],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "PYTHONPATH": path},
            preexec_fn=lambda: stay_on(core),
        )
        try:
            self.about = self._answer()
        except BaseException:
            self.leave()
            raise

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise NotInstalledError("it is installed, but does not run")
        return json.loads(line)

    def play(self):
        """A pass: microseconds for a round of one replication, and the mean regret."""
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        answer = self._answer()
        rounds = self.about["replications"] * self.about["rounds"]
        return 1e6 * answer["seconds"] / rounds, answer["regret"]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.leave()

    def leave(self):
        """End the process."""
        self._process.kill()
        self._process.communicate()


def stay_on(core):
    """Keep a process and all its threads on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def a_core():
    """A core to play on."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0


def measure(passes, command):
    """A row for each peer: what a round costs it, and how many times as much that is as ours."""
    core = a_core()
    players, rows = {}, {}
    try:
        for name in ("allotment", *PEERS):
            try:
                players[name] = Player(name, core)
            except NotInstalledError as error:
                rows[name] = {"name": PEERS[name], "missing": str(error)}
        passed = [_one_pass(players) for _ in range(passes)]
    finally:
        for player in players.values():
            player.leave()
    for name, player in players.items():
        rows[name] = {"name": PEERS.get(name, "allotment"), **player.about, **_summary(name, passed)}
    return {"about": about(command, passes), "rows": [rows[name] for name in ("allotment", *PEERS)]}


def _one_pass(players):
    """Every peer once, and before each of them we."""
    turns = {}
    for name, player in players.items():
        ours = players["allotment"].play()
        turns[name] = (ours, ours if name == "allotment" else player.play())
    return turns


def _summary(name, passed):
    """Medians over passes; the regret shows that all play the same game."""
    return {
        "microseconds": statistics.median(turns[name][1][0] for turns in passed),
        "times": statistics.median(turns[name][1][0] / turns[name][0][0] for turns in passed),
        "regret": statistics.fmean(turns[name][1][1] for turns in passed),
    }
