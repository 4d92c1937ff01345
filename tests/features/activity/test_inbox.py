"""Inbox: what a person may see, what they have read, and the choice of what is mailed."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mail_server import Mailbox
from notified import measured, read
from people import join, new_person, signed_in_as
from published import publish
from quoted import approved, connected, quoted
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue


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


def test_two_first_marks_at_the_same_time_are_both_kept(
    database: Database, org_id: UUID, reader: tuple[TestClient, str]
) -> None:
    client, _ = reader
    ids = [measured(database, org_id, f"Change {number}.") for number in range(8)]
    with ThreadPoolExecutor(len(ids)) as threads:
        answers = list(threads.map(lambda each: client.post("/api/v1/inbox/read", json={"ids": [each]}), ids))
    assert {answer.status_code for answer in answers} == {200}
    assert read(client)["unread"] == 0


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


def test_mail_to_an_unverified_address_is_refused(app: FastAPI, gate: Database, org_id: UUID, mailbox: Mailbox) -> None:
    person_id = new_person(gate, "Eve", f"{uuid4().hex}@example.org")
    join(gate, org_id, person_id, "planner")
    with TestClient(app, base_url="http://localhost") as client:
        signed_in_as(client, gate, person_id)
        assert read(client)["can_mail"] is False
        answer = client.put("/api/v1/inbox/mail", json={"kinds": ["plan"]})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "kinds")
    assert mailbox.sent == []
