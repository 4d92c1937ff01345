"""Watched volumes over the API: started, listed, drawn, ended; and refusals."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from quoted import connected
from stowage.features.benchmarks.store import aws_accounts
from stowage.features.monitoring.store import metrics
from stowage.features.monitoring.store.metrics import SeriesKey
from stowage.platform.database.database import Database

WATCHES = "/api/v1/watches"
VOLUME = "vol-0123456789abcdef0"


@pytest.fixture
def account_id(database: Database, org_id: UUID) -> UUID:
    return connected(database, org_id)


def asked(account: UUID, **changed: str) -> dict[str, Any]:
    return {"account_id": str(account), "region": "us-east-1", "volume_id": VOLUME} | changed


def begin(client: TestClient, account_id: UUID, **changed: str) -> dict[str, Any]:
    answer = client.post(WATCHES, json=asked(account_id, **changed))
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_volume_is_watched_once_until_it_is_ended_and_may_then_be_watched_again(
    client: TestClient, account_id: UUID
) -> None:
    first = begin(client, account_id)
    assert (first["volume"], first["problem"], first["latest"], first["account_name"]) == (None, None, [], "Benchmarks")
    again = client.post(WATCHES, json=asked(account_id))
    assert (again.status_code, again.json()["detail"]) == (409, f"{VOLUME} is watched already.")
    listed = client.get(WATCHES).json()
    assert [each["id"] for each in listed["watches"]] == [first["id"]]
    assert (listed["watched"], listed["read_every_s"]) == (1, 300.0)
    assert client.delete(f"{WATCHES}/{first['id']}").status_code == 204
    # A second time changes nothing.
    ended_at = client.get(f"{WATCHES}/{first['id']}").json()["ended_at"]
    assert client.delete(f"{WATCHES}/{first['id']}").status_code == 204
    assert client.get(f"{WATCHES}/{first['id']}").json()["ended_at"] == ended_at
    assert client.get(WATCHES).json()["watches"] == []
    second = begin(client, account_id)
    everything = client.get(WATCHES, params={"ended": True}).json()["watches"]
    assert [each["id"] for each in everything] == [second["id"], first["id"]]


def test_volumes_are_listed_page_by_page_newest_first(client: TestClient, account_id: UUID) -> None:
    made = [begin(client, account_id, volume_id=f"vol-{number:017x}")["id"] for number in range(5)]
    page = client.get(WATCHES, params={"limit": 3}).json()
    rest = client.get(WATCHES, params={"limit": 3, "cursor": page["next_cursor"]}).json()
    assert [each["id"] for each in (*page["watches"], *rest["watches"])] == made[::-1]
    assert rest["next_cursor"] is None


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"volume_id": "vol-xyz"}, "volume_id"),
        ({"volume_id": "i-0123456789abcdef0"}, "volume_id"),
        ({"region": "mars"}, "region"),
        ({"account_id": "mine"}, "account_id"),
        ({"more": "x"}, "more"),
    ],
)
def test_what_is_no_volume_is_refused_at_its_field(
    client: TestClient, account_id: UUID, changed: dict[str, str], path: str
) -> None:
    answer = client.post(WATCHES, json=asked(account_id, **changed))
    assert (answer.status_code, [each["path"] for each in answer.json()["errors"]]) == (422, [path])


def test_an_account_that_is_not_there_or_was_removed_is_not_found(
    client: TestClient, database: Database, org_id: UUID, account_id: UUID
) -> None:
    assert client.post(WATCHES, json=asked(uuid4())).status_code == 404
    with database.transaction(org_id) as connection:
        aws_accounts.change(connection, account_id, {"removed_at": datetime.now(UTC)})
    assert client.post(WATCHES, json=asked(account_id)).status_code == 404


def test_a_chart_gives_each_step_and_null_where_there_is_nothing(
    client: TestClient, database: Database, org_id: UUID, account_id: UUID
) -> None:
    watch_id = begin(client, account_id)["id"]
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=30)
    key = SeriesKey(
        "AWS/EBS", "VolumeReadBytes", "VolumeId", VOLUME, "Sum", 60, account_id=account_id, region="us-east-1"
    )
    with database.transaction(org_id) as connection:
        metrics.open_partitions(connection, minute, minute)
    with database.transaction(org_id) as connection:
        series = metrics.series_of(connection, [key])[key]
        metrics.put_in(connection, {series: {minute: 6e9, minute + timedelta(minutes=2): 1.2e10}})
    span = {"from": (minute - timedelta(minutes=1)).isoformat(), "to": (minute + timedelta(minutes=4)).isoformat()}
    answer = client.get(f"{WATCHES}/{watch_id}/series", params=span)
    assert answer.status_code == 200, answer.text
    chart = answer.json()
    assert (chart["step_s"], chart["kept"], chart["steps"], chart["expected"]) == (60, "points", 5, None)
    [read] = chart["series"]
    assert (read["name"], read["unit"], read["of"], read["metric"]) == (
        "read_mb_per_s",
        "MB/s",
        VOLUME,
        "VolumeReadBytes",
    )
    assert read["mean"] == [None, pytest.approx(100.0), None, pytest.approx(200.0), None]
    coarse = client.get(f"{WATCHES}/{watch_id}/series", params=span | {"points": 1}).json()
    assert coarse["step_s"] >= 300
    assert max(value for value in coarse["series"][0]["largest"] if value is not None) == pytest.approx(200.0)
    assert min(value for value in coarse["series"][0]["smallest"] if value is not None) == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"from": "2026-11-21T08:00:00Z", "to": "2026-11-21T07:00:00Z"}, "from"),
        ({"from": "9999-12-31T23:59:59Z"}, "from"),
        ({"to": "0001-01-01T00:00:00Z"}, "to"),
        ({"to": "0001-01-01T00:00:00+14:00"}, "to"),
        ({"from": "9999-12-31T23:59:59-14:00"}, "from"),
        ({"points": "0"}, "points"),
        ({"points": "1001"}, "points"),
        ({"from": "yesterday"}, "from"),
    ],
)
def test_a_span_that_cannot_be_drawn_is_refused_at_its_field(
    client: TestClient, account_id: UUID, query: dict[str, str], path: str
) -> None:
    watch_id = begin(client, account_id)["id"]
    answer = client.get(f"{WATCHES}/{watch_id}/series", params=query)
    assert (answer.status_code, [each["path"] for each in answer.json()["errors"]]) == (422, [path])


def test_a_chart_of_everything_and_of_the_future_is_one_of_what_is_kept(client: TestClient, account_id: UUID) -> None:
    watch_id = begin(client, account_id)["id"]
    span = {"from": "0001-01-01T00:00:00Z", "to": "9999-12-31T23:59:59"}
    chart = client.get(f"{WATCHES}/{watch_id}/series", params=span).json()
    assert (chart["kept"], chart["series"]) == ("hours", [])
    assert datetime.fromisoformat(chart["end"]) <= datetime.now(UTC)
    assert 200 < chart["steps"] <= 400


def test_what_happens_to_a_watch_is_recorded(client: TestClient, account_id: UUID) -> None:
    watch_id = begin(client, account_id)["id"]
    client.delete(f"{WATCHES}/{watch_id}")
    events = client.get("/api/v1/audit", params={"limit": 10}).json()["events"]
    assert [each["action"] for each in events[:2]] == ["watch.update", "watch.insert"]
    assert events[0]["sentence"].endswith("ended the watch of a volume.")
    assert events[1]["sentence"].endswith(f"began to watch the volume {VOLUME}.")
