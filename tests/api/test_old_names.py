"""Names of the API until November 2026: old paths, keys and stored documents still work."""

import json
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from outdated import change_answers
from stowage.catalog.snapshot import LATEST
from stowage.platform.database.database import Database

pytestmark = pytest.mark.one_team

SORT: dict[str, Any] = {
    "workload": {"data": "1 TB", "durability": {"model": "none"}},
    "place": {"catalog": "paper-2014"},
    "limits": {"deadline": "30 min", "max_nodes": 50},
    "assume": {"usual": "ignored"},
}
OLD = SORT | {"place": {"catalogue": "paper-2014"}}


@pytest.mark.parametrize(
    "path", ["", f"/{LATEST}/regions/us-east-1", f"/{LATEST}/regions/us-east-1/instance-types/i3.large", "/refresh"]
)
def test_an_old_path_is_answered_as_the_path_of_today(client: TestClient, path: str) -> None:
    today = client.get(f"/api/v1/catalogs{path}")
    assert today.status_code == 200
    assert client.get(f"/api/v1/catalogues{path}").json() == today.json()


def test_only_whole_parts_of_a_path_are_old(client: TestClient) -> None:
    assert client.get("/api/v1/cataloguesque").status_code == 404


def test_the_list_of_versions_has_its_old_key(client: TestClient) -> None:
    found = client.get("/api/v1/catalogues").json()
    assert found["catalogues"] == found["catalogs"]
    assert len(found["catalogs"]) > 1


def test_an_old_key_of_a_request_means_the_same_and_answers_have_both(client: TestClient) -> None:
    old, today = (client.post("/api/v1/plans/preview", json=asked).json() for asked in (OLD, SORT))
    assert old["configurations"] == today["configurations"]
    assert old["workload"]["place"] == {"catalog": "paper-2014"}
    for name in ("version", "as_of"):
        assert old[f"catalogue_{name}"] == old[f"catalog_{name}"] == today[f"catalog_{name}"]


def test_a_plan_that_was_stored_with_the_old_names_is_read_changed_and_watched(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    saved = client.post("/api/v1/plans", json=SORT).json()
    with database.transaction(org_id) as connection:
        change_answers(connection, _with_old_names)
        workload = connection.scalar(text("SELECT workload FROM plan"))
        workload["place"]["catalogue"] = workload["place"].pop("catalog")
        connection.execute(text("UPDATE plan SET workload = :workload"), {"workload": json.dumps(workload)})
    address = f"/api/v1/plans/{saved['id']}"
    assert client.get(address).json() == saved
    assert client.get(f"{address}/ranking").json()["incomplete"] is None
    assert client.get(f"{address}/today").status_code == 200
    [listed] = client.get("/api/v1/plans").json()["plans"]
    assert listed["changes"] == []
    assert client.put(f"{address}/watch", json={"every": "day"}).status_code == 200


def _with_old_names(answer: dict[str, Any]) -> None:
    place = answer["workload"]["place"]
    place["catalogue"] = place.pop("catalog")
    for name in ("version", "as_of"):
        answer[f"catalogue_{name}"] = answer.pop(f"catalog_{name}")


def test_a_pin_that_was_stored_with_the_old_name_is_read(client: TestClient, database: Database, org_id: UUID) -> None:
    pin = {**SORT, "cluster": {"instance": "i2.8xlarge", "nodes": 20}}
    saved = client.post("/api/v1/plans", json={**SORT, "decided": {"pins": [pin]}}).json()
    with database.transaction(org_id) as connection:
        row = {"id": saved["id"]}
        stored = connection.scalar(text("SELECT decided FROM plan WHERE id = :id"), row)
        stored["pins"][0]["file"]["place"]["catalogue"] = stored["pins"][0]["file"]["place"].pop("catalog")
        connection.execute(
            text("UPDATE plan SET decided = :decided WHERE id = :id"), row | {"decided": json.dumps(stored)}
        )
    assert client.get(f"/api/v1/plans/{saved['id']}").json() == saved
    assert len(saved["decided"]["pins"]) == 1


def test_a_sweep_that_was_stored_with_the_old_name_is_read(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    asked = {
        "base": SORT,
        "columns": {"quantity": "data", "values": ["1 TB", "2 TB"]},
        "rows": {"quantity": "deadline", "values": ["30 min"]},
    }
    created = client.post("/api/v1/sweeps", json=asked)
    assert created.status_code in {201, 202}, created.text
    address = created.headers["location"]
    saved = client.get(address).json()
    with database.transaction(org_id) as connection:
        request = connection.scalar(text("SELECT request FROM sweep"))
        request["base"]["place"]["catalogue"] = request["base"]["place"].pop("catalog")
        connection.execute(text("UPDATE sweep SET request = :request"), {"request": json.dumps(request)})
    assert client.get(address).json()["base"] == saved["base"]


def test_the_volume_designer_accepts_the_old_key(client: TestClient) -> None:
    asked = {"capacity": "1 TiB", "iops": "4,000"}
    old, today = (
        client.post("/api/v1/volumes/design", json={**asked, "place": {name: "latest"}}).json()
        for name in ("catalogue", "catalog")
    )
    assert old == today
    assert today["designs"]
