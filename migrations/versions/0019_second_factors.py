"""Second factors: secrets of authenticator apps, recovery codes, and reauthentications that still lack the factor."""

from datetime import datetime

import sqlalchemy as sa
from alembic import context, op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_TABLES = ("second_factor", "recovery_code")


def upgrade() -> None:
    """Create the tables, which only the auth role accesses; the owner may re-encrypt the secrets."""
    op.create_table(
        "second_factor",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column(
            "secret",
            sa.LargeBinary(),
            nullable=False,
            comment="secret from which the codes are computed (RFC 6238); encrypted",
        ),
        _made(),
        sa.Column(
            "confirmed_at",
            sa.DateTime(timezone=True),
            comment="when a code confirmed it; null: not required yet",
        ),
        sa.Column(
            "last_step",
            sa.BigInteger(),
            nullable=False,
            server_default="0",
            comment="time step of the last accepted code [30 s since 1970]; codes up to this step are refused",
        ),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_second_factor")),
        _person("second_factor"),
    )
    op.create_table(
        "recovery_code",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False, comment="SHA-256 of the code, which is random"),
        _made(),
        sa.PrimaryKeyConstraint("person_id", "hash", name=op.f("pk_recovery_code")),
        _person("recovery_code"),
    )
    gate = _role("gate_role")
    for table in _TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY gate ON {table} TO {gate} USING (true) WITH CHECK (true)")
        op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {gate}")
    op.execute("CREATE POLICY reseal ON second_factor TO CURRENT_USER USING (true) WITH CHECK (true)")
    op.add_column(
        "session",
        sa.Column(
            "identified_at",
            sa.DateTime(timezone=True),
            comment="when its person signed in at the provider to reauthenticate, still without the second factor",
        ),
    )
    _links("'sign-in', 'reset', 'oidc', 'verify', 'second-factor'")


def downgrade() -> None:
    """Drop the tables: every account then signs in without a second factor."""
    op.execute("DELETE FROM one_time_link WHERE kind = 'second-factor'")
    _links("'sign-in', 'reset', 'oidc', 'verify'")
    op.drop_column("session", "identified_at")
    for table in _TABLES:
        op.drop_table(table)


def _links(kinds: str) -> None:
    op.drop_constraint(op.f("ck_one_time_link_kind"), "one_time_link", type_="check")
    op.create_check_constraint("kind", "one_time_link", f"kind IN ({kinds})")


def _made() -> sa.Column[datetime]:
    return sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _person(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["person_id"], ["person.person_id"], name=op.f(f"fk_{table}_person"), ondelete="CASCADE"
    )


def _role(name: str) -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[name])
