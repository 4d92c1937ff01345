"""Published reports, their files and comments; share links with a password."""

import sqlalchemy as sa
from alembic import context, op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_GRANTED = {
    "report": "SELECT, INSERT, DELETE, UPDATE (deleted_at)",
    "report_file": "SELECT, INSERT",
    "report_comment": "SELECT, INSERT, DELETE",
}
"""What was published is never edited, nor what was made of it: no role of the service may."""

_RECORDED = {
    "report": (
        "INSERT OR DELETE OR UPDATE OF deleted_at",
        ("org_id", "id", "name", "digest", "replaces", "deleted_at"),
    ),
    "report_comment": ("INSERT OR DELETE", ("org_id", "id", "report_id", "person")),
}
_KINDS = "'sweep', 'demo', 'refresh', 'upload', 'alert', 'account'"


def upgrade() -> None:
    """Create the tables, the walls around them, and what links need to ask for a password."""
    _set_kinds(f"{_KINDS}, 'document'", "'plan', 'sweep', 'report'")
    op.add_column(
        "share_link",
        sa.Column("password_hash", sa.Text(), comment="argon2id; null where it asks for none"),
    )
    _create_report()
    _create_report_file()
    _create_report_comment()
    for table, granted in _GRANTED.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
        op.execute(f"GRANT {granted} ON {table} TO {_role('application_role')}")
    for table, (events, columns) in _RECORDED.items():
        said = ", ".join(f"'{column}'" for column in columns)
        op.execute(
            f"CREATE TRIGGER record AFTER {events} ON {table} FOR EACH ROW "
            f"WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION record_change({said})"
        )


def _create_report() -> None:
    op.create_table(
        "report",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("name", sa.Text(), nullable=False, comment="its title"),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False, comment="of what it was made of"),
        sa.Column("origins", sa.JSON(), nullable=False, comment="a list: what it was made of, as it was called then"),
        sa.Column("author", sa.Text(), nullable=False, comment="as they were called then"),
        sa.Column(
            "content", sa.Text(), nullable=False, comment="the report, as JSON: to the letter what the digest is of"
        ),
        sa.Column("digest", sa.Text(), nullable=False, comment="SHA-256 of the content"),
        sa.Column("deployable", sa.JSON(), nullable=False, comment="a list: configurations in it that can be deployed"),
        sa.Column("replaces", sa.Uuid(), comment="an older report"),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("kind IN ('plan', 'comparison', 'sweep', 'run', 'validation')", name=op.f("ck_report_kind")),
        sa.CheckConstraint(
            "digest = encode(sha256(convert_to(content, 'UTF8')), 'hex')", name=op.f("ck_report_digest")
        ),
        sa.CheckConstraint("replaces <> id", name=op.f("ck_report_replaces")),
        _org("report"),
        sa.ForeignKeyConstraint(["replaces"], ["report.id"], name=op.f("fk_report_report"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["job_id"], ["job.id"], name=op.f("fk_report_job"), deferrable=True, initially="DEFERRED"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report")),
    )
    op.create_index(op.f("ix_report_org_id_created_at_id"), "report", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_report_replaces"), "report", ["replaces"])
    op.create_index(op.f("ix_report_job_id"), "report", ["job_id"])


def _create_report_file() -> None:
    op.create_table(
        "report_file",
        sa.Column("report_id", sa.Uuid(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        _org_id(),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False, comment="SHA-256 of the content"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("format IN ('csv', 'xlsx', 'pdf', 'png')", name=op.f("ck_report_file_format")),
        sa.CheckConstraint("digest = encode(sha256(content), 'hex')", name=op.f("ck_report_file_digest")),
        _org("report_file"),
        _report("report_file"),
        sa.PrimaryKeyConstraint("report_id", "format", name=op.f("pk_report_file")),
    )


def _create_report_comment() -> None:
    op.create_table(
        "report_comment",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("report_id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False, comment="who may be gone"),
        sa.Column("person", sa.Text(), nullable=False, comment="as they were called then"),
        sa.Column("text", sa.Text(), nullable=False, comment="plain"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("text <> ''", name=op.f("ck_report_comment_text")),
        _org("report_comment"),
        _report("report_comment"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report_comment")),
    )
    op.create_index(
        op.f("ix_report_comment_report_id_created_at_id"), "report_comment", ["report_id", "created_at", "id"]
    )


def _set_kinds(jobs: str, links: str) -> None:
    for table, kinds in (("job", jobs), ("share_link", links)):
        op.drop_constraint(op.f(f"ck_{table}_kind"), table, type_="check")
        op.create_check_constraint(op.f(f"ck_{table}_kind"), table, f"kind IN ({kinds})")


def _org_id() -> sa.Column[object]:
    return sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False)


def _org(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f(f"fk_{table}_org"), ondelete="CASCADE")


def _report(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["report_id"], ["report.id"], name=op.f(f"fk_{table}_report"), ondelete="CASCADE")


def _role(which: str) -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[which])


def downgrade() -> None:
    """Drop what was created, with all that was published; links with a password go, or they would be open."""
    for table in reversed(_GRANTED):
        op.drop_table(table)
    seen = ("job", "job_part", "share_link")
    for table in seen:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    # The record is a team's, and nobody acts for one here.
    op.execute("ALTER TABLE share_link DISABLE TRIGGER record")
    op.execute("DELETE FROM job WHERE kind = 'document'")
    op.execute("DELETE FROM share_link WHERE kind = 'report' OR password_hash IS NOT NULL")
    op.execute("ALTER TABLE share_link ENABLE TRIGGER record")
    for table in seen:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.drop_column("share_link", "password_hash")
    _set_kinds(_KINDS, "'plan', 'sweep'")
