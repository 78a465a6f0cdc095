"""Losses and cost are two quantities: stored, named and shown apart."""

import json

import pytest

from allotment import Campaign, campaigns
from allotment.campaign.forms.answer import short
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning.expectations import StoredExpectations
from allotment.campaign.planning.plan import Plan
from own_copies import FIRST_FORMAT, own_copy


@pytest.fixture
def weighted(tmp_path):
    settings = {"arms": ["Dock", "Gate"], "budget": 3, "unit": 0.5, "most": {"Dock": 4, "Gate": 2}, "seed": 7}
    with Campaign.create(tmp_path / "w.db", "w", **settings, severities={"Gate": 5}) as made:
        plan = made.ask(date="2026-01-01")
        made.tell(plan.id, {"Dock": 1, "Gate": 1})
        yield made


def stored(campaign, plan):
    return next(
        event.payload for event in campaign.history() if event.kind == "asked" and event.plan_id == plan
    )


def test_a_plan_stores_tables_from_which_its_expectations_follow(weighted):
    plan = weighted.ask(date="2026-01-02")
    payload = stored(weighted, plan.id)
    tables = StoredExpectations.of(PlanPayload.of(payload).tables)
    assert payload["version"] == 2
    assert [len(row) for row in tables.losses] == [9, 5]  # every amount up to the most of each place
    assert tables.severities == (1.0, 5.0)
    losses = [row[units] for row, units in zip(tables.losses, payload["units"], strict=True)]
    assert plan.expected_losses == pytest.approx(sum(losses), rel=1e-5)
    assert plan.expected_cost == pytest.approx(losses[0] + 5 * losses[1], rel=1e-5)
    assert tables.variances[0][3] == pytest.approx(tables.losses[0][3] * (1 - tables.losses[0][3]))
    assert all(float(f"{value:.6g}") == value for row in payload["losses"] for value in row)


def test_counted_losses_store_their_variance(tmp_path):
    settings = {"arms": ["A"], "budget": 1, "unit": 1, "most": 1, "losses": "counts"}
    with Campaign.create(tmp_path / "c.db", "c", **settings) as campaign:
        payload = stored(campaign, campaign.ask().id)
    assert payload["variances"] is not None
    assert [len(row) for row in payload["variances"]] == [2]


def test_every_answer_names_losses_and_cost(weighted):
    plan = weighted.ask(date="2026-01-02")
    for answer in (plan, weighted.status(), weighted.frontier(), weighted.explain(plan.id)):
        assert " losses (cost " in str(answer)
    for answer in (weighted.frontier(), weighted.forecast(2), weighted.explain(plan.id)):
        names = " ".join(answer.columns())
        assert "losses" in names
        assert "cost" in names
    content = json.dumps([weighted.frontier().to_dict(), weighted.forecast(2).to_dict()])
    assert '"expected_losses"' in content
    assert '"expected_cost"' in content
    assert '"cost_low"' in content


def test_where_all_severities_are_1_only_losses_are_shown(campaign):
    plan = campaign.ask()
    for answer in (
        plan,
        campaign.status(),
        campaign.frontier(),
        campaign.explain(plan.id),
        campaign.forecast(2),
    ):
        assert "cost" not in str(answer)
    assert plan.expected_losses == plan.expected_cost


def test_a_plan_shows_what_else_one_could_do(campaign, weighted):
    plan = campaign.ask()
    assert set(plan.beside) == {"hot spots", "equal split"}
    assert "; hot spots " in str(plan)
    assert "; equal split " in str(campaign.what_if(budget=3))
    assert "best known plan" in str(campaign.status())
    best = weighted.ask(explore=False)
    assert all(best.expected_cost <= other.cost + 1e-5 for other in best.beside.values())


def test_plans_of_version_1_say_that_losses_are_unknown_where_severities_differ(tmp_path):
    own_copy(FIRST_FORMAT, tmp_path / "first.db")
    with Campaign.open(tmp_path / "first.db", campaigns(tmp_path / "first.db")[0]) as campaign:
        old = next(event for event in campaign.history() if event.kind == "asked")
    assert "version" not in old.payload and old.plan.tables is None
    known, unknown = (Plan.of(old.plan, weighted=each) for each in (False, True))
    assert (known.expected_losses, known.expected_cost) == (old.payload["expected_losses"],) * 2
    assert (unknown.expected_losses, unknown.expected_cost) == (None, old.payload["expected_losses"])
    assert "this plan cost " in str(unknown)


def test_the_first_format_still_explains_itself(tmp_path):
    own_copy(FIRST_FORMAT, tmp_path / "first.db")
    with Campaign.open(tmp_path / "first.db", campaigns(tmp_path / "first.db")[0]) as campaign:
        why = campaign.explain("1")
        assert campaign.plan("1").expected_cost == pytest.approx(
            sum(reason.remaining_cost for reason in why.reasons)
        )
        assert str(why)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.123456, "0.123"), (8.294e-05, "<0.001"), (98765.4, "98800"), (1.0, "1"), (0.05, "0.05")],
)
def test_expectations_have_three_digits_and_no_exponent(value, text):
    assert short(value) == text
