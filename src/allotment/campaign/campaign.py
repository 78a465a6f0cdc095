"""A campaign: durable ask and tell. Every write is an event; everything else is what the events imply."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from allotment.campaign import names
from allotment.campaign.arms import Arms
from allotment.campaign.changes import first_settings
from allotment.campaign.daily import Daily
from allotment.campaign.history import copies
from allotment.campaign.history.checking import verify, verify_plans, wishes_in
from allotment.campaign.history.events import Draft, Request
from allotment.campaign.history.state import State
from allotment.campaign.history.store.store import Store
from allotment.campaign.planning.asking import planned
from allotment.campaign.planning.plan_bounds import bounds_of, names_in
from allotment.campaign.planning.plan_inputs import situation_of
from allotment.campaign.planning.plan_memory import refuse_if_too_large
from allotment.checks import flag
from allotment.files import AnyPath


class Campaign(Daily, Arms):
    """Plans for the arms of a campaign, round after round, kept in a store.

    Made by `Campaign.create`, opened by `Campaign.open`. All amounts are in the user's own units. Each method
    that writes returns when what it wrote is safe on disk; a `key` makes it safe to be called again.
    """

    @classmethod
    def create(
        cls,
        store: AnyPath,
        name: str,
        *,
        arms: Iterable[str],
        budget: Any,
        unit: Any,
        most: Any,
        least: Any = 0,
        severities: Any = None,
        groups: Mapping[str, Any] | None = None,
        thresholds: Any = None,
        shapes: Any = None,
        sees: str = "losses",
        losses: str = "binary",
        half_life: Any = None,
        scale: Any = None,
        timezone: str | None = None,
        policy: str = "any-response",
        seed: int | None = None,
        author: str | None = None,
        key: str | None = None,
    ) -> Self:
        """Begin a campaign in a file or a PostgreSQL database, which is made if need be."""
        given = {k: v for k, v in locals().items() if k not in ("cls", "store", "author", "key", "__class__")}
        given["arms"] = names_in("arms", arms)  # once: it may be an iterator
        by = names.author(author)
        settings = first_settings(**given)
        bounds_of(settings)
        refuse_if_too_large(settings)
        request = Request.of(by, key, "create", given)
        kept = Store(store, create=True)
        try:
            return cls(kept, kept.create(settings.name, request, Draft("created", settings.to_dict())), by)
        except BaseException:
            kept.close()
            raise

    @classmethod
    def open(cls, store: AnyPath, name: str | None = None, *, author: str | None = None) -> Self:
        """A campaign that is there; the name may be left out if it is the only one."""
        by = names.author(author)
        kept = Store(store)
        try:
            return cls(kept, kept.find(name), by)
        except BaseException:
            kept.close()
            raise

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Campaign {self.name!r} in {self.store.name}>"

    def export(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Write the history as JSON Lines, one event a line.

        An earlier export is replaced; any other file with `overwrite` only, and a database never.
        """
        copies.export(self.store, self._number, path, overwrite=flag("overwrite", overwrite))

    @classmethod
    def replay(cls, path: AnyPath, store: AnyPath) -> Self:
        """An exported history as a campaign of another store; the same plans follow from it."""
        with copies.checked_export(path) as history:
            kept = Store(store, create=True)
            try:
                return cls(kept, kept.adopt([history])[0], names.author(None))
            except BaseException:
                kept.close()
                raise

    def backup(self, path: AnyPath) -> None:
        """Copy the whole store, while it is in use, into a new SQLite file."""
        copies.back_up(self.store, path)

    def verify(self, *, plans: bool = False) -> None:
        """Derive everything anew and compare; with `plans`, compute the plans anew as well."""
        with self._lock:
            verify(self.store, self._number, self._state)
        if flag("plans", plans):
            verify_plans(self.store, self._number, self._planned_anew)

    def _planned_anew(self, state: State, payload: dict[str, Any]) -> dict[str, Any]:
        situation = situation_of(state, self.store, self._number, payload["date"])
        bounds = bounds_of(state.settings, wishes_in(state.settings, payload))
        return planned(situation, bounds, explore=payload["explore"])


def campaigns(store: AnyPath) -> tuple[str, ...]:
    """The names of the campaigns that a store holds."""
    with Store(store) as kept:
        return kept.campaigns()
