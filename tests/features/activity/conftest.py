"""A reader of the inbox."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mail_server import Mailbox
from people import join, new_person, signed_in_as
from stowage.platform.database.database import Database


@pytest.fixture
def reader(app: FastAPI, gate: Database, org_id: UUID, mailbox: Mailbox) -> Iterator[tuple[TestClient, str]]:
    """Yield the browser of a planner with a verified address, and the address."""
    assert mailbox.sent == []
    address = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", address, verified=True)
    join(gate, org_id, person_id, "planner")
    with TestClient(app, base_url="http://localhost") as client:
        yield signed_in_as(client, gate, person_id), address
