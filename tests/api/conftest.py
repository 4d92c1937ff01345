"""The API against the real database, each test for an organisation of its own."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from people import signed_in
from stowage.api.app import create_app
from stowage.api.services import Services
from stowage.jobs.queue import Queue
from stowage.store.database import Database
from stowage.store.orgs import EXAMPLE_ORG_ID


@pytest.fixture
def services(database: Database, gate: Database, queue: Queue, org_id: UUID) -> Services:
    """Give what the application is handed; the test's organisation is the one that runs the service."""
    return Services(database, gate, queue, {"local": org_id, "example": EXAMPLE_ORG_ID})


@pytest.fixture
def anonymous(services: Services) -> Iterator[TestClient]:
    """Give a client of nobody."""
    app = create_app(services, page=None)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(services: Services, gate: Database, org_id: UUID) -> Iterator[TestClient]:
    """Give the browser of an owner of the test's organisation."""
    app = create_app(services, page=None)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield signed_in(client, gate, org_id)


@pytest.fixture
def other_client(services: Services, gate: Database, other_org_id: UUID) -> Iterator[TestClient]:
    """Give the browser of an owner of the second organisation, of the same service."""
    app = create_app(services, page=None)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield signed_in(client, gate, other_org_id)
