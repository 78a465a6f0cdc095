"""Checks whole runs: feasible, and the same whenever and wherever they run."""

import json
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from allotment.compiling.user_kernels import developing, is_ours
from allotment.errors import AllotmentError, InfeasibleError
from allotment.policies.base.catalogue import classes_from_outside, describe, find_policy, restore
from allotment.policies.base.policy import Policy
from allotment.policies.random_split import RandomSplit
from allotment.simulation.rollout import Run
from allotment.simulation.simulate import simulate
from allotment.simulation.trace import Trace, trace
from allotment.system.processes import run_elsewhere
from allotment.testing.common import (
    ROUNDS,
    SEED,
    SMALL,
    ContractError,
    MakePolicy,
    awkward_problems,
    require_equal,
    require_same,
    start_small,
    world_for,
)
from allotment.worlds.problem import Problem

RECORDED = ("allocations", "losses", "regret")  # what a trace holds of a run
UNCOMPILED = "the uncompiled run"


def check_kernels(make: MakePolicy) -> None:
    """Numba takes its kernels, and run as Python they touch nothing beyond the end of an array.

    So it comes before all that is compiled. Both are said as a KernelError, which names the line; the second
    is an IndexError too. The package's own kernels were compiled before.
    """
    for problem in awkward_problems():
        policy = make(problem)
        if not is_ours(Run(world_for(policy, problem), policy, ROUNDS, SEED, 0).learner.state):
            with developing():
                check_feasible_on(problem, policy, rounds=ROUNDS if problem is SMALL else 100)


def check_feasible(make: MakePolicy) -> None:
    """Every allocation is finite, each grant between 0 and 1, and their sum within the budget."""
    for problem in awkward_problems():
        check_feasible_on(problem, make(problem), rounds=300)


def check_feasible_on(problem: Problem, policy: Policy, rounds: int) -> None:
    """The same on one problem; it is the simulator that looks."""
    try:
        trace(world_for(policy, problem), policy, horizon=rounds, seed=SEED)
    except InfeasibleError as error:
        raise ContractError(str(error)) from None


def check_repeatable(make: MakePolicy) -> None:
    """The same seed gives the same run: again, in pieces, and beside other policies."""
    policy = make(SMALL)
    world, once = world_for(policy, SMALL), _replay(policy)
    require_same(policy, once, _replay(policy), "the same run again")
    rounds, whole = np.arange(1, ROUNDS + 1), np.zeros(ROUNDS)
    run = Run(world, policy, ROUNDS, SEED, 0)
    for last in (1, 2, 300, 301, ROUNDS):
        run.advance(last, rounds, whole)
    require_equal(policy, once.regret, whole, "the same run in pieces")
    several, paths = Run(world, policy, ROUNDS, SEED, range(3)), np.zeros((3, ROUNDS))
    several.play(3 * ROUNDS, rounds, paths)
    other = RandomSplit(label="company")
    settings: dict[str, Any] = {"horizon": ROUNDS, "seed": SEED, "record": ROUNDS, "progress": False}
    alone = simulate(world, policy, replications=3, workers=1, **settings)[policy.label].paths
    beside = simulate(world, [other, policy], replications=5, workers=2, **settings)[policy.label].paths
    require_equal(policy, alone, beside[:3], "the same run beside another policy")
    require_equal(policy, once.regret, alone[0], "the simulator's first replication")
    played = len(several.replications)  # 1 if its state cannot be started again
    require_equal(policy, alone[:played], paths[:played], "the same replications one after the other")


def check_interactive(make: MakePolicy) -> None:
    """Asked and told round by round, it does what it does in the simulator; asking twice changes nothing."""
    policy = make(SMALL)
    world, expected = world_for(policy, SMALL), _replay(policy)
    learner = start_small(policy)
    for t in range(ROUNDS):
        learner.allocation[:] = np.nan
        situation = world.situation_in(t + 1)
        grants = learner.ask(situation)
        if np.isnan(grants).any():
            raise ContractError(
                f"{policy.label} left allocation[{int(np.isnan(grants).argmax())}] unwritten in round {t + 1}"
                "; expected its ask kernel to write every grant into `allocation`, and not to return it"
            )
        require_equal(policy, expected.allocations[t], grants, f"the simulator's allocation in round {t + 1}")
        again = learner.ask(situation)
        require_equal(policy, grants, again, f"the same answer when asked twice in round {t + 1}")
        learner.tell(expected.losses[t])


def check_fresh_process(make: MakePolicy) -> None:
    """A new process gives the same run."""
    policy = make(SMALL)
    if _can_be_found(policy):
        check_elsewhere([policy])
    else:
        warnings.warn(
            f"{policy.label} is defined in a notebook or a script, where no other process finds it; its run "
            "in a fresh process is not checked: put it into a module for that",
            stacklevel=3,
        )


def check_uncompiled(make: MakePolicy) -> None:
    """Plain Python gives the same run, bit for bit."""
    policy = make(SMALL)
    if _can_be_found(policy):
        check_elsewhere([policy], compiled=False)
    else:
        with developing():
            plain = _replay(policy)
        require_same(policy, _replay(policy), plain, UNCOMPILED)


def check_elsewhere(policies: Sequence[Policy], *, compiled: bool = True) -> None:
    """One new process, compiled or as plain Python, gives the same run of each of several policies."""
    variables = {} if compiled else {"NUMBA_DISABLE_JIT": "1"}
    what = "the run of a fresh process" if compiled else UNCOMPILED
    for policy, played in zip(policies, _replay_elsewhere(policies, **variables), strict=True):
        require_same(policy, _replay(policy), played, what)


def _can_be_found(policy: Policy) -> bool:
    """Whether another process can import it, unlike what was typed into a notebook."""
    return all(kind.__module__ != "__main__" for kind in classes_from_outside(policy))


def _names_outside(policy: Policy) -> list[str]:
    """How another process finds the classes of a policy that do not belong to the package."""
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in classes_from_outside(policy)]


def _replay(policy: Policy) -> Trace:
    return trace(world_for(policy, SMALL), policy, horizon=ROUNDS, seed=SEED)


def _replay_elsewhere(policies: Sequence[Policy], **environment: str) -> list[Trace]:
    """The same traces, made by another process that knows the policies by their descriptions only."""
    described = [[describe(policy), _names_outside(policy)] for policy in policies]
    program = "from allotment.testing.runs import print_replays; print_replays()"
    try:
        played = json.loads(run_elsewhere(program, json.dumps(described), **environment))
    except AllotmentError as error:
        labels = ", ".join(policy.label for policy in policies)
        raise ContractError(f"{labels} did not run in a fresh process: {error}") from None
    return [
        Trace(SMALL, policy, *(np.array(content[name]) for name in RECORDED))
        for policy, content in zip(policies, played, strict=True)
    ]


def print_replays() -> None:
    """The other side of `_replay_elsewhere`: reads descriptions, prints the traces as JSON."""
    traces = [
        _replay(restore(description, [find_policy(name) for name in outside]))
        for description, outside in json.load(sys.stdin)
    ]
    print(json.dumps([{name: getattr(each, name).tolist() for name in RECORDED} for each in traces]))
