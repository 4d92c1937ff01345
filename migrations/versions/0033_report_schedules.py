"""Scheduled sending of reports by mail to named members, weekly or monthly."""

import sqlalchemy as sa
from alembic import context, op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
# Each team has its turn: with many due at once, none waits for all of another's.
_DUE = """
CREATE FUNCTION due_report_schedules(most integer) RETURNS TABLE (org_id uuid, schedule_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT due.org_id, due.id
    FROM (
        SELECT planned.org_id, planned.id, planned.next_at,
               row_number() OVER (PARTITION BY planned.org_id ORDER BY planned.next_at, planned.id) AS turn
        FROM report_schedule AS planned
        WHERE planned.ended_at IS NULL AND planned.next_at <= now()
    ) AS due
    ORDER BY due.turn, due.next_at, due.id
    LIMIT most
$$
"""


def upgrade() -> None:
    """Create the table, which the application reads and writes for one team, and the query for what is due."""
    op.create_table(
        "report_schedule",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("report_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="title of the report"),
        sa.Column("every", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("recipients", sa.JSON(), nullable=False, comment="ids of members"),
        sa.Column("created_by", sa.Text(), nullable=False, comment="as they were called then"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True)),
        sa.Column("sent", sa.JSON(none_as_null=True), comment="the last sending: report and recipients"),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("every IN ('week', 'month')", name=op.f("ck_report_schedule_every")),
        sa.CheckConstraint("content IN ('link', 'pdf')", name=op.f("ck_report_schedule_content")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_report_schedule_org"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["report_id"], ["report.id"], name=op.f("fk_report_schedule_report"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report_schedule")),
    )
    place = ["org_id", "created_at", "id"]
    op.create_index(op.f("ix_report_schedule_org_id_created_at_id"), "report_schedule", place)
    op.create_index(op.f("ix_report_schedule_report_id"), "report_schedule", ["report_id"])
    op.execute("ALTER TABLE report_schedule ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE report_schedule FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON report_schedule USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    op.execute(
        "GRANT SELECT, INSERT, UPDATE (report_id, name, recipients, next_at, sent_at, sent, ended_at) "
        f"ON report_schedule TO {_role('application_role')}"
    )
    # The owner is bound by the policies too, and the function works for no team.
    op.execute("CREATE POLICY periodic ON report_schedule FOR SELECT TO CURRENT_USER USING (true)")
    op.execute(_DUE)
    op.execute("REVOKE ALL ON FUNCTION due_report_schedules(integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION due_report_schedules(integer) TO {_role('gate_role')}")
    op.execute(
        "CREATE TRIGGER record AFTER INSERT OR UPDATE OF recipients, ended_at ON report_schedule FOR EACH ROW "
        "WHEN (pg_trigger_depth() = 0) "
        "EXECUTE FUNCTION record_change('org_id', 'id', 'name', 'every', 'content', 'ended_at')"
    )


def _role(which: str) -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[which])


def downgrade() -> None:
    """Drop the table; nothing is sent any more."""
    op.execute("DROP FUNCTION due_report_schedules(integer)")
    op.drop_table("report_schedule")
