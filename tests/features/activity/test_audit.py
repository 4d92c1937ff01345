"""The audit log: all changes in words, for owners, and immutable."""

import csv
import io
from typing import Any, get_args
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from people import join, new_member, new_person, signed_in, signed_in_as, token_of
from stowage.features.activity.store import audit as store
from stowage.model.team import Role
from stowage.platform import audit
from stowage.platform.audit import Event
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import Queue
from tenants import two_teams

AUDIT = "/api/v1/audit"
EXPORT = "/api/v1/audit/export"
PLANS = "/api/v1/plans"
SWEEPS = "/api/v1/sweeps"
TEAM = "/api/v1/team"
QUESTION = {
    "workload": {"data": "1 TB", "name": "nightly sort"},
    "limits": {"max_nodes": 5},
    "choose": {"families": ["i4i"]},
}
SWEEP = {
    "name": "by size",
    "base": QUESTION,
    "columns": {"quantity": "data", "values": ["1 TB", "2 TB"]},
    "rows": {"quantity": "deadline", "values": ["1 h", "2 h"]},
}


@pytest.fixture
def ada(anonymous: TestClient, gate: Database, org_id: UUID) -> TestClient:
    """Return the browser of an owner called Ada."""
    person_id = new_person(gate, "Ada")
    join(gate, org_id, person_id, "owner")
    return signed_in_as(anonymous, gate, person_id)


def sentences(client: TestClient, **asked: Any) -> list[str]:
    """Read the audit log, oldest first."""
    return [event["sentence"] for event in reversed(client.get(AUDIT, params={"limit": 200, **asked}).json()["events"])]


def test_everything_that_is_done_is_told_in_words(ada: TestClient, gate: Database, org_id: UUID) -> None:
    before = len(sentences(ada))
    plan = ada.post(PLANS, json=QUESTION).json()["id"]
    ada.patch(f"{PLANS}/{plan}", json={"name": "hourly sort"})
    ada.delete(f"{PLANS}/{plan}")
    ada.post(f"{PLANS}/{plan}/restore")
    ada.post(f"{PLANS}/{plan}/duplicate")
    sweep = ada.post(SWEEPS, json=SWEEP).json()
    ada.post(f"/api/v1/jobs/{sweep['job']['id']}/cancel")
    link = ada.post("/api/v1/links", json={"kind": "plan", "object_id": plan}).json()
    ada.get(f"/api/v1/shared/{link['address'].rpartition('/')[2]}")
    ada.delete(f"/api/v1/links/{link['id']}")
    token = ada.post("/api/v1/tokens", json={"name": "nightly", "scopes": ["read", "plan"]}).json()
    ada.post(PLANS, json=QUESTION, headers={"Authorization": f"Bearer {token['secret']}"})
    ada.delete(f"/api/v1/tokens/{token['id']}")
    invitation = ada.post(f"{TEAM}/invitations", json={"email": "bob@example.org", "role": "viewer"}).json()
    ada.delete(f"{TEAM}/invitations/{invitation['id']}")
    bob = new_person(gate, "Bob")
    join(gate, org_id, bob, "viewer")
    ada.patch(f"{TEAM}/members/{bob}", json={"role": "planner"})
    ada.post(f"{TEAM}/members/{bob}/reset")
    ada.patch(TEAM, json={"name": "Storage"})
    ada.patch("/api/v1/account", json={"name": "Ada B."})
    ada.get(EXPORT)
    assert sentences(ada)[before:] == [
        "Ada saved the plan nightly sort.",
        "Ada renamed the plan nightly sort to hourly sort.",
        "Ada removed the plan hourly sort.",
        "Ada brought back the plan hourly sort.",
        "Ada saved the plan hourly sort (copy).",
        "Ada started the sweep by size.",
        "Ada cancelled the work on by size.",
        "Ada shared hourly sort by a link.",
        "A visitor with the link looked at hourly sort.",
        "Ada revoked a link to hourly sort.",
        "Ada made the token nightly for read, plan.",
        "Ada, by a token, saved the plan nightly sort.",
        "Ada revoked the token nightly.",
        "Ada invited bob@example.org as a viewer.",
        "Ada closed the invitation of bob@example.org.",
        "Stowage let Bob in as a viewer.",
        "Ada made Bob a planner, before a viewer.",
        "Ada made a link by which Bob sets a new password.",
        f"Ada renamed the team from Team {org_id} to Storage.",
        "Ada is now called Ada B.",
        "Ada B. exported the audit log.",
    ]


READING = {
    "preview_plan",
    "preview_columns",
    "preview_curves",
    "preview_limits",
    "compare_regions",
    "compare_confidences",
    "predict",
    "explain",
    "design_volumes",
    "rerank_plan",
    "quote_run",
    "look_ahead",
    "deploy",
    "preview_ranking",
    "preview_report",
    "check_sweep",
}
"""These requests have a body, and change nothing."""
UNRECORDED = {
    "choose_team",
    "retry_job",
    "begin_upload",
    "test_alert_address",
    "create_run",
    "check_plan",
    "make_documents",
    "prove",
    "send_verification",
    "begin_second_factor",
    "challenge_new_passkey",
    "check_sweep",
    "mark_inbox_read",
    "choose_inbox_mail",
    "choose_inbox_webhook",
    "try_inbox_webhook",
}
"""Routes that record nothing themselves. Views and inboxes are private. A check of a sweep stores nothing. Jobs are
also started by the service; their cancellation is recorded. A file counts once it is accepted, which is recorded. A
test message changes nothing. A run costs nothing before its approval, which is recorded. Plans are also checked by
the service. A report's PDF has the report's content. A reauthentication affects only its session. For a mailed
verification link only the verification is recorded, for a second factor only its confirmation; a challenge changes
nothing."""
TRIED_ELSEWHERE = {
    "request_approval",  # tests/features/reports/test_approvals.py: needs another member
    "decide_approval",
    "schedule_report",  # tests/features/reports/test_schedules.py: needs mail
    "end_schedule",
    "stop_schedule_for_me",
    "mark_saving",  # tests/features/planning/test_savings.py: the walk's plan has no baseline
    "end_plan_watch",  # tests/features/planning/test_plan_watches.py: the walk's plan is deleted, and its watch with it
    "cancel_job",  # above: the walk's job has ended
    "change_role",  # above: the walk's request changes nothing
    "start_refresh",  # tests/features/activity/test_audit_rows.py
    "end_current_token",  # needs a token
    "end_session",
    "end_all_sessions",
    "confirm_second_factor",  # tests/features/teams/test_second_factor.py: needs the code of an app
    "renew_recovery_codes",
    "remove_second_factor",
    "add_passkey",  # tests/features/teams/test_passkeys.py: needs an authenticator
    "remove_passkey",
    "sign_out",
    "leave_team",
    "delete_team",
    "add_piece",  # tests/features/measurements/test_uploads.py: the walk's upload is kept, and closed
    "start_reading",
    "judge_reading",
    "keep_upload",
    "keep_logged_jobs",  # tests/features/calibration/test_logs_of_jobs.py: likewise, and it holds no log
    "delete_upload",
    "approve_run",  # tests/features/benchmarks/test_runs.py: the walk's account is not checked
    "accept_run",
    "cancel_run",  # the walk's run has ended
    "check_aws_account",  # tests/features/benchmarks/test_aws_accounts.py
}


def test_every_change_is_recorded(
    postgres: DatabaseUrls, owner: Database, database: Database, gate: Database, queue: Queue
) -> None:
    def count() -> int:
        with database.transaction(world.org_id) as connection:
            return len(store.read(connection, limit=10_000))

    with two_teams(postgres, owner, database, gate, queue) as world:
        changing = [route for route in world.routes if route.changes and not route.is_public]
        names = {route.name for route in changing}
        assert names >= READING | UNRECORDED | TRIED_ELSEWHERE
        unsaid = []
        # Requests that end something come last.
        for route in sorted(changing, key=lambda route: route.method == "DELETE"):
            if route.name in READING | UNRECORDED | TRIED_ELSEWHERE:
                continue
            before = count()
            answer = route.ask(world.owner, world.ids)
            assert answer.is_success, (route.name, answer.text)
            if count() == before:
                unsaid.append(route.name)
        assert unsaid == []


def test_who_comes_and_goes_is_called_by_name_also_afterwards(
    client: TestClient, ada: TestClient, gate: Database, org_id: UUID
) -> None:
    for name in ("Bob", "Eve"):
        person_id = new_person(gate, name)
        acting = gate.acting_as({"kind": "person", "name": name, "id": str(person_id)})
        join(acting, org_id, person_id, "viewer")
        if name == "Eve":
            assert client.delete(f"{TEAM}/members/{person_id}").status_code == 204
    assert ada.post(f"{TEAM}/leave").status_code == 204
    told = sentences(client)
    assert {"Bob joined as a viewer.", "Eve joined as a viewer.", "Ada left the team."} <= set(told)
    assert any(text.endswith("took Eve out of the team.") for text in told)


def test_an_event_says_when_from_where_and_by_which_request(client: TestClient) -> None:
    saved = client.post(PLANS, json=QUESTION, headers={"X-Request-Id": "of-this-test"}).json()
    event = client.get(AUDIT).json()["events"][0]
    assert (event["action"], event["object_kind"], event["object_id"]) == ("plan.insert", "plan", saved["id"])
    assert (event["request_id"], event["address"], event["actor_kind"]) == ("of-this-test", "testclient", "person")
    assert event["changes"] == {"name": [None, "nightly sort"]}


def test_what_fails_is_not_recorded(client: TestClient) -> None:
    before = sentences(client)
    client.post(PLANS, json={"workload": {"data": "nonsense"}})
    client.patch(f"{PLANS}/{uuid4()}", json={"name": "x"})
    client.delete(f"{TEAM}/members/{uuid4()}")
    client.post("/api/v1/tokens", json={"name": "n", "scopes": []})
    assert sentences(client) == before


def test_the_record_is_read_in_pages_without_gap(client: TestClient) -> None:
    for number in range(5):
        client.post("/api/v1/tokens", json={"name": f"token {number}", "scopes": ["read"]})
    whole = client.get(AUDIT, params={"limit": 200}).json()
    assert whole["next_cursor"] is None
    read, cursor = [], None
    while True:
        page = client.get(AUDIT, params={"limit": 2} | ({} if cursor is None else {"cursor": cursor})).json()
        read += page["events"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        # New entries do not shift the pages.
        client.post("/api/v1/tokens", json={"name": "meanwhile", "scopes": ["read"]})
    assert read == whole["events"]
    assert [event["id"] for event in read] == sorted((event["id"] for event in read), reverse=True)


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "9" * 30, "٣"])
def test_what_is_no_cursor_of_ours_is_refused(client: TestClient, cursor: str) -> None:
    answer = client.get(AUDIT, params={"cursor": cursor})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "cursor")


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("nightly", ["Ada saved the plan nightly sort.", "Ada removed the plan nightly sort."]),
        ("removed", ["Ada removed the plan nightly sort."]),
        ("ADA Removed plan", ["Ada removed the plan nightly sort."]),
        ("renamed plan", []),
        ("invited", ["Ada invited bob_%@example.org as a viewer."]),
        ("bob_%", ["Ada invited bob_%@example.org as a viewer."]),
        ("bobx", []),
        ("viewer", ["Ada invited bob_%@example.org as a viewer."]),
        ("unknown", []),
    ],
)
def test_words_are_looked_for_in_names_and_sentences(ada: TestClient, search: str, found: list[str]) -> None:
    plan = ada.post(PLANS, json=QUESTION).json()["id"]
    ada.delete(f"{PLANS}/{plan}")
    ada.post(f"{TEAM}/invitations", json={"email": "bob_%@example.org", "role": "viewer"})
    assert sentences(ada, search=search) == found


def test_the_export_holds_the_whole_record_oldest_first(client: TestClient, org_id: UUID, database: Database) -> None:
    client.post(PLANS, json=QUESTION)
    answer = client.get(EXPORT)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="stowage-record-')
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    with database.transaction(org_id) as connection:
        stored = store.read(connection, limit=1_000)
    assert [int(row["id"]) for row in rows] == [event.id for event in reversed(stored)]
    assert rows[-1]["action"] == "audit.export"


def test_the_export_reads_more_than_one_piece(
    client: TestClient, org_id: UUID, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stowage.features.activity.audit._EXPORTED_AT_ONCE", 2)
    with database.transaction(org_id) as connection:
        for number in range(7):
            audit.add(connection, Event("session.start", "person", f"Person {number}"))
    rows = list(csv.DictReader(io.StringIO(client.get(EXPORT).text)))
    assert [row["actor_name"] for row in rows][2:-1] == [f"Person {number}" for number in range(7)]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "x;=1+1", '"quoted", and more'])  # noqa: RUF001 - on purpose
def test_the_export_holds_nothing_that_a_spreadsheet_computes(client: TestClient, name: str) -> None:
    assert client.post("/api/v1/tokens", json={"name": name, "scopes": ["read"]}).status_code == 201
    rows = list(csv.DictReader(io.StringIO(client.get(EXPORT).text)))
    [row] = [row for row in rows if row["action"] == "api_token.insert"]
    quoted = {'"quoted", and more': name, "x;=1+1": "x;'=1+1"}
    assert row["object_name"] == quoted.get(name, f"'{name}")


@pytest.mark.parametrize("role", get_args(Role))
def test_the_record_is_for_owners_and_for_tokens_that_were_given_it(
    anonymous: TestClient, gate: Database, org_id: UUID, role: Role
) -> None:
    for scope in ("read", "audit"):
        token = {"Authorization": f"Bearer {token_of(gate, org_id, [scope], role)}"}
        for address in (AUDIT, EXPORT):
            may = role == "owner" and scope == "audit"
            assert anonymous.get(address, headers=token).status_code == (200 if may else 404)
    client = signed_in(anonymous, gate, org_id, role)
    for address in (AUDIT, EXPORT):
        assert client.get(address).status_code == (200 if role == "owner" else 404)


def test_another_teams_record_is_not_read(client: TestClient, other_client: TestClient) -> None:
    other_client.post("/api/v1/tokens", json={"name": "theirs", "scopes": ["read"]})
    assert "theirs" in other_client.get(EXPORT).text
    assert "theirs" not in client.get(EXPORT).text
    assert "theirs" not in client.get(AUDIT).text


def test_the_holder_of_a_share_link_cannot_fill_the_audit_log(client: TestClient, gate: Database, org_id: UUID) -> None:
    new_member(gate, org_id)
    plan = client.post(PLANS, json=QUESTION).json()["id"]
    link = client.post("/api/v1/links", json={"kind": "plan", "object_id": plan}).json()["address"]
    for _ in range(5):
        assert client.get(f"/api/v1/shared/{link.rpartition('/')[2]}").status_code == 200
    assert [text for text in sentences(client) if "looked at" in text] == [
        "A visitor with the link looked at nightly sort."
    ]
