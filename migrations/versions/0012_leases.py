"""Leases: what one process at a time does for a team."""

import sqlalchemy as sa
from alembic import context, op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table and the walls around it."""
    op.create_table(
        "lease",
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="of what one process does at a time for the team"),
        sa.Column("holder", sa.Uuid(), nullable=False, comment="whoever took it last; another one each time"),
        sa.Column(
            "until",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="its holder lives, or it is free from then on",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_lease_org"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "name", name=op.f("pk_lease")),
    )
    op.execute("ALTER TABLE lease ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE lease FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON lease USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    preparer = op.get_bind().dialect.identifier_preparer
    application = preparer.quote(context.config.attributes["application_role"])
    op.execute(f"GRANT SELECT, INSERT, UPDATE (holder, until), DELETE ON lease TO {application}")


def downgrade() -> None:
    """Drop the table; whoever holds something goes on to its end."""
    op.drop_table("lease")
