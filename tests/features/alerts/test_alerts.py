"""Alerts: a change is found once, shown until it is seen, and sent to the destinations that the team chose."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from kept_measurements import FIRST, keep_network, network
from mail_server import Mailbox
from people import join, new_person, signed_in_as
from receiver import HOST, Receiver
from stowage.features.alerts import alerts
from stowage.features.teams.sign_in.store import people
from stowage.platform import throttling
from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.platform.outside import Mailer
from stowage.web.services import Services

WEBHOOK = {"kind": "webhook", "address": f"https://{HOST}/stowage"}
STEADY = [1_000.0, 1_010.0, 990.0, 1_005.0, 995.0, 1_000.0, 1_002.0, 998.0]
FALLEN = [*STEADY, 800.0, 805.0, 795.0, 802.0, 798.0, 800.0, 803.0, 797.0]
PAIR = network("c5n.18xlarge")
NOW_S = 1_790_000_000.0


def verified(gate: Database, person_id: UUID, address: str) -> None:
    with gate.transaction(None) as connection:
        people.verify_email(connection, person_id, address)


@pytest.fixture
def mailing(app: FastAPI, services: Services, gate: Database, org_id: UUID) -> Iterator[tuple[TestClient, str]]:
    """Yield the browser of an owner at a service that sends mail, and the owner's address."""
    address = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", address, verified=True)
    join(gate, org_id, person_id, "owner")
    app.state.services = replace(services, mail=Mailbox())
    with TestClient(app, base_url="http://localhost") as client:
        yield signed_in_as(client, gate, person_id), address


Work = Callable[..., None]


@pytest.fixture
def work(database: Database, queue: Queue, org_id: UUID) -> Work:
    """Return a function that processes a job's parts as a worker does."""

    def do(job_id: str, receiver: Receiver, mail: Mailer | None = None, parts: int = 1) -> None:
        def send(claimed: ClaimedPart) -> None:
            alerts.send_part(
                claimed,
                mail,
                receiver.sender(),
                page="https://stowage.example.org",
                wait=lambda _: None,
                now=lambda: NOW_S,
            )

        for number in range(parts):
            part = Part(org_id, UUID(job_id), "alert", number)
            jobs.work_on_part(database, queue, part, {"alert": send}, lambda: 0.0)

    return do


def jobs_of(database: Database, org_id: UUID) -> list[tuple[str, int]]:
    with database.transaction(org_id) as connection:
        rows = connection.exec_driver_sql("SELECT id::text, total FROM job WHERE kind = 'alert' ORDER BY created_at")
        return [(row[0], row[1]) for row in rows]


def test_a_network_that_became_slower_is_told_once(client: TestClient, database: Database, org_id: UUID) -> None:
    assert client.get("/api/v1/alerts").json() == {"alerts": [], "unseen": 0, "next_cursor": None}
    keep_network(database, org_id, PAIR, FALLEN)
    [alert] = client.get("/api/v1/alerts").json()["alerts"]
    assert alert["direction"] == "regression"
    assert alert["factor"] == pytest.approx(0.8, abs=0.02)
    assert "c5n.18xlarge" in alert["words"]
    assert "20% lower" in alert["words"]
    assert alert["at"].startswith("2026-11-09")
    # Each upload finds it again, and it is reported once.
    keep_network(database, org_id, PAIR, [800.0, 801.0], first=FIRST + timedelta(days=30))
    assert [each["id"] for each in client.get("/api/v1/alerts").json()["alerts"]] == [alert["id"]]


def test_a_steady_network_is_no_alert(client: TestClient, database: Database, org_id: UUID) -> None:
    keep_network(database, org_id, PAIR, [*STEADY, *STEADY])
    assert client.get("/api/v1/alerts").json()["alerts"] == []


def test_an_alert_is_seen_by_the_first_who_says_so(
    client: TestClient, other_client: TestClient, database: Database, org_id: UUID
) -> None:
    keep_network(database, org_id, PAIR, FALLEN)
    [alert] = client.get("/api/v1/alerts").json()["alerts"]
    assert other_client.get("/api/v1/alerts").json()["alerts"] == []
    assert other_client.post(f"/api/v1/alerts/{alert['id']}/seen").status_code == 404
    assert client.get("/api/v1/alerts").json()["unseen"] == 1
    seen = client.post(f"/api/v1/alerts/{alert['id']}/seen").json()
    assert seen["seen_by"]
    assert client.post(f"/api/v1/alerts/{alert['id']}/seen").json() == seen
    assert client.get("/api/v1/alerts").json()["unseen"] == 0
    assert client.post(f"/api/v1/alerts/{uuid4()}/seen").status_code == 404


def test_a_webhook_is_told_of_a_change_signed(
    client: TestClient, database: Database, org_id: UUID, receiver: Receiver, work: Work
) -> None:
    added = client.post("/api/v1/alert-addresses", json=WEBHOOK).json()
    keep_network(database, org_id, PAIR, FALLEN)
    [(job_id, parts)] = jobs_of(database, org_id)
    work(job_id, receiver, parts=parts)
    [taken] = receiver.taken
    told: dict[str, Any] = json.loads(taken.body)
    [alert] = client.get("/api/v1/alerts").json()["alerts"]
    assert (told["event"], told["id"], told["words"]) == ("change", alert["id"], alert["words"])
    assert told["direction"] == "regression"
    assert told["link"] == f"https://stowage.example.org/benchmarks/profiles/{alert['profile_key']}"
    assert "addresses" not in told
    assert taken.is_signed_with(added["secret"], at_s=NOW_S)
    assert taken.headers["Stowage-Delivery"] == f"{job_id}-0"
    assert client.get(f"/api/v1/jobs/{job_id}").json()["state"] == "done"


def test_a_webhook_that_fails_is_tried_three_times_and_the_job_says_why(
    client: TestClient, database: Database, org_id: UUID, receiver: Receiver, work: Work
) -> None:
    client.post("/api/v1/alert-addresses", json=WEBHOOK)
    keep_network(database, org_id, PAIR, FALLEN)
    receiver.status = 503
    [(job_id, _)] = jobs_of(database, org_id)
    work(job_id, receiver)
    job = client.get(f"/api/v1/jobs/{job_id}").json()
    assert (job["state"], job["reason"]) == ("failed", f"{HOST} answered 503.")
    assert len(receiver.taken) == 3
    assert len({taken.headers["Stowage-Delivery"] for taken in receiver.taken}) == 1
    receiver.status = 204
    assert client.post(f"/api/v1/jobs/{job_id}/retry").json()["state"] == "queued"
    work(job_id, receiver)
    assert client.get(f"/api/v1/jobs/{job_id}").json()["state"] == "done"


def test_nothing_is_sent_to_an_address_that_was_removed(
    client: TestClient, database: Database, org_id: UUID, receiver: Receiver, work: Work
) -> None:
    added = client.post("/api/v1/alert-addresses", json=WEBHOOK).json()
    keep_network(database, org_id, PAIR, FALLEN)
    assert client.delete(f"/api/v1/alert-addresses/{added['id']}").status_code == 204
    [(job_id, _)] = jobs_of(database, org_id)
    work(job_id, receiver)
    assert receiver.taken == []
    assert client.get(f"/api/v1/jobs/{job_id}").json()["state"] == "done"


def test_an_address_is_tried(client: TestClient, receiver: Receiver, work: Work) -> None:
    added = client.post("/api/v1/alert-addresses", json=WEBHOOK).json()
    job = client.post(f"/api/v1/alert-addresses/{added['id']}/test")
    assert job.status_code == 202
    work(job.json()["id"], receiver)
    [taken] = receiver.taken
    assert json.loads(taken.body)["event"] == "test"
    assert client.get(f"/api/v1/jobs/{job.json()['id']}").json()["state"] == "done"


def test_only_a_member_is_told_by_mail(
    mailing: tuple[TestClient, str], database: Database, org_id: UUID, receiver: Receiver, work: Work
) -> None:
    client, address = mailing
    refused = client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": "world@example.org"})
    assert refused.status_code == 422
    assert "member" in refused.text
    added = client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": address.upper()})
    assert added.status_code == 201, added.text
    assert (added.json()["address"], added.json()["secret"]) == (address, None)
    assert client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": address}).status_code == 409
    keep_network(database, org_id, PAIR, FALLEN)
    [(job_id, _)] = jobs_of(database, org_id)
    mailbox = Mailbox()
    work(job_id, receiver, mailbox)
    mail = mailbox.only()
    assert mail.to == address
    assert "changed" in mail.subject
    assert "20% lower" in mail.text
    assert "https://stowage.example.org/benchmarks/profiles/" in mail.text


def test_who_has_left_the_team_is_told_nothing_more(
    mailing: tuple[TestClient, str], gate: Database, database: Database, org_id: UUID, receiver: Receiver, work: Work
) -> None:
    client, _ = mailing
    address = f"{uuid4().hex}@example.org"
    leaving = new_person(gate, "Bob", address)
    join(gate, org_id, leaving, "viewer")
    verified(gate, leaving, address)
    added = client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": address})
    assert added.status_code == 201, added.text
    keep_network(database, org_id, PAIR, FALLEN)
    assert client.delete(f"/api/v1/team/members/{leaving}").status_code == 204
    [(job_id, _)] = jobs_of(database, org_id)
    tried = client.post(f"/api/v1/alert-addresses/{added.json()['id']}/test").json()["id"]
    mailbox = Mailbox()
    for each in (job_id, tried):
        work(each, receiver, mailbox)
        assert client.get(f"/api/v1/jobs/{each}").json()["state"] == "done"
    assert mailbox.sent == []


def test_mail_that_is_not_taken_is_told(
    mailing: tuple[TestClient, str], database: Database, org_id: UUID, receiver: Receiver, work: Work
) -> None:
    client, address = mailing
    client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": address})
    keep_network(database, org_id, PAIR, FALLEN)
    [(job_id, _)] = jobs_of(database, org_id)
    work(job_id, receiver, Mailbox(refuses=True))
    assert client.get(f"/api/v1/jobs/{job_id}").json()["reason"] == "The mail server did not take it."


def test_a_service_without_mail_takes_no_address_of_mail(client: TestClient) -> None:
    assert client.get("/api/v1/alert-addresses").json() == {"addresses": [], "mail": False}
    refused = client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": "ada@example.org"})
    assert [problem["path"] for problem in refused.json()["errors"]] == ["kind"]


def test_a_team_has_so_many_addresses(client: TestClient) -> None:
    for number in range(alerts.MOST_ADDRESSES):
        new = {"kind": "webhook", "address": f"https://{HOST}/{number}"}
        assert client.post("/api/v1/alert-addresses", json=new).status_code == 201
    assert client.post("/api/v1/alert-addresses", json=WEBHOOK).status_code == 409


def test_tests_of_alerts_and_manual_retries_share_a_rate_limit_of_the_team(
    client: TestClient, other_client: TestClient, receiver: Receiver, work: Work
) -> None:
    address = client.post("/api/v1/alert-addresses", json=WEBHOOK).json()["id"]
    others = other_client.post("/api/v1/alert-addresses", json=WEBHOOK).json()["id"]
    test = f"/api/v1/alert-addresses/{address}/test"
    job = client.post(test).json()["id"]
    receiver.status = 503
    work(job, receiver)
    assert client.post(f"/api/v1/jobs/{job}/retry").json()["state"] == "queued"
    statuses = [client.post(test).status_code for _ in range(throttling.ALERT_TESTS.free - 1)]
    # The last test message is the first one over the limit.
    assert statuses == [202] * (throttling.ALERT_TESTS.free - 2) + [429]
    refused = client.post(test)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    work(job, receiver)
    assert client.post(f"/api/v1/jobs/{job}/retry").status_code == 429
    assert other_client.post(f"/api/v1/alert-addresses/{others}/test").status_code == 202


def test_test_mails_are_rate_limited_by_address(mailing: tuple[TestClient, str]) -> None:
    client, address = mailing
    added = client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": address}).json()["id"]
    statuses = [client.post(f"/api/v1/alert-addresses/{added}/test").status_code for _ in range(5)]
    assert statuses == [202] * throttling.MAIL.free + [429] * (5 - throttling.MAIL.free)


def test_no_alert_is_mailed_to_an_unverified_address(
    mailing: tuple[TestClient, str], gate: Database, database: Database, org_id: UUID, receiver: Receiver, work: Work
) -> None:
    client, address = mailing
    victim = f"{uuid4().hex}@example.org"
    member = new_person(gate, "Mallory", victim)
    join(gate, org_id, member, "viewer")
    refused = client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": victim})
    assert [problem["path"] for problem in refused.json()["errors"]] == ["address"]
    assert "not verified" in refused.text
    # No mail either to an address that replaced the verified one.
    added = client.post("/api/v1/alert-addresses", json={"kind": "mail", "address": address})
    assert added.status_code == 201, added.text
    keep_network(database, org_id, PAIR, FALLEN)
    with gate.transaction(None) as connection:
        found = people.find(connection, address)
        assert found is not None
        assert people.change(connection, found.person_id, email=f"{uuid4().hex}@example.org")
        assert people.change(connection, found.person_id, email=address)
    [(job_id, _)] = jobs_of(database, org_id)
    mailbox = Mailbox()
    work(job_id, receiver, mailbox)
    assert mailbox.sent == []
    job = client.get(f"/api/v1/jobs/{job_id}").json()
    assert (job["state"], job["reason"]) == (
        "failed",
        "The address is not verified: its owner has to verify it by a link that is mailed there.",
    )


def test_a_delivery_to_a_slow_receiver_is_not_retried(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, receiver: Receiver
) -> None:
    client.post("/api/v1/alert-addresses", json=WEBHOOK)
    keep_network(database, org_id, PAIR, FALLEN)
    [(job_id, _)] = jobs_of(database, org_id)
    receiver.status = 503
    clock = itertools.count(0.0, alerts.WITHIN_S + 1.0)

    def not_at_all(_: float) -> None:
        pytest.fail("it waits for a retry")

    def send(claimed: ClaimedPart) -> None:
        alerts.send_part(claimed, None, receiver.sender(), page=None, wait=not_at_all)

    jobs.work_on_part(database, queue, Part(org_id, UUID(job_id), "alert", 0), {"alert": send}, lambda: next(clock))
    assert len(receiver.taken) == 1
    assert client.get(f"/api/v1/jobs/{job_id}").json()["reason"] == f"{HOST} answered 503."
