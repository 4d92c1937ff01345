"""Gallery: ten example workloads that the newest catalog answers, each with the data of its picture."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from stowage.catalog.snapshot import LATEST
from stowage.workloads.gallery import examples

GALLERY = "/api/v1/gallery"


@pytest.fixture
def found(client: TestClient) -> dict[str, Any]:
    answer = client.get(GALLERY)
    assert answer.status_code == 200, answer.text
    gallery: dict[str, Any] = answer.json()
    return gallery


def test_each_example_is_answered_within_its_limits(found: dict[str, Any]) -> None:
    assert found["catalog_version"] == LATEST
    assert len(found["examples"]) == 10
    for each in found["examples"]:
        assert each["configuration"] is not None, each["name"]
        assert each["chosen"]["time_s"] <= each["deadline_s"], each["name"]
        assert 3 <= len(each["frontier"]) <= 40, each["name"]
        times = [point["time_s"] for point in each["frontier"]]
        assert times == sorted(times), each["name"]


def test_an_example_opens_as_the_plan_that_is_drawn(client: TestClient, found: dict[str, Any]) -> None:
    each = next(each for each in found["examples"] if each["name"] == "hdfs-archive")
    best = client.post("/api/v1/plans/preview", json=each["workload"]).json()["configurations"][0]
    assert each["configuration"] == f"{best['nodes']} × {best['instance']}"
    assert (each["per"], each["chosen"]["usd"]) == ("month", best["cost_always_on_usd"])


def test_each_is_described_in_a_sentence_and_has_a_name_of_its_own() -> None:
    known = examples()
    assert len({example.name for example in known}) == len({example.file.workload.name for example in known}) == 10
    for example in known:
        assert example.sentence.endswith("."), example.name
        assert 40 <= len(example.sentence) <= 130, example.name
        assert 8 <= len(example.file.workload.name) <= 40, example.name
