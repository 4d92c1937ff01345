"""Audit log of finished jobs, calibrations and alerts: in words, once each, and without secrets."""

from uuid import UUID

from fastapi.testclient import TestClient

from kept_measurements import keep_network, network
from stowage.platform.database.database import Database

HEADER = "name,job,framework,instance,nodes,data,input_output,measured_s\n"
RUNS = (("small", 4, 900), ("middle", 8, 500), ("large", 16, 300), ("again", 4, 910))
STEADY = [1_000.0, 1_010.0, 990.0, 1_005.0, 995.0, 1_000.0, 1_002.0, 998.0]
FALLEN = [*STEADY, *(0.8 * rate for rate in STEADY)]


def told(client: TestClient) -> list[str]:
    """Read the audit log, oldest first, without its actor, who is always the same."""
    events = client.get("/api/v1/audit", params={"limit": 200}).json()["events"]
    return [event["sentence"].removeprefix(event["actor_name"]).strip() for event in reversed(events)]


def keep_jobs(client: TestClient, *runs: tuple[str, int, int]) -> list[str]:
    lines = "".join(f"{name},sort,ours,i3.8xlarge,{nodes},1 TB,instance-store,{time}\n" for name, nodes, time in runs)
    answer = client.post("/api/v1/finished-jobs", content=HEADER + lines, headers={"Content-Type": "text/csv"})
    assert (answer.status_code, answer.json()["problems"]) == (201, []), answer.text
    return [job["id"] for job in answer.json()["kept"]]


def test_what_becomes_of_finished_jobs_is_told(client: TestClient, database: Database, org_id: UUID) -> None:
    measurements = [str(each) for each in keep_network(database, org_id, network("i3.8xlarge"), STEADY[:2])]
    before = len(told(client))
    job, *_ = keep_jobs(client, *RUNS)
    keep_jobs(client, RUNS[0])
    client.post(f"/api/v1/finished-jobs/{job}/series", json={"measurements": measurements})
    client.delete(f"/api/v1/finished-jobs/{job}")
    client.post(f"/api/v1/finished-jobs/{job}/restore")
    assert client.post("/api/v1/calibrations", json={"framework": "ours"}).status_code == 201
    assert told(client)[before:] == [
        *(f"added the finished job {name}." for name, _, _ in RUNS),
        "left the finished job small as it was.",
        "said what was recorded beside the finished job small.",
        "withdrew the finished job small.",
        "brought back the job small.",
        "calibrated ours.",
    ]


def test_what_is_not_done_to_a_finished_job_is_not_told(
    client: TestClient, other_client: TestClient, database: Database, org_id: UUID
) -> None:
    [measurement, *_] = keep_network(database, org_id, network("i3.8xlarge"), STEADY[:1])
    [job] = keep_jobs(other_client, RUNS[0])
    [ours] = keep_jobs(client, RUNS[0])
    before = told(client), told(other_client)
    series = {"measurements": [str(measurement)]}
    # A measurement or a job of another team cannot be named.
    assert other_client.post(f"/api/v1/finished-jobs/{job}/series", json=series).status_code == 422
    assert other_client.post(f"/api/v1/finished-jobs/{ours}/series", json=series).status_code == 404
    assert (told(client), told(other_client)) == before


def test_who_has_seen_an_alert_and_who_is_told_is_told_once(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    keep_network(database, org_id, network("c5n.18xlarge"), FALLEN)
    before = len(told(client))
    [alert] = client.get("/api/v1/alerts").json()["alerts"]
    for _ in range(2):
        client.post(f"/api/v1/alerts/{alert['id']}/seen")
    webhook = {"kind": "webhook", "address": "https://hooks.example.org/a-secret-in-an-address"}
    added = client.post("/api/v1/alert-addresses", json=webhook).json()
    client.delete(f"/api/v1/alert-addresses/{added['id']}")
    assert told(client)[before:] == [
        "noted as seen that something had changed.",
        "had alerts sent by webhook.",
        "ended alerts by webhook.",
    ]
    for read in ("/api/v1/audit", "/api/v1/audit/export"):
        assert "a-secret-in-an-address" not in client.get(read).text
