"""The PostgreSQL of one machine: where no `DATABASE_URL` names a server, Stowage runs its own."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import URL

from stowage.store.errors import ServerFailed, StateInUse
from stowage.store.postmaster import PORT, Login, Postmaster, postmaster

DATABASE = "stowage"
OWNER_ROLE = "stowage_owner"
APPLICATION_ROLE = "stowage_app"


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """How SQLAlchemy reaches the database, as each of its two roles.

    Parameters
    ----------
    owner : str
        Owns the tables; migrates, and loads catalogues.
    application : str
        Owns nothing; what the product runs as.
    """

    owner: str
    application: str


@contextmanager
def embedded_postgres(folder: Path) -> Iterator[DatabaseUrls]:
    """Run PostgreSQL on the data in ``folder`` until the block is left, in whichever way.

    Only this user of this machine can connect: through a Unix socket, where the kernel says who is calling.
    A signal ends the block only if its handler raises; Python's own does for SIGINT, not for SIGTERM. After a
    kill -9 the server lives on without us; the next start stops it and takes over its data. As root the server
    runs as a user of its own, who is let pass through the folders above the data and the programs.

    Parameters
    ----------
    folder : Path
        Is created where missing; its content survives.

    Yields
    ------
    DatabaseUrls
        Both roles and the database exist; the tables are `stowage.store.migration`'s.

    Raises
    ------
    StateInUse
        Another process runs the server of this folder.
    ServerFailed
        The folder cannot be used, or the server does not start; with what it said.
    """
    folder = folder.resolve()
    logins = [Login(role, DATABASE) for role in (OWNER_ROLE, APPLICATION_ROLE)]
    with _sole_use(folder), postmaster(folder, logins) as server:
        _provide(server)
        yield DatabaseUrls(owner=_url(server, OWNER_ROLE), application=_url(server, APPLICATION_ROLE))


@contextmanager
def _sole_use(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the kernel releases it when this process ends, however it ends."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, mode=0o600)
    except OSError as error:
        raise ServerFailed(f"the folder {folder} cannot hold the state of this machine: {error}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(lock, 20).decode(errors="replace").strip() or "unknown"
            raise StateInUse(
                f"{folder} is in use by process {holder}: stop that one first, or name another folder"
            ) from None
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(lock)


def _provide(server: Postmaster) -> None:
    """Bring the roles and the database into the state that the migrations expect, whatever it was."""
    try:
        with server.connect() as connection:
            for role in (OWNER_ROLE, APPLICATION_ROLE):
                if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).rowcount:
                    connection.execute(SQL("CREATE ROLE {}").format(Identifier(role)))
                connection.execute(
                    SQL("ALTER ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION").format(
                        Identifier(role)
                    )
                )
            database, owner, application = Identifier(DATABASE), Identifier(OWNER_ROLE), Identifier(APPLICATION_ROLE)
            if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).rowcount:
                connection.execute(SQL("CREATE DATABASE {} OWNER {}").format(database, owner))
            connection.execute(SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
            connection.execute(SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, application))
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
