"""Calm plans: places gain few units over the plan before."""

import pytest

from allotment import Campaign, HistoryError, InputError
from allotment.campaign.history.events import Draft, Event, Request
from allotment.campaign.history.state import State
from allotment.campaign.safety.checking import checked

PLACES = ["Dock", "Gate", "Yard", "Mill"]


@pytest.fixture
def calm(tmp_path):
    with Campaign.create(
        tmp_path / "calm.db", "calm", arms=PLACES, most=4, budget=6, unit=0.5, moves=2, seed=1
    ) as made:
        yield made


def gains(before, after):
    """Units gained by the places of both plans."""
    common = before.keys() & after.keys()
    return sum(max(after[place] - before[place], 0) for place in common) / 0.5


def on(day):
    return f"2026-03-{day:02}"


def test_each_plan_gains_at_most_so_many_units(calm):
    before = calm.ask(date=on(1))
    assert before.calm is None
    moved = []
    for day in range(2, 14):
        losses = {place: int(place == PLACES[day % 4]) for place in PLACES}
        calm.tell(before.id, losses)
        plan = calm.ask(date=on(day))
        moved.append(gains(before.amounts, plan.amounts))
        assert plan.calm == {**plan.calm, "since": before.id, "allowed": 2, "limit": 2, "gains": moved[-1]}
        before = plan
    assert max(moved) == 2
    calm.verify(plans=True)
    assert "Places gain" in str(before)
    prices = [calm.plan(str(n)).calm["price_cost"] for n in range(2, 14)]
    assert min(prices) >= 0.0
    dearest = str(1 + 1 + prices.index(max(prices)))
    assert "The limit of moves adds " in str(calm.explain(dearest))


def test_an_ask_can_set_another_limit(calm):
    first = calm.ask(date=on(1))
    still = calm.ask(date=on(2), moves=0)
    assert still.amounts == first.amounts
    assert calm.ask(date=on(3), moves="40").calm["limit"] == 40
    calm.change(moves=None)
    assert calm.ask(date=on(4)).calm is None
    assert calm.what_if(moves=0, date=on(4)).amounts == calm.plan("3").amounts
    for wrong in (-1, 1.5, "many", True):
        with pytest.raises(InputError, match="moves is"):
            calm.ask(moves=wrong)
        with pytest.raises(InputError, match="moves is"):
            calm.change(moves=wrong)
    calm.verify(plans=True)


def test_the_plan_before_has_an_earlier_date_and_no_orders_and_is_not_cancelled(calm):
    calm.ask(date=on(5))
    calm.ask(date=on(6), fix={"Dock": 4})
    calm.ask(date=on(7))
    calm.cancel("3")
    calm.ask(date=on(4))
    calm.ask(date=on(9))
    assert calm.ask(date=on(9)).calm["since"] == "1"
    assert calm.ask(date=on(10), moves=1).calm["since"] == "6"
    assert calm.ask(date=on(11)).calm["since"] == "7"  # another limit is no order


def test_a_larger_budget_and_new_places_may_be_used(calm):
    first = calm.ask(date=on(1))
    larger = calm.ask(date=on(2), budget=8, moves=0)
    assert larger.calm["limit"] == 4
    assert gains(first.amounts, larger.amounts) == 4
    calm.add_arm("Shed", most=3)
    calm.retire_arm("Mill")
    plan = calm.ask(date=on(3), moves=0)
    assert gains(first.amounts, plan.amounts) == 0
    assert plan.amounts["Shed"] > 0


def test_parts_of_a_larger_unit_count_as_one(calm):
    first = calm.ask(date=on(1), moves=0)
    calm.change(unit=1)
    plan = calm.ask(date=on(2), moves=0)
    assert all(plan.amounts[place] <= amount + 0.5 for place, amount in first.amounts.items())


def test_bounds_of_the_day_may_need_more_and_the_plan_says_so(calm):
    first = calm.ask(date=on(1))
    least = min(first.amounts, key=first.amounts.get)
    plan = calm.ask(date=on(2), fix={least: 4}, moves=0)
    needed = (4 - first.amounts[least]) / 0.5
    assert gains(first.amounts, plan.amounts) == plan.calm["limit"] == needed
    said = (
        f"Places gain {needed:g} units over plan 1; the bounds of the day need {needed:g}, though the limit "
    )
    assert f"{said}of moves is 0." in str(plan)
    calm.verify(plans=True)


def test_a_forecast_moves_few_units_a_round(calm, monkeypatch):
    calm.ask(date=on(1))
    limits = []
    from allotment.campaign.answers import forecast

    ordinary = forecast.limited

    def watched(within, units, allowed):
        assert not within.broken_by(units)
        limits.append(allowed)
        return ordinary(within, units, allowed)

    monkeypatch.setattr(forecast, "limited", watched)
    calm.forecast(3)
    assert set(limits) == {2}


def forged(campaign, **parts):
    """The history with other parts in its last event, and the hash that belongs to them."""
    *events, last = campaign.history()
    request = Request(last.by, last.key, last.request)
    draft = Draft(last.kind, {**last.payload, **parts})
    return [*events, Event.after(events[-1].hash, last.number, last.at, request, draft)]


def test_verify_holds_a_plan_to_its_limit(calm):
    calm.ask(date=on(1))
    plan = calm.ask(date=on(2), moves=0)
    units = [round(amount / 0.5) for amount in plan.amounts.values()]
    more, less = units.index(min(units)), units.index(max(units))
    units[more], units[less] = units[more] + 1, units[less] - 1
    assert len(list(checked(State(), forged(calm)))) == 3
    with pytest.raises(HistoryError, match="plan 2 .* breaks the limit of moves"):
        list(checked(State(), forged(calm, units=units)))


@pytest.mark.parametrize(
    "part",
    [{"limit": -1}, {"gains": 1.5}, {"price_cost": "much"}, {"since": 1}, {"since": "=1"}, {"more": 1}],
)
def test_what_a_plan_stores_of_its_limit_is_checked(calm, part):
    calm.ask(date=on(1))
    plan = calm.ask(date=on(2))
    with pytest.raises(HistoryError, match="event 3 .* is invalid"):
        State().follow(forged(calm, calm={**plan.calm, **part}))


def test_a_campaign_without_crews_and_moves_is_stored_as_before(campaign):
    campaign.ask(date=on(1))
    campaign.ask(date=on(2))
    created, *asked = (event.payload for event in campaign.history())
    assert "moves" not in created
    assert all("crew" not in arm for arm in created["arms"])
    assert all("calm" not in plan and "moves" not in plan["wishes"] for plan in asked)


def test_a_place_that_the_limit_keeps_from_its_crew_is_told_so(tmp_path):
    settings = {"arms": ["Dock", "Gate"], "most": 2, "budget": 2, "unit": 1, "crew": 2, "moves": 2, "seed": 1}
    with Campaign.create(tmp_path / "crew.db", "crew", **settings) as campaign:
        first = campaign.ask(date=on(1), explore=False)
        idle = next(place for place, amount in first.amounts.items() if not amount)
        campaign.tell(first.id, {place: int(place == idle) for place in first.amounts})
        kept = campaign.ask(date=on(2), explore=False, moves=1)
        assert kept.amounts == first.amounts
        assert f"{idle} gets nothing: 2 there would prevent" in str(campaign.explain(kept.id))
        assert "but the limit of moves leaves units where they were." in str(campaign.explain(kept.id))
        free = campaign.ask(date=on(3), explore=False)
        assert free.amounts[idle] == 2
