"""Problems and error messages that the checks share."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from allotment.errors import AllotmentError, InputError
from allotment.policies.base.learner import Learner
from allotment.policies.base.policy import Policy
from allotment.simulation.trace import Trace
from allotment.worlds.problem import Problem
from allotment.worlds.situations import Situations

MakePolicy = Callable[[Problem], Policy]
SEED = 20191208
SMALL = Problem([0.9, 0.6, 0.4], [0.5, 0.3, 0.7], 1.1, severities=[1.0, 2.0, 1.5])
ROUNDS = 1000  # long enough for a threshold search on the small problem, and what follows


class ContractError(AllotmentError, AssertionError):
    """A policy, or a world, does not do what every one must."""


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


def world_for(policy: Policy, problem: Problem) -> Problem | Situations:
    """The problem; for a policy that uses situations, a world in which each moves the loss rates on."""
    if not policy.accepts.situations:
        return problem
    problems = [
        Problem(
            np.roll(problem.loss_rates, situation),
            problem.thresholds,
            problem.budget,
            severities=problem.severities,
        )
        for situation in range(policy.situations)
    ]
    return Situations(problems, calendar=range(policy.situations))


def start_small(policy: Policy, **options: Any) -> Learner:
    """A learner for the small problem."""
    return policy.start(
        SMALL.arms, SMALL.budget, seed=SEED, severities=SMALL.severities, horizon=ROUNDS, **options
    )


def policy_maker(policy: Policy | type[Policy] | MakePolicy) -> MakePolicy:
    """A function that gives the policy to check on a problem."""
    if isinstance(policy, Policy):
        return lambda problem: policy
    return cast(type[Policy], policy).for_problem if isinstance(policy, type) else policy


def require_same(policy: Policy, expected: Trace, seen: Trace, what: str) -> None:
    """Two runs must be the same."""
    require_equal(policy, expected.allocations, seen.allocations, what)
    require_equal(policy, expected.regret, seen.regret, what)


def require_equal(policy: Policy, expected: Any, seen: Any, what: str) -> None:
    """Numbers must be the same."""
    if not np.array_equal(expected, seen):
        raise ContractError(f"{policy.label} gave other numbers; expected {what}")


def require_refusal(policy: Policy, what: str, action: Callable[[], Any]) -> None:
    """An action must end in an InputError."""
    try:
        action()
    except InputError:
        return
    except Exception as error:
        raise ContractError(
            f"{policy.label} answered {what} with {type(error).__name__}; expected an InputError"
        ) from error
    raise ContractError(f"{policy.label} accepted {what}; expected an InputError")
