"""Claims, messages and leases dated in the future no longer hold work: a clock that was ahead wrote them."""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_OWED = """
CREATE OR REPLACE FUNCTION owed_parts(
    resend_after_s double precision, silent_after_s double precision, most integer
)
RETURNS TABLE (org_id uuid, job_id uuid, kind text, number integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT part.org_id, part.job_id, job.kind, part.number
    FROM job_part AS part JOIN job ON job.id = part.job_id
    WHERE job.state IN ('queued', 'running')
      AND (part.state = 'queued' AND (part.sent_at IS NULL OR {unanswered})
        OR part.state = 'running' AND {silent} AND (part.sent_at IS NULL OR {lost}))
    ORDER BY part.sent_at NULLS FIRST, part.job_id, part.number
    LIMIT most
$$
"""

_DUE = """
CREATE OR REPLACE FUNCTION due_runs(most integer)
RETURNS TABLE (org_id uuid, run_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT run.org_id, run.id
    FROM run
    WHERE run.next_look_at <= now() AND (run.lease_until IS NULL OR {expired})
    ORDER BY run.next_look_at
    LIMIT most
$$
"""


def upgrade() -> None:
    """Compare both ways. No lease of a run is as long as a minute (`features/benchmarks/store/runs.py`)."""
    silence = "make_interval(secs => silent_after_s)"
    op.execute(
        _OWED.format(
            unanswered="part.sent_at NOT BETWEEN now() - make_interval(secs => resend_after_s) AND now()",
            silent=f"part.heartbeat_at NOT BETWEEN now() - {silence} AND now() + {silence}",
            lost=f"part.sent_at NOT BETWEEN now() - {silence} AND now()",
        )
    )
    op.execute(_DUE.format(expired="run.lease_until NOT BETWEEN now() AND now() + interval '1 minute'"))


def downgrade() -> None:
    """Compare with the past only."""
    silence = "make_interval(secs => silent_after_s)"
    op.execute(
        _OWED.format(
            unanswered="part.sent_at < now() - make_interval(secs => resend_after_s)",
            silent=f"part.heartbeat_at < now() - {silence}",
            lost=f"part.sent_at < now() - {silence}",
        )
    )
    op.execute(_DUE.format(expired="run.lease_until <= now()"))
