"""The embedded PostgreSQL of one machine, used unless `DATABASE_URL` names a server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import URL

from stowage.frozen import frozen
from stowage.platform.database.errors import ServerFailed
from stowage.platform.database.postmaster import PORT, Login, Postmaster, start_postmaster
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor

DATABASE = "stowage"
OWNER_ROLE = "stowage_owner"
APPLICATION_ROLE = "stowage_app"
GATE_ROLE = "stowage_gate"

ROLES = (OWNER_ROLE, APPLICATION_ROLE, GATE_ROLE)
"""Database roles, in the order of the fields of `DatabaseUrls`."""


@frozen
class DatabaseUrls:
    """Database URLs for SQLAlchemy, one for each of the three roles."""

    owner: str
    """Of the role that owns the tables. It migrates them, and loads catalogs."""
    application: str
    """Of the role of the application. It owns nothing, and its transactions belong to one team."""
    gate: str
    """Of the auth role. It owns nothing, and authenticates callers before their team is known."""


@frozen
class EmbeddedPostgres:
    """A PostgreSQL server that this process started, possibly not ready yet."""

    server: Postmaster

    def urls(self) -> DatabaseUrls:
        """Wait until the server is ready, and return the database URL of each role.

        The roles and the database are created or altered as needed.

        Raises
        ------
        ServerFailed, ChildFailed
            The folder cannot be used, or the server does not start; the message has the server's output.
        """
        self.server.child.await_ready()
        _provide(self.server)
        return DatabaseUrls(*(_url(self.server, role) for role in ROLES))


def start_postgres(supervisor: Supervisor, folder: Path) -> EmbeddedPostgres:
    """Start PostgreSQL on the data in a state folder, without waiting for it.

    Only the user of this process can connect, through a Unix socket with peer authentication. After a kill -9 of this
    process the server continues to run; the next start stops it and takes over its data. If this process runs as root,
    the server runs as another user: `stowage.platform.database.within_reach` places its programs and data.

    Parameters
    ----------
    supervisor : Supervisor
        Restarts the server if it is killed, and stops it.
    folder : Path
        State folder, as yielded by `processes.state.sole_use`. Its content is persistent.

    Raises
    ------
    ServerFailed
        PostgreSQL is not installed, or there is no user that it could run as.
    """
    logins = [Login(role, DATABASE) for role in ROLES]
    return EmbeddedPostgres(start_postmaster(supervisor, folder, logins))


@contextmanager
def embedded_postgres(folder: Path) -> Iterator[DatabaseUrls]:
    """Run PostgreSQL on a state folder until the block ends.

    The folder is locked meanwhile, and the rest of Stowage does not run. A signal ends the block only if its handler
    raises an exception. Python's default handler does so for SIGINT, but not for SIGTERM.

    Parameters
    ----------
    folder : Path
        Created if missing.

    Yields
    ------
    DatabaseUrls
        The roles and the database exist; `stowage.platform.database.migration` creates the tables.

    Raises
    ------
    StateInUse, StateUnusable, ServerFailed, ChildFailed
        As in `sole_use`, `start_postgres` and `EmbeddedPostgres.urls`.
    """
    with sole_use(folder) as held, Supervisor() as supervisor:
        yield start_postgres(supervisor, held).urls()


def _provide(server: Postmaster) -> None:
    """Create or alter the roles and the database as the migrations expect them.

    A repeated call has no further effect.
    """
    try:
        with server.connect() as connection:
            for role in ROLES:
                if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).rowcount:
                    connection.execute(SQL("CREATE ROLE {}").format(Identifier(role)))
                connection.execute(
                    SQL("ALTER ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION").format(
                        Identifier(role)
                    )
                )
            database, owner, *others = map(Identifier, (DATABASE, *ROLES))
            if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).rowcount:
                connection.execute(SQL("CREATE DATABASE {} OWNER {}").format(database, owner))
            connection.execute(SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
            connection.execute(SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, SQL(", ").join(others)))
    except psycopg.Error as error:
        raise ServerFailed(f"the embedded server does not take its roles and database: {error}") from error


def _url(server: Postmaster, role: str) -> str:
    # The port is explicit: a PGPORT in the environment would select another socket.
    return URL.create(
        "postgresql+psycopg",
        username=role,
        database=DATABASE,
        query={"host": str(server.socket_folder), "port": str(PORT)},
    ).render_as_string(hide_password=False)
