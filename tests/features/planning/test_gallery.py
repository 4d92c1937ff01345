"""Gallery: ten example workloads that the newest catalog answers, each with the data of its picture."""

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from stowage.catalog.snapshot import LATEST
from stowage.features.planning.gallery import answered
from stowage.workloads.gallery import examples
from stowage.workloads.knowledge import Knowledge, packaged_knowledge

GALLERY = "/api/v1/gallery"


@pytest.fixture
def listed(client: TestClient) -> list[dict[str, Any]]:
    answer = client.get(GALLERY)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["examples"]
    return found


@pytest.mark.parametrize("name", [example.name for example in examples()])
def test_each_example_is_answered_within_its_limits(client: TestClient, name: str) -> None:
    answer = client.get(f"{GALLERY}/{name}").json()
    assert answer["catalog_version"] == LATEST
    assert answer["configuration"] is not None
    assert answer["chosen"]["time_s"] <= answer["deadline_s"]
    assert 3 <= len(answer["frontier"]) <= 40
    times = [point["time_s"] for point in answer["frontier"]]
    assert times == sorted(times)


def test_an_example_opens_as_the_plan_that_is_drawn(client: TestClient, listed: list[dict[str, Any]]) -> None:
    assert len(listed) == 10
    each = next(each for each in listed if each["name"] == "hdfs-archive")
    answer = client.get(f"{GALLERY}/hdfs-archive").json()
    best = client.post("/api/v1/plans/preview", json=each["workload"]).json()["configurations"][0]
    assert answer["configuration"] == f"{best['nodes']} × {best['instance']}"
    assert (answer["per"], answer["chosen"]["usd"]) == ("month", best["cost_always_on_usd"])


def test_an_answer_is_of_the_catalog_under_which_it_is_cached() -> None:
    """A newer catalog may be loaded while an example is answered."""
    asked: list[str] = []

    def source(version: str, region: str) -> Knowledge:
        asked.append(version)
        return replace(packaged_knowledge(version, region), digest=f"test {len(asked)}")

    answered("spark-sort", source)
    assert asked == ["latest"]


def test_an_unknown_example_is_not_found(client: TestClient) -> None:
    assert client.get(f"{GALLERY}/no-such").status_code == 404


def test_each_is_described_in_a_sentence_and_has_a_name_of_its_own() -> None:
    known = examples()
    assert len({example.name for example in known}) == len({example.file.workload.name for example in known}) == 10
    for example in known:
        assert example.sentence.endswith("."), example.name
        assert 40 <= len(example.sentence) <= 130, example.name
        assert 8 <= len(example.file.workload.name) <= 40, example.name
