"""Simulate policies in a world, many times, on all cores."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import whole
from allotment.errors import ClusterError, ConflictError, InputError, SimulationInterrupted, shown
from allotment.policies.base.policy import Policy
from allotment.simulation.job import Crew, Job
from allotment.simulation.partial_run import PartialRun
from allotment.simulation.progress import Progress
from allotment.simulation.result import Result
from allotment.simulation.run_memory import refuse_large_record, refuse_large_run
from allotment.simulation.warming import compile_missing
from allotment.system.interrupts import interrupts
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
    """Simulate policies in a world, many times, all against the same losses.

    The result depends on the seed and the arguments of the problem and the policies alone. The number of
    replications, workers and other policies changes nothing: replication 7 of a policy is always the same
    run.

    Parameters
    ----------
    problem : World
        A Problem, a world of several problems (Changing, Situations), or a world of your own.
    policies : Policy or iterable of Policy
        The policies, each with its own label.
    horizon : int
        The number of rounds.
    replications : int
        The number of independent runs of each policy.
    seed : int
        The seed.
    workers : int, optional
        The number of threads. One per core by default.
    executor : concurrent.futures.Executor, optional
        Where to run instead of threads: a `Cluster`, or any other executor.
    record : int or sequence of int
        The number of evenly spaced rounds at which regret is recorded, or the rounds themselves.
    progress : bool
        Show a progress bar on a terminal after two seconds.
    out : str or path, optional
        A file (.npz) to which the run is saved every minute and at its end. If it holds a part of the same
        run, only missing replications are played.
    overwrite : bool
        Replace `out` if it holds another run.

    Returns
    -------
    Result
        The regret of every policy.

    Raises
    ------
    InputError
        If a value is out of range.
    InfeasibleError
        If a policy grants more than the budget, or more than 1 to an arm.
    ConflictError
        If two policies have the same label.
    FileError
        If `out` cannot be written.
    SimulationInterrupted
        On Ctrl-C, SIGTERM or SIGHUP. Its `result` holds the complete replications.

    Examples
    --------
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
    """Add replications to a result. The replications that it has stay as they are.

    Parameters
    ----------
    result : Result
        The result to extend.
    replications : int
        The number of replications in all.
    workers, executor, progress, out, overwrite
        As in `simulate`. `out` may be the file that the result was loaded from.

    Returns
    -------
    Result
        The longer result, equal to a run of `simulate` with this number of replications.

    Raises
    ------
    ConflictError
        If the result has that many replications already.

    Warns
    -----
    VersionWarning
        If other versions of allotment, NumPy or Numba made the result.
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
    """Play the missing replications, and save the complete ones whatever happens."""
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
    """Return the policies; raise an error unless there is at least one, each with its own label."""
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
    """The rounds at which regret is recorded: a number of evenly spaced rounds, or the listed rounds."""
    if not isinstance(record, Sequence | np.ndarray):
        count = min(whole("record", record, least=1), horizon)
        refuse_large_record(count)
        return np.array([-(-k * horizon // count) for k in range(1, count + 1)], np.int64)
    refuse_large_record(len(record))
    rounds = [whole("record", each, least=1) for each in record]
    if not rounds or rounds != sorted(set(rounds)) or rounds[-1] != horizon:
        raise InputError.of("record", list(record), f"increasing rounds up to the horizon, {horizon}")
    return np.array(rounds, np.int64)
