"""Catalog refreshes over the API: started once, refused with a reason, followed."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from people import signed_in, token_of
from stowage.api.app import create_app
from stowage.catalog.schedule import Schedule
from stowage.features.catalog.refresh import CREDENTIALS, SOURCES
from stowage.platform.access import DENIED
from stowage.platform.database.database import Database
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.queue import Queue
from stowage.settings import Settings
from stowage.web.services import Services

REFRESH = "/api/v1/catalogs/refresh"


def test_before_the_first_one_it_says_what_the_next_needs(client: TestClient) -> None:
    answer = client.get(REFRESH).json()
    assert (answer["job"], answer["version"], answer["notes"]) == (None, None, [])
    assert answer["sentence"] == "The catalog was never refreshed."
    assert answer["schedule"] == {"every_s": None, "regions": ["us-east-1"]}
    assert {"us-east-1", "eu-west-1"} <= set(answer["regions"])
    assert answer["newest_version"].startswith("aws-")


def test_the_button_starts_one_and_pressed_again_gives_that_one(client: TestClient, other_client: TestClient) -> None:
    first = client.post(REFRESH, json={"regions": ["eu-west-1", "us-east-1"]})
    job = first.json()
    assert (first.status_code, job["kind"], job["state"]) == (202, "refresh", "queued")
    assert (job["done"], job["total"]) == (0, 2 * len(SOURCES))
    assert first.headers["Location"] == f"/api/v1/jobs/{job['id']}"
    assert client.post(REFRESH).json()["id"] == job["id"]
    looked_at = client.get(REFRESH).json()
    assert looked_at["job"] == client.get(f"/api/v1/jobs/{job['id']}").json()
    assert looked_at["regions_read"] == ["eu-west-1", "us-east-1"]
    assert looked_at["sentence"] == "0 of 18 parts are read."
    # Other teams see the outcome for the shared catalog, but not which team started it.
    of_others = other_client.get(REFRESH).json()
    assert of_others == looked_at | {"job": None}


def test_cancelling_or_retrying_a_refresh_needs_the_permission_to_start_one(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    job = client.post(REFRESH).json()["id"]
    planner = signed_in(anonymous, gate, org_id, "planner")
    refused = planner.post(f"/api/v1/jobs/{job}/cancel")
    assert (refused.status_code, refused.json()["detail"]) == (404, DENIED)
    by_token = {"Authorization": f"Bearer {token_of(gate, org_id, ['plan'])}"}
    assert anonymous.post(f"/api/v1/jobs/{job}/cancel", headers=by_token).status_code == 404
    assert client.get(f"/api/v1/jobs/{job}").json()["state"] == "queued"
    assert client.post(f"/api/v1/jobs/{job}/cancel").json()["state"] == "cancelled"
    assert planner.post(f"/api/v1/jobs/{job}/retry").status_code == 404
    assert client.get(f"/api/v1/jobs/{job}").json()["state"] == "cancelled"
    assert client.post(f"/api/v1/jobs/{job}/retry").json()["state"] == "queued"


def test_without_a_body_it_takes_the_schedules_regions(services: Services, gate: Database, org_id: UUID) -> None:
    scheduled = replace(services, refresh=Schedule(86400.0, ("eu-west-1",)))
    with TestClient(create_app(scheduled, page=None), base_url="http://localhost") as client:
        signed_in(client, gate, org_id)
        assert client.post(REFRESH).status_code == 202
        answer = client.get(REFRESH).json()
    assert answer["regions_read"] == ["eu-west-1"]
    assert answer["schedule"] == {"every_s": 86400.0, "regions": ["eu-west-1"]}


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({"regions": ["us-east-1", "us-esat-1"]}, "regions.1", "'us-esat-1' is no region of the newest catalog"),
        ({"regions": ["us-east-1", "us-east-1"]}, "regions", "each once"),
        ({"regions": []}, "regions", "at least 1"),
        ({"region": "us-east-1"}, "region", "is not a field that is known here"),
    ],
)
def test_what_it_cannot_read_is_refused_by_name(
    client: TestClient, body: dict[str, object], path: str, words: str
) -> None:
    refused = client.post(REFRESH, json=body)
    assert refused.status_code == 422
    [problem] = refused.json()["errors"]
    assert problem["path"] == path
    assert words in problem["message"]
    assert client.get(REFRESH).json()["job"] is None


@pytest.mark.parametrize("told", ["found", "missing"])
def test_it_says_whether_a_worker_finds_credentials(client: TestClient, queue: Queue, told: str) -> None:
    queue.note(CREDENTIALS, told, 60)
    assert client.get(REFRESH).json()["credentials"] == told


def test_of_a_failed_one_it_says_why(client: TestClient, database: Database, org_id: UUID) -> None:
    job_id = UUID(client.post(REFRESH).json()["id"])
    with database.transaction(org_id) as connection:
        claim = job_store.claim(connection, job_id, 0)
        assert claim is not None
        job_store.fail(connection, claim, reason="There are no AWS credentials.", reference=None)
    answer = client.get(REFRESH).json()
    assert answer["sentence"] == "It failed, and the catalog is as before: There are no AWS credentials."
    assert answer["job"]["finished_at"] <= datetime.now(UTC).isoformat()


def test_a_retry_of_one_that_another_has_followed_is_refused(client: TestClient) -> None:
    first = client.post(REFRESH).json()["id"]
    client.post(f"/api/v1/jobs/{first}/cancel")
    second = client.post(REFRESH).json()["id"]
    refused = client.post(f"/api/v1/jobs/{first}/retry")
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert "A newer refresh was started" in refused.json()["detail"]
    assert client.get(f"/api/v1/jobs/{first}").json()["state"] == "cancelled"
    assert client.post(f"/api/v1/jobs/{second}/retry").json()["state"] == "queued"


def test_the_schedule_is_a_duration_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOWAGE_REFRESH_EVERY", "24 h")
    monkeypatch.setenv("STOWAGE_REFRESH_REGIONS", "us-east-1, eu-west-1")
    settings = Settings()
    assert (settings.refresh_every_s, settings.refresh_regions) == (86400.0, ("us-east-1", "eu-west-1"))
    for bad in ("often", "59 min"):
        monkeypatch.setenv("STOWAGE_REFRESH_EVERY", bad)
        with pytest.raises(ValueError, match="STOWAGE_REFRESH_EVERY"):
            Settings()
