"""The day: which date it is where the campaign is, and when its day starts."""

from datetime import UTC, date, datetime

import pytest

from allotment import Campaign, InputError
from allotment.campaign.forms import names

LATE = datetime(2026, 4, 1, 0, 30, tzinfo=UTC)  # 02:30 in Vienna


@pytest.fixture(autouse=True)
def late(monkeypatch):
    monkeypatch.setattr(names, "now", lambda: LATE)


def test_before_the_day_starts_it_is_still_the_night_before(campaign):
    assert campaign.ask().date == date(2026, 4, 1)
    campaign.change(day_starts="6:00")
    assert campaign.settings.day_starts == "06:00"
    assert campaign.ask().date == campaign.day("today") == date(2026, 3, 31)
    assert campaign.day("Yesterday") == date(2026, 3, 30)
    assert campaign.day("tomorrow") == date(2026, 4, 1)
    assert [each.id for each in campaign.to_report()] == ["2"]
    campaign.change(day_starts="02:30")
    assert campaign.day() == date(2026, 4, 1)
    campaign.change(day_starts=None)
    assert campaign.settings.day_starts is None
    campaign.verify(plans=True)


def test_day_starts_is_a_setting_from_the_beginning_on(tmp_path):
    settings = {"arms": ["A"], "budget": 1, "unit": 1, "most": 1, "timezone": "Europe/Vienna"}
    with Campaign.create(tmp_path / "a.db", "a", **settings, day_starts="06:00", key="k") as campaign:
        assert campaign.ask().date == date(2026, 3, 31)
        campaign.export(tmp_path / "a.jsonl")
    with Campaign.replay(tmp_path / "a.jsonl", tmp_path / "b.db") as replayed:
        assert replayed.settings.day_starts == "06:00"


def test_settings_that_came_later_are_stored_only_if_they_are_set(campaign):
    assert "day_starts" not in next(campaign.history()).payload


@pytest.mark.parametrize("wrong", ["25:00", "6", "06:60", "6 am", "", 6])
def test_what_is_no_time_of_the_day(campaign, wrong):
    with pytest.raises(InputError, match=r"the start of the day is .*; expected a time of the day such as"):
        campaign.change(day_starts=wrong)
