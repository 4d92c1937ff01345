"""The volume designer through the API."""

from fastapi.testclient import TestClient

from stowage.features.volumes.need import VolumeNeed
from stowage.features.volumes.volumes import design_volumes
from stowage.workloads.knowledge import packaged_knowledge

NEED = {"capacity": "1000 GiB", "iops": "4,000"}


def test_it_answers_what_the_packaged_catalog_gives(client: TestClient) -> None:
    response = client.post("/api/v1/volumes/design", json=NEED)
    assert response.status_code == 200
    assert response.json() == design_volumes(VolumeNeed(**NEED), packaged_knowledge).model_dump(mode="json")


def test_a_bad_field_is_named(client: TestClient) -> None:
    response = client.post("/api/v1/volumes/design", json={**NEED, "throughput": "fast"})
    assert response.status_code == 422
    [error] = response.json()["errors"]
    assert error["path"] == "throughput"
    assert "250 MB/s" in error["message"]


def test_what_the_catalog_does_not_know_is_named(client: TestClient) -> None:
    response = client.post("/api/v1/volumes/design", json={**NEED, "place": {"catalog": "never"}})
    assert response.status_code == 422
    assert response.json()["errors"][0]["path"] == "place.catalog"


def test_nothing_that_fits_is_an_answer(client: TestClient) -> None:
    response = client.post("/api/v1/volumes/design", json={"capacity": "900 TiB", "most_volumes": 3})
    assert response.status_code == 200
    assert response.json()["designs"] == []
    assert len(response.json()["refused"]) == 7
