"""The keys of requests that found a plan and made none."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "allotment_found_plans",
        sa.Column("campaign", sa.Integer, sa.ForeignKey("allotment_campaigns.id"), primary_key=True),
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("request", sa.String, nullable=False),
        sa.Column("plan", sa.String, nullable=False),
        sa.Column("ignores_orders", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
