"""Own measurements: uploads, what is kept of them, what it says together, finished jobs, calibrations, alerts."""

import sqlalchemy as sa
from alembic import context, op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_TENANTED = (
    "upload",
    "upload_piece",
    "upload_reading",
    "upload_problem",
    "measurement",
    "verdict",
    "profile_set",
    "finished_job",
    "finished_job_series",
    "calibration",
    "alert",
    "alert_address",
)
_GRANTED = {
    "upload": "SELECT, INSERT, DELETE, UPDATE (received_bytes, sha256, state, job_id, problem, expires_at)",
    "upload_piece": "SELECT, INSERT, DELETE",
    "upload_reading": "SELECT, INSERT, DELETE",
    "upload_problem": "SELECT, INSERT, DELETE",
    "measurement": "SELECT, INSERT",
    "verdict": "SELECT, INSERT",
    "profile_set": "SELECT, INSERT",
    "finished_job": "SELECT, INSERT, UPDATE (withdrawn_at)",
    "finished_job_series": "SELECT, INSERT, DELETE",
    "calibration": "SELECT, INSERT",
    "alert": "SELECT, INSERT, UPDATE (seen_at, seen_by)",
    "alert_address": "SELECT, INSERT, DELETE",
}
"""Measurements are never edited, nor what was said of them: whoever thinks otherwise adds to it."""

_EXAMPLE = "'00000000-0000-4000-8000-000000000002'"
"""The example team, which `stowage demo` empties and fills again."""
_KEPT = "EXISTS (SELECT FROM upload kept WHERE kept.id = upload_piece.upload_id AND kept.state = 'kept')"
_CLOSED = (
    "CREATE POLICY kept_update ON upload AS RESTRICTIVE FOR UPDATE USING (state <> 'kept') WITH CHECK (true)",
    f"CREATE POLICY kept_delete ON upload AS RESTRICTIVE FOR DELETE USING (state <> 'kept' OR org_id = {_EXAMPLE})",
    f"CREATE POLICY kept_delete ON upload_piece AS RESTRICTIVE FOR DELETE USING (NOT {_KEPT})",
)
"""What of an upload is closed once it is kept: the original stays, byte for byte. Only the example team is emptied."""

_RECORDED = {
    "upload": ("UPDATE OF state", ("id", "name", "state"), "NEW.state = 'kept' AND OLD.state <> NEW.state"),
    "verdict": ("INSERT", ("id", "measurement_id", "verdict", "reason"), "true"),
    "finished_job": ("INSERT OR UPDATE OF withdrawn_at", ("id", "name", "withdrawn_at"), "true"),
    "calibration": ("INSERT", ("id", "framework"), "true"),
    "alert": ("UPDATE OF seen_at", ("id", "metric", "seen_by"), "true"),
    "alert_address": ("INSERT OR DELETE", ("id", "kind"), "true"),
}
"""When something is recorded, and which columns say what it was. Addresses are none of them: some hold a secret."""

_METRICS = (
    "('storage_mb_per_s', 'storage_read_mb_per_s', 'storage_write_mb_per_s', 'storage_read_iops', "
    "'storage_write_iops', 'network_mb_per_s', 'ebs_read_mb_per_s', 'ebs_write_mb_per_s')"
)
_KINDS = "('measured', 'published', 'estimated', 'given')"


def upgrade() -> None:
    """Create the tables and the walls around them; the old table of profiles, which nothing wrote, goes."""
    op.drop_constraint(op.f("ck_job_kind"), "job", type_="check")
    op.create_check_constraint(op.f("ck_job_kind"), "job", "kind IN ('sweep', 'demo', 'refresh', 'upload', 'alert')")
    op.drop_table("profile")
    _create_uploads()
    _create_measurements()
    _create_finished_jobs()
    _create_alerts()
    for table, granted in _GRANTED.items():
        _wall_in(table, granted)
    for policy in _CLOSED:
        op.execute(policy)
    for table, (events, columns, only) in _RECORDED.items():
        said = ", ".join(f"'{column}'" for column in ("org_id", *columns))
        op.execute(
            f"CREATE TRIGGER record AFTER {events} ON {table} FOR EACH ROW "
            f"WHEN (pg_trigger_depth() = 0 AND {only}) EXECUTE FUNCTION record_change({said})"
        )


def _create_uploads() -> None:
    op.create_table(
        "upload",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("name", sa.Text(), nullable=False, comment="of the file, as it was said; never a path of ours"),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("received_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("sha256", sa.LargeBinary(), comment="of the whole file; null until it is there"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Uuid(), comment="that reads it"),
        sa.Column("problem", sa.Text(), comment="why it was refused, in words for people"),
        sa.Column("person", sa.Text(), nullable=False, comment="as they were called then"),
        _made(),
        sa.Column("expires_at", sa.DateTime(timezone=True), comment="null once it is kept"),
        sa.CheckConstraint("(state = 'kept') = (expires_at IS NULL)", name=op.f("ck_upload_expires_at")),
        sa.CheckConstraint("state IN ('arriving', 'reading', 'read', 'refused', 'kept')", name=op.f("ck_upload_state")),
        sa.CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name=op.f("ck_upload_received_bytes")),
        sa.CheckConstraint("size_bytes > 0", name=op.f("ck_upload_size_bytes")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_upload_job"), ondelete="SET NULL"),
        _org("upload"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_upload")),
    )
    op.create_index("ix_upload_expiring", "upload", ["expires_at"], postgresql_where=sa.text("expires_at IS NOT NULL"))
    op.create_index(op.f("ix_upload_job_id"), "upload", ["job_id"])
    op.create_index(op.f("ix_upload_org_id_created_at_id"), "upload", ["org_id", "created_at", "id"])
    op.create_table(
        "upload_piece",
        sa.Column("upload_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="from 0"),
        _org_id(),
        sa.Column(
            "content", sa.LargeBinary(), nullable=False, comment="1 MiB, or what is left: the file byte for byte"
        ),
        sa.CheckConstraint("number >= 0", name=op.f("ck_upload_piece_number")),
        _org("upload_piece"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name=op.f("fk_upload_piece_upload"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("upload_id", "number", name=op.f("pk_upload_piece")),
    )
    op.create_table(
        "upload_reading",
        sa.Column("upload_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="from 0, in the order of the file"),
        _org_id(),
        sa.Column("member", sa.Text(), nullable=False, comment="path in the archive; empty where it is no archive"),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False, comment="SHA-256 of what was measured"),
        sa.Column("content", sa.JSON(), nullable=False, comment="the reading"),
        _org("upload_reading"),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["upload.id"], name=op.f("fk_upload_reading_upload"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("upload_id", "position", name=op.f("pk_upload_reading")),
    )
    op.create_table(
        "upload_problem",
        sa.Column("upload_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="from 0"),
        _org_id(),
        sa.Column("member", sa.Text(), nullable=False, comment="path in the archive; empty where it is no archive"),
        sa.Column("line", sa.Integer(), comment="from 1; null where it is about the whole"),
        sa.Column("message", sa.Text(), nullable=False),
        _org("upload_problem"),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["upload.id"], name=op.f("fk_upload_problem_upload"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("upload_id", "position", name=op.f("pk_upload_problem")),
    )


def _create_measurements() -> None:
    op.create_table(
        "measurement",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("upload_id", sa.Uuid(), nullable=False, comment="the file that it was read from"),
        sa.Column("member", sa.Text(), nullable=False, comment="path in the archive; empty where it is no archive"),
        sa.Column("position", sa.Integer(), nullable=False, comment="in the upload, from 0"),
        sa.Column(
            "fingerprint",
            sa.LargeBinary(),
            nullable=False,
            comment="SHA-256 of what was measured: known, it is not kept",
        ),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("tool_version", sa.Text()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("failure", sa.Text(), comment="why it is not ok; null exactly where it is"),
        sa.Column("name", sa.Text(), nullable=False, comment="of the run, in the file"),
        sa.Column("line", sa.Integer(), nullable=False, comment="where it begins, from 1"),
        sa.Column("measured_at", sa.DateTime(timezone=True), comment="null where the file does not say"),
        sa.Column("duration_s", sa.Double()),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("host", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False, comment="a list: name, value, and what the tool printed"),
        sa.Column("series", sa.JSON(), nullable=False, comment="a list"),
        sa.Column("notes", sa.JSON(), nullable=False, comment="a list"),
        sa.Column("target", sa.JSON(), nullable=False, comment="what was measured"),
        sa.Column("instance", sa.Text(), comment="of the target"),
        sa.Column("region", sa.Text(), comment="of the target"),
        sa.Column("verdict", sa.Text(), nullable=False, comment="ours; people's are in verdict"),
        sa.Column("reasons", sa.JSON(), nullable=False, comment="a list"),
        sa.Column("source", sa.Text(), comment="of what others published; null for the team's own"),
        sa.Column("person", sa.Text(), nullable=False, comment="who kept it, as they were called then"),
        _made(),
        sa.CheckConstraint("(status = 'ok') = (failure IS NULL)", name=op.f("ck_measurement_failure")),
        sa.CheckConstraint("status IN ('ok', 'partial', 'failed')", name=op.f("ck_measurement_status")),
        sa.CheckConstraint("verdict IN ('good', 'doubtful', 'rejected')", name=op.f("ck_measurement_verdict")),
        _org("measurement"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name=op.f("fk_measurement_upload"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_measurement")),
        sa.UniqueConstraint("org_id", "fingerprint", name=op.f("uq_measurement_org_id_fingerprint")),
    )
    op.create_index(op.f("ix_measurement_org_id_created_at_id"), "measurement", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_measurement_upload_id"), "measurement", ["upload_id"])
    op.create_table(
        "verdict",
        sa.Column(
            "id",
            sa.BigInteger(),
            sa.Identity(always=True),
            nullable=False,
            comment="rises in the order of storing: the newest of a measurement counts",
        ),
        _org_id(),
        sa.Column("measurement_id", sa.Uuid(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Uuid(), comment="who may be gone"),
        sa.Column("person_name", sa.Text(), nullable=False, comment="as it was then"),
        _made(),
        sa.CheckConstraint("verdict IN ('good', 'doubtful', 'rejected')", name=op.f("ck_verdict_verdict")),
        sa.ForeignKeyConstraint(
            ["measurement_id"], ["measurement.id"], name=op.f("fk_verdict_measurement"), ondelete="CASCADE"
        ),
        _org("verdict"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
    )
    op.create_index(op.f("ix_verdict_measurement_id"), "verdict", ["measurement_id"])
    op.create_table(
        "profile_set",
        sa.Column(
            "id",
            sa.BigInteger(),
            sa.Identity(always=True),
            nullable=False,
            comment="rises in the order of storing: the newest of a team counts",
        ),
        _org_id(),
        sa.Column("digest", sa.Text(), nullable=False, comment="SHA-256 of the content"),
        sa.Column("cause", sa.Text(), nullable=False, comment="what it was made anew for, in words for people"),
        sa.Column("measurements", sa.Integer(), nullable=False, comment="how many it rests on"),
        _made(),
        sa.Column("content", sa.JSON(), nullable=False, comment="what the team's measurements say together"),
        sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_profile_set_digest")),
        _org("profile_set"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_set")),
    )
    op.create_index(op.f("ix_profile_set_org_id_id"), "profile_set", ["org_id", "id"])


def _create_finished_jobs() -> None:
    op.create_table(
        "finished_job",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column(
            "fingerprint", sa.LargeBinary(), nullable=False, comment="SHA-256 of what was said: known, it is not kept"
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False, comment="sort, mapreduce, ..."),
        sa.Column("framework", sa.Text(), nullable=False),
        sa.Column("instance", sa.Text(), nullable=False),
        sa.Column("nodes", sa.Integer(), nullable=False),
        sa.Column("workload", sa.JSON(), nullable=False, comment="all that was said of it"),
        sa.Column("measured_s", sa.Double(), nullable=False),
        sa.Column("phases", sa.JSON(), nullable=False, comment="name -> seconds; empty where they are not known"),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("upload_id", sa.Uuid(), comment="the file that it was read from"),
        sa.Column("person", sa.Text(), nullable=False, comment="who kept it, as they were called then"),
        _made(),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), comment="it is left out of calibrations since then"),
        sa.CheckConstraint("measured_s > 0 AND measured_s < 'Infinity'", name=op.f("ck_finished_job_measured_s")),
        sa.CheckConstraint("nodes > 0", name=op.f("ck_finished_job_nodes")),
        _org("finished_job"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name=op.f("fk_finished_job_upload")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finished_job")),
        sa.UniqueConstraint("org_id", "fingerprint", name=op.f("uq_finished_job_org_id_fingerprint")),
    )
    op.create_index(op.f("ix_finished_job_org_id_created_at_id"), "finished_job", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_finished_job_upload_id"), "finished_job", ["upload_id"])
    op.create_table(
        "finished_job_series",
        sa.Column("finished_job_id", sa.Uuid(), nullable=False),
        sa.Column("measurement_id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.ForeignKeyConstraint(
            ["finished_job_id"],
            ["finished_job.id"],
            name=op.f("fk_finished_job_series_finished_job"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["measurement_id"], ["measurement.id"], name=op.f("fk_finished_job_series_measurement"), ondelete="CASCADE"
        ),
        _org("finished_job_series"),
        sa.PrimaryKeyConstraint("finished_job_id", "measurement_id", name=op.f("pk_finished_job_series")),
    )
    op.create_index(op.f("ix_finished_job_series_measurement_id"), "finished_job_series", ["measurement_id"])
    op.create_table(
        "calibration",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("framework", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False, comment="SHA-256 of the content"),
        sa.Column("content", sa.JSON(), nullable=False, comment="coefficients, errors, and the runs that they rest on"),
        sa.Column("person", sa.Text(), nullable=False, comment="who asked for it, as they were called then"),
        _made(),
        sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_calibration_digest")),
        _org("calibration"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calibration")),
    )
    op.create_index(op.f("ix_calibration_org_id_created_at_id"), "calibration", ["org_id", "created_at", "id"])


def _create_alerts() -> None:
    op.create_table(
        "alert",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("profile_key", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False, comment="the change"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, comment="when it changed, as far as it is known"),
        _made(),
        sa.Column("seen_at", sa.DateTime(timezone=True)),
        sa.Column("seen_by", sa.Text()),
        _org("alert"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert")),
        sa.UniqueConstraint(
            "org_id", "profile_key", "metric", "at", name=op.f("uq_alert_org_id_profile_key_metric_at")
        ),
    )
    op.create_index(op.f("ix_alert_org_id_created_at_id"), "alert", ["org_id", "created_at", "id"])
    op.create_table(
        "alert_address",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), comment="with which what is sent to a webhook is signed"),
        sa.Column("person", sa.Text(), nullable=False, comment="who added it, as they were called then"),
        _made(),
        sa.CheckConstraint("(kind = 'webhook') = (secret IS NOT NULL)", name=op.f("ck_alert_address_secret")),
        sa.CheckConstraint("kind IN ('mail', 'webhook')", name=op.f("ck_alert_address_kind")),
        _org("alert_address"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_address")),
        sa.UniqueConstraint("org_id", "kind", "address", name=op.f("uq_alert_address_org_id_kind_address")),
    )


def _wall_in(table: str, granted: str) -> None:
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    op.execute(f"GRANT {granted} ON {table} TO {_application_role()}")


def _org_id() -> sa.Column[object]:
    return sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False)


def _org(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f(f"fk_{table}_org"), ondelete="CASCADE")


def _made() -> sa.Column[object]:
    return sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)


def _application_role() -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes["application_role"])


def downgrade() -> None:
    """Drop what was created, with all that teams uploaded; the table of profiles comes back empty."""
    for table in reversed(_TENANTED):
        op.drop_table(table)
    for table in ("job", "job_part"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM job WHERE kind IN ('upload', 'alert')")
    for table in ("job", "job_part"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.drop_constraint(op.f("ck_job_kind"), "job", type_="check")
    op.create_check_constraint(op.f("ck_job_kind"), "job", "kind IN ('sweep', 'demo', 'refresh')")
    op.create_table(
        "profile",
        sa.Column(
            "id", sa.BigInteger(), sa.Identity(always=True), nullable=False, comment="rises in the order of storing"
        ),
        _org_id(),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False, comment="MB/s, of IOPS 1/s"),
        sa.Column("spread", sa.Double(), comment="standard deviation of the logarithm of the rate, node to node"),
        sa.Column("count", sa.Integer()),
        sa.Column("cluster_nodes", sa.Integer()),
        sa.Column("statistic", sa.Text(), nullable=False),
        sa.Column("placement_group", sa.Boolean()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile")),
        _org("profile"),
        sa.CheckConstraint(f"metric IN {_METRICS}", name=op.f("ck_profile_metric")),
        sa.CheckConstraint("statistic IN ('average', 'slowest')", name=op.f("ck_profile_statistic")),
        sa.CheckConstraint(f"kind IN {_KINDS}", name=op.f("ck_profile_kind")),
        sa.CheckConstraint("mean > 0 AND mean < 'Infinity'", name=op.f("ck_profile_mean")),
        sa.CheckConstraint("spread >= 0 AND spread < 'Infinity'", name=op.f("ck_profile_spread")),
        sa.CheckConstraint("count > 0", name=op.f("ck_profile_count")),
        sa.CheckConstraint("cluster_nodes > 0", name=op.f("ck_profile_cluster_nodes")),
    )
    op.create_index(op.f("ix_profile_org_id_target_metric"), "profile", ["org_id", "target", "metric"])
    _wall_in("profile", "SELECT, INSERT, UPDATE, DELETE")
