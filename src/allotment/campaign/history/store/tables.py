"""The tables of a store, as the newest migration leaves them."""

from sqlalchemy import (
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

campaigns = Table(
    "allotment_campaigns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
)

# The history: rows are added, and never changed or removed.
events = Table(
    "allotment_events",
    metadata,
    Column("campaign", ForeignKey(campaigns.c.id), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", String, nullable=False),
    Column("by", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("key", String, nullable=False),
    Column("request", String, nullable=False),
    Column("payload", Text, nullable=False),
    Column("hash", String, nullable=False),
    UniqueConstraint("campaign", "key", name="allotment_events_key"),
)

# What the history implied up to an event; may be deleted at any time.
snapshots = Table(
    "allotment_snapshots",
    metadata,
    Column("campaign", ForeignKey(campaigns.c.id), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("hash", String, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
