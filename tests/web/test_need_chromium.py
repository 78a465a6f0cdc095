"""`tools/need-chromium`: what it does where there is no browser, with a stand-in for apt-get."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "need-chromium"
INSTALLS = 'case "$*" in *install*) touch "$CHROMIUM"; chmod +x "$CHROMIUM";; esac'


def run(tmp_path, apt_get=None, user="0"):
    """Run the script with a PATH of its own: the exit code, what it says, and how apt-get was called."""
    for name, content in (("id", f"echo {user}"), ("apt-get", apt_get)):
        if content is not None:
            program = tmp_path / name
            program.write_text(f'#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> "$0.log"\n{content}\n')
            program.chmod(stat.S_IRWXU)
    for name in ("sh", "touch", "chmod", "echo"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    environment = {"PATH": str(tmp_path), "CHROMIUM": str(tmp_path / "chromium")}
    done = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=False)
    log = tmp_path / "apt-get.log"
    return done.returncode, done.stderr, log.read_text().splitlines() if log.exists() else []


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
class TestNeedChromium:
    def test_it_installs_what_is_missing_and_asks_nothing(self, tmp_path):
        code, said, calls = run(tmp_path, INSTALLS)
        assert (code, said) == (0, "")
        assert [call.split()[:2] for call in calls] == [
            ["noninteractive", "update"],
            ["noninteractive", "install"],
        ]
        assert "--no-install-recommends chromium fonts-liberation" in calls[1]

    def test_a_browser_that_is_there_is_left_alone(self, tmp_path):
        (tmp_path / "chromium").touch(stat.S_IRWXU)
        assert run(tmp_path, INSTALLS) == (0, "", [])

    def test_lists_that_cannot_be_updated_do_not_stop_it(self, tmp_path):
        code, said, calls = run(tmp_path, f'case "$*" in *update*) exit 100;; esac\n{INSTALLS}')
        assert code == 0 and "apt-get update failed" in said and len(calls) == 2

    @pytest.mark.parametrize(
        ("apt_get", "user", "sentence"),
        [
            (None, "0", "install Debian's package chromium first"),
            (INSTALLS, "1000", "install Debian's package chromium first"),
            ("exit 100", "0", "apt-get could not install"),
            ("exit 0", "0", "does not have it"),
        ],
    )
    def test_otherwise_it_says_what_is_missing_and_the_tests_run(self, tmp_path, apt_get, user, sentence):
        code, said, _ = run(tmp_path, apt_get, user)
        assert code == 0 and sentence in said.splitlines()[-1]
