"""Time of a session's last authentication."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing sessions get the time of their sign-in."""
    op.add_column(
        "session",
        sa.Column(
            "proved_at",
            sa.DateTime(timezone=True),
            nullable=False,
            server_default=sa.func.now(),
            comment="when its person last authenticated",
        ),
    )
    op.execute("UPDATE session SET proved_at = created_at")


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("session", "proved_at")
