"""Building blocks of tables: naming convention, common columns, and column types."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, get_args

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    MetaData,
    Numeric,
    Table,
    TypeDecorator,
    Uuid,
    func,
    text,
)
from sqlalchemy.schema import SchemaItem

from stowage.platform.database.errors import NoKey

if TYPE_CHECKING:
    from stowage.platform.database.keyring import Keyring

Moment = DateTime(timezone=True)
"""Type of a point in time."""
THIS_TEAM = text("NULLIF(current_setting('stowage.org_id', true), '')::uuid")
"""The organisation of the current transaction."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


class ExactFloat(TypeDecorator[float]):
    """Column type for a float that is stored as NUMERIC and read back bit for bit.

    The shortest decimal that identifies the float is stored: 0.1 as 0.1. PostgreSQL by itself rounds a float to 15
    digits when it converts it to NUMERIC.
    """

    impl = Numeric
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: Dialect) -> Decimal | None:  # noqa: ARG002 - SQLAlchemy's
        """Convert a float to its shortest decimal."""
        return None if value is None else Decimal(repr(float(value)))

    def process_result_value(self, value: Decimal | None, dialect: Dialect) -> float | None:  # noqa: ARG002 - likewise
        """Convert a decimal to the float that it identifies."""
        return None if value is None else float(value)


class Sealed(TypeDecorator[bytes]):
    """Column type for a secret that the service must be able to decrypt, with the keys of the `Database`.

    Raises
    ------
    NoKey
        The database was opened without keys.
    WrongKey
        The secret was encrypted with an unknown key.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """Encrypt a value to store."""
        return None if value is None else keyring_of(dialect).seal(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """Decrypt a stored value."""
        return None if value is None else keyring_of(dialect).open(value)


def keyring_of(dialect: Dialect) -> "Keyring":
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


def team_table(name: str, *columns: SchemaItem) -> Table:
    """Build a table whose rows belong to teams.

    Each row has an id. An index serves the lists of a team's rows by time of creation.
    """
    own = Column("id", Uuid, primary_key=True), tenant()
    return Table(name, metadata, *own, *columns, Index(None, "org_id", "created_at", "id"))


def belongs_to(table: str, *, primary_key: bool = False) -> Column[Any]:
    """Return the column that refers to a row of another table.

    If that row is deleted, the referring row is deleted too.
    """
    parent = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return Column(f"{table}_id", Uuid, parent, primary_key=primary_key, nullable=False)


def one_of(column: str, choices: object) -> CheckConstraint:
    """Build a constraint that restricts a column to the values of a `Literal` type."""
    listed = ", ".join(f"'{choice}'" for choice in get_args(choices))
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def tenant(*, primary_key: bool = False) -> Column[Any]:
    """Return the column of the organisation that owns a row.

    Deleting the organisation deletes the row. The default is the organisation of the transaction.
    """
    return Column(
        "org_id",
        Uuid,
        ForeignKey("org.org_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
        server_default=THIS_TEAM,
    )


def numbered(comment: str | None = None) -> Column[Any]:
    """Return the identity column of a table, which numbers rows in the order of insertion."""
    return Column("id", BigInteger, Identity(always=True), primary_key=True, comment=comment)


def made(name: str = "created_at", comment: str | None = None) -> Column[Any]:
    """Return the column of a time that the database sets when a row is stored, by default the row's creation time."""
    return Column(name, Moment, nullable=False, server_default=func.now(), comment=comment)


def expires() -> Column[Any]:
    """Return the column of a row's expiry time."""
    return Column("expires_at", Moment, nullable=False)


def secret_hash(*, primary_key: bool = False) -> Column[Any]:
    """Return the column of a secret's SHA-256 hash."""
    return Column(
        "secret_hash",
        LargeBinary,
        primary_key=primary_key,
        nullable=False,
        unique=None if primary_key else True,
        comment="SHA-256",
    )
