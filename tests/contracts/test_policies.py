"""Every policy in the package keeps the contract; none is listed here."""

import pytest
from hypothesis import given, settings

from allotment.policies.base.catalogue import policy_classes
from allotment.testing import (
    CHECKS,
    SMALL,
    check_elsewhere,
    check_feasible_on,
    check_fresh_process,
    check_uncompiled,
    policy_maker,
)
from strategies import problems

POLICIES = policy_classes().values()
ALONE = [check for check in CHECKS if check not in (check_fresh_process, check_uncompiled)]


@pytest.mark.parametrize("check", ALONE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name())
def test_every_policy_keeps_the_contract(policy, check):
    check(policy_maker(policy))


@pytest.mark.parametrize("check", ALONE, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    ("policy", "number"),
    [(policy, number) for policy in POLICIES for number in range(len(policy.variants(SMALL)))],
    ids=lambda value: value.name() if isinstance(value, type) else str(value),
)
def test_and_so_does_every_variant(policy, number, check):
    check(lambda problem: policy.variants(problem)[number])


@pytest.mark.parametrize("compiled", [True, False])
def test_each_gives_the_same_run_in_one_fresh_process(compiled):
    """The two checks of fresh processes start one for each policy, which would take a second every time."""
    made = [policy.for_problem(SMALL) for policy in POLICIES]
    variants = [variant for policy in POLICIES for variant in policy.variants(SMALL)]
    check_elsewhere([*made, *variants], compiled=compiled)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name())
def test_allocations_are_feasible_on_any_problem(policy):
    @given(problems())
    @settings(max_examples=40, deadline=None)
    def check(problem):
        check_feasible_on(problem, policy.for_problem(problem), rounds=150)

    check()
