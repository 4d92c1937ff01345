"""Measurements of a team in its plans: changed answers, and the notes on its profiles beside them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from kept_measurements import FIRST, disks, fio, iperf3, keep, keep_network, network, volume
from stowage.measure.reading import Metric, PrintedValue, Reading
from stowage.measure.target import VolumeTarget
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue
from uploading import Reader
from uploading import fio as fio_file

TYPE, OTHER = "i3.8xlarge", "i8ge.6xlarge"
PAIR = network(TYPE)
RATES = [1_000.0, 1_010.0, 990.0]
STEADY = [*RATES, 1_005.0, 995.0, 1_000.0, 1_002.0, 998.0, 1_004.0, 996.0]
QUESTION: dict[str, Any] = {
    "workload": {"data": "100 TB", "durability": {"model": "none"}},
    "limits": {"deadline": "2 h", "max_nodes": 100},
    "choose": {"instances": [TYPE, OTHER]},
    "assume": {"usual": "ignored"},
}
GP3 = VolumeTarget("gp3", 500.0)


def rows_of(client: TestClient) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/profiles")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["profiles"]
    return rows


def digest_of(client: TestClient) -> str:
    return str(client.post("/api/v1/plans/preview", json=QUESTION).json()["profiles_digest"])


def small(way: str, read_iops: float, write_iops: float | None = None) -> Reading:
    """Return a run of fio with small requests: reads alone, or reads and writes at once."""
    [run, _] = fio(1.0, 1.0, FIRST)
    metrics = [Metric("read_iops", read_iops, PrintedValue(str(read_iops), "1/s", "iops"))]
    if write_iops is not None:
        metrics.append(Metric("write_iops", write_iops, PrintedValue(str(write_iops), "1/s", "iops")))
    return replace(run, name=way, metrics=tuple(metrics), settings={**run.settings, "rw": way, "bs": "4k"})


def test_a_slower_network_makes_the_winner_second(client: TestClient, database: Database, org_id: UUID) -> None:
    saved = client.post("/api/v1/plans", json=QUESTION)
    assert saved.status_code == 201, saved.text
    address, winner = saved.headers["location"], saved.json()["answer"]["configurations"][0]
    assert (saved.json()["changes"], winner["instance"]) == ([], TYPE)
    assert client.get(f"{address}/today").json()["measured"] is None
    keep_network(database, org_id, network(TYPE, winner["nodes"]), RATES)
    found = client.post("/api/v1/plans/measured", json=QUESTION).json()
    assert found["changed"] is True
    assert (found["winner_before"]["instance"], found["winner_now"]["instance"]) == (TYPE, OTHER)
    assert found["place_of_before"] == 2
    assert "is now 2nd: measured network 20% lower than published" in found["sentence"]
    assert f"First is now {found['winner_now']['nodes']} × {OTHER}" in found["sentence"]
    [difference] = [each for each in found["differences"] if each["target"] == TYPE]
    assert (difference["metric"], difference["published"], difference["unit"]) == ("network", 1_250.0, "MB/s")
    assert difference["percent"] == pytest.approx(-20.0, abs=0.5)
    assert difference["source"].startswith("Your team: 3 measurements (iperf3, 2026-11-01 to 2026-11-03)")
    # The plan that was saved before says so, and its answer stays.
    plan = client.get(address).json()
    assert plan["answer"] == saved.json()["answer"]
    [change] = plan["changes"]
    assert change["what"] == "profiles"
    assert change["then"] != change["now"]
    assert client.get("/api/v1/plans").json()["plans"][0]["changes"] == [change]
    now = client.get(f"{address}/today").json()
    assert now["measured"] == found
    assert "is now 2nd" in now["sentence"]
    assert now["answer"]["configurations"][0]["instance"] == OTHER
    assert client.post("/api/v1/plans", json=QUESTION).json()["changes"] == []


def test_a_rate_at_another_cluster_size_is_called_estimated(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    keep_network(database, org_id, PAIR, RATES)
    sentence = client.post("/api/v1/plans/measured", json=QUESTION).json()["sentence"]
    assert "is now 2nd: estimated network 20% lower than published" in sentence


def test_a_copy_of_an_old_plan_says_what_was_measured_since_its_answer(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    saved = client.post("/api/v1/plans", json=QUESTION).json()
    keep_network(database, org_id, PAIR, RATES)
    copy = client.post(f"/api/v1/plans/{saved['id']}/duplicate").json()
    assert [change["what"] for change in copy["changes"]] == ["profiles"]
    today = client.get(f"/api/v1/plans/{copy['id']}/today").json()
    assert today["measured"]["place_of_before"] == 2


def test_a_ranking_of_unknown_types_is_refused_at_its_field(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    keep(database, org_id, [(iperf3(1_000.0, FIRST), PAIR)])
    for section, what, path in (
        ("place", {"region": "mars-north-1"}, "place.region"),
        ("choose", {"instances": ["i9.vast"]}, "choose.instances"),
    ):
        refused = client.post("/api/v1/plans/measured", json={**QUESTION, section: what})
        assert refused.status_code == 422, refused.text
        assert [each["path"].startswith(path) for each in refused.json()["errors"]] == [True]


def test_a_person_s_verdict_takes_a_measurement_out_of_plans(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    *_, slow = keep_network(database, org_id, PAIR, [1_000.0, 1_010.0, 400.0])
    before, digest = rows_of(client), digest_of(client)
    made_at = client.get("/api/v1/profiles").json()["made_at"]
    said = {"verdict": "rejected", "reason": "Another job ran on the machine."}
    assert client.post(f"/api/v1/measurements/{slow}/verdicts", json=said).status_code == 201
    after = rows_of(client)
    assert (before[0]["slowest"], after[0]["slowest"]) == (400.0, 1_000.0)
    assert client.get("/api/v1/profiles").json()["made_at"] > made_at
    # It is still visible, but no longer used.
    series = client.get(f"/api/v1/profiles/{after[0]['key']}").json()["series"]
    out = next(point for point in series if point["measurement_id"] == str(slow))
    assert (out["verdict"], out["weight"]) == ("rejected", 0.0)
    assert digest_of(client) != digest
    back = {"verdict": "good", "reason": "It was ours."}
    assert client.post(f"/api/v1/measurements/{slow}/verdicts", json=back).status_code == 201
    assert rows_of(client) == before
    assert digest_of(client) == digest


def test_an_upload_that_is_too_short_is_in_no_profile_until_a_person_says_otherwise(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    [measurement] = Reader(client, database, queue, org_id).kept(fio_file())
    assert client.get(f"/api/v1/measurements/{measurement}").json()["verdict"] == "rejected"
    assert rows_of(client) == []
    said = {"verdict": "good", "reason": "It is what it is."}
    taken = client.post(f"/api/v1/measurements/{measurement}/verdicts", json=said).json()
    assert sorted(row["key"] for row in rows_of(client)) == sorted(taken["profiles"])
    assert {row["target_words"] for row in rows_of(client)} == {f"{TYPE}, 4 own disks, us-east-1"}


def test_what_predictions_do_not_take_is_said_with_its_reason(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    last_year = FIRST - timedelta(days=365)
    old = [(reading, disks(TYPE, 4)) for reading in fio(7_900.0, 3_000.0, last_year)]
    keep(database, org_id, [*old, (small("randread", 3_000.0), volume("m5.xlarge", GP3))])
    rows = rows_of(client)
    assert [(row["feeds"], bool(row["why_not"])) for row in rows] == [(False, True)] * 3
    reads = next(row for row in rows if row["metric"] == "storage_read_mb_per_s")
    assert "the published figure is of 2026-06-10" in reads["why_not"]


def test_reads_that_shared_the_time_with_writes_are_held_against_nothing(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    target = volume("m5.xlarge", GP3)
    keep(database, org_id, [(small("randread", 2_900.0), target), (small("randrw", 1_500.0, 1_450.0), target)])
    [alone] = [row for row in rows_of(client) if "at once" not in row["what"]]
    at_once = [row for row in rows_of(client) if "at once" in row["what"]]
    assert alone["published"]["value"] == 3_000.0
    assert "provisioned for" in alone["published"]["source"]
    assert alone["difference_pct"] == pytest.approx(-100.0 / 30.0)
    assert sorted(row["metric"] for row in at_once) == ["ebs_read_iops", "ebs_write_iops"]
    for row in at_once:
        assert (row["published"], row["difference_pct"], row["feeds"]) == (None, None, False)
        assert row["why_not"]


def test_a_page_of_a_profile_has_each_measurement_and_the_change_that_was_found(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    fallen = [*STEADY, *(0.85 * rate for rate in STEADY)]
    ids = keep_network(database, org_id, PAIR, fallen)
    keep_network(database, org_id, network(TYPE, 8), [900.0])
    keep_network(database, org_id, network("c5n.18xlarge"), [*STEADY, *STEADY])
    [row] = [each for each in rows_of(client) if each["target"]["nodes"] == 2 and each["target"]["instance"] == TYPE]
    profile = client.get(f"/api/v1/profiles/{row['key']}").json()
    assert [point["measurement_id"] for point in profile["series"]] == [str(each) for each in ids]
    assert [point["value"] for point in profile["series"]] == fallen
    weights = [point["weight"] for point in profile["series"]]
    # Old ones lose weight.
    assert weights == sorted(weights)
    assert 0.0 < weights[0] < weights[-1] == 1.0
    [change] = profile["changes"]
    assert change["at"].startswith("2026-11-11T12:00")
    assert change["factor"] == pytest.approx(0.85, abs=0.01)
    assert change["low"] < change["factor"] < change["high"] < 1.0
    assert "15% lower since 11 Nov 2026" in change["words"]
    assert "which is worse" in change["words"]
    assert [(point["nodes"], point["kind"]) for point in profile["curve"]] == [(2, "measured"), (8, "measured")]
    listed = client.get("/api/v1/changes", params={"only": "regressions"}).json()["changes"]
    assert listed == [change]
    assert client.get("/api/v1/changes", params={"only": "improvements"}).json()["changes"] == []
    assert client.get("/api/v1/changes", params={"only": "worse"}).status_code == 422


def test_commands_for_unknown_types_are_refused(client: TestClient) -> None:
    unknown = client.get("/api/v1/recipes", params={"instance": "i9.vast"})
    assert (unknown.status_code, "i9.vast" in unknown.text) == (404, True)
    for more in ({}, {"instance": TYPE}):
        refused = client.get("/api/v1/recipes", params={"region": "mars-north-1", **more})
        assert refused.status_code == 422, (more, refused.text)
        assert "mars-north-1" in refused.text


def test_commands_cost_what_the_type_costs_in_the_region(client: TestClient) -> None:
    assert {each["cost_usd"] for each in client.get("/api/v1/recipes").json()["recipes"]} == {None}
    here, there = (
        client.get("/api/v1/recipes", params={"instance": TYPE, "region": region}).json()["recipes"]
        for region in ("us-east-1", "eu-west-1")
    )
    assert {each["tool"] for each in here} >= {"fio", "iperf3"}
    for each in here:
        # At 2.496 USD/h, 60 s at least.
        nodes = each["cost_usd"] / (2.496 * max(each["duration_s"], 60.0) / 3_600.0)
        assert round(nodes, 6) in {1.0, 2.0, 3.0, 4.0, 5.0}, each
    assert there[0]["cost_usd"] > here[0]["cost_usd"]
