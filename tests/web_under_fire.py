"""Five browsers report to a server that is killed again and again, as a power cut would end it."""

import http.client
import random
import re
import threading
import time
from collections import deque
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from allotment.campaign.campaign import Campaign
from web_serving import Served, serving

CLIENTS = 5
PLACES = [f"Zone {number}" for number in range(40)]


@dataclass
class Report:
    """What a browser says of a place, under a key of its own."""

    plan: str
    place: str
    losses: int
    key: str


@dataclass
class Reporters:
    """Browsers, what they have still to say, and what was answered with success."""

    waiting: deque[Report]
    answered: list[Report] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    sent_twice: int = 0  # since the first answer did not come

    def report_until_killed(self, served: Served, seconds: float) -> None:
        """Report from all browsers at once, and kill the server in the middle of it."""
        cookie, token = sign_in(served)
        threads = [
            threading.Thread(target=self._report, args=(served, cookie, token)) for _ in range(CLIENTS)
        ]
        before, end = len(self.answered), time.monotonic() + 30.0
        for thread in threads:
            thread.start()
        while len(self.answered) == before and not self.refused and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(seconds)
        served.kill()
        for thread in threads:
            thread.join()

    def _report(self, served: Served, cookie: str, token: str) -> None:
        with closing(connection(served)) as line:
            self._report_on(line, served, cookie, token)

    def _report_on(self, line: http.client.HTTPConnection, served: Served, cookie: str, token: str) -> None:
        headers = {
            "Origin": served.address,
            "Cookie": cookie,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        while self.waiting:
            report = self.waiting.popleft()
            said = {"place": report.place, "losses": report.losses, "says_losses": 1, "knew": 0}
            body = urlencode({**said, "csrf": token, "key": report.key})
            try:
                line.request("POST", f"/c/1/report/{report.plan}/entries", body, headers)
                answer = line.getresponse()
                text = answer.read().decode()
            except (OSError, http.client.HTTPException):
                self.waiting.appendleft(report)  # as a phone does: the same report, under the same key
                self.sent_twice += 1
                return
            if answer.status == 200 and '"taken":true' in text:
                self.answered.append(report)
            else:
                self.refused.append(f"{answer.status} {text[:200]}")
                return


def connection(served: Served) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", urlsplit(served.address).port, timeout=30)


def sign_in(served: Served) -> tuple[str, str]:
    """A session: its cookie, and the token for its forms."""
    line = connection(served)
    code = parse_qs(urlsplit(served.sign_in).query)["code"][0]
    form = {"Origin": served.address, "Content-Type": "application/x-www-form-urlencoded"}
    line.request("POST", "/sign-in", urlencode({"code": code}), form)
    answer = line.getresponse()
    answer.read()
    cookie = answer.headers["set-cookie"].partition(";")[0]
    line.request("GET", "/c/1/today", headers={"Cookie": cookie})
    token = re.search(r'name="csrf" value="([^"]+)"', line.getresponse().read().decode())[1]
    line.close()
    return cookie, token


def killed_while_reporting(store: Path, kills: int, plans: int, seed: int) -> Reporters:
    """Kill a server some times while five browsers report; nothing that was answered may be lost."""
    luck = random.Random(seed)
    with Campaign.create(store, "night", arms=PLACES, budget=40, unit=1, most=2, seed=1) as campaign:
        ids = [campaign.ask(explore=False).id for _ in range(plans)]
    every = [(plan, place) for plan in ids for place in PLACES]
    luck.shuffle(every)
    reports = (Report(plan, place, luck.randint(0, 1), f"tap {n}") for n, (plan, place) in enumerate(every))
    reporters = Reporters(deque(reports))
    for _ in range(kills):
        before = len(reporters.answered)
        with serving(store) as served:
            reporters.report_until_killed(served, luck.uniform(0.02, 0.5))
        assert reporters.refused == []
        assert len(reporters.answered) > before and reporters.waiting, "it was not killed in the middle"
        check(store, reporters)
    assert reporters.sent_twice >= kills
    return reporters


def check(store: Path, reporters: Reporters) -> None:
    """Everything that was answered with success is there, once, and the history verifies."""
    with Campaign.open(store) as campaign:
        campaign.verify()
        written = [event.key for event in campaign.history() if event.kind == "told"]
        told = {plan: campaign.plan(plan).told for plan in {each.plan for each in reporters.answered}}
    assert len(written) == len(set(written)), "a key stands twice"
    lost = [each for each in reporters.answered if told[each.plan].get(each.place) != each.losses]
    assert lost == [], f"answered and lost: {lost[:3]}"
    assert {each.key for each in reporters.answered} <= set(written)
