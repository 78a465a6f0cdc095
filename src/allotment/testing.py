"""Checks that a policy keeps the contract: for the package's own policies and for yours.

    from allotment.testing import check_policy
    check_policy(MyPolicy(patience=3))

Each check raises ContractError, with what was expected and what was seen. They run the policy for real: in
the simulator and through ask and tell, compiled and not, here and in fresh processes.
"""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from functools import partial
from typing import Any, cast

import numpy as np

from allotment.catalogue import classes_from_outside, describe, find_policy, restore
from allotment.errors import AllotmentError, InputError
from allotment.policies.random_split import RandomSplit
from allotment.policy import Policy
from allotment.simulation.rollout import Run
from allotment.simulation.simulate import simulate
from allotment.simulation.trace import Trace, trace
from allotment.streams import policy_stream
from allotment.worlds.feasibility import feasible
from allotment.worlds.problem import Problem

MakePolicy = Callable[[Problem], Policy]
SEED = 20191208
SMALL = Problem([0.9, 0.6, 0.4], [0.5, 0.3, 0.7], 1.1, severities=[1.0, 2.0, 1.5])
ROUNDS = 1000  # long enough for a threshold search on the small problem, and what follows


class ContractError(AllotmentError, AssertionError):
    """A policy does not do what every policy must."""


def awkward_problems() -> list[Problem]:
    """Problems at the edges: one arm, no budget, too little, too much, sure losses and none, ties."""
    return [
        SMALL,
        Problem([0.5], 1.0, 0.5),
        Problem([0.5, 0.5], 0.5, 0.0),
        Problem([0.3, 0.8, 0.8], [0.9, 1.0, 0.2], 0.15),
        Problem([0.3, 0.8], 1.0, 2.0),
        Problem([0.3, 0.8], 0.4, 50.0),
        Problem([0.0, 1.0, 0.0, 1.0], [0.7, 0.7, 0.6, 0.7], 2.0),
        Problem([0.2] * 5, 0.7, 2.1, severities=[1, 2, 3, 4, 5]),
        Problem.random(12, seed=5, thresholds="clustered"),
    ]


def check_policy(policy: Policy | type[Policy] | MakePolicy) -> None:
    """Run all checks; a class stands for its default parameters, a function for one policy per problem."""
    make = policy_maker(policy)
    for check in CHECKS:
        check(make)


def policy_maker(policy: Policy | type[Policy] | MakePolicy) -> MakePolicy:
    """A function that gives the policy to check on a problem."""
    if isinstance(policy, Policy):
        return lambda problem: policy
    return cast(type[Policy], policy).for_problem if isinstance(policy, type) else policy


def check_feasible(make: MakePolicy) -> None:
    """Every allocation is finite, each grant between 0 and 1, and their sum within the budget."""
    for problem in awkward_problems():
        check_feasible_on(problem, make(problem), rounds=300)


def check_feasible_on(problem: Problem, policy: Policy, rounds: int) -> None:
    """The same on one problem."""
    allocations = trace(problem, policy, horizon=rounds, seed=SEED).allocations
    for t, grants in enumerate(allocations, start=1):
        try:
            feasible(grants, problem.arms, problem.budget)
        except InputError as error:
            raise ContractError(f"{policy.label} in round {t}: {error}") from None


def check_repeatable(make: MakePolicy) -> None:
    """The same seed gives the same run: again, in pieces, and beside other policies."""
    policy = make(SMALL)
    once = _replay(policy)
    _require_same(policy, once, _replay(policy), "the same run again")
    rounds, whole = np.arange(1, ROUNDS + 1), np.zeros(ROUNDS)
    run = Run(SMALL, policy, ROUNDS, SEED, 0)
    for last in (1, 2, 300, 301, ROUNDS):
        run.advance(last, rounds, whole)
    _require_equal(policy, once.regret, whole, "the same run in pieces")
    other = RandomSplit(label="company")
    settings: dict[str, Any] = {"horizon": ROUNDS, "seed": SEED, "record": ROUNDS, "progress": False}
    alone = simulate(SMALL, policy, replications=3, workers=1, **settings)[policy.label].paths
    beside = simulate(SMALL, [other, policy], replications=5, workers=2, **settings)[policy.label].paths
    _require_equal(policy, alone, beside[:3], "the same run beside another policy")
    _require_equal(policy, once.regret, alone[0], "the simulator's first replication")


def check_interactive(make: MakePolicy) -> None:
    """Asked and told round by round, it does what it does in the simulator; asking twice changes nothing."""
    policy = make(SMALL)
    expected = _replay(policy)
    stream = policy_stream(SEED, replication=0)
    learner = policy.start(SMALL.arms, SMALL.budget, seed=stream, severities=SMALL.severities, horizon=ROUNDS)
    for t in range(ROUNDS):
        grants = learner.ask()
        _require_equal(
            policy, expected.allocations[t], grants, f"the simulator's allocation in round {t + 1}"
        )
        _require_equal(policy, grants, learner.ask(), f"the same answer when asked twice in round {t + 1}")
        learner.tell(expected.losses[t])


def check_fresh_process(make: MakePolicy) -> None:
    """A new process gives the same run."""
    policy = make(SMALL)
    _require_same(policy, _replay(policy), _replay_elsewhere(policy), "the run of a fresh process")


def check_uncompiled(make: MakePolicy) -> None:
    """Plain Python gives the same run, bit for bit."""
    policy = make(SMALL)
    plain = _replay_elsewhere(policy, NUMBA_DISABLE_JIT="1")
    _require_same(policy, _replay(policy), plain, "the uncompiled run")


def check_description(make: MakePolicy) -> None:
    """It is frozen, comparable, and survives JSON and pickling."""
    policy = make(SMALL)
    if policy != make(SMALL):
        raise ContractError(
            f"{policy.label} differs from itself made anew; expected equal parameters to compare"
        )
    try:
        setattr(policy, fields(policy)[0].name, None)
    except FrozenInstanceError:
        pass
    else:
        raise ContractError(f"{policy.label} can be changed; expected a frozen dataclass")
    try:
        described = json.loads(json.dumps(describe(policy)))
        copies = [
            restore(described, classes_from_outside(policy)),
            pickle.loads(pickle.dumps(policy)),
        ]
    except (TypeError, ValueError, AttributeError, pickle.PicklingError) as error:
        raise ContractError(f"{policy.label} cannot be described as plain data: {error}") from None
    for copy in copies:
        if copy != policy or copy.label != policy.label:
            raise ContractError(f"{policy.label} came back as {copy}; expected {policy}")


def check_bad_input(make: MakePolicy) -> None:
    """What cannot be used is refused with an InputError."""
    policy = make(SMALL)
    bad: Any
    for bad in ((0, 1.0), (-1, 1.0), (2.5, 1.0), (3, -1.0), (3, np.nan), (3, np.inf), (3, "x")):
        _require_refusal(policy, f"start{bad}", partial(policy.start, *bad, seed=SEED))
    odd: Any
    for odd in (-1, 1.5, None, "x"):
        _require_refusal(policy, f"seed={odd!r}", partial(policy.start, SMALL.arms, SMALL.budget, seed=odd))
    learner = policy.start(SMALL.arms, SMALL.budget, seed=SEED, horizon=ROUNDS)
    _require_refusal(policy, "tell before ask", lambda: learner.tell([0, 0, 0]))
    learner.ask()
    told: Any
    for told in ([0, 0], [0, 0, 0, 0], [0, 0, np.nan], [0, -1, 0], "abc", [[0, 0, 0]], None):
        _require_refusal(policy, f"tell({told})", partial(learner.tell, told))
    learner.tell([0] * SMALL.arms)


CHECKS: tuple[Callable[[MakePolicy], None], ...] = (
    check_feasible,
    check_repeatable,
    check_interactive,
    check_description,
    check_bad_input,
    check_fresh_process,
    check_uncompiled,
)


def _replay(policy: Policy) -> Trace:
    return trace(SMALL, policy, horizon=ROUNDS, seed=SEED)


def _replay_elsewhere(policy: Policy, **environment: str) -> Trace:
    """The same trace, made by another process that knows the policy by its description only."""
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        **environment,
    }
    outside = [f"{kind.__module__}.{kind.__qualname__}" for kind in classes_from_outside(policy)]
    program = "from allotment.testing import print_replay; print_replay()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps([describe(policy), outside]),
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        raise ContractError(f"{policy.label} did not run in a fresh process: {reason}")
    content = json.loads(done.stdout)
    return Trace(*(np.array(content[name]) for name in ("allocations", "losses", "regret")))


def print_replay() -> None:
    """The other side of `_replay_elsewhere`: reads a description, prints the trace as JSON."""
    description, outside = json.load(sys.stdin)
    played = _replay(restore(description, [find_policy(name) for name in outside]))
    print(json.dumps({name: value.tolist() for name, value in vars(played).items()}))


def _require_same(policy: Policy, expected: Trace, seen: Trace, what: str) -> None:
    _require_equal(policy, expected.allocations, seen.allocations, what)
    _require_equal(policy, expected.regret, seen.regret, what)


def _require_equal(policy: Policy, expected: Any, seen: Any, what: str) -> None:
    if not np.array_equal(expected, seen):
        raise ContractError(f"{policy.label} gave other numbers; expected {what}")


def _require_refusal(policy: Policy, what: str, action: Callable[[], Any]) -> None:
    try:
        action()
    except InputError:
        return
    except Exception as error:
        raise ContractError(
            f"{policy.label} answered {what} with {type(error).__name__}; expected an InputError"
        ) from error
    raise ContractError(f"{policy.label} accepted {what}; expected an InputError")
