"""Watched plans over the API: started, changed, checked on demand, ended; refusals; and notifications."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from receiver import HOST, Receiver
from small_catalogs import Versions, small_catalogs
from stowage.features.alerts import alerts
from stowage.features.planning.watches import checking as plan_watching
from stowage.platform import letters
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue

PLANS = "/api/v1/plans"
EVEN = {"i3.8xlarge": 1.0, "i3en.6xlarge": 1.0, "i4i.8xlarge": 1.0}
QUESTION = {
    "workload": {"data": "1 TB", "name": "nightly sort"},
    "limits": {"max_nodes": 10},
    "choose": {"families": ["i4i"]},
}


@pytest.fixture
def versions(database: Database, postgres: DatabaseUrls) -> Iterator[Versions]:
    with small_catalogs(database, postgres) as made:
        made.put(EVEN)
        yield made


@pytest.fixture
def plan_id(client: TestClient, versions: Versions) -> str:
    answer = client.post(PLANS, json=QUESTION)
    assert answer.json()["answer"]["catalog_version"] == versions.names[0]
    found: str = answer.json()["id"]
    return found


def begin(client: TestClient, plan_id: str, **how: Any) -> dict[str, Any]:
    answer = client.put(f"{PLANS}/{plan_id}/watch", json={"every": "day"} | how)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def checked(client: TestClient, database: Database, org_id: UUID, plan_id: str) -> dict[str, Any]:
    """Request a check, and do the worker's part."""
    assert client.post(f"{PLANS}/{plan_id}/watch/check").status_code == 202
    plan_watching.check(database, org_id, UUID(plan_id), datetime.now(UTC), lambda: 0.0)
    found: dict[str, Any] = client.get(f"{PLANS}/{plan_id}/watch").json()
    return found


def test_a_plan_is_watched_checked_changed_and_ended(
    client: TestClient, database: Database, org_id: UUID, plan_id: str
) -> None:
    address = f"{PLANS}/{plan_id}/watch"
    off = client.get(address).json()
    assert (off["state"], off["every"], off["told"], off["checks"]) == ("off", None, None, [])
    assert client.get("/api/v1/plan-watches").json() == {"watches": [], "most": 100}
    begun = begin(client, plan_id)
    assert (begun["state"], begun["every"], begun["percent"], begun["checking"]) == ("on", "day", 5.0, True)
    # Already requested: it is checked once.
    assert client.post(f"{address}/check").status_code == 202
    plan_watching.check(database, org_id, UUID(plan_id), datetime.now(UTC), lambda: 0.0)
    [found] = client.get(address).json()["checks"]
    saved = client.get(f"{PLANS}/{plan_id}").json()["answer"]["configurations"][0]
    for name in ("instance", "nodes", "storage", "storage_words", "purchase", "durability", "replicas"):
        assert found["winner"][name] == saved[name], name
    assert found["winner"]["cost_usd"] == saved["cost_usd"]["p50"]
    assert begin(client, plan_id, every="month", percent=0.1)["percent"] == 0.1
    [row] = client.get("/api/v1/plan-watches").json()["watches"]
    assert (row["plan_id"], row["plan_name"], row["every"], row["checking"]) == (
        plan_id,
        "nightly sort",
        "month",
        False,
    )
    assert row["last"] == found
    for _ in range(2):
        assert client.delete(address).status_code == 204
    ended = client.get(address).json()
    assert (ended["state"], ended["next_check_at"], ended["checks"]) == ("off", None, [found])
    refused = client.post(f"{address}/check")
    assert (refused.status_code, refused.json()["detail"]) == (409, "The plan is not watched; watch it first.")
    assert begin(client, plan_id, every="month", percent=0.1)["checking"] is False


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "every"),
        ({"every": "hour"}, "every"),
        ({"every": None}, "every"),
        ({"every": "day", "percent": 0}, "percent"),
        ({"every": "day", "percent": -5}, "percent"),
        ({"every": "day", "percent": 1000.1}, "percent"),
        ({"every": "day", "percent": "much"}, "percent"),
        ({"every": "day", "percent": None}, "percent"),
        ({"every": "day", "more": 1}, "more"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(client: TestClient, body: dict[str, Any], path: str) -> None:
    answer = client.put(f"{PLANS}/{uuid4()}/watch", json=body)
    assert (answer.status_code, [each["path"] for each in answer.json()["errors"]]) == (422, [path])


def test_a_plan_of_another_team_and_one_that_never_was_are_not_found_alike(
    client: TestClient, other_client: TestClient, plan_id: str
) -> None:
    begin(client, plan_id)
    for asked in (plan_id, str(uuid4())):
        address = f"{PLANS}/{asked}/watch"
        answers = [
            other_client.put(address, json={"every": "day"}),
            other_client.get(address),
            other_client.post(f"{address}/check"),
            other_client.delete(address),
        ]
        assert {answer.status_code for answer in answers} == {404}
        assert {answer.json()["detail"] for answer in answers} == {f"There is no plan {asked}."}
    assert other_client.get("/api/v1/plan-watches").json()["watches"] == []
    assert client.get(f"{PLANS}/{plan_id}/watch").json()["state"] == "on"


def test_what_happens_to_a_watch_is_recorded_and_what_changes_nothing_is_not(client: TestClient, plan_id: str) -> None:
    begin(client, plan_id)
    begin(client, plan_id)
    begin(client, plan_id, percent=7.5)
    client.delete(f"{PLANS}/{plan_id}/watch")
    client.delete(f"{PLANS}/{plan_id}/watch")
    begin(client, plan_id, percent=7.5)
    events = client.get("/api/v1/audit", params={"limit": 10}).json()["events"]
    told = [each["sentence"].partition(" ")[2] for each in events if each["object_kind"] == "plan_watch"]
    assert [sentence.partition("had ")[2] or sentence for sentence in told] == [
        "the plan nightly sort watched again.",
        told[1],
        told[2],
        "the plan nightly sort watched, every day.",
    ]
    assert told[1].endswith("ended the watch of the plan nightly sort.")
    assert told[2].endswith("changed how the plan nightly sort is watched.")
    found = client.get("/api/v1/audit", params={"search": "watched again"}).json()["events"]
    assert [each["object_id"] for each in found] == [plan_id]


def test_a_change_is_on_the_page_and_a_webhook_is_told_of_it_signed(
    client: TestClient,
    database: Database,
    queue: Queue,
    org_id: UUID,
    plan_id: str,
    versions: Versions,
    receiver: Receiver,
) -> None:
    webhook = {"kind": "webhook", "address": f"https://{HOST}/stowage"}
    secret = client.post("/api/v1/alert-addresses", json=webhook).json()["secret"]
    begin(client, plan_id)
    before = client.get(f"{PLANS}/{plan_id}/watch").json()["told"]["winner"]
    versions.put(dict.fromkeys(EVEN, 2.0))
    assert checked(client, database, org_id, plan_id)["checks"][-1]["told"]
    assert not checked(client, database, org_id, plan_id)["checks"][-1]["told"]
    listed = client.get("/api/v1/alerts").json()
    [alert] = listed["alerts"]
    assert (listed["unseen"], alert["plan_id"], alert["plan_name"]) == (1, plan_id, "nightly sort")
    assert (alert["profile_key"], alert["metric"], alert["direction"]) == (None, None, "regression")
    assert alert["factor"] == pytest.approx(2.0, abs=0.05)
    with database.transaction(org_id) as connection:
        [(job_id,)] = connection.exec_driver_sql("SELECT id::text FROM job WHERE kind = 'alert'").all()

    def send(claimed: ClaimedPart) -> None:
        alerts.send_part(claimed, None, receiver.sender(), page="https://stowage.example.org", now=lambda: 1_790e6)

    jobs.work_on_part(database, queue, Part(org_id, UUID(job_id), "alert", 0), {"alert": send}, lambda: 0.0)
    [taken] = receiver.taken
    told = json.loads(taken.body)
    assert (told["event"], told["plan"], told["plan_name"], told["change"]) == ("plan", plan_id, "nightly sort", "cost")
    assert told["words"] == alert["words"]
    assert told["link"] == f"https://stowage.example.org/plans/{plan_id}"
    assert told["before"]["winner"] == before
    assert told["after"]["catalog_version"] == versions.names[1]
    assert "addresses" not in told
    assert taken.is_signed_with(secret)
    seen = client.post(f"/api/v1/alerts/{alert['id']}/seen").json()
    assert seen["seen_by"]
    assert client.get("/api/v1/alerts").json()["unseen"] == 0


@pytest.mark.parametrize(
    ("name", "called"),
    [("nightly sort", '"nightly sort"'), ("=cmd|' /C calc'!A0 see evil.example/prize", "a plan")],
    ids=["plain", "advertising"],
)
def test_a_letter_names_the_plan_unless_its_name_is_more_than_one(name: str, called: str) -> None:
    letter = letters.plan_change(team="Storage", plan=name, words="It costs more.", link="https://here/plans/1")
    assert letter.subject == "The answer of a plan has changed"
    assert letter.text.startswith("It costs more.\n")
    assert f'This was found by checking {called}, which "Storage" watches on Stowage.' in letter.text
    assert "evil" not in letter.text
