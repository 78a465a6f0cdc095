"""Evidence that is kept up to date is the evidence that is added up anew."""

import random

import pytest

from allotment import Campaign
from allotment.campaign.history.ledger import all_rows, tallied

LOG = "date,place,amount,incidents,exposure\n"


def anew(campaign):
    state = campaign._current()
    return tallied(all_rows(state.plans, state.imports), state.amounts)


def kept(campaign):
    return campaign._current().tallies()


@pytest.mark.parametrize("losses", ["binary", "counts"])
def test_it_follows_reports_imports_corrections_and_undoing(losses, tmp_path):
    luck, places = random.Random(1), ["Dock", "Gate", "Yard"]
    with Campaign.create(
        tmp_path / "night.db", "night", arms=places, budget=4, unit=1, most=3, losses=losses, seed=1
    ) as campaign:
        log = tmp_path / "log.csv"
        most = 1 if losses == "binary" else 3
        assert kept(campaign) == anew(campaign) == []
        for step in range(40):
            what = luck.choice(["ask", "tell", "tell", "tell", "withdraw", "import", "undo", "undo import"])
            plans = campaign._current().plans
            imports = [each.id for each in campaign._current().imports if each.live]
            try:
                if what == "ask" or not plans:
                    campaign.ask(explore=False)
                elif what in ("tell", "withdraw"):
                    count = None if what == "withdraw" else luck.randint(0, most)
                    granted = {luck.choice(places): luck.choice(["0", "0.1", "2", "7.5"])}
                    report = {luck.choice(places): count}
                    campaign.tell(luck.choice(plans).id, report, amounts=granted, correct=True)
                elif what == "import":
                    exposure = 3 if losses == "binary" else luck.choice(["0.1", "0.7", "3"])
                    day = f"2026-01-{luck.randint(1, 9):02}"
                    log.write_text(f"{LOG}{day},{luck.choice(places)},1,{luck.randint(0, 2)},{exposure}\n")
                    campaign.import_log(log, correct=True)
                elif what == "undo":
                    campaign.undo(luck.choice(plans).id, what="report")
                elif imports:
                    campaign.undo(luck.choice(imports))
            except ValueError:  # nothing to undo or to replace
                pass
            assert kept(campaign) == anew(campaign), f"after step {step}: {what}"
        assert anew(campaign)
        campaign.verify()
