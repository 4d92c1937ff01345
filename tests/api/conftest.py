"""The API against the real database, each test for an organisation of its own."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from stowage.api.app import create_app
from stowage.api.services import Services
from stowage.jobs.queue import Queue
from stowage.store.database import Database


@pytest.fixture
def client(database: Database, queue: Queue, org_id: UUID) -> Iterator[TestClient]:
    app = create_app(Services(database, queue, {"local": org_id}), page=None)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def other_client(database: Database, queue: Queue, other_org_id: UUID) -> Iterator[TestClient]:
    app = create_app(Services(database, queue, {"local": other_org_id}), page=None)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client
