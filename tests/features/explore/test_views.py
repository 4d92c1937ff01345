"""Saved views of the instance types: saved, listed, renamed, deleted, restored; bounded, validated and audited."""

from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from stowage.features.explore.views import MOST_VIEWS

VIEWS = "/api/v1/instance-views"
SHOWN = {
    "series": "storage",
    "generation": "current",
    "where": "vcpus:>=8",
    "sort": "-capacity_gb",
    "columns": "vcpus,capacity_gb",
}


def save(client: TestClient, name: str, *, key: str | None = None) -> dict[str, Any]:
    headers = {} if key is None else {"Idempotency-Key": key}
    response = client.post(VIEWS, json={"name": name, "shown": SHOWN}, headers=headers)
    assert response.status_code == 201, response.text
    found: dict[str, Any] = response.json()
    return found


def names(client: TestClient) -> list[str]:
    return [view["name"] for view in client.get(VIEWS).json()["views"]]


def test_a_saved_view_comes_back_as_it_was_saved(client: TestClient) -> None:
    view = save(client, "Dense")
    [listed] = client.get(VIEWS).json()["views"]
    assert listed == view
    assert {name: value for name, value in view["shown"].items() if value is not None} == SHOWN
    assert client.get(VIEWS).json()["most"] == MOST_VIEWS


def test_a_view_is_renamed_deleted_and_restored(client: TestClient) -> None:
    view, _ = save(client, "Dense"), save(client, "Fast")
    one = f"{VIEWS}/{view['id']}"
    assert client.patch(one, json={"name": "Densest"}).json()["name"] == "Densest"
    assert client.delete(one).status_code == 204
    assert names(client) == ["Fast"]
    assert client.patch(one, json={"name": "Gone"}).status_code == 404
    assert client.delete(one).status_code == 404
    assert client.post(f"{one}/restore").json()["name"] == "Densest"
    assert names(client) == ["Densest", "Fast"]
    assert client.post(f"{VIEWS}/{uuid4()}/restore").status_code == 404


def test_a_repeated_request_saves_one_view(client: TestClient) -> None:
    key = str(uuid4())
    assert save(client, "Dense", key=key) == save(client, "Dense", key=key)
    assert names(client) == ["Dense"]


def test_the_number_of_views_is_bounded_for_saved_and_restored_ones_alike(client: TestClient) -> None:
    first, *_ = [save(client, f"View {number}") for number in range(MOST_VIEWS)]
    last = str(uuid4())
    assert client.delete(f"{VIEWS}/{first['id']}").status_code == 204
    # The same request again is not one more.
    assert save(client, "Last", key=last) == save(client, "Last", key=last)
    assert client.post(f"{VIEWS}/{last}/restore").status_code == 200
    over = client.post(VIEWS, json={"name": "One more", "shown": {}})
    assert (over.status_code, over.json()["detail"]) == (409, "The team has 50 saved views; delete one first.")
    assert client.delete(f"{VIEWS}/{last}").status_code == 204
    save(client, "One more")
    assert client.post(f"{VIEWS}/{first['id']}/restore").status_code == 409
    assert len(names(client)) == MOST_VIEWS


def test_the_number_of_deleted_views_is_bounded(client: TestClient, other_client: TestClient) -> None:
    elsewhere = save(other_client, "Of another team")
    assert other_client.delete(f"{VIEWS}/{elsewhere['id']}").status_code == 204
    first, second, *_ = deleted = [save(client, f"View {number}") for number in range(MOST_VIEWS)]
    for view in deleted:
        assert client.delete(f"{VIEWS}/{view['id']}").status_code == 204
    last = save(client, "Last")
    assert client.delete(f"{VIEWS}/{last['id']}").status_code == 204
    restored = [client.post(f"{VIEWS}/{view['id']}/restore").status_code for view in (first, second)]
    assert restored == [404, 200]
    assert other_client.post(f"{VIEWS}/{elsewhere['id']}/restore").status_code == 200


@pytest.mark.parametrize(
    ("shown", "path"),
    [
        ({"sort": "vcpus; drop"}, "shown.sort"),
        ({"series": "fast"}, "shown.series"),
        ({"where": "x" * 2_001}, "shown.where"),
        ({"name": ""}, "shown.name"),
        ({"region": "us-east-1"}, "shown.region"),
    ],
)
def test_bad_input_names_its_field(client: TestClient, shown: dict[str, str], path: str) -> None:
    response = client.post(VIEWS, json={"name": "Dense", "shown": shown})
    assert response.status_code == 422
    assert [each["path"] for each in response.json()["errors"]] == [path]


def test_the_audit_log_has_who_saved_and_deleted_a_view(client: TestClient) -> None:
    view = save(client, "Dense")
    client.delete(f"{VIEWS}/{view['id']}")
    told = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"]]
    assert any(text.endswith("saved the view of the instance types Dense.") for text in told)
    assert any(text.endswith("removed the view of the instance types Dense.") for text in told)
