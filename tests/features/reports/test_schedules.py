"""Scheduled sending of a report: to members, each version once, with a stop for each of them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from mail_server import Mailbox
from people import join, new_member, new_person, signed_in_as
from published import REPORTS, make_files, publish
from stowage.features.reports import schedules
from stowage.platform.database.database import Database
from stowage.platform.database.tables import job
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue

PAGE = "https://stowage.example.org"


@pytest.fixture
def publish_newer(database: Database, queue: Queue, org_id: UUID) -> Callable[[UUID], UUID]:
    """Return a function that publishes a newer version of a report."""
    return lambda older: publish(database, queue, org_id, replaces=older).id


@pytest.fixture
def make_pdf(database: Database, queue: Queue, org_id: UUID, report_id: UUID) -> Callable[[], None]:
    """Return a function that builds the files of the report."""
    return lambda: make_files(database, queue, org_id, report_id)


@pytest.fixture
def reader_id(gate: Database, org_id: UUID) -> UUID:
    person_id = new_person(gate, "Grace", f"grace-{uuid4().hex[:8]}@example.org", verified=True)
    join(gate, org_id, person_id, "viewer")
    return person_id


@pytest.fixture
def reader(app: FastAPI, gate: Database, reader_id: UUID) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://localhost") as client:
        yield signed_in_as(client, gate, reader_id)


def schedule(client: TestClient, report_id: UUID, *people: UUID, **more: Any) -> Any:
    asked = {"every": "week", "recipients": [str(each) for each in people], **more}
    return client.post(f"{REPORTS}/{report_id}/schedules", json=asked)


Send = Callable[[], None]


@pytest.fixture
def make_due(database: Database, org_id: UUID) -> Callable[[], None]:
    """Return a function that makes the schedules of the team due."""

    def due() -> None:
        with database.transaction(org_id) as connection:
            connection.exec_driver_sql("UPDATE report_schedule SET next_at = now()")

    return due


@pytest.fixture
def start(gate: Database, database: Database, queue: Queue) -> Callable[[], None]:
    """Return a function that does the work of the periodic task."""
    return lambda: schedules.start_due(gate, database, queue, datetime.now(UTC))


@pytest.fixture
def send_due(start: Callable[[], None], database: Database, queue: Queue, org_id: UUID, mailbox: Mailbox) -> Send:
    """Return a function that does the work of the periodic task and of the workers."""

    def sent() -> None:
        start()
        with database.transaction(org_id) as connection:
            query = select(job.c.id, job.c.total).where(job.c.kind == "alert", job.c.state == "queued")
            found = connection.execute(query).all()
        for job_id, total in found:
            for number in range(total):
                part = Part(org_id, job_id, "alert", number)
                jobs.work_on_part(database, queue, part, {"alert": lambda held: _sent(held, mailbox)}, lambda: 0.0)

    return sent


def _sent(held: jobs.ClaimedPart, mail: Mailbox) -> None:
    assert schedules.send_part(held, mail, PAGE)


def test_a_report_is_sent_once_a_week_and_each_mail_states_its_version(
    client: TestClient,
    report_id: UUID,
    reader_id: UUID,
    mailbox: Mailbox,
    send_due: Send,
    publish_newer: Callable[[UUID], UUID],
    make_due: Callable[[], None],
) -> None:
    made = schedule(client, report_id, reader_id)
    assert made.status_code == 201, made.text
    [planned] = made.json()["schedules"]
    assert [each["name"] for each in planned["recipients"]] == ["Grace"]
    send_due()
    send_due()
    mail = mailbox.only()
    digest = client.get(f"{REPORTS}/{report_id}").json()["digest"]
    assert mail.to.startswith("grace-")
    assert mail.subject.startswith("Report: ")
    assert f"digest {digest[:12]}. Not approved." in mail.text
    assert f"{PAGE}/reports/{report_id}" in mail.text
    assert mail.attached is None
    # A newer version takes its place.
    newer = publish_newer(report_id)
    assert client.get(f"{REPORTS}/{report_id}/schedules").json()["schedules"] == []
    [planned] = client.get(f"{REPORTS}/{newer}/schedules").json()["schedules"]
    assert planned["sent_report_id"] == str(report_id)
    make_due()
    send_due()
    assert len(mailbox.sent) == 2
    assert f"{PAGE}/reports/{newer}" in mailbox.sent[1].text
    ended = client.delete(f"{REPORTS}/{newer}/schedules/{planned['id']}")
    assert ended.json()["schedules"] == []
    said = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"]]
    assert any(" sent every week." in each for each in said)
    assert any(" ended the scheduled sending of the report " in each for each in said)


def test_the_pdf_is_attached_once_it_is_built(
    client: TestClient,
    report_id: UUID,
    reader_id: UUID,
    mailbox: Mailbox,
    send_due: Send,
    make_pdf: Callable[[], None],
) -> None:
    make_pdf()
    assert schedule(client, report_id, reader_id, every="month", content="pdf").status_code == 201
    send_due()
    attached = mailbox.only().attached
    assert attached is not None
    assert attached.content.startswith(b"%PDF")


def test_the_first_sending_waits_for_the_pdf(
    client: TestClient, report_id: UUID, reader_id: UUID, mailbox: Mailbox, send_due: Send, make_pdf: Callable[[], None]
) -> None:
    schedule(client, report_id, reader_id, content="pdf")
    send_due()
    assert mailbox.sent == []
    make_pdf()
    send_due()
    assert mailbox.only().attached is not None


def test_a_refused_mail_does_not_stop_the_mails_to_the_others(
    client: TestClient, report_id: UUID, reader_id: UUID, mailbox: Mailbox, send_due: Send, gate: Database, org_id: UUID
) -> None:
    other = new_person(gate, "Bob", f"bob-{uuid4().hex}@example.org", verified=True)
    join(gate, org_id, other, "viewer")
    schedule(client, report_id, reader_id, other)
    mailbox.refuses_next = 1
    send_due()
    assert mailbox.only().to.startswith("bob-")


def test_a_sending_that_a_later_one_replaced_sends_nothing_more(
    client: TestClient,
    report_id: UUID,
    reader_id: UUID,
    mailbox: Mailbox,
    start: Callable[[], None],
    make_due: Callable[[], None],
    send_due: Send,
) -> None:
    schedule(client, report_id, reader_id)
    start()
    make_due()
    send_due()
    assert mailbox.only().to.startswith("grace-")


def test_creating_and_ending_schedules_does_not_flood_members(
    client: TestClient, report_id: UUID, reader_id: UUID, mailbox: Mailbox
) -> None:
    for _ in range(schedules.MOST_NEW_A_DAY):
        made = schedule(client, report_id, reader_id)
        [planned] = made.json()["schedules"]
        client.delete(f"{REPORTS}/{report_id}/schedules/{planned['id']}")
    refused = schedule(client, report_id, reader_id)
    assert refused.status_code == 409
    assert "within 24 hours" in refused.text
    assert mailbox.sent == []


def test_schedules_of_deleted_reports_leave_room_for_others(
    client: TestClient,
    report_id: UUID,
    reader_id: UUID,
    mailbox: Mailbox,
    publish_newer: Callable[[UUID], UUID],
    send_due: Send,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schedules, "MOST_SCHEDULES", 1)
    assert schedule(client, report_id, reader_id).status_code == 201
    assert schedule(client, report_id, reader_id).status_code == 409
    newer = publish_newer(report_id)
    # The schedule has moved to the newer version, and is deleted with it.
    assert client.delete(f"{REPORTS}/{newer}").status_code == 204
    send_due()
    assert mailbox.sent == []
    assert schedule(client, report_id, reader_id).status_code == 201


def test_a_recipient_stops_the_mails_without_asking_anyone(
    client: TestClient,
    reader: TestClient,
    report_id: UUID,
    reader_id: UUID,
    mailbox: Mailbox,
    send_due: Send,
) -> None:
    [planned] = schedule(client, report_id, reader_id).json()["schedules"]
    address = f"{REPORTS}/{report_id}/schedules/{planned['id']}"
    # One who gets none has none to stop; a viewer cannot end the schedule of others.
    assert client.post(f"{address}/stop").status_code == 404
    assert reader.delete(address).status_code == 404
    assert reader.post(f"{address}/stop").json()["schedules"] == []
    send_due()
    assert mailbox.sent == []


def test_only_members_with_verified_addresses_get_mails(
    client: TestClient, report_id: UUID, mailbox: Mailbox, gate: Database, org_id: UUID
) -> None:
    unverified = new_person(gate, "Bob", f"{uuid4().hex}@example.org")
    join(gate, org_id, unverified, "viewer")
    for person_id in (uuid4(), unverified, new_member(gate, org_id, "viewer")):
        refused = schedule(client, report_id, person_id)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["path"] == "recipients.0"
    assert schedule(client, report_id, *(uuid4() for _ in range(21))).status_code == 422
    assert mailbox.sent == []


def test_a_service_without_mail_schedules_nothing(client: TestClient, report_id: UUID, reader_id: UUID) -> None:
    refused = schedule(client, report_id, reader_id)
    assert refused.status_code == 422
    assert "sends no mail" in refused.text


@pytest.mark.parametrize(
    ("every", "now", "then"),
    [
        ("week", datetime(2026, 12, 28, 9, tzinfo=UTC), datetime(2027, 1, 4, 9, tzinfo=UTC)),
        ("month", datetime(2026, 12, 15, 9, tzinfo=UTC), datetime(2027, 1, 15, 9, tzinfo=UTC)),
        ("month", datetime(2027, 1, 31, 9, tzinfo=UTC), datetime(2027, 2, 28, 9, tzinfo=UTC)),
    ],
)
def test_the_next_sending_is_a_week_or_a_month_later(every: Any, now: datetime, then: datetime) -> None:
    assert schedules.next_sending(every, now) == then
