"""Five browsers report to a server that is killed again and again."""

import http.client
import random
import re
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from allotment.campaign.campaign import Campaign
from killed_server import PLACES, Clients, campaign_with_plans
from running import PATIENCE_SECONDS
from web_serving import Served

CLIENTS = 5


@dataclass
class Report:
    """What a browser says of a place, under a key of its own."""

    plan: str
    place: str
    losses: int
    key: str


class Reporters(Clients):
    """Browsers that report. All of them share a session."""

    def workers(self, served: Served) -> list[Callable[[], None]]:
        cookie, token = sign_in(served)
        return [partial(self._report, served, cookie, token)] * CLIENTS

    def check(self, store: Path) -> None:
        with Campaign.open(store) as campaign:
            campaign.verify()
            written = [event.key for event in campaign.history() if event.kind == "told"]
            told = {plan: campaign.plan(plan).told for plan in {each.plan for each in self.answered}}
        assert len(written) == len(set(written)), "a key stands twice"
        lost = [each for each in self.answered if told[each.plan].get(each.place) != each.losses]
        assert lost == [], f"answered and lost: {lost[:3]}"
        assert {each.key for each in self.answered} <= set(written)

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
                self.lost += 1
                return
            if answer.status == 200 and '"taken":true' in text:
                self.answered.append(report)
            else:
                self.refused.append(f"{answer.status} {text[:200]}")
                return


def connection(served: Served) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", urlsplit(served.address).port, timeout=PATIENCE_SECONDS)


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


def killed_while_reporting(store: Path, kills: int, plans: int, seed: int) -> None:
    """Kill a server some times while five browsers report."""
    luck = random.Random(seed)
    every = [(plan, place) for plan in campaign_with_plans(store, plans) for place in PLACES]
    luck.shuffle(every)
    reports = (Report(plan, place, luck.randint(0, 1), f"{n:032x}") for n, (plan, place) in enumerate(every))
    Reporters(waiting=deque(reports)).survive(store, kills, luck)
