"""Installs what is shipped into empty environments, far from the checkout, and runs what README shows."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from pages import blocks, commands

ROOT = Path(__file__).parent.parent
HERE = ("PYTHONPATH", "VIRTUAL_ENV")  # what would lead back to the checkout
OUTSIDE = {name: value for name, value in os.environ.items() if name not in HERE}


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, env=OUTSIDE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The wheel and the source archive, by kind."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, folder=ROOT)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_what_is_shipped_runs_what_readme_shows(shipped, kind, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / "bin"
    python, here = programs / "python", tmp_path / "here"
    here.mkdir()
    quiet = ("--quiet", "--disable-pip-version-check")
    run(python, "-m", "pip", "install", *quiet, f"{shipped[kind]}[plots,frames]", folder=here)
    where = run(python, "-c", "import allotment; print(allotment.__file__)", folder=here)
    assert Path(where.strip()).is_relative_to(tmp_path)
    shown = blocks(ROOT / "README.md")
    for command, *arguments in (
        each for language, code in shown if language == "sh" for each in commands(code)
    ):
        assert run(programs / command, *arguments, folder=here)
    program = "\n".join(code for language, code in shown if language == "python")
    run(python, "-c", program, folder=here)
    assert (here / "run.npz").exists()
