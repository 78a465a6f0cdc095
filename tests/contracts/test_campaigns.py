"""The contract of campaigns: in a file, in PostgreSQL, and on a server."""

import pytest

import allotment as al
from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store
from allotment.client.remote_campaign import RemoteCampaign
from contracts import campaigns
from web_api_serving import api_server

SETTINGS = {
    "arms": ["Dock", "Gate", "Yard"],
    "budget": 6,
    "unit": 1,
    "most": {"Dock": 4, "Gate": 3, "Yard": 4},
    "groups": {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"]}},
    "seed": 1,
}
NOT_DAILY = {"create", "open", "replay", "backup", "verify", "signed", "store", "by"}


@pytest.fixture(params=["in a file", "on a server"])
def campaign(request, tmp_path):
    """A campaign of each kind in turn."""
    store = tmp_path / "night.db"
    with al.Campaign.create(store, "night", **SETTINGS) as in_file:
        if request.param == "in a file":
            yield in_file
            return
    with Store(store) as opened:
        _, token = Tokens(opened).add(Rights("Ada", PLANNER), by=Rights("root", PLANNER))
    with api_server(store) as address, al.connect(address, token, "night") as remote:
        yield remote
    with al.Campaign.open(store) as in_file:
        in_file.verify()


@pytest.mark.parametrize("check", campaigns.CHECKS, ids=lambda check: check.__name__)
def test_a_campaign_keeps_the_contract(check, campaign, tmp_path):
    check(campaign, tmp_path)


def test_a_campaign_on_a_server_has_the_daily_methods():
    names = {name for name in dir(al.Campaign) if not name.startswith("_")} - NOT_DAILY
    left_out = names - set(dir(RemoteCampaign))
    of_pages = {"history_items", "identity", "import_event", "log_formats", "reading_once", "read_anew"}
    assert left_out == of_pages
