"""A plan keeps the budget, floors, caps and groups, in whole units, whatever the input; or says why not."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import AllotmentError
from allotment.campaign.planning.asking import best_units
from allotment.campaign.planning.plain_rules import equal_split, hot_spots
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.planning.wishes import Wishes
from campaign_strategies import AMOUNTS, campaigns


@given(st.data())
@settings(deadline=None)
def test_every_plan_keeps_every_bound(data):
    try:
        begun = data.draw(campaigns())
        some = st.lists(st.sampled_from([arm.name for arm in begun.arms]), max_size=2, unique=True)
        fix = {name: data.draw(st.integers(0, 8)) * begun.unit for name in data.draw(some)}
        budget = data.draw(st.one_of(st.none(), AMOUNTS))
        bounds = bounds_of(begun, Wishes.of(begun, budget, data.draw(some), data.draw(some), fix))
    except AllotmentError as error:
        assert "\n" not in str(error)
        return
    stream = np.random.default_rng(data.draw(st.integers(0, 100)))
    losses = np.sort(stream.random((len(bounds.arms), begun.steps + 1)))[:, ::-1].copy()
    for units in (best_units(losses, bounds), equal_split(bounds), hot_spots(losses[:, 0], bounds)):
        assert bounds.broken_by(units) == ""
        amounts = dict(zip(bounds.arms, (units * begun.unit).tolist(), strict=True))
        asked = begun.budget if budget is None else budget
        assert sum(amounts.values()) <= asked
        for arm, amount in amounts.items():
            assert amount <= begun.arms[arm].most
            assert amount % begun.unit == 0
        together = sum(amounts[arm] for arm in bounds.arms if begun.arms[arm].group == "north")
        if "north" in begun.groups:
            assert together >= begun.groups["north"].least
            assert begun.groups["north"].most is None or together <= begun.groups["north"].most
    assert int(equal_split(bounds).sum()) <= bounds.budget
