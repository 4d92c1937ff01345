"""Quotas that the operator sets for a team."""

import sqlalchemy as sa
from alembic import context, op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table: the operator writes it with the auth role, the application reads its team's rows."""
    op.create_table(
        "team_quota",
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("quota", sa.Text(), nullable=False, comment="its name in stowage.platform.quotas"),
        sa.Column("most", sa.BigInteger(), nullable=False, comment="in place of the default"),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("most >= 0", name=op.f("ck_team_quota_most")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_team_quota_org"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "quota", name=op.f("pk_team_quota")),
    )
    op.execute("ALTER TABLE team_quota ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE team_quota FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON team_quota USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    op.execute(f"GRANT SELECT ON team_quota TO {_role('application_role')}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON team_quota TO {_role('gate_role')}")


def _role(which: str) -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes[which])


def downgrade() -> None:
    """Drop the table; the defaults hold for all teams."""
    op.drop_table("team_quota")
