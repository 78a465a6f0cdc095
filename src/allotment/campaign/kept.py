"""A campaign in a store: what its history implies at this moment, and how events are added to it."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from allotment.campaign.changes import APPLY
from allotment.campaign.history.events import Draft, Event, Request
from allotment.campaign.history.snapshots import packed, unpacked, worth_keeping
from allotment.campaign.history.state import State
from allotment.campaign.history.store.store import Read, Store
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.planning.plan_memory import memory_of, refuse_if_too_large
from allotment.campaign.settings import Settings
from allotment.errors import StoreError


class Kept:
    """A campaign's history, followed as it grows. Threads may share it."""

    def __init__(self, store: Store, number: int, by: str) -> None:
        self.store = store
        self.by = by
        self._number = number
        self._state: State | None = None
        self._lock = threading.RLock()

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self._current().settings

    @property
    def name(self) -> str:
        """What it is called."""
        return self.settings.name

    @property
    def last_event(self) -> int:
        """The number of the last event."""
        return self._current().number

    def _current(self) -> State:
        """What the history implies at this moment."""
        with self._lock:
            return self._caught_up(lambda after: self.store.events(self._number, after))

    def _caught_up(self, read: Read) -> State:
        state = self._state
        if state is None:
            state = self._from_snapshot() or State()
        self._state = None  # if an event makes no sense, what has been taken in is not to be trusted
        self._state = state.follow(read(state.number))
        return self._state

    def _from_snapshot(self) -> State | None:
        """What the last snapshot holds, if it can be read and belongs to the history."""
        snapshot = self.store.snapshot(self._number)
        if snapshot is None or not self.store.follows(self._number, snapshot):
            return None
        return unpacked(snapshot)

    def _write(
        self,
        kind: str,
        name: str,
        given: Mapping[str, Any],
        key: Any,
        decide: Callable[[State], Mapping[str, Any]],
    ) -> Event:
        """Add an event that is decided on what the history then implies."""
        request = Request.of(self.by, key, name, given)
        with self._lock:
            self._current()  # what takes long is done before others have to wait
            event = self.store.append(
                self._number, request, lambda read: Draft(kind, decide(self._caught_up(read)))
            )
            self._keep_snapshot(self._current())
        return event

    def _keep_snapshot(self, state: State) -> None:
        if worth_keeping(state):
            try:
                self.store.keep_snapshot(self._number, packed(state))
            except StoreError:  # it only makes the next start faster
                return
            state.fresh = 0

    def _change(self, kind: str, name: str, given: Mapping[str, Any], key: Any, decide: Any) -> None:
        """Add a change of settings, if plans can still be made after it."""

        def checked(state: State) -> Mapping[str, Any]:
            payload: Mapping[str, Any] = decide(state.settings)
            after = APPLY[kind](state.settings, payload).checked()
            if after.active:
                bounds_of(after)
            if memory_of(after) > memory_of(state.settings):  # what is too large may shrink step by step
                refuse_if_too_large(after)
            return payload

        self._write(kind, name, given, key, checked)
