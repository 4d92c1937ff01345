"""Notifications for tests: alerts that appear in inboxes, the inbox as read, and deliveries as workers make them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from fastapi.testclient import TestClient

from stowage.features.activity import delivering
from stowage.features.alerts import alerts
from stowage.features.alerts.store import NewAlert
from stowage.platform.database.database import Database
from stowage.platform.outside import Mailer, Webhooks


def measured(database: Database, org_id: UUID, words: str) -> str:
    """Store an alert about a measured metric, and return its id."""
    new = NewAlert(uuid4(), f"network {uuid4().hex}", "rate", words, {}, datetime.now(UTC), None)
    with database.transaction(org_id) as connection:
        assert alerts.tell(connection, new, datetime.now(UTC))
    return str(new.id)


def read(client: TestClient) -> dict[str, Any]:
    answer = client.get("/api/v1/inbox")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def deliver(
    database: Database, org_id: UUID, now: datetime, *, mail: Mailer | None = None, hooks: Webhooks | None = None
) -> None:
    """Deliver the notifications of a team's members, as a worker does at a time."""
    services = delivering.Services(mail, hooks or Uncalled(), "https://stowage.example.org")
    with database.transaction(org_id) as connection:
        people = connection.exec_driver_sql("SELECT DISTINCT person_id FROM inbox_channel").scalars().all()
    for person_id in people:
        delivering.deliver(database, org_id, person_id, services, now)


class Uncalled:
    """Client of webhooks for tests in which none may be called."""

    def send(self, address: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Fail the test."""
        raise AssertionError(f"{address} is called: {body!r} {headers}")
