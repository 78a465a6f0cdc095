"""What every campaign keeps, in a file or on a server. Each check is handed one that was just begun.

It has the places Dock, Gate and Yard (most 4, 3 and 4), the groups harbour (Dock) and town, budget 6, unit 1.
`folder` is for files.
"""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

from allotment.errors import ConflictError, FileError, InputError, NotFoundError

DAY = date(2026, 3, 2)


def refuses(error, action, part=""):
    try:
        action()
    except error as raised:
        assert part.lower() in str(raised).lower(), f"{raised} does not say {part!r}"
        return
    raise AssertionError(f"expected {error.__name__}")


def check_a_day(campaign, folder):
    plan = campaign.ask(date=DAY, budget=5, exclude=["Yard"])
    assert plan.id == "1" and plan.date == DAY and plan.state == "waiting"
    assert plan.amounts["Yard"] == 0 and sum(plan.amounts.values()) == 5
    assert campaign.plan("1") == campaign.latest() == campaign.latest(DAY) == plan
    assert campaign.tell("1", {"Dock": 1, "Gate": np.int64(0)}, amounts={"Dock": Decimal("2.5")}) == ("Yard",)
    assert campaign.plan("1").told == {"Dock": 1, "Gate": 0}
    assert campaign.plan("1").told_amounts["Dock"] == 2.5 and campaign.plan("1").state == "partly told"
    assert campaign.tell("1", {"Yard": None, "Dock": 0}, correct=True) == ("Yard",)
    campaign.close_plan("1")
    assert campaign.plan("1").state == "closed" and campaign.open_plans() == ()
    assert campaign.orders("1")["exclude"] == ["Yard"]


def check_plan_for_shows_the_open_plan(campaign, folder):
    first = campaign.plan_for(DAY)
    again = campaign.plan_for(DAY)
    assert first.made and not again.made and again.plan == first.plan
    campaign.change(budget=5)
    assert campaign.plan_for(DAY, again=True).plan.replaces == "1"
    assert [each.state for each in campaign.plans_of(DAY)] == ["cancelled", "waiting"]
    assert campaign.plan_for(DAY, also=True).plan.id == "3"
    refuses(ConflictError, lambda: campaign.plan_for(DAY, again=True, also=True), "again and also")
    assert campaign.changes_since("1") != ()


def check_keys(campaign, folder):
    first, again = campaign.ask(date=DAY, key="k"), campaign.ask(date=DAY, key="k")
    assert first == again
    refuses(ConflictError, lambda: campaign.ask(date=DAY, budget=1, key="k"), "another request")
    campaign.tell("1", {"Dock": 1}, key="t")
    campaign.tell("1", {"Dock": 1}, key="t")
    before = campaign.last_event
    campaign.change(budget=5, key="c")
    campaign.change(budget=5, key="c")
    assert campaign.last_event == before + 1
    kinds = [event.kind for event in campaign.history()]
    assert kinds == ["created", "asked", "told", "changed"]


def check_undo(campaign, folder):
    campaign.ask(date=DAY)
    campaign.tell("1", {"Dock": 1})
    assert set(campaign.in_force("1")) == {"report"}
    campaign.undo("1")
    assert campaign.plan("1").told == {}
    campaign.cancel("1")
    refuses(ConflictError, lambda: campaign.tell("1", {"Dock": 1}))
    campaign.undo("1", what="cancellation")
    assert campaign.plan("1").state == "waiting"


def check_reports_of_others_are_noticed(campaign, folder):
    campaign.ask(date=DAY)
    knew = campaign.last_event
    campaign.tell("1", {"Dock": 1})
    refuses(ConflictError, lambda: campaign.tell("1", {"Dock": 0}), "was told 1 for Dock")
    refuses(ConflictError, lambda: campaign.tell("1", {"Dock": 0}, correct=True, knew=knew))
    campaign.tell("1", dict.fromkeys(("Dock", "Gate", "Yard"), 0), keep=True)
    report = campaign.report("1")
    assert [(each.place, each.losses) for each in report.places] == [("Dock", 1), ("Gate", 0), ("Yard", 0)]
    assert report.missing == () and report.places[0].by == report.places[1].by


def check_places(campaign, folder):
    campaign.add_arm("Shed", most=2, group="town", crew=1)
    campaign.rename_arm("Dock", "Pier")
    campaign.retire_arm("Gate")
    assert set(campaign.ask(date=DAY).amounts) == {"Pier", "Yard", "Shed"}
    campaign.restore_arm("Gate")
    assert "Gate" in campaign.ask(date=DAY).amounts
    assert campaign.settings.arms[campaign.settings.find("Dock")].name == "Pier"
    assert (
        campaign.place_history("Dock").name == "Pier"
        if hasattr(campaign.place_history("Dock"), "name")
        else True
    )
    refuses(
        ConflictError, lambda: campaign.retire_arm("Pier") or campaign.retire_arm("Pier"), "retired already"
    )
    refuses(NotFoundError, lambda: campaign.retire_arm("Bridge"), "no place named")


def check_settings(campaign, folder):
    assert campaign.name == campaign.settings.name == "night"
    assert [str(each) for each in campaign.try_change(budget=4)] != [] and campaign.settings.budget == 6
    campaign.change(budget=Decimal("4"), half_life=30, most={"Dock": 2})
    campaign.change(half_life=None, groups={"all": {"arms": ["Dock", "Gate"], "most": 3}})
    settings = campaign.settings
    assert settings.budget == 4 and settings.half_life is None and settings.groups["all"].most == 3
    refuses(InputError, lambda: campaign.change(budget=-1), "budget")
    refuses(InputError, lambda: campaign.change(nonsense=1))
    refuses(ConflictError, lambda: campaign.change(least={"Dock": 2, "Gate": 3, "Yard": 4}))


def check_orders_that_conflict(campaign, folder):
    assert campaign.check_orders(exclude=["Dock"]) is not None
    for orders in ({"fix": {"Dock": 4, "Yard": 4}}, {"require": "Dock", "exclude": "Dock"}):
        refuses(ConflictError, lambda orders=orders: campaign.check_orders(**orders))
        refuses(ConflictError, lambda orders=orders: campaign.ask(date=DAY, **orders))
    refuses(NotFoundError, lambda: campaign.ask(exclude=["Bridge"]), "Bridge")
    refuses(InputError, lambda: campaign.ask(date="someday"), "someday")
    assert campaign.latest() is None


def check_wrong_reports(campaign, folder):
    campaign.ask(date=DAY)
    refuses(InputError, lambda: campaign.tell("1", {"Dock": 3}), "yes or no")
    refuses(InputError, lambda: campaign.tell("1", {}), "othing is told")
    refuses(NotFoundError, lambda: campaign.tell("1", {"Bridge": 0}), "Bridge")
    refuses(NotFoundError, lambda: campaign.tell("9", {"Dock": 0}))
    refuses(NotFoundError, lambda: campaign.plan("../1"))
    assert campaign.last_event == 2


def check_answers(campaign, folder):
    campaign.ask(date=DAY)
    campaign.tell("1", {"Dock": 1, "Gate": 0, "Yard": 0})
    status = campaign.status()
    assert [each.arm for each in status.arms] == ["Dock", "Gate", "Yard"] and status.budget == 6
    assert "Dock" in str(status) and status.to_dict()["campaign"] == "night"
    frontier = campaign.frontier(target=1.0)
    assert frontier.budget_for_target is not None and str(frontier)
    shares = []
    forecast = campaign.forecast(2, progress=shares.append)
    assert shares and str(forecast)
    checkup = campaign.checkup(progress=shares.append)
    assert [each.kind for each in checkup.findings] == ["calendar", "drift", "fit"]
    assert {each.state for each in checkup.findings} == {"too early"} and campaign.check() == ()
    assert "it takes 28" in str(checkup) and checkup.to_dict()["campaign"] == "night"
    tried = campaign.what_if(budget=3, exclude=["Gate"])
    assert sum(tried.amounts.values()) == 3 and tried.amounts["Gate"] == 0 and campaign.settings.budget == 6
    record = campaign.record()
    assert record.parts[0].name == "2026-03" and record.total.rounds == 1 and record.total.happened == 1
    assert [each.name for each in campaign.record(by="group").parts] == ["harbour", "town"] and str(record)
    refuses(InputError, lambda: campaign.record(by="year"), "by")
    explained = campaign.explain("1")
    assert str(explained) and campaign.explain_place("1", "Dock").sentences()
    assert campaign.evidence()[0].arm == "Dock" and campaign.evidence()[0].rounds == 1
    assert campaign.overview().campaign == "night"


def check_control_rounds(campaign, folder):
    refuses(NotFoundError, campaign.effect, "no control rounds")
    campaign.change(control={"share": "0.9", "plan": {"Dock": 2}})
    control = campaign.settings.control
    assert (str(control.share), control.plan) == ("0.9", {0: 2})
    for day in range(12):
        plan = campaign.ask(date=DAY + timedelta(days=day))
        assert plan.control in (None, {"comparison": "given amounts", "share": 0.9})
        campaign.tell(plan.id, {"Dock": 1, "Gate": 0, "Yard": day % 2})
    effect = campaign.effect()
    assert (effect.rounds, effect.compared_with, effect.awaiting) == (12, "Dock 2", None)
    assert effect.exact.low < effect.exact.high and effect.verdict() in str(effect)
    assert any(each.share == 0.9 for each in campaign.effect_duration().courses)
    refuses(InputError, lambda: campaign.change(control=2), "0.01 to 0.9")
    campaign.change(control=None)
    assert campaign.settings.control is None and campaign.effect() == replace(effect, has_ended=True)


def check_dates(campaign, folder):
    today = campaign.day()
    assert campaign.day("yesterday") == today - timedelta(days=1)
    campaign.ask(date="yesterday")
    campaign.ask()
    assert [each.date for each in campaign.open_plans()] == [today - timedelta(days=1), today]
    assert [each.date for each in campaign.to_report()] == [today - timedelta(days=1), today]
    refuses(NotFoundError, lambda: campaign.to_report(DAY), "no plan for")


def check_situations(campaign, folder):
    assert campaign.situations_on(DAY) == () and campaign.ask(date=DAY).situation is None
    week = {"rules": [{"days": ["Sat", "Sun"], "situations": ["early", "late"]}], "default": "early"}
    campaign.change(situations=["early", "late"], calendar=week, budget={"late": Decimal("4")})
    saturday = DAY + timedelta(days=5)
    assert campaign.situations_on(saturday) == ("early", "late") and campaign.situations_on(DAY) == ("early",)
    refuses(InputError, lambda: campaign.plan_for(saturday), "has several situations")
    refuses(NotFoundError, lambda: campaign.plan_for(saturday, situation="evening"), "no situation named")
    made = campaign.plans_for(saturday, exclude=["Yard"], key="all")
    assert [(each.plan.situation, each.plan.budget, each.made) for each in made] == [
        ("early", 6, True),
        ("late", 4, True),
    ]
    assert [each.plan for each in campaign.plans_for(saturday, exclude=["Yard"], key="all")] == [
        each.plan for each in made
    ]
    late = campaign.latest(saturday, "late")
    assert late == made[1].plan and campaign.report(late.id).situation == "late"
    assert [each.id for each in campaign.to_report(saturday, situation="late")] == [late.id]
    assert [each.situation for each in campaign.plans_of(saturday)] == ["early", "late"]
    campaign.tell(late.id, {"Dock": 1})
    assert [(row.arm, row.situation) for row in campaign.evidence()] == [("Dock", "late")]
    campaign.rename_situation("late", "night")
    assert campaign.settings.situations.names == ("early", "night")
    assert campaign.settings.within(1).budget == 4
    assert campaign.check_orders(saturday, situation="late", budget=3) is not None
    assert campaign.status(situation="late").situation == campaign.frontier(situation="night").situation
    assert campaign.what_if(date=saturday, situation="night", budget=2).budget == 2
    assert sum(campaign.forecast(3).situations.values()) == 3
    told = campaign.history_page(situation="night", kind="told").items
    assert [each.entry.situation for each in told] == ["late"]


def check_places_without_a_report(campaign, folder):
    today = campaign.day()
    for ago in (9, 8):
        campaign.ask(date=today - timedelta(days=ago))
    campaign.tell("2", {"Dock": 0, "Gate": 1})
    found = campaign.unreported()
    assert [(each.place, each.days, each.plans) for each in found.places] == [("Yard", 9, 2)]
    assert found.unplanned == ("Dock", "Gate") and found.at_least == 7 and str(found)
    assert campaign.unreported(10).places == () and campaign.unreported(days=9) != found
    for wrong in (0, 10_001):
        refuses(InputError, lambda wrong=wrong: campaign.unreported(wrong), "days")


def check_remarks(campaign, folder):
    campaign.remark("Fair in town", date=DAY, key="k")
    campaign.remark("Fair in town", date=DAY, key="k")
    (found,) = campaign.history_page(kind="remarked", first=DAY, last=DAY).items
    assert str(found.words) == f"{DAY}: Fair in town" and campaign.last_event == 2
    refuses(InputError, lambda: campaign.remark("x" * 501), "500")
    refuses(InputError, lambda: campaign.remark("Fair", date="someday"), "someday")


def check_imports(campaign, folder):
    log = folder / "log.csv"
    log.write_text("Tag;Ort;Einsatz;Anzahl\n01.03.2026;Dock;2;1\n02.03.2026;Dock;0;0\n", encoding="utf-8")
    columns = {"date": "Tag", "place": "Ort", "amount": "Einsatz", "incidents": "Anzahl"}
    tried = campaign.import_log(log, columns=columns, dry_run=True)
    assert tried.taken == 2 and tried.id is None and campaign.imports() == ()
    made = campaign.import_log(log, columns=columns, key="log")
    assert made == campaign.import_log(log, columns=columns, key="log") and made.file == "log.csv"
    assert [each.report.id for each in campaign.imports()] == [made.id]
    assert {(row.amount, row.losses) for row in campaign.evidence()} == {(0, 0), (2, 1)}
    campaign.undo(made.id)
    assert campaign.evidence() == []
    log.write_text("date,place,amount,incidents\n2026-03-01,Bridge,2,1\n2026-03-02,Dock,1,0\n")
    refuses(ConflictError, lambda: campaign.import_log(log))


def check_history(campaign, folder):
    campaign.ask(date=DAY)
    campaign.tell("1", {"Dock": 1})
    events = list(campaign.history())
    assert [(event.number, event.kind) for event in events] == [(1, "created"), (2, "asked"), (3, "told")]
    assert events[1].plan_id == "1" and len({event.by for event in events[1:]}) == 1
    page = campaign.history_page(size=2, kind="told")
    assert page.total == 1 if hasattr(page, "total") else len(page.items) == 1


def check_files(campaign, folder):
    campaign.ask(date=DAY)
    campaign.sheet("1", folder / "sheet.html")
    assert "Dock" in (folder / "sheet.html").read_text(encoding="utf-8")
    assert campaign.sheet_content("1", "pdf").startswith(b"%PDF")
    campaign.export(folder / "history.jsonl")
    assert len((folder / "history.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    refuses(FileError, lambda: campaign.export(folder / "history.jsonl"), "is there already")
    campaign.export(folder / "history.jsonl", overwrite=True)
    campaign.export(folder / "redacted.jsonl", redacted=True)
    assert '"seed"' not in (folder / "redacted.jsonl").read_text(encoding="utf-8")
    campaign.ask(date=DAY)
    both = campaign.sheet_content(["1", "2"]).decode()
    assert "plan 1" in both and "plan 2" in both


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]
