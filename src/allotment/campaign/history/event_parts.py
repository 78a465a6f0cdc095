"""The words of an event and their parts; how sentences name a plan; events without their seeds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from allotment.campaign.forms.amounts import listed

QUIET_NAMED = 4  # quiet places that a sentence names; more are counted
SAID = 40  # places of a report that a sentence names


class Part(NamedTuple):
    """Words about one place, or about none in particular (None)."""

    place: str | None  # its name in the event
    words: str
    value: str | None = None  # the words without the name, where they begin with it


@dataclass(frozen=True)
class Words:
    """An event in words: what it is about, and what it says of each place."""

    lead: str
    parts: tuple[Part, ...] = ()
    between: str = ", "  # parts
    short: str | None = None  # what it says in one line, where that is less than all parts
    own: str = ""  # what it is about, besides its plan

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


def plan_words(plan_id: str, day: date | str | None, situation: str | None, *, capital: bool = False) -> str:
    """A plan in a sentence; `capital` at its beginning.

    >>> plan_words("3", "2026-03-31", "night"), plan_words("3", "2026-03-31", None)
    ('plan 3 of 2026-03-31 (night)', 'plan 3 of 2026-03-31')
    """
    opening = "Plan" if capital else "plan"
    return f"{opening} {plan_id} of {day}" + ("" if situation is None else f" ({situation})")


def report_words(said: Mapping[str, str]) -> str:
    """A report in words, from what there is to say of each place; "0" for quiet ones, which are counted."""
    quiet = [name for name, words in said.items() if words == "0"]
    if len(quiet) <= QUIET_NAMED:
        return listed((f"{name} {words}" for name, words in said.items()), SAID)
    loud = [f"{name} {words}" for name, words in said.items() if words != "0"]
    return listed([*loud, f"{len(quiet)} {'others' if loud else 'places'} quiet"], SAID)


def redacted(content: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of an event without seeds and hashes."""
    payload = without_seeds(content["payload"])
    if isinstance(payload.get("settings"), dict):
        payload["settings"] = without_seeds(payload["settings"])
    return {name: part for name, part in content.items() if name not in ("hash", "request")} | {
        "payload": payload
    }


def without_control_seed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of an event without the seed of control rounds, which only backups and exports hold."""
    payload = _without_seed_of_control(content["payload"])
    if isinstance(payload.get("settings"), dict):
        payload["settings"] = _without_seed_of_control(payload["settings"])
    return {**content, "payload": payload}


def without_seeds(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of settings without the seed of the campaign and that of control rounds."""
    return _without_seed_of_control({name: part for name, part in settings.items() if name != "seed"})


def _without_seed_of_control(settings: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(settings)
    if isinstance(found.get("control"), dict):
        found["control"] = {name: part for name, part in found["control"].items() if name != "seed"}
    return found
