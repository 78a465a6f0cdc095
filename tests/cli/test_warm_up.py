import pytest

from allotment import EqualSplit, RandomSplit
from allotment.errors import AllotmentError
from allotment.simulation import warming


def test_warm_up_says_how_far_it_is(allotment, monkeypatch):
    monkeypatch.setattr(warming, "every_policy", lambda: [EqualSplit(), RandomSplit()])
    answer = allotment("warm-up")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "Compiling for every policy; it is kept for next time."
    assert [line.split(":")[0] for line in lines[1:]] == ["1 of 2", "2 of 2"]
    assert "Equal split" in answer.out


def test_workers_are_checked(allotment):
    answer = allotment("warm-up", "--workers", 0)
    assert answer.code == 2
    assert answer.err == "allotment: workers is 0; expected a whole number of at least 1\n"


def test_what_cannot_be_compiled_is_said(monkeypatch):
    monkeypatch.setattr(warming, "PROGRAM", "raise SystemExit('no')")
    with pytest.raises(AllotmentError, match="cannot compile for Equal split: no"):
        list(warming.warm_up([EqualSplit()]))


def test_every_policy_is_warmed_up():
    from allotment.policies.base.catalogue import policy_classes

    assert {type(policy) for policy in warming.every_policy()} == set(policy_classes().values())
