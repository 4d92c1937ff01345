"""Profiles through the API: measured and published values side by side, and their effect on plans."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from kept_measurements import FIRST, disks, fio, iperf3, keep, keep_network, network, volume
from stowage.features.sweeps import sweeps
from stowage.measure.target import VolumeTarget
from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue

PROFILES = "/api/v1/profiles"
TYPE = "i3.8xlarge"
QUESTION: dict[str, Any] = {
    "workload": {"data": "10 TB"},
    "limits": {"max_nodes": 60},
    "choose": {"families": ["i3", "i3en", "i4i"]},
}


def profiles(client: TestClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(PROFILES).json()["profiles"]
    return found


def test_a_team_that_measured_nothing_has_no_profiles(client: TestClient) -> None:
    assert client.get(PROFILES).json() == {"profiles": [], "measurements": 0, "made_at": None}
    assert client.get("/api/v1/changes").json() == {"changes": []}
    assert client.post("/api/v1/plans/measured", json=QUESTION).json() is None


def test_a_profile_stands_beside_what_was_published(
    client: TestClient, other_client: TestClient, database: Database, org_id: UUID
) -> None:
    kept = keep_network(database, org_id, network(TYPE), [1_000.0, 1_010.0, 990.0])
    [row] = profiles(client)
    assert client.get(PROFILES).json()["measurements"] == 3
    assert row["target"]["instance"] == TYPE
    assert row["low"] <= row["mean"] <= row["high"]
    assert row["mean"] == pytest.approx(1_000.0, rel=0.01)
    assert (row["count"], row["unit"], row["feeds"], row["why_not"]) == (3, "MB/s", True, None)
    assert row["published"]["kind"] in {"published", "measured", "estimated"}
    assert row["difference_pct"] == pytest.approx(100.0 * (row["mean"] / row["published"]["value"] - 1.0))
    one = client.get(f"{PROFILES}/{row['key']}").json()
    assert {key: one[key] for key in row} == row
    assert [point["measurement_id"] for point in one["series"]] == [str(each) for each in kept]
    assert [point["verdict"] for point in one["series"]] == ["good"] * 3
    assert one["curve"][0]["nodes"] == 2
    assert one["curve"][0]["kind"] == "measured"
    # The same address for another team, which has no such measurement.
    assert other_client.get(f"{PROFILES}/{row['key']}").status_code == 404
    assert profiles(other_client) == []


def test_two_teams_have_the_same_profile_each_with_its_own_figures(
    client: TestClient, other_client: TestClient, database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    keep_network(database, org_id, network(TYPE), [1_000.0])
    keep_network(database, other_org_id, network(TYPE), [500.0])
    [mine], [theirs] = profiles(client), profiles(other_client)
    assert mine["key"] == theirs["key"]
    assert (mine["mean"], theirs["mean"]) == (pytest.approx(1_000.0), pytest.approx(500.0))
    assert client.get(f"{PROFILES}/{mine['key']}").json()["mean"] == mine["mean"]


def test_volumes_are_held_against_what_they_were_provisioned_for(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    target = volume("m5.4xlarge", VolumeTarget("gp3", 500.0, 3_000.0, 125.0, 1))
    keep(database, org_id, [(fio(131.0, 120.0, FIRST)[0], target)])
    [row] = [each for each in profiles(client) if each["metric"] == "ebs_read_mb_per_s"]
    assert not row["feeds"]
    assert row["why_not"]
    assert "provisioned" in row["published"]["source"]
    assert row["published"]["value"] == pytest.approx(125 * 1.048576)


def test_own_disks_feed_predictions_and_the_explore_page_tells_them_apart(
    client: TestClient, other_client: TestClient, database: Database, org_id: UUID
) -> None:
    address = f"/api/v1/catalogs/latest/regions/us-east-1/instance-types/{TYPE}"
    before = client.get(address)
    keep(database, org_id, [(reading, disks(TYPE, 4)) for reading in fio(7_000.0, 3_000.0, FIRST)])
    # The browser's cached copy is no longer the answer.
    after = client.get(address, headers={"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200
    assert after.json()["profiles"] == before.json()["profiles"]
    assert before.json()["measured"] == []
    assert {figure["quantity"] for figure in after.json()["measured"]} == {
        "storage_read_mb_per_s",
        "storage_write_mb_per_s",
    }
    assert all(figure["source"].startswith("Your team") for figure in after.json()["measured"])
    table = client.get(address.rpartition("/")[0], params={"name": TYPE, "columns": "storage_read_mb_per_s"}).json()
    [row] = [row for row in table["rows"] if row["name"] == TYPE]
    assert row["values"] == [pytest.approx(7_000.0)]
    assert table["sources"][row["sources"][0]]["own"] is True
    theirs = other_client.get(address, headers={"If-None-Match": before.headers["etag"]})
    assert theirs.status_code == 304


def test_what_became_slower_is_listed_and_what_became_faster_apart(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    slower = [1_000.0, 1_005.0, 995.0, 1_002.0, 998.0, 800.0, 803.0, 797.0, 801.0, 799.0]
    keep_network(database, org_id, network("c5n.9xlarge"), slower)
    keep_network(database, org_id, network("c5n.18xlarge"), slower[::-1])
    both = client.get("/api/v1/changes").json()["changes"]
    assert {change["direction"] for change in both} == {"regression", "improvement"}
    [fallen] = client.get("/api/v1/changes", params={"only": "regressions"}).json()["changes"]
    assert "c5n.9xlarge" in fallen["target_words"]
    assert fallen["low"] <= fallen["factor"] <= fallen["high"] < 1.0
    [risen] = client.get("/api/v1/changes", params={"only": "improvements"}).json()["changes"]
    assert risen["factor"] > 1.0
    assert client.get("/api/v1/changes", params={"only": "all"}).status_code == 422
    one = client.get(f"{PROFILES}/{fallen['profile_key']}").json()
    assert one["changes"] == [fallen]


def test_a_verdict_takes_a_measurement_out_and_the_profile_follows(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    kept = keep_network(database, org_id, network(TYPE), [1_000.0, 500.0])
    said = {"verdict": "rejected", "reason": "The other node was busy."}
    answer = client.post(f"/api/v1/measurements/{kept[1]}/verdicts", json=said)
    assert answer.status_code == 201, answer.text
    [row] = profiles(client)
    assert row["mean"] == pytest.approx(1_000.0)
    [good, rejected] = client.get(f"{PROFILES}/{row['key']}").json()["series"]
    assert (good["weight"], rejected["weight"], rejected["verdict"]) == (pytest.approx(1.0), 0.0, "rejected")


def test_recipes_have_a_price_for_a_type(client: TestClient) -> None:
    of_any = client.get("/api/v1/recipes").json()["recipes"]
    assert of_any
    assert {recipe["cost_usd"] for recipe in of_any} == {None}
    of_type = client.get("/api/v1/recipes", params={"instance": TYPE, "region": "us-east-1"}).json()["recipes"]
    assert all(recipe["cost_usd"] > 0.0 and recipe["command"] and recipe["duration_s"] > 0.0 for recipe in of_type)
    assert client.get("/api/v1/recipes", params={"instance": "i9.huge"}).status_code == 404
    assert client.get("/api/v1/recipes", params={"instance": TYPE, "region": "mars-1"}).status_code == 422


def test_a_saved_plan_says_what_the_team_measured_since(client: TestClient, database: Database, org_id: UUID) -> None:
    plan = client.post("/api/v1/plans", json=QUESTION).json()
    best = plan["answer"]["configurations"][0]
    today = client.get(f"/api/v1/plans/{plan['id']}/today").json()
    assert (plan["changes"], today["measured"]) == ([], None)
    keep_network(database, org_id, network(best["instance"], best["nodes"]), [150.0, 151.0, 149.0])
    [change] = client.get(f"/api/v1/plans/{plan['id']}").json()["changes"]
    assert (change["what"], change["then"]) == ("profiles", "published figures only")
    assert client.get("/api/v1/plans").json()["plans"][0]["changes"] == [change]
    today = client.get(f"/api/v1/plans/{plan['id']}/today").json()
    measured = today["measured"]
    assert measured["changed"]
    assert measured["winner_before"]["instance"] == best["instance"]
    assert measured["winner_now"]["instance"] != best["instance"]
    assert "lower than" in measured["sentence"]
    # The preview while typing shows the same.
    asked = client.post("/api/v1/plans/measured", json=QUESTION).json()
    assert asked["winner_now"] == measured["winner_now"]
    # The old answer does not change; a plan that is saved now uses the current knowledge.
    assert client.get(f"/api/v1/plans/{plan['id']}").json()["answer"] == plan["answer"]
    assert client.post("/api/v1/plans", json=QUESTION).json()["changes"] == []


def test_what_no_prediction_takes_changes_no_plan(client: TestClient, database: Database, org_id: UUID) -> None:
    plan = client.post("/api/v1/plans", json=QUESTION).json()
    target = volume("m5.4xlarge", VolumeTarget("gp3", 500.0, 3_000.0, 125.0, 1))
    keep(database, org_id, [(fio(131.0, 120.0, FIRST)[0], target)])
    assert profiles(client)
    assert client.get(f"/api/v1/plans/{plan['id']}").json()["changes"] == []


def test_a_sweep_goes_on_with_what_was_known_when_it_began(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    asked = {
        "base": QUESTION,
        "columns": {"quantity": "data", "values": ["5 TB", "10 TB"]},
        "rows": {"quantity": "deadline", "values": ["4 h"]},
    }
    sweep = client.post("/api/v1/sweeps", json=asked).json()
    keep_network(database, org_id, network(TYPE), [100.0])
    for number in range(sweep["job"]["total"]):
        part = Part(org_id, UUID(sweep["job"]["id"]), "sweep", number)
        jobs.work_on_part(database, queue, part, {"sweep": sweeps.compute_part}, lambda: 0.0)
    after = client.get(f"/api/v1/sweeps/{sweep['id']}").json()
    assert after["job"]["state"] == "done", after["job"]
    assert len(after["cells"]) == 2


def test_hours_and_days_are_kept(client: TestClient, database: Database, org_id: UUID) -> None:
    hours = [(iperf3(1_000.0 - hour, FIRST + timedelta(hours=hour)), network(TYPE)) for hour in range(0, 72, 3)]
    keep(database, org_id, hours)
    [row] = profiles(client)
    one = client.get(f"{PROFILES}/{row['key']}").json()
    assert len(one["by_hour"]) == 24
    assert len(one["by_weekday"]) == 7
