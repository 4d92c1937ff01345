"""Mail and webhooks that deliver the notifications of an inbox."""

import sqlalchemy as sa
from alembic import context, op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
# Each team has its turn: with many due at once, none waits for all of another's. A test message that could not be
# sent within ten minutes is given up.
_DUE = """
CREATE FUNCTION due_inboxes(most integer) RETURNS TABLE (org_id uuid, person_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT due.org_id, due.person_id
    FROM (
        SELECT waiting.org_id, waiting.person_id, min(waiting.due_at) AS due_at,
               row_number() OVER (PARTITION BY waiting.org_id ORDER BY min(waiting.due_at), waiting.person_id) AS turn
        FROM inbox_channel AS waiting
        WHERE (waiting.stopped_at IS NULL AND waiting.due_at <= now() AND json_array_length(waiting.kinds) > 0)
           OR waiting.test_asked_at > now() - interval '10 minutes'
        GROUP BY waiting.org_id, waiting.person_id
    ) AS due
    ORDER BY due.turn, due.due_at, due.person_id
    LIMIT most
$$
"""
_DUE_BEFORE = """
CREATE FUNCTION due_inboxes(most integer) RETURNS TABLE (org_id uuid, person_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT waiting.org_id, waiting.person_id
    FROM inbox AS waiting
    WHERE waiting.mailed_until <= now() - interval '1 hour'
    ORDER BY waiting.mailed_until, waiting.person_id
    LIMIT most
$$
"""
_CHANGED = "kinds, delivered_until, due_at, failures, trouble, stopped_at, test_asked_at, tested_at, test_result"


def upgrade() -> None:
    """Create the table, and move the choices of mail into it; those of people who left are dropped."""
    op.execute("DROP FUNCTION due_inboxes(integer)")
    _create_table()
    # Before the policies of the new table hold: the owner works for no team here.
    op.execute("CREATE POLICY moving ON membership FOR SELECT TO CURRENT_USER USING (true)")
    op.execute(
        "INSERT INTO inbox_channel (id, org_id, person_id, channel, kinds, delivered_until, due_at, failures) "
        "SELECT gen_random_uuid(), org_id, person_id, 'mail', mailed_kinds, mailed_until, "
        "mailed_until + interval '1 hour', 0 "
        "FROM inbox JOIN membership USING (org_id, person_id) WHERE mailed_until IS NOT NULL"
    )
    op.execute("DROP POLICY moving ON membership")
    op.drop_column("inbox", "mailed_until")
    op.drop_column("inbox", "mailed_kinds")
    op.execute("DROP POLICY periodic ON inbox")
    op.execute("ALTER TABLE inbox_channel ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE inbox_channel FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON inbox_channel USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    op.execute(f"GRANT SELECT, INSERT, DELETE, UPDATE ({_CHANGED}) ON inbox_channel TO {_role('application_role')}")
    # The owner is bound by the policies too, and the function works for no team.
    op.execute("CREATE POLICY periodic ON inbox_channel FOR SELECT TO CURRENT_USER USING (true)")
    _create_due(_DUE)
    # Choices of mail are private; a webhook leads out of the service. Leaving the team is recorded by itself.
    for name, event, row in (("record", "INSERT", "NEW"), ("record_removal", "DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER {name} AFTER {event} ON inbox_channel FOR EACH ROW "
            f"WHEN (pg_trigger_depth() = 0 AND {row}.channel = 'webhook') "
            "EXECUTE FUNCTION record_change('org_id', 'id', 'channel')"
        )


def downgrade() -> None:
    """Drop the table; the choices of mail are moved back, and webhooks are lost."""
    op.execute("DROP FUNCTION due_inboxes(integer)")
    op.add_column(
        "inbox",
        sa.Column(
            "mailed_kinds",
            sa.JSON(),
            server_default="[]",
            nullable=False,
            comment="kinds of notifications that are mailed",
        ),
    )
    op.alter_column("inbox", "mailed_kinds", server_default=None)
    op.add_column(
        "inbox",
        sa.Column(
            "mailed_until",
            sa.DateTime(timezone=True),
            comment="up to which notifications were mailed; null where none are mailed",
        ),
    )
    op.execute("ALTER TABLE inbox NO FORCE ROW LEVEL SECURITY")
    op.execute(
        "INSERT INTO inbox (org_id, person_id, read_ids, mailed_kinds, mailed_until) "
        "SELECT org_id, person_id, '[]', kinds, delivered_until FROM inbox_channel WHERE channel = 'mail' "
        "ON CONFLICT (org_id, person_id) DO UPDATE "
        "SET mailed_kinds = EXCLUDED.mailed_kinds, mailed_until = EXCLUDED.mailed_until"
    )
    op.execute("ALTER TABLE inbox FORCE ROW LEVEL SECURITY")
    op.execute("CREATE POLICY periodic ON inbox FOR SELECT TO CURRENT_USER USING (true)")
    op.drop_table("inbox_channel")
    _create_due(_DUE_BEFORE)


def _create_table() -> None:
    op.create_table(
        "inbox_channel",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("kinds", sa.JSON(), nullable=False, comment="kinds of notifications that are delivered"),
        sa.Column("address", sa.Text(), comment="URL of a webhook; null for mail"),
        sa.Column("secret", sa.LargeBinary(), comment="signing secret of a webhook; encrypted"),
        _moment("delivered_until", "up to which notifications were delivered", nullable=False),
        _moment("due_at", "time of the next delivery or retry", nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False, comment="deliveries that failed in a row"),
        sa.Column("trouble", sa.Text(), comment="reason of the last failure; null after a success"),
        _moment("stopped_at", "when deliveries stopped after repeated failures; null while they go on"),
        _moment("test_asked_at", "when the waiting test message was requested; null if none waits"),
        _moment("tested_at", "when the last test message was sent"),
        sa.Column("test_result", sa.Text(), comment="result of the last test message, in words"),
        sa.CheckConstraint("channel IN ('mail', 'webhook')", name=op.f("ck_inbox_channel_channel")),
        sa.CheckConstraint(
            "(channel = 'webhook') = (address IS NOT NULL) AND (channel = 'webhook') = (secret IS NOT NULL)",
            name=op.f("ck_inbox_channel_secret"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_inbox_channel_org"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["org_id", "person_id"],
            ["membership.org_id", "membership.person_id"],
            name=op.f("fk_inbox_channel_membership"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox_channel")),
        sa.UniqueConstraint("org_id", "person_id", "channel", name=op.f("uq_inbox_channel_org_id_person_id_channel")),
    )


def _moment(name: str, comment: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, comment=comment)


def _create_due(function: str) -> None:
    op.execute(function)
    op.execute("REVOKE ALL ON FUNCTION due_inboxes(integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION due_inboxes(integer) TO {_role('gate_role')}")


def _role(attribute: str) -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[attribute])
