"""Saved views of the instance types."""

import sqlalchemy as sa
from alembic import context, op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table; the audit log has who saved, renamed, deleted or restored a view."""
    op.create_table(
        "saved_view",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False, comment="filters, order, columns and axes"),
        sa.Column("person", sa.Text(), nullable=False, comment="who saved it, by the name at that time"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_saved_view_org"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_view")),
    )
    op.create_index(op.f("ix_saved_view_org_id_created_at_id"), "saved_view", ["org_id", "created_at", "id"])
    op.execute("ALTER TABLE saved_view ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE saved_view FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON saved_view USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    role = op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
    op.execute(f"GRANT SELECT, INSERT, DELETE, UPDATE (name, deleted_at) ON saved_view TO {role}")
    op.execute(
        "CREATE TRIGGER record AFTER INSERT OR DELETE OR UPDATE OF name, deleted_at ON saved_view FOR EACH ROW "
        "WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION record_change('org_id', 'id', 'name', 'deleted_at')"
    )


def downgrade() -> None:
    """Drop the table: saved views are lost."""
    op.drop_table("saved_view")
