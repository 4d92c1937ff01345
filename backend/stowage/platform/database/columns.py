"""Building blocks of tables: naming convention, common columns, and column types."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, get_args

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

from stowage.platform.database.errors import NoKey

if TYPE_CHECKING:
    from stowage.platform.database.keyring import Keyring

Moment = sa.DateTime(timezone=True)
"""Type of a point in time."""
THIS_TEAM = sa.text("NULLIF(current_setting('stowage.org_id', true), '')::uuid")
"""The organisation of the current transaction."""

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


class ExactFloat(sa.TypeDecorator[float]):
    """Column type for a float that is stored as NUMERIC and read back bit for bit.

    The shortest decimal that identifies the float is stored: 0.1 as 0.1. PostgreSQL by itself rounds a float to 15
    digits when it converts it to NUMERIC.
    """

    impl = sa.Numeric
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: sa.Dialect) -> Decimal | None:  # noqa: ARG002 - SQLAlchemy's
        """Convert a float to its shortest decimal."""
        return None if value is None else Decimal(repr(float(value)))

    def process_result_value(self, value: Decimal | None, dialect: sa.Dialect) -> float | None:  # noqa: ARG002 - likewise
        """Convert a decimal to the float that it identifies."""
        return None if value is None else float(value)


class Sealed(sa.TypeDecorator[bytes]):
    """Column type for a secret that the service must be able to decrypt, with the keys of the `Database`.

    Raises
    ------
    NoKey
        The database was opened without keys.
    WrongKey
        The secret was encrypted with an unknown key.
    """

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: sa.Dialect) -> bytes | None:
        """Encrypt a value to store."""
        return None if value is None else keyring_of(dialect).seal(value)

    def process_result_value(self, value: bytes | None, dialect: sa.Dialect) -> bytes | None:
        """Decrypt a stored value."""
        return None if value is None else keyring_of(dialect).open(value)


def keyring_of(dialect: sa.Dialect) -> "Keyring":
    """Return the keys with which a database was opened.

    `Database` stores them in its engine's dialect.

    Raises
    ------
    NoKey
        The database was opened without keys.
    """
    keyring: Keyring | None = getattr(dialect, "keyring", None)
    if keyring is None:
        raise NoKey(
            "STOWAGE_SECRETS_KEY is not set: secrets of webhooks, runs and second factors, and refresh tokens of the "
            "OpenID provider, are encrypted with it"
        )
    return keyring


def team_table(name: str, *columns: SchemaItem) -> sa.Table:
    """Build a table whose rows belong to teams.

    Each row has an id. An index serves the lists of a team's rows by time of creation.
    """
    own = sa.Column("id", sa.Uuid, primary_key=True), tenant()
    return sa.Table(name, metadata, *own, *columns, sa.Index(None, "org_id", "created_at", "id"))


def belongs_to(table: str, *, primary_key: bool = False) -> sa.Column[Any]:
    """Return the column that refers to a row of another table.

    If that row is deleted, the referring row is deleted too.
    """
    parent = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(f"{table}_id", sa.Uuid, parent, primary_key=primary_key, nullable=False)


def one_of(column: str, choices: object) -> sa.CheckConstraint:
    """Build a constraint that restricts a column to the values of a `Literal` type."""
    listed = ", ".join(f"'{choice}'" for choice in get_args(choices))
    return sa.CheckConstraint(f"{column} IN ({listed})", name=column)


def tenant(*, primary_key: bool = False) -> sa.Column[Any]:
    """Return the column of the organisation that owns a row.

    Deleting the organisation deletes the row. The default is the organisation of the transaction.
    """
    return sa.Column(
        "org_id",
        sa.Uuid,
        sa.ForeignKey("org.org_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
        server_default=THIS_TEAM,
    )


def numbered(comment: str | None = None) -> sa.Column[Any]:
    """Return the identity column of a table, which numbers rows in the order of insertion."""
    return sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True, comment=comment)


def made(name: str = "created_at", comment: str | None = None) -> sa.Column[Any]:
    """Return the column of a time that the database sets when a row is stored, by default the row's creation time."""
    return sa.Column(name, Moment, nullable=False, server_default=sa.func.now(), comment=comment)


def expires() -> sa.Column[Any]:
    """Return the column of a row's expiry time."""
    return sa.Column("expires_at", Moment, nullable=False)


def secret_hash(*, primary_key: bool = False) -> sa.Column[Any]:
    """Return the column of a secret's SHA-256 hash."""
    return sa.Column(
        "secret_hash",
        sa.LargeBinary,
        primary_key=primary_key,
        nullable=False,
        unique=None if primary_key else True,
        comment="SHA-256",
    )
