"""The contract's checks reject what they should: a check that cannot fail checks nothing."""

import inspect

import pytest

from allotment import testing
from allotment.testing import SMALL, ContractError, check_policy, policy_maker
from contracts import specimens
from situated_policies import MostLosses


@pytest.mark.parametrize(
    ("specimen", "check", "message"),
    [
        (
            specimens.Overspender(),
            testing.check_feasible,
            r"Overspender in round 1 of replication 0 granted .*: allocation adds up to .* expected",
        ),
        (
            specimens.TooGenerous(),
            testing.check_feasible,
            r"TooGenerous in round 1 of replication 0 granted .*: allocation\[0\] is .* expected numbers",
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
        (
            specimens.Returner(),
            testing.check_interactive,
            r"Returner left allocation\[0\] unwritten in round 1; expected its ask kernel to write",
        ),
        (
            specimens.Learning(kind=specimens.POCKETED),
            testing.check_accepts,
            r"expected to learn from what was granted, not from what was asked",
        ),
        (
            specimens.Learning(kind=specimens.LEARNS_IN_ORDER),
            testing.check_accepts,
            r"expected the order of reports not to matter",
        ),
        (
            specimens.Learning(kind=specimens.COUNTS_TELLS),
            testing.check_accepts,
            r"expected reports in parts to be as good as one",
        ),
        (
            specimens.Deaf(),
            testing.check_accepts,
            r"expected a start from evidence to be as good as living it",
        ),
        (
            specimens.Boundless(),
            testing.check_accepts,
            r"expected every arm to get nothing or at least its crew",
        ),
        (specimens.Greedy(), testing.check_accepts, r"accepted floors; expected an InputError"),
        (
            specimens.Habitual(),
            testing.check_situations,
            r"Habitual has an enter kernel, but does not declare situations, so it is only ever told "
            r"situation 0; expected Accepts\(situations=True\) and a parameter `situations`$",
        ),
        (
            specimens.Undeclared(),
            testing.check_situations,
            r"Undeclared knows 2 situations, but does not declare them; expected Accepts\(situations=True\)$",
        ),
        (
            specimens.Muddled(situations=1),
            testing.check_situations,
            r"Muddled declares Accepts\(situations=True\), but knows 1 situation; expected a parameter "
            r"`situations` of at least 2$",
        ),
        (
            specimens.Muddled(),
            testing.check_situations,
            r"Muddled answered the same after the losses of situations 0 and 1 were exchanged; expected it "
            r"to learn for the situation of the round$",
        ),
        (
            specimens.Blind(),
            testing.check_situations,
            r"Blind answered the same in situations 0 and 1, which lose at different arms; expected it to "
            r"decide by situation$",
        ),
        (
            specimens.Telepath(),
            testing.check_situations,
            r"Telepath gave other numbers; expected situations to be ignored$",
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


def test_one_that_learns_as_it_says_passes():
    testing.check_accepts(policy_maker(specimens.Learning()))


@pytest.mark.parametrize("situations", [1, 3])
@pytest.mark.parametrize("check", testing.CHECKS, ids=lambda check: check.__name__)
def test_one_that_uses_situations_as_it_says_passes(check, situations):
    check(policy_maker(MostLosses(situations)))


def test_a_policy_that_cannot_be_compared_is_rejected():
    with pytest.raises(ContractError, match="differs from itself made anew"):
        testing.check_description(lambda problem: specimens.Incomparable())


def test_check_policy_runs_every_check(monkeypatch):
    every = {
        name
        for name, value in vars(testing).items()
        if name.startswith("check_") and list(inspect.signature(value).parameters) == ["make"]
    }
    ran = []

    def recorder(check):
        return lambda make: ran.append((check.__name__, make(SMALL)))

    monkeypatch.setattr(testing, "CHECKS", tuple(recorder(check) for check in testing.CHECKS))
    policy = specimens.Overspender()
    check_policy(policy)
    assert {name for name, _ in ran} == every
    assert all(made is policy for _, made in ran)


def test_check_policy_lets_no_failure_pass():
    with pytest.raises(ContractError):
        check_policy(specimens.Overspender)
