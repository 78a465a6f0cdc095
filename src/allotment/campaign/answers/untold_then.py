"""Places of a plan that had no report after some event: a repeated request gets the answer that it had."""

from collections.abc import Iterable

from allotment.campaign.history.events import Event
from allotment.campaign.settings.settings import Settings

REPORTING = ("told", "undone")  # the kinds of events that change it


def untold_then(
    places: Iterable[str], plan: str, events: Iterable[Event], settings: Settings
) -> tuple[str, ...]:
    """The places of a plan without a report after events of these kinds."""
    told = set[int]()
    for event in events:
        payload = event.payload
        if payload.get("plan") != plan:
            continue
        if event.kind == "undone":
            told = set() if payload.get("what", "report") == "report" else told
            continue
        for name, losses in payload["losses"].items():
            told = told - {settings.aliases[name]} if losses is None else told | {settings.aliases[name]}
    return tuple(name for name in places if settings.aliases[name] not in told)
