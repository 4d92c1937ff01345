"""Explanations through the API."""

from typing import Any

from fastapi.testclient import TestClient

from stowage.features.planning.explanation.explanation import explain_cluster
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

SORT: dict[str, Any] = {
    "workload": {"data": "100 TB"},
    "place": {"catalog": "paper-2014"},
    "limits": {"deadline": "30 min", "max_nodes": 200},
    "cluster": {"instance": "i2.8xlarge", "nodes": 120},
}


def test_an_explanation_is_what_the_packaged_catalog_gives(client: TestClient) -> None:
    response = client.post("/api/v1/plans/explanation", json=SORT)
    assert response.status_code == 200
    assert response.json() == explain_cluster(parse_workload(SORT), packaged_knowledge).model_dump(mode="json")
    assert client.get("/api/v1/plans").json()["plans"] == []


def test_what_is_not_possible_is_explained_too(client: TestClient) -> None:
    answer = client.post("/api/v1/plans/explanation", json=SORT | {"cluster": {"instance": "i2.8xlarge", "nodes": 1}})
    assert answer.status_code == 200
    assert answer.json()["obstacle"]["limit"] == "capacity"


def test_without_a_cluster_there_is_nothing_to_explain(client: TestClient) -> None:
    response = client.post("/api/v1/plans/explanation", json={"workload": SORT["workload"]})
    assert response.status_code == 422
    assert [problem["path"] for problem in response.json()["errors"]] == ["cluster"]
