"""Time of a person's last sign-in, after which tokens pause."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; for existing people the time starts now."""
    op.add_column(
        "person",
        sa.Column(
            "signed_in_at",
            sa.DateTime(timezone=True),
            nullable=False,
            server_default=sa.func.now(),
            comment="when the person last signed in; tokens pause some time later",
        ),
    )


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("person", "signed_in_at")
