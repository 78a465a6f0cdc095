"""The report of a plan, place by place: when, by whom, and earlier reports."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from allotment.campaign.forms.amounts import plain
from allotment.campaign.history.events import Event
from allotment.campaign.history.plan_records import REPORT, PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning.plans.plan import Plan


@dataclass(frozen=True)
class PlaceReport:
    """What is reported of a place. `event` is the number of the last event about it, 0 if there is none."""

    place: str
    planned: int | float
    losses: int | None  # None if not reported
    amount: int | float  # granted in truth, as far as known
    event: int = 0
    at: datetime | None = None
    by: str | None = None
    key: str | None = None  # the idempotency key of that event
    before: "PlaceReport | None" = None  # what was reported before, if that was something else

    @property
    def is_reported(self) -> bool:
        """Whether anything is reported: losses, or another amount."""
        return self.losses is not None or self.amount != self.planned


@dataclass(frozen=True)
class PlanReport:
    """What is reported of a plan."""

    plan_id: str
    date: date
    state: str
    places: tuple[PlaceReport, ...]  # in the order of the plan
    situation: str | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The places without a report."""
        return tuple(each.place for each in self.places if each.losses is None)


def report_in(plan: Plan, record: PlanRecord, state: State, events: Iterable[Event]) -> PlanReport:
    """The report of a plan; `events` are the reports, and what was undone, from when it was made."""
    blank = [PlaceReport(name, amount, None, amount) for name, amount in plan.amounts.items()]
    position = {arm: place for place, arm in enumerate(record.arms.tolist())}
    now = list(blank)
    for event in events if record.last_told else ():
        if (payload := event.payload).get("plan") == plan.id:
            if event.kind == "told":
                _take_in(now, event, payload, position, state)
            elif payload.get("what", REPORT) == REPORT:
                now = list(blank)
    return PlanReport(plan.id, plan.date, plan.state, tuple(now), plan.situation)


def _take_in(
    now: list[PlaceReport], event: Event, payload: dict[str, Any], position: dict[int, int], state: State
) -> None:
    """Add a report to what was known before it."""
    aliases, losses = state.settings.aliases, payload["losses"]
    amounts = {position[aliases[name]]: plain(Decimal(each)) for name, each in payload["amounts"].items()}
    counts = {position[aliases[name]]: each for name, each in losses.items()}
    for place in counts | amounts:
        old = now[place]
        count = counts.get(place, old.losses)
        amount = amounts.get(place, old.amount)
        if place in counts and count is None:
            amount = old.planned  # withdrawn
        said = (count, amount) != (old.losses, old.amount)
        now[place] = replace(
            old,
            losses=count,
            amount=amount,
            event=event.number,
            at=event.at,
            by=event.by,
            key=event.key,
            before=replace(old, before=None) if said and old.is_reported else None if said else old.before,
        )
