"""The frontier: it stops where nothing more helps, its band never rises, and it finds budgets for targets."""

import numpy as np
import pytest

from allotment import Campaign, InputError
from allotment.campaign.planning import decision
from campaign_decider import PlainPosterior

LATER = {"arms": ["Dock", "Gate"], "unit": 1, "seed": 3}


class FlatFrom10(PlainPosterior):
    """More than 10 units prevent nothing more."""

    def __init__(self, *known):
        super().__init__(*known)
        self.mean_losses = np.maximum(self.mean_losses, self.mean_losses[:, 10:11])


def test_it_stops_where_nothing_more_helps(tmp_path, monkeypatch):
    monkeypatch.setattr(decision, "posterior_of", FlatFrom10)
    with Campaign.create(tmp_path / "f.db", "f", **LATER, budget=3, most={"Dock": 40, "Gate": 1}) as campaign:
        frontier = campaign.frontier()
    assert frontier.points[0].budget == 0
    assert frontier.points[-1].budget == frontier.enough == 11
    assert "Above a budget of 11, more prevents less than 0.1 % of the losses." in str(frontier)


def test_a_larger_budget_than_helps_is_still_shown(tmp_path):
    with Campaign.create(tmp_path / "f.db", "f", **LATER, budget=99, most=4) as campaign:
        frontier = campaign.frontier()
    assert frontier.points[-1].budget == 99
    assert frontier.now.one_more_losses == 0


def test_bands_never_rise_with_the_budget(campaign):
    plan = campaign.ask()
    campaign.tell(plan.id, {"Dock": 1, "Gate": 0, "Yard": 1})
    points = campaign.frontier().points
    for name in ("low", "high", "cost_low", "cost_high", "expected_cost"):
        values = [getattr(point, name) for point in points]
        assert values == sorted(values, reverse=True), name
    assert "never rise with the budget" in str(campaign.frontier())


def test_the_band_of_a_draw_that_dislikes_more_budget_does_not_rise(campaign, monkeypatch):
    """Some draws may be worse off with the split that is best in expectation."""

    def draw(self, count, seed):
        draws = self.mean_losses[None].repeat(count, axis=0)
        draws[:, 0] = draws[:, 0, ::-1]  # more makes it worse at the first place
        return draws

    monkeypatch.setattr(PlainPosterior, "draw", draw)
    highs = [point.high for point in campaign.frontier().points]
    assert highs == sorted(highs, reverse=True)


@pytest.mark.parametrize("cost", [False, True])
def test_the_smallest_budget_for_a_target(tmp_path, cost):
    severities = {"Dock": 1, "Gate": 4}
    with Campaign.create(
        tmp_path / "f.db", "f", **LATER, budget=3, most=4, severities=severities
    ) as campaign:
        every = campaign.frontier().points
        name = "expected_cost" if cost else "expected_losses"
        for aim in (1.5 * getattr(every[3], name), getattr(every[3], name) + 1e-9, getattr(every[-1], name)):
            found = campaign.frontier(target=aim, cost=cost)
            reached = [point.budget for point in every if getattr(point, name) <= aim]
            assert found.budget_for_target == reached[0]
            assert found.at_target.low <= found.at_target.high
            assert f"the smallest budget is {reached[0]}" in str(found)
        hopeless = campaign.frontier(target=0, cost=cost)
        assert hopeless.budget_for_target is None
        assert "not reachable with what the places can use" in str(hopeless)
        with pytest.raises(InputError, match="target is -1"):
            campaign.frontier(target=-1)
