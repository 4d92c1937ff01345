"""Signing secrets of webhooks and keys of runs, encrypted."""

from typing import Literal

import sqlalchemy as sa
from alembic import context, op

from stowage.platform.database.errors import NoKey

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_SECRETS = (("run", "key"), ("alert_address", "secret"))


def upgrade() -> None:
    """Encrypt stored secrets, and let the owner read them across teams to rotate the key."""
    op.drop_constraint(op.f("ck_run_key"), "run", type_="check")
    _each("seal")
    op.create_check_constraint(op.f("ck_run_key"), "run", "octet_length(key) >= 100")
    op.alter_column("run", "key", comment="one-time, of which the keys of its nodes are made; encrypted")
    op.alter_column("alert_address", "secret", comment="with which what is sent to a webhook is signed; encrypted")
    op.execute("CREATE POLICY periodic ON alert_address FOR SELECT TO CURRENT_USER USING (true)")


def _each(change: Literal["seal", "open"]) -> None:
    connection, keyring = op.get_bind(), context.config.attributes.get("keyring")
    for table, column in _SECRETS:
        # The policies bind the owner too, and this transaction has no team.
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        stored = sa.table(table, sa.column("id"), sa.column(column))
        value = stored.c[column]
        rows = connection.execute(sa.select(stored.c.id, value).where(value.is_not(None))).all()
        if rows and keyring is None:
            raise NoKey(
                "STOWAGE_SECRETS_KEY is not set: this version encrypts the stored secrets of webhooks and keys of runs "
                "(docs/guides/server.md, Secrets at rest)"
            )
        for row_id, secret in rows:
            changed = {column: getattr(keyring, change)(bytes(secret))}
            connection.execute(sa.update(stored).where(stored.c.id == row_id).values(changed))
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    """Decrypt stored secrets."""
    op.execute("DROP POLICY periodic ON alert_address")
    op.drop_constraint(op.f("ck_run_key"), "run", type_="check")
    _each("open")
    op.create_check_constraint(op.f("ck_run_key"), "run", "octet_length(key) = 32")
    op.alter_column("run", "key", comment="one-time, of which the keys of its nodes are made; secret")
    op.alter_column("alert_address", "secret", comment="with which what is sent to a webhook is signed")
