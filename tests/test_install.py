"""Runs what README shows far from the checkout, with what is shipped."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from pages import blocks, commands, save_tables

ROOT = Path(__file__).parent.parent
HERE = ("PYTHONPATH", "VIRTUAL_ENV")  # what would lead back to the checkout
OUTSIDE = {name: value for name, value in os.environ.items() if name not in HERE}


def run(*command, folder, **variables):
    environment = {**OUTSIDE, **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The wheel and the source archive, by kind."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, folder=ROOT)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


def run_readme(python, folder, **variables):
    """Run all that README shows with the allotment that a Python finds, which must be in this folder."""
    here = folder / "here"
    here.mkdir()
    save_tables(ROOT / "README.md", here)
    where = run(python, "-c", "import allotment; print(allotment.__file__)", folder=here, **variables)
    assert Path(where.strip()).is_relative_to(folder)
    shown = blocks(ROOT / "README.md")
    for command in (each for language, code in shown if language == "sh" for each in commands(code)):
        assert run(python, "-m", *command, folder=here, **variables)
    program = "\n".join(code for language, code in shown if language == "python")
    run(python, "-c", program, folder=here, **variables)
    assert (here / "run.npz").exists()


def test_the_wheel_runs_what_readme_shows(shipped, tmp_path):
    """The libraries are those of this environment: nothing is installed from outside."""
    with zipfile.ZipFile(shipped["wheel"]) as wheel:
        wheel.extractall(tmp_path / "unpacked")
    run_readme(sys.executable, tmp_path, PYTHONPATH=str(tmp_path / "unpacked"))


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_what_is_shipped_runs_in_an_empty_environment(shipped, kind, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / "bin"
    quiet = ("--quiet", "--disable-pip-version-check")
    install = ("-m", "pip", "install", *quiet, f"{shipped[kind]}[plots,frames]")
    run(programs / "python", *install, folder=tmp_path)
    assert run(programs / "allotment", "--version", folder=tmp_path)
    run_readme(programs / "python", tmp_path)
