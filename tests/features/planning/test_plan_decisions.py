"""Decisions on a plan: the current cluster, pins and notes; stored, copied, shared, refused."""

import json
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from outdated import change_answers
from stowage.features.planning import planning
from stowage.platform.database.database import Database
from stowage.workloads.stored_answers import answer_of

PLANS = "/api/v1/plans"
SORT: dict[str, Any] = {
    "workload": {"data": "100 TB", "name": "Nightly", "runs_per_month": 30.0},
    "place": {"catalog": "paper-2014"},
    "limits": {"deadline": "30 min", "max_nodes": 200},
    "assume": {"usual": "ignored"},
}
CLUSTER = {"instance": "i2.8xlarge", "nodes": 120}
TODAY: dict[str, Any] = {**CLUSTER, "durability": {"model": "application", "replicas": 2}}
COPIES: dict[str, Any] = {
    "workload": {**SORT["workload"], "durability": {"model": "application", "replicas": 2}},
    "place": SORT["place"],
    "assume": SORT["assume"],
    "cluster": {**CLUSTER, "nodes": 124},
}
PIN: dict[str, Any] = {**SORT, "cluster": {**CLUSTER, "nodes": 98}}
DECIDED: dict[str, Any] = {"today": TODAY, "pins": [PIN, COPIES], "durabilities": True, "notes": "Ask Ada\nfirst."}
NOTHING: dict[str, Any] = {"today": None, "pins": [], "durabilities": [], "notes": ""}


def save(client: TestClient, **decided: Any) -> dict[str, Any]:
    response = client.post(PLANS, json={**SORT, "decided": decided} if decided else SORT)
    assert response.status_code == 201, response.text
    saved: dict[str, Any] = response.json()
    return saved


def without_sources(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"provenance": [], "causes": [], "courses": [], "sources": False}


def predicted(client: TestClient, file: dict[str, Any]) -> Any:
    return client.post("/api/v1/predictions", json=file).json()["cost_usd"]


def test_each_is_predicted_for_its_own_question_and_read_as_it_was_stored(client: TestClient) -> None:
    saved = save(client, **DECIDED)
    decided = saved["decided"]
    assert decided["notes"] == "Ask Ada\nfirst."
    bests = {each["durability"]["model"]: each["best"] for each in decided["durabilities"]}
    assert list(bests) == ["none", "application", "infrastructure", "object-store"]
    assert without_sources(bests["none"]) == without_sources(saved["answer"]["configurations"][0])
    copies = client.post(f"{PLANS}/preview", json={**SORT, "workload": COPIES["workload"]}).json()
    assert without_sources(bests["application"]) == without_sources(copies["configurations"][0])
    assert [pin["file"]["cluster"]["nodes"] for pin in decided["pins"]] == [98, 124]
    assert decided["pins"][1]["file"]["workload"]["durability"] == {"model": "application"}
    assert [pin["answer"]["cost_usd"] for pin in decided["pins"]] == [predicted(client, PIN), predicted(client, COPIES)]
    assert (decided["pins"][1]["answer"]["durability"], decided["pins"][1]["answer"]["replicas"]) == ("application", 2)
    assert decided["today"]["cluster"]["durability"] == TODAY["durability"]
    assert decided["today"]["answer"]["cost_usd"] == predicted(client, {**COPIES, "cluster": CLUSTER})
    assert client.get(f"{PLANS}/{saved['id']}").json() == saved
    assert saved["answer"]["workload"]["workload"]["runs_per_month"] == 30.0
    assert "decided" not in saved["answer"]["workload"]


def test_a_copy_has_it_and_so_has_a_share_link(client: TestClient, anonymous: TestClient) -> None:
    saved = save(client, **DECIDED)
    copy = client.post(f"{PLANS}/{saved['id']}/duplicate").json()
    assert copy["decided"] == saved["decided"]
    asked = {"kind": "plan", "object_id": saved["id"]}
    _, _, secret = client.post("/api/v1/links", json=asked).json()["address"].rpartition("/")
    assert anonymous.get(f"/api/v1/shared/{secret}").json()["plan"]["decided"] == saved["decided"]


def test_it_is_changed_later_and_the_answer_stays(client: TestClient, other_client: TestClient) -> None:
    saved = save(client)
    assert saved["decided"] == NOTHING
    address = f"{PLANS}/{saved['id']}"
    assert other_client.put(f"{address}/decided", json=DECIDED).status_code == 404
    changed = client.put(f"{address}/decided", json=DECIDED).json()
    decided = save(client, **DECIDED)
    assert changed == saved | {name: decided[name] for name in ("decided", "saving")}
    assert client.get(address).json() == changed
    assert client.put(f"{address}/decided", json={}).json() == saved
    record = [each["sentence"] for each in client.get("/api/v1/audit").json()["events"]]
    assert sum("changed the baseline, pins or notes of the plan Nightly" in each for each in record) == 2


def test_durabilities_are_sought_once_for_a_question_and_the_knowledge_that_answered_it(
    client: TestClient, database: Database, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = save(client, **DECIDED)
    address = f"{PLANS}/{saved['id']}"
    searches: list[object] = []
    preview_rows = planning.preview_rows

    def counted(*asked: Any) -> Any:
        searches.append(asked)
        return preview_rows(*asked)

    monkeypatch.setattr(planning, "preview_rows", counted)
    changed = client.put(f"{address}/decided", json=DECIDED | {"notes": "Ask Bob.", "pins": []}).json()
    assert (changed["decided"]["notes"], changed["decided"]["pins"]) == ("Ask Bob.", [])
    assert changed["decided"]["durabilities"] == saved["decided"]["durabilities"]
    assert searches == []
    # Another model version gives other figures.
    with database.transaction(org_id) as connection:
        change_answers(connection, lambda answer: answer.update(model_version="0"))
    client.put(f"{address}/decided", json=DECIDED)
    assert len(searches) == len(saved["decided"]["durabilities"])


def test_of_hdfs_each_way_to_keep_its_copies_is_compared_and_what_cannot_be_says_why(client: TestClient) -> None:
    file = {"workload": {"job": "hdfs-write", "data": "1 TB", "replication": 3}, "limits": {"max_nodes": 2}}
    saved = client.post(PLANS, json={**file, "decided": {"durabilities": True}}).json()
    found = {each["durability"]["model"]: each for each in saved["decided"]["durabilities"]}
    assert list(found) == ["none", "infrastructure"]
    # Three copies need three nodes.
    assert {each["best"] for each in found.values()} == {None}
    assert all("configuration" in each["sentence"] for each in found.values())


def test_a_cluster_of_today_that_cannot_do_the_job_is_an_answer(client: TestClient) -> None:
    today = save(client, today={"instance": "i2.8xlarge", "nodes": 2})["decided"]["today"]
    assert today["answer"]["feasible"] is False
    assert "cannot hold" in today["answer"]["reason"]


def test_what_is_pinned_of_the_plans_catalog_is_answered_by_the_version_that_answered_it(client: TestClient) -> None:
    latest = {key: value for key, value in PIN.items() if key != "place"}
    pinned = {**latest, "cluster": {"instance": "i4i.8xlarge", "nodes": 150}}
    saved = client.post(PLANS, json={"workload": SORT["workload"], "decided": {"pins": [pinned]}}).json()
    version = saved["answer"]["catalog_version"]
    [pin] = saved["decided"]["pins"]
    assert pin["answer"]["catalog_version"] == version != "paper-2014"
    # Stated or not, the plan's value applies.
    named = {**pinned, "place": {"catalog": version}}
    again = client.put(f"{PLANS}/{saved['id']}/decided", json={"pins": [named]}).json()
    assert again["decided"]["pins"] == [pin]


@pytest.mark.parametrize(
    ("decided", "path", "words"),
    [
        ({"pins": [PIN] * 6}, "decided.pins", "5"),
        ({"pins": [SORT]}, "decided.pins.0.cluster", "missing"),
        (
            {"pins": [PIN, {**PIN, "cluster": {"instance": "i9.huge", "nodes": 2}}]},
            "decided.pins.1.cluster.instance",
            "i9.huge",
        ),
        ({"pins": [{**PIN, "workload": {"data": "1 XB"}}]}, "decided.pins.0.workload.data", "XB"),
        ({"today": {**CLUSTER, "nodes": 0}}, "decided.today.nodes", "1"),
        ({"today": {**CLUSTER, "instance": "i9.huge"}}, "decided.today.instance", "i9.huge"),
        ({"today": {**CLUSTER, "durability": {"model": "tape"}}}, "decided.today.durability", "application"),
        ({"notes": "x" * 2_001}, "decided.notes", "2000"),
        ({"notes": "a\x00b"}, "decided.notes", "U+0000"),
        ({"note": "x"}, "decided.note", ""),
    ],
    ids=["sixth", "no cluster", "type", "size", "nodes", "today's type", "durability", "long", "control", "typo"],
)
def test_what_is_not_accepted_is_said_at_its_field_and_nothing_is_stored(
    client: TestClient, decided: dict[str, Any], path: str, words: str
) -> None:
    refused = client.post(PLANS, json={**SORT, "decided": decided})
    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert error["path"] == path
    assert words in error["message"]
    assert client.get(PLANS).json()["plans"] == []


def test_a_plan_that_was_stored_before_reads_as_before(client: TestClient, database: Database, org_id: UUID) -> None:
    saved = save(client)
    with database.transaction(org_id) as connection:
        [row] = connection.execute(text("SELECT decided, decided_at, answer FROM plan")).all()
    assert (row.decided, row.decided_at) == (None, None)
    assert answer_of(row.answer).model_dump(mode="json") == saved["answer"]
    assert json.dumps(client.get(f"{PLANS}/{saved['id']}").json()["decided"]) == json.dumps(NOTHING)
