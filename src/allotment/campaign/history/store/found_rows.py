"""Requests that found a plan and made none. No event holds their keys, so a table does, for some time."""

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, delete, insert, select

from allotment.campaign.forms import names
from allotment.campaign.history.events import Request
from allotment.campaign.history.store.event_rows import answer_to, key_taken
from allotment.campaign.history.store.tables import campaigns, found_plans

if TYPE_CHECKING:
    from allotment.campaign.history.store.store import Store

KEPT = timedelta(days=90)


class Found(NamedTuple):
    """The plan that a request found, and whether it has other orders than the request."""

    plan: str
    ignores_orders: bool


def found_by(connection: Connection, campaign: int, request: Request) -> Found | None:
    """The plan that a request of this key found, if there was one; another request is a conflict."""
    if not request.has_key:
        return None
    query = select(found_plans).where(found_plans.c.campaign == campaign, found_plans.c.key == request.key)
    row = connection.execute(query).first()
    if row is None:
        return None
    if row.request != request.digest:
        raise key_taken(request, f"it found plan {row.plan}")
    return Found(row.plan, bool(row.ignores_orders))


def note_found(store: "Store", campaign: int, request: Request, found: Found) -> None:
    """Keep the plan that a request with a key found; another request of this key is a conflict."""
    if not request.has_key:
        return
    now = names.now()
    with store.transaction(writes=True) as connection:
        # As for events: SQLite has one writer at a time; PostgreSQL one for each campaign.
        if connection.dialect.name != "sqlite":
            connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update())
        made = answer_to(store.name, connection, campaign, request)
        if made is not None or found_by(connection, campaign, request) is not None:
            return  # the same request came twice at once
        old = found_plans.c.at < (now - KEPT).timestamp()
        connection.execute(delete(found_plans).where(found_plans.c.campaign == campaign, old))
        row = {"campaign": campaign, "key": request.key, "request": request.digest, "at": now.timestamp()}
        connection.execute(insert(found_plans).values(row | found._asdict()))
