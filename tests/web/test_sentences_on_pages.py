"""A page chooses sentences by topic: each stands in the same place, in whatever order an answer says them."""

import re

import pytest

from allotment.campaign.answers.frontier import Frontier
from allotment.campaign.answers.overview import Overview
from allotment.campaign.answers.plan_explanation import Explanation
from allotment.campaign.answers.track_record import TrackRecord
from allotment.campaign.forms.answer import about
from allotment.campaign.logs.import_report import READ, ImportReport
from allotment.campaign.planning.plan import Plan
from allotment.web.pages.import_log.view import on_this_page, report_view

SAYING = [(kind, "sentences") for kind in (Explanation, Frontier, TrackRecord, Overview, Plan)]
SAYING += [(ImportReport, "what_it_takes")]
LOG = "date,place,amount,incidents\n2026-01-05,Dock,1,0\n2026-01-06,Dock,1,1\n2026-01-06,Yard,0,0\n"


def texts(visitor, pages):
    """All texts of some pages, each with the element that holds it."""
    return {page: sorted(re.findall(r"<[^<>]*>[^<]*[.:][^<]*", visitor.get(page).text)) for page in pages}


@pytest.fixture
def pages(campaign, visitor):
    """Pages whose answers have several sentences."""
    for day in ("2026-01-01", "2026-02-01"):
        campaign.tell(campaign.ask(date=day).id, {"Dock": 1, "Gate": 0, "Yard": 0})
    campaign.ask(date="yesterday")
    campaign.ask(exclude=["Yard"], budget="6.5")
    seen = "/c/1/settings"
    trial = visitor.submit(seen, {"budget": "5", "unit": "1", "scale": "4"}, seen=seen).headers["location"]
    return ["/c/1/today", "/c/1/budget", "/c/1/record", "/c/1/record/print", trial]


@pytest.fixture
def turn_round(monkeypatch):
    """Lets answers say their sentences in the other order."""

    def turn_round():
        for kind, name in SAYING:
            said = getattr(kind, name)
            monkeypatch.setattr(kind, name, lambda self, said=said: said(self)[::-1])

    return turn_round


def test_the_order_of_sentences_changes_no_page(pages, visitor, turn_round):
    before = texts(visitor, pages)
    assert all(len(found) > 3 for found in before.values()), before
    turn_round()
    assert texts(visitor, pages) == before


def test_the_order_of_sentences_changes_no_import(campaign, turn_round, tmp_path):
    (tmp_path / "log.csv").write_text(LOG)
    report = campaign.import_log(tmp_path / "log.csv", dry_run=True)
    before = report_view(None, report).sentences
    read = set(map(on_this_page, about(report.what_it_takes(), READ)))
    assert read and not read & set(before)  # the page says it elsewhere
    turn_round()
    assert sorted(report_view(None, report).sentences) == sorted(before) != []
