"""The campaigns of the store, opened once and shared by all requests.

A `Campaign` is safe in several threads: reports and answers never wait for an ask, since an ask computes
outside the campaign's lock. Its authors share one store, and what was read from it (`Campaign.signed`).
"""

import threading
from pathlib import Path
from typing import Any

from allotment.campaign.campaign import Campaign
from allotment.campaign.history.store.connecting import is_url, url_of
from allotment.campaign.history.store.stopped_restore import stopped_restore
from allotment.campaign.history.store.store import Store
from allotment.campaign.warm_planner import compile_planner_in_background
from allotment.errors import NotFoundError


class OpenCampaigns:
    """A store that may not be there yet: the first campaign makes it."""

    def __init__(self, store: str) -> None:
        self._address = store
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._open: dict[int, Campaign] = {}
        if self._exists():
            self._store = Store(store)  # at once, so that a wrong store is a sentence of the command

    @property
    def name(self) -> str:
        """What a new campaign may be called: the name of the file."""
        return "" if is_url(self._address) else Path(self._address).stem

    @property
    def address(self) -> str:
        """The store as it was named, with a password if one was given: never for a page."""
        return self._address

    @property
    def store_name(self) -> str:
        """The store as commands name it, without a password."""
        return self._address if self._store is None else self._store.name

    def names(self) -> dict[int, str]:
        """The names of the campaigns by their numbers, which the addresses of pages hold."""
        with self._lock:
            if self._store is None and self._exists():
                self._store = Store(self._address)
            store = self._store
        return {} if store is None else {store.find(name): name for name in store.campaigns()}

    @property
    def store(self) -> Store:
        """The store; an error if it is not there yet."""
        with self._lock:
            if self._store is None:
                self._store = Store(self._address)
            return self._store

    def open(self, number: int, author: str) -> Campaign:
        """The campaign of a number, for one request of an author."""
        with self._lock:
            found = self._open.get(number)
        if found is None:
            if number not in self.names() or self._store is None:
                raise missing_campaign(number)
            with self._lock:
                found = self._open.setdefault(number, Campaign(self._store, number, author))
        return found.signed(author).reading_once()

    def create(self, name: str, author: str, **settings: Any) -> int:
        """Make a campaign, and return its number."""
        with Campaign.create(self._address, name, author=author, **settings) as made:
            compile_planner_in_background(made.settings)
            name = made.name
        return next(number for number, each in self.names().items() if each == name)

    def warm_up(self, author: str) -> None:
        """Read the histories for an author and compile the planner in the background, before anyone asks."""
        import allotment.campaign.planning.decision  # noqa: F401 - loading Numba takes a second

        for number in self.names():
            campaign = self.open(number, author)
            compile_planner_in_background(campaign.settings)
            campaign.history_page(size=1)  # reads the whole history once, which pages of it then have

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._store = None
            self._open.clear()

    def _exists(self) -> bool:
        if is_url(self._address):
            return True
        path = Path(url_of(self._address).database or "")
        return path.exists() or stopped_restore(path) is not None


def missing_campaign(number: object) -> NotFoundError:
    """The error for a campaign that is not there, or not there for whoever asks."""
    return NotFoundError(f"there is no campaign {number}", what="campaign", value=number)
