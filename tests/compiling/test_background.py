"""Compiling in the background: once, without a terminal, and whatever happens to it nothing is broken."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from allotment.compiling import background
from allotment.compiling.background import NICENESS, compile_and_mark, compile_in_background, mark_in
from running import wait_until

MARK = "made-up.compiled"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(background, "home", lambda: folder)
    monkeypatch.setattr(background, "NICENESS", 0)  # of this process, which has other tests to run
    monkeypatch.delenv(background.VARIABLE)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    return folder


def program(cache, line):
    """A program that runs a line under the lock of this cache."""
    return (
        f"import os, sys, time; from pathlib import Path; from allotment.compiling import background\n"
        f"background.home = lambda: Path({str(cache)!r})\n"
        f"background.compile_and_mark(lambda: {line}, {MARK!r})"
    )


def others(text="background"):
    """Processes below this one that run a program with this text; servers of other tests are there, too."""
    found = []
    for each in psutil.Process().children():
        with suppress(psutil.Error):  # it may end meanwhile
            if each.status() != psutil.STATUS_ZOMBIE and text in " ".join(each.cmdline()):
                found.append(each)
    return found


def test_it_runs_apart_and_leaves_a_mark(cache):
    told = "Path('told').write_text(f'{os.getsid(0) == os.getpid()} {os.nice(0)} {os.isatty(0)}')"
    compile_in_background(program(cache, told), MARK)
    wait_until(mark_in(cache, MARK).exists)
    assert (cache / "told").read_text() == f"True {os.nice(0) + NICENESS} False"
    wait_until(lambda: not others())
    (cache / "told").unlink()
    compile_in_background(program(cache, told), MARK)  # it is done already
    assert not others()


def test_one_at_a_time(cache):
    begun = "(Path('begun').touch(), time.sleep(600))"
    compile_in_background(program(cache, begun), MARK)
    wait_until((cache / "begun").exists)
    (running,) = others()
    compile_in_background(program(cache, begun), MARK)
    assert others() == [running]
    compile_and_mark(lambda: pytest.fail("somebody else does it"), MARK)
    running.send_signal(signal.SIGKILL)
    wait_until(lambda: not others())
    assert not mark_in(cache, MARK).exists()
    done = []

    def is_done():
        compile_and_mark(lambda: done.append(os.nice(0)), MARK)
        return done

    wait_until(is_done)  # a dead process holds no lock, once the kernel has closed its files
    assert mark_in(cache, MARK).exists()


def test_the_mark_is_that_of_the_code_of_now(cache, monkeypatch):
    compile_and_mark(lambda: None, MARK)
    monkeypatch.setattr(background, "digest_of_all", lambda: "another")
    assert not mark_in(cache, MARK).exists()


def test_what_fails_leaves_no_mark_and_no_lock(cache):
    with pytest.raises(ZeroDivisionError):
        compile_and_mark(lambda: 1 / 0, MARK)
    assert not mark_in(cache, MARK).exists()
    compile_and_mark(lambda: None, MARK)
    assert mark_in(cache, MARK).exists()


def test_without_a_cache_or_when_switched_off_nothing_is_started(cache, monkeypatch):
    for name, value in ((background.VARIABLE, "0"), ("NUMBA_DISABLE_JIT", "1")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            compile_in_background("raise SystemExit", MARK)
    monkeypatch.setattr(background, "home", lambda: None)
    compile_in_background("raise SystemExit", MARK)
    compile_and_mark(lambda: pytest.fail("there is no cache"), MARK)
    assert not others("SystemExit")


def test_a_planted_module_is_not_imported(cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("allotment.py").write_text("open('planted', 'w')")
    compile_in_background(program(cache, "None"), MARK)
    wait_until(mark_in(cache, MARK).exists)
    assert not Path("planted").exists()
    assert not (cache / "planted").exists()


def test_new_begins_to_compile_and_a_kill_harms_no_later_command(tmp_path):
    (tmp_path / "zones.csv").write_text("name,most\nDock,2\nGate,2\n")
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), background.VARIABLE: "1"}

    def allotment(*arguments):
        command = [sys.executable, "-m", "allotment", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
        )

    allotment("new", "night.db", "--places", "zones.csv", "--budget", "2", "--unit", "1")
    wait_until(lambda: list(tmp_path.glob("cache/allotment/*/background.lock")))
    (mine,) = [each for each in psutil.process_iter() if _compiles_for(each, tmp_path / "cache")]
    mine.kill()
    variables[background.VARIABLE] = "0"
    asked = allotment("ask", "night.db", "--json")
    assert '"Dock"' in asked.stdout
    assert asked.stderr == ""


def _compiles_for(process, cache):
    with suppress(psutil.Error):  # it may end meanwhile, or be another user's
        told = process.environ().get("NUMBA_CACHE_DIR")
        return told == str(cache) and "compile_now" in " ".join(process.cmdline())
    return False
