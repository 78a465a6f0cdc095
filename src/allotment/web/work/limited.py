"""Programs in a process of their own, with limits on memory, time and bytes written.

A program reads what to do from its standard input, as JSON. A question that takes more memory
than was thought breaks a process that has nothing to lose. It ends with the server: when the other end of its
standard input is gone, nobody waits for it any more.
"""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from allotment.errors import AllotmentError
from allotment.system.processes import same_imports

# Exit codes: the last line of the standard error is an error of ours as JSON; a limit was reached.
BAD_INPUT, EXHAUSTED = 2, 3
FULL = (errno.ENOMEM, errno.EFBIG)  # errors of the operating system at a limit
OUT_OF_MEMORY = (b"out of memory", b"bad_alloc")  # what compiled libraries print before they abort
LONGEST_COMPLAINT = 10_000  # bytes of the standard error in the server's log
LOAD_BYTES = 3 * 2**29  # data that libraries and compiled code may take beside the work


class ExhaustedError(Exception):
    """A program reached one of its limits."""


class FailedProcessError(Exception):
    """A program failed. What it printed is for the server's log alone."""


def run_limited(
    program: str, asked: Mapping[str, Any], *, seconds: float, memory: float, written: int
) -> None:
    """Run a program, and raise the error of ours that it raises.

    ExhaustedError if it reaches a limit; FailedProcessError if it fails in another way.
    """
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
            with suppress(BrokenPipeError):  # it has failed already, and says why
                stdin.write(json.dumps({"limits": limits, **asked}).encode() + b"\n")
                stdin.flush()
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        except BaseException:
            process.kill()
            raise
        reading.join()
    said = b"".join(complaints)
    if process.returncode == BAD_INPUT:
        raise _error_in(said.decode("utf-8", "replace"))
    if _is_at_limit(process.returncode, said):
        raise ExhaustedError
    if process.returncode != 0:
        printed = said[-LONGEST_COMPLAINT:].decode("utf-8", "replace")
        raise FailedProcessError(f"a process of the gate ended with {process.returncode}:\n{printed}")


def _is_at_limit(code: int, said: bytes) -> bool:
    """Whether a process ended at a limit. Linux kills it at the limit of time, or if memory runs out."""
    if code == -signal.SIGABRT:
        return any(each in said for each in OUT_OF_MEMORY)
    return code == EXHAUSTED or code in (-getattr(signal, each, 0) for each in ("SIGKILL", "SIGXCPU"))


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
    except MemoryError:
        sys.exit(EXHAUSTED)
    except OSError as error:
        if error.errno not in FULL:
            raise
        sys.exit(EXHAUSTED)


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
