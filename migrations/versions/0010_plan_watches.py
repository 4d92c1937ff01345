"""Watched plans, what their checks found, and alerts that are about a plan."""

import sqlalchemy as sa
from alembic import context, op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_CHANGED = "every, percent, person, starts_at, ended_at, next_check_at, asked_at, sent_at, taken_until, tries, told"
_GRANTED = {
    "plan_watch": f"SELECT, INSERT, UPDATE ({_CHANGED})",
    "plan_check": "SELECT, INSERT, DELETE",
}
"""A watch ends and is not deleted: what was found stays, and with it what the team was told."""

# Who was told of it is told again once that one must have come to nothing: the message was lost, or the worker was.
# Each team has its turn: with many due at once, none waits for all of another's.
_DUE = """
CREATE FUNCTION due_plan_watches(most integer) RETURNS TABLE (org_id uuid, plan_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT due.org_id, due.id
    FROM (
        SELECT watched.org_id, watched.id, least(watched.next_check_at, watched.asked_at) AS since,
               row_number() OVER (
                   PARTITION BY watched.org_id ORDER BY least(watched.next_check_at, watched.asked_at), watched.id
               ) AS turn
        FROM plan_watch AS watched
        WHERE watched.ended_at IS NULL
          AND (watched.next_check_at <= now() OR watched.asked_at IS NOT NULL)
          AND (watched.taken_until IS NULL OR watched.taken_until <= now())
          AND (watched.sent_at IS NULL OR watched.sent_at <= now() - interval '10 minutes'
               OR watched.taken_until > watched.sent_at)
    ) AS due
    ORDER BY due.turn, due.since, due.id
    LIMIT most
$$
"""


def upgrade() -> None:
    """Create the tables and the walls around them, and let alerts be about plans."""
    _create_watch()
    _create_check()
    for table, granted in _GRANTED.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
        op.execute(f"GRANT {granted} ON {table} TO {_role('application_role')}")
    # For the one look across teams: whose plans are due.
    op.execute("CREATE POLICY periodic ON plan_watch FOR SELECT TO CURRENT_USER USING (true)")
    op.execute(_DUE)
    op.execute("REVOKE ALL ON FUNCTION due_plan_watches(integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION due_plan_watches(integer) TO {_role('gate_role')}")
    op.execute(
        "CREATE TRIGGER record AFTER INSERT OR UPDATE OF every, percent, ended_at ON plan_watch FOR EACH ROW "
        "WHEN (pg_trigger_depth() = 0) "
        "EXECUTE FUNCTION record_change('org_id', 'id', 'every', 'percent', 'ended_at')"
    )
    op.alter_column("alert", "profile_key", nullable=True)
    op.alter_column("alert", "metric", nullable=True)
    op.add_column("alert", sa.Column("plan_id", sa.Uuid(), comment="null where it is about a profile"))
    op.create_foreign_key(op.f("fk_alert_plan"), "alert", "plan", ["plan_id"], ["id"], ondelete="CASCADE")
    op.create_check_constraint(
        op.f("ck_alert_about"),
        "alert",
        "(plan_id IS NULL) = (profile_key IS NOT NULL) AND (plan_id IS NULL) = (metric IS NOT NULL)",
    )
    op.create_unique_constraint(op.f("uq_alert_plan_id_at"), "alert", ["plan_id", "at"])


def _create_watch() -> None:
    op.create_table(
        "plan_watch",
        sa.Column("id", sa.Uuid(), nullable=False, comment="the plan's"),
        _org_id(),
        sa.Column("every", sa.Text(), nullable=False),
        sa.Column(
            "percent",
            sa.Double(),
            nullable=False,
            comment="by more than which the winner's cost or time must change to be told",
        ),
        sa.Column("person", sa.Text(), nullable=False, comment="who asked for it, as they were called then"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        _time("starts_at", "from when its periods are counted", nullable=False),
        _time("ended_at", "it is not checked since then"),
        _time("next_check_at", None, nullable=False),
        _time("asked_at", "somebody asked for a check besides; null: nobody does"),
        _time("sent_at", "when a worker was told last; null once it was checked"),
        _time("taken_until", "a worker is at it until then; its token"),
        sa.Column(
            "tries",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="how often it was taken up since a check ended",
        ),
        sa.Column(
            "told",
            sa.JSON(),
            nullable=False,
            comment="the answer that the team knows: as saved, or as it was told last",
        ),
        sa.CheckConstraint("every IN ('day', 'week', 'month')", name=op.f("ck_plan_watch_every")),
        sa.CheckConstraint("percent > 0 AND percent < 'Infinity'", name=op.f("ck_plan_watch_percent")),
        sa.CheckConstraint("tries >= 0", name=op.f("ck_plan_watch_tries")),
        _org("plan_watch"),
        sa.ForeignKeyConstraint(["id"], ["plan.id"], name=op.f("fk_plan_watch_plan"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan_watch")),
    )
    still_open = sa.text("ended_at IS NULL")
    asked = sa.text("asked_at IS NOT NULL AND ended_at IS NULL")
    op.create_index("ix_plan_watch_due", "plan_watch", ["next_check_at"], postgresql_where=still_open)
    op.create_index("ix_plan_watch_asked", "plan_watch", ["asked_at"], postgresql_where=asked)
    op.create_index(op.f("ix_plan_watch_org_id_created_at_id"), "plan_watch", ["org_id", "created_at", "id"])


def _create_check() -> None:
    op.create_table(
        "plan_check",
        sa.Column(
            "id",
            sa.BigInteger(),
            sa.Identity(always=True),
            nullable=False,
            comment="rises in the order of storing: the newest of a plan is its last check",
        ),
        _org_id(),
        sa.Column("plan_id", sa.Uuid(), nullable=False),
        _time("at", None, nullable=False),
        sa.Column("catalogue_version", sa.Text(), comment="null where nothing could be answered"),
        sa.Column("profiles_digest", sa.Text()),
        sa.Column("model_version", sa.Text()),
        sa.Column("winner", sa.JSON(), comment="null where nothing met the limits, or nothing could be answered"),
        sa.Column("cost_usd", sa.Numeric(), comment="of the winner, at p50"),
        sa.Column("problem", sa.Text(), comment="why nothing could be answered, in words for people"),
        sa.Column("told", sa.Boolean(), nullable=False, comment="whether the team was told of it"),
        sa.CheckConstraint("(problem IS NULL) = (catalogue_version IS NOT NULL)", name=op.f("ck_plan_check_problem")),
        sa.CheckConstraint("(winner IS NULL) = (cost_usd IS NULL)", name=op.f("ck_plan_check_cost_usd")),
        _org("plan_check"),
        sa.ForeignKeyConstraint(
            ["plan_id"], ["plan_watch.id"], name=op.f("fk_plan_check_plan_watch"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan_check")),
    )
    op.create_index(op.f("ix_plan_check_plan_id_id"), "plan_check", ["plan_id", "id"])
    op.create_index(op.f("ix_plan_check_org_id"), "plan_check", ["org_id"])


def _time(name: str, comment: str | None, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, comment=comment)


def _org_id() -> sa.Column[object]:
    return sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False)


def _org(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f(f"fk_{table}_org"), ondelete="CASCADE")


def _role(which: str) -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes[which])


def downgrade() -> None:
    """Drop what was created; alerts about plans go with it."""
    op.execute("DROP FUNCTION due_plan_watches(integer)")
    op.drop_table("plan_check")
    op.drop_table("plan_watch")
    op.drop_constraint(op.f("uq_alert_plan_id_at"), "alert")
    op.drop_constraint(op.f("ck_alert_about"), "alert")
    # The owner is bound by the policies too, and works for no team here.
    op.execute("ALTER TABLE alert NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM alert WHERE plan_id IS NOT NULL")
    op.execute("ALTER TABLE alert FORCE ROW LEVEL SECURITY")
    op.drop_column("alert", "plan_id")
    op.alter_column("alert", "profile_key", nullable=False)
    op.alter_column("alert", "metric", nullable=False)
