"""Notifications that a person has read in a team, and kinds that the person wants by mail."""

import sqlalchemy as sa
from alembic import context, op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_DUE = """
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


def upgrade() -> None:
    """Create the table, and the function that lists the inboxes that are due for a mail."""
    op.create_table(
        "inbox",
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("read_until", sa.DateTime(timezone=True), comment="up to which everything counts as read"),
        sa.Column("read_ids", sa.JSON(), nullable=False, comment="ids of later notifications that are read"),
        sa.Column("mailed_kinds", sa.JSON(), nullable=False, comment="kinds of notifications that are mailed"),
        sa.Column(
            "mailed_until",
            sa.DateTime(timezone=True),
            comment="up to which notifications were mailed; null where none are mailed",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_inbox_org"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["person.person_id"], name=op.f("fk_inbox_person"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "person_id", name=op.f("pk_inbox")),
    )
    op.execute("ALTER TABLE inbox ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE inbox FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON inbox USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    # The owner is bound by the policies too, and the function works for no team.
    op.execute("CREATE POLICY periodic ON inbox FOR SELECT TO CURRENT_USER USING (true)")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON inbox TO {_role('application_role')}")
    op.execute(_DUE)
    op.execute("REVOKE ALL ON FUNCTION due_inboxes(integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION due_inboxes(integer) TO {_role('gate_role')}")


def downgrade() -> None:
    """Drop the function and the table; everything counts as unread again."""
    op.execute("DROP FUNCTION due_inboxes(integer)")
    op.drop_table("inbox")


def _role(attribute: str) -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[attribute])
