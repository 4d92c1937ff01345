"""Quotas: limits of a team, refusals beyond them, and no effect on other teams."""

import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from stowage.catalog.snapshot import LATEST, packaged
from stowage.features.planning import regions
from stowage.features.teams import operators
from stowage.features.teams.operators import set_quota
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, NotFound
from stowage.platform.jobs.queue import Queue
from stowage.platform.quotas import QUOTAS, QuotaName
from walk import BODIES

REPORT = {"title": "Published models", "origin": {"kind": "validation"}}


def save(client: TestClient) -> Response:
    return client.post("/api/v1/plans", json=BODIES["save_plan"])


def sweep(client: TestClient) -> Response:
    return client.post("/api/v1/sweeps", json=BODIES["start_sweep"])


def publish(client: TestClient) -> Response:
    return client.post("/api/v1/reports", json=REPORT)


def duplicate(client: TestClient) -> Response:
    plan = client.get("/api/v1/plans").json()["plans"]
    return save(client) if not plan else client.post(f"/api/v1/plans/{plan[0]['id']}/duplicate")


def preview(client: TestClient, team: str = "local") -> Response:
    return client.post("/api/v1/plans/preview", params={"team": team}, json=BODIES["preview_plan"])


ADDING: Mapping[tuple[QuotaName, int], Callable[[TestClient], Response]] = {
    ("plans", 403): save,
    ("plans-per-day", 429): duplicate,
    ("sweeps", 403): sweep,
    ("sweeps-per-day", 429): sweep,
    ("open-sweeps", 429): sweep,
    ("open-cells", 429): sweep,
    ("reports", 403): publish,
    ("reports-per-day", 429): publish,
}


@pytest.mark.parametrize(("named", "add"), ADDING.items(), ids=[name for name, _ in ADDING])
def test_beyond_a_quota_the_refusal_names_it_and_other_teams_are_unaffected(
    client: TestClient,
    other_client: TestClient,
    gate: Database,
    org_id: UUID,
    named: tuple[QuotaName, int],
    add: Callable[[TestClient], Response],
) -> None:
    name, status = named
    set_quota(gate, str(org_id), name, 2)
    assert [add(client).status_code for _ in range(2)] == [201, 201]
    refused = add(client)
    assert refused.status_code == status, refused.text
    problem = refused.json()
    assert problem["type"] == "urn:stowage:problem:quota"
    assert problem["quota"] == {"name": name, "limit": 2, "unit": QUOTAS[name].unit, "frees": QUOTAS[name].room}
    assert name in problem["detail"]
    assert ("Retry-After" in refused.headers) == (status == 429)
    assert (refused.headers.get("Connection") == "close") == (status == 429)
    if name.endswith("-per-day"):
        assert 80_000 < int(refused.headers["Retry-After"]) <= 86_401
    used = {each["name"]: each for each in client.get("/api/v1/team/quotas").json()["quotas"]}
    assert (used[name]["used"], used[name]["limit"], used[name]["default"]) == (2, 2, QUOTAS[name].default)
    assert add(other_client).status_code == 201
    set_quota(gate, str(org_id), name, None)
    assert add(client).status_code == 201


def test_concurrent_requests_stay_within_the_quota(client: TestClient, gate: Database, org_id: UUID) -> None:
    set_quota(gate, str(org_id), "open-sweeps", 3)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: sweep(client).status_code, range(6)))
    assert sorted(answers) == [201] * 3 + [429] * 3


def test_a_repeated_request_does_not_count_twice(client: TestClient, gate: Database, org_id: UUID) -> None:
    set_quota(gate, str(org_id), "sweeps", 1)
    key = {"Idempotency-Key": str(UUID(int=org_id.int ^ 1))}
    first = client.post("/api/v1/sweeps", json=BODIES["start_sweep"], headers=key)
    again = client.post("/api/v1/sweeps", json=BODIES["start_sweep"], headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["id"] == again.json()["id"]


def test_previews_of_the_example_team_count_for_the_callers_own_team(
    client: TestClient, other_client: TestClient, gate: Database, org_id: UUID
) -> None:
    set_quota(gate, str(org_id), "previews-per-second", 0)
    for team in ("local", "example"):
        refused = preview(client, team)
        assert refused.status_code == 429
        assert refused.json()["quota"]["name"] == "previews-per-second"
        assert int(refused.headers["Retry-After"]) >= 1
        assert preview(other_client, team).status_code == 200


def test_requests_refused_for_their_permission_count_as_no_previews(
    client: TestClient, gate: Database, org_id: UUID
) -> None:
    reader = client.post("/api/v1/tokens", json={"name": "nightly", "scopes": ["read"]}).json()["secret"]
    set_quota(gate, str(org_id), "previews-per-second", 0)
    body = BODIES["preview_plan"]
    refused = client.post("/api/v1/plans/preview", json=body, headers={"Authorization": f"Bearer {reader}"})
    assert refused.status_code == 404


@pytest.mark.parametrize(
    ("path", "operation"), [("plans/confidences", "compare_confidences"), ("sweeps/check", "check_sweep")]
)
def test_work_that_stores_nothing_counts_as_a_preview(
    client: TestClient, other_client: TestClient, gate: Database, org_id: UUID, path: str, operation: str
) -> None:
    set_quota(gate, str(org_id), "previews-per-second", 0)
    refused, other = (each.post(f"/api/v1/{path}", json=BODIES[operation]) for each in (client, other_client))
    assert (refused.status_code, refused.json()["quota"]["name"]) == (429, "previews-per-second")
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("path", "operation", "limit"),
    [
        ("plans/confidences", "compare_confidences", 3),
        ("plans/regions", "compare_regions", 20),
        ("plans/preview/limits", "preview_limits", 5),
    ],
)
def test_comparisons_count_as_a_preview_for_each_search(
    client: TestClient, gate: Database, queue: Queue, org_id: UUID, path: str, operation: str, limit: int
) -> None:
    set_quota(gate, str(org_id), "previews-per-second", limit)
    # Three quarters of the burst are used: there is room for one search, but not for all of a comparison.
    assert queue.wait_for_rate(f"previews:{org_id}", 2, 3) == 0
    refused = client.post(f"/api/v1/{path}", json=BODIES[operation])
    assert (refused.status_code, refused.json()["quota"]["name"]) == (429, "previews-per-second")
    assert preview(client).status_code == 200


def test_a_comparison_counts_for_each_region_of_the_packaged_catalog_version() -> None:
    assert len(packaged(LATEST).regions) == regions.MOST_SEARCHES


def test_a_request_counts_by_its_weight_and_for_a_whole_burst_at_most(queue: Queue, org_id: UUID) -> None:
    def wait_s(key: str, weight: int) -> float:
        return queue.wait_for_rate(f"test:{org_id}:{key}", 5, weight)

    assert wait_s("weighted", 9) == 0
    assert 0.5 < wait_s("weighted", 4) <= 0.6
    assert wait_s("heavy", 1_000) == 0
    assert 1.5 < wait_s("heavy", 1_000) <= 2.0


def test_a_rate_limit_admits_its_burst_and_then_returns_the_time_to_wait(queue: Queue, org_id: UUID) -> None:
    waits_s = [queue.wait_for_rate(f"test:{org_id}", 5) for _ in range(40)]
    assert waits_s[:10] == [0] * 10
    assert max(waits_s) > 0
    assert max(waits_s) <= 0.2


def test_an_unknown_quota_limit_or_team_is_refused(gate: Database, org_id: UUID) -> None:
    with pytest.raises(BadInput, match="there is no quota 'plan'; accepted: previews-per-second,"):
        set_quota(gate, str(org_id), "plan", 1)
    with pytest.raises(BadInput, match="-1 is not accepted"):
        set_quota(gate, str(org_id), "plans", -1)
    with pytest.raises(NotFound, match="There is no team 'Unknown'"):
        operators.limits_of(gate, "Unknown")


def own(client: TestClient, name: str, limit: object) -> Response:
    return client.put(f"/api/v1/team/quotas/{name}", json={"limit": limit})


def test_an_owner_limits_the_own_team_below_the_operators_limit(
    client: TestClient, other_client: TestClient, gate: Database, org_id: UUID
) -> None:
    set_quota(gate, str(org_id), "plans", 5)
    answered = {each["name"]: each for each in own(client, "plans", 1).json()["quotas"]}["plans"]
    assert [answered[key] for key in ("limit", "granted", "own", "default")] == [1, 5, 1, QUOTAS["plans"].default]
    assert [save(client).status_code for _ in range(2)] == [201, 403]
    assert save(other_client).status_code == 201
    # The operator's limit still holds for a team with a higher limit of its own.
    assert own(client, "plans", 5).status_code == 200
    set_quota(gate, str(org_id), "plans", 1)
    assert save(client).status_code == 403
    set_quota(gate, str(org_id), "plans", None)
    removed = {each["name"]: each for each in own(client, "plans", None).json()["quotas"]}["plans"]
    assert (removed["limit"], removed["own"]) == (QUOTAS["plans"].default, None)
    assert save(client).status_code == 201
    sentences = [each["sentence"] for each in client.get("/api/v1/audit").json()["events"]]
    assert [re.sub("^Owner [0-9a-f]+ ", "", each) for each in sentences if "quota" in each] == [
        "removed the team's limit of the quota “Saved plans”.",
        "changed the team's limit of the quota “Saved plans” to 5.",
        "limited the quota “Saved plans” to 1.",
    ]


@pytest.mark.parametrize(
    ("name", "limit", "field", "words"),
    [
        ("plans", 5_001, "limit", "accepted: a whole number from 0 to 5,000, the operator's limit"),
        ("plans", -1, "limit", "accepted: 0 or more"),
        ("plans", "3", "limit", "whole number"),
        ("plan", 1, "quota", "previews-per-second"),
    ],
)
def test_an_own_limit_that_is_not_accepted_is_refused(
    client: TestClient, name: str, limit: object, field: str, words: str
) -> None:
    refused = own(client, name, limit)
    assert refused.status_code == 422
    [problem] = refused.json()["errors"]
    assert problem["path"] == field
    assert words in problem["message"]
    assert {each["own"] for each in client.get("/api/v1/team/quotas").json()["quotas"]} == {None}


def test_the_load_of_a_team_names_its_open_jobs_streams_and_cpu_time(
    client: TestClient, other_client: TestClient, queue: Queue, org_id: UUID
) -> None:
    assert client.get("/api/v1/team/load").json()["jobs"] == []
    assert sweep(client).status_code == 201
    queue.end("sweeps", org_id, 4.0)
    load = client.get("/api/v1/team/load").json()
    [job] = load["jobs"]
    assert (job["kind"], job["queued"], job["running"]) == ("sweep", 1, 0)
    assert job["units_left"] > 0
    assert 3.0 < load["cpu_s"] <= 4.0
    assert load["streams"] == 0
    other = other_client.get("/api/v1/team/load").json()
    assert (other["jobs"], other["cpu_s"]) == ([], 0)
