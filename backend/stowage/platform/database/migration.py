"""Migration of the tables to the schema version of this code."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, NullPool, create_engine, text

import stowage
from stowage.platform.database.database import Database, connect
from stowage.platform.database.errors import UnfitRole
from stowage.platform.database.keyring import Keyring
from stowage.platform.database.urls import postgres_url

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 0x73746F77616765
"""``stowage`` in ASCII: the advisory lock that all migrations take."""


def migrate(owner_url: str, application_role: str, gate_role: str, keyring: Keyring | None = None) -> None:
    """Migrate the tables to the newest version, in one transaction.

    Safe to call from several processes at once: one migrates, the others wait and find nothing to do.

    Parameters
    ----------
    owner_url : str
        Connects as the role that owns the tables.
    application_role : str
        The role of the application; it is granted the permissions that it needs, and no more.
    gate_role : str
        The auth role, which authenticates callers; also granted only the permissions that it needs, and none of the
        application's.
    keyring : Keyring or None
        Encrypts stored secrets.

    Raises
    ------
    NoKey
        The database has secrets to encrypt, and no key was given.
    Unreachable
        The database does not answer.
    UnfitRole
        A role does not exist, row-level security would not restrict it, or the two roles are not separate.
    """
    with _locked(owner_url, application_role, gate_role) as connection:
        if _is_newest(connection):
            return
        # Imported here: most starts have nothing to migrate.
        from alembic import command  # noqa: PLC0415 - see above

        command.upgrade(_alembic(connection, application_role, gate_role, keyring), "head")


def unmigrate(
    owner_url: str, application_role: str, gate_role: str, revision: str = "base", keyring: Keyring | None = None
) -> None:
    """Migrate the tables down to an earlier version.

    Data that the earlier version cannot store are lost.

    Parameters
    ----------
    owner_url, application_role, gate_role : str
        As in `migrate`.
    revision : str
        The earlier version; ``base`` drops everything.
    keyring : Keyring or None
        Decrypts stored secrets.
    """
    from alembic import command  # noqa: PLC0415 - as in `migrate`

    with _locked(owner_url, application_role, gate_role) as connection:
        command.downgrade(_alembic(connection, application_role, gate_role, keyring), revision)


def is_migrated(database: Database) -> bool:
    """Check whether the tables have the schema version of this code.

    The application's role may call it.

    Raises
    ------
    Unreachable
        The database does not answer.
    """
    with database.transaction(None) as connection:
        return _is_newest(connection)


def migrations_folder() -> Path:
    """Return the folder of the migrations, inside an installed package or at the top of a checkout."""
    package = Path(stowage.__file__).parent
    inside = package / "migrations"
    return inside if inside.is_dir() else package.parents[1] / "migrations"


def _is_newest(connection: Connection) -> bool:
    if connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return False
    return connection.scalars(text("SELECT version_num FROM alembic_version")).all() == [newest()]


@cache
def newest() -> str:
    """Return the newest revision, which is the number at the start of the last migration's file name."""
    return max(path.name for path in (migrations_folder() / "versions").glob("[0-9]*.py")).partition("_")[0]


@contextmanager
def _locked(owner_url: str, application_role: str, gate_role: str) -> Iterator[Connection]:
    engine = create_engine(postgres_url(owner_url), poolclass=NullPool, connect_args={"connect_timeout": 10})
    with connect(engine) as connection, connection.begin():
        # Alembic reads and writes within this transaction, which holds the lock until it ends.
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        _refuse_unfit(connection, "application", application_role)
        _refuse_unfit(connection, "gate", gate_role)
        _refuse_one_for_both(connection, application_role, gate_role)
        yield connection


def _alembic(connection: Connection, application_role: str, gate_role: str, keyring: Keyring | None) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - as in `migrate`

    config = Config()
    # Alembic interprets % as the start of a reference.
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["application_role"] = application_role
    config.attributes["gate_role"] = gate_role
    config.attributes["keyring"] = keyring
    return config


def _refuse_unfit(connection: Connection, what_for: str, role: str) -> None:
    """Raise `UnfitRole` if a role does not exist or can bypass row-level security.

    Row-level security separates the tenants.
    """
    row = connection.execute(
        text(
            "SELECT rolsuper, rolbypassrls, pg_has_role(oid, current_user, 'MEMBER') AS owns "
            "FROM pg_roles WHERE rolname = :role"
        ),
        {"role": role},
    ).one_or_none()
    if row is None:
        problem = "does not exist"
    elif row.rolsuper:
        problem = "is a superuser"
    elif row.rolbypassrls:
        problem = "bypasses row-level security"
    elif row.owns:
        problem = "is, or can become, the owner of the tables"
    else:
        return
    raise UnfitRole(
        f"{what_for} role {role!r} {problem}: it must be a role of its own, "
        "NOSUPERUSER NOBYPASSRLS and no member of the role that migrates"
    )


def _refuse_one_for_both(connection: Connection, application_role: str, gate_role: str) -> None:
    """Raise `UnfitRole` if one role has the permissions of both the application and the auth role."""
    joined = connection.scalar(
        text("SELECT pg_has_role(:application, :gate, 'MEMBER') OR pg_has_role(:gate, :application, 'MEMBER')"),
        {"application": application_role, "gate": gate_role},
    )
    if joined:
        raise UnfitRole(
            f"gate role {gate_role!r} and application role {application_role!r} are one, or one is a member of the "
            "other: they must be roles apart"
        )
