"""Approvals of reports: requested of a person, and approved or refused by this person; and the PDFs that state them."""

import sqlalchemy as sa
from alembic import context, op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_GRANTED = {
    "report_approval": "SELECT, INSERT, UPDATE (state, comment, decided_at)",
    "report_approval_file": "SELECT, INSERT",
}


def upgrade() -> None:
    """Create the tables, which the application reads and adds to for one team, and the audit trigger."""
    _create_approval()
    _create_file()
    role = op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
    for table, granted in _GRANTED.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
        op.execute(f"GRANT {granted} ON {table} TO {role}")
    op.execute(
        "CREATE TRIGGER record AFTER INSERT OR UPDATE OF state ON report_approval FOR EACH ROW "
        "WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "
        "record_change('org_id', 'id', 'name', 'state', 'approver', 'comment')"
    )


def _create_approval() -> None:
    op.create_table(
        "report_approval",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("report_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="title of the report"),
        sa.Column("requested_by_id", sa.Uuid(), nullable=False, comment="who may be gone"),
        sa.Column("requested_by", sa.Text(), nullable=False, comment="as they were called then"),
        sa.Column("approver_id", sa.Uuid(), nullable=False, comment="who may be gone"),
        sa.Column("approver", sa.Text(), nullable=False, comment="as they were called then"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False, comment="of the approver; plain"),
        sa.Column("decided_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint(
            "state IN ('requested', 'approved', 'refused', 'withdrawn')", name=op.f("ck_report_approval_state")
        ),
        sa.CheckConstraint("(state = 'requested') = (decided_at IS NULL)", name=op.f("ck_report_approval_decided")),
        sa.CheckConstraint("approver_id <> requested_by_id", name=op.f("ck_report_approval_own")),
        _org("report_approval"),
        sa.ForeignKeyConstraint(
            ["report_id"], ["report.id"], name=op.f("fk_report_approval_report"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report_approval")),
    )
    place = ["org_id", "created_at", "id"]
    op.create_index(op.f("ix_report_approval_org_id_created_at_id"), "report_approval", place)
    op.create_index(op.f("ix_report_approval_report_id_created_at"), "report_approval", ["report_id", "created_at"])


def _create_file() -> None:
    op.create_table(
        "report_approval_file",
        sa.Column("report_approval_id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False, comment="SHA-256 of the content"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("digest = encode(sha256(content), 'hex')", name=op.f("ck_report_approval_file_digest")),
        _org("report_approval_file"),
        sa.ForeignKeyConstraint(
            ["report_approval_id"],
            ["report_approval.id"],
            name=op.f("fk_report_approval_file_report_approval"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("report_approval_id", name=op.f("pk_report_approval_file")),
    )


def _org_id() -> sa.Column[object]:
    return sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False)


def _org(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f(f"fk_{table}_org"), ondelete="CASCADE")


def downgrade() -> None:
    """Drop the tables; the approvals are lost, except in the audit log."""
    op.drop_table("report_approval_file")
    op.drop_table("report_approval")
