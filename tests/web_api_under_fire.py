"""Twenty programs ask, report and read on a server that is killed again and again."""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx2

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.campaign import Campaign
from allotment.campaign.history.store.store import Store
from killed_server import PLACES, Clients, campaign_with_plans
from running import PATIENCE_SECONDS
from web_serving import Served

CLIENTS = 20
READS = ("plans/1", "places", "history", "plans/latest", "status")
OWNER = Rights("root", PLANNER)


@dataclass(frozen=True)
class Write:
    """A request that writes, under a key of its own."""

    path: str
    body: dict
    key: str


@dataclass(kw_only=True)
class Programs(Clients):
    """Programs that write and read, each with a token of its own."""

    tokens: list[str]
    plans: set[str] = field(default_factory=set)

    def workers(self, served: Served) -> list[Callable[[], None]]:
        return [partial(self._work, served, number) for number in range(len(self.tokens))]

    def check(self, store: Path) -> None:
        with Campaign.open(store) as campaign:
            campaign.verify()
            events = [event for event in campaign.history() if event.kind in ("told", "asked")]
            reports = [each for each in self.answered if each.path != "plans"]
            told = {plan: campaign.plan(plan).told for plan in {each.path.split("/")[1] for each in reports}}
        keys = [event.key for event in events]
        assert len(keys) == len(set(keys)), "a key stands twice"
        for each in reports:
            ((place, losses),) = each.body["losses"].items()
            assert told[each.path.split("/")[1]].get(place) == losses, f"answered and lost: {each}"
        assert self.plans <= {event.plan_id for event in events if event.kind == "asked"}

    def _work(self, served: Served, number: int) -> None:
        luck = random.Random(number)
        headers = {"authorization": f"Bearer {self.tokens[number]}"}
        base = f"{served.address}/api/v1/campaigns/1/"
        with httpx2.Client(base_url=base, headers=headers, timeout=PATIENCE_SECONDS, trust_env=False) as http:
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
                    self.waiting.append(write)
                elif answer.is_success:
                    self.answered.append(write)
                    if write.path == "plans":
                        self.plans.add(answer.json()["plan"]["id"])
                else:
                    self.refused.append(f"{answer.status_code} {answer.text[:200]}")
                    return


def killed_under_load(store: Path, kills: int, plans: int, seed: int) -> None:
    """Kill a server some times while programs work."""
    luck, ids = random.Random(seed), campaign_with_plans(store, plans)
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
    Programs(tokens=tokens, waiting=deque(writes)).survive(store, kills, luck)
