import re

import pytest

from allotment import ConflictError, EqualSplit, Evidence, InputError, Joint
from situated_policies import MostLosses


@pytest.fixture
def learner():
    """A learner that distinguishes two situations: losses at arm 2 in the first, at arm 1 in the second."""
    known = Evidence(3, [(2, 0.0, 9, 5), (1, 0.0, 9, 5, 1)], situations=2)
    return MostLosses().start(3, 0.5, seed=1, evidence=known)


def test_a_learner_decides_by_the_situation_and_learns_for_it(learner):
    for situation, arm in ((0, 2), (1, 1)):
        assert learner.ask(situation).argmax() == arm
        learner.tell([1, 0, 0])
    for _ in range(6):
        learner.ask(1)
        learner.tell([1, 0, 0])
    assert learner.ask(0).argmax() == 2
    learner.tell([0, 0, 0])
    assert learner.ask(1).argmax() == 0
    assert learner.state.losses.tolist() == [[1, 0, 5], [7, 5, 0]]


def test_asking_again_gives_the_same_answer_but_not_for_another_situation(learner):
    first = learner.ask(1)
    assert learner.ask(1).tolist() == first.tolist()
    with pytest.raises(InputError, match="^situation is 0; expected 1, whose losses are still to be told$"):
        learner.ask()
    with pytest.raises(InputError, match="^situation is 0; expected 1, whose losses are still to be told$"):
        learner.tell([1, 0, 0], situation=0)
    learner.tell([1, 0, 0], situation=1)
    assert learner.ask(0).argmax() == 2


def test_what_was_not_asked_for_names_its_situation(learner):
    learner.tell([1, 0, 0], [0, 0, 0], situation=1)
    learner.tell([0, 1, 0], [0, 0, 0])
    assert learner.state.losses.tolist() == [[0, 1, 5], [1, 5, 0]]


@pytest.mark.parametrize("situation", [2, -1, 0.5, "night", True])
def test_situations_that_there_are_not(learner, situation):
    with pytest.raises(InputError, match=r"^situation is .*; expected .*(whole number|less than 2)"):
        learner.ask(situation)
    with pytest.raises(InputError, match="^situation is"):
        learner.tell([0, 0, 0], [0, 0, 0], situation=situation)


@pytest.mark.parametrize("policy", [MostLosses(situations=1), EqualSplit(), Joint()])
def test_policies_that_know_no_situations_ignore_them(policy):
    plain, told = (policy.start(3, 0.5, seed=1) for _ in range(2))
    for situation in (1, 0, 5, 1):
        assert plain.ask().tolist() == told.ask(situation).tolist()
        plain.tell([1, 0, 0])
        told.tell([1, 0, 0])


def test_evidence_is_for_the_situations_that_a_policy_distinguishes():
    known = Evidence(3, [(2, 0.0, 9, 5), (1, 0.0, 9, 6, 1)], situations=2)
    assert MostLosses(situations=1).start(3, 0.5, seed=1, evidence=known).ask().argmax() == 1
    wrong = (
        "the evidence distinguishes 2 situations; MostLosses knows 3; expected Evidence(..., situations=3)"
    )
    with pytest.raises(ConflictError, match=f"^{re.escape(wrong)}$"):
        MostLosses(situations=3).start(3, 0.5, seed=1, evidence=known)
