"""Calibrations of an earlier version of the physics are found across teams, so that they can be fitted again."""

import sqlalchemy as sa
from alembic import context, op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

# The newest calibration of each framework counts: predictions take it. Each team has its turn.
_OUTDATED = """
CREATE FUNCTION outdated_calibrations(current_physics text, most integer)
RETURNS TABLE (org_id uuid, framework text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT outdated.org_id, outdated.framework
    FROM (
        SELECT newest.org_id, newest.framework,
               row_number() OVER (PARTITION BY newest.org_id ORDER BY newest.framework) AS turn
        FROM (
            SELECT DISTINCT ON (fitted.org_id, fitted.framework)
                   fitted.org_id, fitted.framework, fitted.not_refitted,
                   fitted.content #>> '{calibration,physics}' AS physics
            FROM calibration AS fitted
            ORDER BY fitted.org_id, fitted.framework, fitted.created_at DESC, fitted.id DESC
        ) AS newest
        WHERE newest.physics IS DISTINCT FROM current_physics AND newest.not_refitted IS NULL
    ) AS outdated
    ORDER BY outdated.turn, outdated.org_id
    LIMIT most
$$
"""


def upgrade() -> None:
    """Add why a calibration was not fitted again, and the one look across teams."""
    op.add_column(
        "calibration",
        sa.Column("not_refitted", sa.Text(), comment="why it could not be fitted again with newer physics"),
    )
    op.execute(f"GRANT UPDATE (not_refitted) ON calibration TO {_role('application_role')}")
    op.execute("CREATE POLICY periodic ON calibration FOR SELECT TO CURRENT_USER USING (true)")
    op.execute(_OUTDATED)
    op.execute("REVOKE ALL ON FUNCTION outdated_calibrations(text, integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION outdated_calibrations(text, integer) TO {_role('gate_role')}")


def downgrade() -> None:
    """Remove them; calibrations stay."""
    op.execute("DROP FUNCTION outdated_calibrations(text, integer)")
    op.execute("DROP POLICY periodic ON calibration")
    op.execute(f"REVOKE UPDATE (not_refitted) ON calibration FROM {_role('application_role')}")
    op.drop_column("calibration", "not_refitted")


def _role(attribute: str) -> str:
    return str(op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[attribute]))
