"""Installs the wheel and the sdist of `make dist` into empty environments, and runs README there."""

import os
import subprocess
import venv
from pathlib import Path

import pytest

from pages import blocks, commands, save_tables

ROOT = Path(__file__).parent.parent
HERE = ("PYTHONPATH", "VIRTUAL_ENV")  # what would lead back to the checkout
OUTSIDE = {name: value for name, value in os.environ.items() if name not in HERE}


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, env=OUTSIDE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_what_is_shipped_runs_what_readme_shows_in_an_empty_environment(kind, tmp_path):
    (shipped,) = (ROOT / "dist").glob(kind)
    venv.create(tmp_path / "env", with_pip=True)
    programs, here = tmp_path / "env" / "bin", tmp_path / "here"
    quiet = ("--quiet", "--disable-pip-version-check")
    run(programs / "python", "-m", "pip", "install", *quiet, f"{shipped}[plots,frames]", folder=tmp_path)
    here.mkdir()
    where = run(programs / "python", "-c", "import allotment; print(allotment.__file__)", folder=here)
    assert Path(where.strip()).is_relative_to(tmp_path)
    save_tables(ROOT / "README.md", here)
    shown = blocks(ROOT / "README.md")
    called = [each for language, code in shown if language == "sh" for each in commands(code)]
    assert {"new", "ask", "sheet", "tell", "simulate"} <= {words[1] for words in called}
    for program, *arguments in called:
        assert run(programs / program, *arguments, folder=here)
    assert (here / "sheet.html").exists() and (here / "regret.pdf").exists()
    program = "\n".join(code for language, code in shown if language == "python")
    run(programs / "python", "-c", program, folder=here)
    assert (here / "run.npz").exists()
