"""A campaign's settings: its arms, groups, budget and the rest. Immutable; each change makes new ones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import listed, units_to_reach, units_within, written
from allotment.campaign.forms.lookalikes import lookalike, looks_like
from allotment.campaign.forms.payloads import MAPPING, column, keyed, mapping
from allotment.campaign.settings.all_values import IN_FIELD
from allotment.campaign.settings.arms import Arm, Group
from allotment.campaign.settings.control import Control
from allotment.campaign.settings.situations import Situations
from allotment.checks import LARGEST_COUNT, whole
from allotment.errors import ConflictError, InputError, shown

MOST_STEPS = 1000  # units in the scale


@dataclass(frozen=True)
class Settings:
    """All that a plan depends on beside the evidence. Arms are numbered as they were added, for good."""

    name: str
    arms: tuple[Arm, ...]
    budget: Decimal
    unit: Decimal
    scale: Decimal
    groups: Mapping[str, Group]
    sees: str
    losses: str
    half_life: Decimal | None
    timezone: str
    policy: str
    seed: int
    aliases: Mapping[str, int]  # every name that an arm ever had
    day_starts: str | None = None  # the time at which a day begins, such as 06:00; midnight if there is none
    moves: int | None = None  # units that places may gain together from one plan to the next
    situations: Situations = field(default_factory=Situations)
    control: Control | None = None
    note: str | None = None  # on every duty sheet

    @cached_property
    def active(self) -> tuple[int, ...]:
        """The numbers of the arms that plans are made for."""
        return tuple(number for number, arm in enumerate(self.arms) if arm.active)

    @cached_property
    def steps(self) -> int:
        """How many units the scale has."""
        return units_to_reach(self.scale, self.unit)

    @property
    def model_scale(self) -> Decimal:
        """The amount that the model takes for 1: the scale, up to whole units."""
        return self.steps * self.unit

    def day(self, value: Any = None, what: str = "date") -> date:
        """The date that is meant; today's where the campaign is, if none is given."""
        return names.day(what, value, self.timezone, self.day_starts)

    def within(self, situation: int) -> "Settings":
        """The same with the budget, most and least of one situation. For planning only, not to be stored."""
        own = self.situations.own.get(situation)
        if own is None:
            return self
        arms = [
            replace(arm, most=own.most.get(number, arm.most), least=own.least.get(number, arm.least))
            for number, arm in enumerate(self.arms)
        ]
        return replace(self, arms=tuple(arms), budget=self.budget if own.budget is None else own.budget)

    def each_situation(self) -> "Iterator[tuple[str, Settings]]":
        """The settings within each situation, and words to name it: empty where it has no name."""
        for number in self.situations.numbers:
            name = self.situations.name(number)
            yield "" if name is None else f" in {name}", self.within(number)

    @property
    def most_losses(self) -> int:
        """The largest number of losses that can be reported of a round."""
        return LARGEST_COUNT if self.losses == "counts" else 1

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return names.spellings(self.aliases)

    def known(self, name: Any) -> int | None:
        """The number of the arm that has, or once had, this name, however its letters are composed."""
        stored = names.stored_as(name, self._spellings)
        return None if stored is None else self.aliases[stored]

    def find(self, name: Any) -> int:
        """The number of the arm that has, or once had, this name; an error if there is none."""
        found = self.known(name)
        if found is None:
            known = [arm.name for arm in self.arms]
            expected = f"one of {listed(arm.name for arm in self.arms if arm.active)}"
            raise names.unknown(f"there is no place named {shown(name)}", name, known, expected, what="arm")
        return found

    def members(self) -> dict[str, list[str]]:
        """The groups, each with the names of its arms."""
        found: dict[str, list[str]] = {name: [] for name in self.groups}
        for arm in self.arms:
            if arm.group is not None:
                found.setdefault(arm.group, []).append(arm.name)
        return found

    def with_arm(self, number: int, **values: Any) -> "Settings":
        """The same, but with other values of one arm."""
        changed = replace(self.arms[number], **values)
        return replace(self, arms=(*self.arms[:number], changed, *self.arms[number + 1 :]))

    def with_new_arm(self, arm: Arm) -> "Settings":
        """The same with one arm more."""
        if arm.name in self.aliases:
            raise self._taken(arm.name, self.aliases[arm.name])
        groups = (
            self.groups
            if arm.group is None or arm.group in self.groups
            else {**self.groups, arm.group: Group()}
        )
        aliases = {**self.aliases, arm.name: len(self.arms)}
        return replace(self, arms=(*self.arms, arm), groups=groups, aliases=aliases)

    def renamed(self, number: int, name: str) -> "Settings":
        """The same, with another name for an arm; the old one keeps pointing to it."""
        if self.aliases.get(name, number) != number:
            raise self._taken(name, self.aliases[name])
        return replace(self.with_arm(number, name=name), aliases={**self.aliases, name: number})

    def check_free(self, name: str, unless: int | None = None) -> None:
        """Raise an error if a name is or was an arm's (`unless` one's), however its letters are composed."""
        found = self.known(name)
        if found is not None and found != unless:
            raise self._taken(name, found)
        others = (each for each, number in self.aliases.items() if number != unless)
        if found is None and (other := lookalike(name, others)) is not None:
            raise looks_like(name, other)

    def _taken(self, name: str, number: int) -> ConflictError:
        now = self.arms[number]
        state = "" if now.active else ", which is retired" if now.name == name else ", now retired"
        also = "" if now.name == name else f", now {now.name!r}"
        return ConflictError(
            f"{shown(name)} is or was the name of a place{also}{state}",
            "a name that was never used",
            what="name",
            value=name,
        )

    def checked(self) -> "Settings":
        """These settings, if plans can be made with them.

        Stored histories are held to these rules too. A rule that comes later binds new requests only, and
        belongs where they are made.
        """
        if not self.arms:
            raise InputError("there are no places", "at least one", what="arms")
        if self.steps > MOST_STEPS:
            raise InputError(
                f"the scale, {written(self.scale)}, is {self.steps} units of {written(self.unit)}",
                f"at most {MOST_STEPS} units; a larger unit, or a smaller cap or scale",
                what="unit",
                value=self.unit,
            )
        self.situations.check_apart(lambda name: self.known(name) is not None)
        for where, settings in self.each_situation():
            for arm in settings.arms:
                settings._check_arm(arm, where)
        return self

    def _check_arm(self, arm: Arm, where: str) -> None:
        of = f"{arm.name!r}{where}"
        if arm.most > self.model_scale:
            raise ConflictError(
                f"the most of {of} is {written(arm.most)}, and scale is {written(self.scale)}",
                "a smaller most, or a larger scale",
                what="most",
                value=arm.most,
            )
        if arm.threshold is not None and not 0 < arm.threshold <= self.model_scale:
            raise InputError(
                f"the threshold of {arm.name!r} is {written(arm.threshold)}",
                f"a number above 0 and at most {written(self.scale)}, the scale",
                what="thresholds",
                value=arm.threshold,
            )
        if arm.severity <= 0:
            raise InputError.of(f"the severity of {arm.name!r}", arm.severity, "a number above 0")
        if arm.active and units_to_reach(arm.least, self.unit) > units_within(arm.most, self.unit):
            raise ConflictError(
                f"the least of {of} is {written(arm.least)}",
                f"at most {written(arm.most)}, its most, in whole units of {written(self.unit)}",
                what="least",
                value=arm.least,
            )
        if arm.active and (arm.crew % self.unit or arm.crew > arm.most):
            raise ConflictError(
                f"the crew of {of} is {written(arm.crew)}",
                f"whole units of {written(self.unit)}, and at most {written(arm.most)}, its most",
                what="crew",
                value=arm.crew,
            )

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data. Settings that came later are there only if they are set."""
        found: dict[str, Any] = {"name": self.name, "arms": [arm.to_dict() for arm in self.arms]}
        for name, value in IN_FIELD.items():
            stored = value.stored(self)
            if stored is not None or not value.about.is_later:
                found[name] = stored
        found["aliases"] = dict(self.aliases)
        return {name: found[name] for name in self.__dataclass_fields__ if name in found}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Settings":
        """What `to_dict` gave."""
        later = [name for name, value in IN_FIELD.items() if value.about.is_later]
        keyed(
            "the campaign", content, [each for each in cls.__dataclass_fields__ if each not in later], later
        )
        arms = tuple(map(Arm.from_dict, column("arms", content["arms"], MAPPING)))
        aliases = {
            names.checked_name("a place's name", name): whole("a place", number, least=0, most=len(arms) - 1)
            for name, number in mapping("aliases", content["aliases"]).items()
        }
        values = {
            name: value.read(content[name], aliases) for name, value in IN_FIELD.items() if name in content
        }
        called = names.checked_name("the campaign's name", content["name"])
        found = cls(name=called, arms=arms, aliases=aliases, **values)
        for number, arm in enumerate(found.arms):
            if found.aliases.get(arm.name) != number:
                raise InputError.of("aliases", aliases, f"{arm.name!r} to be place {number}")
        return found
