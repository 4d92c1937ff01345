"""What CloudWatch measured: watched volumes, series, and points in partitions by time."""

import sqlalchemy as sa
from alembic import context, op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_POINTS = ("metric_point", "metric_five_minutes", "metric_hour")
_TENANTED = ("watch", "metric_series", *_POINTS)
_GRANTED = {
    "watch": "SELECT, INSERT, UPDATE (description, ended_at, problem, read_until, next_read_at)",
    "metric_series": "SELECT, INSERT",
    "metric_point": "SELECT, INSERT, UPDATE (value)",
    "metric_five_minutes": "SELECT, INSERT, UPDATE (points, total, smallest, largest)",
    "metric_hour": "SELECT, INSERT, UPDATE (points, total, smallest, largest)",
}
"""What comes late is written over what was there; what is too old goes with its partition, and in no other way."""

# Widths and times for which it is kept: CloudWatch's own for points of 1 min, 5 min and 1 h (Amazon CloudWatch user
# guide, "Metrics retention", 2026).
_KEPT = """
CREATE FUNCTION metric_partitioning(OUT parent text, OUT width interval, OUT kept interval) RETURNS SETOF record
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    VALUES ('metric_point', interval '1 day', interval '15 days'),
           ('metric_five_minutes', interval '7 days', interval '63 days'),
           ('metric_hour', interval '35 days', interval '455 days')
$$
"""
# A partition is made beside its table and then joined to it, which holds up nobody who reads or writes there.
_OPEN = """
CREATE FUNCTION open_metric_partitions(first timestamptz, last timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made integer := 0;
    kind record;
    starts timestamptz;
    name text;
BEGIN
    IF first IS NULL OR last IS NULL OR first > last
       OR first < now() - interval '456 days' OR last > now() + interval '3 days' THEN
        RAISE EXCEPTION 'metrics from % to % are not kept', first, last USING ERRCODE = 'check_violation';
    END IF;
    FOR kind IN SELECT * FROM metric_partitioning() LOOP
        FOR starts IN
            SELECT generate_series(
                date_bin(kind.width, greatest(first, now() - kind.kept), timestamptz '2001-01-01 00:00:00+00'),
                last, kind.width)
        LOOP
            name := kind.parent || to_char(starts AT TIME ZONE 'UTC', '_YYYYMMDD');
            CONTINUE WHEN to_regclass('metric_parts.' || name) IS NOT NULL;
            PERFORM pg_advisory_xact_lock(hashtext('metric_parts'));
            CONTINUE WHEN to_regclass('metric_parts.' || name) IS NOT NULL;
            EXECUTE format('CREATE TABLE metric_parts.%I (LIKE public.%I INCLUDING ALL)', name, kind.parent);
            EXECUTE format('ALTER TABLE metric_parts.%I ENABLE ROW LEVEL SECURITY', name);
            EXECUTE format('ALTER TABLE metric_parts.%I FORCE ROW LEVEL SECURITY', name);
            EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION metric_parts.%I FOR VALUES FROM (%L) TO (%L)',
                           kind.parent, name, starts, starts + kind.width);
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END
$$
"""
_DROP = """
CREATE FUNCTION drop_metric_partitions() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s'
AS $$
DECLARE
    dropped integer := 0;
    old record;
BEGIN
    FOR old IN
        SELECT part.relname AS name
        FROM metric_partitioning() AS kind
        JOIN pg_inherits ON inhparent = ('public.' || kind.parent)::regclass
        JOIN pg_class AS part ON part.oid = inhrelid
        WHERE (right(part.relname, 8)::timestamp AT TIME ZONE 'UTC') + kind.width <= now() - kind.kept
        ORDER BY part.relname
    LOOP
        EXECUTE format('DROP TABLE metric_parts.%I', old.name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$$
"""
_FORGET = """
CREATE FUNCTION forget_metric_points() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    DELETE FROM metric_point USING gone WHERE series_id = gone.id;
    DELETE FROM metric_five_minutes USING gone WHERE series_id = gone.id;
    DELETE FROM metric_hour USING gone WHERE series_id = gone.id;
    RETURN NULL;
END
$$
"""
# A run that is over is read a while longer: CloudWatch's points are minutes late.
_DUE = """
CREATE FUNCTION due_metrics() RETURNS TABLE (org_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT watch.org_id FROM watch WHERE watch.ended_at IS NULL AND watch.next_read_at <= now()
    UNION
    SELECT run.org_id FROM run
    WHERE run.launched_at IS NOT NULL
      AND (run.finished_at IS NULL OR run.finished_at > now() - interval '20 minutes')
$$
"""
_FUNCTIONS = {
    "metric_partitioning()": (_KEPT, None),
    "open_metric_partitions(timestamptz, timestamptz)": (_OPEN, "application_role"),
    "drop_metric_partitions()": (_DROP, "application_role"),
    "forget_metric_points()": (_FORGET, None),
    "due_metrics()": (_DUE, "gate_role"),
}


def upgrade() -> None:
    """Create the tables, the walls around them, and what opens and drops their partitions."""
    _create_watch()
    _create_series()
    op.execute("CREATE SCHEMA metric_parts")
    op.create_table(
        "metric_point",
        *_keys("when its period begins"),
        sa.Column("value", sa.Double(), nullable=False, comment="as CloudWatch gave it"),
        sa.PrimaryKeyConstraint("series_id", "at", name=op.f("pk_metric_point")),
        postgresql_partition_by="RANGE (at)",
    )
    for table in _POINTS[1:]:
        op.create_table(
            table,
            *_keys("when it begins"),
            sa.Column("points", sa.Integer(), nullable=False, comment="that are there; others are missing, and not 0"),
            sa.Column("total", sa.Double(), nullable=False),
            sa.Column("smallest", sa.Double(), nullable=False),
            sa.Column("largest", sa.Double(), nullable=False),
            sa.CheckConstraint("points > 0", name=op.f(f"ck_{table}_points")),
            sa.PrimaryKeyConstraint("series_id", "at", name=op.f(f"pk_{table}")),
            postgresql_partition_by="RANGE (at)",
        )
    for table, granted in _GRANTED.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
        op.execute(f"GRANT {granted} ON {table} TO {_role('application_role')}")
    # For the one look across teams: whose metrics are due.
    op.execute("CREATE POLICY periodic ON watch FOR SELECT TO CURRENT_USER USING (true)")
    for function, (source, role) in _FUNCTIONS.items():
        op.execute(source)
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        if role is not None:
            op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {_role(role)}")
    op.execute("SELECT open_metric_partitions(now(), now() + interval '2 days')")
    op.execute(
        "CREATE TRIGGER forget AFTER DELETE ON metric_series REFERENCING OLD TABLE AS gone "
        "FOR EACH STATEMENT EXECUTE FUNCTION forget_metric_points()"
    )
    op.execute(
        "CREATE TRIGGER record AFTER INSERT OR UPDATE OF ended_at ON watch FOR EACH ROW "
        "WHEN (pg_trigger_depth() = 0) "
        "EXECUTE FUNCTION record_change('org_id', 'id', 'volume_id', 'region', 'ended_at')"
    )


def _create_watch() -> None:
    op.create_table(
        "watch",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.Column("volume_id", sa.Text(), nullable=False),
        sa.Column("description", sa.JSON(), comment="of the volume, as EC2 gave it last; null until it did"),
        sa.Column("person", sa.Text(), nullable=False, comment="who asked for it, as they were called then"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), comment="it is not read since then"),
        sa.Column("problem", sa.Text(), comment="why the last reading failed, in words for people"),
        sa.Column(
            "read_until",
            sa.DateTime(timezone=True),
            comment="up to when points were asked for; null before the first",
        ),
        sa.Column("next_read_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("volume_id ~ '^vol-[0-9a-f]{8,17}$'", name=op.f("ck_watch_volume_id")),
        _org("watch"),
        sa.ForeignKeyConstraint(["account_id"], ["aws_account.id"], name=op.f("fk_watch_aws_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch")),
    )
    still_open = sa.text("ended_at IS NULL")
    one_each = ["org_id", "account_id", "region", "volume_id"]
    op.create_index("ix_watch_open", "watch", one_each, unique=True, postgresql_where=still_open)
    op.create_index("ix_watch_due", "watch", ["next_read_at"], postgresql_where=still_open)
    op.create_index(op.f("ix_watch_org_id_created_at_id"), "watch", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_watch_account_id"), "watch", ["account_id"])


def _create_series() -> None:
    op.create_table(
        "metric_series",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        _org_id(),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False, comment="AWS/EBS"),
        sa.Column("metric", sa.Text(), nullable=False, comment="VolumeReadBytes"),
        sa.Column("dimension", sa.Text(), nullable=False, comment="VolumeId"),
        sa.Column("resource", sa.Text(), nullable=False, comment="vol-..."),
        sa.Column("statistic", sa.Text(), nullable=False),
        sa.Column("period_s", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "statistic IN ('Sum', 'Average', 'Minimum', 'Maximum')", name=op.f("ck_metric_series_statistic")
        ),
        sa.CheckConstraint("period_s > 0", name=op.f("ck_metric_series_period_s")),
        _org("metric_series"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["aws_account.id"], name=op.f("fk_metric_series_aws_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metric_series")),
        sa.UniqueConstraint(
            "org_id",
            "resource",
            "metric",
            "statistic",
            "period_s",
            "account_id",
            "region",
            "namespace",
            "dimension",
            name="uq_metric_series_all",
        ),
    )
    op.create_index(op.f("ix_metric_series_account_id"), "metric_series", ["account_id"])


def _keys(at: str) -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("series_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, comment=at),
        _org_id(),
    )


def _org_id() -> sa.Column[object]:
    return sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False)


def _org(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f(f"fk_{table}_org"), ondelete="CASCADE")


def _role(which: str) -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes[which])


def downgrade() -> None:
    """Drop what was created, with all that was measured."""
    op.drop_table("watch")
    op.drop_table("metric_series")
    for table in _POINTS:
        op.drop_table(table)
    for function in reversed(_FUNCTIONS):
        op.execute(f"DROP FUNCTION {function}")
    op.execute("DROP SCHEMA metric_parts")
