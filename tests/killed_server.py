"""Clients of a server that is killed again and again, as a power cut would end it."""

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from allotment.campaign.campaign import Campaign
from running import wait_until
from web_serving import Served, serving

PLACES = [f"Zone {number}" for number in range(40)]


def campaign_with_plans(store: Path, plans: int) -> list[str]:
    """Create a campaign of 40 places, and return the ids of its plans."""
    with Campaign.create(store, "night", arms=PLACES, budget=40, unit=1, most=2, seed=1) as campaign:
        return [campaign.ask(explore=False).id for _ in range(plans)]


@dataclass(kw_only=True)
class Clients:
    """Clients, what they have still to write, and what was answered with success."""

    waiting: deque[Any]
    answered: list[Any] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    lost: int = 0  # writes without an answer; each is sent again under the same key

    def workers(self, served: Served) -> list[Callable[[], None]]:
        """What each client does until the server is gone."""
        raise NotImplementedError

    def check(self, store: Path) -> None:
        """Everything that was answered with success is there, once, and the history verifies."""
        raise NotImplementedError

    def survive(self, store: Path, kills: int, luck: random.Random) -> None:
        """Kill the server some times while the clients work; nothing that was answered may be lost."""
        for _ in range(kills):
            before = len(self.answered)
            with serving(store) as served:
                self._work_until_killed(served, luck.uniform(0.05, 0.5))
            assert self.refused == []
            assert len(self.answered) > before and self.waiting, "it was not killed in the middle"
            self.check(store)
        assert self.lost >= kills

    def _work_until_killed(self, served: Served, seconds: float) -> None:
        threads = [threading.Thread(target=work) for work in self.workers(served)]
        before = len(self.answered)
        for thread in threads:
            thread.start()
        wait_until(lambda: len(self.answered) > before or self.refused)
        time.sleep(seconds)
        served.kill()
        for thread in threads:
            thread.join()
