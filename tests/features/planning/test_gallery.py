"""Gallery: ten example workloads that the newest catalog answers, each with the data of its picture."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from stowage.catalog.snapshot import LATEST
from stowage.features.planning import gallery, planning
from stowage.features.planning.gallery import answered
from stowage.optimizer.cache import Cache
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


def test_an_example_is_searched_once_however_many_ask_for_it(
    client: TestClient, other_client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not counted as a preview, since all requests together cost one search per catalog version."""
    searches: list[object] = []
    preview_plan = planning.preview_plan

    def counted(*asked: Any) -> Any:
        searches.append(asked)
        return preview_plan(*asked)

    monkeypatch.setattr(planning, "preview_plan", counted)
    monkeypatch.setattr(gallery, "_ANSWERS", Cache(most=40))
    with ThreadPoolExecutor(6) as pool:
        asked = [each for each in (client, other_client) for _ in range(3)]
        answers = list(pool.map(lambda each: each.get(f"{GALLERY}/spark-sort"), asked))
    assert [answer.status_code for answer in answers] == [200] * 6
    assert len(searches) == 1


def test_an_unknown_example_is_not_found(client: TestClient) -> None:
    assert client.get(f"{GALLERY}/no-such").status_code == 404


def test_each_is_described_in_a_sentence_and_has_a_name_of_its_own() -> None:
    known = examples()
    assert len({example.name for example in known}) == len({example.file.workload.name for example in known}) == 10
    for example in known:
        assert example.sentence.endswith("."), example.name
        assert 40 <= len(example.sentence) <= 130, example.name
        assert 8 <= len(example.file.workload.name) <= 40, example.name
