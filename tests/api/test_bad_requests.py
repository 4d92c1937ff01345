"""Bad requests: every answer is a problem document with the path of the field, never a 500, and nothing is stored."""

import json
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from database import superuser
from people import COOKIE
from stowage.api.app import create_app
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import Queue
from stowage.web.services import Services

pytestmark = pytest.mark.one_team

JSON = {"content-type": "application/json"}

BODIES: dict[str, tuple[bytes, int, str | None]] = {
    # content, status, path of the first problem
    "negative": (b'{"workload": {"data": "-5 TB"}}', 422, "workload.data"),
    "unit": (b'{"workload": {"data": "100 TBB"}}', 422, "workload.data"),
    "NaN": (b'{"workload": {"data": NaN}}', 422, "workload.data"),
    "1e400": (b'{"workload": {"data": 1e400}}', 422, "workload.data"),
    "1e400 TB": (b'{"workload": {"data": "1e400 TB"}}', 422, "workload.data"),
    "Infinity rate": (
        b'{"workload": {"data": "1 TB"}, "measured": {"network_mb_per_s": Infinity}}',
        422,
        "measured.network_mb_per_s",
    ),
    "empty body": (b"", 422, ""),
    "null": (b"null", 422, ""),
    "list": (b"[]", 422, ""),
    "no JSON": (b'{"workload": ', 422, None),
    "not UTF-8": (b'{"workload": "\xff\xfe"}', 400, None),
    "deep": (b'{"workload": ' + b"[" * 100_000, 400, None),
    "10 MB": (b'{"workload": {"name": "' + b"x" * 10_000_000 + b'"}}', 413, None),
    "deadline 0": (b'{"workload": {"data": "1 TB"}, "limits": {"deadline": 0}}', 422, "limits.deadline"),
    "unknown region": (b'{"workload": {"data": "1 TB"}, "place": {"region": "mars-1"}}', 422, "place.region"),
    "unknown catalog": (b'{"workload": {"data": "1 TB"}, "place": {"catalog": "x"}}', 422, "place.catalog"),
    "replicas 0": (
        b'{"workload": {"data": "1 TB", "durability": {"model": "application", "replicas": 0}}}',
        422,
        "workload.durability.replicas",
    ),
    "huge integer": (
        b'{"workload": {"data": "1 TB"}, "limits": {"max_nodes": ' + b"9" * 4000 + b"}}",
        422,
        "limits.max_nodes",
    ),
    "endless integer": (b'{"workload": {"data": ' + b"9" * 200_000 + b"}}", 400, None),
    "lone surrogate": (b'{"workload": {"data": "1 TB", "name": "\\ud800"}}', 422, "workload.name"),
    "surrogate key": (b'{"workload": {"data": "1 TB", "\\ud800": 1}}', 422, None),
    "NUL in the name": (b'{"workload": {"data": "1 TB", "name": "a\\u0000b"}}', 422, "workload.name"),
    "unknown field": (b'{"workload": {"data": "1 TB"}, "sudo": true}', 422, "sudo"),
}

SWEEP: dict[str, Any] = {
    "base": {"workload": {"data": "1 TB"}},
    "columns": {"quantity": "data", "values": ["1 TB"]},
    "rows": {"quantity": "deadline", "values": ["1 h"]},
}


def plans(database: Database, org_id: UUID) -> object:
    with database.transaction(org_id) as connection:
        return connection.scalar(text("SELECT count(*) FROM plan"))


@pytest.mark.parametrize("address", ["/api/v1/plans", "/api/v1/plans/preview", "/api/v1/predictions"])
@pytest.mark.parametrize(("content", "status", "path"), BODIES.values(), ids=BODIES.keys())
def test_a_bad_body_is_answered_with_its_problem(
    client: TestClient, database: Database, org_id: UUID, address: str, content: bytes, status: int, path: str | None
) -> None:
    response = client.post(address, content=content, headers=JSON)
    assert response.status_code == status, response.text[:300]
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == status
    assert problem["detail"]
    if path is not None:
        assert problem["errors"][0]["path"] == path
        assert problem["errors"][0]["message"]
    assert plans(database, org_id) == 0


@pytest.mark.parametrize(
    ("cluster", "path"),
    [
        ({"instance": "i9.huge", "nodes": 1}, "cluster.instance"),
        ({"instance": "i2.8xlarge", "nodes": 0}, "cluster.nodes"),
        ({"instance": "\x00", "nodes": 1}, "cluster.instance"),
        (
            {
                "instance": "i2.8xlarge",
                "nodes": 1,
                "storage": {"kind": "ebs", "type": "gp2", "size": "1 GiB", "count": 8},
            },
            "cluster.storage.kind",
        ),
        (
            {
                "instance": "i2.8xlarge",
                "nodes": 1,
                "storage": {"kind": "instance-store", "input_output_disks": 0, "intermediate_disks": 8},
            },
            "cluster.storage.input_output_disks",
        ),
        (
            {
                "instance": "i2.8xlarge",
                "nodes": 1,
                "storage": {"kind": "instance-store", "input_output_disks": 8, "intermediate_disks": 0},
            },
            "cluster.storage.intermediate_disks",
        ),
    ],
)
def test_a_cluster_that_cannot_be(client: TestClient, cluster: dict[str, Any], path: str) -> None:
    response = client.post("/api/v1/predictions", json={"workload": {"data": "1 TB"}, "cluster": cluster})
    assert response.status_code == 422
    assert response.json()["errors"][0]["path"] == path


def test_a_prediction_without_a_cluster(client: TestClient) -> None:
    response = client.post("/api/v1/predictions", json={"workload": {"data": "1 TB"}})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "cluster")


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/v1/plans/not-an-id", 422),
        ("/api/v1/plans/00000000-0000-4000-8000-000000000000", 404),
        ("/api/v1/plans?limit=0", 422),
        ("/api/v1/plans?limit=many", 422),
        ("/api/v1/plans?cursor=nonsense", 422),
        ("/api/v1/plans?cursor=MjAyNi0xMS0yMA==", 422),
        (
            "/api/v1/plans?cursor=MDAwMS0wMS0wMVQwMDowMDowMCswMDowMCAwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDA=",
            200,
        ),
        ("/api/v1/nothing-here", 404),
        ("/api/nothing-here", 404),
    ],
)
def test_bad_addresses(client: TestClient, address: str, status: int) -> None:
    response = client.get(address)
    assert response.status_code == status
    if status != 200:
        assert response.headers["content-type"] == "application/problem+json"


def test_a_method_that_is_not_offered(client: TestClient) -> None:
    response = client.put("/api/v1/plans/preview")
    assert response.status_code == 405
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["allow"]


def test_another_name_for_this_machine_is_refused(client: TestClient) -> None:
    assert client.get("/api/v1/plans", headers={"host": "rebound.example"}).status_code == 400
    assert client.get("/api/v1/plans", headers={"host": "127.0.0.1:8000"}).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_what_a_foreign_page_can_send_unasked_is_no_workload(
    client: TestClient, database: Database, org_id: UUID, kind: str
) -> None:
    content = b'{"workload": {"data": "1 TB"}}'
    response = client.post("/api/v1/plans", content=content, headers={"content-type": kind})
    assert response.status_code == 422
    assert "application/json" in response.json()["errors"][0]["message"]
    assert plans(database, org_id) == 0


@pytest.mark.parametrize("unprintable", ["\x00", "a\x00b", "\ud800", "\u202e"])
@pytest.mark.parametrize(
    ("address", "body", "path"),
    [
        ("plans/preview", {"workload": {"data": "1 TB"}, "place": {"catalog": "?"}}, "place.catalog"),
        ("plans", {"workload": {"data": "1 TB", "name": "?"}}, "workload.name"),
        ("predictions", {"workload": {"data": "1 TB"}, "cluster": {"instance": "?", "nodes": 3}}, "cluster.instance"),
        ("sweeps", SWEEP | {"name": "?"}, "name"),
        (
            "sweeps",
            SWEEP | {"base": {"workload": {"data": "1 TB"}, "place": {"catalog": "?"}}},
            "base.place.catalog",
        ),
        ("sweeps", SWEEP | {"columns": {"quantity": "data", "values": ["?"]}}, "columns.values.0"),
        ("sweeps", SWEEP | {"columns": {"quantity": "region", "values": ["?"]}}, "columns.values.0"),
    ],
)
def test_what_cannot_be_printed_is_refused_at_its_field(
    client: TestClient, address: str, body: dict[str, object], path: str, unprintable: str
) -> None:
    content = json.dumps(body).replace('"?"', json.dumps(unprintable)).encode()
    response = client.post(f"/api/v1/{address}", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 422, response.text
    assert [problem["path"] for problem in response.json()["errors"]] == [path]


def test_no_database_is_no_answer_but_no_fault_of_the_request(queue: Queue) -> None:
    nowhere = Database("postgresql+psycopg://unknown@/nowhere?host=/nonexistent")
    try:
        app = create_app(Services(nowhere, nowhere, queue), page=None)
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
            client.cookies.set(COOKIE, "a secret that cannot be looked up")
            for response in (
                client.get("/api/v1/catalogs"),
                client.post("/api/v1/plans", json={"workload": {"data": "1 TB"}}),
            ):
                assert response.status_code == 503
                assert response.headers["content-type"] == "application/problem+json"
                assert "nonexistent" not in response.text
    finally:
        nowhere.close()


def test_a_full_disk_is_no_fault_of_the_request_nor_of_the_service_and_stores_nothing(
    client: TestClient, postgres: DatabaseUrls
) -> None:
    with superuser(postgres) as connection:
        connection.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
        )
        connection.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON plan FOR EACH ROW WHEN (NEW.name = 'no room') "
            "EXECUTE FUNCTION full_disk()"
        )
        try:
            body = {"workload": {"data": "1 TB", "name": "no room"}, "limits": {"max_nodes": 3}}
            response = client.post("/api/v1/plans", json=body)
        finally:
            connection.execute("DROP FUNCTION full_disk CASCADE")
    assert (response.status_code, response.json()["title"]) == (503, "Not available")
    assert "no room left; nothing was stored" in response.json()["detail"]
    assert client.get("/api/v1/plans?search=no+room").json()["plans"] == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
PATHS = [
    ("workload", "data"),
    ("workload", "name"),
    ("workload", "durability"),
    ("workload", "runs_per_month"),
    ("place", "region"),
    ("limits", "deadline"),
    ("limits", "budget"),
    ("limits", "max_nodes"),
    ("cluster", "instance"),
    ("cluster", "nodes"),
    ("cluster", "storage"),
    ("measured", "storage_mb_per_s"),
]


@given(path=st.sampled_from(PATHS), value=VALUES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_in_any_field_is_answered_or_refused(
    client: TestClient, path: tuple[str, str], value: object
) -> None:
    document: dict[str, Any] = {
        "workload": {"data": "1 TB"},
        "limits": {"max_nodes": 50},
        "cluster": {"instance": "i2.8xlarge", "nodes": 10},
    }
    document.setdefault(path[0], {})[path[1]] = value
    content = json.dumps(document).encode()
    for address in ("/api/v1/plans/preview", "/api/v1/predictions"):
        response = client.post(address, content=content, headers=JSON)
        assert response.status_code in {200, 400, 422}, (document, response.text[:500])


def test_a_check_of_a_sweep_names_the_values_that_its_start_refuses_and_stores_nothing(client: TestClient) -> None:
    wrong = SWEEP | {"columns": {"quantity": "data", "values": ["1 TB", "1 fortnight"]}}
    checked, started = (client.post(f"/api/v1/sweeps{path}", json=wrong) for path in ("/check", ""))
    assert (checked.status_code, checked.json()["errors"]) == (started.status_code, started.json()["errors"])
    assert [each["path"] for each in checked.json()["errors"]] == ["columns.values.1"]
    assert client.post("/api/v1/sweeps/check", json=SWEEP).json() == {"cells": 1}
    assert client.get("/api/v1/sweeps").json()["sweeps"] == []
