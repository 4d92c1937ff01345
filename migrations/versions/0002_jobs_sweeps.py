"""Jobs in parts, sweeps and their cells; plans that can be told apart, removed and brought back."""

import sqlalchemy as sa
from alembic import context, op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_TENANTED = ("job", "job_part", "sweep", "sweep_cell")

_OWED = """
CREATE FUNCTION owed_parts(resend_after_s double precision, silent_after_s double precision, most integer)
RETURNS TABLE (org_id uuid, job_id uuid, kind text, number integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
    SELECT part.org_id, part.job_id, job.kind, part.number
    FROM job_part AS part JOIN job ON job.id = part.job_id
    WHERE job.state IN ('queued', 'running')
      AND (part.state = 'queued'
           AND (part.sent_at IS NULL OR part.sent_at < now() - make_interval(secs => resend_after_s))
        OR part.state = 'running'
           AND part.heartbeat_at < now() - make_interval(secs => silent_after_s)
           AND (part.sent_at IS NULL OR part.sent_at < now() - make_interval(secs => silent_after_s)))
    ORDER BY part.sent_at NULLS FIRST, part.job_id, part.number
    LIMIT most
$$
"""


def upgrade() -> None:
    """Create the tables, the one look across tenants that a periodic task needs, and the rights to them."""
    _create_job()
    _create_sweep()
    _extend_plan()
    for table in _TENANTED:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    role = _application_role()
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(_TENANTED)} TO {role}")
    # The application sees across tenants through this function only, and nothing but which part is owed.
    for table in ("job", "job_part"):
        op.execute(f"CREATE POLICY periodic ON {table} FOR SELECT TO CURRENT_USER USING (true)")
    op.execute(_OWED)
    op.execute("REVOKE ALL ON FUNCTION owed_parts(double precision, double precision, integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION owed_parts(double precision, double precision, integer) TO {role}")


def _create_job() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False, comment="what it works on: for a sweep, the sweep"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False, comment="units of work"),
        sa.Column("done", sa.Integer(), nullable=False, comment="units whose result is stored"),
        sa.Column("reason", sa.Text(), comment="why it failed, in words for people"),
        sa.Column("reference", sa.Text(), comment="found again in the log"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_job_org")),
        sa.CheckConstraint("kind IN ('sweep', 'demo')", name=op.f("ck_job_kind")),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name=op.f("ck_job_state")),
        sa.CheckConstraint("total > 0", name=op.f("ck_job_total")),
        sa.CheckConstraint("done BETWEEN 0 AND total", name=op.f("ck_job_done")),
    )
    op.create_index(op.f("ix_job_org_id_created_at_id"), "job", ["org_id", "created_at", "id"])
    op.create_table(
        "job_part",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="from 0"),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False, comment="how often it was taken up; the holder's token"),
        sa.Column(
            "takeovers", sa.Integer(), server_default="0", nullable=False, comment="how often a holder fell silent"
        ),
        sa.Column("sent_at", sa.DateTime(timezone=True)),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("job_id", "number", name=op.f("pk_job_part")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_part_job"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_job_part_org")),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name=op.f("ck_job_part_state")),
    )
    op.create_index(
        "ix_job_part_unfinished", "job_part", ["sent_at"], postgresql_where=sa.text("state IN ('queued', 'running')")
    )


def _create_sweep() -> None:
    op.create_table(
        "sweep",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("catalogue_version", sa.Text(), nullable=False),
        sa.Column("profiles_digest", sa.Text(), nullable=False),
        sa.Column("model_version", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sweep")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_sweep_org")),
        # Deferred: the sweep is stored first, since only its id tells whether it was stored before.
        sa.ForeignKeyConstraint(
            ["job_id"], ["job.id"], name=op.f("fk_sweep_job"), deferrable=True, initially="DEFERRED"
        ),
        sa.ForeignKeyConstraint(["catalogue_version"], ["catalogue.version"], name=op.f("fk_sweep_catalogue")),
    )
    op.create_index(op.f("ix_sweep_org_id_created_at_id"), "sweep", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_sweep_catalogue_version"), "sweep", ["catalogue_version"])
    op.create_index(op.f("ix_sweep_job_id"), "sweep", ["job_id"])
    op.create_table(
        "sweep_cell",
        sa.Column("sweep_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="row by row, from 0"),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("sweep_id", "position", name=op.f("pk_sweep_cell")),
        sa.ForeignKeyConstraint(["sweep_id"], ["sweep.id"], name=op.f("fk_sweep_cell_sweep"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_sweep_cell_org")),
    )


def _extend_plan() -> None:
    op.add_column("plan", sa.Column("best_instance", sa.Text()))
    op.add_column("plan", sa.Column("best_nodes", sa.Integer()))
    op.add_column("plan", sa.Column("deleted_at", sa.DateTime(timezone=True)))
    # The owner migrates without being anybody's tenant: row-level security would hide every plan from it.
    op.execute("ALTER TABLE plan NO FORCE ROW LEVEL SECURITY")
    op.execute(
        "UPDATE plan SET best_instance = answer #>> '{configurations,0,instance}', "
        "best_nodes = (answer #>> '{configurations,0,nodes}')::integer"
    )
    op.execute("ALTER TABLE plan FORCE ROW LEVEL SECURITY")


def _application_role() -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes["application_role"])


def downgrade() -> None:
    """Drop what was created; plans that were removed are gone."""
    op.execute("DROP FUNCTION owed_parts(double precision, double precision, integer)")
    for table in ("sweep_cell", "sweep", "job_part", "job"):
        op.drop_table(table)
    op.execute("ALTER TABLE plan NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM plan WHERE deleted_at IS NOT NULL")
    op.execute("ALTER TABLE plan FORCE ROW LEVEL SECURITY")
    for column in ("best_instance", "best_nodes", "deleted_at"):
        op.drop_column("plan", column)
