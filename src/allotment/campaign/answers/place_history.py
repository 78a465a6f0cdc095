"""The history of one place, and the report of one plan: grants, reports, imports, and changed settings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from allotment.campaign.answers.event_words import facts_that_differ
from allotment.campaign.answers.settings_words import own_bounds_that_differ
from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import Answer
from allotment.campaign.history.events import Event
from allotment.campaign.history.kinds import OF_SETTINGS
from allotment.campaign.history.ledger import ImportRecord
from allotment.campaign.history.plan_records import REPORT, UNTOLD, PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning.plan import Plan
from allotment.campaign.settings.settings import Settings

SETTING_KINDS = ("created", *OF_SETTINGS)  # kinds of events that settings follow from


@dataclass(frozen=True)
class PlaceRound:
    """A plan at one place: what it granted, and what was reported."""

    date: date
    plan: str
    state: str  # of the plan
    planned: int | float
    granted: int | float  # in truth, as far as reported
    losses: int | None  # None: not reported
    situation: str | None = None  # None: the campaign has no situations


@dataclass(frozen=True)
class PlaceImport:
    """What an import knows of one place."""

    id: str
    first: date
    last: date
    rounds: float
    losses: int
    undone: bool


@dataclass(frozen=True)
class PlaceChange:
    """A change of the place's settings. `at` is in the campaign's time zone."""

    at: datetime
    by: str
    words: str


@dataclass(frozen=True)
class PlaceHistory(Answer):
    """The history of one place, newest first."""

    place: str
    rounds: tuple[PlaceRound, ...]
    imports: tuple[PlaceImport, ...]
    changes: tuple[PlaceChange, ...]

    def columns(self) -> tuple[str, ...]:
        """Of the rounds."""
        situation = ("situation",) if self._has_situations else ()
        return ("date", "plan", "state", "planned", "granted", "losses", *situation)

    def rows(self) -> list[tuple[Any, ...]]:
        """A row a plan."""
        many = len(self.columns())
        return [tuple(vars(each).values())[:many] for each in self.rounds]

    @property
    def _has_situations(self) -> bool:
        return any(each.situation is not None for each in self.rounds)


def place_history_of(state: State, events: Iterable[Event], arm: int) -> PlaceHistory:
    """The history of an arm; `events` are all that settings follow from (`SETTING_KINDS`), in order."""
    return PlaceHistory(
        state.settings.arms[arm].name,
        tuple(each for plan in reversed(state.plans) for each in _rounds(state, plan, arm)),
        tuple(each for found in reversed(state.imports) for each in _imports(found, arm)),
        tuple(_changes(events, arm))[::-1],
    )


def _rounds(state: State, plan: PlanRecord, arm: int) -> Iterator[PlaceRound]:
    position = plan.position(arm)
    if position is None:
        return
    planned, told = int(plan.planned[position]), int(plan.amounts[position])
    losses = int(plan.losses[position])
    yield PlaceRound(
        date=plan.date,
        plan=plan.id,
        state=plan.state,
        planned=plain(state.amounts.values[planned]),
        granted=plain(state.amounts.values[planned if told == UNTOLD else told]),
        losses=None if losses == UNTOLD else losses,
        situation=state.settings.situations.name(plan.situation),
    )


def _imports(found: ImportRecord, arm: int) -> Iterator[PlaceImport]:
    rows = found.rows.where(found.rows.arm == arm)
    if len(rows):
        yield PlaceImport(
            id=found.id,
            first=date.fromordinal(int(rows.day.min())),
            last=date.fromordinal(int(rows.day.max())),
            rounds=float(rows.rounds.sum()),
            losses=int(rows.losses.sum()),
            undone=not found.live,
        )


def _changes(events: Iterable[Event], arm: int) -> Iterator[PlaceChange]:
    settings: Settings | None = None
    for event in events:
        payload, before = event.payload, settings
        settings = (
            Settings.from_dict(payload)
            if before is None
            else OF_SETTINGS[event.kind].changed(before, payload)
        )
        words = _words(before, settings, arm)
        if words:
            yield PlaceChange(event.at.astimezone(names.zone(settings.timezone)), event.by, words)


def _words(before: Settings | None, after: Settings, arm: int) -> str:
    """What an event changed of an arm, in words; nothing if it did not change it."""
    if arm >= len(after.arms):
        return ""
    now = after.arms[arm]
    if before is None or arm >= len(before.arms):
        return f"added, most {plain(now.most)}"
    was = before.arms[arm]
    said = [f"renamed {was.name} → {now.name}"] if was.name != now.name else []
    if was.active != now.active:
        said.append("restored" if now.active else "retired")
    said += [each.words for each in facts_that_differ(was.to_row(), now.to_row())]
    for what, old, new, _ in own_bounds_that_differ(before, after, arm):
        said.append(f"{what} {old} → {new}")
    if was.shape != now.shape:
        said.append("outline on the map")
    return "; ".join(said)


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
