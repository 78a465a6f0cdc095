"""Places: the list, a page for each, and how a place is added, changed, renamed, retired and restored."""

import re
from datetime import timedelta

import pytest

from allotment.web.pages.places.place_view import ROUNDS, place_view
from allotment.web.pages.places.view import places_view

PLACE = "/c/1/places?name=Dock"


def seen_places(campaign):
    """The campaign after three reported plans, one of them with another amount than planned."""
    for day in ("2026-03-01", "2026-03-02", "2026-03-03"):
        plan = campaign.ask(date=day)
        campaign.tell(plan.id, {"Dock": 1, "Gate": 0, "Yard": 0}, amounts={"Gate": 2.5})
    return campaign


def test_the_list_says_what_is_known_by_group(campaign):
    seen_places(campaign)
    view = places_view(campaign, campaign.status(), "/c/1")
    assert [each.name for each in view.groups] == ["harbour", "town"]
    (dock,) = view.groups[0].places
    plan = campaign.latest()
    assert dock.gets == plan.amounts["Dock"] and not view.gets.is_today
    assert view.groups[1].gets == plan.amounts["Gate"] + plan.amounts["Yard"]
    assert "rounds" in dock.rate_words or dock.rate_words == "nearly every round"
    assert dock.response.endswith("%)") and not view.weighted


def test_without_an_answer_of_the_model_the_list_is_there(campaign):
    view = places_view(campaign, None, "/c/1")
    assert view.active == 3 and view.gets is None and not view.known
    assert view.groups[0].places[0].rate is None


def test_a_renamed_place_keeps_what_it_gets(campaign):
    campaign.ask()
    campaign.rename_arm("Dock", "Pier")
    line = places_view(campaign, None, "/c/1").groups[0].places[0]
    assert (line.name, line.gets) == ("Pier", campaign.latest().amounts["Dock"])


def test_the_map_shows_places_with_shapes(campaign):
    assert places_view(campaign, campaign.status(), "/c/1").map is None
    campaign.change(shapes={"Dock": [16.3, 48.2], "Gate": [16.4, 48.3]})
    view = places_view(campaign, campaign.status(), "/c/1")
    assert 'href="/c/1/places?name=Dock"' in view.map and view.without_shape == 1


def test_nothing_above_the_most_is_shown(campaign):
    seen_places(campaign)
    campaign.tell("3", {"Gate": 1}, amounts={"Gate": 4}, correct=True)
    view = place_view(campaign, "Gate", campaign.status(), story=campaign.explain_place("3", "Gate"))
    assert max(each.amount for each in view.known.amounts) == 3
    assert all(each.amount <= 3 for each in view.story.amounts)
    assert view.history.rounds[0].granted == 4  # which is a report, and no belief


def test_the_chart_has_the_dots_and_the_amount_of_its_table(campaign):
    seen_places(campaign)
    view = place_view(campaign, "Gate", campaign.status())
    reported = [each for each in view.known.amounts if each.reported]
    assert [(each.amount, each.reported) for each in reported] == [(2.5, "0 in 3")]
    assert view.known.chart.count('class="chart__dot"') == len(reported) + 1  # and the key
    assert 'class="chart__at"' in view.known.chart
    assert sum(each.is_granted for each in view.known.amounts) == 1


def test_a_place_tells_its_history(campaign):
    seen_places(campaign)
    campaign.rename_arm("Gate", "Arch")
    campaign.retire_arm("Arch")
    campaign.restore_arm("Arch")
    history = campaign.place_history("Gate")
    assert [(each.plan, each.granted, each.losses) for each in history.rounds] == [
        ("3", 2.5, 0),
        ("2", 2.5, 0),
        ("1", 2.5, 0),
    ]
    assert [each.words for each in history.changes] == [
        "restored",
        "retired",
        "renamed Gate → Arch",
        "added, most 3",
    ]


def test_a_long_history_is_shown_in_parts(campaign, visitor):
    for day in range(1, ROUNDS + 2):
        campaign.ask(date=f"2026-01-{day:02}" if day < 32 else "2026-02-01", explore=False)
    assert "Show 1 older plans" in visitor.get(PLACE).text
    assert "older plans" not in visitor.get(f"{PLACE}&all=1").text


def test_a_place_is_added_and_the_toast_retires_it(campaign, visitor):
    answer = visitor.submit(
        "/c/1/places/new", {"name": "Quay", "most": "2", "group": "harbour"}, seen="/c/1/places/new"
    )
    assert answer.headers["location"] == "/c/1/places?name=Quay"
    assert campaign.settings.arms[3].group == "harbour"
    text = visitor.get("/c/1/places?name=Quay").text
    assert "Quay is added." in text and 'action="/c/1/places/retire"' in text
    assert "Nothing was reported here yet" in text
    campaign.retire_arm("Quay")
    assert "Loss rate" not in visitor.get("/c/1/places?name=Quay").text


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"name": "Dock", "most": "1"}, "is or was the name of a place"),
        ({"name": "Quay", "most": ""}, "Most is empty"),
        ({"name": "Quay", "most": "9"}, "a smaller most, or a larger scale"),
        ({"name": "=Quay", "most": "1"}, "a name that does not begin with"),
    ],
    ids=str,
)
def test_a_wrong_new_place_is_a_sentence_and_what_was_typed_stays(campaign, visitor, form, sentence):
    answer = visitor.submit("/c/1/places/new", {**form, "severity": "7"}, seen="/c/1/places/new")
    assert answer.status_code in (409, 422) and sentence in answer.text
    assert 'value="7"' in answer.text and len(campaign.settings.arms) == 3


def test_a_change_is_tried_first_and_then_kept_and_changed_back(campaign, visitor):
    campaign.ask()
    before, last = campaign.settings, campaign.last_event
    form = {"name": "Dock", "most": "2", "group": "town", "severity": "5"}
    path = visitor.submit("/c/1/places/change", form, seen=PLACE).headers["location"]
    text = visitor.get(path).text
    assert "Plans grant Dock at most 2 (now 4)." in text
    assert "Dock counts towards town instead of harbour." in text
    assert "A loss at Dock counts 5 times as much" in text
    assert "compared with plan 1" in text and campaign.last_event == last
    assert '<a href="/c/1/places" aria-current="page">' in text
    for _ in range(2):  # twice is once
        kept = visitor.submit(f"{path}/keep", seen=path)
        assert kept.headers["location"] == PLACE
    arm = campaign.settings.arms[0]
    assert (str(arm.most), arm.group, str(arm.severity)) == ("2", "town", "5")
    assert campaign.last_event == last + 1
    assert f'action="{path}/back"' in visitor.get(PLACE).text
    visitor.submit(f"{path}/back", seen=path)
    assert campaign.settings == before


def test_a_trial_on_other_settings_is_not_kept(campaign, visitor):
    path = visitor.submit("/c/1/places/change", {"name": "Dock", "most": "2"}, seen=PLACE).headers["location"]
    campaign.change(budget=5)
    answer = visitor.submit(f"{path}/keep", seen=path)
    assert answer.headers["location"] != path and answer.status_code == 303
    assert "have changed in the meantime" in visitor.get(answer.headers["location"]).text
    assert str(campaign.settings.arms[0].most) == "4"


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"most": "4", "group": "harbour"}, "Nothing differs from the settings as they are"),
        ({"most": "nine"}, "is &#39;nine&#39;"),
        ({"most": "2", "least": "3"}, "the least of &#39;Dock&#39; is 3"),
        ({"most": "3", "crew": "4"}, "the crew of &#39;Dock&#39; is 4"),
    ],
    ids=str,
)
def test_a_wrong_change_is_a_sentence_and_what_was_typed_stays(campaign, visitor, form, sentence):
    answer = visitor.submit("/c/1/places/change", {"name": "Dock", "threshold": "1.5"} | form, seen=PLACE)
    if "Nothing" in sentence:
        answer = visitor.submit("/c/1/places/change", {"name": "Dock"} | form, seen=PLACE)
    assert answer.status_code in (409, 422)
    assert sentence.lower() in answer.text.lower()
    assert f'value="{form["most"]}"' in answer.text


def test_renaming_retiring_and_restoring(campaign, visitor):
    visitor.submit("/c/1/places/rename", {"name": "Dock", "new_name": "Pier"}, seen=PLACE)
    assert campaign.settings.arms[0].name == "Pier"
    assert "Pier" in visitor.get(PLACE).text  # the old name leads to it
    visitor.submit("/c/1/places/rename", {"name": "Pier", "new_name": "Dock"}, seen=PLACE)
    for step, active in (("retire", False), ("restore", True)):
        visitor.submit(f"/c/1/places/{step}", {"name": "Dock"}, seen=PLACE)
        assert campaign.settings.arms[0].active is active
    wrong = visitor.submit("/c/1/places/rename", {"name": "Dock", "new_name": "Gate"}, seen=PLACE)
    assert wrong.status_code == 409 and "is or was the name of a place" in wrong.text


def test_when_every_place_is_retired_the_pages_say_what_to_do(campaign, visitor):
    for name in ("Dock", "Gate", "Yard"):
        campaign.retire_arm(name)
    assert "No place to plan for" in visitor.get("/c/1/places").text
    assert "Every place is retired" in visitor.get("/c/1/budget").text
    assert "Restore Dock" in visitor.get(PLACE).text
    path = visitor.submit("/c/1/places/change", {"name": "Dock", "most": "2"}, seen=PLACE).headers["location"]
    assert "there is no plan to compare" in visitor.get(path).text


def test_an_unknown_place_is_not_found(campaign, visitor):
    answer = visitor.get("/c/1/places?name=Nowhere")
    assert answer.status_code == 404 and "There is no place named" in answer.text


def test_names_are_text_and_pages_have_no_style(campaign, visitor):
    evil = '<script>"&'
    campaign.add_arm(evil, most=1, group="<b>north</b>")
    campaign.change(shapes={evil: [16.3, 48.2]})
    campaign.ask()
    for path in ("/c/1/places", "/c/1/places?name=%3Cscript%3E%22%26", "/c/1/budget", "/c/1/places/new"):
        answer = visitor.get(path)
        assert answer.status_code == 200
        assert "<script>&" not in answer.text and "<b>north" not in answer.text
        assert not re.search(r"<[^>]*\s(style|on\w+)=|<style|javascript:", answer.text)


def test_places_without_a_report_are_listed(campaign, visitor):
    today = campaign.day()
    for ago in (12, 8):
        plan = campaign.ask(date=today - timedelta(days=ago), explore=False)
        campaign.tell(plan.id, {"Dock": 0} if ago == 8 else {"Gate": 0})
    text = visitor.get("/c/1/places").text
    rows = re.findall(r'<td class="number">(\d+)</td><td class="number">(\d+)</td>', text)
    assert rows == [("12", "2"), ("8", "1")]
    assert "2 of 3 active places have had no report for at least 7 days" in text and "<td>never</td>" in text
    assert "1 of 3 active places has had no report" in visitor.get("/c/1/places?days=10").text
    for wrong in ("0", "many", "99999999"):
        refused = visitor.get(f"/c/1/places?days={wrong}")
        assert refused.status_code == 422 and "Days is" in refused.text and f'value="{wrong}"' in refused.text
