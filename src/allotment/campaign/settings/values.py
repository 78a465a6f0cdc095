"""How the value of a setting is read, checked, kept, compared and changed: a class for each form.

This file has the simple forms; `place_values.py` and `all_values.py` have the others.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import exact, written
from allotment.campaign.forms.payloads import text
from allotment.campaign.settings.arms import setting
from allotment.campaign.settings.campaign_policy import checked_policy
from allotment.campaign.settings.control import Control, control_given
from allotment.campaign.settings.situations import Situations
from allotment.campaign.settings.specification import Setting
from allotment.checks import one_of, whole
from allotment.errors import InputError

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings


class _Nothing:
    """The absence of a value, where None is one."""


SAME: Final = _Nothing()  # what of a change differs from the settings: nothing
NO_WAY: Final = _Nothing()  # no change restores what was there


@dataclass
class Start:
    """The parts from which the first settings of a campaign are made."""

    called: tuple[str, ...]
    situations: Situations = field(default_factory=Situations)
    fields: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)  # by attribute of arms, then by name
    later: dict[str, Any] = field(default_factory=dict)  # changes that need the other settings first


class Value:
    """The value of one setting. A subclass says what is special about a form."""

    def __init__(self, about: Setting) -> None:
        self.about, self.name = about, about.name

    def begin(self, start: Start, value: Any) -> None:
        """Take in what a new campaign gives."""
        start.fields[self.kept_in] = self.checked(value)

    def given(self, settings: "Settings", value: Any) -> Any:
        """A change in the user's words as plain data."""
        return self.plain(self.checked(value))

    def of_new(self, settings: "Settings", name: str, value: Any) -> Any:
        """The value of a new place, if places hold the setting."""
        return self.checked(value)

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """The settings after a change in plain data."""
        values: dict[str, Any] = {self.kept_in: self.read(stored, settings.aliases)}
        return replace(settings, **values)

    def now(self, settings: "Settings") -> Any:
        """The present value as a change says it."""
        return self.plain(getattr(settings, self.kept_in))

    def news(self, settings: "Settings", wanted: Any) -> Any:
        """What of a change in plain data differs from the settings; `SAME` if nothing does."""
        return SAME if wanted == self.now(settings) else wanted

    def back(self, settings: "Settings", change: Any) -> Any:
        """The change that restores what a change alters; `NO_WAY` if none does."""
        return self.now(settings)

    def stored(self, settings: "Settings") -> Any:
        """The value as events and snapshots keep it."""
        return self.now(settings)

    def read(self, content: Any, aliases: Mapping[str, int]) -> Any:
        """The value that was stored, checked as if it were given now."""
        return self.checked(content)

    def checked(self, value: Any) -> Any:
        """A value as the settings keep it."""
        raise NotImplementedError

    def plain(self, value: Any) -> Any:
        """A value that the settings keep, as plain data."""
        return value

    @property
    def kept_in(self) -> str:
        """The field of `Settings`."""
        assert self.about.field is not None
        return self.about.field


class Amount(Value):
    """An exact number."""

    def checked(self, value: Any) -> Decimal | None:
        """None where the setting can be without a value."""
        return None if value is None and self.about.optional else setting(self.name, value)

    def plain(self, value: Any) -> str | None:
        """Its one text."""
        return None if value is None else written(value)


class Scale(Amount):
    """The scale, which follows from the bounds of places if it is not given."""

    def begin(self, start: Start, value: Any) -> None:
        """Leave it open if it is not given."""
        if value is not None:
            super().begin(start, value)


class Units(Value):
    """A whole number of units."""

    def checked(self, value: Any) -> int | None:
        """None for any number."""
        if value is None:
            return None
        count = exact(self.name, value)
        if count % 1:
            raise InputError.of(self.name, value, "a whole number of units")
        return int(count)


class Text(Value):
    """A text, as the check of its setting makes it."""

    def checked(self, value: Any) -> str | None:
        """None where the setting can be without a value."""
        check = self.about.check or (lambda given: text(self.name, given))
        return None if value is None and self.about.optional else check(value)


class Choice(Value):
    """One of a few texts."""

    def checked(self, value: Any) -> Any:
        """One of them."""
        return one_of(self.name, value, self.about.choices)


class Zone(Value):
    """A time zone. Another machine may know fewer zones."""

    def checked(self, value: Any) -> str:
        """A zone that this machine knows; its own if none is given."""
        return names.timezone(value)

    def read(self, content: Any, aliases: Mapping[str, int]) -> str:
        """Any name that a zone can have."""
        return names.checked_zone(content)


class Policy(Value):
    """A policy with parameters."""

    def checked(self, value: Any) -> str:
        """A policy that this version knows."""
        return checked_policy(value)

    def read(self, content: Any, aliases: Mapping[str, int]) -> str:
        """Any text: other versions may know other parameters."""
        return text(self.name, content)


class Seed(Value):
    """The seed, which is random by default."""

    def begin(self, start: Start, value: Any) -> None:
        """Draw one if none is given."""
        super().begin(start, secrets.randbits(53) if value is None else value)

    def checked(self, value: Any) -> int:
        """A whole number."""
        return whole(self.name, value, least=0)


class ControlRounds(Value):
    """Control rounds: each change makes a new comparison with an id and a seed of its own."""

    def begin(self, start: Start, value: Any) -> None:
        """The comparison plan names places."""
        if value is not None:
            start.later[self.name] = value

    def given(self, settings: "Settings", value: Any) -> Any:
        """With an id and a seed."""
        return control_given(settings, value)

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """Another comparison, or none."""
        control = None if stored is None else Control.from_dict(stored, settings.aliases)
        return replace(settings, control=control)

    def now(self, settings: "Settings") -> Any:
        """As users give it."""
        called = tuple(arm.name for arm in settings.arms)
        return None if settings.control is None else settings.control.said(called)

    def news(self, settings: "Settings", wanted: Any) -> Any:
        """As users give it: ids and seeds are made when it is kept."""
        return super().news(settings, wanted and {part: wanted[part] for part in ("share", "plan")})

    def stored(self, settings: "Settings") -> Any:
        """With its id and its seed."""
        called = tuple(arm.name for arm in settings.arms)
        return None if settings.control is None else settings.control.to_dict(called)

    def read(self, content: Any, aliases: Mapping[str, int]) -> Control:
        """With its id and its seed."""
        return Control.from_dict(content, aliases)
