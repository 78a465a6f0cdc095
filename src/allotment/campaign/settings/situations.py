"""Situations: kinds of rounds that are known beforehand. Their names, their calendar and their own bounds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import listed, written
from allotment.campaign.forms.payloads import TEXT, column, keyed, mapping
from allotment.campaign.settings.arms import setting
from allotment.campaign.settings.calendar import Calendar
from allotment.checks import whole
from allotment.errors import ConflictError, InputError, NotFoundError, shown

MOST = 24  # situations of a campaign
BOUNDS = ("most", "least")  # of places, which may differ by situation
SEPARATORS = ",=@"  # of options and forms that name situations
FIRST = "the names of situations first: --situations (situations=)"


@dataclass(frozen=True)
class OwnBounds:
    """The bounds of one situation that differ from the campaign's: its budget, and bounds by arm."""

    budget: Decimal | None = None
    most: Mapping[int, Decimal] = field(default_factory=dict)
    least: Mapping[int, Decimal] = field(default_factory=dict)

    def to_dict(self, arms: tuple[str, ...]) -> dict[str, Any]:
        """The bounds as plain data; `arms` are the names of all arms."""
        tables = {
            what: {arms[arm]: written(value) for arm, value in getattr(self, what).items()} for what in BOUNDS
        }
        return {"budget": None if self.budget is None else written(self.budget), **tables}

    @classmethod
    def from_dict(cls, content: Any, aliases: Mapping[str, int]) -> "OwnBounds":
        """What `to_dict` gave."""
        keyed("a situation", content, ("budget", *BOUNDS))
        tables = {
            what: {
                aliases[name]: setting(what, value) for name, value in mapping(what, content[what]).items()
            }
            for what in BOUNDS
        }
        budget = content["budget"]
        return cls(None if budget is None else setting("budget", budget), **tables)


@dataclass(frozen=True)
class Situations:
    """The situations of a campaign, numbered as they were added, for good.

    A campaign without names has one situation, whose number is 0.
    """

    names: tuple[str, ...] = ()
    aliases: Mapping[str, int] = field(default_factory=dict)  # every name that a situation ever had
    calendar: Calendar | None = None
    own: Mapping[int, OwnBounds] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.names)

    @property
    def numbers(self) -> range:
        """The numbers of all situations."""
        return range(max(len(self.names), 1))

    @property
    def several(self) -> bool:
        """Whether rounds differ: there is more than one situation."""
        return len(self.names) > 1

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return names.spellings(self.aliases)

    def known(self, name: Any) -> int | None:
        """The number of the situation that has, or once had, this name."""
        stored = names.stored_as(name, self._spellings)
        return None if stored is None else self.aliases[stored]

    def find(self, name: Any) -> int:
        """The number of the situation that has, or once had, this name; an error if there is none."""
        found = self.known(name)
        if found is not None:
            return found
        wrong = f"there is no situation named {shown(name)}"
        if not self.names:
            raise NotFoundError(f"{wrong}: this campaign has none", FIRST, what="situation", value=name)
        raise names.unknown(wrong, name, self.names, f"one of {listed(self.names)}", what="situation")

    def name(self, number: int) -> str | None:
        """The name of a situation; None if the only one has no name."""
        return self.names[number] if self.names else None

    def names_of(self, number: int) -> frozenset[str]:
        """All names that a situation ever had."""
        return frozenset(name for name, each in self.aliases.items() if each == number)

    def on(self, day: date) -> tuple[int, ...]:
        """The situations of a date, in order. Without a calendar, every date has all of them."""
        found = () if self.calendar is None else self.calendar.situations_on(day)
        return found or tuple(self.numbers)

    def meant(self, day: date, given: Any) -> tuple[int, bool]:
        """The situation of a plan for a date, and whether someone stated it; an error if nobody can tell."""
        if given is not None:
            return self.find(given), True
        found = self.on(day)
        if len(found) > 1:
            raise InputError(
                f"{day} has several situations",
                f"--situation (situation=) with one of {listed(self.names[each] for each in found)}",
                what="situation",
                value=day,
            )
        return found[0], False

    def read(self, day: date, recorded: int, stated: bool) -> int:
        """The situation of a recorded round now. The calendar decides unless someone stated it.

        Where a date has several situations, the date does not tell, and what was recorded stays.
        """
        found = self.on(day)
        return recorded if stated or len(found) > 1 else found[0]

    def read_alike(self, other: "Situations") -> bool:
        """Whether other situations read all recorded rounds as these do: names and calendar are the same."""
        return (self.names, self.calendar) == (other.names, other.calendar)

    def listed(self, given: Any) -> tuple[str, ...]:
        """All names after a request that lists them: present ones as they are, new ones after them."""
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError.of("situations", given, "names, such as weekday and weekend")
        called = [self.names[self.find(each)] if self.known(each) is not None else each for each in given]
        for missing in (each for each in self.names if each not in called):
            raise ConflictError(
                f"situation {missing!r} is left out",
                "all situations: none can be removed. Leave it out of the calendar instead",
                what="situations",
                value=missing,
            )
        new = [self.new_name(each) for each in called if each not in self.names]
        found = (*self.names, *new)
        listed_names = [*(each for each in called if each in self.names), *new]
        for twice in (each for k, each in enumerate(listed_names) if each in listed_names[:k]):
            raise ConflictError(
                f"situation {twice!r} is named twice", "names that differ", what="situations", value=twice
            )
        if not found:
            raise InputError("there are no situations", "the name of at least one", what="situations")
        if len(found) > MOST:
            raise InputError(f"there are {len(found)} situations", f"at most {MOST}", what="situations")
        return found

    def new_name(self, given: Any) -> str:
        """A new name of a situation, or one sentence on why it cannot be one."""
        what = "a situation's name"
        found = names.name(what, given)
        if any(each in found for each in SEPARATORS):
            raise InputError.of(what, found, f"a name without {' '.join(SEPARATORS)}")
        return found

    def with_names(self, called: tuple[str, ...]) -> "Situations":
        """The same with further situations; the first ones stay as they are."""
        if called[: len(self.names)] != self.names or len(called) > MOST:
            raise InputError.of("situations", called, f"the situations that there are, and at most {MOST}")
        aliases = {**self.aliases}
        for number, name in enumerate(called):
            if aliases.setdefault(names.checked_name("a situation's name", name), number) != number:
                raise self._taken(name)
        return replace(self, names=called, aliases=aliases)

    def renamed(self, number: int, name: str) -> "Situations":
        """The same, with another name for a situation; the old one keeps pointing to it."""
        if self.known(name) not in (None, number):
            raise self._taken(name)
        called = (*self.names[:number], name, *self.names[number + 1 :])
        return replace(self, names=called, aliases={**self.aliases, name: number})

    def _taken(self, name: str) -> ConflictError:
        return ConflictError(
            f"{shown(name)} is or was the name of another situation",
            "a name that was never used",
            what="name",
            value=name,
        )

    def check_apart(self, is_place: Callable[[str], bool]) -> None:
        """Raise an error if a place has the name of a situation: tables of bounds have both as keys."""
        for name in filter(is_place, self.aliases):
            raise ConflictError(
                f"{shown(name)} is or was the name of a place and of a situation",
                "names that differ",
                what="situations",
                value=name,
            )

    def with_calendar(self, given: Any) -> "Situations":
        """The same with another calendar, from its plain data; None for no calendar."""
        if given is not None and not self.names:
            raise NotFoundError("a calendar needs situations", FIRST, what="calendar")
        return replace(self, calendar=None if given is None else Calendar.of(given, self.find))

    def calendar_data(self) -> dict[str, Any] | None:
        """The calendar as plain data, by the names that situations have now."""
        return None if self.calendar is None else self.calendar.to_dict(lambda number: self.names[number])

    def to_dict(self, arms: tuple[str, ...]) -> dict[str, Any]:
        """The situations as plain data; `arms` are the names of all arms."""
        calendar = self.calendar_data()
        return {
            "names": list(self.names),
            "aliases": dict(self.aliases),
            "own": {self.names[number]: own.to_dict(arms) for number, own in sorted(self.own.items())},
            **({} if calendar is None else {"calendar": calendar}),
        }

    @classmethod
    def from_dict(cls, content: Any, arms: Mapping[str, int]) -> "Situations":
        """What `to_dict` gave; `arms` are the numbers of arms by name."""
        keyed("the situations", content, ("names", "aliases", "own"), ("calendar",))
        called = tuple(column("names", content["names"], TEXT))
        if not called:
            raise InputError.of("names", content["names"], "at least one situation")
        aliases = {
            names.checked_name("a situation's name", name): whole(
                "a situation", number, least=0, most=len(called) - 1
            )
            for name, number in mapping("aliases", content["aliases"]).items()
        }
        found = cls(aliases=aliases).with_names(called)
        own = mapping("own", content["own"])
        bounds = {aliases[name]: OwnBounds.from_dict(each, arms) for name, each in own.items()}
        return replace(found, own=bounds).with_calendar(content.get("calendar"))
