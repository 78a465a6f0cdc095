"""Who may use the campaigns (tokens, sessions, sign-in links), and what they have going on."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "allotment_tokens",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False, unique=True),
        sa.Column("secret", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("campaign", sa.Integer, sa.ForeignKey("allotment_campaigns.id")),
        sa.Column("group", sa.String),
        sa.Column("until", sa.String, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
        sa.Column("made_by", sa.String, nullable=False),
        sa.Column("revoked", sa.Float),
        sa.Column("seen", sa.Float),
    )
    op.create_table(
        "allotment_sessions",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("token", sa.String, sa.ForeignKey("allotment_tokens.id"), nullable=False),
        sa.Column("csrf", sa.String, nullable=False),
        sa.Column("started", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
        sa.Column("browser", sa.String, nullable=False),
        sa.Column("notices", sa.Text, nullable=False),
    )
    op.create_table(
        "allotment_sign_in_links",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("token", sa.String, sa.ForeignKey("allotment_tokens.id"), nullable=False),
        sa.Column("ends", sa.Float, nullable=False),
    )
    op.create_table(
        "allotment_jobs",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("person", sa.String, nullable=False),
        sa.Column("campaign", sa.Integer, sa.ForeignKey("allotment_campaigns.id"), nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("back", sa.String, nullable=False),
        sa.Column("moment", sa.String, nullable=False),
        sa.Column("started", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
        sa.Column("ended", sa.Float),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("next_path", sa.String),
        sa.Column("problem", sa.Text),
        sa.Column("result", sa.Text),
    )
    op.create_table(
        "allotment_staged_logs",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("owner", sa.String, nullable=False),
        sa.Column("campaign", sa.Integer, sa.ForeignKey("allotment_campaigns.id"), nullable=False),
        sa.Column("begun", sa.Float, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
