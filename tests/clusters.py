"""A cluster of real processes on this machine: a Dask scheduler, and workers with one thread each."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

LOG = "COUNTED_BLOCKS"  # the variable that names the file in which workers write down what they do


class Running(NamedTuple):
    """A cluster's address, the processes of its workers, and the file in which they write what they do."""

    address: str
    scheduler: subprocess.Popen
    workers: list[subprocess.Popen]
    log: Path

    def noted(self):
        """What workers have done so far: [what, process, further details]."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


def _started(*arguments, **variables):
    path = os.pathsep.join(each for each in sys.path if each)
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def running_cluster(folder, workers=2, counting=True):
    """A scheduler and workers, which end with the block; ports are chosen freely."""
    about, log = Path(folder) / "scheduler.json", Path(folder) / "log"
    here = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", about)
    preload = ("--preload", Path(__file__).with_name("counting_worker.py")) if counting else ()
    running = [_started("scheduler", "--port", 0, *here)]
    try:
        while not about.exists():
            assert running[0].poll() is None, "the scheduler has ended"
            time.sleep(0.05)
        for _ in range(workers):
            options = ("--nthreads", 1, "--no-nanny", "--local-directory", folder, *preload)
            running.append(_started("worker", *here, *options, **{LOG: str(log)}))
        yield Running(json.loads(about.read_text())["address"], running[0], running[1:], log)
    finally:
        for process in reversed(running):
            with suppress(OSError):
                process.kill()
            process.wait()
