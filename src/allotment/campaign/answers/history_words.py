"""The history in words: what each event told or changed, old → new, and the date that it is about."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.campaign import names
from allotment.campaign.amounts import written
from allotment.campaign.changes import APPLY
from allotment.campaign.history.events import Event
from allotment.campaign.history.plan_records import REPORT, UNTOLD, PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.settings import Settings
from allotment.campaign.telling import report_words
from allotment.checks import one_of

KINDS = ("created", "asked", "told", "cancelled", "closed", "imported", "undone", *APPLY)
HIDDEN = ("name", "aliases", "seed", "state")  # what other words say, or nobody needs


@dataclass(frozen=True)
class HistoryLine:
    """An event as planners read it. `at` is in the campaign's time zone, `date` that of the event's plan."""

    event: Event
    at: datetime
    plan: str | None
    date: date | None
    words: str

    @property
    def kind(self) -> str:
        """The kind of event in a planner's terms."""
        return kind_shown(self.event.kind)


def kind_shown(kind: str) -> str:
    """A kind of event in a planner's terms, which are places where events say arms.

    >>> kind_shown("arm added")
    'place added'
    """
    return kind.replace("arm ", "place ")


def history_lines(
    events: Iterable[Event], *, on: Any = None, kind: str | None = None
) -> Iterator[HistoryLine]:
    """The events in words, first to last.

    `on` keeps what was recorded on a date, and what is about a plan of that date; `kind` keeps one kind.
    """
    wanted = None if kind is None else one_of("kind", kind_shown(kind), tuple(map(kind_shown, KINDS)))
    state = State()
    for event in events:
        payload = event.payload
        told = _Told(state, payload) if event.kind == "told" else None
        before = state.settings if state.number else None
        state.apply(event)
        settings = state.settings
        at = event.at.astimezone(names.zone(settings.timezone))
        about = state.plan(payload["plan"]).date if "plan" in payload else None
        if wanted not in (None, kind_shown(event.kind)):
            continue
        if on is None or settings.day(on) in (about, at.date()):
            words = (
                _words(event.kind, payload, before, settings) if told is None else told.words(state, payload)
            )
            plan = payload.get("plan")
            yield HistoryLine(event, at, plan, about, f"plan {plan} of {about}{words}" if plan else words)


class _Told:
    """The reports of a plan before an event adds to them."""

    def __init__(self, state: State, payload: Mapping[str, Any]) -> None:
        plan = state.plan(payload.get("plan"))
        self.losses, self.amounts = plan.losses.copy(), plan.amounts.copy()

    def words(self, state: State, payload: Mapping[str, Any]) -> str:
        """What was told, and what was known before if that was something else."""
        plan = state.plan(payload["plan"])
        said, granted = dict[str, str](), list[str]()
        for name, count in payload["losses"].items():
            old = int(self.losses[_place(state, plan, name)])
            said[name] = _change(_count(old), _count(UNTOLD if count is None else count), old != UNTOLD)
        for name, amount in payload["amounts"].items():
            at = _place(state, plan, name)
            old = int(self.amounts[at] if self.amounts[at] != UNTOLD else plan.planned[at])
            granted.append(f"amount of {name} {_change(written(state.amounts.values[old]), amount, True)}")
        return f": {', '.join(filter(None, [report_words(said), *granted]))}"


def _place(state: State, plan: PlanRecord, name: str) -> int:
    return int(plan.positions(np.array([state.settings.aliases[name]]))[0])


def _count(losses: int) -> str:
    return "not reported" if losses == UNTOLD else str(losses)


def _change(old: str, new: str, known: bool) -> str:
    return f"{old} → {new}" if known and old != new else new


def _words(kind: str, payload: dict[str, Any], before: Settings | None, after: Settings) -> str:
    if kind == "created" or before is None:
        return f"{len(after.arms)} places, budget {written(after.budget)}, unit {written(after.unit)}"
    if kind == "asked":
        amounts = [units * Decimal(payload["unit"]) for units in payload["units"]]
        granted = [
            f"{name} {written(each)}" for name, each in zip(payload["arms"], amounts, strict=True) if each
        ]
        instead = f", instead of plan {payload['replaces']}" if "replaces" in payload else ""
        return f"{instead}: {', '.join(granted) or 'nothing granted'}"
    if kind == "imported":
        report = payload["report"]
        days = f" from {report['first']} to {report['last']}" if report["first"] else ""
        seen = f"{report['taken']} rows, {report['incidents']} incidents"
        return f"{report['id']} ({report['file']}): {seen}{days}"
    if kind == "undone":
        return str(payload["import"]) if "import" in payload else f": {payload.get('what', REPORT)} undone"
    if kind == "arm renamed":
        return f"{payload['old']} → {payload['new']}"
    if kind == "arm added":
        return f"{after.arms[-1].name}, most {written(after.arms[-1].most)}"
    if kind in APPLY:
        return payload.get("arm") or "; ".join(changes_of_settings(before, after)) or "outlines of places"
    return ""  # cancelled or closed: the plan says it all


def changes_of_settings(before: Settings, after: Settings) -> list[str]:
    """What differs between settings, old → new."""
    return list(differences(_facts(before), _facts(after)))


def _facts(settings: Settings) -> dict[str, Any]:
    """The settings as planners see them, by name."""
    facts = settings.to_dict()
    del facts["arms"]
    return {**facts, "arms": {arm.name: arm.to_row() for arm in settings.arms}}


def differences(before: Mapping[str, Any], after: Mapping[str, Any], of: str = "") -> Iterator[str]:
    """What differs between settings as plain data, old → new."""
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if name in HIDDEN or old == new:
            continue
        if isinstance(old, Mapping) or isinstance(new, Mapping):
            yield from differences(old or {}, new or {}, "" if name in ("arms", "groups") else f" of {name}")
        else:
            yield f"{name.replace('_', '-')}{of} {_shown(old)} → {_shown(new)}"


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
