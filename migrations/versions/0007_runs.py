"""Connected AWS accounts, and the benchmark runs that Stowage launches in them."""

import sqlalchemy as sa
from alembic import context, op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_TENANTED = ("aws_account", "run", "run_event", "run_report", "run_status")
_GRANTED = {
    "aws_account": "SELECT, INSERT, UPDATE (name, account, role_arn, bucket, bucket_region, month_limit_usd, state, "
    "findings, problem, checked_at, removed_at)",
    "run": "SELECT, INSERT, UPDATE (agreed_usd, agreed_by, agreed_at, state, content, launched_at, deadline, "
    "finished_at, spent_usd, next_look_at, attempt, lease_until, cancel_asked_at, cancel_asked_by, accepted_upload_id)",
    "run_event": "SELECT, INSERT",
    "run_report": "SELECT, INSERT",
    "run_status": "SELECT, INSERT, UPDATE (content, at)",
}
"""What was quoted is never edited, nor what a node reported, nor what happened; no run and no account is forgotten."""

_RECORDED = {
    "aws_account": (
        "INSERT OR UPDATE OF name, role_arn, bucket, month_limit_usd, removed_at",
        ("id", "name", "account", "role_arn", "bucket", "month_limit_usd", "removed_at"),
    ),
    "run": (
        "UPDATE OF agreed_usd, cancel_asked_at, accepted_upload_id",
        ("id", "name", "agreed_usd", "cancel_asked_at", "accepted_upload_id"),
    ),
}
"""What people do. The external id is none of it, nor the steps that a run goes by itself: those are in its own log."""

_DUE = """
CREATE FUNCTION due_runs(most integer)
RETURNS TABLE (org_id uuid, run_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT run.org_id, run.id
    FROM run
    WHERE run.next_look_at <= now() AND (run.lease_until IS NULL OR run.lease_until <= now())
    ORDER BY run.next_look_at
    LIMIT most
$$
"""
_CONNECTED = """
CREATE FUNCTION connected_accounts()
RETURNS TABLE (org_id uuid, account_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT aws_account.org_id, aws_account.id
    FROM aws_account
    WHERE aws_account.removed_at IS NULL AND aws_account.role_arn IS NOT NULL AND aws_account.bucket IS NOT NULL
    ORDER BY aws_account.created_at, aws_account.id
$$
"""
_ACROSS = {"due_runs(integer)": _DUE, "connected_accounts()": _CONNECTED}
"""The looks across teams that periodic tasks need: whose run is due, and whose account is to be swept. No more."""


def upgrade() -> None:
    """Create the tables and the walls around them."""
    op.drop_constraint(op.f("ck_job_kind"), "job", type_="check")
    op.create_check_constraint(
        op.f("ck_job_kind"), "job", "kind IN ('sweep', 'demo', 'refresh', 'upload', 'alert', 'account')"
    )
    _create_aws_account()
    _create_run()
    _create_news()
    for table, granted in _GRANTED.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
        op.execute(f"GRANT {granted} ON {table} TO {_role('application_role')}")
    for table, (events, columns) in _RECORDED.items():
        said = ", ".join(f"'{column}'" for column in ("org_id", *columns))
        op.execute(
            f"CREATE TRIGGER record AFTER {events} ON {table} FOR EACH ROW "
            f"WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION record_change({said})"
        )
    for table in ("aws_account", "run"):
        op.execute(f"CREATE POLICY periodic ON {table} FOR SELECT TO CURRENT_USER USING (true)")
    for function, source in _ACROSS.items():
        op.execute(source)
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {_role('gate_role')}")


def _create_aws_account() -> None:
    op.create_table(
        "aws_account",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), comment="twelve digits; null until the role is known"),
        sa.Column("role_arn", sa.Text(), comment="which is assumed; null until somebody says it"),
        sa.Column("external_id", sa.Text(), nullable=False, comment="by which the role knows that it is us"),
        sa.Column("bucket", sa.Text(), comment="where agents and results travel through"),
        sa.Column("prefix", sa.Text(), nullable=False, comment="within the bucket; ends with a slash"),
        sa.Column("bucket_region", sa.Text()),
        sa.Column("month_limit_usd", sa.Numeric(), comment="of all its runs in a month of the calendar; null: none"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False, comment="a list: what came of trying each permission"),
        sa.Column("problem", sa.Text(), comment="why it is failing, in words for people"),
        sa.Column("checked_at", sa.DateTime(timezone=True)),
        sa.Column("person", sa.Text(), nullable=False, comment="who connected it, as they were called then"),
        _made(),
        sa.Column("removed_at", sa.DateTime(timezone=True), comment="it is not reached into since then"),
        sa.CheckConstraint(
            "state IN ('unchecked', 'checking', 'connected', 'failing')", name=op.f("ck_aws_account_state")
        ),
        sa.CheckConstraint("account ~ '^[0-9]{12}$'", name=op.f("ck_aws_account_account")),
        sa.CheckConstraint("prefix ~ '^[^/].*/$'", name=op.f("ck_aws_account_prefix")),
        sa.CheckConstraint("month_limit_usd >= 0", name=op.f("ck_aws_account_month_limit_usd")),
        sa.CheckConstraint(
            "state <> 'connected' OR (role_arn IS NOT NULL AND bucket IS NOT NULL)",
            name=op.f("ck_aws_account_connected"),
        ),
        _org("aws_account"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_aws_account")),
        sa.UniqueConstraint("external_id", name=op.f("uq_aws_account_external_id")),
    )
    op.create_index(op.f("ix_aws_account_org_id_created_at_id"), "aws_account", ["org_id", "created_at", "id"])


def _create_run() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False, comment="what is asked"),
        sa.Column(
            "quote", sa.JSON(), nullable=False, comment="what it may cost at most, by parts, and until when that holds"
        ),
        sa.Column("quoted_usd", sa.Numeric(), nullable=False, comment="the sum of it"),
        sa.Column("agreed_usd", sa.Numeric(), comment="what a person agreed to at most"),
        sa.Column("agreed_by", sa.Text(), comment="as they were called then"),
        sa.Column("agreed_at", sa.DateTime(timezone=True)),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False, comment="all else of the run as it stands"),
        sa.Column(
            "key",
            sa.LargeBinary(),
            nullable=False,
            comment="one-time, of which the keys of its nodes are made; secret",
        ),
        sa.Column("person", sa.Text(), nullable=False, comment="who asked for it, as they were called then"),
        _made(),
        sa.Column("launched_at", sa.DateTime(timezone=True), comment="when the first launch was asked for"),
        sa.Column("deadline", sa.DateTime(timezone=True), comment="when its last node has ended itself"),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column(
            "spent_usd",
            sa.Numeric(),
            server_default="0",
            nullable=False,
            comment="so far, at the prices of the quote",
        ),
        sa.Column(
            "next_look_at",
            sa.DateTime(timezone=True),
            comment="null exactly where there is nothing to be done",
        ),
        sa.Column(
            "attempt",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="how often it was taken up; the holder's",
        ),
        sa.Column("lease_until", sa.DateTime(timezone=True), comment="its holder's; null where nobody holds it"),
        sa.Column("cancel_asked_at", sa.DateTime(timezone=True)),
        sa.Column("cancel_asked_by", sa.Text(), comment="as they were called then"),
        sa.Column("accepted_upload_id", sa.Uuid(), comment="the file that its results became"),
        sa.CheckConstraint(
            "state IN ('quoted', 'approved', 'launching', 'running', 'collecting', 'tearing-down', 'done', 'failed', "
            "'cancelled')",
            name=op.f("ck_run_state"),
        ),
        sa.CheckConstraint("octet_length(key) = 32", name=op.f("ck_run_key")),
        sa.CheckConstraint("quoted_usd >= 0 AND spent_usd >= 0", name=op.f("ck_run_usd")),
        sa.CheckConstraint(
            "(agreed_usd IS NULL) = (agreed_at IS NULL) AND (agreed_usd IS NULL) = (agreed_by IS NULL)",
            name=op.f("ck_run_agreed"),
        ),
        # Nothing is launched for money that nobody agreed to, and nothing that is under way is left to itself.
        sa.CheckConstraint("state IN ('quoted', 'cancelled') OR agreed_usd IS NOT NULL", name=op.f("ck_run_approved")),
        sa.CheckConstraint(
            "(state IN ('quoted', 'done', 'failed', 'cancelled')) = (next_look_at IS NULL)",
            name=op.f("ck_run_next_look_at"),
        ),
        sa.CheckConstraint(
            "(state IN ('done', 'failed', 'cancelled')) = (finished_at IS NOT NULL)", name=op.f("ck_run_finished_at")
        ),
        _org("run"),
        sa.ForeignKeyConstraint(["account_id"], ["aws_account.id"], name=op.f("fk_run_aws_account")),
        sa.ForeignKeyConstraint(["accepted_upload_id"], ["upload.id"], name=op.f("fk_run_upload")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_org_id_created_at_id"), "run", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_run_account_id"), "run", ["account_id"])
    op.create_index(op.f("ix_run_accepted_upload_id"), "run", ["accepted_upload_id"])
    op.create_index("ix_run_due", "run", ["next_look_at"], postgresql_where=sa.text("next_look_at IS NOT NULL"))


def _create_news() -> None:
    op.create_table(
        "run_event",
        sa.Column(
            "id", sa.BigInteger(), sa.Identity(always=True), nullable=False, comment="rises in the order of storing"
        ),
        _org_id(),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False, comment="for people"),
        sa.Column("content", sa.JSON(), nullable=False, comment="what the words say, for programs"),
        _org("run_event"),
        _run("run_event"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_event")),
    )
    op.create_index(op.f("ix_run_event_run_id_id"), "run_event", ["run_id", "id"])
    op.create_table(
        "run_report",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("node", sa.Integer(), nullable=False, comment="from 0"),
        sa.Column("phase", sa.Text(), nullable=False),
        _org_id(),
        sa.Column("content", sa.LargeBinary(), nullable=False, comment="as the node signed it, byte for byte"),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("node >= 0", name=op.f("ck_run_report_node")),
        _org("run_report"),
        _run("run_report"),
        sa.PrimaryKeyConstraint("run_id", "node", "phase", name=op.f("pk_run_report")),
    )
    op.create_table(
        "run_status",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("node", sa.Integer(), nullable=False, comment="from 0"),
        _org_id(),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, comment="when it came"),
        sa.Column("content", sa.JSON(), nullable=False, comment="what the node said of itself last"),
        sa.CheckConstraint("node >= 0", name=op.f("ck_run_status_node")),
        _org("run_status"),
        _run("run_status"),
        sa.PrimaryKeyConstraint("run_id", "node", name=op.f("pk_run_status")),
    )


def _org_id() -> sa.Column[object]:
    return sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False)


def _org(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f(f"fk_{table}_org"), ondelete="CASCADE")


def _run(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f(f"fk_{table}_run"), ondelete="CASCADE")


def _made() -> sa.Column[object]:
    return sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)


def _role(name: str) -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[name])


def downgrade() -> None:
    """Drop what was created; what runs have left in accounts is then nobody's to find but the accounts' owners'."""
    for function in _ACROSS:
        op.execute(f"DROP FUNCTION {function}")
    for table in reversed(_TENANTED):
        op.drop_table(table)
    for table in ("job", "job_part"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM job WHERE kind = 'account'")
    for table in ("job", "job_part"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.drop_constraint(op.f("ck_job_kind"), "job", type_="check")
    op.create_check_constraint(op.f("ck_job_kind"), "job", "kind IN ('sweep', 'demo', 'refresh', 'upload', 'alert')")
