"""Results of benchmark runs: assembled, accepted as measurements, compared, and applied to plans."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from asked_runs import OTHER, QUESTION, RUNS, SPEC, TYPE, approve, create, measured, read
from outdated import replace_workload
from quoted import connected
from reported import ended, launched, net_document, report
from stowage.features.benchmarks import run_results
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue

FILES = Path(__file__).parents[2] / "measure" / "files" / "redis_benchmark"


@pytest.fixture
def account(database: Database, org_id: UUID) -> UUID:
    """Connect an account as if it had been checked."""
    return connected(database, org_id)


def test_results_are_put_together_with_how_the_network_falls_as_the_cluster_grows(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    run = measured(client, database, org_id, account, 1_000.0, 1_100.0, 900.0, 800.0)
    assert (run["state"], run["verified"], run["spent_usd"], run["progress"]) == ("done", True, 0.21, 1.0)
    assert [step["status"] for step in run["steps"]] == ["ended"] * 7
    assert run["scaling"] == [
        {"nodes": 2, "mean_mb_per_s": 1_050.0, "slowest_mb_per_s": 1_000.0, "reported": 2},
        {"nodes": 4, "mean_mb_per_s": 950.0, "slowest_mb_per_s": 800.0, "reported": 4},
    ]
    assert [point["nodes"] for point in run["published_scaling"]["points"]] == [2, 4]
    assert all(point["mb_per_s"] > 0 for point in run["published_scaling"]["points"])
    [_, four] = run["results"]
    values = {metric["name"]: (metric["value"], metric["unit"]) for metric in four["metrics"]}
    assert values["network_slowest_mb_per_s"] == (800.0, "MB/s")
    assert [node["metrics"][0]["value"] for node in four["per_node"]] == [1_000.0, 1_100.0, 900.0, 800.0]
    assert four["per_node"][3]["instance_id"] == "i-0003"
    # A run that has ended costs no more.
    assert run["cost_per_hour"] == 0.0


def test_results_are_saved_once_and_recompute_the_profile_and_the_plan(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    plan = client.post("/api/v1/plans", json=QUESTION).json()
    assert plan["answer"]["configurations"][0]["instance"] == TYPE
    run = measured(client, database, org_id, account, 1_000.0, 1_000.0, 1_000.0, 1_000.0)
    address = f"{RUNS}/{run['id']}"
    assert (run["can_accept"], run["accepted_as"]) == (True, None)
    assert client.get(f"{address}/reranking").json()["plans"] == []
    answer = client.post(f"{address}/accept")
    assert answer.status_code == 200, answer.text
    kept = answer.json()
    assert (len(kept["measurements"]), kept["known"]) == (2, 0)
    assert kept["profiles"]
    after = read(client, run)
    assert after["accepted"]
    assert not after["can_accept"]
    assert set(after["accepted_as"]["measurements"]) == set(kept["measurements"])
    # Accepting twice stores them once.
    again = client.post(f"{address}/accept").json()
    assert (set(again["measurements"]), again["profiles"]) == (set(kept["measurements"]), [])
    [two, four] = [client.get(f"/api/v1/measurements/{each}").json() for each in kept["measurements"]]
    assert (two["tool"], two["target"]["instance"], two["target"]["nodes"]) == ("netbench", TYPE, 2)
    assert (four["target"]["nodes"], four["target"]["zone"], four["verdict"]) == (4, "us-east-1a", four["verdict"])
    with zipfile.ZipFile(io.BytesIO(client.get(f"/api/v1/uploads/{two['upload_id']}/file").content)) as archive:
        assert archive.namelist() == ["net-2.json", "net-4.json"]
    profiles = client.get("/api/v1/profiles").json()["profiles"]
    assert {each["target"]["nodes"] for each in profiles if each["target"]["instance"] == TYPE} == {2, 4}
    [reranked] = client.get(f"{address}/reranking").json()["plans"]
    assert reranked["plan_id"] == plan["id"]
    assert reranked["measured"]["changed"]
    assert reranked["measured"]["winner_now"]["instance"] == OTHER


def test_results_are_saved_and_recompute_the_other_plans_if_one_is_of_an_earlier_version(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    outdated, plan = (client.post("/api/v1/plans", json=QUESTION).json() for _ in range(2))
    replace_workload(database, org_id, outdated, {**QUESTION, "workload": {"payload": "100 TB"}})
    run = measured(client, database, org_id, account, 1_000.0, 1_000.0, 1_000.0, 1_000.0)
    address = f"{RUNS}/{run['id']}"
    assert client.post(f"{address}/accept").status_code == 200
    answer = client.get(f"{address}/reranking")
    assert answer.status_code == 200, answer.text
    assert [each["plan_id"] for each in answer.json()["plans"]] == [plan["id"]]


def test_what_others_have_measured_since_is_not_what_a_run_has_changed(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    client.post("/api/v1/plans", json=QUESTION)
    first = measured(client, database, org_id, account, 1_000.0, 1_000.0, 1_000.0, 1_000.0)
    client.post(f"{RUNS}/{first['id']}/accept")
    address = f"{RUNS}/{first['id']}/reranking"
    told = client.get(address).json()
    assert told["plans"]
    second = measured(client, database, org_id, account, 500.0, 500.0, 500.0, 500.0)
    client.post(f"{RUNS}/{second['id']}/accept")
    assert client.get(address).json() == told
    assert client.get(f"{RUNS}/{second['id']}/reranking").json()["plans"] != told["plans"]


def test_what_fails_is_kept_as_far_as_it_goes_and_nothing_is_not_kept(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    nothing = create(client, account)
    approve(client, nothing)
    launched(database, org_id, UUID(nothing["id"]), 4)
    ended(database, org_id, UUID(nothing["id"]), state="failed", outcome="failed", failure="No node reported.")
    found = read(client, nothing)
    assert (found["state"], found["sentence"], found["can_accept"]) == ("failed", "No node reported.", False)
    refused = client.post(f"{RUNS}/{nothing['id']}/accept")
    assert refused.status_code == 409
    assert "measured nothing" in refused.json()["detail"]
    half = create(client, account)
    approve(client, half)
    launched(database, org_id, UUID(half["id"]), 4)
    for node in range(2):
        report(database, org_id, UUID(half["id"]), node, "net-2", net_document(1_000.0, datetime.now(UTC)))
    report(database, org_id, UUID(half["id"]), 0, "net-4", net_document(990.0, datetime.now(UTC)))
    ended(database, org_id, UUID(half["id"]), state="failed", outcome="failed", failure="A node died.")
    kept = client.post(f"{RUNS}/{half['id']}/accept")
    assert kept.status_code == 200, kept.text
    statuses = {
        each["target"]["nodes"]: each["status"] for each in client.get("/api/v1/measurements").json()["measurements"]
    }
    assert statuses == {2: "ok", 4: "partial"}


def test_runs_are_compared_number_by_number_against_the_first(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    slow = measured(client, database, org_id, account, 1_000.0, 1_000.0, 1_000.0, 1_000.0)
    fast = measured(client, database, org_id, account, 1_100.0, 1_100.0, 1_100.0, 1_100.0)
    other = create(client, account, SPEC | {"nodes": 8, "placement_group": False})
    ids = ",".join(each["id"] for each in (slow, fast, other))
    found = client.get(f"{RUNS}/compare", params={"ids": ids}).json()
    assert [each["id"] for each in found["runs"]] == [slow["id"], fast["id"], other["id"]]
    rows = {(row["phase"], row["name"]): row for row in found["rows"]}
    row = rows["net-4", "network_mb_per_s"]
    assert row["values"] == [1_000.0, 1_100.0, None]
    assert row["percent"] == [0.0, pytest.approx(10.0), None]
    assert found["differences"] == ["nodes: 4, 4, 8", "placement group: True, True, False"]
    for wrong in ("", "net", ",".join(str(uuid4()) for _ in range(9))):
        assert client.get(f"{RUNS}/compare", params={"ids": wrong}).status_code == 422
    assert client.get(f"{RUNS}/compare", params={"ids": str(uuid4())}).status_code == 404


def test_concurrent_saves_of_results_store_them_once(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, account: UUID
) -> None:
    run = measured(client, database, org_id, account, 1_000.0, 1_010.0, 990.0, 1_000.0)
    together = Barrier(4)

    def keep(_number: int) -> frozenset[UUID]:
        together.wait()
        kept = run_results.accept_run(database, org_id, queue, UUID(run["id"]), person="Ada", now=datetime.now(UTC))
        return frozenset(kept.measurements)

    with ThreadPoolExecutor(4) as pool:
        [kept] = set(pool.map(keep, range(4)))
    assert len(kept) == 2
    assert len(client.get("/api/v1/measurements").json()["measurements"]) == 2
    assert client.get("/api/v1/uploads").json()["uploads"] == []


def disk_document(read_mb_per_s: float, write_mb_per_s: float) -> dict[str, Any]:
    """Return the report of a node for a disk phase."""
    return {
        "stowage": "diskbench",
        "version": 1,
        "name": "4 disks, half of them read",
        "started_at": datetime.now(UTC).isoformat(),
        "duration_s": 60,
        "settings": {"mode": "read-write", "disks": 4, "block_bytes": 1 << 20, "direct": True},
        "result": {
            "storage_mb_per_s": min(read_mb_per_s, write_mb_per_s),
            "read_mb_per_s": read_mb_per_s,
            "write_mb_per_s": write_mb_per_s,
        },
    }


def test_disks_are_kept_node_by_node_as_what_they_were_asked_to_be(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    spec = {"benchmark": "diskbench", "nodes": 2, "storage": {"kind": "instance-store"}, "placement_group": False}
    run = create(client, account, SPEC | spec | {"disk": {"modes": ["read-write"]}})
    approve(client, run)
    run_id = UUID(run["id"])
    launched(database, org_id, run_id, 2)
    report(database, org_id, run_id, 0, "disk-read-write", disk_document(3_000.0, 1_500.0))
    report(database, org_id, run_id, 1, "disk-read-write", disk_document(3_000.0, 1_400.0))
    ended(database, org_id, run_id)
    [result] = read(client, run)["results"]
    assert [(each["name"], each["value"], each["unit"]) for each in result["metrics"]] == [
        ("storage_mb_per_s", 1_450.0, "MB/s"),
        ("storage_mb_per_s.min", 1_400.0, "MB/s"),
    ]
    assert (result["complete"], result["name"]) == (True, "Half the disks read while half are written")
    kept = client.post(f"{RUNS}/{run['id']}/accept")
    assert kept.status_code == 200, kept.text
    found = [client.get(f"/api/v1/measurements/{each}").json() for each in kept.json()["measurements"]]
    assert [each["target"]["storage"] for each in found] == [{"kind": "instance-store", "disks": 4}] * 2
    assert {each["member"] for each in found} == {"disk-read-write.json"}
    # As the nodes wrote them, to the digit.
    values = [{each["name"]: each["value"] for each in one["metrics"]}["storage_mb_per_s"] for one in found]
    assert values == [1_500.0, 1_400.0]


def test_a_screened_cluster_says_which_nodes_to_give_back(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    spec = {"benchmark": "screening", "nodes": 6, "storage": {"kind": "instance-store"}, "placement_group": False}
    run = create(client, account, SPEC | spec | {"disk": {"modes": ["read-write"]}, "time_limit_s": 3_600.0})
    approve(client, run)
    run_id = UUID(run["id"])
    launched(database, org_id, run_id, 6)
    for node, rate in enumerate((1_000.0, 1_005.0, 995.0, 1_002.0, 600.0)):
        report(database, org_id, run_id, node, "net-6", net_document(rate, datetime.now(UTC)))
    for node in range(6):
        report(database, org_id, run_id, node, "disk-read-write", disk_document(3_000.0, 1_500.0))
    # A node without a report may still send one.
    assert read(client, run)["screening"] is None
    ended(database, org_id, run_id)
    screening = read(client, run)["screening"]
    assert [(each["node"], each["instance_id"]) for each in screening["drop"]] == [(4, "i-0004"), (5, "i-0005")]
    [slow, silent] = [each["reasons"] for each in screening["drop"]]
    assert "40% below the median" in slow[0]
    assert silent == ["it did not report on net-6"]


def test_what_a_tool_did_not_write_is_not_kept_and_the_rest_is(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    spec = {"benchmark": "redis", "nodes": 1, "storage": {"kind": "instance-store"}, "placement_group": False}
    printed = (FILES / "text.txt").read_text()

    def run_with(**texts: str) -> dict[str, Any]:
        run = create(client, account, SPEC | spec)
        approve(client, run)
        launched(database, org_id, UUID(run["id"]), 1)
        for sync, text in texts.items():
            document = {"tool": "redis-benchmark", "text": text}
            report(database, org_id, UUID(run["id"]), 0, f"redis-{sync}", document)
        ended(database, org_id, UUID(run["id"]))
        return run

    half = run_with(everysec=printed, always="Segmentation fault")
    kept = client.post(f"{RUNS}/{half['id']}/accept")
    assert kept.status_code == 200, kept.text
    members = {client.get(f"/api/v1/measurements/{each}").json()["member"] for each in kept.json()["measurements"]}
    assert members == {"redis-everysec.txt"}
    said = [event["words"] for event in read(client, half)["log"]]
    assert any(words.startswith("redis-always.txt cannot be read: ") for words in said)
    nothing = client.post(f"{RUNS}/{run_with(always='Segmentation fault')['id']}/accept")
    assert nothing.status_code == 409
    assert "redis-always.txt cannot be read" in nothing.json()["detail"]
