"""Verified e-mail addresses of people, and invitations that were mailed."""

import sqlalchemy as sa
from alembic import context, op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; existing addresses are unverified."""
    op.add_column(
        "person",
        sa.Column(
            "email_verified_at",
            sa.DateTime(timezone=True),
            comment="when a link that was mailed to this e-mail was used",
        ),
    )
    op.add_column(
        "invitation",
        sa.Column(
            "mailed_at",
            sa.DateTime(timezone=True),
            comment="null: its link was shown, which does not verify the e-mail",
        ),
    )
    preparer = op.get_bind().dialect.identifier_preparer
    application = preparer.quote(context.config.attributes["application_role"])
    op.execute(f"GRANT SELECT (email_verified_at) ON person TO {application}")
    op.execute(f"GRANT UPDATE (mailed_at) ON invitation TO {application}")


def downgrade() -> None:
    """Drop the columns."""
    op.drop_column("invitation", "mailed_at")
    op.drop_column("person", "email_verified_at")
