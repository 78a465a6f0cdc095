"""Checks what a policy does with situations: uses those that it declares, and ignores all others."""

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.switches import interpreting
from allotment.kernels.protocol import enter
from allotment.policies.base.policy import Policy
from allotment.testing.common import SMALL, ContractError, MakePolicy, require_equal, start_small

TOLD = 60  # rounds of each situation: enough evidence for any learner
ANSWERS = 5

NOWHERE = -1  # no arm has a loss


def check_situations(make: MakePolicy) -> None:
    """Check that the policy decides by situation and learns for it, or else ignores situations.

    Learners are told of losses at one arm in one situation, and at another arm in all others.
    """
    policy = make(SMALL)
    if policy.accepts.situations:
        _check_used(policy)
        return
    with interpreting():  # for a few answers, compiling would take longer
        _check_ignored(policy)


def _check_used(policy: Policy) -> None:
    if policy.situations < 2:
        raise ContractError(
            f"{policy.label} declares Accepts(situations=True), but knows {policy.situations} situation; "
            "expected a parameter `situations` of at least 2"
        )
    told = _answers(policy, [0, 1])
    if np.array_equal(told[0], told[1]):
        raise ContractError(
            f"{policy.label} answered the same in situations 0 and 1, which lose at different arms; expected "
            "it to decide by situation"
        )
    learns = not np.array_equal(told, _answers(policy, [NOWHERE, NOWHERE]))
    if learns and np.array_equal(told, _answers(policy, [1, 0])):
        raise ContractError(
            f"{policy.label} answered the same after the losses of situations 0 and 1 were exchanged; "
            "expected it to learn for the situation of the round"
        )


def _check_ignored(policy: Policy) -> None:
    if policy.situations != 1:
        raise ContractError(
            f"{policy.label} knows {policy.situations} situations, but does not declare them; expected "
            "Accepts(situations=True)"
        )
    learner = start_small(policy)
    if enter.takes(learner.state) and not _can_know_several(policy):
        raise ContractError(
            f"{policy.label} has an enter kernel, but does not declare situations, so it is only ever told "
            "situation 0; expected Accepts(situations=True) and a parameter `situations`"
        )
    plain = start_small(policy)
    for situation in (1, 0, 2):
        require_equal(policy, plain.ask(), learner.ask(situation), "situations to be ignored")
        plain.tell([0] * SMALL.arms)
        learner.tell([0] * SMALL.arms)


def _can_know_several(policy: Policy) -> bool:
    """Whether the policy knows several situations with other parameters."""
    return "situations" in policy.parameters() or isinstance(type(policy).situations, property)


def _answers(policy: Policy, losing: list[int]) -> FloatArray:
    """The answers in the first situations, after rounds in each with losses at the arm listed for it."""
    answers = []
    for situation in range(len(losing)):  # a new learner for each, since answers are told and learnt from
        learner = start_small(policy)
        for t in range(TOLD * policy.situations):
            present = t % policy.situations
            learner.ask(present)
            learner.tell((np.arange(SMALL.arms) == losing[min(present, 1)]) * 1)
        learner.stream = np.random.default_rng(0)
        for _ in range(ANSWERS):
            answers.append(learner.ask(situation))
            learner.tell([0] * SMALL.arms)
    return np.array(answers).reshape(len(losing), ANSWERS, SMALL.arms)
