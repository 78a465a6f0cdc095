"""What was reported of a plan: when, by whom, what before; reports that meet other reports."""

import pytest

from allotment import Campaign, ConflictError
from allotment.errors import InputError


@pytest.fixture
def bob(campaign):
    with Campaign.open(campaign.store.name, author="Bob") as opened:
        yield opened


def place(campaign, name, plan="1"):
    return next(each for each in campaign.report(plan).places if each.place == name)


def test_a_report_says_who_when_and_what_before(campaign, bob):
    campaign.ask(fix={"Dock": 2})
    assert place(campaign, "Dock").event == 0 and not place(campaign, "Dock").is_reported
    campaign.tell("1", {"Dock": 0})
    first = place(campaign, "Dock")
    assert (first.losses, first.amount, first.planned, first.by, first.before) == (0, 2, 2, "Ada", None)
    bob.tell("1", {"Dock": 1}, amounts={"Dock": 1.5}, correct=True)
    now = place(campaign, "Dock")
    assert (now.losses, now.amount, now.by, now.event) == (1, 1.5, "Bob", bob.last_event)
    assert (now.before.losses, now.before.amount, now.before.by) == (0, 2, "Ada")
    assert now.before.at == first.at <= now.at
    assert campaign.report("1").missing == ("Gate", "Yard")


def test_a_report_agrees_with_the_plan_after_anything(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 1}, amounts={"Gate": 3})
    campaign.tell("1", {"Dock": None}, correct=True)
    assert place(campaign, "Dock").losses is None and place(campaign, "Dock").before.losses == 1
    campaign.undo("1", what="report")
    assert not any(each.is_reported or each.event for each in campaign.report("1").places)
    campaign.rename_arm("Gate", "Door")
    campaign.tell("1", {"Door": 1, "Yard": 0}, amounts={"Yard": 0.5})
    report, plan = campaign.report("1"), campaign.plan("1")
    assert {each.place: each.losses for each in report.places if each.losses is not None} == plan.told
    assert {each.place: each.amount for each in report.places if each.amount != each.planned} == (
        plan.told_amounts
    )
    assert place(campaign, "Gate").event == campaign.last_event


def test_a_correction_never_replaces_what_its_author_has_not_seen(campaign, bob):
    campaign.ask()
    campaign.tell("1", {"Dock": 0})
    seen = place(campaign, "Dock").event
    bob.tell("1", {"Dock": 1}, correct=True, knew=seen)
    with pytest.raises(ConflictError, match="plan 1 was told 1 for Dock before, and now 0"):
        campaign.tell("1", {"Dock": 0}, correct=True, knew=seen)
    with pytest.raises(ConflictError, match="amount"):
        campaign.tell("1", {"Dock": 1}, amounts={"Dock": 4}, correct=True, knew=seen)
    campaign.tell("1", {"Dock": 1}, correct=True, knew=seen)  # the same again does no harm
    campaign.tell("1", {"Dock": 0}, correct=True, knew=campaign.last_event)
    assert place(campaign, "Dock").losses == 0
    with pytest.raises(InputError, match="knew is -1"):
        campaign.tell("1", {"Dock": 0}, knew=-1)


def test_keep_reports_only_places_without_a_report(campaign, bob):
    campaign.ask()
    bob.tell("1", {"Gate": 1})
    quiet = dict.fromkeys(("Dock", "Gate", "Yard"), 0)
    for _ in range(2):  # a retry is the same event
        assert campaign.tell("1", quiet, keep=True, key="k") == ()
    assert campaign.plan("1").told == {"Dock": 0, "Gate": 1, "Yard": 0}
    with pytest.raises(ConflictError, match="plan 1 has reports of all these places"):
        campaign.tell("1", quiet, keep=True)
    with pytest.raises(ConflictError, match="keep and correct"):
        campaign.tell("1", quiet, keep=True, correct=True)


def test_orders_are_checked_without_a_plan(campaign):
    checked = campaign.check_orders(fix={"Dock": 2.5}, require=["Gate"])
    assert (checked.budget, checked.needed) == (6, 3)
    assert str(checked) == "These orders fit: they and the bounds of places bind 3 of 6."
    assert "places can use only 4 of 6" in str(campaign.check_orders(exclude=["Gate", "Yard"]))
    with pytest.raises(ConflictError, match="places must get 8 together"):
        campaign.check_orders(fix={"Dock": 4, "Gate": 4})
    with pytest.raises(ConflictError, match="excluded, and required"):
        campaign.check_orders(exclude=["Dock"], require=["Dock"])
    assert campaign.last_event == 1


def test_needed_counts_groups_and_crews(campaign):
    campaign.change(groups={"north": {"arms": ["Dock", "Gate"], "least": 3}}, crew={"Yard": 1})
    assert campaign.check_orders().needed == 3
    assert campaign.check_orders(require=["Yard"]).needed == 4


def test_the_orders_of_a_plan_and_what_came_since(campaign):
    campaign.ask(fix={"Dock": 2}, exclude=["Gate"], budget=5)
    assert campaign.orders("1") == {"budget": "5", "exclude": ["Gate"], "require": [], "fix": {"Dock": "2"}}
    assert campaign.changes_since("1") == ()
    campaign.change(budget=4)
    assert campaign.changes_since("1") == ("budget changed",)


def test_no_two_campaigns_have_one_identity(campaign, tmp_path):
    with Campaign.create(tmp_path / "b.db", "night", arms=["Dock"], budget=1, unit=1, most=1) as other:
        assert other.identity != campaign.identity == campaign.identity
