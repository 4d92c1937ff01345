"""Fixtures of the API against the real database, with a team for each test."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient

from browser import Browser
from database import new_org
from mail_server import Mailbox
from people import signed_in
from receiver import Receiver, receiving
from stowage.api.app import create_app
from stowage.features.teams.sign_in import passwords
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs.queue import Queue
from stowage.platform.secrets import new_secret
from stowage.web.services import Services

__all__ = [
    "anonymous",
    "app",
    "built",
    "client",
    "hashed_at_little_cost",
    "mailbox",
    "one_event_loop",
    "org_id",
    "other_client",
    "receiver",
    "receiving_server",
    "services",
    "shared_client",
    "shared_org_id",
]


@pytest.fixture(scope="session", autouse=True)
def hashed_at_little_cost() -> Iterator[None]:
    """Hash passwords with the least parameters: the product's cost 25 ms for each of thousands of checks."""
    least = PasswordHasher(time_cost=1, memory_cost=16, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", least)
        patch.setattr(passwords, "_DUMMY", least.hash(new_secret()))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_event_loop() -> Iterator[None]:
    """Run the event loop that all clients share."""
    with Browser.sharing_a_loop():
        yield


@pytest.fixture
def org_id(request: pytest.FixtureRequest, owner: Database) -> UUID:
    """Return an organisation of the test's own, or the module's if that is marked ``one_team``."""
    if request.node.get_closest_marker("one_team"):
        found: UUID = request.getfixturevalue("shared_org_id")
        return found
    return new_org(owner)


@pytest.fixture
def services(database: Database, gate: Database, queue: Queue, org_id: UUID) -> Services:
    """Return the application's services; the test's organisation is the one that runs the service."""
    return Services(database, gate, queue, {"local": org_id, "example": EXAMPLE_ORG_ID})


@pytest.fixture(scope="session")
def built(database: Database, gate: Database, queue: Queue) -> FastAPI:
    """Return the application, whose description and routes are built once."""
    return create_app(Services(database, gate, queue), page=None)


@pytest.fixture
def app(built: FastAPI, services: Services) -> FastAPI:
    """Return the application of the test's organisation."""
    built.state.services = services
    return built


@pytest.fixture
def mailbox(app: FastAPI, services: Services) -> Mailbox:
    """Return the mail server of the application, which without this fixture sends no mail."""
    box = Mailbox()
    app.state.services = replace(services, mail=box)
    return box


@pytest.fixture(scope="module")
def receiving_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    """Run a server that receives webhooks."""
    with receiving(tmp_path_factory.mktemp("receiver")) as server:
        yield server


@pytest.fixture
def receiver(receiving_server: Receiver) -> Receiver:
    """Return the server that receives webhooks, with nothing received and its usual answers."""
    receiving_server.forget()
    return receiving_server


@pytest.fixture
def anonymous(app: FastAPI) -> Iterator[TestClient]:
    """Yield a client that is not signed in."""
    with Browser(app) as client:
        yield client


@pytest.fixture
def client(request: pytest.FixtureRequest, app: FastAPI, gate: Database, org_id: UUID) -> Iterator[TestClient]:
    """Yield the browser of an owner of the test's organisation."""
    if request.node.get_closest_marker("one_team"):
        yield request.getfixturevalue("shared_client")
        return
    with Browser(app) as client:
        yield signed_in(client, gate, org_id)


@pytest.fixture(scope="module")
def shared_org_id(owner: Database) -> UUID:
    """Return the organisation of a module that is marked ``one_team``."""
    return new_org(owner)


@pytest.fixture(scope="module")
def shared_client(built: FastAPI, gate: Database, shared_org_id: UUID) -> Iterator[TestClient]:
    """Return the browser of an owner of the module's organisation."""
    with Browser(built) as client:
        yield signed_in(client, gate, shared_org_id)


@pytest.fixture
def other_client(app: FastAPI, gate: Database, other_org_id: UUID) -> Iterator[TestClient]:
    """Yield the browser of an owner of the second organisation, of the same service."""
    with Browser(app) as client:
        yield signed_in(client, gate, other_org_id)
