"""What someone sees: `seen_by(rights)`. A recorder sees the fields that are allowed here, and no others.

A new field of an answer is hidden from recorders until someone adds its name to `allow`.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import Any, get_args, get_origin, get_type_hints

from allotment.campaign.access.rights import Rights
from allotment.campaign.answers.place_history import PlaceReport, PlanReport
from allotment.campaign.forms.answer import field_names, is_record
from allotment.campaign.planning.plan import BriefPlan, Plan
from allotment.campaign.settings.settings import Settings
from allotment.errors import NotAllowedError


@dataclass(frozen=True)
class Allowed:
    """The fields of a record that recorders see; each is hidden unless it is named.

    `by_place` are the fields of which recorders of a group see the part of their places: mappings by place,
    and lists of places or of records with a place. Recorders of all places see `of_all_places`, too.
    """

    fields: frozenset[str]
    by_place: frozenset[str] = frozenset()
    of_all_places: frozenset[str] = frozenset()


_ALLOWED: dict[type, Allowed] = {}


def allow(kind: type, seen: str, *, by_place: str = "", of_all_places: str = "") -> None:
    """Let recorders see fields of a record, each named in a text with spaces between the names."""
    _ALLOWED[kind] = Allowed(*(frozenset(each.split()) for each in (seen, by_place, of_all_places)))


# No field may tell a control round from another round: then reports would no longer be alike in both.
# `calm` and `spare` would: no limit of moves binds in a control round, and no units are spare.
allow(
    Plan,
    "id number date state expected_losses expected_cost weighted budget rest unit explore by at replaces "
    "situation made_for note",
    by_place="amounts told told_amounts",
    of_all_places="orders",
)
allow(BriefPlan, "id date state missing places situation")
allow(PlanReport, "plan_id date state situation", by_place="places")
allow(PlaceReport, "place planned losses amount event at by key before")


@dataclass(frozen=True)
class Sight:
    """What someone sees. Equal sights see the same, so that answers are kept by sight, not by person or role.

    `is_whole` means all of a campaign but seeds and hashes, `has_seeds` these as well. Whoever does not see
    the whole is a recorder, of a `group` or of all places.
    """

    is_whole: bool
    has_seeds: bool = False
    group: str | None = None

    def reaches(self, place: str, settings: Settings) -> bool:
        """Whether a place is one of those that are seen."""
        return self.group is None or settings.arms[settings.find(place)].group == self.group

    def places(self, names: tuple[str, ...], settings: Settings) -> tuple[str, ...]:
        """The places among `names` that are seen."""
        return tuple(name for name in names if self.reaches(name, settings))

    def of(self, answer: Any, settings: Settings) -> Any:
        """The part of an answer that is seen.

        Plain mappings have no fields that could be allowed, so a recorder never sees them.
        """
        return answer if self.is_whole else self._part(answer, settings)

    def _part(self, answer: Any, settings: Settings) -> Any:
        if is_record(answer):
            return self._record(answer, settings)
        if isinstance(answer, list | tuple):
            return type(answer)(self._part(each, settings) for each in answer)
        if isinstance(answer, Mapping):
            raise NotAllowedError("a recorder may not see this", what="role")
        return answer

    def _record(self, record: Any, settings: Settings) -> Any:
        kind = type(record)
        allowed = _ALLOWED.get(kind)
        if allowed is None:
            raise NotAllowedError(f"a recorder may not see a {kind.__name__}", what="role")
        shown = {}
        for name in field_names(kind):
            value = getattr(record, name)
            if name in allowed.by_place:
                shown[name] = self._of_places(value, settings)
            elif name in allowed.fields or (name in allowed.of_all_places and self.group is None):
                shown[name] = value if isinstance(value, Mapping) else self._part(value, settings)
            else:
                shown[name] = _hidden(kind, name)
        made: Any = replace if is_dataclass(record) else kind._replace
        return made(record, **shown)

    def _of_places(self, value: Any, settings: Settings) -> Any:
        """The part of a field that is about places which are seen."""
        if isinstance(value, Mapping):
            return {name: each for name, each in value.items() if self.reaches(name, settings)}
        seen = (each for each in value if self.reaches(getattr(each, "place", each), settings))
        return tuple(self._part(each, settings) for each in seen)


def seen_by(rights: Rights) -> Sight:
    """What someone sees, by their rights. Caches, pages and the API ask this, and not the role."""
    return Sight(is_whole=rights.may_read, has_seeds=rights.is_owner, group=rights.group)


def _hidden(kind: Any, name: str) -> Any:
    """The value of a field that is not shown: its default, or nothing of its type."""
    if is_dataclass(kind):
        found = next(each for each in fields(kind) if each.name == name)
        if found.default is not MISSING:
            return found.default
        if found.default_factory is not MISSING:
            return found.default_factory()
    elif name in kind._field_defaults:
        return kind._field_defaults[name]
    return _nothing(get_type_hints(kind)[name])


def _nothing(hint: Any) -> Any:
    """Nothing of a type: None where it may be missing, else an empty or zero value."""
    if type(None) in get_args(hint):
        return None
    origin = get_origin(hint)
    made: Callable[[], Any] = get_args(hint)[0] if origin not in (None, dict, list, tuple) else origin or hint
    return made()
