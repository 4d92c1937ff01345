"""Deployable exports through the API."""

from fastapi.testclient import TestClient

from stowage.features.planning.deployment.deployments import deploy
from stowage.features.planning.deployment.schemas import NewDeployment
from stowage.workloads.knowledge import packaged_knowledge

ASKED = {
    "name": "Nightly =HYPERLINK(x)",
    "file": {"workload": {"data": "1 TB"}, "cluster": {"instance": "i4i.4xlarge", "nodes": 3}},
}


def test_it_answers_every_file_as_the_packaged_catalog_gives_them(client: TestClient) -> None:
    response = client.post("/api/v1/deployments", json=ASKED)
    assert response.status_code == 200
    expected = deploy(NewDeployment.model_validate(ASKED), packaged_knowledge).model_dump(mode="json")
    assert response.json() == expected
    assert [each["name"] for each in response.json()["files"]][:2] == [
        "nightly-hyperlink-x.cloudformation.yaml",
        "nightly-hyperlink-x.tf",
    ]


def test_a_cluster_that_cannot_do_the_job_is_an_answer(client: TestClient) -> None:
    large = ASKED["file"] | {"workload": {"data": "900 TB"}}  # type: ignore[operator]
    response = client.post("/api/v1/deployments", json=ASKED | {"file": large})
    assert response.status_code == 200
    assert response.json()["feasible"] is False


def test_bad_fields_are_named(client: TestClient) -> None:
    for body, path in (
        (ASKED | {"name": "x" * 10_001}, "name"),
        (ASKED | {"purchase": "stolen"}, "purchase"),
        ({"name": "x", "file": {"workload": {"data": "1 TB"}}}, "file.cluster"),
        ({"name": "x"}, "file"),
    ):
        response = client.post("/api/v1/deployments", json=body)
        assert response.status_code == 422, body
        assert response.json()["errors"][0]["path"] == path
