"""Policies in worlds that they were not made for: refused with a sentence, or run to measure being wrong."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from allotment import (
    Changing,
    CsbDt,
    CsbSt,
    Cts,
    EqualSplit,
    Joint,
    MpTs,
    NotAcceptedError,
    NotApplicableError,
    Problem,
    RandomSplit,
    simulate,
    theory,
    trace,
)
from allotment.worlds.responses import RESPONSES

KINDS = [kind for kind in RESPONSES if kind not in ("step", "capped")]
RUN = {"horizon": 400, "replications": 2, "seed": 3}


@pytest.mark.parametrize("kind", KINDS)
def test_searches_and_joint_run_and_are_wrong(kind):
    problem = Problem.random(5, seed=1, response=kind, unit=0.05)
    result = simulate(problem, [Joint(), CsbSt(), CsbDt(), RandomSplit()], **RUN)
    for label in result:
        assert (np.diff(result[label].paths, axis=1) >= -1e-9).all()
        assert (result[label].final > 0.0).all()


def test_they_run_where_steps_leak():
    problem = Problem.random(5, seed=1, leak=0.2)
    result = simulate(
        problem, [Joint(), Joint(leak_chance=0.2, label="told"), CsbDt(), Cts.for_problem(problem)], **RUN
    )
    assert result["CTS"].contradictions.sum() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_those_that_must_be_told_thresholds_refuse(kind):
    problem = Problem.random(5, seed=1, response=kind)
    for policy in (MpTs(thresholds=0.5), Cts(thresholds=0.5)):
        message = (
            f"{policy.label} must be told thresholds: there are no thresholds here: the response is {kind}"
        )
        with pytest.raises(NotApplicableError, match=message):
            simulate(problem, policy, **RUN)
    with pytest.raises(NotApplicableError, match="there are no thresholds here"):
        Cts.for_problem(problem)


def test_finds_and_counts_are_refused_by_those_who_cannot_take_them():
    finds = Problem.random(3, seed=1, sees="finds")
    for policy in (Joint(), CsbDt(), Cts(thresholds=0.5)):
        with pytest.raises(NotAcceptedError, match=f"{policy.label} takes losses; the problem has finds"):
            simulate(finds, policy, **RUN)
    with pytest.raises(NotAcceptedError, match="takes yes or no; the problem's losses are counts"):
        simulate(Problem.random(3, seed=1, response="linear", losses="counts"), CsbDt(), **RUN)
    simulate(finds, [EqualSplit(), RandomSplit()], **RUN)


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (Problem.random(4, seed=1, response="linear"), "there are no thresholds here"),
        (Problem.random(4, seed=1, leak=0.1), "losses leak here"),
        (Problem.random(4, seed=1, unit=0.1), "amounts count in whole units here"),
        (Problem.random(4, seed=1, sees="finds"), "finds are seen, not losses here"),
        (Problem.random(4, seed=1, losses="counts"), "losses are counted here"),
        (Changing([(1, Problem.random(4, seed=1))]), "the world is not one problem for all rounds"),
    ],
)
def test_the_papers_results_are_for_the_papers_world(problem, reason):
    for result in (
        lambda: theory.lower_bound(problem, 100),
        lambda: theory.csb_st_regret(problem, 100),
        lambda: theory.csb_dt_regret(problem, 100),
        lambda: theory.csb_st_rounds(problem),
        lambda: theory.csb_dt_rounds(problem),
        lambda: theory.largest_gap(problem),
        lambda: theory.smallest_gap(problem),
        lambda: theory.regret_order(problem, 100),
        lambda: theory.allocation_equivalent(problem, 0.5),
        lambda: theory.multiple_play_bandit(problem),
        lambda: theory.combinatorial_bandit(problem),
    ):
        with pytest.raises(NotApplicableError, match=reason):
            result()
    *of_the_paper, bayesian = theory.all_bounds(problem, 100)
    assert all(reason in each.reason for each in of_the_paper)
    assert (reason in bayesian.reason) == isinstance(problem, Changing)


PLAYED = """
import json, sys
from allotment import Joint, Problem, RandomSplit, trace
for seed, (kind, sees, losses) in enumerate(json.loads(sys.argv[1])):
    problem = Problem.random(4, seed=seed, response=kind, leak=0.1, unit=0.05, sees=sees, losses=losses)
    played = trace(problem, RandomSplit(), horizon=60, seed=2)
    print(json.dumps([played.losses.tolist(), played.regret.tolist()]))
"""


def test_uncompiled_worlds_are_the_same():
    kinds = [
        ("step", "losses", "binary"),
        ("linear", "finds", "counts"),
        ("exponential", "losses", "counts"),
        ("logistic", "finds", "binary"),
    ]
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", PLAYED, json.dumps(kinds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
    for seed, (line, (kind, sees, losses)) in enumerate(zip(done.stdout.splitlines(), kinds, strict=True)):
        problem = Problem.random(4, seed=seed, response=kind, leak=0.1, unit=0.05, sees=sees, losses=losses)
        played = trace(problem, RandomSplit(), horizon=60, seed=2)
        assert json.loads(line) == [played.losses.tolist(), played.regret.tolist()]
