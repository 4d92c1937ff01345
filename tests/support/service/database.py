"""PostgreSQL for tests: the embedded server itself, and no imitation of it.

Tests share one server and one database. They are isolated like organisations: each works for one of its own, or
undoes its changes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

import psycopg
from psycopg.rows import TupleRow
from sqlalchemy import Connection, make_url

from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls, embedded_postgres
from stowage.platform.database.keyring import Keyring
from stowage.platform.database.orgs import ensure_org
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.job import NewJob

SECRETS_KEY = "dGVzdHMgb2YgU3Rvd2FnZSBlbmNyeXB0IGJ5IHRoaXM="
"""Key with which the tests and their processes encrypt secrets."""
KEYRING = Keyring([SECRETS_KEY])


@contextmanager
def passable_folder(prefix: str) -> Iterator[Path]:
    """Yield a temporary folder for state folders: as root, the server's user must be able to traverse it."""
    with TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder


@contextmanager
def bare_postgres() -> Iterator[DatabaseUrls]:
    """Run a server without tables.

    Its folder is not in pytest's: each run of pytest closes those of all runs to other users, and the server is another
    user if the tests run as root.
    """
    with TemporaryDirectory(prefix="stowage-tests-") as folder, embedded_postgres(Path(folder)) as urls:
        yield urls


@contextmanager
def opened(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """Open a database and close it again."""
    database = Database(url, pool_size=pool_size, keyring=KEYRING)
    try:
        yield database
    finally:
        database.close()


def new_org(owner: Database) -> UUID:
    """Create an organisation without any rows."""
    org_id = uuid4()
    with owner.transaction(org_id) as connection:
        ensure_org(connection, org_id, f"Team {org_id}")
    return org_id


def new_job(database: Database, org_id: UUID, *, total: int = 1, parts: int = 1, now: datetime | None = None) -> UUID:
    """Add a pending job."""
    job_id = uuid4()
    with database.transaction(org_id) as connection:
        jobs.insert(connection, NewJob(job_id, "sweep", uuid4(), "tester", now or datetime.now(UTC), total), parts)
    return job_id


@contextmanager
def undone(database: Database, org_id: UUID | None = None) -> Iterator[Connection]:
    """Open a transaction that is rolled back at its end."""
    with database.transaction(org_id) as connection:
        savepoint = connection.begin_nested()
        yield connection
        savepoint.rollback()


def superuser(urls: DatabaseUrls) -> psycopg.Connection[TupleRow]:
    """Connect as a role that no policy restricts, to read the actual rows."""
    url = make_url(urls.owner)
    return psycopg.connect(
        host=str(url.query["host"]), port=str(url.query["port"]), user="postgres", dbname=url.database, autocommit=True
    )
