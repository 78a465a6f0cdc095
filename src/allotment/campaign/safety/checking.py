"""Verifies a campaign: the hash chain, the derived state, and every plan against its bounds."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from allotment.campaign.history.events import Event
from allotment.campaign.history.kinds import OF_SETTINGS
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.history.snapshots import of_this_format, packed, unpacked
from allotment.campaign.history.state import State
from allotment.campaign.history.store.snapshot_rows import Snapshot
from allotment.campaign.history.store.store import Store
from allotment.campaign.planning.asking import RECORDED
from allotment.campaign.planning.calm import units_before
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.planning.wishes import Wishes
from allotment.campaign.settings.changes import check_usable
from allotment.campaign.settings.settings import Settings
from allotment.errors import AllotmentError, HistoryError, shown
from allotment.version import versions


def verify(store: Store, campaign: int, held: State | None) -> State:
    """The state that the history implies; raises an error where anything derived disagrees with it.

    `held` is what a campaign has in memory. A snapshot that disagrees is dropped.
    """
    snapshot, state = store.snapshot(campaign), State()
    if snapshot is not None and not of_this_format(snapshot):
        snapshot = None  # of another version, and never used
    agrees = snapshot is None
    for _ in checked(state, store.events(campaign)):
        if snapshot is not None and snapshot.number == state.number:
            agrees = packed(state) == snapshot
        if held is not None and held.number == state.number and not _agree(held, state):
            raise HistoryError(f"the state derived up to event {state.number} disagrees with the history")
    if state.number == 0 or (held is not None and held.number > state.number):
        raise HistoryError(f"{store.name}: events are missing after event {state.number}")
    if snapshot is not None and not agrees:
        _drop(store, campaign, snapshot, state)
    return state


def _agree(held: State, state: State) -> bool:
    return packed(held) == packed(state) and (held.running is None or held.tallies() == state.tallies())


def checked(state: State, events: Iterable[Event]) -> Iterator[Event]:
    """Events as a state takes them in, each plan checked against the bounds of its day."""
    settings_at: dict[int, Settings] = {}
    for event in events:
        state.apply(event)
        if event.kind == "created":
            check_usable(state.settings)
        if event.kind == "created" or event.kind in OF_SETTINGS:
            settings_at[event.number] = state.settings
        if event.kind == "asked":
            _check_bounds(event, settings_at, state)
        yield event


def _drop(store: Store, campaign: int, snapshot: Snapshot, state: State) -> NoReturn:
    """Remove a snapshot that disagrees with the history, and say so."""
    sound = unpacked(snapshot) is not None
    if sound and snapshot.number > state.number:  # it was right once: what it knew is gone
        raise HistoryError(
            f"{store.name}: events are missing after event {state.number}; a snapshot knows {snapshot.number}"
        )
    store.drop_snapshot(campaign)
    why = "disagrees with the history" if sound else "cannot be read"
    raise HistoryError(
        f"the snapshot at event {shown(snapshot.number)} {why}, and was dropped; the history is whole, and "
        f"`verify` passes from now on"
    )


def verify_plans(
    store: Store, campaign: int, recompute: Callable[[State, PlanPayload], dict[str, Any]]
) -> None:
    """Compute plans anew that were made with the versions in use, and compare."""
    now = {name: number for name, number in versions().items() if name in RECORDED}
    state = State()
    ahead = deque[Event]()  # events written while a plan was computed, which the plan did not know
    for event in store.events(campaign):
        if event.kind == "asked" and event.payload["versions"] == now:
            payload = event.payload
            while ahead and ahead[0].number <= event.plan.knew:
                state.apply(ahead.popleft())
            found = recompute(state, event.plan)
            if any(found.get(part) != payload.get(part) for part in ("units", "control")):
                raise HistoryError(
                    f"plan {payload['plan']} (event {event.number}) differs from the plan of its history"
                )
        ahead.append(event)


def wishes_in(settings: Settings, plan: PlanPayload) -> Wishes:
    """What was asked of a plan beside the settings."""
    return Wishes.of(settings, **vars(plan.wishes))


def situation_in(settings: Settings, plan: PlanPayload) -> int:
    """The number of the situation that a plan was made for."""
    return 0 if plan.situation is None else settings.situations.aliases[plan.situation]


def _check_bounds(event: Event, settings_at: dict[int, Settings], state: State) -> None:
    plan = event.plan
    settings = settings_at[max(number for number in settings_at if number <= plan.knew)]
    try:
        settings = settings.within(situation_in(settings, plan))
        bounds = bounds_of(settings, wishes_in(settings, plan))
        if plan.calm is not None:
            kept, known = state.plan(plan.calm["since"]), state.amounts.values
            had = {arm: known[number] for arm, number in zip(kept.arms, kept.planned, strict=True)}
            before = units_before(bounds, settings.unit, had)
            bounds = replace(bounds, before=before, moves=plan.calm["limit"])
        names = [settings.arms[arm].name for arm in bounds.arms]
        units = np.array(plan.units, np.int64)
        broken = "the places" if names != plan.arms else bounds.broken_by(units)
    except (AllotmentError, KeyError, TypeError, ValueError) as error:
        broken = f"its bounds ({error})"
    if broken:
        raise HistoryError(f"plan {plan.id} (event {event.number}) breaks {broken}")
