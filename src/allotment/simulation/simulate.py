"""Run policies against a problem, many times, on as many cores as there are."""

import os
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import whole
from allotment.errors import ConflictError, InputError, SimulationInterrupted, VersionWarning, shown
from allotment.policy import Policy
from allotment.simulation.curve import joined
from allotment.simulation.job import Job
from allotment.simulation.result import Result
from allotment.version import versions
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
) -> Result:
    """Play every policy for `horizon` rounds, `replications` times, all against the same losses.

    `problem` is a Problem, one that is Changing, or any other World. Every allocation is checked: a policy
    that grants what may not be granted ends the run with an InfeasibleError.

    What a policy sees and draws depends on the seed and the number of the replication alone, so the numbers
    do not change with `workers` (threads, one per core by default), with `executor` (any concurrent.futures
    executor), or with the other policies in the run. Regret is kept at `record`
    evenly spaced rounds, or at the rounds listed. On a terminal, `progress` shows a bar after two seconds.
    Ctrl-C raises SimulationInterrupted, whose `result` holds the complete replications.

    >>> from allotment.policies.equal_split import EqualSplit
    >>> from allotment.worlds.problem import Problem
    >>> problem = Problem([0.5, 0.5], thresholds=1.0, budget=1.0)
    >>> result = simulate(problem, EqualSplit(), horizon=100, replications=3, seed=1)
    >>> result["Equal split"].final.tolist()
    [50.0, 50.0, 50.0]
    """
    job = Job(
        checked_world(problem),
        _checked_policies(policies),
        whole("horizon", horizon, least=1),
        whole("seed", seed, least=0),
        _recorded_rounds(record, horizon),
        workers=_checked_workers(workers),
        executor=executor,
        progress=progress,
    )
    return job.run(range(whole("replications", replications, least=1)))


def extend(
    result: Result,
    replications: int,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> Result:
    """The same run with more replications, `replications` in all; those that are there are kept.

    If they were made with other versions of what numbers depend on, a VersionWarning says so.
    """
    if not isinstance(result, Result):
        raise InputError.of("result", result, "a Result")
    done = result.replications
    if whole("replications", replications, least=1) <= done:
        raise ConflictError.of("replications", replications, f"more than the {done} that are there")
    _compare_versions(result)
    job = Job(
        result.problem,
        result.policies,
        result.horizon,
        result.seed,
        result.rounds,
        workers=_checked_workers(workers),
        executor=executor,
        progress=progress,
    )
    try:
        more = job.run(range(done, replications))
    except SimulationInterrupted as interrupted:
        raise SimulationInterrupted(_joined(result, interrupted.result)) from None
    return _joined(result, more)


def _joined(first: Result, second: Result) -> Result:
    curves = {label: joined([first[label], second[label]]) for label in first}
    both = {
        name: ", ".join(
            dict.fromkeys(each.versions[name] for each in (first, second) if name in each.versions)
        )
        for name in second.versions
    }
    return Result(first.problem, first.policies, first.horizon, first.seed, first.rounds, curves, both)


def _compare_versions(result: Result) -> None:
    """Warn if the result was made with other versions than further replications would be."""
    unknown = "an unknown version"
    differ = [
        f"{name} {result.versions.get(name, unknown)} (now {number})"
        for name, number in versions().items()
        if result.versions.get(name) != number
    ]
    if differ:
        warnings.warn(
            f"the replications that are there were made with {', '.join(differ)}; "
            f"further ones may differ from what they would have been then",
            VersionWarning,
            stacklevel=3,
        )


def _checked_policies(policies: Policy | Iterable[Policy]) -> tuple[Policy, ...]:
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


def _checked_workers(workers: int | None) -> int:
    return (os.cpu_count() or 1) if workers is None else whole("workers", workers, least=1)


def _recorded_rounds(record: int | Sequence[int], horizon: int) -> IntArray:
    if not isinstance(record, Sequence | np.ndarray):
        count = min(whole("record", record, least=1), horizon)
        return np.array([-(-k * horizon // count) for k in range(1, count + 1)], np.int64)
    rounds = [whole("record", each, least=1) for each in record]
    if not rounds or rounds != sorted(set(rounds)) or rounds[-1] != horizon:
        raise InputError.of("record", list(record), f"increasing rounds up to the horizon, {horizon}")
    return np.array(rounds, np.int64)
