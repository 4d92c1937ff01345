"""Approval of a report: requested, approved or refused, stated on the report, its shared page and PDF."""

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pypdf
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from documents.sample import full_report
from mail_server import Mailbox
from people import join, new_member, new_person, signed_in_as
from published import REPORTS, link_to, publish
from stowage.features.reports import approvals
from stowage.features.reports import files as report_files
from stowage.model.report import Fact, Facts, Section
from stowage.platform.database.database import Database
from stowage.platform.database.tables import job
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue


@pytest.fixture
def boss_id(gate: Database, org_id: UUID) -> UUID:
    person_id = new_person(gate, "Grace", f"grace-{uuid4().hex[:8]}@example.org", verified=True)
    join(gate, org_id, person_id, "planner")
    return person_id


@pytest.fixture
def boss(app: FastAPI, gate: Database, boss_id: UUID) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://localhost") as client:
        yield signed_in_as(client, gate, boss_id)


def ask(client: TestClient, report_id: UUID, person_id: UUID) -> Any:
    return client.post(f"{REPORTS}/{report_id}/approval", json={"person_id": str(person_id)})


def decide(client: TestClient, report_id: UUID, state: str, comment: str = "") -> Any:
    return client.put(f"{REPORTS}/{report_id}/approval", json={"state": state, "comment": comment})


def make_all(database: Database, queue: Queue, org_id: UUID, *, most: int | None = None) -> None:
    """Do the work of the newest document jobs, or of all, as workers do."""
    with database.transaction(org_id) as connection:
        ids = connection.scalars(
            select(job.c.id).where(job.c.kind == "document").order_by(job.c.created_at.desc()).limit(most)
        ).all()
    for job_id in reversed(ids):
        part = Part(org_id, job_id, "document", 0)
        jobs.work_on_part(
            database, queue, part, {"document": lambda held: report_files.make_part(held, None)}, lambda: 0.0
        )


def pdf_words(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return "".join(pypdf.PdfReader(io.BytesIO(answer.content)).pages[0].extract_text().split())


def test_a_report_is_approved_by_the_person_who_is_asked(
    client: TestClient,
    boss: TestClient,
    boss_id: UUID,
    report_id: UUID,
    mailbox: Mailbox,
    database: Database,
    queue: Queue,
    org_id: UUID,
) -> None:
    assert client.get(f"{REPORTS}/{report_id}").json()["approval"] is None
    asked = ask(client, report_id, boss_id)
    assert asked.status_code == 201, asked.text
    found = asked.json()["approval"]
    assert (found["state"], found["approver"], found["approver_id"]) == ("requested", "Grace", str(boss_id))
    assert found["sentence"].startswith("Approval requested from Grace (planner) on ")
    mail = mailbox.only()
    assert mail.to.startswith("grace-")
    assert mail.subject == "A report waits for your approval"
    assert f"/reports/{report_id}" in mail.text
    # The one who asked cannot decide.
    assert decide(client, report_id, "approved").status_code == 404
    decided = decide(boss, report_id, "approved", "Go ahead.")
    assert decided.status_code == 200, decided.text
    approval = decided.json()["approval"]
    assert (approval["state"], approval["comment"]) == ("approved", "Go ahead.")
    assert approval["sentence"].startswith("Approved by Grace (planner) on ")
    assert client.get(REPORTS).json()["reports"][0]["approval"] == "approved"
    make_all(database, queue, org_id)
    stated = "".join(approval["sentence"].split())
    assert stated in pdf_words(client, f"{REPORTS}/{report_id}/files/pdf")
    secret = link_to(client, report_id)
    guest = client.get(f"/api/v1/shared/{secret}").json()["report"]["approval"]
    assert (guest["sentence"], guest["comment"], guest["approver_id"]) == (approval["sentence"], "", None)
    assert stated in pdf_words(client, f"/api/v1/shared/{secret}/files/pdf")
    said = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"]]
    title = decided.json()["report"]["title"]
    assert any(each.endswith(f" asked Grace to approve the report {title}.") for each in said)
    assert f"Grace set the approval of the report {title} to approved." in said
    assert ask(client, report_id, boss_id).status_code == 409
    assert decide(boss, report_id, "refused", "No.").status_code == 409


def test_an_approved_report_names_the_day_by_which_to_act(
    client: TestClient, boss: TestClient, boss_id: UUID, database: Database, queue: Queue, org_id: UUID
) -> None:
    report = full_report()
    decision = Section("summary", "Decision", (Facts((Fact("decide_by", "Decide by", "28 Dec 2026"),)),))
    report_id = publish(database, queue, org_id, replace(report, sections=(decision, *report.sections[1:]))).id

    def label() -> str:
        found = client.get(f"{REPORTS}/{report_id}").json()["report"]["sections"][0]["blocks"][0]["facts"]
        return str(found[0]["label"])

    ask(client, report_id, boss_id)
    assert label() == "Decide by"
    decide(boss, report_id, "approved")
    assert label() == "Approved; act by"
    make_all(database, queue, org_id)
    assert "Approved;actby" in pdf_words(client, f"{REPORTS}/{report_id}/files/pdf")


def test_a_report_is_refused_with_a_reason_and_may_be_asked_for_again(
    client: TestClient, boss: TestClient, boss_id: UUID, report_id: UUID
) -> None:
    ask(client, report_id, boss_id)
    without = decide(boss, report_id, "refused")
    assert without.status_code == 422
    assert without.json()["errors"][0]["path"] == "comment"
    assert decide(boss, report_id, "refused", "Too late.").json()["approval"]["comment"] == "Too late."
    assert ask(client, report_id, boss_id).json()["approval"]["state"] == "requested"


def test_only_another_member_who_may_approve_is_asked(
    client: TestClient, gate: Database, org_id: UUID, report_id: UUID
) -> None:
    me = next(each["person_id"] for each in client.get("/api/v1/team/members").json()["members"] if each["is_me"])
    viewer = new_member(gate, org_id, "viewer")
    for person_id in (me, viewer, uuid4()):
        answer = ask(client, report_id, person_id)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["path"] == "person_id"


def test_asking_the_same_member_twice_mails_once(
    client: TestClient, boss_id: UUID, report_id: UUID, mailbox: Mailbox
) -> None:
    ask(client, report_id, boss_id)
    again = ask(client, report_id, boss_id)
    assert again.status_code == 409
    assert "waits for the decision of Grace" in again.text
    assert mailbox.only().to.startswith("grace-")


def test_of_two_requests_at_once_one_stays_open(
    client: TestClient, gate: Database, database: Database, org_id: UUID, report_id: UUID
) -> None:
    asked = [new_member(gate, org_id, "planner") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda person_id: ask(client, report_id, person_id), asked))
    assert [each.status_code for each in answers] == [201] * 4
    with database.transaction(org_id) as connection:
        states = connection.exec_driver_sql("SELECT state FROM report_approval").scalars().all()
    assert sorted(states) == ["requested", "withdrawn", "withdrawn", "withdrawn"]


def test_many_reports_do_not_flood_one_member(
    client: TestClient,
    boss_id: UUID,
    report_id: UUID,
    mailbox: Mailbox,
    database: Database,
    queue: Queue,
    org_id: UUID,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(approvals, "MOST_A_DAY", 1)
    assert ask(client, report_id, boss_id).status_code == 201
    refused = ask(client, publish(database, queue, org_id).id, boss_id)
    assert refused.status_code == 409
    assert "within 24 hours" in refused.text
    assert len(mailbox.sent) == 1


def test_a_decision_before_the_files_are_built_builds_them_all(
    client: TestClient,
    boss: TestClient,
    boss_id: UUID,
    report_id: UUID,
    database: Database,
    queue: Queue,
    org_id: UUID,
) -> None:
    ask(client, report_id, boss_id)
    decided = decide(boss, report_id, "approved").json()
    make_all(database, queue, org_id, most=1)
    assert client.get(f"{REPORTS}/{report_id}").json()["documents"]["state"] == "ready"
    stated = "".join(decided["approval"]["sentence"].split())
    assert stated in pdf_words(client, f"{REPORTS}/{report_id}/files/pdf")


def test_asking_another_member_withdraws_the_first_request(
    client: TestClient, boss: TestClient, boss_id: UUID, gate: Database, org_id: UUID, report_id: UUID
) -> None:
    ask(client, report_id, boss_id)
    other = new_member(gate, org_id, "owner")
    assert ask(client, report_id, other).json()["approval"]["approver_id"] == str(other)
    assert decide(boss, report_id, "approved").status_code == 404


def test_a_changed_version_has_no_approval_and_names_the_one_before(
    client: TestClient,
    boss: TestClient,
    boss_id: UUID,
    report_id: UUID,
    database: Database,
    queue: Queue,
    org_id: UUID,
) -> None:
    ask(client, report_id, boss_id)
    decide(boss, report_id, "approved")
    newer = publish(database, queue, org_id, replaces=report_id).id
    found = client.get(f"{REPORTS}/{newer}").json()
    assert found["approval"] is None
    assert found["approved_before"].startswith("Approved by Grace (planner) on ")
    older = publish(database, queue, org_id).id
    ask(client, older, boss_id)
    publish(database, queue, org_id, replaces=older)
    assert decide(boss, older, "approved").status_code == 409
    assert ask(client, older, boss_id).status_code == 409
