import pytest

import campaign_decider
from allotment import Campaign

ARMS = ("Dock", "Gate", "Yard")


@pytest.fixture(autouse=True)
def plain_decider(monkeypatch):
    """The decision itself is tested elsewhere."""
    campaign_decider.install(monkeypatch.setattr)


@pytest.fixture
def campaign(tmp_path):
    settings = {"arms": ARMS, "budget": 6, "unit": 0.5, "most": 4, "seed": 7, "timezone": "Europe/Vienna"}
    with Campaign.create(tmp_path / "night.db", "night", **settings, author="Ada") as made:
        yield made
