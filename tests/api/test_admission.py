"""Admission: by session or token, as which role, and what refused callers are told."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import delete, select

from people import COOKIE, new_member, new_person, session_of, signed_in, signed_in_as, token_of
from stowage.features.teams.sign_in import sessions
from stowage.features.teams.sign_in.tables import session
from stowage.model.team import Role
from stowage.platform.access import DENIED
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event
from stowage.platform.errors import SignInNeeded
from stowage.platform.jobs.queue import Queue, channel
from stowage.platform.secrets import digest
from stowage.web import following
from stowage.web.admission import CSRF
from walk import BODIES

PLANS = "/api/v1/plans"
PREVIEW = "/api/v1/plans/preview"
QUESTION = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 5}, "choose": {"families": ["i4i"]}}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("headers", [{}, bearer("stw_unknown"), bearer(""), {"Authorization": "Basic YTpi"}])
def test_a_caller_without_valid_credentials_is_told_to_sign_in(anonymous: TestClient, headers: dict[str, str]) -> None:
    for answer in (
        anonymous.get(PLANS, headers=headers),
        anonymous.get(f"{PLANS}/no-uuid", headers=headers),
        anonymous.post(PREVIEW, json={"nonsense": 1}, headers=headers),
    ):
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json() == {
            "type": "about:blank",
            "title": "Sign in first",
            "status": 401,
            "detail": "You are not signed in.",
            "errors": [],
        }


@pytest.mark.parametrize("role", get_args(Role))
def test_what_a_role_may_not_do_looks_as_if_it_were_not_there(
    anonymous: TestClient, gate: Database, org_id: UUID, role: Role
) -> None:
    client = signed_in(anonymous, gate, org_id, role)
    may_plan = role in {"owner", "planner"}
    assert client.get(PLANS).status_code == 200
    for address in (PLANS, PREVIEW):
        # Refused before the body is read.
        answer = client.post(address, json={"nonsense": 1})
        assert answer.status_code == (422 if may_plan else 404)
        assert may_plan or answer.json()["detail"] == DENIED


def test_in_the_example_team_every_caller_reads_and_asks_and_none_writes(client: TestClient) -> None:
    example = {"team": "example"}
    assert client.get(PLANS, params=example).status_code == 200
    assert client.post(PREVIEW, params=example, json=QUESTION).status_code == 200
    assert client.post(PLANS, params=example, json=QUESTION).status_code == 404


def test_only_the_team_that_runs_the_service_refreshes_it(other_client: TestClient) -> None:
    assert other_client.post("/api/v1/catalogs/refresh").status_code == 404


def test_a_person_without_a_team_is_signed_in_and_sees_nothing(anonymous: TestClient, gate: Database) -> None:
    client = signed_in_as(anonymous, gate, new_person(gate))
    assert client.get(PLANS).status_code == 404


def test_a_session_changes_nothing_without_its_token_or_for_another_page(client: TestClient) -> None:
    right = client.headers[CSRF]
    for headers in (
        {CSRF: ""},
        {CSRF: "wrong"},
        {CSRF: right, "Origin": "https://elsewhere.example"},
        {CSRF: right, "Origin": "null"},
        {CSRF: right, "Sec-Fetch-Site": "cross-site"},
    ):
        answer = client.post(PLANS, json=QUESTION, headers=headers)
        assert (answer.status_code, answer.json()["title"]) == (403, "Refused"), headers
    own = {CSRF: right, "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.post(PLANS, json=QUESTION, headers=own).status_code == 201


def test_a_token_gives_what_its_scopes_hold_of_what_its_person_may_now(
    anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    cases: list[tuple[Role, str, int]] = [("owner", "read", 404), ("owner", "plan", 200), ("viewer", "plan", 404)]
    for role, scope, status in cases:
        headers = bearer(token_of(gate, org_id, [scope], role))  # type: ignore[list-item]
        assert anonymous.get(PLANS, headers=headers).status_code == 200
        assert anonymous.post(PREVIEW, json=QUESTION, headers=headers).status_code == status
        assert anonymous.get("/api/v1/sessions", headers=headers).status_code == 404


def test_with_a_token_the_cookie_is_not_looked_at(client: TestClient) -> None:
    assert client.get(PLANS, headers=bearer("stw_unknown")).status_code == 401


def test_a_session_ends_unused_and_ends_however_much_it_is_used(gate: Database, org_id: UUID) -> None:
    begun = datetime.now(UTC)
    unused = session_of(gate, new_member(gate, org_id), begun)
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, unused, begun + sessions.IDLE)
    used = session_of(gate, new_member(gate, org_id), begun)
    for hours in range(12):
        sessions.authenticate(gate, used, begun + timedelta(hours=hours))
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, used, begun + timedelta(hours=12))


def test_a_stream_of_events_ends_with_the_session_that_follows_it(
    client: TestClient, gate: Database, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(following, "_ADMIT_EVERY_S", 0.0)
    job_id = client.post("/api/v1/sweeps", json=BODIES["start_sweep"]).json()["job"]["id"]
    with ThreadPoolExecutor(1) as threads, Redis.from_url(queue.url) as redis:
        # No worker runs the job: without the check of the session the stream would never end.
        stream = threads.submit(client.get, f"/api/v1/jobs/{job_id}/events")
        while redis.pubsub_numsub(channel(UUID(job_id)))[0][1] == 0:
            assert not stream.done(), "the stream ended before it listened"
        with gate.transaction(None) as connection:
            ended = delete(session).where(session.c.secret_hash == digest(client.cookies[COOKIE]))
            assert connection.execute(ended).rowcount == 1
        answer = stream.result()
    assert answer.status_code == 200
    assert answer.text.count("event: job") <= 1
    assert client.get(PLANS).status_code == 401


def test_signing_in_makes_a_new_secret_and_ends_the_session_that_was_presented(gate: Database, org_id: UUID) -> None:
    person_id, now = new_member(gate, org_id), datetime.now(UTC)
    planted = session_of(gate, new_member(gate, org_id))
    begun = sessions.begin(gate, person_id, sessions.Entry("link"), sessions.Browser(None, None, planted), now)
    assert begun.secret != planted
    assert sessions.authenticate(gate, begun.secret, now).person_id == person_id
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, planted, now)


def test_a_change_is_recorded_with_who_made_it(anonymous: TestClient, gate: Database, database: Database) -> None:
    # In a team of its own, so that the audit log holds nothing else.
    org_id = uuid4()
    with gate.transaction(org_id) as connection:
        connection.exec_driver_sql("INSERT INTO org (org_id, name) VALUES (%s, 'Recorded')", (org_id,))
    person_id = new_member(gate, org_id)
    client = signed_in_as(anonymous, gate, person_id)
    saved = client.post(PLANS, json=QUESTION, headers={"X-Request-Id": "of-this-test"}).json()
    client.patch(f"{PLANS}/{saved['id']}", json={"name": "Renamed"})
    with database.transaction(org_id) as connection:
        rows = connection.execute(select(audit_event).order_by(audit_event.c.id)).all()
    assert [row.action for row in rows] == ["membership.insert", "session.start", "plan.insert", "plan.update"]
    made, renamed = rows[2:]
    assert (made.actor_kind, made.actor_id, made.object_id) == ("person", person_id, saved["id"])
    assert (made.request_id, made.address) == ("of-this-test", "testclient")
    assert renamed.changes == {"name": [saved["name"], "Renamed"]}
    assert COOKIE in client.cookies
