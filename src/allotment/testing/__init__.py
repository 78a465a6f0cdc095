"""Check that a policy or a world keeps the contract, the package's own or yours.

    from allotment.testing import check_policy, check_world
    check_policy(MyPolicy(patience=3))
    check_world(MyWorld(moved=0.5))

A failed check raises ContractError, which says what was expected and what happened. A kernel that fails, or
cannot be compiled, raises KernelError with its line. The checks run the policy for real: in the simulator and
by `ask` and `tell`, as Python and compiled, here and in fresh processes.
"""

from collections.abc import Callable

from allotment.policies.base.policy import Policy
from allotment.testing.acceptance import check_accepts, check_bad_input, check_description
from allotment.testing.common import (
    ROUNDS,
    SEED,
    SMALL,
    ContractError,
    MakePolicy,
    awkward_problems,
    policy_maker,
)
from allotment.testing.runs import (
    check_elsewhere,
    check_feasible,
    check_feasible_on,
    check_fresh_process,
    check_interactive,
    check_kernels,
    check_repeatable,
    check_uncompiled,
)
from allotment.testing.situation_checks import check_situations
from allotment.testing.world_checks import WORLD_CHECKS, check_world

__all__ = [
    "CHECKS",
    "ROUNDS",
    "SEED",
    "SMALL",
    "WORLD_CHECKS",
    "ContractError",
    "awkward_problems",
    "check_accepts",
    "check_bad_input",
    "check_description",
    "check_elsewhere",
    "check_feasible",
    "check_feasible_on",
    "check_fresh_process",
    "check_interactive",
    "check_kernels",
    "check_policy",
    "check_repeatable",
    "check_situations",
    "check_uncompiled",
    "check_world",
    "policy_maker",
]

CHECKS: tuple[Callable[[MakePolicy], None], ...] = (
    check_kernels,
    check_feasible,
    check_repeatable,
    check_interactive,
    check_accepts,
    check_situations,
    check_description,
    check_bad_input,
    check_fresh_process,
    check_uncompiled,
)


def check_policy(policy: Policy | type[Policy] | MakePolicy) -> None:
    """Check that a policy keeps the contract: feasible, reproducible, and true to what it says it accepts.

    Parameters
    ----------
    policy : Policy, type or callable
        The policy. A class stands for its default parameters; a function makes a policy for each problem.

    Raises
    ------
    ContractError
        If it breaks the contract. The message says what was expected and what happened.
    KernelError
        If one of its kernels fails, or cannot be compiled.

    Examples
    --------
    >>> from allotment import EqualSplit
    >>> check_policy(EqualSplit())  # doctest: +SKIP
    """
    make = policy_maker(policy)
    for check in CHECKS:
        check(make)
