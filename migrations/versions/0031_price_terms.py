"""Price terms of teams."""

import sqlalchemy as sa
from alembic import context, op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table. Rows are added and never changed; the audit log names each."""
    op.create_table(
        "price_terms",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("percents", sa.JSON(), nullable=False, comment="discounts in percent, by service"),
        sa.Column("words", sa.Text(), nullable=False, comment="the discounts in a few words"),
        sa.Column(
            "digest", sa.Text(), nullable=False, comment="SHA-256 of discounts and day; empty without a discount"
        ),
        sa.Column("person", sa.Text(), nullable=False, comment="name of the person who set them, as it was then"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_price_terms_org"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price_terms")),
    )
    op.create_index(op.f("ix_price_terms_org_id_created_at_id"), "price_terms", ["org_id", "created_at", "id"])
    op.execute("ALTER TABLE price_terms ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE price_terms FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON price_terms USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    role = op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
    op.execute(f"GRANT SELECT, INSERT ON price_terms TO {role}")
    op.execute(
        "CREATE TRIGGER record AFTER INSERT ON price_terms FOR EACH ROW WHEN (pg_trigger_depth() = 0) "
        "EXECUTE FUNCTION record_change('org_id', 'id', 'words')"
    )


def downgrade() -> None:
    """Drop the table: answers then use published prices."""
    op.drop_table("price_terms")
