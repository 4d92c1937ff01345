"""Passkeys: public keys of authenticators that serve as second factors."""

import sqlalchemy as sa
from alembic import context, op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, which only the auth role accesses."""
    op.create_table(
        "passkey",
        sa.Column("passkey_id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False, comment="RP ID: browsers offer it only at this domain"),
        sa.Column(
            "credential_id",
            sa.LargeBinary(),
            nullable=False,
            comment="how the authenticator finds its private key",
        ),
        sa.Column("public_key", sa.LargeBinary(), nullable=False, comment="COSE key (RFC 9052)"),
        sa.Column(
            "sign_count",
            sa.BigInteger(),
            nullable=False,
            comment="counter of the authenticator at its last use; 0 for those that do not count",
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("used_at", sa.DateTime(timezone=True), comment="null: not used yet"),
        sa.PrimaryKeyConstraint("passkey_id", name=op.f("pk_passkey")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.person_id"], name=op.f("fk_passkey_person"), ondelete="CASCADE"
        ),
        sa.UniqueConstraint("credential_id", name=op.f("uq_passkey_credential_id")),
    )
    op.create_index(op.f("ix_passkey_person_id"), "passkey", ["person_id"])
    gate = op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["gate_role"])
    op.execute("ALTER TABLE passkey ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE passkey FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY gate ON passkey TO {gate} USING (true) WITH CHECK (true)")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON passkey TO {gate}")
    _links("'sign-in', 'reset', 'oidc', 'verify', 'second-factor', 'passkey'")


def downgrade() -> None:
    """Drop the table: accounts whose only second factor is a passkey then sign in without one."""
    op.execute("DELETE FROM one_time_link WHERE kind = 'passkey'")
    _links("'sign-in', 'reset', 'oidc', 'verify', 'second-factor'")
    op.drop_table("passkey")


def _links(kinds: str) -> None:
    op.drop_constraint(op.f("ck_one_time_link_kind"), "one_time_link", type_="check")
    op.create_check_constraint("kind", "one_time_link", f"kind IN ({kinds})")
