"""Every world of the package keeps the contract; broken ones are rejected, each for its own reason."""

import inspect

import pytest

from allotment import Changing, ContractError, InputError, Problem, Situations, check_world
from allotment.testing import world_checks as checks
from allotment.worlds.responses import RESPONSES
from contracts import worlds as specimens

CURVES = [kind for kind in RESPONSES if kind != "capped"]  # those that do not depend on loss rates
KINDS = [(sees, losses) for sees in ("losses", "finds") for losses in ("binary", "counts")]


@pytest.mark.parametrize(("sees", "losses"), KINDS)
@pytest.mark.parametrize("response", CURVES)
def test_every_kind_of_problem_keeps_the_contract(response, sees, losses):
    check_world(Problem.random(4, seed=7, response=response, leak=0.1, unit=0.05, sees=sees, losses=losses))


@pytest.mark.parametrize("sees", ["losses", "finds"])
@pytest.mark.parametrize("response", ["step", "logistic", "capped"])
def test_overdispersed_counts_keep_it(response, sees):
    kind = {"response": response, "sees": sees, "losses": "counts", "overdispersion": 0.5}
    check_world(Problem.random(4, seed=7, unit=0.05, **kind))


@pytest.mark.parametrize(
    "problem",
    [
        Problem.named("paper-2"),
        Problem.random(5, seed=1, leak=0.2),
        Problem.random(5, seed=1, sees="finds", losses="counts"),
        Problem.random(5, seed=1, losses="counts", overdispersion=2.0),
        Problem([0.5], 1.0, 0.0, unit=1.0),
    ],
)
def test_steps_of_every_kind_keep_it(problem):
    check_world(problem)


def test_a_world_that_changes_keeps_it():
    one, other = (Problem.random(4, seed=seed, response="logistic", unit=0.1) for seed in (1, 2))
    other = Problem(other.loss_rates, budget=one.budget, response=other.response, unit=0.1)
    check_world(Changing([(1, one), (50, other), (321, one)]))


def test_a_world_with_situations_keeps_it():
    one, other = (Problem.random(4, seed=seed, response="logistic", unit=0.1) for seed in (1, 2))
    other = Problem(other.loss_rates, budget=one.budget, response=other.response, unit=0.1)
    check_world(Situations([one, other], calendar=[0, 1, 1], situation_names=["day", "night"]))


def test_one_of_ones_own_keeps_it():
    check_world(specimens.TideWorld())
    check_world(specimens.CoinWorld())
    check_world(specimens.DoorWorld())


def test_severities_are_1_unless_the_world_has_others():
    assert specimens.CoinWorld().severities.tolist() == [1.0, 1.0]
    assert specimens.Weighted((1.0, 2.0)).severities == (1.0, 2.0)
    with pytest.raises(TypeError, match="severities"):
        specimens.Weighted()


@pytest.mark.parametrize(
    ("specimen", "check", "message"),
    [
        (specimens.Kernelless(), checks.check_offer, "Kernelless: Silent has no 'observe' kernel"),
        (
            specimens.Spendthrift(),
            checks.check_offer,
            "Spendthrift: allocation adds up to 1; expected",
        ),
        (specimens.Weighted((1.0, 2.0)), checks.check_offer, "Weighted does not say what is best"),
        (specimens.Timeless(), checks.check_offer, "changes is 1; expected a whole number of at least 2"),
        (specimens.CoinWorld(budget=-1.0), checks.check_offer, "budget is -1.0"),
        (
            specimens.CoinWorld(specimens.DICE),
            checks.check_reproducible,
            "CoinWorld gave other numbers; expected the same rounds again",
        ),
        (specimens.Worn(), checks.check_reproducible, "Worn gave other numbers"),
        (
            specimens.CoinWorld(specimens.MEDDLES),
            checks.check_reproducible,
            "CoinWorld writes into the grants or the luck",
        ),
        (
            specimens.CoinWorld(specimens.REMEMBERS),
            checks.check_luck,
            "expected a round not to depend on what was granted before",
        ),
        (specimens.CoinWorld(specimens.LUCKY), checks.check_luck, "CoinWorld counts luck as regret"),
        (
            specimens.TideWorld(specimens.CONTRARY),
            checks.check_situations,
            "the environment of TideWorld is in situation 1 in round 1; expected 0, which situation_in gives",
        ),
        (
            specimens.TideWorld(specimens.RESTLESS),
            checks.check_situations,
            "gave other numbers; expected the same rounds whether its situation is asked for or not",
        ),
        (
            specimens.Nameless(),
            checks.check_situations,
            "is in situation 1 in round 3; expected 1, which situation_in gives, and less than 1",
        ),
        (
            specimens.Ebbing(),
            checks.check_best,
            "the best of Ebbing has a regret of 0.2 in round 3; expected 0",
        ),
        (
            specimens.Modest(),
            checks.check_best,
            "the best of Modest has a regret of 0.2 in round 1; expected 0",
        ),
        (specimens.Misjudged(), checks.check_best, "a regret of -0.1 in round .*; expected none below 0"),
        (
            specimens.DoorWorld((1, 5, 7)),
            checks.check_best,
            r"DoorWorld gives \[0.253, 0.0, 0.0, 0.271, .*\] a regret of -0.05 in round 1; expected none",
        ),
        (specimens.CoinWorld(specimens.FRACTIONS), checks.check_losses, "shows numbers that are not binary"),
        (
            specimens.CoinWorld(specimens.SKEWED),
            checks.check_losses,
            "loses 0.29.* expected 0.6, which regret",
        ),
        (specimens.Stubborn(), checks.check_copies, "Stubborn cannot be written down"),
        (specimens.Unlike(), checks.check_copies, "Unlike came back as .*budget=1.0"),
    ],
)
def test_each_is_rejected(specimen, check, message):
    with pytest.raises(ContractError, match=message):
        check(specimen)
    with pytest.raises(ContractError):
        check_world(specimen)


def test_every_check_rejects_something():
    source = inspect.getsource(inspect.getmodule(test_each_is_rejected))
    for check in checks.WORLD_CHECKS:
        assert f"checks.{check.__name__}," in source


def test_what_is_no_world_is_refused():
    with pytest.raises(InputError, match="problem is 3; expected a Problem or another World"):
        check_world(3)
