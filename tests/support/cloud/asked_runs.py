"""Runs requested over the API, and finished runs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient

from reported import ended, launched, net_document, report
from stowage.platform.database.database import Database

RUNS = "/api/v1/runs"
TYPE, OTHER = "i3.8xlarge", "i8ge.6xlarge"
SPEC: dict[str, Any] = {
    "benchmark": "netbench",
    "instance": TYPE,
    "nodes": 4,
    "region": "us-east-1",
    "placement_group": True,
}
QUESTION: dict[str, Any] = {
    "workload": {"data": "100 TB", "durability": {"model": "none"}},
    "limits": {"deadline": "2 h", "max_nodes": 100},
    "choose": {"instances": [TYPE, OTHER]},
    "assume": {"usual": "ignored"},
}


def create(client: TestClient, account: UUID, spec: Mapping[str, Any] = SPEC, key: str | None = None) -> dict[str, Any]:
    new = {"name": "Network of four", "account_id": str(account), "spec": dict(spec)}
    answer = client.post(RUNS, json=new, headers={} if key is None else {"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"{RUNS}/{run['id']}"
    return run


def approve(client: TestClient, run: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"{RUNS}/{run['id']}/approve", json={"agreed_usd": run["quoted_usd"]})
    assert answer.status_code == 200, answer.text
    approved: dict[str, Any] = answer.json()
    return approved


def read(client: TestClient, run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{RUNS}/{run['id']}").json()
    return found


def measured(client: TestClient, database: Database, org_id: UUID, account: UUID, *rates: float) -> dict[str, Any]:
    """Store a finished run of four nodes, each of which received at its rate at both cluster sizes."""
    run = create(client, account)
    approve(client, run)
    run_id = UUID(run["id"])
    launched(database, org_id, run_id, 4)
    at = datetime.now(UTC)
    for phase, nodes in (("net-2", 2), ("net-4", 4)):
        for node in range(nodes):
            report(database, org_id, run_id, node, phase, net_document(rates[node], at))
    ended(database, org_id, run_id)
    return read(client, run)
