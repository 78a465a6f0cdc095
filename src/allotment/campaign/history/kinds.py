"""Every kind of event, each in one class: its form, what it does to the state, its words and its places.

A kind also says which version reads it, and which version reads each part that came later.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import listed, written
from allotment.campaign.forms.payloads import keyed
from allotment.campaign.history.event_parts import Before, Part, Words, report_words
from allotment.campaign.history.events import OLDEST_WRITTEN, Draft, Event
from allotment.campaign.history.ledger import imported
from allotment.campaign.history.plan_records import REPORT, UNDOABLE, UNTOLD, PlanRecord
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.changes import changed
from allotment.campaign.settings.control import control_words
from allotment.campaign.settings.sentences import created_words
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import BY_NAME, OF_ARMS
from allotment.checks import one_of
from allotment.errors import InputError

if TYPE_CHECKING:
    from allotment.campaign.history.state import State


class Kind:
    """A kind of event."""

    name: ClassVar[str]
    title: ClassVar[str] = ""  # on a page, unless its name says the same
    counted: ClassVar[str] = ""  # its parts in short, if it may have many
    what: ClassVar[str]  # its payload in messages
    needed: ClassVar[tuple[str, ...]] = ()  # the parts of its payload
    optional: ClassVar[tuple[str, ...]] = ()
    since: ClassVar[int] = 1  # the version that reads it
    parts_since: ClassVar[Mapping[str, int]] = {}  # and those that read parts that came later

    def form(self, payload: Mapping[str, Any]) -> None:
        """Raise an error unless the payload has the parts that this kind has, and no others."""
        keyed(self.what, payload, self.needed, self.optional)

    def arms(self, payload: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """The arms that it describes, with the attributes that are unusual."""
        return ()

    def version(self, payload: Mapping[str, Any]) -> int:
        """The lowest version that reads a payload, so that older programs can go on where they can."""
        parts = (self.parts_since.get(part, 1) for part in payload)
        attributes = (OF_ARMS[name].since for arm in self.arms(payload) for name in arm if name in OF_ARMS)
        return max(self.since, *parts, *attributes, OLDEST_WRITTEN)

    def before(self, state: "State", payload: Mapping[str, Any]) -> Before:
        """What its words need of the state before it."""
        return Before()

    @abstractmethod
    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Take it in; every name, number and date in it is checked as if it were given now."""

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """It in words, beside the name of its plan."""
        return Words("" if "plan" in payload else str(payload["arm"]))  # the plan, or the place, says it all

    def day(self, state: "State", payload: Mapping[str, Any]) -> date | None:
        """The date that it is about: that of its plan, if it has one."""
        return state.plan(payload["plan"]).date if "plan" in payload else None

    def news(self, event: Event) -> Iterable[str]:
        """What it recorded that could lead to another plan, in words."""
        return ()

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """The numbers of the arms that it is about, after it."""
        arms: list[int] = state.plan(payload["plan"]).arms.tolist()
        return arms


class OfSettings(Kind):
    """A kind that changes settings."""

    what = "the change"

    @abstractmethod
    def settings(self, before: Settings, payload: Mapping[str, Any]) -> Settings:
        """The settings after it."""

    def changed(self, before: Settings, payload: Mapping[str, Any]) -> Settings:
        """The settings after it, its form checked."""
        self.form(payload)
        return self.settings(before, payload)

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Take in the new settings."""
        state.change(self.changed(state.settings, payload).checked())

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """The place that it names."""
        named: Any = payload.get("arm", payload.get("new"))
        return (state.settings.aliases[named["name"] if isinstance(named, dict) else named],)


class Created(Kind):
    """A campaign begins."""

    name = "created"
    title = "Campaign made"
    parts_since: ClassVar = {each.field: each.since for each in BY_NAME.values() if each.field is not None}

    def arms(self, payload: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """All of them."""
        arms: list[Mapping[str, Any]] = payload["arms"]
        return arms

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Take in the first settings, which check their own form."""
        state.begin(Settings.from_dict(payload).checked())

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """The number of places, the budget, the unit and control rounds."""
        begun = f"{len(payload['arms'])} places, {created_words(payload)}, unit {payload['unit']}"
        control = payload.get("control")
        by_lot = "" if control is None else f", control {control_words(control['share'], control['plan'])}"
        return Words(begun + by_lot)

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """All of them."""
        return range(len(state.settings.arms))


class Changed(OfSettings):
    """Settings change."""

    name = "changed"
    title = "Settings changed"
    needed = ("settings",)

    def version(self, payload: Mapping[str, Any]) -> int:
        """The version that brought the newest of the settings."""
        since = [BY_NAME[name].since for name in payload["settings"]]
        return max(super().version(payload), *since, OLDEST_WRITTEN)

    def settings(self, before: Settings, payload: Mapping[str, Any]) -> Settings:
        """All changes at once."""
        return changed(before, payload["settings"])

    def news(self, event: Event) -> Iterable[str]:
        """The names of the settings on which plans depend."""
        named = [name.replace("_", " ") for name in event.payload["settings"] if BY_NAME[name].of_plans]
        if named:
            yield f"{listed(named)} changed"

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """What differs, old → new."""
        return Words("", before.changes, "; ") if before.changes else Words("nothing")

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """The places whose settings differ."""
        aliases = state.settings.aliases
        return (aliases[each.place] for each in before.changes if each.place is not None)


class OfArm(OfSettings):
    """A kind that changes one place."""

    def news(self, event: Event) -> Iterable[str]:
        """The name that the place had, and what became of it."""
        arm = event.payload.get("arm", event.payload.get("old"))
        yield f"{arm['name'] if isinstance(arm, dict) else arm} was {self.name.removeprefix('arm ')}"


class ArmAdded(OfArm):
    """A place is added."""

    name = "arm added"
    needed = ("arm",)

    def arms(self, payload: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """The new one."""
        return (payload["arm"],)

    def settings(self, before: Settings, payload: Mapping[str, Any]) -> Settings:
        """With one place more."""
        return before.with_new_arm(Arm.from_dict(payload["arm"]))

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """Its name and its most."""
        return Words(f"{payload['arm']['name']}, most {payload['arm']['most']}")


class ArmRenamed(OfArm):
    """A place gets another name."""

    name = "arm renamed"
    needed = ("old", "new")

    def settings(self, before: Settings, payload: Mapping[str, Any]) -> Settings:
        """The old name keeps pointing to the place."""
        new = names.checked_name("a place's name", payload["new"])
        return before.renamed(before.aliases[payload["old"]], new)

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """Both names."""
        return Words(f"{payload['old']} → {payload['new']}")


class ArmRetired(OfArm):
    """No plans are made for a place any more."""

    name = "arm retired"
    needed = ("arm",)
    active = False

    def settings(self, before: Settings, payload: Mapping[str, Any]) -> Settings:
        """The place stays, with its evidence."""
        return before.with_arm(before.aliases[payload["arm"]], active=self.active)


class ArmRestored(ArmRetired):
    """Plans are made for a retired place again."""

    name = "arm restored"
    active = True


class SituationRenamed(ArmRenamed):
    """A situation gets another name."""

    name = "situation renamed"
    since = 3

    def news(self, event: Event) -> Iterable[str]:
        """Its old name."""
        yield f"situation {event.payload['old']} was renamed"

    def settings(self, before: Settings, payload: Mapping[str, Any]) -> Settings:
        """The old name keeps pointing to the situation."""
        new, situations = names.checked_name("a situation's name", payload["new"]), before.situations
        return replace(before, situations=situations.renamed(situations.aliases[payload["old"]], new))

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """No place: a situation belongs to all of them."""
        return ()


class Asked(Kind):
    """A plan is made. Its form depends on its own version, so the plan's record checks it."""

    name = "asked"
    title = "Plan made"
    counted = "{all} places get something"
    parts_since: ClassVar = {"situation": 3, "control": 4, "find_variances": 5}

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Take in the plan, which may replace another."""
        state.ask(number, payload)
        state.fresh += len(payload["arms"])

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """What it grants, and what it replaces."""
        instead = f"instead of plan {payload['replaces']}" if "replaces" in payload else ""
        control = "a control round" if payload.get("control", {}).get("drawn") else ""
        granted = tuple(_granted(payload)) or (Part(None, "nothing granted"),)
        return Words(", ".join(filter(None, (instead, control))), granted)

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """The places that get something."""
        units = zip(payload["arms"], payload["units"], strict=True)
        return (state.settings.aliases[name] for name, each in units if each)


class Told(Kind):
    """A plan is reported."""

    name = "told"
    title = "Report"
    counted = "{all} places reported, {how}"
    what = "the report"
    needed = ("plan", "losses", "amounts", "correct")

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Take in the report, and count the evidence anew."""
        self.form(payload)
        plan = state.stored_plan(payload)
        with state.counted_anew(plan):
            plan.tell(number, payload, state.settings, state.amounts)
        state.fresh += len(payload["losses"])

    def before(self, state: "State", payload: Mapping[str, Any]) -> Before:
        """The losses and amounts that were known of its places."""
        plan, values = state.plan(payload.get("plan")), state.amounts.values
        aliases = state.settings.aliases

        def places(named: Iterable[str]) -> list[int]:
            found: list[int] = plan.positions(np.array([aliases[name] for name in named], np.int64)).tolist()
            return found

        losses = zip(payload["losses"], plan.losses[places(payload["losses"])].tolist(), strict=True)
        told = np.where(plan.amounts == UNTOLD, plan.planned, plan.amounts)
        amounts = zip(payload["amounts"], told[places(payload["amounts"])].tolist(), strict=True)
        return Before(
            {name: count for name, count in losses if count != UNTOLD},
            {name: written(values[number]) for name, number in amounts},
        )

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """Its reports, with earlier reports that differ."""
        return _told(payload, before)

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """The places that it names."""
        return (state.settings.aliases[name] for part in ("losses", "amounts") for name in payload[part])


class Cancelled(Kind):
    """A plan is cancelled."""

    name = "cancelled"
    title = "Plan cancelled"
    what = "the cancellation"
    needed = ("plan",)

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Cancel the plan, of which nothing was told."""
        self.form(payload)
        plan = state.stored_plan(payload)
        self.check(plan)
        self.mark(plan, number)

    def check(self, plan: PlanRecord) -> None:
        """Raise an error if the plan has a report."""
        plan.check_untold()

    def mark(self, plan: PlanRecord, number: int) -> None:
        """Note the event."""
        plan.cancelled = number


class Closed(Cancelled):
    """A plan is closed: nothing more will be reported."""

    name = "closed"
    title = "Plan closed"
    what = "the closing"

    def check(self, plan: PlanRecord) -> None:
        """Raise an error if no report is awaited."""
        plan.check_open()

    def mark(self, plan: PlanRecord, number: int) -> None:
        """Note the event."""
        plan.closed = number


class Imported(Kind):
    """A log of another program is imported. Its record checks its form."""

    name = "imported"
    title = "Import"
    parts_since: ClassVar = {"situations": 3}

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Take in its rows, which may replace earlier ones."""
        added = imported(number, payload, state.settings, state.amounts, len(state.imports))
        state.imports.append(added)
        state.fresh += len(added.rows)
        if added.replaced.size:
            state.running = None
        elif state.running is not None:
            state.running.add(added.rows)

    def news(self, event: Event) -> Iterable[str]:
        """Its id and the number of its rows."""
        yield f"{event.payload['import']} was imported ({len(event.payload['rows']['arm'])} rows)"

    def before(self, state: "State", payload: Mapping[str, Any]) -> Before:
        """Its own report, since the event may hold millions of rows."""
        return Before(report=payload.get("report"))

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """What it says of itself."""
        report = payload["report"] if before.report is None else before.report
        days = f" from {report['first']} to {report['last']}" if report["first"] else ""
        seen = f"{report['taken']} rows, {report['incidents']} incidents"
        return Words(f"{report['id']} ({report['file']})", (Part(None, f"{seen}{days}"),))

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """The places of its log."""
        return (state.settings.aliases[name] for name in payload["report"]["places"])


class Undone(Kind):
    """An import, a report, a cancellation or a closing is taken back."""

    name = "undone"
    what = "the undoing"

    def form(self, payload: Mapping[str, Any]) -> None:
        """An import, or something of a plan."""
        if "import" in payload:
            keyed(self.what, payload, ("import",))
        else:
            keyed(self.what, payload, ("plan",), ("what",))

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Take it back."""
        self.form(payload)
        if "import" in payload:
            found = state.find_import(payload["import"])
            found.check_live()
            found.live, state.running = False, None
        else:
            plan = state.stored_plan(payload)
            with state.counted_anew(plan):
                plan.undo(one_of("what", payload.get("what", REPORT), UNDOABLE))

    def news(self, event: Event) -> Iterable[str]:
        """The import, or the report of a plan."""
        if "import" in event.payload:
            yield f"{event.payload['import']} was undone"
        elif event.payload.get("what", REPORT) == REPORT:
            yield f"the report of plan {event.payload['plan']} was undone"

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """The import, or the plan and what of it."""
        if "import" in payload:
            return Words(str(payload["import"]))
        return Words("", (Part(None, f"{payload.get('what', REPORT)} undone"),))

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """The places of the import, or of the plan."""
        if "import" in payload:
            arms: list[int] = np.unique(state.find_import(payload["import"]).rows.arm).tolist()
            return arms
        return super().places(state, payload, before)


class Remarked(Kind):
    """Someone writes a remark about a day. It changes nothing: only the history holds it."""

    name = "remarked"
    title = "Remark"
    what = "the remark"
    needed = ("date", "text")
    since = 7

    def apply(self, state: "State", number: int, payload: Any) -> None:
        """Check its form."""
        self.form(payload)
        names.stored_day("date", payload["date"])
        if names.remark(payload["text"]) != payload["text"]:
            raise InputError.of("text", payload["text"], "a text as it is stored, on one line")

    def day(self, state: "State", payload: Mapping[str, Any]) -> date | None:
        """The date of the remark."""
        return names.stored_day("date", payload["date"])

    def words(self, payload: Mapping[str, Any], before: Before) -> Words:
        """The date and the text."""
        return Words(payload["date"], (Part(None, payload["text"]),))

    def places(self, state: "State", payload: Mapping[str, Any], before: Before) -> Iterable[int]:
        """No place: a remark is about a day."""
        return ()


def _told(payload: Mapping[str, Any], before: Before) -> Words:
    """The reports of an event, with earlier reports that differ."""
    said: dict[str, str] = {}
    for name, count in payload["losses"].items():
        old, new = before.losses.get(name, UNTOLD), UNTOLD if count is None else count
        said[name] = _change(_count(old), _count(new), old != UNTOLD)
    granted = [
        Part(name, f"amount of {name} {_change(before.amounts[name], amount, True)}")
        for name, amount in payload["amounts"].items()
    ]
    parts = (*(Part(name, f"{name} {words}", words) for name, words in said.items()), *granted)
    short = ", ".join(filter(None, [report_words(said), *(each.words for each in granted)]))
    return Words("", parts, short=short)


def _count(losses: int) -> str:
    return "not reported" if losses == UNTOLD else str(losses)


def _change(old: str, new: str, known: bool) -> str:
    return f"{old} → {new}" if known and old != new else new


def _granted(payload: Mapping[str, Any]) -> Iterator[Part]:
    unit = Decimal(payload["unit"])
    for name, units in zip(payload["arms"], payload["units"], strict=True):
        if units:
            yield Part(name, f"{name} {written(units * unit)}", written(units * unit))


KINDS: Mapping[str, Kind] = {
    each.name: each
    for each in (
        *(Created(), Asked(), Told(), Cancelled(), Closed(), Imported(), Undone(), Remarked()),
        *(ArmAdded(), ArmRenamed(), ArmRetired(), ArmRestored(), SituationRenamed(), Changed()),
    )
}
OF_SETTINGS: Mapping[str, OfSettings] = {
    name: each for name, each in KINDS.items() if isinstance(each, OfSettings)
}
VERSION = max(  # of payloads; 2 added closings, undone cancellations, plans that replace others, and tables
    OLDEST_WRITTEN,
    *(each.since for each in BY_NAME.values()),
    *(since for kind in KINDS.values() for since in (kind.since, *kind.parts_since.values())),
)


def drafted(kind: str, payload: Mapping[str, Any]) -> Draft:
    """An event to be written, with the lowest version that reads it."""
    return Draft(kind, payload, KINDS[kind].version(payload))
