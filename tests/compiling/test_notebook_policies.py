"""Policies that are written in the cells of a notebook, executed as notebooks are."""

import nbclient
import nbformat
import pytest

POLICY = """
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import allotment as al


class Shares(NamedTuple):
    budget: float
    losses: np.ndarray


@dataclass(frozen=True)
class Proportional(al.Policy):
    def state(self, setting):
        return Shares(setting.budget, np.zeros(setting.arms))


@al.tell.register
def _tell(state: Shares, allocation, losses):
    state.losses[:] += losses
"""
ASK = """
@al.ask.register
def _ask(state: Shares, rng, allocation):
    wanted = state.losses + 1.0
    allocation[:] = np.minimum(1.0, state.budget * {share})
"""
RUN = """
problem = al.Problem.named("paper-2")
result = al.simulate(problem, Proportional(), horizon=50, replications=2, seed=1, progress=False)
print(result["Proportional"].final.round(3).tolist())
"""


@pytest.fixture(scope="module")
def outputs():
    """What each cell shows, run one after the other in one kernel."""
    cells = [
        POLICY,
        ASK.format(share="wanted / wanted.sum()"),
        "al.check_policy(Proportional())",
        RUN,
        ASK.format(share="0.0 / wanted.sum()"),  # the kernel is written anew, its state is not
        RUN,
        ASK.format(share="wanted.summ()"),
        RUN,
        "@al.ask.register\ndef _ask(state: Shares, rng, allocation):\n    allocation[allocation.size] = 1.0",
        RUN,
        "print('alive')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", allow_errors=True).execute()
    shown = []
    for cell in notebook.cells:
        texts = [each.get("text") or f"{each.get('ename')}: {each.get('evalue')}" for each in cell.outputs]
        shown.append("".join(texts))
    return shown


def test_it_can_be_checked_but_for_a_fresh_process(outputs):
    assert outputs[:2] == ["", ""]
    assert "Proportional is defined in a notebook" in outputs[2]
    assert "Error" not in outputs[2]


def test_it_runs_and_a_kernel_written_anew_takes_effect(outputs):
    assert outputs[3].startswith("[")
    assert outputs[5].startswith("[")
    assert outputs[5] != outputs[3]


def test_errors_name_the_cell_and_the_line(outputs):
    assert "KernelError: Proportional: cell In[7], line 4, `" in outputs[7]
    assert (
        "KernelIndexError: Proportional: cell In[9], line 3, `allocation[allocation.size] = 1.0`"
        in outputs[9]
    )


def test_and_the_kernel_lives_on(outputs):
    assert outputs[10] == "alive\n"
