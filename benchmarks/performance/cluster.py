"""A sweep of 200 points on a cluster of two workers, beside two processes; and how fast it hands out."""

import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, wait
from importlib.metadata import version
from pathlib import Path

from growth import seconds
from machine import about

import allotment as al

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from clusters import running_cluster

GRID = [{"problem": "random", "arms": 5, "seed": {"from": 1, "to": 100}}]
POLICIES = ["csb-st", "random-split"]
RUN = {"horizon": 10_000, "replications": 50, "seed": 1, "record": 10, "progress": False}
TASKS = 1000


def measure(passes, command):
    """How many times as long the cluster takes, and how many blocks a second it hands out."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_cluster(folder, counting=False) as running,
        al.Cluster(running.address) as cluster,
        ProcessPoolExecutor(2) as processes,
    ):
        while cluster.present < 2:
            time.sleep(0.05)
        crews = {"processes": processes, "cluster": cluster}
        frames = [al.sweep(GRID, POLICIES, executor=crew, **RUN) for crew in crews.values()]  # warms up
        passed = [
            {name: seconds(lambda crew=crew: _sweep(crew), time.perf_counter) for name, crew in crews.items()}
            for _ in range(passes)
        ]
        handed_out = [TASKS / seconds(lambda: _hand_out(cluster), time.perf_counter) for _ in range(passes)]
    return {
        "about": about(command, passes, distributed=version("distributed")),
        "points": len(frames[0][["problem", "policy"]].drop_duplicates()),
        "same": bool(frames[0].equals(frames[1])),
        "seconds": {name: statistics.median(each[name] for each in passed) for name in crews},
        "times": statistics.median(each["cluster"] / each["processes"] for each in passed),
        "handed_out": statistics.median(handed_out),
    }


def _sweep(crew):
    al.sweep(GRID, POLICIES, executor=crew, **RUN)


def _hand_out(cluster):
    """Tasks that do nothing."""
    wait([cluster.submit(int) for _ in range(TASKS)])
