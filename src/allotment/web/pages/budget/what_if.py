"""The form of what-if: what it holds at first, and how it becomes a change as `Campaign.change` takes it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from allotment.campaign.answers.change_words import groups_with
from allotment.campaign.forms.amounts import written
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situations import BOUNDS as SITUATED
from allotment.campaign.settings.specification import OF_ONE_PLACE
from allotment.errors import InputError
from allotment.web.requests.forms import Form
from allotment.web.requests.situation_choice import settings_within

BOUNDS = tuple(name for name, each in OF_ONE_PLACE.items() if each.tried)
BY_SITUATION = ("budget", *SITUATED)
ROWS = 50  # of places, in one form


@dataclass(frozen=True)
class PlaceRow:
    """Other bounds of one place, as typed; an empty field stays as it is."""

    place: str = ""
    bounds: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(BOUNDS, ""))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was typed."""
        return not (self.place or any(self.bounds.values()))

    @classmethod
    def typed(cls, form: Form, row: int | str, place: str = "") -> "PlaceRow":
        """A row of the form."""
        return cls(place, {name: form.text(f"{name}:{row}") or "" for name in BOUNDS})


@dataclass(frozen=True)
class GroupRow:
    """The limits of one group, as typed."""

    name: str
    places: int
    least: str
    most: str


@dataclass(frozen=True)
class WhatIf:
    """The form: what was typed so far, and what is wrong with it."""

    budget: str
    moves: str
    every: PlaceRow  # bounds for every place
    groups: tuple[GroupRow, ...]
    places: tuple[PlaceRow, ...]
    names: tuple[str, ...]  # of the active places, to choose from
    problem: str | None = None
    groups_differ: bool = False  # from the settings, so that they are shown unfolded

    @property
    def names_places(self) -> bool:
        """Whether bounds of places were typed, so that they are shown unfolded."""
        return any(not each.is_empty for each in (self.every, *self.places))


def as_things_are(settings: Settings, situation: str | None = None) -> WhatIf:
    """The form as it first appears, for rounds of a situation."""
    groups = [
        GroupRow(
            name,
            len(places),
            written(settings.groups[name].least) if settings.groups[name].least else "",
            "" if (most := settings.groups[name].most) is None else written(most),
        )
        for name, places in settings.members().items()
        if places
    ]
    return WhatIf(
        budget=written(settings_within(settings, situation).budget),
        moves="" if settings.moves is None else str(settings.moves),
        every=PlaceRow(),
        groups=tuple(groups),
        places=(PlaceRow(),),
        names=tuple(settings.arms[number].name for number in settings.active),
    )


def typed_in(form: Form, settings: Settings) -> WhatIf:
    """What a form holds, to be shown again or to be tried."""
    first = as_things_are(settings)
    least, most = form.by_name("group_least:"), form.by_name("group_most:")
    groups = [
        replace(each, least=least.get(each.name, "").strip(), most=most.get(each.name, "").strip())
        for each in first.groups
    ]
    rows = [PlaceRow.typed(form, n, form.text(f"place:{n}") or "") for n in range(ROWS)]
    typed = [each for each in rows if not each.is_empty]
    return replace(
        first,
        budget=form.text("budget") or "",
        moves=form.text("moves") or "",
        every=PlaceRow.typed(form, "every"),
        groups=tuple(groups),
        groups_differ=tuple(groups) != first.groups,
        places=(*typed, PlaceRow()) if len(typed) < ROWS else tuple(typed),
    )


def changes_in(typed: WhatIf, settings: Settings, situation: str | None = None) -> dict[str, Any]:
    """The change that was typed; what may differ by situation changes in this one only."""
    if not typed.budget:
        raise InputError("budget is empty", "a number, such as the budget of now", what="budget")
    found: dict[str, Any] = {"budget": typed.budget}
    for name in BOUNDS:
        values = dict(_bounds(typed, settings, name))
        if values:
            found[name] = values
    if situation is not None:
        found |= {name: {situation: found[name]} for name in BY_SITUATION if name in found}
    found["moves"] = typed.moves or None
    if typed.groups:
        limits = {each.name: (each.least or 0, each.most or None) for each in typed.groups}
        found["groups"] = groups_with(settings, limits=limits)
    return found


def _bounds(typed: WhatIf, settings: Settings, name: str) -> Iterator[tuple[str, str]]:
    """One bound of every place, and then of single places, which may differ."""
    if for_all := typed.every.bounds[name]:
        yield from ((settings.arms[number].name, for_all) for number in settings.active)
    for row in typed.places:
        if value := row.bounds[name]:
            if not row.place:
                raise InputError(f"{name} is {value}, and no place is named beside it", "a place", what=name)
            yield settings.arms[settings.find(row.place)].name, value
