"""Fixtures that several folders of tests share."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest

from database import bare_postgres, new_org, opened
from laboratory.faults import HEAD, TOLD
from stowage.jobs.embedded import embedded_redis
from stowage.jobs.queue import Queue
from stowage.store.database import Database
from stowage.store.embedded import DatabaseUrls
from stowage.usecases.preparation import prepare_database

LONG = ("cli/test_up.py", "laboratory/", "e2e/", "worker/", "agent/", "compose/", "cli/")
"""What takes longest comes first, so that several processes end at about the same time."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files by how long they take; within a file the order stays."""
    items.sort(key=lambda item: next((place for place, part in enumerate(LONG) if f"tests/{part}" in item.nodeid), 99))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what came of benchmark runs that met faults, as one table, whichever process found it out."""
    reports = [each for outcome in ("passed", "failed") for each in terminalreporter.getreports(outcome)]
    lines = sorted(str(value) for each in reports for name, value in each.user_properties if name == TOLD)
    if lines:
        terminalreporter.section("runs and faults")
        for line in (HEAD, *lines):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def postgres() -> Iterator[DatabaseUrls]:
    """Give the URLs of a server with tables, the packaged catalogues and the local team."""
    with bare_postgres() as urls:
        prepare_database(urls.owner, urls.application, urls.gate)
        yield urls


@pytest.fixture(scope="session")
def owner(postgres: DatabaseUrls) -> Iterator[Database]:
    """Give the database as the role that owns the tables."""
    with opened(postgres.owner) as database:
        yield database


@pytest.fixture(scope="session")
def database(postgres: DatabaseUrls) -> Iterator[Database]:
    """Give the database as the role of the application."""
    with opened(postgres.application) as database:
        yield database


@pytest.fixture(scope="session")
def gate(postgres: DatabaseUrls) -> Iterator[Database]:
    """Give the database as the role that finds out who asks."""
    with opened(postgres.gate) as database:
        yield database


@pytest.fixture
def org_id(owner: Database) -> UUID:
    """Give an organisation of the test's own."""
    return new_org(owner)


@pytest.fixture
def other_org_id(owner: Database) -> UUID:
    """Give a second organisation, whose rows are none of the first one's business."""
    return new_org(owner)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Give the URL of a Redis that nothing else uses; no worker listens to it."""
    with TemporaryDirectory(prefix="stowage-redis-") as folder, embedded_redis(Path(folder)) as url:
        yield url


@pytest.fixture(scope="session")
def queue(redis_url: str) -> Iterator[Queue]:
    """Give the sending end of the queue."""
    with Queue(redis_url) as queue:
        yield queue
