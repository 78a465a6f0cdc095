"""Files that visitors download leave nothing behind: sent, aborted, or after a crash."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from allotment.web.files import passing
from allotment.web.files.downloads import BLOCK, download
from allotment.web.files.passing import passing_folder, remove_left_over

SCOPE = {"type": "http", "method": "GET", "headers": []}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The folder of this process, anew."""
    monkeypatch.setattr(passing, "_own_folder", lambda: tmp_path)
    return tmp_path


def made():
    return download(lambda path: path.write_bytes(b"x" * 3 * BLOCK), "a.csv", "text/csv")


async def nothing():
    await asyncio.Event().wait()


def sent_to_the_end(answer, version, receive, send):
    """Send an answer in a thread of its own: this one may have the loop that drives a browser."""
    with ThreadPoolExecutor(1) as other:
        scope = SCOPE | {"asgi": {"spec_version": version}}
        other.submit(asyncio.run, answer(scope, receive, send)).result()


def test_a_file_that_was_sent_is_gone(own):
    sent = []

    async def send(message):
        sent.append(message.get("body", b""))

    answer = made()
    assert len(list(own.iterdir())) == 1
    sent_to_the_end(answer, "2.3", nothing, send)
    assert len(b"".join(sent)) == 3 * BLOCK
    assert not list(own.iterdir())


@pytest.mark.parametrize("version", ["2.3", "2.4"])
def test_so_is_one_whose_visitor_went_away(own, version):
    """Servers say so by a message, or by an error when more is sent."""
    gone, kept = asyncio.Event(), []

    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        if message["type"] == "http.response.body":
            gone.set()
            if version == "2.4":
                raise OSError("the connection is closed")
            await asyncio.Event().wait()

    answer = made()
    kept.append(answer.body_iterator)  # as whatever remembers the answer would
    try:
        sent_to_the_end(answer, version, receive, send)
    except Exception as error:
        assert version == "2.4", error
    assert not list(own.iterdir())


def test_what_a_killed_process_left_goes_and_what_is_in_use_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(passing.tempfile, "tempdir", str(tmp_path))
    program = (
        "import time\n"
        "from allotment.web.files.passing import passing_folder\n"
        "folder = passing_folder()\n"
        "print(folder.name, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as begun:
        folder = begun.stdout.readline().strip()
        (tmp_path / f"{passing.PREFIX}begun").mkdir()
        os.utime(tmp_path / f"{passing.PREFIX}begun", (time.time(), time.time()))  # by the clock of this test
        remove_left_over()
        stays = Path(folder).is_dir()
        assert (tmp_path / f"{passing.PREFIX}begun").exists()  # somebody may be making it
        begun.send_signal(signal.SIGKILL)
    assert stays
    hours_ago = time.time() - 2 * passing.BEGINNING
    os.utime(tmp_path / f"{passing.PREFIX}begun", (hours_ago, hours_ago))
    remove_left_over()
    assert not list(tmp_path.iterdir())


def test_a_process_that_ends_leaves_nothing(tmp_path):
    program = "from allotment.web.files.passing import passing_folder\nkept = passing_folder()\n"
    subprocess.run([sys.executable, "-c", program], env=os.environ | {"TMPDIR": str(tmp_path)}, check=True)
    assert not list(tmp_path.iterdir())


def test_folders_are_private(own):
    with passing_folder() as folder:
        assert Path(folder).stat().st_mode & 0o777 == 0o700
