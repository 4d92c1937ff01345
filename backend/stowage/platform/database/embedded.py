"""The PostgreSQL of one machine: where no `DATABASE_URL` names a server, Stowage runs its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import URL

from stowage.platform.database.errors import ServerFailed
from stowage.platform.database.postmaster import PORT, Login, Postmaster, start_postmaster
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor

DATABASE = "stowage"
OWNER_ROLE = "stowage_owner"
APPLICATION_ROLE = "stowage_app"
GATE_ROLE = "stowage_gate"

ROLES = (OWNER_ROLE, APPLICATION_ROLE, GATE_ROLE)
"""In the order of `DatabaseUrls`."""


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """How SQLAlchemy reaches the database, as each of its three roles.

    Parameters
    ----------
    owner : str
        Owns the tables; migrates, and loads catalogues.
    application : str
        Owns nothing; what the product runs as, for one team at a time.
    gate : str
        Owns nothing; finds out who asks, before it is known for which team.
    """

    owner: str
    application: str
    gate: str


@dataclass(frozen=True, slots=True)
class EmbeddedPostgres:
    """The server of this machine, started and perhaps not ready yet."""

    server: Postmaster

    def urls(self) -> DatabaseUrls:
        """Wait until it is ready, see to its roles and its database, and say how they are reached.

        Raises
        ------
        ServerFailed, ChildFailed
            The folder cannot be used, or the server does not start; with what it said.
        """
        self.server.child.await_ready()
        _provide(self.server)
        return DatabaseUrls(*(_url(self.server, role) for role in ROLES))


def start_postgres(supervisor: Supervisor, folder: Path) -> EmbeddedPostgres:
    """Start PostgreSQL on the data in a state folder, without waiting for it.

    Only this user of this machine can connect: through a Unix socket, where the kernel says who is calling. After
    a kill -9 of this process the server lives on without us; the next start stops it and takes over its data. As
    root the server runs as a user of its own: `stowage.platform.database.within_reach` places its programs and data.

    Parameters
    ----------
    supervisor : Supervisor
        Restarts it where it is killed, and stops it.
    folder : Path
        As `processes.state.sole_use` gives it. Its content survives.

    Raises
    ------
    ServerFailed
        PostgreSQL is not installed, or there is no user that it could run as.
    """
    logins = [Login(role, DATABASE) for role in ROLES]
    return EmbeddedPostgres(start_postmaster(supervisor, folder, logins))


@contextmanager
def embedded_postgres(folder: Path) -> Iterator[DatabaseUrls]:
    """Run PostgreSQL alone until the block is left, in whichever way; holds the folder meanwhile.

    A signal ends the block only if its handler raises; Python's own does for SIGINT, not for SIGTERM.

    Parameters
    ----------
    folder : Path
        Is created where missing.

    Yields
    ------
    DatabaseUrls
        Both roles and the database exist; the tables are `stowage.platform.database.migration`'s.

    Raises
    ------
    StateInUse, StateUnusable, ServerFailed, ChildFailed
        As `sole_use`, `start_postgres` and `EmbeddedPostgres.urls`.
    """
    with sole_use(folder) as held, Supervisor() as supervisor:
        yield start_postgres(supervisor, held).urls()


def _provide(server: Postmaster) -> None:
    """Bring the roles and the database into the state that the migrations expect, whatever it was."""
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
    # The port is named so that a PGPORT in the environment does not look for another socket.
    return URL.create(
        "postgresql+psycopg",
        username=role,
        database=DATABASE,
        query={"host": str(server.socket_folder), "port": str(PORT)},
    ).render_as_string(hide_password=False)
