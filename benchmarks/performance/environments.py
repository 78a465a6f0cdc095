"""An environment for each peer, made once under build/, which git ignores."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "benchmarks" / "peers" / "requirements"
FOLDER = ROOT / "build" / "peers"


class NotInstalledError(Exception):
    """A peer cannot be installed; the message says why."""


def python_of(peer, requirements=REQUIREMENTS, folder=FOLDER):
    """The interpreter of a peer's environment, which is made if it is not there; ours for ourselves."""
    if peer == "allotment":
        return sys.executable
    pins = requirements / f"{peer}.txt"
    home = folder / f"{peer}-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"
    python, ready = home / "bin" / "python", home / "ready"
    if not ready.exists():
        print(f"installing {peer} into an environment of its own", file=sys.stderr, flush=True)
        shutil.rmtree(home, ignore_errors=True)
        _run(ROOT / "tools" / "make-venv", home, "--requirement", pins, PYTHON=sys.executable)
        ready.touch()
    return python


def _run(*command, **variables):
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise NotInstalledError(said[0].removeprefix("ERROR: ") if said else "it gave no reason")
