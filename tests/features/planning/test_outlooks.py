"""Cost over time through the API."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from stowage.features.planning.outlook.outlooks import look_ahead
from stowage.features.planning.outlook.schemas import NewOutlook
from stowage.workloads.knowledge import packaged_knowledge

SORT: dict[str, Any] = {
    "file": {
        "workload": {"data": "100 TB", "runs_per_month": 30},
        "place": {"catalog": "paper-2014"},
        "limits": {"deadline": "30 min"},
        "cluster": {"instance": "i2.8xlarge", "nodes": 178},
    },
    "growth_pct_per_month": 3,
    "months": 24,
}


def test_what_is_answered_is_what_the_packaged_catalog_gives(client: TestClient) -> None:
    response = client.post("/api/v1/outlooks", json=SORT)
    assert response.status_code == 200
    expected = look_ahead(NewOutlook.model_validate(SORT), packaged_knowledge).model_dump(mode="json")
    assert response.json() == expected
    assert client.get("/api/v1/plans").json()["plans"] == []


def test_what_is_not_possible_is_an_answer(client: TestClient) -> None:
    file = SORT["file"] | {"cluster": {"instance": "i2.8xlarge", "nodes": 1}}
    response = client.post("/api/v1/outlooks", json={"file": file})
    assert response.status_code == 200
    assert (response.json()["feasible"], response.json()["limit"]) == (False, "capacity")


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"months": 0}, "months"),
        ({"months": 121}, "months"),
        ({"growth_pct_per_month": -51}, "growth_pct_per_month"),
        ({"growth_pct_per_month": "fast"}, "growth_pct_per_month"),
        ({"commitment": "some"}, "commitment"),
        ({"file": {"workload": {"data": "1 TB"}}}, "file.cluster"),
        ({"file": {"workload": {"data": "1 TB"}, "cluster": {"instance": "i9", "nodes": 1}}}, "file.cluster.instance"),
        ({"years": 3}, "years"),
    ],
    ids=str,
)
def test_what_is_not_accepted_is_named(client: TestClient, change: dict[str, Any], path: str) -> None:
    response = client.post("/api/v1/outlooks", json=SORT | change)
    assert response.status_code == 422
    assert [problem["path"] for problem in response.json()["errors"]] == [path]
