"""Check: the result of each check, with links to what helps."""

from dataclasses import replace
from datetime import date

from allotment.campaign.answers.checks.finding import Checkup, Finding, with_store
from allotment.web.pages.check.view import check_view

QUIET = Finding("fit", False, "nothing found", "no sign of a bad fit.")
REMEDY = ("Name situations.", "allotment change STORE --x", {"weeks": 9})
ALARM = Finding("calendar", True, "raised", "weekends differ.", *REMEDY)
FOUND = Checkup("night", date(2026, 3, 2), (ALARM, replace(QUIET, kind="drift"), QUIET))


def test_a_new_campaign_is_too_early_to_check(campaign, visitor):
    text = visitor.get("/c/1/check").text
    assert text.count("Too early") == 3 and "No alarms or warnings." in text
    assert "No whole week" in text and 'aria-current="page">Check' in text


def test_an_alarm_names_its_remedy_and_a_page(campaign, visitor, monkeypatch):
    monkeypatch.setattr(type(campaign), "checkup", lambda self, **options: FOUND)
    text = visitor.get("/c/1/check").text
    assert "1 alarm or warning." in text and "Weekends differ." in text
    assert '<a href="/c/1/settings">Name situations</a>' in text


def test_while_it_runs_there_are_no_cards():
    view = check_view(None, "/c/1")
    assert view.cards == () and not view.is_done
    results = [each.result for each in check_view(FOUND, "/c/1").cards]
    assert results == ["Alarm", "Nothing found", "Nothing found"]


def test_the_record_has_rows_sentences_and_commands():
    assert FOUND.alarms == (ALARM,) and FOUND.table()[1][0] == ("calendar", "alarm")
    named = with_store(FOUND, "my night.db")
    assert "Type: allotment change 'my night.db' --x" in named.sentences()
    assert FOUND.to_dict()["findings"][0]["numbers"] == {"weeks": 9}
    assert len(FOUND.columns()) == len(FOUND.rows()[0])
