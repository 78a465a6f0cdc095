"""One event in words: its reports or changes, old → new."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

from allotment.campaign.answers.settings_words import situations_that_differ
from allotment.campaign.history.event_parts import Before, Words, plan_words
from allotment.campaign.history.event_parts import Part as Part  # pickles of earlier versions name it here
from allotment.campaign.history.kinds import KINDS
from allotment.campaign.settings.settings import Settings
from allotment.checks import one_of

HIDDEN = ("name", "aliases", "seed", "state", "situations")  # what other words say, or nobody needs


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
    said = KINDS[kind].words(payload, before)
    return replace(said, lead=", ".join(filter(None, (plan, said.lead))), own=said.lead)


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
