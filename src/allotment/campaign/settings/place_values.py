"""Values by place: bounds, crews, severities, thresholds, outlines; and groups of places."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import per_name, written
from allotment.campaign.forms.payloads import TEXT, column, keyed, mapping
from allotment.campaign.forms.shapes import check_vertices, checked_geometry, shapes_by_name
from allotment.campaign.settings.arms import Arm, Group, setting
from allotment.campaign.settings.grouping import group_name, groups_given
from allotment.campaign.settings.situation_bounds import (
    bounds_back,
    first_bounds,
    new_bounds,
    split,
    with_common_bound,
    with_own_bounds,
)
from allotment.campaign.settings.values import NO_WAY, SAME, Start, Value
from allotment.errors import ConflictError, InputError, shown

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings


class ByPlace(Value):
    """A value for each place."""

    def begin(self, start: Start, value: Any) -> None:
        """One number for all places, or numbers by name."""
        start.tables[self.attribute] = per_name(
            self.name, value, start.called, self.default, above=self.about.above
        )

    @property
    def attribute(self) -> str:
        """The attribute of arms."""
        assert self.about.of_arm is not None
        return self.about.of_arm

    @property
    def default(self) -> Decimal | None:
        """The value of a place that is not named; None if there is none."""
        usual = Arm.__dataclass_fields__[self.attribute].default
        return usual if isinstance(usual, Decimal) else None

    def given(self, settings: "Settings", value: Any) -> dict[str, Any]:
        """By the present names of places."""
        if not isinstance(value, Mapping):
            value = {arm.name: value for arm in settings.arms}
        arms = [settings.find(name) for name in value]
        if len(set(arms)) < len(arms):
            raise ConflictError(
                f"{self.name} names a place twice, by two of its names", "each place once", what=self.name
            )
        return {
            settings.arms[settings.find(name)].name: None
            if each is None and self.about.optional
            else written(setting(self.name, each, f" of {name!r}"))
            for name, each in value.items()
        }

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """Other values of some places."""
        arms = list(settings.arms)
        for name, value in mapping(self.name, stored).items():
            number = settings.aliases[name]
            values: dict[str, Any] = {self.attribute: self.read_of(name, value)}
            arms[number] = replace(arms[number], **values)
        return replace(settings, arms=tuple(arms))

    def read_of(self, name: str, value: Any) -> Any:
        """The stored value of one place."""
        return None if value is None and self.about.optional else setting(self.name, value)

    def of_new(self, settings: "Settings", name: str, value: Any) -> Any:
        """The value of a new place."""
        return setting(self.attribute, value)

    def now(self, settings: "Settings") -> dict[str, Any]:
        """By place."""
        values = {arm.name: getattr(arm, self.attribute) for arm in settings.arms}
        return {arm: None if each is None else written(each) for arm, each in values.items()}

    def news(self, settings: "Settings", wanted: Any) -> Any:
        """The places whose value differs."""
        now = self.now(settings)
        return {arm: each for arm, each in wanted.items() if each != now.get(arm)} or SAME

    def back(self, settings: "Settings", change: Any) -> Any:
        """The present values of the places that the change names."""
        now = self.now(settings)
        return {arm: now.get(arm) for arm in change}


class Bound(ByPlace):
    """A value for each place, which may differ by situation."""

    def begin(self, start: Start, value: Any) -> None:
        """Every place has a most; without a least, it is 0."""
        found, own = first_bounds(self.name, value, start.called, start.situations, self.default)
        for each in start.called:
            if each not in found:
                raise InputError(
                    f"the most of {each!r} is missing",
                    "the largest amount that it can use",
                    what=self.name,
                    value=each,
                )
        start.tables[self.attribute] = found
        if own:
            start.later[self.name] = own

    def given(self, settings: "Settings", value: Any) -> dict[str, Any]:
        """By place, and by situation where they differ."""
        common, own = split(self.name, value, settings.situations)
        tables = {
            settings.situations.names[number]: super(Bound, self).given(settings, each)
            for number, each in own.items()
        }
        return {**super().given(settings, common), **tables}

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """First the bounds of all situations, then the bounds of single situations."""
        own = {name: value for name, value in mapping(self.name, stored).items() if isinstance(value, dict)}
        common = {name: value for name, value in stored.items() if name not in own}
        settings = super().applied(settings, common)
        settings = with_common_bound(settings, self.name, {settings.aliases[name] for name in common})
        return with_own_bounds(settings, self.name, own)

    def news(self, settings: "Settings", wanted: Any) -> Any:
        """The places whose value differs, in all situations or in one."""
        if not settings.situations:
            return super().news(settings, wanted)
        return new_bounds(settings, self.name, wanted) or SAME

    def back(self, settings: "Settings", change: Any) -> Any:
        """Also the bounds of single situations."""
        if not settings.situations:
            return super().back(settings, change)
        return bounds_back(settings, self.name, change)


class Shapes(ByPlace):
    """The outlines of places."""

    def begin(self, start: Start, value: Any) -> None:
        """Those that are given."""
        outlines = shapes_by_name(value, start.called)
        check_vertices(outlines.values())
        start.tables[self.attribute] = outlines

    def given(self, settings: "Settings", value: Any) -> dict[str, Any]:
        """By place; together they may not have too many vertices."""
        found = shapes_by_name(value, tuple(arm.name for arm in settings.arms))
        before = {arm.name: arm.shape for arm in settings.arms}
        check_vertices({**before, **found}.values(), before.values())
        return found

    def of_new(self, settings: "Settings", name: str, value: Any) -> Any:
        """Its outline; together with the others it may not have too many vertices."""
        return self.given(settings.with_new_arm(Arm(name, Decimal(0))), {name: value})[name]

    def read_of(self, name: str, value: Any) -> Any:
        """A geometry."""
        return checked_geometry(name, value)

    def now(self, settings: "Settings") -> dict[str, Any]:
        """Of the places that have one."""
        return {arm.name: arm.shape for arm in settings.arms if arm.shape is not None}

    def back(self, settings: "Settings", change: Any) -> Any:
        """No change removes an outline."""
        return NO_WAY if change.keys() - self.now(settings).keys() else super().back(settings, change)


class Groups(Value):
    """Groups of places with limits. The places hold which group they are in."""

    def begin(self, start: Start, value: Any) -> None:
        """They name places, which have to be there."""
        start.fields[self.kept_in] = {}
        if value is not None:
            start.later[self.name] = value

    def given(self, settings: "Settings", value: Any) -> dict[str, Any]:
        """By name, each with its places."""
        return groups_given(value, settings)

    def of_new(self, settings: "Settings", name: str, value: Any) -> str:
        """An existing group, or a new one."""
        return group_name(settings, value)

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """All groups anew."""
        groups, member = dict[str, Group](), dict[int, str]()
        for name, content in mapping("groups", stored).items():
            group = keyed(f"group {shown(name)}", content, ("arms", "least", "most"))
            groups[names.checked_name("a group's name", name)] = Group.from_dict(group)
            member |= {settings.aliases[arm]: name for arm in column("arms", group["arms"], TEXT)}
        arms = tuple(replace(arm, group=member.get(number)) for number, arm in enumerate(settings.arms))
        return replace(settings, arms=arms, groups=groups)

    def now(self, settings: "Settings") -> dict[str, Any]:
        """Those that have places."""
        return {
            name: {**settings.groups[name].to_dict(), "arms": arms}
            for name, arms in settings.members().items()
            if arms
        }

    def stored(self, settings: "Settings") -> dict[str, Any]:
        """Their limits: arms are stored with their group."""
        return {name: group.to_dict() for name, group in settings.groups.items()}

    def read(self, content: Any, aliases: Mapping[str, int]) -> dict[str, Group]:
        """Their limits."""
        return {
            names.checked_name("a group's name", name): Group.from_dict(
                keyed("a group", group, ("least", "most"))
            )
            for name, group in mapping("groups", content).items()
        }
