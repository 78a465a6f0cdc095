"""Run policies against a problem, many times, on as many cores as there are."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import whole
from allotment.errors import ClusterError, ConflictError, InputError, SimulationInterrupted, shown
from allotment.interrupts import interrupts
from allotment.policy import Policy
from allotment.simulation.job import Crew, Job
from allotment.simulation.partial_run import PartialRun
from allotment.simulation.progress import Progress
from allotment.simulation.result import Result
from allotment.simulation.run_memory import refuse_large_record, refuse_large_run
from allotment.simulation.warming import compile_missing
from allotment.worlds.world import World, checked_world

RECORDED = 500  # rounds at which regret is kept, unless told otherwise


def simulate(
    problem: World,
    policies: Policy | Iterable[Policy],
    *,
    horizon: int,
    replications: int,
    seed: int,
    workers: int | None = None,
    executor: Executor | None = None,
    record: int | Sequence[int] = RECORDED,
    progress: bool = True,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Result:
    """Play every policy for `horizon` rounds, `replications` times, all against the same losses.

    `problem` is a Problem, one that is Changing, or any other World. Every allocation is checked: a policy
    that grants what may not be granted ends the run with an InfeasibleError.

    What a policy sees and draws depends on the seed and the number of the replication alone, so the numbers
    do not change with `workers` (threads, one per core by default), with `executor` (a Cluster, or any other
    concurrent.futures executor), or with the other policies in the run. Regret is kept at `record` evenly
    spaced rounds, or at the rounds listed. On a terminal, `progress` shows a bar after two seconds.

    Ctrl-C, SIGTERM and SIGHUP raise SimulationInterrupted, whose `result` holds the complete replications.
    `out` is a file (.npz) that the run is written to every minute and at its end. If it is there and holds
    the same run, only the replications that it lacks are played; any other file is replaced with `overwrite`
    only.

    >>> from allotment.policies.equal_split import EqualSplit
    >>> from allotment.worlds.problem import Problem
    >>> problem = Problem([0.5, 0.5], thresholds=1.0, budget=1.0)
    >>> result = simulate(problem, EqualSplit(), horizon=100, replications=3, seed=1)
    >>> result["Equal split"].final.tolist()
    [50.0, 50.0, 50.0]
    """
    job = Job(
        checked_world(problem),
        checked_policies(policies),
        whole("horizon", horizon, least=1),
        whole("seed", seed, least=0),
        recorded_rounds(record, horizon),
    )
    replications = whole("replications", replications, least=1)
    crew = Crew.of(workers, executor)
    refuse_large_run([job], replications, crew)
    partial = PartialRun.going_on(job, replications, crew, out, overwrite=overwrite, progress=progress)
    return _go_on(partial, progress)


def extend(
    result: Result,
    replications: int,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool = True,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Result:
    """The same run with more replications, `replications` in all; those that are there are kept.

    If they were made with other versions of what numbers depend on, a VersionWarning says so. `out` and
    `overwrite` are as in `simulate`; `out` may be the file that the result is from.
    """
    if not isinstance(result, Result):
        raise InputError.of("result", result, "a Result")
    done = result.replications
    if whole("replications", replications, least=1) <= done:
        raise ConflictError.of("replications", replications, f"more than the {done} that are there")
    job = Job(result.problem, result.policies, result.horizon, result.seed, result.rounds)
    crew = Crew.of(workers, executor)
    refuse_large_run([job], replications, crew)
    partial = PartialRun.going_on(
        job, replications, crew, out, overwrite=overwrite, progress=progress, before=result
    )
    return _go_on(partial, progress)


def _go_on(partial: PartialRun, progress: bool) -> Result:
    """Play what is left; keep what is complete, whatever happens."""
    with interrupts() as arrived:
        try:
            compile_missing([partial.job] if partial.left else [], progress=progress)
            with Progress(partial.left * partial.job.horizon, shown=progress) as bar:
                partial.crew.play(partial.blocks(), partial.add, bar)
        except KeyboardInterrupt:
            arrived.note()
        except ClusterError:  # the work is fine, and may be finished another day
            with arrived.held():
                partial.save_meanwhile()
            raise
        with arrived.held():
            result = partial.saved_result()
        if result is None:
            raise KeyboardInterrupt
        if arrived.asked:
            raise SimulationInterrupted(result)
    return result


def checked_policies(policies: Policy | Iterable[Policy]) -> tuple[Policy, ...]:
    """At least one policy, each with a label of its own."""
    listed = tuple(policies) if isinstance(policies, Iterable) else (policies,)
    if not listed:
        raise InputError("policies is empty", "at least one policy", what="policies", value=())
    for policy in listed:
        if not isinstance(policy, Policy):
            raise InputError(
                f"policies contains {shown(policy)}", "policies only", what="policies", value=policy
            )
    labels = [policy.label for policy in listed]
    for label in labels:
        if labels.count(label) > 1:
            raise ConflictError(
                f"two policies are labelled {shown(label)}; give one of them label=...",
                what="label",
                value=label,
            )
    return listed


def recorded_rounds(record: int | Sequence[int], horizon: int) -> IntArray:
    """The rounds at which regret is kept: so many, evenly spaced, or those listed."""
    if not isinstance(record, Sequence | np.ndarray):
        count = min(whole("record", record, least=1), horizon)
        refuse_large_record(count)
        return np.array([-(-k * horizon // count) for k in range(1, count + 1)], np.int64)
    refuse_large_record(len(record))
    rounds = [whole("record", each, least=1) for each in record]
    if not rounds or rounds != sorted(set(rounds)) or rounds[-1] != horizon:
        raise InputError.of("record", list(record), f"increasing rounds up to the horizon, {horizon}")
    return np.array(rounds, np.int64)
