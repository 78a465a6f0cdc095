"""The tables of a store, as the newest migration leaves them."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
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

# Who may use the campaigns. These tables came with format 0002; a backup leaves them out.
# Times are seconds since 1970.
tokens = Table(
    "allotment_tokens",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("secret", String, nullable=False),  # its SHA-256
    Column("role", String, nullable=False),
    Column("campaign", ForeignKey(campaigns.c.id)),
    Column("group", String),
    Column("until", String, nullable=False),
    Column("made", Float, nullable=False),
    Column("made_by", String, nullable=False),
    Column("revoked", Float),
    Column("seen", Float),
)

# Browsers that are signed in. The digest of a session's identifier names it.
sessions = Table(
    "allotment_sessions",
    metadata,
    Column("digest", String, primary_key=True),
    Column("token", ForeignKey(tokens.c.id), nullable=False),
    Column("csrf", String, nullable=False),
    Column("started", Float, nullable=False),
    Column("seen", Float, nullable=False),
    Column("browser", String, nullable=False),
    Column("notices", Text, nullable=False),
)

# Links that sign one phone in, once. The digest of a link's code names it.
sign_in_links = Table(
    "allotment_sign_in_links",
    metadata,
    Column("digest", String, primary_key=True),
    Column("token", ForeignKey(tokens.c.id), nullable=False),
    Column("ends", Float, nullable=False),
)

# Long work that goes on, and what finished work found, for an hour.
jobs = Table(
    "allotment_jobs",
    metadata,
    Column("id", String, primary_key=True),
    Column("person", String, nullable=False),
    Column("campaign", ForeignKey(campaigns.c.id), nullable=False),
    Column("kind", String, nullable=False),
    Column("title", String, nullable=False),
    Column("arguments", Text, nullable=False),
    Column("back", String, nullable=False),
    Column("moment", String, nullable=False),  # of an answer: the last event and the day that it holds for
    Column("started", Float, nullable=False),
    Column("seen", Float, nullable=False),  # when its worker last said that it goes on
    Column("ended", Float),
    Column("note", Text, nullable=False),
    Column("next_path", String),
    Column("problem", Text),
    Column("result", Text),
)

# Logs that were sent and are not yet kept, for an hour. The digest of a session names their owner.
staged_logs = Table(
    "allotment_staged_logs",
    metadata,
    Column("id", String, primary_key=True),
    Column("owner", String, nullable=False),
    Column("campaign", ForeignKey(campaigns.c.id), nullable=False),
    Column("begun", Float, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),
)

# Requests that found a plan and made none, by their idempotency keys. A backup leaves them out.
found_plans = Table(
    "allotment_found_plans",
    metadata,
    Column("campaign", ForeignKey(campaigns.c.id), primary_key=True),
    Column("key", String, primary_key=True),
    Column("request", String, nullable=False),  # the digest of the request
    Column("plan", String, nullable=False),
    Column("ignores_orders", Boolean, nullable=False),
    Column("at", Float, nullable=False),
)

SINCE = {
    "0001": (campaigns, events, snapshots),
    "0002": (tokens, sessions, sign_in_links, jobs, staged_logs),
    "0003": (found_plans,),
}
