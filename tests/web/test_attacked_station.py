"""A station without a proxy under attack, and large campaigns: people report all the same."""

import http.client
import json
import os
import resource
import socket
import ssl
import statistics
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.campaign import Campaign
from running import wait_until

PATIENCE_SECONDS = 600.0
OWNER = Rights("root", PLANNER)
DESCRIPTORS, HALF_OPEN, SHEETS, REPORTS = 1024, 1100, 45, 100
TRUSTING = ssl._create_unverified_context()  # the station makes its own certificate


class Station:
    """`allotment serve --self-signed` with 1,024 descriptors, and how much memory it takes at most."""

    def __init__(self, store, log):
        command = [
            "-m",
            "allotment",
            "serve",
            str(store),
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--self-signed",
        ]
        self.log = log
        with log.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, *command, "--self-signed"],
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                env={**os.environ, "ALLOTMENT_BACKGROUND": "0"},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS)),
            )
        self.port = urlsplit(self.process.stdout.readline().split()[-1].rstrip(".")).port
        self._reading = threading.Thread(target=self.process.stdout.read, daemon=True)
        self._reading.start()
        self.most_bytes, self._ends = 0, threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        process = psutil.Process(self.process.pid)
        while not self._ends.wait(0.2):
            try:
                family = [process, *process.children(recursive=True)]
                self.most_bytes = max(self.most_bytes, sum(each.memory_info().rss for each in family))
            except psutil.Error:
                continue

    def line(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS, context=TRUSTING)

    def ask(self, token, method, path, body=None, line=None):
        """The status of an answer, and the seconds that it took."""
        used, began = line or self.line(), time.monotonic()
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        used.request(
            method, f"/api/v1/campaigns/1{path}", None if body is None else json.dumps(body), headers
        )
        answer = used.getresponse()
        answer.read()
        if line is None:
            used.close()
        return answer.status, time.monotonic() - began

    def close(self):
        self._ends.set()
        self.process.terminate()
        self._reading.join()
        self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()


@pytest.fixture
def station(tmp_path):
    opened = []

    def station(store):
        opened.append(Station(store, tmp_path / "log"))
        return opened[-1]

    yield station
    for each in opened:
        each.close()


def campaign_of(store, many, plans):
    places = [f"Place {i}" for i in range(many)]
    with Campaign.create(store, "night", arms=places, budget=many, unit=1, most=4, seed=1) as campaign:
        made = [campaign.ask(explore=False).id for _ in range(plans)]
        tokens = Tokens(campaign.store)
        rights = [Rights("Vi", VIEWER, 1), Rights("Ruth", RECORDER, 1), Rights("Rolf", RECORDER, 1)]
        return made, [tokens.add(each, by=OWNER)[1] for each in rights]


def show(**figures):
    """Figures of a run; with ATTACK_FIGURES they go into that file."""
    line = ", ".join(f"{name} {value:.3g}" for name, value in figures.items())
    if kept := os.environ.get("ATTACK_FIGURES"):
        with Path(kept).open("a") as file:
            file.write(f"{line}\n")
    print(line)


def half_open(station, stack):
    """Half-open connections that come again when they end, until the block ends."""
    ends = threading.Event()

    def attack():
        lines = []
        while not ends.wait(0.05):
            while len(lines) < HALF_OPEN and not ends.is_set():
                line = socket.socket()
                line.setblocking(False)
                line.bind(("127.0.0.2", 0))
                line.connect_ex(("127.0.0.1", station.port))
                lines.append(line)
            for each in [*lines]:
                with suppress(BlockingIOError):
                    with suppress(ConnectionError):
                        assert each.recv(1) == b""
                    each.close()
                    lines.remove(each)
        for each in lines:
            each.close()

    thread = threading.Thread(target=attack)
    thread.start()
    stack.callback(thread.join)
    stack.callback(ends.set)


def slow_upload(station, token, stack):
    line = station.line()
    stack.callback(line.close)
    line.putrequest("POST", "/api/v1/campaigns/1/imports")
    for name, value in {
        "authorization": f"Bearer {token}",
        "content-type": "multipart/form-data; boundary=x",
        "content-length": "1000000",
    }.items():
        line.putheader(name, value)
    line.endheaders(b"--x\r\n")


@pytest.mark.soak
def test_recorders_report_under_attack(station, tmp_path):
    """1,100 half-open connections, 45 sheets at once and a slow upload, while two recorders report."""
    store = tmp_path / "night.db"
    plans, (viewer, *recorders) = campaign_of(store, 300, REPORTS // 10)
    served = station(store)
    wait_until(lambda: served.ask(viewer, "GET", "")[0] == 200)
    before = psutil.Process(served.process.pid).cpu_times()
    began = time.monotonic()
    with ExitStack() as stack:
        half_open(served, stack)
        slow_upload(served, viewer, stack)
        time.sleep(2)
        sheets, taken = [], []

        def print_sheet():
            sheets.append(served.ask(viewer, "GET", f"/plans/{plans[0]}/sheet?kind=pdf"))

        def report(token, mine):
            line = served.line()
            for plan in plans:
                for place in range(REPORTS // len(plans) // 2):
                    body = {"losses": {f"Place {2 * place + mine}": 0}}
                    taken.append(served.ask(token, "POST", f"/plans/{plan}/report", body, line))
            line.close()

        threads = [threading.Thread(target=print_sheet) for _ in range(SHEETS)]
        threads += [
            threading.Thread(target=report, args=each) for each in zip(recorders, (0, 1), strict=True)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    after = psutil.Process(served.process.pid).cpu_times()
    seconds = [each for _, each in taken]
    show(
        reports=len(taken),
        median_seconds=statistics.median(seconds),
        slowest_seconds=max(seconds),
        sheets=sum(status == 200 for status, _ in sheets),
        busy=sum(status == 503 for status, _ in sheets),
        memory_gb=served.most_bytes / 1e9,
        log_kb=served.log.stat().st_size / 1e3,
        cpu_share=(after.user + after.system - before.user - before.system) / (time.monotonic() - began),
    )
    assert [status for status, _ in taken] == [200] * REPORTS
    assert statistics.median(seconds) < 1.0
    assert {status for status, _ in sheets} <= {200, 503}
    assert served.most_bytes < 1.5e9 and served.log.stat().st_size < 1e6


@pytest.mark.soak
def test_large_campaigns_leave_the_server_alive(station, tmp_path):
    """With 10,000 places, one viewer asks eight questions and 45 sheets at once; others are answered."""
    store = tmp_path / "night.db"
    [plan], (viewer, recorder, _) = campaign_of(store, 10_000, 1)
    served = station(store)
    wait_until(lambda: served.ask(viewer, "GET", "")[0] == 200)
    asked = ["/status", "/frontier", "/forecast?rounds=7", "/record", "/check", "/evidence"]
    asked += [f"/plans/{plan}/explanation", f"/plans/{plan}/explanation/place?name=Place%201"]
    asked += [f"/plans/{plan}/sheet?kind=pdf"] * SHEETS
    answers = []
    threads = [
        threading.Thread(target=lambda path=path: answers.append((path, *served.ask(viewer, "GET", path))))
        for path in asked
    ]
    for each in threads:
        each.start()
    cheap = []
    while any(each.is_alive() for each in threads):
        line = served.line()
        began = time.monotonic()
        line.request("GET", "/health")
        assert line.getresponse().read() == b'{"status":"running"}'
        cheap.append(time.monotonic() - began)
        line.close()
        place = f"Place {len(cheap) % 10_000}"
        status, _ = served.ask(
            recorder, "POST", f"/plans/{plan}/report", {"losses": {place: 0}, "correct": True}
        )
        assert status == 200
        time.sleep(0.2)
    statuses = {path: status for path, status, _ in answers}
    show(
        memory_gb=served.most_bytes / 1e9,
        health_median=statistics.median(cheap),
        health_slowest=max(cheap),
        sheets=sum(status == 200 for path, status, _ in answers if "sheet" in path),
        questions=sum(status == 200 for path, status, _ in answers if "sheet" not in path),
        slowest_answer=max(seconds for _, _, seconds in answers),
    )
    assert set(statuses.values()) <= {200, 503}, statuses
    assert served.most_bytes < 3e9
    assert statistics.median(cheap) < 1.0
