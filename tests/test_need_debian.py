"""`tools/need-debian`: what it does where something is missing, with a stand-in for apt-get."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "need-debian"


def run(tmp_path, needed, apt_get=None, user="0"):
    """Run the script with a PATH of its own: the exit code, what it says, and how apt-get was called."""
    for name, content in (("id", f"echo {user}"), ("apt-get", apt_get)):
        if content is not None:
            program = tmp_path / name
            program.write_text(f'#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> "$0.log"\n{content}\n')
            program.chmod(stat.S_IRWXU)
    for name in ("sh", "touch", "chmod", "echo"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    command = [SCRIPT, needed, "browser", "fonts"]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    log = tmp_path / "apt-get.log"
    return done.returncode, done.stderr, log.read_text().splitlines() if log.exists() else []


def installing(program):
    return f'case "$*" in *install*) touch "{program}"; chmod +x "{program}";; esac'


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
class TestNeedDebian:
    @pytest.fixture(params=["its name", "its path", "a pattern"])
    def needed(self, request, tmp_path):
        """The program `browser`, as the script may be told of it."""
        paths = {"its name": "browser", "its path": tmp_path / "browser", "a pattern": tmp_path / "bro*er"}
        return str(paths[request.param])

    def test_it_installs_what_is_missing_and_asks_nothing(self, tmp_path, needed):
        code, said, calls = run(tmp_path, needed, installing(tmp_path / "browser"))
        assert (code, said) == (0, "")
        assert [call.split()[:2] for call in calls] == [
            ["noninteractive", "update"],
            ["noninteractive", "install"],
        ]
        assert calls[1].endswith("--no-install-recommends browser fonts")

    def test_what_is_there_is_left_alone(self, tmp_path, needed):
        (tmp_path / "browser").touch(stat.S_IRWXU)
        assert run(tmp_path, needed, installing(tmp_path / "browser")) == (0, "", [])

    def test_lists_that_cannot_be_updated_do_not_stop_it(self, tmp_path, needed):
        stale = f'case "$*" in *update*) exit 100;; esac\n{installing(tmp_path / "browser")}'
        code, said, calls = run(tmp_path, needed, stale)
        assert code == 0 and "apt-get update failed" in said and len(calls) == 2

    @pytest.mark.parametrize(
        ("apt_get", "user", "sentence"),
        [
            (None, "0", "install Debian's browser fonts first"),
            ("exit 0", "1000", "install Debian's browser fonts first"),
            ("exit 100", "0", "apt-get could not install Debian's browser fonts"),
            ("exit 0", "0", "Debian's browser fonts did not bring it"),
        ],
    )
    def test_otherwise_it_says_what_is_missing_and_the_tests_run(
        self, tmp_path, needed, apt_get, user, sentence
    ):
        code, said, _ = run(tmp_path, needed, apt_get, user)
        assert code == 0 and said.splitlines()[-1] == f"the tests need {needed}; {sentence}"
