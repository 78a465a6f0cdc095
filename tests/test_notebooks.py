"""Runs cells in a notebook's kernel, and looks at what is shown below them."""

import base64
import io
import subprocess
import sys
from pathlib import Path

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from allotment.simulation.progress import in_notebook

ROOT = Path(__file__).parent.parent


def shown(folder, *cells):
    """What each cell shows, by type, standard error aside."""
    book = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(book, timeout=300, kernel_name="python3", resources=where).execute()
    outputs = [[each for each in cell.outputs if each.get("name") != "stderr"] for cell in book.cells]
    assert all(len(each) <= 1 for each in outputs), "something is shown twice"
    return [dict(each[0].data) if each else {} for each in outputs]


def test_what_is_on_a_last_line_shows_itself(tmp_path):
    start, figure, result, problem, policy, trace, posterior, selection, own, after_pyplot = shown(
        tmp_path,
        "import allotment as al\n"
        "problem = al.Problem([0.5, 0.4], 0.6, 0.6, names=['<Dock>', 'Gate'])\n"
        "policies = [al.EqualSplit(), al.RandomSplit()]\n"
        "result = al.simulate(problem, policies, horizon=50, replications=5, seed=0)",
        "result.plot(width=4)",
        "result",
        "problem",
        "policies[0]",
        "al.trace(problem, policies[1], horizon=20, seed=0)",
        "al.Posterior.on_grid(0.25).after(0.25, losses=1)",
        "al.knapsack([1.0, 2.0], [1.0, 1.0], 1.0)",
        "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\nresult.plot(axes);",
        "result.plot(width=4)",
    )
    assert start == {}
    assert Image.open(io.BytesIO(base64.b64decode(figure["image/png"]))).size[0] == 4 * 192
    for rich in (result, problem, trace, posterior):
        assert "<img" in rich["text/html"]
    assert "<td" in result["text/html"]
    assert "&lt;Dock&gt;" in problem["text/html"]
    assert "<Dock>" not in problem["text/html"]
    assert "Equal split" in policy["text/html"]
    assert "proved to be the best" in selection["text/html"]
    assert selection["text/plain"] == "<Selection of 1 of 2 items: value 2, weight 1, proved>"
    assert "image/png" in own  # by pyplot, once
    assert "image/png" in after_pyplot


def test_a_progress_bar_shows_and_leaves_nothing_behind(tmp_path):
    bar, empty = shown(
        tmp_path,
        "from allotment.simulation import progress\n"
        "progress.QUIET_SECONDS = progress.NOTEBOOK_SECONDS = 0.0\n"
        "seen = []\n"
        "bar = progress.Progress(4, text='trying')\n"
        "with bar:\n"
        "    bar.set(1)\n"
        "    handle = bar._bar._handle\n"
        "    update, handle.update = handle.update, lambda content, **how: seen.append(content) or "
        "update(content, **how)\n"
        "    bar.set(3)",
        "seen",
    )
    assert bar == {"text/html": "", "text/plain": ""}
    assert "75%, about 0 s left" in empty["text/plain"]
    assert "<progress value=" in empty["text/plain"]


def test_elsewhere_there_is_no_notebook():
    assert not in_notebook()


def test_the_page_shows_what_a_run_shows():
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "update-notebook", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
