"""A fork server: it imports allotment once and runs each command in a child with limits. Run as a program.

Each line of its standard input is a request, each line of its standard output the answer, both in JSON.
A request names the child's folder and what to run: `arguments` of the command line, or a `program` in Python.
"""

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

SECONDS = 60  # wall time, after which the server kills the child
CPU_SECONDS = 10
MEMORY = 2**30  # bytes of address space beyond what the server itself has
FILE_SIZE = 2**28
PR_SET_CHILD_SUBREAPER = 36
CAPABILITIES_VERSION = 0x20080522
OVERRIDES = (1 << 1) | (1 << 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, which ignore permissions
COMMAND_LINE = "import sys; sys.argv[0] = 'allotment'; from allotment.cli import main; main()"
OPTIONAL = (
    "alembic.command",
    "openpyxl",
    "pandas",
    "pyarrow.parquet",
    "rich.console",
    "rich.table",
    "sqlalchemy.dialects.sqlite",
)  # what commands import on the way


def load(everything):
    """Import what commands import, so that children need not."""
    import allotment

    if everything:
        for found in pkgutil.walk_packages(allotment.__path__, "allotment."):
            if not found.name.endswith("__main__") and ".migrations" not in found.name:
                importlib.import_module(found.name)
        for name in OPTIONAL:
            importlib.import_module(name)
        from allotment.cli.app import app

        with suppress(allotment.AllotmentError):
            app(["arms", os.devnull], standalone_mode=False)
    else:
        importlib.import_module("numba.core.caching")


def address_space():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def give_up_overrides():
    """Let permissions bind the superuser too."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        header, data = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
        libc.capget(header, data)
        data[0] &= ~OVERRIDES  # effective
        libc.capset(header, data)


def enter(request):
    """Become the process that the request describes."""
    os.setsid()
    folder = Path(request["folder"])
    os.chdir(folder / "work")
    for number, name in ((0, "in"), (1, "out"), (2, "err")):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        opened = os.open(os.devnull if number == 0 else folder / name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.update(request["environment"])
    tempfile.tempdir = None
    limits = {
        resource.RLIMIT_AS: address_space() + MEMORY,
        resource.RLIMIT_CPU: CPU_SECONDS,
        resource.RLIMIT_FSIZE: FILE_SIZE,
        resource.RLIMIT_CORE: 0,
    }
    for limit, most in limits.items():
        resource.setrlimit(limit, (most, most))
    give_up_overrides()


def work(request):
    """Run the command or program, and end as an interpreter ends: whatever is raised goes to the top."""
    enter(request)
    program, arguments = request["program"] or COMMAND_LINE, request["arguments"]
    if request["fresh"]:
        os.execve(sys.executable, [sys.executable, "-P", "-c", program, *arguments], os.environ)
    sys.argv = ["allotment", *arguments]
    exec(program, {"__name__": "__main__"})
    sys.exit()


def others():
    """Processes that the child left behind; they belong to the server now, as their subreaper."""
    pid = os.getpid()
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def answer(request):
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        work(request)
    watched = os.pidfd_open(pid)
    in_time = bool(select.select([watched], [], [], SECONDS)[0])
    os.close(watched)
    if not in_time:
        os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    left = []
    for other in others():
        left.append(Path(f"/proc/{other}/cmdline").read_bytes().decode(errors="replace")[:200])
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)
    return {
        "code": os.waitstatus_to_exitcode(status) if in_time else None,
        "seconds": round(time.monotonic() - started, 3),
        "peak": usage.ru_maxrss * 1024,
        "left": left,
    }


def main():
    load(everything=sys.argv[1] == "plain")
    gc.freeze()  # so that children neither look at what is loaded nor copy it
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
