"""The validation through the API: the same for every team as the command's output."""

from fastapi.testclient import TestClient

from stowage.features.calibration.validation import validate
from stowage.workloads.knowledge import packaged_knowledge


def test_it_answers_what_the_package_gives(client: TestClient) -> None:
    response = client.get("/api/v1/validation")
    assert response.status_code == 200
    assert response.json() == validate(packaged_knowledge).model_dump(mode="json")


def test_it_is_computed_once() -> None:
    assert validate(packaged_knowledge) is validate(packaged_knowledge)


def test_it_cannot_be_written_to(client: TestClient) -> None:
    assert client.post("/api/v1/validation", json={}).status_code == 405
