"""Lower limits of quotas that an owner sets for their own team."""

import sqlalchemy as sa
from alembic import context, op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table, which the application reads and writes for one team, and its audit trigger."""
    op.create_table(
        "team_limit",
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="of the quota, in stowage.platform.quotas"),
        sa.Column("most", sa.BigInteger(), nullable=False, comment="an owner's limit, below the operator's"),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("most >= 0", name=op.f("ck_team_limit_most")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_team_limit_org"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "name", name=op.f("pk_team_limit")),
    )
    op.execute("ALTER TABLE team_limit ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE team_limit FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON team_limit USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    role = op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON team_limit TO {role}")
    op.execute(
        "CREATE TRIGGER record AFTER INSERT OR DELETE OR UPDATE OF most ON team_limit FOR EACH ROW "
        "WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION record_change('org_id', 'name', 'most')"
    )


def downgrade() -> None:
    """Drop the table; the operator's limits hold."""
    op.drop_table("team_limit")
