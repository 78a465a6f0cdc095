"""Arms and groups in settings: their names and their bounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import exact, exact_unit, plain, written
from allotment.campaign.forms.payloads import keyed
from allotment.campaign.forms.shapes import checked_geometry
from allotment.campaign.settings.specification import ABOVE, OF_ONE_PLACE
from allotment.checks import flag


def setting(what: str, value: Any, of: str = "") -> Decimal:
    """A setting that is a number, in the range that it may have, whether it was given or stored."""
    return exact_unit(value) if what == "unit" else exact(f"{what}{of}", value, above=what in ABOVE)


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
    crew: Decimal = Decimal(0)  # the least that it gets if it gets anything

    def to_dict(self) -> dict[str, Any]:
        """The arm as plain data, without default values."""
        usual = Arm(self.name, self.most)
        unusual = {name: value for name, value in vars(self).items() if value != getattr(usual, name)}
        content = {"name": self.name, "most": self.most, **unusual}
        return {
            name: written(value) if isinstance(value, Decimal) else value for name, value in content.items()
        }

    def to_row(self) -> dict[str, Any]:
        """The arm as users see it in a table."""
        values = {name: getattr(self, name) for name in OF_ONE_PLACE}
        shown = {name: plain(each) if isinstance(each, Decimal) else each for name, each in values.items()}
        return {"name": self.name, **shown, "state": "active" if self.active else "retired"}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Arm":
        """What `to_dict` gave."""
        keyed("a place", content, ("name", "most"), cls.__dataclass_fields__)
        read: dict[str, Callable[[Any], Any]] = {
            "name": partial(names.checked_name, "a place's name"),
            "group": partial(names.checked_name, "a group's name"),
            "shape": partial(checked_geometry, "a place"),
            "active": partial(flag, "active"),
        }
        found = {name: read.get(name, partial(setting, name))(value) for name, value in content.items()}
        return cls(**found)


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
        most = content["most"]
        return cls(setting("least", content["least"]), None if most is None else setting("most", most))
