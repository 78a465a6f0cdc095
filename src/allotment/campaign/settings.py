"""A campaign's settings: its arms, groups, budget and the rest. Immutable; each change makes new ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from allotment.campaign.amounts import listed, plain, units_to_reach, units_within, written
from allotment.errors import ConflictError, InputError, NotFoundError, shown

MOST_STEPS = 1000  # amounts from nothing to the scale that the model tells apart


@dataclass(frozen=True)
class Arm:
    """A place: what it is called now, what it may be granted, what a loss there costs."""

    name: str
    most: Decimal
    least: Decimal = Decimal(0)
    severity: Decimal = Decimal(1)
    group: str | None = None
    threshold: Decimal | None = None
    shape: Any = field(default=None, hash=False)
    active: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The arm as plain data; what is as usual is left out."""
        usual = Arm(self.name, self.most)
        kept = {name: value for name, value in vars(self).items() if value != getattr(usual, name)}
        content = {"name": self.name, "most": self.most, **kept}
        return {
            name: written(value) if isinstance(value, Decimal) else value for name, value in content.items()
        }

    def to_row(self) -> dict[str, Any]:
        """The arm as users see it in a table."""
        return {
            "name": self.name,
            "most": plain(self.most),
            "least": plain(self.least),
            "severity": plain(self.severity),
            "group": self.group,
            "threshold": None if self.threshold is None else plain(self.threshold),
            "state": "active" if self.active else "retired",
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Arm":
        """What `to_dict` gave."""
        numbers = {
            name: Decimal(content[name])
            for name in ("most", "least", "severity", "threshold")
            if name in content
        }
        return cls(**{**content, **numbers})


@dataclass(frozen=True)
class Group:
    """What the arms of a district or a team get together, at least and at most."""

    least: Decimal = Decimal(0)
    most: Decimal | None = None

    def to_dict(self) -> dict[str, Any]:
        """The group as plain data."""
        return {"least": written(self.least), "most": None if self.most is None else written(self.most)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Group":
        """What `to_dict` gave."""
        return cls(Decimal(content["least"]), None if content["most"] is None else Decimal(content["most"]))


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

    def find(self, name: Any) -> int:
        """The number of the arm that has, or once had, this name."""
        try:
            return self.aliases[name]
        except (KeyError, TypeError):
            known = listed(arm.name for arm in self.arms if arm.active)
            raise NotFoundError(
                f"there is no arm named {shown(name)}", f"one of {known}", what="arm", value=name
            ) from None

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
        self.check_free(arm.name)
        groups = (
            self.groups
            if arm.group is None or arm.group in self.groups
            else {**self.groups, arm.group: Group()}
        )
        aliases = {**self.aliases, arm.name: len(self.arms)}
        return replace(self, arms=(*self.arms, arm), groups=groups, aliases=aliases)

    def renamed(self, number: int, name: str) -> "Settings":
        """The same, with another name for an arm; the old one keeps pointing to it."""
        if self.aliases.get(name) != number:
            self.check_free(name)
        return replace(self.with_arm(number, name=name), aliases={**self.aliases, name: number})

    def check_free(self, name: str) -> None:
        """Raise an error if a name has ever been an arm's."""
        if name in self.aliases:
            now = self.arms[self.aliases[name]]
            state = "" if now.active else ", which is retired" if now.name == name else ", now retired"
            also = "" if now.name == name else f", now {now.name!r}"
            raise ConflictError(
                f"{shown(name)} is or was the name of an arm{also}{state}",
                "a name that was never used",
                what="name",
                value=name,
            )

    def checked(self) -> "Settings":
        """These settings, if plans can be made with them."""
        if not self.arms:
            raise InputError("there are no arms", "at least one", what="arms")
        if self.steps > MOST_STEPS:
            raise InputError(
                f"the scale, {written(self.scale)}, is {self.steps} units of {written(self.unit)}",
                f"at most {MOST_STEPS} units; a larger unit, or a smaller cap or scale",
                what="unit",
                value=self.unit,
            )
        for arm in self.arms:
            if arm.most > self.model_scale:
                raise ConflictError(
                    f"the most of {arm.name!r} is {written(arm.most)}, and scale is {written(self.scale)}",
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
                    f"the least of {arm.name!r} is {written(arm.least)}",
                    f"at most {written(arm.most)}, its most, in whole units of {written(self.unit)}",
                    what="least",
                    value=arm.least,
                )
        return self

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {
            **{name: getattr(self, name) for name in self.__dataclass_fields__},
            "arms": [arm.to_dict() for arm in self.arms],
            "groups": {name: group.to_dict() for name, group in self.groups.items()},
            "budget": written(self.budget),
            "unit": written(self.unit),
            "scale": written(self.scale),
            "half_life": None if self.half_life is None else written(self.half_life),
            "aliases": dict(self.aliases),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Settings":
        """What `to_dict` gave."""
        half_life = content["half_life"]
        return cls(
            **{
                **content,
                "arms": tuple(map(Arm.from_dict, content["arms"])),
                "groups": {name: Group.from_dict(group) for name, group in content["groups"].items()},
                "budget": Decimal(content["budget"]),
                "unit": Decimal(content["unit"]),
                "scale": Decimal(content["scale"]),
                "half_life": None if half_life is None else Decimal(half_life),
            }
        )
