"""Runs commands in the fork server, each in a folder of its own, and says what they left there."""

import hashlib
import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from running import PATIENCE_SECONDS

PROGRAM = Path(__file__).with_name("server.py")
TESTS = PROGRAM.parent.parent
FOLDERS = {"work": None, "home": "HOME", "tmp": "TMPDIR", "cache": "XDG_CACHE_HOME", "run": "XDG_RUNTIME_DIR"}
UNSET = ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE", "COLUMNS", "FORCE_COLOR", "NO_COLOR")


@dataclass(frozen=True)
class Outcome:
    """How a command ended. The code is None if it took too long, and below 0 if a signal ended it."""

    code: int | None
    out: str
    err: str
    seconds: float
    peak: int
    left: list[str]


class Server:
    """Children of one process that has imported allotment. `kind` is plain (not compiled) or compiled."""

    def __init__(self, kind):
        environment = {name: value for name, value in os.environ.items() if name not in UNSET}
        environment |= {"NUMBA_DISABLE_JIT": "1" if kind == "plain" else "0", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", PROGRAM, kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, folder, arguments=(), *, program="", fresh=False, environment=None):
        """Run one command, or a program in Python, in the folder's `work`."""
        homes = {variable: str(folder / name) for name, variable in FOLDERS.items() if variable}
        request = {
            "folder": str(folder),
            "arguments": [str(each) for each in arguments],
            "program": program,
            "fresh": fresh,
            "environment": homes | (environment or {}),
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        out, err = (
            (folder / name).read_bytes().decode("utf-8", "backslashreplace") for name in ("out", "err")
        )
        return Outcome(out=out, err=err, **answer)

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(PATIENCE_SECONDS)


def made_folder(folder):
    """An empty home, working folder, cache and folder for temporary files."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, mode=0o700)
    return folder


def contents(folder):
    """Everything in a folder, by its path: what kind of file it is, its permissions and a digest."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = (
            bytes(path.readlink())
            if path.is_symlink()
            else path.read_bytes()
            if stat.S_ISREG(about.st_mode)
            else b""
        )
        found[path.relative_to(folder).as_posix()] = (
            stat.filemode(about.st_mode),
            hashlib.sha256(content).hexdigest(),
        )
    return found
