"""The settings of a campaign in words."""

from typing import Any

from allotment.campaign.amounts import plain
from allotment.campaign.arms import Group
from allotment.campaign.settings import Settings


def settings_in_words(settings: Settings) -> dict[str, Any]:
    """The settings that plans depend on, for people."""

    def limits(group: Group) -> str:
        said = [f"at least {plain(group.least)}"] if group.least else []
        said += [] if group.most is None else [f"at most {plain(group.most)}"]
        return f" ({', '.join(said)})" if said else ""

    groups = ", ".join(f"{name}{limits(group)}" for name, group in settings.groups.items())
    called = tuple(arm.name for arm in settings.arms)
    reports = "counts" if settings.losses == "counts" else "yes or no"
    return {
        "budget": plain(settings.budget),
        "unit": plain(settings.unit),
        "groups": groups or "none",
        **({"situations": ", ".join(settings.situations.names)} if settings.situations else {}),
        **({} if settings.moves is None else {"moves": f"at most {settings.moves}"}),
        **({} if settings.control is None else {"control": settings.control.shown(called)}),
        "half-life": "none" if settings.half_life is None else f"{plain(settings.half_life)} days",
        "time zone": settings.timezone,
        **({} if settings.day_starts is None else {"day starts": settings.day_starts}),
        "reports": f"{settings.sees}, {reports}",
    }
