"""Fixtures that several folders of tests share, and the choice between everyday tests and a slice of the soak."""

import gc
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import hypothesis
import pytest

import shared_postgres
from database import SECRETS_KEY, new_org, opened
from slices import SLICES
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.embedded import embedded_redis
from stowage.platform.jobs.queue import Queue

# Everyday runs draw the same examples each time, so that a failure is caused by the change; the soak draws new ones.
# No time limit in either: slowness of a busy machine is no defect.
hypothesis.settings.register_profile(
    "everyday",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=30,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "soak", deadline=None, print_blob=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("soak" if os.environ.get("STOWAGE_SOAK") else "everyday")


# The simulated AWS logs each request, which would bury a failure below thousands of lines.
logging.getLogger("werkzeug").setLevel(logging.WARNING)

# No garbage collection during imports and collection of tests, which free nothing.
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    """Share one PostgreSQL server among all tests of this run, and reset signals that a shell may have ignored.

    Commands inherit ignored signals: SIGINT and SIGQUIT in the background of a shell, SIGHUP under `nohup`.
    """
    os.environ.setdefault("STOWAGE_SECRETS_KEY", SECRETS_KEY)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    if shared_postgres.ADDRESS not in os.environ:
        run = ExitStack()
        run.enter_context(shared_postgres.served())
        config.add_cleanup(run.close)


def pytest_collection_finish() -> None:
    """Exclude all imported objects from garbage collection, which would take a tenth of a run."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the everyday tests; or, if STOWAGE_SOAK names a slice of the soak, the tests of that slice.

    Tests with `soak("name", every_day=True)` are selected in both runs.
    """
    chosen = os.environ.get("STOWAGE_SOAK", "")
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        mark = item.get_closest_marker("soak")
        its_slice = "" if mark is None else mark.args[0]
        if its_slice and its_slice not in SLICES:
            raise pytest.UsageError(f"{item.nodeid}: no slice {its_slice!r} of the soak; one of {', '.join(SLICES)}")
        both = mark is not None and not chosen and mark.kwargs.get("every_day", False)
        (kept if both or its_slice == chosen else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


@pytest.fixture(scope="session")
def postgres() -> DatabaseUrls:
    """Return the URLs of a database with tables, the packaged catalogs and the local team."""
    return shared_postgres.new_database()


@pytest.fixture(scope="session")
def owner(postgres: DatabaseUrls) -> Iterator[Database]:
    """Return the database as the role that owns the tables."""
    with opened(postgres.owner) as database:
        yield database


@pytest.fixture(scope="session")
def database(postgres: DatabaseUrls) -> Iterator[Database]:
    """Return the database as the role of the application."""
    with opened(postgres.application) as database:
        yield database


@pytest.fixture(scope="session")
def gate(postgres: DatabaseUrls) -> Iterator[Database]:
    """Return the database as the auth role, which authenticates callers."""
    with opened(postgres.gate) as database:
        yield database


@pytest.fixture
def org_id(owner: Database) -> UUID:
    """Return an organisation of the test's own."""
    return new_org(owner)


@pytest.fixture
def other_org_id(owner: Database) -> UUID:
    """Return a second organisation, whose rows the first must not see."""
    return new_org(owner)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Return the URL of a Redis of the test's own; no worker listens to it."""
    with TemporaryDirectory(prefix="stowage-redis-") as folder, embedded_redis(Path(folder)) as url:
        yield url


@pytest.fixture(scope="session")
def queue(redis_url: str) -> Iterator[Queue]:
    """Return the sending end of the queue."""
    with Queue(redis_url) as queue:
        yield queue
