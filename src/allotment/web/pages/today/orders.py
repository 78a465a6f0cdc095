"""Orders for the day: what the form holds, and what it asks of the library."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from allotment.errors import ConflictError, InputError
from allotment.web.requests.forms import Form

NOTHING, SOMETHING, EXACTLY = "exclude", "require", "fix"
KINDS = {NOTHING: "gets nothing", SOMETHING: "gets something", EXACTLY: "gets exactly"}
BLANKS = 2  # empty lines at the end of the form, for browsers without script
MOST_LINES = 1000


@dataclass(frozen=True)
class OrderLine:
    """An order for one place, as it was typed."""

    place: str = ""
    kind: str = NOTHING
    amount: str = ""


@dataclass(frozen=True)
class Orders:
    """The orders for a day, as they were typed."""

    budget: str = ""
    moves: str = ""
    lines: tuple[OrderLine, ...] = ()

    @classmethod
    def in_form(cls, form: Form) -> "Orders":
        """What a form holds. Lines without a place are left out."""
        places, kinds, amounts = (form.by_name(f"{name}:") for name in ("place", "order", "amount"))
        lines = tuple(
            OrderLine(name.strip(), kinds.get(number, NOTHING), amounts.get(number, "").strip())
            for number, name in places.items()
            if name.strip()
        )
        if len(lines) > MOST_LINES:
            raise InputError(f"there are {len(lines)} orders", f"at most {MOST_LINES}", what="place")
        return cls(form.text("budget") or "", form.text("moves") or "", lines)

    @classmethod
    def of_plan(cls, stored: Mapping[str, Any]) -> "Orders":
        """The orders that a plan was made with."""
        lines = [OrderLine(name, NOTHING) for name in stored["exclude"]]
        lines += [OrderLine(name, SOMETHING) for name in stored["require"]]
        lines += [OrderLine(name, EXACTLY, amount) for name, amount in stored["fix"].items()]
        return cls(stored["budget"] or "", str(stored.get("moves", "")), tuple(lines))

    @property
    def with_blanks(self) -> tuple[OrderLine, ...]:
        """The lines of the form, the empty ones included."""
        return (*self.lines, *(OrderLine() for _ in range(BLANKS)))

    @property
    def are_given(self) -> bool:
        """Whether there is any order."""
        return bool(self.budget or self.moves or self.lines)

    def wishes(self) -> dict[str, Any]:
        """The orders as `plan_for` and `check_orders` take them."""
        found: dict[str, Any] = {NOTHING: [], SOMETHING: [], EXACTLY: {}}
        named = set[str]()
        for line in self.lines:
            if line.place in named:
                raise ConflictError(f"{line.place} has two orders", "one", what="place", value=line.place)
            named.add(line.place)
            if line.kind == EXACTLY:
                if not line.amount:
                    raise InputError(
                        f"the amount of {line.place} is empty", "what it gets exactly", what="amount"
                    )
                found[EXACTLY][line.place] = line.amount
            elif line.kind in KINDS:
                found[line.kind].append(line.place)
            else:
                raise InputError.of("order", line.kind, f"one of {', '.join(KINDS)}")
        return {**found, "budget": self.budget or None, "moves": self.moves or None}


@dataclass(frozen=True)
class Typed:
    """The orders that were typed into a form, and what there is to say of them.

    `situation` is the stated situation of the form.
    """

    orders: Orders
    situation: str | None = None
    problem: str | None = None
    fits: str | None = None  # what to say of orders that fit


@dataclass(frozen=True)
class Asking:
    """What can be asked for a day, by what its plan's state allows, in words."""

    title: str
    sentences: tuple[str, ...]
    button: str
    mode: str  # the field that says so: "", "again" or "also"
    day: date
    situation: str | None  # that the form states; None: as the calendar says
    choices: tuple[str, ...]  # situations that can be planned one at a time
    suffix: str  # of the ids in the form
    orders: Orders
    kinds: Mapping[str, str]
    places: tuple[str, ...]
    budget: str
    has_moves: bool
    problem: str | None
    fits: str | None
