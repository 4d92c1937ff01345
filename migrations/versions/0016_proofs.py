"""When the person of a session last proved to be that person."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: of sessions that are there, signing in was the proof."""
    op.add_column(
        "session",
        sa.Column(
            "proved_at",
            sa.DateTime(timezone=True),
            nullable=False,
            server_default=sa.func.now(),
            comment="when its person last proved to be that person",
        ),
    )
    op.execute("UPDATE session SET proved_at = created_at")


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("session", "proved_at")
