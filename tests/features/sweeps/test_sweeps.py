"""Sweeps and jobs through the API: started, followed, cancelled, retried; renamed, deleted, restored."""

import json
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue
from stowage_worker.tasks import WORKS

SWEEP: dict[str, Any] = {
    "base": {"workload": {"data": "1 TB"}, "place": {"catalog": "paper-2014"}, "limits": {"max_nodes": 200}},
    "columns": {"quantity": "data", "values": ["1 TB", "100 TB", "1 PB"]},
    "rows": {"quantity": "deadline", "values": ["10 min", "2 h"]},
}


@pytest.fixture(autouse=True)
def nothing_left(database: Database, org_id: UUID, queue: Queue, client: TestClient) -> Iterator[None]:
    """End the jobs that a test started, so that other tests' workers do not find them."""
    yield
    for sweep in client.get("/api/v1/sweeps").json()["sweeps"]:
        jobs.cancel_job(database, org_id, queue, UUID(sweep["job"]["id"]))


def start(client: TestClient, **changes: object) -> dict[str, Any]:
    response = client.post("/api/v1/sweeps", json=SWEEP | changes)
    assert response.status_code == 201, response.text
    started: dict[str, Any] = response.json()
    return started


def work(database: Database, queue: Queue, org_id: UUID, job: dict[str, Any]) -> None:
    """Process the job part by part, as the worker does; parts beyond the last do not exist."""
    for number in range(job["total"]):
        part = Part(org_id, UUID(job["id"]), "sweep", number)
        jobs.work_on_part(database, queue, part, WORKS, time.monotonic)


def problems(response: Any) -> dict[str, str]:
    assert response.status_code == 422, response.text
    return {problem["path"]: problem["message"] for problem in response.json()["errors"]}


def test_a_sweep_has_an_address_from_the_start_and_fills_there(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    created = client.post("/api/v1/sweeps", json=SWEEP)
    started = created.json()
    assert created.headers["location"] == f"/api/v1/sweeps/{started['id']}"
    assert (started["job"]["state"], started["job"]["total"], started["cells"]) == ("queued", 6, [])
    assert started["name"] == "sort: data size by deadline"
    work(database, queue, org_id, started["job"])
    swept = client.get(created.headers["location"]).json()
    assert (swept["job"]["state"], swept["job"]["done"]) == ("done", 6)
    assert [(cell["row"], cell["column"]) for cell in swept["cells"]] == [(r, c) for r in range(2) for c in range(3)]
    unsaid = {
        "workload": {"data": "1 TB", "framework": None},
        "limits": {**SWEEP["base"]["limits"], "chance": None},
        "assume": {"usual": "applied"},
    }
    assert swept["base"] == {**SWEEP["base"], **unsaid}
    assert swept["columns"] == SWEEP["columns"]
    [listed] = client.get("/api/v1/sweeps").json()["sweeps"]
    assert listed == {name: swept[name] for name in listed}


def test_the_same_request_sent_twice_starts_one_sweep(client: TestClient) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    first, second = (client.post("/api/v1/sweeps", json=SWEEP, headers=key) for _ in range(2))
    assert first.json()["id"] == second.json()["id"] == key["Idempotency-Key"]
    assert first.json()["job"]["id"] == second.json()["job"]["id"]
    assert len(client.get("/api/v1/sweeps").json()["sweeps"]) == 1


def test_a_key_of_another_team_or_of_a_removed_sweep_starts_nothing(
    client: TestClient, other_client: TestClient
) -> None:
    key = {"Idempotency-Key": start(client)["id"]}
    assert other_client.post("/api/v1/sweeps", json=SWEEP, headers=key).status_code == 404
    assert other_client.get("/api/v1/sweeps").json()["sweeps"] == []
    client.delete(f"/api/v1/sweeps/{key['Idempotency-Key']}")
    assert client.post("/api/v1/sweeps", json=SWEEP, headers=key).status_code == 404


@pytest.mark.parametrize(
    ("changes", "path", "part"),
    [
        ({"columns": {"quantity": "data", "values": ["1 TB", "many"]}}, "columns.values.1", "many"),
        ({"columns": {"quantity": "data", "values": ["1 TB", "1 TB"]}}, "columns.values.1", "twice"),
        ({"columns": {"quantity": "data", "values": []}}, "columns.values", "at least 1"),
        ({"columns": {"quantity": "data", "values": ["1 TB"] * 51}}, "columns.values", "at most 50"),
        ({"columns": {"quantity": "colour", "values": ["red"]}}, "columns.quantity", "accepted"),
        ({"rows": {"quantity": "data", "values": ["1 TB"]}}, "", "two different quantities"),
        ({"rows": {"quantity": "deadline", "values": ["30"]}}, "rows.values.0", "30"),
        ({"rows": {"quantity": "replicas", "values": ["0"]}}, "rows.values.0", "1"),
        ({"rows": {"quantity": "replicas", "values": ["two"]}}, "rows.values.0", "two"),
        ({"rows": {"quantity": "durability", "values": ["magic"]}}, "rows.values.0", "infrastructure"),
        ({"rows": {"quantity": "region", "values": ["us-east-1", "atlantis"]}}, "rows.values.1", "us-east-1"),
        ({"rows": {"quantity": "purchase", "values": ["spot"]}}, "rows.values.0", "on-demand"),
        ({"base": {"workload": {"data": "much"}}}, "base.workload.data", "much"),
        ({"base": {"workload": {"data": "1 TB"}, "place": {"catalog": "old"}}}, "base.place.catalog", "old"),
        ({"base": {"workload": {"data": "1 TB"}, "place": {"region": "eu"}}}, "base.place.region", "us-east-1"),
        ({"name": "x" * 201}, "name", "200"),
        ({"more": 1}, "more", "is not a field"),
    ],
)
def test_what_cannot_be_swept_is_told_at_its_field_and_nothing_is_stored(
    client: TestClient, changes: dict[str, Any], path: str, part: str
) -> None:
    found = problems(client.post("/api/v1/sweeps", json=SWEEP | changes))
    assert part in found[path], found
    assert client.get("/api/v1/sweeps").json()["sweeps"] == []


def test_events_tell_a_job_from_its_queue_to_its_end(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    job = start(client)["job"]
    worker = Thread(target=work, args=(database, queue, org_id, job))
    worker.start()
    with client.stream("GET", f"/api/v1/jobs/{job['id']}/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line.removeprefix("data: ")) for line in response.iter_lines() if line.startswith("data")]
    worker.join()
    assert {event["id"] for event in events} == {job["id"]}
    assert (events[-1]["state"], events[-1]["done"]) == ("done", 6)
    assert [event["done"] for event in events] == sorted(event["done"] for event in events)
    with client.stream("GET", f"/api/v1/jobs/{job['id']}/events") as response:
        again = [line for line in response.iter_lines() if line.startswith("data")]
    assert json.loads(again[0].removeprefix("data: ")) == events[-1]


def test_a_cancelled_job_goes_on_when_asked(client: TestClient, database: Database, queue: Queue, org_id: UUID) -> None:
    sweep = start(client)
    address = f"/api/v1/jobs/{sweep['job']['id']}"
    assert client.post(f"{address}/cancel").json()["state"] == "cancelled"
    assert client.post(f"{address}/cancel").json()["state"] == "cancelled"
    work(database, queue, org_id, sweep["job"])
    assert client.get(address).json()["done"] == 0
    assert client.post(f"{address}/retry").json()["state"] == "queued"
    work(database, queue, org_id, sweep["job"])
    assert client.get(address).json()["state"] == "done"
    assert client.post(f"{address}/retry").json()["state"] == "done"
    assert client.post(f"{address}/cancel").json()["state"] == "done"


def test_a_sweep_is_renamed_removed_and_brought_back(client: TestClient) -> None:
    sweep = start(client, name="First")
    address = f"/api/v1/sweeps/{sweep['id']}"
    assert client.patch(address, json={"name": "Second"}).json()["name"] == "Second"
    assert problems(client.patch(address, json={"name": ""})).keys() == {"name"}
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404
    assert client.get("/api/v1/sweeps").json()["sweeps"] == []
    assert client.delete(address).status_code == 404
    restored = client.post(f"{address}/restore").json()
    assert (restored["name"], restored["job"]["state"]) == ("Second", "cancelled")
    assert client.get(address).json() == restored


def test_another_team_finds_neither_the_sweep_nor_its_job(client: TestClient, other_client: TestClient) -> None:
    sweep = start(client)
    swept, job = f"/api/v1/sweeps/{sweep['id']}", f"/api/v1/jobs/{sweep['job']['id']}"
    for method, address in (
        ("GET", swept),
        ("PATCH", swept),
        ("DELETE", swept),
        ("POST", f"{swept}/restore"),
        ("GET", job),
        ("POST", f"{job}/cancel"),
        ("POST", f"{job}/retry"),
        ("GET", f"{job}/events"),
    ):
        response = other_client.request(method, address, json={"name": "mine"} if method == "PATCH" else None)
        assert response.status_code == 404, address
        assert response.headers["content-type"] == "application/problem+json"
    assert client.get(job).json()["state"] == "queued"


def test_sweeps_are_listed_a_page_at_a_time(client: TestClient) -> None:
    ids = [start(client)["id"] for _ in range(3)]
    first = client.get("/api/v1/sweeps", params={"limit": 2}).json()
    second = client.get("/api/v1/sweeps", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [sweep["id"] for sweep in first["sweeps"] + second["sweeps"]] == ids[::-1]
    assert second["next_cursor"] is None
    assert problems(client.get("/api/v1/sweeps", params={"cursor": "mine"})).keys() == {"cursor"}
