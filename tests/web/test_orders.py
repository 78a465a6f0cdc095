"""Orders for the day, what becomes of a plan, and the duty sheet."""

import re

import pytest

from allotment.web.pages.today.view import today_view

TODAY = "/c/1/today"


def orders(*lines, **fields):
    """The fields of a form with orders, each a place, a kind and if need be an amount."""
    found = dict(fields)
    for number, (place, kind, *amount) in enumerate(lines):
        found |= {f"place:{number}": place, f"order:{number}": kind, f"amount:{number}": "".join(amount)}
    return found


def test_a_plan_keeps_the_orders(campaign, visitor):
    sent = orders(("Dock", "fix", "2"), ("Gate", "exclude"), ("Yard", "require"), ("", "fix"), budget="5")
    assert visitor.submit("/c/1/plans", sent, seen=TODAY).status_code == 303
    assert campaign.plan("1").amounts == {"Dock": 2, "Gate": 0, "Yard": 3}
    text = visitor.get(TODAY).text
    assert "Orders of the day: Dock fixed at 2; Gate excluded; Yard required; budget 5 instead of 6." in text
    assert 'value="Gate"' in text  # the form keeps them for the plan that replaces this one


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (orders(("Dock", "fix", "4"), ("Gate", "fix", "3")), "Places must get 7 together"),
        (orders(("Dock", "fix", "2"), ("Dock", "exclude")), "Dock has two orders"),
        (orders(("Dock", "fix")), "The amount of Dock is empty"),
        (orders(("Dokc", "exclude")), "There is no place named 'Dokc'. Did you mean Dock?"),
        (orders(("Dock", "burn")), "Order is 'burn'"),
        (orders(budget="many"), "Budget is 'many'"),
        (orders(date="someday"), "Date is 'someday'"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_orders_that_conflict_get_an_answer_at_once(campaign, visitor, sent, sentence):
    asked = visitor.submit(
        "/c/1/orders/check", sent, seen=TODAY, headers={"accept": "application/json"}
    ).json()
    assert not asked["fits"] and asked["sentence"].startswith(sentence)
    for path in ("/c/1/orders/check", "/c/1/plans"):  # without script
        answer = visitor.submit(path, sent, seen=TODAY)
        assert answer.status_code in (404, 409, 422)
        assert sentence.replace("'", "&#39;") in answer.text
        if "place:0" in sent:
            assert f'value="{sent["place:0"]}"' in answer.text  # nothing that was typed is lost
    assert campaign.last_event == 1


def test_orders_that_fit_get_an_answer_too(campaign, visitor):
    sent = orders(("Dock", "fix", "2"))
    sentence = "These orders fit: they and the bounds of places bind 2 of 6."
    data = {"accept": "application/json"}
    found = visitor.submit("/c/1/orders/check", sent, seen=TODAY, headers=data).json()
    assert found == {"fits": True, "sentence": sentence}
    assert sentence in visitor.submit("/c/1/orders/check", sent, seen=TODAY).text
    assert visitor.submit("/c/1/orders/check", {}, seen=TODAY, headers=data).json()["sentence"] == ""
    assert campaign.last_event == 1


def test_going_back_to_change_the_orders_is_no_conflict(campaign, visitor):
    fields = visitor.fields(TODAY)
    for sent in (orders(("Dock", "fix", "2")), orders(("Dock", "fix", "3"), again="1")):
        assert visitor.post("/c/1/plans", data={**fields, **sent}).status_code == 303
    assert campaign.latest("today").amounts["Dock"] == 3


def test_what_can_be_asked_depends_on_the_plan(campaign, visitor):
    def asking():
        view = today_view(campaign)
        found = view.missing or view.rounds[0].asking
        return found.title, found.button, found.mode

    assert asking() == ("No plan for today yet", "Make today's plan", "")
    campaign.ask(date="today")
    assert asking() == ("Plan anew", "Plan anew", "again")
    assert "Nothing was recorded since plan 1" in today_view(campaign).rounds[0].asking.sentences[0]
    campaign.change(budget=5)
    assert today_view(campaign).rounds[0].asking.sentences[0] == "Since plan 1 was made: budget changed."
    campaign.tell("1", {"Dock": 0})
    assert asking() == (
        "Plan 1 has reports, so that it cannot be replaced",
        "Make a second plan",
        "also",
    )
    campaign.close_plan("1")
    assert asking()[0] == "Plan 1 is closed"
    campaign.tell("1", {"Gate": 0, "Yard": 0})
    assert asking()[0] == "Plan 1 is fully reported"
    visitor.submit("/c/1/plans", {"also": "1"}, seen=TODAY)
    text = visitor.get(TODAY).text
    assert "Plan 2" in text and "plan 1 (told)" in text


def test_a_refused_ask_names_no_options_of_commands(campaign, visitor):
    campaign.ask(date="today", fix={"Dock": 1})
    for state in ("waiting", "partly told", "told"):
        if state != "waiting":
            campaign.tell("1", {"Dock": 0} if state == "partly told" else {"Gate": 0, "Yard": 0})
        answer = visitor.submit("/c/1/plans", {"again": "1"} if state == "partly told" else {}, seen=TODAY)
        if state == "partly told" or state != "waiting":
            assert answer.status_code == 409 and "make a second plan" in answer.text
        else:
            assert answer.status_code == 409 and "was made meanwhile, with other orders" in answer.text
        assert "--" not in re.search(r'role="alert">(.*?)<', answer.text)[1]


def test_another_day_has_its_own_plan(campaign, visitor):
    assert "No plan for Saturday, 31 January yet" in visitor.get(f"{TODAY}?date=2026-01-31").text
    answer = visitor.submit("/c/1/plans", {"date": "2026-01-31"}, seen=TODAY)
    assert answer.headers["location"] == "/c/1/today?date=2026-01-31"
    assert "Saturday, 31 January 2026" in visitor.get(answer.headers["location"]).text
    assert campaign.latest("today") is None and str(campaign.plan("1").date) == "2026-01-31"
    assert visitor.get(f"{TODAY}?date=soon").status_code == 422


def test_a_plan_is_cancelled_closed_and_brought_back(campaign, visitor):
    campaign.ask(date="today")
    labels = [each.label for each in today_view(campaign, "1").rounds[0].shown.actions]
    assert labels == ["Cancel the plan", "Close the plan"]
    answer = visitor.submit("/c/1/plans/1/cancel", seen=TODAY)
    assert answer.headers["location"] == "/c/1/plans/1" and campaign.plan("1").state == "cancelled"
    text = visitor.get("/c/1/plans/1").text
    assert "Plan 1 is cancelled." in text and 'value="cancellation"' in text
    assert "/sheet" not in text and visitor.get("/c/1/plans/1/sheet").status_code == 409
    visitor.submit("/c/1/plans/1/undo", {"what": "cancellation"}, seen=TODAY)
    visitor.submit("/c/1/plans/1/close", {"from": "report"}, seen=TODAY)
    assert campaign.plan("1").state == "closed"
    visitor.submit("/c/1/plans/1/undo", {"what": "closing"}, seen=TODAY)
    campaign.tell("1", {"Dock": 1})
    told = today_view(campaign, "1").rounds[0].shown.actions[-1]
    assert (told.label, told.fields) == ("Undo the report", {"what": "report"})
    assert told.sentence == f"This takes back what was reported: Dock 1; by {campaign.by}."
    visitor.submit("/c/1/plans/1/undo", {"what": "report"}, seen=TODAY)
    assert campaign.plan("1").state == "waiting"
    assert visitor.submit("/c/1/plans/1/undo", {"what": "report"}, seen=TODAY).status_code == 409
    assert visitor.submit("/c/1/plans/1/undo", seen=TODAY).status_code == 422


def test_the_sheet_is_a_page_with_a_policy_of_its_own(campaign, visitor):
    campaign.ask(date="2026-01-31")
    page = visitor.get("/c/1/plans/1/sheet")
    policy = page.headers["content-security-policy"]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'",
        policy,
    )
    assert "x-own-policy" not in page.headers and page.headers["x-frame-options"] == "DENY"
    assert policy.partition("; frame")[0] in page.text and "<script" not in page.text
    for kind, start in (("html", b"<!doctype html>"), ("pdf", b"%PDF")):
        file = visitor.get(f"/c/1/plans/1/sheet.{kind}")
        assert file.content.startswith(start)
        assert file.headers["content-disposition"] == f'attachment; filename="plan-1-2026-01-31.{kind}"'
        assert "script-src 'self'" in file.headers["content-security-policy"]
    assert visitor.get("/c/1/plans/9/sheet").status_code == 404
    assert visitor.get("/c/1/plans/1/sheet.docx").status_code == 404


def test_the_expected_losses_stand_in_one_line(campaign, visitor):
    plan = campaign.ask(date="today")
    line = "; ".join(f"{name} {words}" for name, words in plan.ways().items())
    assert f"Expected in a round: {line}." in visitor.get(TODAY).text
