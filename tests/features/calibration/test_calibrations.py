"""Calibrations: finished jobs become a framework that the team's own predictions can name, and no other team's."""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID

import pytest
import redis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text

from database import new_org
from finished import JOB, START_UP_S, bound_s, csv_of, finished
from people import signed_in
from stowage.api.app import create_app
from stowage.features.calibration import refitting
from stowage.features.calibration.calibrations import fit_framework
from stowage.measure.fits.finished_jobs import FinishedJob
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs.queue import REFIT, Queue
from stowage.web.services import Services

SORT: dict[str, Any] = {
    "workload": {"data": "2 TB", "durability": {"model": "none"}},
    "limits": {"max_nodes": 30},
    "choose": {"instances": ["i3.2xlarge"]},
    "assume": {"usual": "ignored"},
}
OURS = {**SORT, "workload": {**SORT["workload"], "framework": "ours"}}
CLUSTER = {"instance": "i3.2xlarge", "nodes": 12}


@pytest.fixture(scope="module")
def team(database: Database, gate: Database, queue: Queue, owner: Database) -> Iterator[tuple[TestClient, UUID]]:
    """Yield the browser of a team that fitted a framework to eight of its jobs, and the team."""
    org_id = new_org(owner)
    services = Services(database, gate, queue, {"local": org_id, "example": EXAMPLE_ORG_ID})
    with TestClient(create_app(services, page=None), base_url="http://localhost") as client:
        signed_in(client, gate, org_id)
        send(client, finished(8))
        assert client.post("/api/v1/calibrations", json={"framework": "ours"}).status_code == 201
        yield client, org_id


@pytest.fixture
def fitted(team: tuple[TestClient, UUID]) -> TestClient:
    return team[0]


def send(client: TestClient, jobs: Sequence[FinishedJob]) -> list[dict[str, Any]]:
    answer = client.post("/api/v1/finished-jobs", content=csv_of(jobs), headers={"Content-Type": "text/csv"})
    assert answer.status_code == 201, answer.text
    assert answer.json()["problems"] == []
    rows: list[dict[str, Any]] = answer.json()["kept"]
    return rows


def fit(client: TestClient, framework: str = "ours") -> dict[str, Any]:
    answer = client.post("/api/v1/calibrations", json={"framework": framework})
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/api/v1/calibrations/{answer.json()['id']}"
    made: dict[str, Any] = answer.json()
    return made


def newest(client: TestClient) -> dict[str, Any]:
    row = client.get("/api/v1/calibrations").json()["calibrations"][0]
    found: dict[str, Any] = client.get(f"/api/v1/calibrations/{row['id']}").json()
    return found


def test_too_few_jobs_are_refused_in_words(client: TestClient) -> None:
    none = client.post("/api/v1/calibrations", json={"framework": "ours"})
    assert none.status_code == 422
    assert "accepted: none, no finished job was kept" in none.text
    send(client, [*finished(2), replace(JOB, name="gone", instance="i9.vast")])
    few = client.post("/api/v1/calibrations", json={"framework": "ours"})
    assert few.status_code == 422
    assert [each["path"] for each in few.json()["errors"]] == ["framework"]
    assert "2 finished jobs can be used; a calibration needs 3" in few.text
    assert "gone" in few.text
    other = client.post("/api/v1/calibrations", json={"framework": "theirs"})
    assert "'theirs' has no finished jobs; accepted: ours" in other.json()["errors"][0]["message"]
    listed = client.get("/api/v1/calibrations").json()
    assert (listed["calibrations"], listed["fewest_jobs"]) == ([], 3)
    assert listed["frameworks"] == [{"framework": "ours", "jobs": 3}]


def test_a_calibration_shows_its_runs_before_and_after(fitted: TestClient) -> None:
    found = newest(fitted)
    assert (found["framework"], found["name"], found["runs"], found["current"]) == ("ours", "ours", 8, True)
    assert found["median_error_before_pct"] > 20.0
    assert found["median_error_pct"] < 3.0
    assert found["evidence"]
    assert found["person"].startswith("Owner ")
    truth = {job.name: job for job in finished(8)}
    assert {point["name"] for point in found["points"]} == set(truth)
    for point in found["points"]:
        job = truth[point["name"]]
        assert (point["nodes"], point["measured_s"]) == (job.nodes, job.measured_s)
        assert point["predicted_before_s"] == pytest.approx(bound_s(job), rel=0.02)
        assert point["predicted_s"] == pytest.approx(job.measured_s, rel=0.05)
        assert point["low"] < point["predicted_s"] < point["high"]
        # Each job is predicted from the others.
        off_pct = 100.0 * (point["left_out_s"] / point["measured_s"] - 1.0)
        assert abs(point["loo_error_pct"]) == pytest.approx(abs(off_pct), abs=0.1)
        assert point["left_out_s"] != point["predicted_s"]
        assert 0.0 < point["weight"] <= 1.0
    by_name = {each["name"]: each for each in found["coefficients"]}
    start_up = next(each for name, each in by_name.items() if "start" in name)
    assert start_up["unit"] == "s"
    assert start_up["low"] <= start_up["value"] <= start_up["high"]
    assert start_up["value"] == pytest.approx(START_UP_S, rel=0.4)
    assert all(each["value"] >= 0.0 and each["what"] for each in by_name.values())


def test_it_says_what_to_run_next_and_where_it_ends(fitted: TestClient) -> None:
    found = newest(fitted)
    first, *_ = found["next_runs"]
    assert first["narrows_pct"] > 0.0
    assert first["cost_usd"] > 0.0
    assert first["predicted_s"] > 0.0
    assert f"{first['nodes']:,} × i3.2xlarge" in first["words"]
    assert [each["narrows_pct"] for each in found["next_runs"]] == sorted(
        (each["narrows_pct"] for each in found["next_runs"]), reverse=True
    )
    assert "80 nodes are 5 times as many" in found["extrapolates"]
    assert found["left_out"] == []


def test_its_name_is_taken_as_a_framework_by_the_team_alone(fitted: TestClient, other_client: TestClient) -> None:
    asked = {**OURS, "cluster": CLUSTER}
    plain = fitted.post("/api/v1/predictions", json={**SORT, "cluster": CLUSTER}).json()
    ours = fitted.post("/api/v1/predictions", json=asked)
    assert ours.status_code == 200, ours.text
    assert ours.json()["phases"][-1]["name"] == "start-up and coordination"
    bound = bound_s(replace(JOB, nodes=12, data="2 TB"))
    assert ours.json()["time_s"]["p50"] == pytest.approx(1.25 * bound + START_UP_S, rel=0.05)
    assert ours.json()["time_s"]["p50"] > plain["time_s"]["p50"]
    assert any(figure["quantity"] == "framework.ours.start_up_s" for figure in ours.json()["provenance"])
    ranked = fitted.post("/api/v1/plans/preview", json=OURS)
    assert ranked.status_code == 200, ranked.text
    without = fitted.post("/api/v1/plans/preview", json=SORT).json()
    assert ranked.json()["configurations"][0]["time_s"] != without["configurations"][0]["time_s"]
    saved = fitted.post("/api/v1/plans", json=OURS)
    assert saved.status_code == 201, saved.text
    assert fitted.get(f"/api/v1/plans/{saved.json()['id']}/today").status_code == 200
    for path, file in (("predictions", asked), ("plans/preview", OURS), ("plans", OURS), ("plans/measured", OURS)):
        refused = other_client.post(f"/api/v1/{path}", json=file)
        if path == "plans/measured":
            # It has no jobs of its own to compare with.
            assert refused.status_code in {200, 422}
            continue
        assert refused.status_code == 422, refused.text
        [problem] = refused.json()["errors"]
        assert problem["path"] == "workload.framework"
        assert "'ours' is not offered; accepted: spark, hadoop-mapreduce" in problem["message"]
    calibration = newest(fitted)
    assert other_client.get(f"/api/v1/calibrations/{calibration['id']}").status_code == 404
    assert other_client.get("/api/v1/calibrations").json()["calibrations"] == []
    misnamed = {**SORT, "workload": {**SORT["workload"], "framework": "hours"}}
    assert "ours" in fitted.post("/api/v1/plans/preview", json=misnamed).json()["errors"][0]["message"]


def test_a_finished_job_is_predicted_with_its_calibration_beside_its_physical_limit(fitted: TestClient) -> None:
    [row, *_] = fitted.get("/api/v1/finished-jobs").json()["jobs"]
    job = fitted.get(f"/api/v1/finished-jobs/{row['id']}").json()
    assert 0.0 < job["physical_limit_s"] < 0.9 * job["measured_s"]
    assert job["predicted"]["p50"] == pytest.approx(job["measured_s"], rel=0.05)
    assert job["phases"][-1]["name"] == "start-up and coordination"


def test_a_new_calibration_is_said_of_plans_and_the_old_one_stays(client: TestClient) -> None:
    send(client, finished(4))
    first = fit(client)
    saved = client.post("/api/v1/plans", json=OURS)
    assert saved.status_code == 201, saved.text
    assert saved.json()["changes"] == []
    send(client, finished(6, slower=1.6))
    second = fit(client)
    assert second["runs"] > first["runs"]
    listed = client.get("/api/v1/calibrations").json()["calibrations"]
    assert [(each["id"], each["current"]) for each in listed] == [(second["id"], True), (first["id"], False)]
    # Calibrations are appended, never edited.
    assert client.get(f"/api/v1/calibrations/{first['id']}").json() == {**first, "current": False}
    plan = client.get(saved.headers["location"]).json()
    [change] = plan["changes"]
    assert change["what"] == "profiles"
    now = client.post("/api/v1/plans/preview", json=OURS).json()
    assert now["profiles_digest"] != plan["answer"]["profiles_digest"]
    today = client.get(f"{saved.headers['location']}/today")
    assert today.status_code == 200, today.text
    assert today.json()["answer"]["profiles_digest"] == now["profiles_digest"]


def test_a_calibration_of_what_all_have_gets_a_name_of_its_own(client: TestClient) -> None:
    send(client, finished(4, "hadoop-dfsio"))
    made = fit(client, "hadoop-dfsio")
    assert (made["framework"], made["name"]) == ("hadoop-dfsio", "hadoop-dfsio-calibrated")
    named = {**SORT, "workload": {**SORT["workload"], "framework": made["name"]}}
    assert client.post("/api/v1/plans/preview", json=named).status_code == 200


def test_a_viewer_looks_and_does_not_fit(team: tuple[TestClient, UUID], gate: Database, app: FastAPI) -> None:
    _, org_id = team
    with TestClient(app, base_url="http://localhost") as client:
        signed_in(client, gate, org_id, "viewer")
        assert len(client.get("/api/v1/calibrations").json()["calibrations"]) == 1
        # Same answer as for an unknown id: see `access.DENIED`.
        assert client.post("/api/v1/calibrations", json={"framework": "ours"}).status_code == 404
        refused = client.post("/api/v1/finished-jobs", content=b"name", headers={"Content-Type": "text/csv"})
        assert refused.status_code == 404


def of_earlier_physics(owner: Database, org_id: UUID) -> None:
    """Convert a team's calibrations to those of a version without growth by nodes."""
    with owner.transaction(org_id) as connection:
        connection.execute(
            text(
                "UPDATE calibration SET content = jsonb_set(content::jsonb, '{calibration,physics}', '\"1\"')::json "
                "WHERE org_id = :org_id"
            ),
            {"org_id": org_id},
        )


def sent_to(queue: Queue, gate: Database) -> list[tuple[str, ...]]:
    """Return the calibrations that the queue's messages ask to fit again."""
    with redis.Redis.from_url(queue.url) as client:
        client.delete("sweeps")
        refitting.send_outdated(gate, queue)
        messages = [json.loads(each) for each in client.lrange("sweeps", 0, -1)]
        client.delete("sweeps")
    refits = [each for each in messages if each["headers"]["task"] == REFIT]
    return [tuple(json.loads(base64.b64decode(each["body"]))[0]) for each in refits]


def test_calibrations_of_earlier_physics_are_fitted_again(
    team: tuple[TestClient, UUID], owner: Database, gate: Database, database: Database, queue: Queue
) -> None:
    client, org_id = team
    before = newest(client)
    assert (before["outdated"], before["not_refitted"]) == (False, None)
    assert (str(org_id), "ours") not in sent_to(queue, gate)
    of_earlier_physics(owner, org_id)
    assert newest(client)["outdated"]
    assert "Fitted with an earlier version of the physics" in newest(client)["evidence"]
    assert (str(org_id), "ours") in sent_to(queue, gate)
    for _ in range(2):
        # The second message finds nothing to do.
        refitting.refit(database, org_id, "ours", today=date(2026, 11, 26))
    listed = client.get("/api/v1/calibrations").json()["calibrations"]
    after = newest(client)
    assert [each["outdated"] for each in listed[:2]] == [False, True]
    assert after["person"] == refitting.REFITTED_BY
    assert after["coefficients"] == before["coefficients"]
    assert (str(org_id), "ours") not in sent_to(queue, gate)


def test_a_fit_of_a_member_meanwhile_stays_the_current_one(team: tuple[TestClient, UUID], database: Database) -> None:
    client, org_id = team
    replaced = UUID(newest(client)["id"])
    fit(client, "ours")
    theirs = newest(client)
    assert theirs["id"] != str(replaced)
    today = date(2026, 11, 26)
    kept = fit_framework(database, org_id, "ours", person="Stowage", today=today, replacing=replaced)
    assert (str(kept.id), newest(client)["id"]) == (theirs["id"], theirs["id"])


def test_a_refit_that_fails_by_a_fault_is_not_tried_again_and_again(
    team: tuple[TestClient, UUID], owner: Database, gate: Database, database: Database, queue: Queue
) -> None:
    client, org_id = team
    send(client, [replace(each, framework="broken") for each in finished(3)])
    fit(client, "broken")
    of_earlier_physics(owner, org_id)
    where = "WHERE org_id = :org_id AND framework = 'broken'"
    with owner.transaction(org_id) as connection:
        connection.execute(text(f"UPDATE finished_job SET workload = '{{}}' {where}"), {"org_id": org_id})
    with pytest.raises(KeyError):
        refitting.refit(database, org_id, "broken", today=date(2026, 11, 26))
    with owner.transaction(org_id) as connection:
        connection.execute(text(f"DELETE FROM finished_job {where}"), {"org_id": org_id})
    found = next(each for each in client.get("/api/v1/calibrations").json()["calibrations"] if each["name"] == "broken")
    assert "an error of Stowage's" in found["not_refitted"]
    assert (str(org_id), "broken") not in sent_to(queue, gate)


def test_a_calibration_that_cannot_be_fitted_again_says_why_and_is_not_tried_again(
    team: tuple[TestClient, UUID], owner: Database, gate: Database, database: Database, queue: Queue
) -> None:
    client, org_id = team
    jobs = client.get("/api/v1/finished-jobs?limit=50").json()["jobs"]
    send(client, [replace(each, framework="lost") for each in finished(3)])
    fit(client, "lost")
    of_earlier_physics(owner, org_id)
    lost = [each for each in client.get("/api/v1/finished-jobs?limit=50").json()["jobs"] if each not in jobs]
    for each in lost:
        assert client.delete(f"/api/v1/finished-jobs/{each['id']}").status_code == 200
    refitting.refit(database, org_id, "lost", today=date(2026, 11, 26))
    found = next(each for each in client.get("/api/v1/calibrations").json()["calibrations"] if each["name"] == "lost")
    assert found["outdated"]
    assert "has no finished jobs" in found["not_refitted"]
    assert (str(org_id), "lost") not in sent_to(queue, gate)
