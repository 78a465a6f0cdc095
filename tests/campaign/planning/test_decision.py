"""The decision itself, by AnyResponse: within all bounds, in the user's units, replayed exactly."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import AllotmentError, Campaign
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.planning import decision
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.planning.wishes import Wishes
from campaign_strategies import AMOUNTS, campaigns

ARMS = ("Dock", "Gate", "Yard")


@pytest.fixture(autouse=True)
def plain_decider():
    """Not here."""


def begin(path, **others):
    given = {"arms": ARMS, "budget": 6, "unit": 0.5, "most": 4, "seed": 7, **others}
    return Campaign.create(path, "night", **given)


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_every_draw_keeps_every_bound(data):
    try:
        begun = data.draw(campaigns())
        bounds = bounds_of(begun, Wishes.of(begun, data.draw(st.one_of(st.none(), AMOUNTS)), (), (), None))
    except AllotmentError:
        return
    rows = st.tuples(st.sampled_from(bounds.arms), AMOUNTS, st.integers(0, 2))
    tallies = [
        AmountTally(arm, amount, 2.0, float(lost))
        for arm, amount, lost in data.draw(st.lists(rows, max_size=5))
    ]
    evidence = decision.model_evidence(begun, tallies, bounds.arms)
    learner = decision.fitted(begun, evidence, bounds, 1)
    units = decision.drawn_units(begun, learner, bounds)
    assert bounds.broken_by(units) == ""
    # Crews and moves are met by sharing out again what was drawn: it must be what the policy shared out.
    assert units.tolist() == bounds.share_out(learner.state.values).tolist()


def test_whole_days(tmp_path):
    with begin(tmp_path / "night.db") as campaign:
        for day in range(1, 13):
            plan = campaign.ask(date=f"2026-01-{day:02}")
            assert sum(plan.amounts.values()) <= 6
            # two and a half units of 1 cover the Dock; nothing helps at the Gate; the Yard is quiet
            losses = {"Dock": int(plan.amounts["Dock"] < 2.5), "Gate": 1, "Yard": 0}
            assert campaign.tell(plan.id, losses) == ()
        status = campaign.status()
        assert status.amounts == tuple(Decimal(units) / 2 for units in range(9))
        dock, gate, yard = status.arms
        assert dock.loss_rate > 0.5 > yard.loss_rate
        assert all(0.0 <= low <= high for low, high in zip(dock.low, dock.high, strict=True))
        assert dock.prevented_losses[0] == 0.0
        assert dock.prevented_losses_at_most > gate.prevented_losses_at_most
        assert campaign.ask(explore=False).amounts["Dock"] >= 2.5
        frontier = campaign.frontier()
        losses = [point.expected_losses for point in frontier.points]
        assert losses == sorted(losses, reverse=True)
        assert frontier.budget == 6
        assert frontier.now.one_more_losses >= 0.0
        tried = campaign.what_if(budget=0.5)
        assert sum(tried.amounts.values()) <= 0.5
        assert campaign.forecast(5) == campaign.forecast(5)
        assert campaign.last_event == 26
        campaign.verify(plans=True)
        campaign.export(tmp_path / "history.jsonl")
        with Campaign.replay(tmp_path / "history.jsonl", tmp_path / "other.db") as other:
            assert other.status() == campaign.status()
            assert other.ask(date="2026-02-01").amounts == campaign.ask(date="2026-02-01").amounts


OTHERS = [
    {"losses": "counts"},
    {"sees": "finds"},
    {"half_life": 3},
    {"policy": "any-response:draws=1,free=0.2"},
]


@pytest.mark.parametrize("others", OTHERS)
def test_kinds_of_reports(tmp_path, others):
    with begin(tmp_path / "night.db", **others) as campaign:
        for day in range(1, 4):
            plan = campaign.ask(date=f"2026-01-0{day}")
            campaign.tell(plan.id, {"Dock": 1, "Gate": 0, "Yard": 1})
        assert len(campaign.status().arms) == 3
        assert campaign.forecast(3).rounds == 3
        campaign.verify(plans=True)


def test_a_known_threshold_is_met_in_whole_units_or_not_at_all(tmp_path):
    with begin(tmp_path / "night.db", thresholds={"Dock": 1.7, "Gate": 3}) as campaign:
        for _ in range(3):
            amounts = campaign.ask().amounts
            assert amounts["Dock"] in (0, 2)
            assert amounts["Gate"] in (0, 3)
        shapes = {arm.arm: arm.shape for arm in campaign.status().arms}
        assert shapes["Dock"] == "a step at 2"
        assert shapes["Gate"] == "a step at 3"


def test_an_explanation_names_who_gets_more_and_who_gets_less_than_is_best_in_expectation(tmp_path):
    with begin(tmp_path / "night.db") as campaign:
        for day in range(1, 25):
            plan = campaign.ask(date=f"2026-01-{day:02}")
            campaign.tell(plan.id, {"Dock": 1, "Gate": day % 2, "Yard": 0})
        told = [campaign.explain(campaign.ask(date=f"2026-02-{day:02}").id) for day in range(1, 28)]
        best = campaign.ask(date="2026-02-28", explore=False).amounts
        learning = [why for why in told if why.price_cost > 0.0 and why.held_back]
        assert learning
        for why in learning:
            short = dict(why.held_back)
            for each in why.reasons:
                assert each.amount - each.to_learn + short.get(each.arm, 0) == best[each.arm]
            assert all(
                f"{amount} less than is best today" in str(why) or "to learn what happens without" in str(why)
                for amount in short.values()
            )


def test_explanations_add_up(tmp_path):
    with begin(tmp_path / "night.db", severities={"Gate": 3}) as campaign:
        first = campaign.ask(date="2026-01-01")
        campaign.tell(first.id, {"Dock": 1, "Gate": 0, "Yard": 0})
        plan = campaign.ask(date="2026-01-02", explore=False)
        why = campaign.explain(plan.id)
        costs = [reason.remaining_cost for reason in why.reasons]
        assert sum(costs) == pytest.approx(plan.expected_cost, rel=1e-5)
        losses = [reason.remaining_losses for reason in why.reasons]
        assert sum(losses) == pytest.approx(plan.expected_losses, rel=1e-5)
        assert costs == pytest.approx([losses[0], 3 * losses[1], losses[2]], rel=1e-5)
        assert why.since == first.id
        assert why.because == ("plan 1 was reported for 3 places (1 loss: Dock)",)
        assert why.price_cost == 0.0
        assert "Granted to learn" not in str(why)
        campaign.retire_arm("Yard")
        campaign.add_arm("Shed", most=4)
        campaign.change(budget=4)
        moved = campaign.explain(campaign.ask(date="2026-01-03").id)
        assert moved.because == ("the budget went from 6 to 4", "Shed came in", "Yard went out")
        for reason in why.reasons:
            assert reason.amount == plan.amounts[reason.arm]
            assert reason.prevents_cost >= -1e-9


def test_nothing_is_said_of_amounts_above_most(tmp_path):
    """60 losses in 100 rounds at every amount that Dock can use: no step at more than that is made up."""
    rows = [f"2025-01-01,Dock,{amount},60,100" for amount in range(5)]
    (tmp_path / "log.csv").write_text("\n".join(["date,place,amount,incidents,exposure", *rows]))
    with begin(tmp_path / "night.db", most={"Dock": 4, "Gate": 6, "Yard": 6}) as campaign:
        campaign.import_log(tmp_path / "log.csv")
        dock = campaign.status().arms[0]
        assert dock.shape_chance > 0.8  # all that helps from 4.5 on says the same of amounts up to 4
        assert dock.shape == "nothing helps up to 4"
        assert len(dock.expected_losses) == len(dock.low) == 9
        assert [seen.amount for seen in dock.seen] == [0, 1, 2, 3, 4]
        plan = campaign.ask(fix={"Dock": 4})
        reason = campaign.explain(plan.id).reasons[0]
        assert (reason.next_amount, reason.one_more_losses) == (None, None)
