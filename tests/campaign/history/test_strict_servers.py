"""PostgreSQL servers whose default isolation is stricter than ours: reports that come together are taken."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from allotment import Campaign
from allotment.campaign.history.store.store import Store

REPORTERS, PLACES = 6, 24


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_concurrent_reports_are_taken_whatever_the_default(postgres, postgres_address, level):
    name = postgres_address.partition("?")[0].rpartition("/")[2]
    postgres.psql(f"ALTER DATABASE {name} SET default_transaction_isolation = '{level}'")
    places = [f"Place {i}" for i in range(PLACES)]
    settings = {"arms": places, "budget": PLACES, "unit": 1, "most": 2, "seed": 1}
    with Campaign.create(postgres_address, "night", **settings) as campaign:
        plan = campaign.ask(explore=False).id

        def report(number):
            with Campaign(Store(postgres_address), 1, f"Bo {number}") as own:
                for place in places[number::REPORTERS]:
                    own.tell(plan, {place: 0})

        with ThreadPoolExecutor(REPORTERS) as pool:
            list(pool.map(report, range(REPORTERS)))
        assert campaign.plan(plan).untold == ()
        campaign.verify()
