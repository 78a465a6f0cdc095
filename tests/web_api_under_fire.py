"""Twenty programs ask, report and read on a server that is killed again and again."""

import random
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.campaign import Campaign
from allotment.campaign.history.store.store import Store
from web_serving import Served, serving

CLIENTS = 20
PLACES = [f"Zone {number}" for number in range(40)]
READS = ("plans/1", "places", "history", "plans/latest", "status")
OWNER = Rights("root", PLANNER)


@dataclass(frozen=True)
class Write:
    """A request that writes, under a key of its own."""

    path: str
    body: dict
    key: str


@dataclass
class Clients:
    """Programs, what they have still to write, and what was answered with success."""

    tokens: list[str]
    waiting: deque[Write]
    answered: list[Write] = field(default_factory=list)
    plans: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    lost: int = 0
    busy: int = 0

    def work_until_killed(self, served: Served, seconds: float) -> None:
        """Work from all programs at once, and kill the server in the middle of it."""
        threads = [
            threading.Thread(target=self._work, args=(served, number)) for number in range(len(self.tokens))
        ]
        before, end = len(self.answered), time.monotonic() + 60.0
        for thread in threads:
            thread.start()
        while len(self.answered) == before and not self.refused and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(seconds)
        served.kill()
        for thread in threads:
            thread.join()

    def _work(self, served: Served, number: int) -> None:
        luck = random.Random(number)
        headers = {"authorization": f"Bearer {self.tokens[number]}"}
        base = f"{served.address}/api/v1/campaigns/1/"
        with httpx2.Client(base_url=base, headers=headers, timeout=60, trust_env=False) as http:
            while self.waiting:
                write = self.waiting.popleft()
                try:
                    http.get(luck.choice(READS))
                    answer = http.post(write.path, json=write.body, headers={"idempotency-key": write.key})
                except httpx2.TransportError:
                    self.waiting.appendleft(write)  # the same request, under the same key
                    self.lost += 1
                    return
                if answer.status_code == 503:
                    self.busy += 1
                    self.waiting.append(write)
                elif answer.is_success:
                    self.answered.append(write)
                    if write.path == "plans":
                        self.plans.add(answer.json()["plan"]["id"])
                else:
                    self.refused.append(f"{answer.status_code} {answer.text[:200]}")
                    return


def killed_under_load(store: Path, kills: int, plans: int, seed: int) -> Clients:
    """Kill a server some times while programs work; nothing that was answered may be lost."""
    luck = random.Random(seed)
    with Campaign.create(store, "night", arms=PLACES, budget=40, unit=1, most=2, seed=1) as campaign:
        ids = [campaign.ask(explore=False).id for _ in range(plans)]
    with Store(store) as opened:
        book = Tokens(opened)
        tokens = [book.add(Rights(f"Program {n}", PLANNER), by=OWNER)[1] for n in range(CLIENTS)]
    writes = [
        Write(f"plans/{plan}/report", {"losses": {place: luck.randint(0, 1)}}, f"{plan} {place}")
        for plan in ids
        for place in PLACES
    ]
    writes += [Write("plans", {"also": True, "explore": False}, f"ask {n}") for n in range(2 * kills)]
    luck.shuffle(writes)
    clients = Clients(tokens, deque(writes))
    for _ in range(kills):
        before = len(clients.answered)
        with serving(store) as served:
            clients.work_until_killed(served, luck.uniform(0.05, 0.6))
        assert clients.refused == []
        assert len(clients.answered) > before and clients.waiting, "it was not killed in the middle"
        check(store, clients)
    assert clients.lost >= kills
    return clients


def check(store: Path, clients: Clients) -> None:
    """Everything that was answered with success is there, once, and the history verifies."""
    with Campaign.open(store) as campaign:
        campaign.verify()
        events = [event for event in campaign.history() if event.kind in ("told", "asked")]
        reports = [each for each in clients.answered if each.path != "plans"]
        told = {each.path.split("/")[1]: None for each in reports}
        told = {plan: campaign.plan(plan).told for plan in told}
    keys = [event.key for event in events]
    assert len(keys) == len(set(keys)), "a key stands twice"
    for each in reports:
        ((place, losses),) = each.body["losses"].items()
        assert told[each.path.split("/")[1]].get(place) == losses, f"answered and lost: {each}"
    assert clients.plans <= {event.plan_id for event in events if event.kind == "asked"}
