"""One event in words: its reports or changes, old → new."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from allotment.campaign.answers.settings.settings_words import created_words, situations_that_differ
from allotment.campaign.forms.amounts import written
from allotment.campaign.history.plan_records import REPORT, UNTOLD
from allotment.campaign.history.telling import report_words
from allotment.campaign.planning.plans.plan_words import plan_words
from allotment.campaign.settings.changes import APPLY
from allotment.campaign.settings.control import control_words
from allotment.campaign.settings.settings import Settings
from allotment.checks import one_of

KINDS = ("created", "asked", "told", "cancelled", "closed", "imported", "undone", *APPLY)
HIDDEN = ("name", "aliases", "seed", "state", "situations")  # what other words say, or nobody needs


class Part(NamedTuple):
    """Words about one place, or about none in particular (None)."""

    place: str | None  # its name in the event
    words: str


@dataclass(frozen=True)
class Words:
    """An event in words: what it is about, and what it says of each place."""

    lead: str
    parts: tuple[Part, ...] = ()
    between: str = ", "  # parts
    short: str | None = None  # what it says in one line, where that is less than all parts

    def __str__(self) -> str:
        said = self.listed() if self.short is None else self.short
        return f"{self.lead}{': ' if self.lead and said else ''}{said}"

    def listed(self, places: frozenset[str] | None = None) -> str:
        """What it says, or what it says of some places."""
        said = [each.words for each in self.parts if places is None or each.place in places]
        return self.between.join(said)


class Before(NamedTuple):
    """What the words of an event need beside what it holds: most of it was known before."""

    losses: Mapping[str, int] = {}  # of places that were reported before
    amounts: Mapping[str, str] = {}  # that were granted, or planned, of places whose amounts are told
    changes: tuple[Part, ...] = ()  # of settings, old → new
    report: Mapping[str, Any] | None = None  # of an import, whose event may hold millions of rows


def kind_shown(kind: str) -> str:
    """A kind of event in a planner's terms, which are places where events say arms.

    >>> kind_shown("arm added")
    'place added'
    """
    return kind.replace("arm ", "place ")


def kind_meant(kind: str | None) -> str | None:
    """A kind of event in a planner's terms, if it is one."""
    return None if kind is None else one_of("kind", kind_shown(kind), tuple(map(kind_shown, KINDS)))


def words_of(
    kind: str, payload: Mapping[str, Any], about: date | None, before: Before, situation: str | None = None
) -> Words:
    """An event in words, from what it holds and what was known before; `situation` is that of its plan."""
    situation = payload.get("situation", situation)
    plan = plan_words(payload["plan"], about, situation) if "plan" in payload else ""
    if kind == "created":
        begun = f"{len(payload['arms'])} places, {created_words(payload)}, unit {payload['unit']}"
        control = payload.get("control")
        by_lot = "" if control is None else f", control {control_words(control['share'], control['plan'])}"
        return Words(begun + by_lot)
    if kind == "told":
        return _told(plan, payload, before)
    if kind == "asked":
        instead = f", instead of plan {payload['replaces']}" if "replaces" in payload else ""
        control = ", a control round" if payload.get("control", {}).get("drawn") else ""
        granted = tuple(_granted(payload)) or (Part(None, "nothing granted"),)
        return Words(f"{plan}{instead}{control}", granted)
    if before.report is not None:
        report = before.report
        days = f" from {report['first']} to {report['last']}" if report["first"] else ""
        seen = f"{report['taken']} rows, {report['incidents']} incidents"
        return Words(f"{report['id']} ({report['file']})", (Part(None, f"{seen}{days}"),))
    if kind == "undone":
        if "import" in payload:
            return Words(str(payload["import"]))
        return Words(plan, (Part(None, f"{payload.get('what', REPORT)} undone"),))
    if kind in ("arm renamed", "situation renamed"):
        return Words(f"{payload['old']} → {payload['new']}")
    if kind == "arm added":
        return Words(f"{payload['arm']['name']}, most {payload['arm']['most']}")
    if kind == "changed":
        return Words("", before.changes, "; ") if before.changes else Words("nothing")
    return Words(plan or str(payload.get("arm", "")))  # the plan, or the place, says it all


def _told(plan: str, payload: Mapping[str, Any], before: Before) -> Words:
    """The reports of an event, with earlier reports that differ."""
    said: dict[str, str] = {}
    for name, count in payload["losses"].items():
        old, new = before.losses.get(name, UNTOLD), UNTOLD if count is None else count
        said[name] = _change(_count(old), _count(new), old != UNTOLD)
    granted = [
        Part(name, f"amount of {name} {_change(before.amounts[name], amount, True)}")
        for name, amount in payload["amounts"].items()
    ]
    parts = (*(Part(name, f"{name} {words}") for name, words in said.items()), *granted)
    short = ", ".join(filter(None, [report_words(said), *(each.words for each in granted)]))
    return Words(plan, parts, short=short)


def _count(losses: int) -> str:
    return "not reported" if losses == UNTOLD else str(losses)


def _change(old: str, new: str, known: bool) -> str:
    return f"{old} → {new}" if known and old != new else new


def _granted(payload: Mapping[str, Any]) -> Iterator[Part]:
    unit = Decimal(payload["unit"])
    for name, units in zip(payload["arms"], payload["units"], strict=True):
        if units:
            yield Part(name, f"{name} {written(units * unit)}")


class Difference(NamedTuple):
    """A setting that differs: what it is (most of Dock), its old and its new value, and its place if any."""

    what: str
    old: str
    new: str
    place: str | None = None

    @property
    def words(self) -> str:
        """The difference in one line."""
        return f"{self.what} {self.old} → {self.new}"


def differences(before: Settings, after: Settings) -> tuple[Difference, ...]:
    """What differs between settings, as planners see them."""
    of_situations = (Difference(*each) for each in situations_that_differ(before, after))
    return (*facts_that_differ(_facts(before), _facts(after)), *of_situations, *_new_outlines(before, after))


def changes_of_settings(before: Settings, after: Settings) -> list[str]:
    """What differs between settings, old → new."""
    return [each.words for each in differences(before, after)]


def _new_outlines(before: Settings, after: Settings) -> Iterator[Difference]:
    for old, new in zip(before.arms, after.arms, strict=False):
        if old.shape != new.shape:
            yield Difference(
                f"outline of {new.name}", "none" if old.shape is None else "there", "new", new.name
            )


def _facts(settings: Settings) -> dict[str, Any]:
    """The settings as planners see them, by name."""
    facts = settings.to_dict()
    del facts["arms"]
    if settings.control is not None:  # without its seed
        facts["control"] = settings.control.shown(tuple(arm.name for arm in settings.arms))
    return {**facts, "arms": {arm.name: arm.to_row() for arm in settings.arms}}


def facts_that_differ(
    before: Mapping[str, Any], after: Mapping[str, Any], of: str = "", place: str | None = None
) -> Iterator[Difference]:
    """What differs between the settings of a campaign, a place or a group, which are plain data."""
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if name in HIDDEN or old == new:
            continue
        if name in ("arms", "groups") and not of:
            for each in {**(old or {}), **(new or {})}:
                inner = ((old or {}).get(each) or {}, (new or {}).get(each) or {})
                yield from facts_that_differ(*inner, f" of {each}", each if name == "arms" else None)
        else:
            yield Difference(f"{name.replace('_', '-')}{of}", _shown(old), _shown(new), place)


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
