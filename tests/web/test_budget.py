"""Budget: the frontier, the budget for a target, what-if, and the forecast."""

import re
import threading

import pytest

from allotment.web.pages.budget.view import forecast_numbers, frontier_numbers
from allotment.web.pages.budget.what_if import as_things_are, changes_in
from allotment.web.work import jobs, kept_answers
from running import PATIENCE_SECONDS, wait_until

BUDGET = "/c/1/budget"


def tried(visitor, **form):
    """The page of a trial, from the form of what-if as it is at first with some other fields."""
    first = {"budget": "6", **form}
    return visitor.submit(f"{BUDGET}/what-if", first, seen=BUDGET)


def test_the_frontier_marks_the_budget_and_has_its_table(campaign):
    frontier = campaign.frontier()
    found = frontier_numbers(frontier)
    assert len(found.charts) == 1 and "budget now: 6" in found.charts[0]
    assert [row[0] for row in found.rows] == [each.budget for each in frontier.points]
    campaign.change(severities={"Dock": 5})
    charts = frontier_numbers(campaign.frontier()).charts
    assert len(charts) == 2 and "Cost of a round" in charts[1]


def test_a_target_has_a_budget_or_none(campaign, visitor):
    text = visitor.get(f"{BUDGET}?target=1").text
    assert "the smallest budget is" in text
    tried = re.search(r'href="(/c/1/budget\?budget=([\d.]+))#what-if"', text)
    assert f'name="budget" value="{tried[2]}"' in visitor.get(tried[1]).text
    assert "not reachable with what the places can use" in visitor.get(f"{BUDGET}?target=0").text
    wrong = visitor.get(f"{BUDGET}?target=few")
    assert wrong.status_code == 422 and "Target is &#39;few&#39;" in wrong.text
    assert 'value="few"' in wrong.text
    campaign.change(severities={"Dock": 5})
    text = visitor.get(f"{BUDGET}?target=3&of=cost").text
    assert "an expected cost of at most 3 a round" in text


def test_answers_are_kept_until_the_next_event(campaign, visitor, monkeypatch):
    asked = []
    frontier = type(campaign).frontier
    monkeypatch.setattr(type(campaign), "frontier", lambda *a, **o: asked.append(1) or frontier(*a, **o))
    for _ in range(2):
        assert "What each budget leads to" in visitor.get(BUDGET).text
    assert len(asked) == 1
    campaign.change(budget=7)
    assert "With 7, expect" in visitor.get(BUDGET).text
    assert len(asked) == 2


def test_an_answer_that_takes_long_does_not_hold_the_page(campaign, visitor, monkeypatch):
    gate, frontier = threading.Event(), type(campaign).frontier

    def wait(*arguments, **options):
        assert gate.wait(PATIENCE_SECONDS)
        return frontier(*arguments, **options)

    monkeypatch.setattr(type(campaign), "frontier", wait)
    monkeypatch.setattr(kept_answers, "PATIENCE_SECONDS", 0.05)
    text = visitor.get(BUDGET).text
    assert "as soon as it is computed" in text and "Computing the frontier" in text
    text = visitor.get(f"{BUDGET}?target=1").text
    assert "The budget follows as soon as it is computed." in text
    jobs_of_page = re.findall(r'data-pending="(/c/1/jobs/[\w-]+)"', text)
    assert len(set(jobs_of_page)) == 2  # the frontier, and the target
    assert 'name="budget"' in text  # what-if is there meanwhile
    gate.set()
    wait_until(lambda: "as soon as it is computed" not in visitor.get(BUDGET).text)
    assert "chart--bands" in visitor.get(BUDGET).text


def test_what_if_shows_the_difference_and_writes_nothing(campaign, visitor):
    plan, last = campaign.ask(), campaign.last_event
    path = tried(visitor, budget="8").headers["location"]
    text = visitor.get(path).text
    assert "The budget of a round becomes 8 (now 6)." in text
    assert f"compared with plan {plan.id}" in text and "Keep this change" in text
    assert campaign.last_event == last


def test_a_budget_is_kept_and_changed_back(campaign, visitor):
    path = tried(visitor, budget="8", moves="2").headers["location"]
    assert visitor.submit(f"{path}/keep", seen=path).headers["location"] == BUDGET
    assert (campaign.settings.budget, campaign.settings.moves) == (8, 2)
    assert "This change is kept" in visitor.get(path).text
    visitor.submit(f"{path}/back", seen=path)
    assert (campaign.settings.budget, campaign.settings.moves) == (6, None)


def test_groups_crews_and_bounds_can_be_tried(campaign, visitor):
    form = {
        "group_least:town": "1",
        "group_most:town": "3",
        "most:every": "3",
        "place:0": "Yard",
        "most:0": "2",
        "crew:0": "2",
    }
    path = tried(visitor, **form).headers["location"]
    visitor.submit(f"{path}/keep", seen=path)
    settings = campaign.settings
    assert [str(arm.most) for arm in settings.arms] == ["3", "3", "2"]
    assert settings.arms[2].crew == 2
    assert (settings.groups["town"].least, settings.groups["town"].most) == (1, 3)
    assert settings.members() == {"harbour": ["Dock"], "town": ["Gate", "Yard"]}


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Nothing differs from the settings as they are"),
        ({"budget": ""}, "Budget is empty"),
        ({"budget": "-1"}, "Budget is &#39;-1&#39;"),
        ({"moves": "1.5"}, "a whole number of units"),
        ({"most:0": "2"}, "no place is named beside it"),
        ({"place:0": "Nowhere", "most:0": "2"}, "There is no place named &#39;Nowhere&#39;"),
        ({"group_least:town": "9"}, "town"),
    ],
    ids=str,
)
def test_a_wrong_what_if_is_a_sentence_and_what_was_typed_stays(campaign, visitor, form, sentence):
    last = campaign.last_event
    answer = tried(visitor, **form, **({} if not form else {"least:every": "1"}))
    assert answer.status_code in (404, 409, 422) and sentence in answer.text
    for value in form.values():
        assert f'value="{value}"' in answer.text
    assert campaign.last_event == last


def test_another_row_for_a_place(campaign, visitor):
    answer = visitor.submit(
        f"{BUDGET}/what-if", {"budget": "8", "place:0": "Dock", "most:0": "1", "another": "1"}, seen=BUDGET
    )
    assert answer.status_code == 200
    assert 'name="place:1"' in answer.text and 'value="8"' in answer.text and 'value="Dock"' in answer.text


def test_the_form_as_it_is_at_first_changes_nothing(campaign):
    from allotment.campaign.answers.change_words import real_changes

    campaign.change(moves=3, groups={"town": {"arms": ["Gate", "Yard"], "least": 1, "most": 5}})
    settings = campaign.settings
    assert real_changes(settings, changes_in(as_things_are(settings), settings)) == {}


def test_the_forecast_is_long_work_that_says_how_far_it_is(campaign, visitor, monkeypatch):
    gate, said = threading.Event(), threading.Event()
    forecast = type(campaign).forecast

    def wait(self, rounds, *, progress):
        progress(0.4)
        said.set()
        assert gate.wait(PATIENCE_SECONDS)
        return forecast(self, rounds, progress=progress)

    monkeypatch.setattr(type(campaign), "forecast", wait)
    monkeypatch.setattr(jobs.follow, "__defaults__", (0.05,))
    path = visitor.submit(f"{BUDGET}/forecast", {"rounds": "3"}, seen=BUDGET).headers["location"]
    assert said.wait(PATIENCE_SECONDS)
    assert visitor.get(f"{path}/state").json()["note"] == "About 40 % done."
    assert "Computing the forecast of 3 rounds" in visitor.get(BUDGET).text
    other = visitor.submit(f"{BUDGET}/forecast", {"rounds": "4"}, seen=BUDGET)
    assert other.status_code == 409 and "still being computed" in other.text
    gate.set()
    wait_until(lambda: visitor.get(f"{path}/state").json()["ended"])
    assert visitor.get(path).headers["location"] == f"{BUDGET}#forecast"
    assert "today&#39;s plan repeated" in visitor.get(BUDGET).text
    campaign.change(budget=7)
    assert "today&#39;s plan repeated" not in visitor.get(BUDGET).text


@pytest.mark.parametrize("rounds", ["0", "1001", "ten", "", "9" * 40, "²"])
def test_a_wrong_number_of_rounds_is_a_sentence(campaign, visitor, rounds):
    answer = visitor.submit(f"{BUDGET}/forecast", {"rounds": rounds}, seen=BUDGET)
    assert answer.status_code == 422
    assert "The number of rounds is" in answer.text


def test_a_long_forecast_is_drawn_with_few_points(campaign, monkeypatch):
    monkeypatch.setattr("allotment.web.pages.budget.view.POINTS", 10)
    found = forecast_numbers(campaign.forecast(25))
    line = found.charts[0].split('class="chart__line')[0].rsplit('d="M', 1)[1]
    assert 8 < (line.count(" ") + 1) / 2 <= 11
    assert len(found.rows) == 4


def test_pictures_and_pages_draw_the_same_panels(campaign):
    campaign.tell(campaign.ask().id, {"Dock": 1, "Gate": 0, "Yard": 0})
    for answer in (campaign.frontier(), campaign.forecast(3), campaign.status()):
        panels = answer.panels()
        axes = answer.plot().axes
        assert len(axes) == len(panels)
        for drawn, panel in zip(axes, panels, strict=True):
            lines = [line for line in drawn.lines if line.get_linestyle() == "-"]
            assert [list(line.get_ydata()) for line in lines] == [list(band.middle) for band in panel.bands]
            assert drawn.get_title() == panel.title
