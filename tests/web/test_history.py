"""History: every event in words, filtered, paged, and downloaded."""

import csv
import io

import pytest

from allotment.campaign.campaign import Campaign
from allotment.web.pages.history.view import history_view


@pytest.fixture
def busy(campaign):
    campaign.by = "Ada"
    campaign.ask(date="2026-04-01")
    campaign.tell("1", {"Dock": 1, "Gate": 0})
    campaign.by = "Ben"
    campaign.tell("1", {"Dock": 0}, correct=True)
    campaign.change(budget=5)
    return campaign


def test_events_are_listed_by_day_in_words(busy, visitor):
    text = visitor.get("/c/1/history").text
    assert "5 events" in text and f"Times are in {busy.settings.timezone}" in text
    assert "Dock&nbsp;<b>1 → 0</b>" in text and "budget 6 → 5" in text
    assert 'href="/c/1/plans/1">Plan 1 of 1 April 2026</a>' in text


def test_the_filter_stays_in_the_form_and_in_the_links(busy, visitor):
    text = visitor.get("/c/1/history", params={"by": "Ben", "kind": "told"}).text
    assert "1 event that fit the filter" in text
    assert 'href="/c/1/history/events.csv?kind=told&amp;by=Ben"' in text
    assert '<option value="told" selected>Report</option>' in text
    assert "No event fits this filter" in visitor.get("/c/1/history?first=2001-01-01&last=2001-01-02").text


@pytest.mark.parametrize(
    ("query", "sentence"),
    [("place=Dokc", "There is no place named &#39;Dokc&#39;."), ("first=soon", "First is &#39;soon&#39;")],
)
def test_a_filter_that_cannot_be_used_is_a_sentence(busy, visitor, query, sentence):
    answer = visitor.get(f"/c/1/history?{query}")
    assert answer.status_code == 422 and sentence in answer.text


def test_pages_of_events(busy, visitor):
    for budget in range(60):
        busy.change(budget=10 + budget % 2)
    text = visitor.get("/c/1/history?kind=changed").text
    assert "Page 1 of 2" in text and 'rel="next" href="/c/1/history?kind=changed&amp;page=2"' in text
    for odd in ("0", "-1", "x", "9" * 50, "²"):
        assert visitor.get("/c/1/history", params={"page": odd}).status_code == 200
    assert "Page 2 of 2" in visitor.get("/c/1/history?page=7&kind=changed").text


def test_a_place_shows_what_is_said_of_it(busy):
    (line,) = history_view(busy, {"place": "Gate", "kind": "told"}, 1).days[0].events
    assert line.parts == (("Gate", "0"),)


def test_long_events_are_folded_and_losses_come_first(campaign):
    for number in range(30):
        campaign.add_arm(f"P{number}", most=1)
    campaign.ask()
    campaign.tell("1", {f"P{number}": int(number == 29) for number in range(30)})
    line = history_view(campaign, {}, 1).days[0].events[0]
    assert line.lead == "30 places reported, 1 of them not quiet"
    assert line.parts[0] == ("P29", "1") and (len(line.parts), len(line.more)) == (8, 22)
    campaign.tell(campaign.ask().id, {f"P{number}": 0 for number in range(30)})
    assert history_view(campaign, {}, 1).days[0].events[0].lead == "30 places reported, all quiet"


def test_an_event_of_a_thousand_places_does_not_fill_the_page(campaign, visitor, monkeypatch):
    monkeypatch.setattr("allotment.web.pages.history.view.MORE_SHOWN", 5)
    for number in range(30):
        campaign.add_arm(f"P{number}", most=1)
    campaign.change(severities=2)
    line = history_view(campaign, {}, 1).days[0].events[0]
    assert (len(line.parts), len(line.more), line.left_out) == (8, 5, 20)
    assert "20 others are in the downloaded table." in visitor.get("/c/1/history").text


def test_the_download_is_a_table_that_computes_nothing(busy, visitor, tmp_path, monkeypatch):
    monkeypatch.setattr("allotment.campaign.forms.names.WIDE_FORMULA", ())  # as an earlier version took it
    with Campaign.open(tmp_path / "night.db", author="\uff1d1+1") as old:
        old.change(budget=4)
    monkeypatch.undo()
    answer = visitor.get("/c/1/history/events.csv", params={"kind": "changed"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"].startswith('attachment; filename="night-history.csv"')
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["words"] for row in rows] == ["budget 6 → 5", "budget 5 → 4"]
    assert rows[1]["by"] == "'\uff1d1+1"


def test_the_export_is_the_whole_campaign(busy, visitor, tmp_path):
    answer = visitor.get("/c/1/history/export.jsonl")
    (tmp_path / "a.jsonl").write_bytes(answer.content)
    with Campaign.replay(tmp_path / "a.jsonl", tmp_path / "copy.db") as copy:
        assert copy.last_event == busy.last_event
        copy.verify()


def test_strangers_download_nothing(busy, stranger):
    for path in ("history/events.csv", "history/export.jsonl"):
        assert stranger.get(f"/c/1/{path}").headers["location"] == "/sign-in"
