"""Leases: work for a team by one process at a time."""

import sqlalchemy as sa
from alembic import context, op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table with its policy and grants."""
    op.create_table(
        "lease",
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="of work that one process at a time does for the team"),
        sa.Column("holder", sa.Uuid(), nullable=False, comment="id of the current holder; new for each lease"),
        sa.Column(
            "until",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="expires then unless its holder renews it",
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
    """Drop the table; processes that hold a lease finish their work."""
    op.drop_table("lease")
