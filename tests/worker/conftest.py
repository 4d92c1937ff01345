"""A database and a Redis that only the workers of these tests use: pending work there is the tests' own."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest
import redis

from background import Background, background
from database import new_org, opened
from shared_postgres import new_database
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.embedded import embedded_redis
from stowage.platform.jobs.queue import Queue


@pytest.fixture(scope="package")
def postgres() -> DatabaseUrls:
    return new_database()


@pytest.fixture(scope="package")
def database(postgres: DatabaseUrls) -> Iterator[Database]:
    with opened(postgres.application) as database:
        yield database


@pytest.fixture(scope="package")
def owner(postgres: DatabaseUrls) -> Iterator[Database]:
    with opened(postgres.owner) as database:
        yield database


@pytest.fixture(scope="package")
def gate(postgres: DatabaseUrls) -> Iterator[Database]:
    with opened(postgres.gate) as database:
        yield database


@pytest.fixture(scope="package")
def redis_url() -> Iterator[str]:
    with TemporaryDirectory(prefix="stowage-redis-") as folder, embedded_redis(Path(folder)) as url:
        yield url


@pytest.fixture(scope="module", autouse=True)
def nothing_sent_before(redis_url: str) -> None:
    """Remove messages that tests of other modules left: their data may be gone by now."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()


@pytest.fixture(scope="package")
def queue(redis_url: str) -> Iterator[Queue]:
    with Queue(redis_url) as queue:
        yield queue


@pytest.fixture
def org_id(owner: Database) -> UUID:
    return new_org(owner)


@pytest.fixture(scope="module")
def tending(
    database: Database, postgres: DatabaseUrls, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Requeue stale jobs while a module's tests run."""
    log = tmp_path_factory.mktemp("tending") / "log"
    with background(database, postgres, redis_url, log) as started:
        started.scheduler()
        yield


@pytest.fixture
def workers(database: Database, postgres: DatabaseUrls, redis_url: str, tmp_path: Path) -> Iterator[Background]:
    with background(database, postgres, redis_url, tmp_path / "workers.log") as started:
        yield started
