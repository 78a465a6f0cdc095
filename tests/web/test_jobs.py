"""Long work goes on while the visitor looks at other pages."""

import threading
from dataclasses import replace
from types import SimpleNamespace

from allotment.errors import InputError
from allotment.web.work import jobs
from allotment.web.work.job_rows import KEPT_SECONDS, LOST, LOST_SECONDS, Job, JobRows
from allotment.web.work.work_tables import ProcessTables
from running import PATIENCE_SECONDS, wait_until


def test_a_slow_ask_has_a_page_and_blocks_nobody(campaign, visitor, slow_ask):
    path = visitor.submit("/c/1/plans", seen="/c/1/today").headers["location"]
    assert "/jobs/" in path
    assert "Making today&#39;s plan" in visitor.get(path).text
    assert visitor.get(f"{path}/state").json()["ended"] is False
    assert f'href="{path}"' in visitor.get("/c/1/today").text  # which answers meanwhile
    slow_ask.set()
    wait_until(lambda: visitor.get(f"{path}/state").json()["ended"])
    assert visitor.get(path).headers["location"] == "/c/1/today"
    assert campaign.latest() is not None


def test_the_same_request_joins_the_work_and_another_one_is_a_conflict(campaign, visitor, slow_ask):
    fields = visitor.fields("/c/1/today")
    first = visitor.post("/c/1/plans", data=fields).headers["location"]
    assert visitor.post("/c/1/plans", data=fields).headers["location"] == first
    answer = visitor.submit("/c/1/plans", seen="/c/1/today")
    assert answer.status_code == 409 and "still being computed" in answer.text


def test_nobody_goes_on_before_the_end_of_work_is_kept(campaign, desk, monkeypatch):
    reached, gate, end = threading.Event(), threading.Event(), JobRows.end

    def wait(self, *arguments, **options):
        reached.set()
        assert gate.wait(PATIENCE_SECONDS)
        end(self, *arguments, **options)

    monkeypatch.setattr(JobRows, "end", wait)
    visit = SimpleNamespace(session=SimpleNamespace(author="Ada"), number=1, campaign=campaign)
    first = desk.jobs.start(visit, "import", "Reading", lambda running: "/next", back="/")
    assert reached.wait(PATIENCE_SECONDS)
    assert jobs.follow(first, 0.0).headers["location"] == first.job.path
    gate.set()
    assert first.done.wait(PATIENCE_SECONDS) and jobs.follow(first, 0.0).headers["location"] == "/next"
    desk.jobs.start(visit, "import", "Reading again", lambda running: "/next", arguments=("2",), back="/")


def test_work_belongs_to_its_person(campaign, visitor, slow_ask, desk):
    path = visitor.submit("/c/1/plans", seen="/c/1/today").headers["location"]
    visitor.sign_in()  # anew: it is still the same person
    assert visitor.get(path).status_code == 200
    desk.author = "Bo"
    visitor.sign_in = lambda: visitor.post("/sign-in", data={"code": desk.codes.issue()})
    visitor.sign_in()
    assert visitor.get(path).status_code == 404


def test_work_of_a_worker_that_says_nothing_is_lost_after_a_minute(clock):
    tables = ProcessTables()
    rows = JobRows(tables, clock)
    job = Job("1", "Ada", 1, "ask", "Making the plan", "", "/c/1/today")
    job = rows.begin(job)
    clock.now += LOST_SECONDS
    assert rows.going_on("Ada", 1) == [job] and rows.begin(replace(job, id="2")) == job
    rows.still_going(["1"])
    clock.now += LOST_SECONDS + 1
    assert rows.going_on("Ada", 1) == [] and rows.find("1").problem == LOST
    again = rows.begin(replace(job, id="2"))
    assert again.id == "2"
    clock.now += KEPT_SECONDS
    rows.begin(replace(again, id="3"))
    assert rows.find("1") is None
    tables.close()


def test_work_that_was_seen_in_the_future_is_lost(clock):
    """Its worker was killed, and then the clock was set back by two hours."""
    tables = ProcessTables()
    rows = JobRows(tables, clock)
    job = rows.begin(Job("1", "Ada", 1, "ask", "Making the plan", "", "/c/1/today"))
    clock.now -= 7200
    assert rows.going_on("Ada", 1) == [] and rows.find("1").problem == LOST
    assert rows.begin(replace(job, id="2")).id == "2"
    assert rows.find("1") is None
    tables.close()


def test_an_answer_is_let_go_when_a_newer_one_is_there(clock):
    tables = ProcessTables()
    rows = JobRows(tables, clock)
    for number, kind in enumerate(["status", "frontier", "status"]):
        job = Job(str(number), "Ada", 1, kind, "Computing", "", "/c/1/places", moment=f"{number} 2026-01-01")
        rows.begin(job)
        rows.end(job.id, next_path="/c/1/places", result="{}")
        rows.forget_answers(1, kind, job.moment)
    assert [rows.result(str(number)) for number in range(3)] == [None, "{}", "{}"]
    assert rows.find("0").next_path == "/c/1/places"  # whoever waits for it still goes on
    tables.close()


def test_a_worker_that_is_stopped_says_so_of_its_work(campaign, visitor, slow_ask, desk):
    path = visitor.submit("/c/1/plans", seen="/c/1/today").headers["location"]
    desk.jobs.close()
    answer = visitor.get(path)
    assert answer.status_code == 503 and "Ask for it again" in answer.text


def test_an_error_of_long_work_is_a_sentence(campaign, visitor, monkeypatch):
    def fail(*_, **__):
        raise InputError("the orders cannot be met", "fewer of them")

    monkeypatch.setattr("allotment.campaign.campaign.Campaign.plan_for", fail)
    answer = visitor.submit("/c/1/plans", seen="/c/1/today")
    assert answer.status_code == 422
    assert "The orders cannot be met; expected fewer of them." in answer.text
