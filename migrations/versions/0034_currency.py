"""Currencies in which teams also see their sums."""

import sqlalchemy as sa
from alembic import context, op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table. Rows are added and never changed; the audit log names each."""
    op.create_table(
        "currency",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("code", sa.Text(), nullable=False, comment="ISO 4217; USD for US dollars only"),
        sa.Column("usd_rate", sa.Numeric(), nullable=False, comment="units of the currency per US dollar"),
        sa.Column("since", sa.Date(), nullable=False, comment="day from which the rate holds"),
        sa.Column("words", sa.Text(), nullable=False, comment="the rate in words"),
        sa.Column("person", sa.Text(), nullable=False, comment="name of the person who set it, as it was then"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("usd_rate BETWEEN 0.0001 AND 1000000", name=op.f("ck_currency_usd_rate")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_currency_org"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_currency")),
    )
    op.create_index(op.f("ix_currency_org_id_created_at_id"), "currency", ["org_id", "created_at", "id"])
    op.execute("ALTER TABLE currency ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE currency FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON currency USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    role = op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
    op.execute(f"GRANT SELECT, INSERT ON currency TO {role}")
    op.execute(
        "CREATE TRIGGER record AFTER INSERT ON currency FOR EACH ROW WHEN (pg_trigger_depth() = 0) "
        "EXECUTE FUNCTION record_change('org_id', 'id', 'words')"
    )


def downgrade() -> None:
    """Drop the table: sums are then shown in US dollars only."""
    op.drop_table("currency")
