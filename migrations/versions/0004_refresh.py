"""Refreshing the catalogue: a kind of job, the pages it has read, and the right to publish what they say."""

import sqlalchemy as sa
from alembic import context, op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_TENANTED = ("refresh", "refresh_piece")


def upgrade() -> None:
    """Create the tables, and let the application's role add catalogues: never change or remove one."""
    op.drop_constraint(op.f("ck_job_kind"), "job", type_="check")
    op.create_check_constraint(op.f("ck_job_kind"), "job", "kind IN ('sweep', 'demo', 'refresh')")
    op.create_table(
        "refresh",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("regions", sa.JSON(), nullable=False, comment="names, in the order they are read"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Text(), comment="that it made; null where nothing changed, or it is not done"),
        sa.Column("notes", sa.JSON(), comment="what was found besides, in words for people; null while it is not done"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_refresh")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_refresh_org")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_refresh_job"), ondelete="CASCADE"),
    )
    op.create_index(op.f("ix_refresh_org_id_created_at_id"), "refresh", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_refresh_job_id"), "refresh", ["job_id"])
    op.create_table(
        "refresh_piece",
        sa.Column("refresh_id", sa.Uuid(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False, comment="of the job, from 0"),
        sa.Column("page", sa.Integer(), nullable=False, comment="from 0"),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("next_token", sa.Text(), comment="where AWS goes on; null on the last page"),
        sa.Column("content", sa.JSON(), nullable=False, comment="what was kept of the page"),
        sa.PrimaryKeyConstraint("refresh_id", "part", "page", name=op.f("pk_refresh_piece")),
        sa.ForeignKeyConstraint(
            ["refresh_id"], ["refresh.id"], name=op.f("fk_refresh_piece_refresh"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_refresh_piece_org")),
    )
    for table in _TENANTED:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(_TENANTED)} TO {_application_role()}")


def _application_role() -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes["application_role"])


def downgrade() -> None:
    """Drop what was created; refreshes that were done leave their catalogues."""
    for table in ("refresh_piece", "refresh"):
        op.drop_table(table)
    for table in ("job", "job_part"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM job WHERE kind = 'refresh'")
    for table in ("job", "job_part"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.drop_constraint(op.f("ck_job_kind"), "job", type_="check")
    op.create_check_constraint(op.f("ck_job_kind"), "job", "kind IN ('sweep', 'demo')")
