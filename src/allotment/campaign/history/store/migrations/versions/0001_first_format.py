"""The first format: campaigns, their events, snapshots."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "allotment_campaigns",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False, unique=True),
    )
    campaign = sa.ForeignKey("allotment_campaigns.id")
    op.create_table(
        "allotment_events",
        sa.Column("campaign", sa.Integer, campaign, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("by", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("request", sa.String, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("hash", sa.String, nullable=False),
        sa.UniqueConstraint("campaign", "key", name="allotment_events_key"),
    )
    op.create_table(
        "allotment_snapshots",
        sa.Column("campaign", sa.Integer, sa.ForeignKey("allotment_campaigns.id"), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("hash", sa.String, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
