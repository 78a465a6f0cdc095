"""Programs in a process of their own, with limits on memory, time and bytes written.

A program reads what to do from its standard input, as JSON. A question that takes more memory
than was thought breaks a process that has nothing to lose. It ends with the server: when the other end of its
standard input is gone, nobody waits for it any more.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from allotment.errors import AllotmentError
from allotment.system.processes import same_imports

BAD_INPUT = 2  # exit code: the last line of the standard error is an error of ours, as JSON
LOAD_BYTES = 3 * 2**29  # data that libraries and compiled code may take beside the work


class ExhaustedError(Exception):
    """A program reached one of its limits."""


def run_limited(
    program: str, asked: Mapping[str, Any], *, seconds: float, memory: float, written: int
) -> None:
    """Run a program, and raise the error that it raises; ExhaustedError if it ends in another way."""
    limits = {"cpu": int(seconds), "memory": int(memory) + LOAD_BYTES, "written": written}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=same_imports(),
    )
    stdin, stderr = process.stdin, process.stderr
    assert stdin is not None and stderr is not None
    complaints: list[bytes] = []
    with process:
        reading = threading.Thread(target=lambda: complaints.append(stderr.read()), daemon=True)
        reading.start()
        try:
            stdin.write(json.dumps({"limits": limits, **asked}).encode() + b"\n")
            stdin.flush()
            process.wait(seconds)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            process.kill()
        except BaseException:
            process.kill()
            raise
        reading.join()
    if process.returncode == BAD_INPUT:
        raise _error_in(b"".join(complaints).decode("utf-8", "replace"))
    if process.returncode != 0:
        raise ExhaustedError


def run_here(jobs: Mapping[str, Callable[..., None]]) -> None:
    """The inside of such a program: take on its limits, and do one job."""
    asked = json.loads(sys.stdin.readline())
    _limit(**asked.pop("limits"))
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    try:
        jobs[asked.pop("job")](**asked)
    except AllotmentError as error:
        parts = {"kind": type(error).__name__, "said": str(error), "what": error.what}
        print(json.dumps(parts), file=sys.stderr)
        sys.exit(BAD_INPUT)


def _end_with_the_server() -> None:
    sys.stdin.read()
    os._exit(1)


def _limit(cpu: int, memory: int, written: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, written),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _error_in(said: str) -> AllotmentError:
    """The error that a program printed last."""
    from allotment import errors

    parts = json.loads(said.strip().splitlines()[-1])
    kind: type[AllotmentError] = getattr(errors, parts["kind"], AllotmentError)
    return kind(parts["said"], what=parts["what"])
