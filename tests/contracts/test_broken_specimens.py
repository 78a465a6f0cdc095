"""The contract's checks reject what they should: a check that cannot fail checks nothing."""

import pytest

from allotment import testing
from allotment.testing import ContractError, check_policy, policy_maker
from contracts import specimens


@pytest.mark.parametrize(
    ("specimen", "check", "message"),
    [
        (
            specimens.Overspender(),
            testing.check_feasible,
            r"Overspender spent .* expected to stay within the budget",
        ),
        (
            specimens.TooGenerous(),
            testing.check_feasible,
            r"TooGenerous granted .* expected each from 0 to 1",
        ),
        (
            specimens.HiddenDice(),
            testing.check_repeatable,
            r"HiddenDice gave other numbers; expected the same run",
        ),
        (specimens.SharedMemory(), testing.check_repeatable, r"SharedMemory gave other numbers"),
        (
            specimens.InteractivelyOther(),
            testing.check_interactive,
            r"expected the simulator's allocation in round 1",
        ),
        (specimens.Changeable(), testing.check_description, r"can be changed; expected a frozen dataclass"),
        (specimens.Forgetful(patience=2), testing.check_description, r"came back as .* expected"),
        (specimens.Gullible(), testing.check_bad_input, r"accepted start\(0, 1.0\); expected an InputError"),
        (specimens.HomeBound(), testing.check_fresh_process, r"did not run in a fresh process: .*not home"),
        (
            specimens.CompiledOnly(),
            testing.check_uncompiled,
            r"gave other numbers; expected the uncompiled run",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None) or getattr(value, "label", None),
)
def test_a_broken_policy_is_rejected(specimen, check, message):
    with pytest.raises(ContractError, match=message):
        check(policy_maker(specimen))


def test_a_policy_that_cannot_be_compared_is_rejected():
    with pytest.raises(ContractError, match="differs from itself made anew"):
        testing.check_description(lambda problem: specimens.Incomparable())


def test_check_policy_runs_every_check():
    with pytest.raises(ContractError):
        check_policy(specimens.Overspender)
