"""Dear work: how much of it goes on at once, who waits, and that the answers of a process are the same."""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from allotment.campaign.access.questions import questions_to
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.sight import Sight
from allotment.campaign.campaign import Campaign
from allotment.errors import AllotmentError, InputError, NotFoundError
from allotment.web.api.answer_cache import WAITING_FOR_ONE, WAITING_IN_ALL
from allotment.web.requests.problems import UNEXPECTED, BusyError
from allotment.web.work import gate, limited
from allotment.web.work.gate import Asker, Gate
from allotment.web.work.limited import ExhaustedError, FailedProcessError, run_limited
from running import PATIENCE_SECONDS, wait_until

BASE = "/api/v1/campaigns/1"


class Held:
    """Work that goes on in threads until it is let go."""

    def __init__(self, room):
        self.room, self.inside, self.waits = room, [], threading.Event()
        self.pool = ThreadPoolExecutor(40)

    def begin(self, person, campaign=1, size=0.0):
        def work():
            with self.room.turn(person, campaign, size):
                self.inside.append(person)
                assert self.waits.wait(PATIENCE_SECONDS)

        return self.pool.submit(work)


@pytest.fixture
def held():
    found = Held(Gate(limit=lambda: 10.0))
    yield found
    found.waits.set()
    found.pool.shutdown()


def test_nobody_keeps_the_gate_for_themselves(held):
    for _ in range(gate.MOST_OF_PERSON + gate.WAITING_OF_PERSON):
        held.begin("Vi")
    wait_until(lambda: len(held.room._waiting) == gate.WAITING_OF_PERSON)
    with pytest.raises(BusyError, match="You have asked for much already"), held.room.turn("Vi", 1):
        pass
    held.begin("Bo")
    wait_until(lambda: "Bo" in held.inside)
    assert sorted(held.inside) == ["Bo", "Vi", "Vi"]


def test_a_campaign_leaves_room_in_the_queue_for_others(held):
    for number in range(gate.MOST_AT_ONCE + gate.WAITING_IN_CAMPAIGN):
        held.begin(f"Vi {number}")
    wait_until(lambda: len(held.room._waiting) == gate.WAITING_IN_CAMPAIGN)
    with pytest.raises(BusyError, match="Others are waiting"), held.room.turn("Bo", 1):
        pass
    held.begin("Bo", campaign=2)
    wait_until(lambda: len(held.room._waiting) == gate.WAITING_IN_CAMPAIGN + 1)


def test_work_waits_for_memory(held):
    first = [held.begin("Vi", size=6), held.begin("Bo", size=6)]
    wait_until(lambda: len(held.inside) == 1 and len(held.room._waiting) == 1)
    held.begin("Cy", size=1)  # in turn: else small work would keep large work waiting for ever
    wait_until(lambda: len(held.room._waiting) == 2)
    held.waits.set()
    assert [each.result(PATIENCE_SECONDS) for each in first] == [None, None]


def test_large_work_goes_on_alone(held):
    held.room = Gate(limit=lambda: 1e12)
    for person in ("Vi", "Bo"):
        held.begin(person, size=0.6 * gate.TOGETHER_BYTES)
    wait_until(lambda: len(held.inside) == 1 and len(held.room._waiting) == 1)


def test_small_work_goes_on_beside_large_work(held):
    held.room = Gate(limit=lambda: 1e12)
    held.begin("Vi", size=2.0 * gate.TOGETHER_BYTES)
    wait_until(lambda: held.inside == ["Vi"])
    held.begin("Cy", size=gate.SMALL)
    wait_until(lambda: held.inside == ["Vi", "Cy"])


@pytest.fixture
def held_work(monkeypatch):
    """Dear work begins, and goes on only when the test lets it."""
    begun, go_on, real = threading.Event(), threading.Event(), gate.content_of

    def slow(*arguments):
        begun.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return real(*arguments)

    monkeypatch.setattr(gate, "content_of", slow)
    return begun, go_on


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("plans/1/sheet?kind=pdf", gate.MOST_OF_PERSON + gate.WAITING_OF_PERSON),
        ("status", 1 + WAITING_FOR_ONE),
        ("effect", 1 + WAITING_FOR_ONE),
        ("plans/1/explanation", 1 + WAITING_FOR_ONE),
        ("record", 1),  # long work, of which a token has one at a time
    ],
)
def test_equal_dear_requests_leave_threads_for_cheap_ones(path, most, reported, program, held_work):
    """Of forty-five, some wait, and others are told to come back; a report is answered meanwhile."""
    begun, go_on = held_work
    plan, report = reported.ask().id, {"losses": {"Dock": 0}}
    as_recorder = {"headers": program(Rights("Re", RECORDER)).headers}
    with program(Rights("Vi", VIEWER)) as server, ThreadPoolExecutor(45) as pool, ExitStack() as stack:
        stack.callback(go_on.set)  # if the test fails, nobody waits any longer
        sent = [pool.submit(server.get, f"{BASE}/{path}") for _ in range(45)]
        assert begun.wait(PATIENCE_SECONDS)
        wait_until(lambda: sum(each.done() for each in sent) >= 45 - most)
        assert server.post(f"{BASE}/plans/{plan}/report", json=report, **as_recorder).status_code == 200
        assert server.get("/health").status_code == 200
        go_on.set()
        answers = [each.result() for each in sent]
    busy = [each for each in answers if each.status_code == 503]
    assert len(busy) == 45 - most and all(each.headers["retry-after"] for each in busy)
    assert {each.status_code for each in answers} == {200, 503}


def test_different_dear_requests_leave_threads_for_cheap_ones(reported, program, held_work):
    """Five people ask for ten answers at once: few wait for their turn, and few for an answer of others."""
    begun, go_on = held_work
    plan = reported.ask().id
    people = [program(Rights(f"Vi {number}", VIEWER)).headers for number in range(5)]
    paths = [f"{BASE}/plans/{number}/explanation" for number in range(1, 11)]
    most = gate.MOST_AT_ONCE + gate.WAITING + WAITING_IN_ALL
    with program(Rights("Re", RECORDER)) as server, ThreadPoolExecutor(50) as pool, ExitStack() as stack:
        stack.callback(go_on.set)
        sent = [pool.submit(server.get, path, headers=each) for path in paths for each in people]
        assert begun.wait(PATIENCE_SECONDS)
        wait_until(lambda: sum(each.done() for each in sent) >= len(sent) - most)
        report = {"losses": {"Dock": 0}}
        assert server.post(f"{BASE}/plans/{plan}/report", json=report).status_code == 200
        go_on.set()
        assert {each.result().status_code for each in sent} == {200, 503}


@pytest.fixture
def asker(campaign, desk):
    return Asker(desk, Rights("Ada", PLANNER), 1, desk.campaigns.open(1, "Ada"))


# How each dear question is asked; one that is not listed is asked without arguments.
ASKED = {
    "status": {"situation": None},
    "forecast": {"rounds": 3},
    "explain": {"plan_id": "1"},
    "explain_place": {"plan_id": "1", "name": "Dock"},
    "what_if": {"budget": 5, "situation": None, "exclude": ["Yard"]},
}
DEAR = [name for name, (_, about) in questions_to(Campaign).items() if about.dear] + ["what_if"]


@pytest.fixture
def reported(campaign):
    """Ten days with control rounds and reports, so that every question has an answer."""
    campaign.change(control={"share": 0.5, "plan": "equal"})
    for day in range(1, 11):
        plan = campaign.ask(date=f"2026-01-{day:02}")
        campaign.tell(plan.id, {"Dock": day % 2, "Gate": 0, "Yard": day % 3 == 0})
    return campaign


@pytest.mark.parametrize("method", DEAR)
def test_a_process_answers_the_same(method, reported, asker, monkeypatch):
    """Both as JSON, for the API, and as a record, for pages."""
    asked, found = ASKED.get(method, {}), asker.campaign
    record, seen = getattr(found, method)(**asked), asker.content(method, **asked)
    monkeypatch.setattr(gate, "SMALL", -1.0)
    assert asker.content(method, **asked) == seen
    assert asker.answer(type(record), method, **asked) == record


@pytest.mark.parametrize("kind", ["html", "pdf"])
def test_a_process_writes_the_same_sheet(kind, reported, asker, monkeypatch):
    sheet = asker.content("sheet_content", plan_id="1", kind=kind)
    monkeypatch.setattr(gate, "SMALL", -1.0)
    assert asker.content("sheet_content", plan_id="1", kind=kind) == sheet


def test_an_error_of_ours_comes_out_of_a_process(reported, asker, monkeypatch):
    monkeypatch.setattr(gate, "SMALL", -1.0)
    with pytest.raises(NotFoundError, match="there is no plan '77'"):
        asker.content("explain", plan_id="77")


def test_a_process_shows_what_is_seen(campaign, desk, monkeypatch):
    """Recorders ask nothing dear today. If they ever do, the process leaves out what they may not see."""
    monkeypatch.setattr(gate, "SMALL", -1.0)
    plan = campaign.ask(explore=False).id
    group = Rights("Re", RECORDER, 1, "harbour")
    found = json.loads(Asker(desk, group, 1, desk.campaigns.open(1, "Re")).content("plan", plan_id=plan))
    whole = Sight(is_whole=False, group="harbour").of(campaign.plan(plan), campaign.settings)
    assert found["amounts"] == whole.amounts and [*found["amounts"]] == ["Dock"]


def test_work_above_the_limit_is_refused_before_it_begins(asker, monkeypatch):
    monkeypatch.setattr(gate, "memory_of", lambda settings: 1e15)
    with pytest.raises(InputError, match="an answer for 3 places would take about .* expected a larger unit"):
        asker.content("status")


def run(work, *, seconds=PATIENCE_SECONDS, memory=0.0):
    """Run a line of Python as a process of the gate does its work."""
    begin = "from allotment.web.work.limited import run_here\ndef work():\n"
    program = f"{begin}    {work}\nrun_here({{'x': work}})"
    run_limited(program, {"job": "x"}, seconds=seconds, memory=memory, written=10)


@pytest.mark.parametrize(
    ("work", "seconds"),
    [
        ("import time; time.sleep(600)", 1.0),
        ("bytearray(10**10)", PATIENCE_SECONDS),
        ("import numpy; numpy.ones(10**10)", PATIENCE_SECONDS),
        ("import pathlib; pathlib.Path('written').write_bytes(bytes(11))", PATIENCE_SECONDS),
        ("import os; os.kill(os.getpid(), 9)", PATIENCE_SECONDS),  # as Linux does if memory runs out
        ("import os, sys; print('LLVM ERROR: out of memory', file=sys.stderr); os.abort()", PATIENCE_SECONDS),
    ],
)
def test_a_process_that_reaches_a_limit_ends(work, seconds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExhaustedError):
        run(work, seconds=seconds)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("open('/no/such/file')", "FileNotFoundError"),
        ("import os; os.abort()", "ended with -6"),
    ],
)
def test_an_error_in_a_process_is_not_a_limit(work, said):
    with pytest.raises(FailedProcessError, match=said):
        run(work)


def test_a_process_that_does_not_begin_says_why():
    with pytest.raises(FailedProcessError, match="no_such_module"):
        run_limited("import no_such_module", {"job": "x"}, seconds=PATIENCE_SECONDS, memory=0.0, written=10)


def test_what_fails_in_a_process_is_for_the_log_alone(campaign, program, visitor, monkeypatch, caplog):
    """The answer is 500 without a word of the inside, and the log has the traceback of the process."""
    monkeypatch.setattr(gate, "SMALL", -1.0)
    monkeypatch.setattr(gate, "PROGRAM", "raise KeyError('inside')")
    with program(Rights("Vi", VIEWER)) as viewer:
        answer = viewer.get(f"{BASE}/status")
    assert (answer.status_code, answer.json()["detail"]) == (500, UNEXPECTED)
    page = visitor.get("/c/1/places")
    assert page.status_code == 500 and "inside" not in page.text + answer.text
    assert "KeyError: 'inside'" in caplog.text


def test_an_exhausted_process_is_a_sentence(asker, monkeypatch):
    def fail(*_, **__):
        raise ExhaustedError

    monkeypatch.setattr(gate, "SMALL", -1.0)
    monkeypatch.setattr(gate, "run_limited", fail)
    with pytest.raises(AllotmentError, match="takes more memory than was thought, or longer than 300 s"):
        asker.content("status")
    assert asker.desk.gate._going == asker.desk.gate._waiting == []


def test_a_process_ends_with_its_server():
    """Its standard input ends when the server does, in whatever way."""
    begin = "import time; from allotment.web.work.limited import run_here;"
    program = f"{begin} run_here({{'x': lambda: time.sleep(600)}})"
    limits = {"limits": {"cpu": 60, "memory": 2**31, "written": 10}, "job": "x"}
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)
    process.stdin.write(json.dumps(limits).encode() + b"\n")
    process.stdin.close()
    assert process.wait(PATIENCE_SECONDS) == 1


def test_what_a_process_prints_last_is_the_error():
    printed = 'a warning\n{"kind": "NotFoundError", "said": "there is no plan 9", "what": "plan"}\n'
    found = limited._error_in(printed)
    assert (type(found), str(found), found.what) == (NotFoundError, "there is no plan 9", "plan")
