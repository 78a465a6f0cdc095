"""Groups of arms in a request. Existing names stay as they are; new names are checked."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import listed, written
from allotment.campaign.forms.lookalikes import looks_like, skeleton
from allotment.campaign.settings.arms import setting
from allotment.errors import ConflictError, InputError, shown

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings


def arm_names(arms: Any) -> tuple[str, ...]:
    """Names of new arms, each once."""
    if isinstance(arms, str) or not hasattr(arms, "__iter__"):
        raise InputError.of("arms", arms, "names of places")
    return _distinct(tuple(names.name("a place's name", each) for each in arms))


def _distinct(called: tuple[str, ...]) -> tuple[str, ...]:
    if not called:
        raise InputError("there are no places", "the name of at least one", what="arms")
    for position, each in enumerate(called):
        if each in called[:position] if len(called) < 50 else called.index(each) < position:
            raise ConflictError(
                f"place {each!r} is named twice", "names that differ", what="arms", value=each
            )
    looks: dict[str, str] = {}
    for each in called:
        if (other := looks.setdefault(skeleton(each), each)) != each:
            raise looks_like(each, other)
    return called


def groups_given(given: Any, settings: "Settings") -> dict[str, Any]:
    """Groups as they were asked for, in plain data: the arms of each, its least and its most."""
    if not isinstance(given, Mapping):
        raise InputError.of(
            "groups", given, 'such as {"north": {"arms": ["Dock", "Gate"], "least": 2, "most": 6}}'
        )
    found: dict[str, Any] = {}
    taken: dict[str, str] = {}
    for group, content in given.items():
        called = group_name(settings, group)
        if called in found:
            raise ConflictError(f"group {called!r} is named twice", "names that differ", what="groups")
        if (
            not isinstance(content, Mapping)
            or "arms" not in content
            or content.keys() - {"arms", "least", "most"}
        ):
            raise InputError.of(f"group {called!r}", content, '"arms", and optionally "least" and "most"')
        arms = _known_arms(settings, content["arms"])
        for arm in arms:
            if arm in taken:
                raise ConflictError(
                    f"place {arm!r} is in group {taken[arm]!r} and in group {called!r}",
                    "one group",
                    what="groups",
                )
            taken[arm] = called
        least, most = content.get("least"), content.get("most")
        found[called] = {
            "arms": list(arms),
            "least": written(setting("least", 0 if least is None else least, f" of group {called!r}")),
            "most": None if most is None else written(setting("most", most, f" of group {called!r}")),
        }
    return found


def group_name(settings: "Settings", given: Any) -> str:
    """The name of a group that is there, however it is called, or a new name."""
    stored = names.stored_as(given, names.spellings(settings.groups))
    return names.name("a group's name", given) if stored is None else stored


def known_group(settings: "Settings", given: Any) -> str:
    """The name of a group that is there; an error if there is none."""
    stored = names.stored_as(given, names.spellings(settings.groups))
    if stored is None:
        wrong, known = f"there is no group named {shown(given)}", list(settings.groups)
        expected = f"one of {listed(known)}" if known else "no group: this campaign has none"
        raise names.unknown(wrong, given, known, expected, what="group")
    return stored


def _known_arms(settings: "Settings", given: Any) -> tuple[str, ...]:
    """The present names of arms that are there, each once."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise InputError.of("arms", given, "names of places")
    return _distinct(tuple(settings.arms[settings.find(name)].name for name in given))
