"""A cluster of real processes on this machine: a Dask scheduler, and workers with one thread each."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

LOG = "COUNTED_BLOCKS"  # the variable that names the file in which workers write down what they do
# What Dask does for its dashboard, all the time: the cluster waits for most of the tests.
QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}


class Running(NamedTuple):
    """A cluster's address, its processes, and the file in which workers write what they do."""

    address: str
    scheduler: subprocess.Popen
    workers: list[subprocess.Popen]
    log: Path
    start_worker: Callable[[], subprocess.Popen]

    def fill_up(self, count=2):
        """Start workers until there are so many."""
        self.workers[:] = [each for each in self.workers if each.poll() is None]
        while len(self.workers) < count:
            self.workers.append(self.start_worker())

    def noted(self):
        """What workers have done so far: [what, process, further details]."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


def _started(*arguments, **variables):
    path = os.pathsep.join(each for each in sys.path if each)
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *map(str, arguments)],
        env={**os.environ, **QUIET, "PYTHONPATH": path, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def running_cluster(folder, workers=2, counting=True):
    """A scheduler and workers, which end with the block; ports are chosen freely."""
    about, log, started = Path(folder) / "scheduler.json", Path(folder) / "log", []
    here = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", about)
    preload = ("--preload", Path(__file__).with_name("counting_worker.py")) if counting else ()

    def start_worker():
        options = ("--nthreads", 1, "--no-nanny", "--local-directory", folder, *preload)
        started.append(_started("worker", *here, *options, **{LOG: str(log)}))
        return started[-1]

    try:
        scheduler = _started("scheduler", "--port", 0, *here)
        started.append(scheduler)
        while not about.exists():
            assert scheduler.poll() is None, "the scheduler has ended"
            time.sleep(0.05)
        address = json.loads(about.read_text())["address"]
        running = Running(address, scheduler, [], log, start_worker)
        running.fill_up(workers)
        yield running
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
