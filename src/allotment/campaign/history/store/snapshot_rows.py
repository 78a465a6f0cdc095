"""Snapshots as rows of a table, one per campaign. Nothing depends on them."""

from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, type_coerce
from sqlalchemy.types import NullType

from allotment.campaign.history.store.tables import campaigns, snapshots

LARGEST = 2**29  # bytes; ten times what a million reports take


class Snapshot(NamedTuple):
    """What a history implied up to an event, and that event's hash."""

    number: int
    hash: str
    content: bytes


def snapshot_of(connection: Connection, campaign: int) -> Snapshot | None:
    """The snapshot of a campaign, if there is one."""
    content = type_coerce(snapshots.c.content, NullType())  # as it is, whatever was put there
    query = select(snapshots.c.number, snapshots.c.hash, content).where(
        snapshots.c.campaign == campaign, func.length(snapshots.c.content) <= LARGEST
    )
    row = connection.execute(query).first()
    return None if row is None else Snapshot(*row)


def replace_snapshot(connection: Connection, campaign: int, snapshot: Snapshot) -> None:
    """Write a snapshot, unless there is a newer one."""
    older = select(func.max(snapshots.c.number)).where(snapshots.c.campaign == campaign)
    connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update())
    if (connection.execute(older).scalar() or 0) < snapshot.number:
        delete_snapshot(connection, campaign)
        connection.execute(insert(snapshots).values(campaign=campaign, **snapshot._asdict()))


def delete_snapshot(connection: Connection, campaign: int) -> None:
    """Delete the snapshot of a campaign."""
    connection.execute(delete(snapshots).where(snapshots.c.campaign == campaign))
