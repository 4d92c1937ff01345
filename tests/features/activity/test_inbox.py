"""Inbox: what a person may see, what they have read, and mail that is asked for and never a flood."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mail_server import Mailbox
from people import join, new_person, signed_in_as
from published import publish
from quoted import approved, connected, quoted
from stowage.features.activity import inbox
from stowage.features.activity.store import inbox as store
from stowage.features.alerts import alerts
from stowage.features.alerts.store import NewAlert
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue

LATER = datetime.now(UTC) + timedelta(hours=2)


def measured(database: Database, org_id: UUID, words: str) -> str:
    """Store an alert about a measured metric, and return its id."""
    new = NewAlert(uuid4(), f"network {uuid4().hex}", "rate", words, {}, datetime.now(UTC), None)
    with database.transaction(org_id) as connection:
        assert alerts.tell(connection, new, datetime.now(UTC))
    return str(new.id)


@pytest.fixture
def reader(app: FastAPI, gate: Database, org_id: UUID, mailbox: Mailbox) -> Iterator[tuple[TestClient, str]]:
    """Yield the browser of a planner with a verified address, and the address."""
    assert mailbox.sent == []
    address = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", address, verified=True)
    join(gate, org_id, person_id, "planner")
    with TestClient(app, base_url="http://localhost") as client:
        yield signed_in_as(client, gate, person_id), address


def read(client: TestClient) -> dict[str, Any]:
    answer = client.get("/api/v1/inbox")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_each_person_reads_for_themselves(
    app: FastAPI, gate: Database, database: Database, org_id: UUID, reader: tuple[TestClient, str]
) -> None:
    client, _ = reader
    first, second = (measured(database, org_id, f"Change {number}.") for number in (1, 2))
    there = read(client)
    assert [(each["id"], each["read"]) for each in there["notifications"]] == [(second, False), (first, False)]
    after = client.post("/api/v1/inbox/read", json={"ids": [first, str(uuid4())]}).json()
    assert ([each["read"] for each in after["notifications"]], after["unread"]) == ([False, True], 1)
    assert client.post("/api/v1/inbox/read", json={"ids": None}).json()["unread"] == 0
    third = measured(database, org_id, "Change 3.")
    assert [each["id"] for each in read(client)["notifications"] if not each["read"]] == [third]
    colleague = new_person(gate, "Grace")
    join(gate, org_id, colleague, "viewer")
    with TestClient(app, base_url="http://localhost") as other:
        assert read(signed_in_as(other, gate, colleague))["unread"] == 3


def test_runs_to_approve_are_only_for_those_who_may_approve(
    app: FastAPI, gate: Database, database: Database, org_id: UUID, reader: tuple[TestClient, str]
) -> None:
    account_id = connected(database, org_id)
    run_id = quoted(database, org_id, account_id)
    # Its quote has expired.
    quoted(database, org_id, account_id, now=datetime.now(UTC) - timedelta(days=30))
    approved(database, org_id, account_id)
    client, _ = reader
    there = read(client)
    assert [(each["kind"], each["object"]) for each in there["notifications"]] == [("run", str(run_id))]
    assert "awaits approval: at most $" in there["notifications"][0]["words"]
    viewer = new_person(gate, "Vera")
    join(gate, org_id, viewer, "viewer")
    with TestClient(app, base_url="http://localhost") as other:
        seen = read(signed_in_as(other, gate, viewer))
    assert seen["notifications"] == []
    assert seen["kinds"] == ["plan", "measurement"]


def test_a_request_to_approve_a_report_reaches_its_approver_alone(
    app: FastAPI, gate: Database, database: Database, queue: Queue, org_id: UUID, reader: tuple[TestClient, str]
) -> None:
    client, _ = reader
    approver = new_person(gate, "Grace")
    join(gate, org_id, approver, "owner")
    report_id = str(publish(database, queue, org_id).id)
    asked = client.post(f"/api/v1/reports/{report_id}/approval", json={"person_id": str(approver)})
    assert asked.status_code == 201, asked.text
    assert read(client)["notifications"] == []
    with TestClient(app, base_url="http://localhost") as other:
        (there,) = read(signed_in_as(other, gate, approver))["notifications"]
        assert (there["kind"], there["object"]) == ("report", report_id)
        newer = publish(database, queue, org_id, replaces=UUID(report_id)).id
        assert read(other)["notifications"] == []
        assert client.delete(f"/api/v1/reports/{newer}").status_code == 204
        assert len(read(other)["notifications"]) == 1
        assert client.delete(f"/api/v1/reports/{report_id}").status_code == 204
        assert read(other)["notifications"] == []


@pytest.mark.parametrize("kind", ["report", "run"])
def test_only_kinds_that_a_person_may_choose_are_mailed(
    kind: str, app: FastAPI, gate: Database, org_id: UUID, mailbox: Mailbox
) -> None:
    viewer = new_person(gate, "Eve", f"{uuid4().hex}@example.org", verified=True)
    join(gate, org_id, viewer, "viewer")
    with TestClient(app, base_url="http://localhost") as client:
        refused = signed_in_as(client, gate, viewer).put("/api/v1/inbox/mail", json={"kinds": ["plan", kind]})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "kinds")
    assert mailbox.sent == []


def test_mail_is_asked_for_by_kind_and_comes_at_most_once_an_hour(
    gate: Database, database: Database, org_id: UUID, mailbox: Mailbox, reader: tuple[TestClient, str]
) -> None:
    client, address = reader

    def mailed(now: datetime) -> list[str]:
        mailbox.sent.clear()
        send(gate, database, org_id, mailbox, "https://stowage.example.org", now)
        return [mail.text for mail in mailbox.sent if mail.to == address]

    measured(database, org_id, "Before anything was asked for.")
    assert mailed(LATER) == []
    # Making the inbox due below reaches back to before this, too.
    client.post("/api/v1/inbox/read", json={"ids": None})
    assert client.put("/api/v1/inbox/mail", json={"kinds": ["measurement"]}).json()["mailed_kinds"] == ["measurement"]
    for number in range(25):
        measured(database, org_id, f"Rate {number} fell.")
    backdate(database, org_id, timedelta(hours=1, minutes=1))
    (text,) = mailed(LATER)
    assert text.count(" fell.") == 20
    assert "And 5 more in the inbox." in text
    assert "Before anything" not in text
    assert "https://stowage.example.org/benchmarks/profiles/network%20" in text
    measured(database, org_id, "One more.")
    assert mailed(LATER) == []
    client.put("/api/v1/inbox/mail", json={"kinds": []})
    assert mailed(LATER + timedelta(days=1)) == []


def test_a_person_who_left_or_has_read_it_gets_no_mail(
    gate: Database, database: Database, org_id: UUID, mailbox: Mailbox, reader: tuple[TestClient, str]
) -> None:
    client, address = reader
    client.put("/api/v1/inbox/mail", json={"kinds": ["measurement", "run", "plan"]})
    measured(database, org_id, "It was read.")
    client.post("/api/v1/inbox/read", json={"ids": None})
    backdate(database, org_id, timedelta(hours=2))
    send(gate, database, org_id, mailbox, None, datetime.now(UTC))
    measured(database, org_id, "After leaving.")
    assert client.post("/api/v1/team/leave").status_code == 204
    backdate(database, org_id, timedelta(hours=2))
    send(gate, database, org_id, mailbox, None, datetime.now(UTC))
    assert [mail for mail in mailbox.sent if mail.to == address] == []


def test_mail_to_an_unverified_address_is_refused(app: FastAPI, gate: Database, org_id: UUID, mailbox: Mailbox) -> None:
    person_id = new_person(gate, "Eve", f"{uuid4().hex}@example.org")
    join(gate, org_id, person_id, "planner")
    with TestClient(app, base_url="http://localhost") as client:
        signed_in_as(client, gate, person_id)
        assert read(client)["can_mail"] is False
        answer = client.put("/api/v1/inbox/mail", json={"kinds": ["plan"]})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "kinds")
    assert mailbox.sent == []


def send(gate: Database, database: Database, org_id: UUID, mailbox: Mailbox, page: str | None, now: datetime) -> None:
    """Mail the inboxes of a team that are due, as workers do."""
    with gate.transaction(None) as connection:
        due = store.due(connection, 1000)
    for of, person_id in due:
        if of == org_id:
            inbox.send_mail(database, org_id, person_id, mailbox, page, now)


def backdate(database: Database, org_id: UUID, by: timedelta) -> None:
    """Make the inboxes of a team due, as if they had been mailed some time ago."""
    with database.transaction(org_id) as connection:
        connection.exec_driver_sql("UPDATE inbox SET mailed_until = mailed_until - %s", (by,))
