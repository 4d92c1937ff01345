"""Plans through the API: preview, save, list, read; and which fields are stored."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from knowledge import PAPER
from outdated import as_objects, replace_workload
from stowage.features.planning.planning import MOST_POINTS_OF_COLUMNS, preview_plan
from stowage.features.planning.regions import compare_regions
from stowage.model import MODEL_VERSION
from stowage.platform.database.database import Database
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

SORT: dict[str, Any] = {
    "workload": {"data": "100 TB", "durability": {"model": "none"}},
    "place": {"catalog": "paper-2014"},
    "limits": {"deadline": "30 min", "max_nodes": 200},
    "assume": {"usual": "ignored"},
}


def count(database: Database, org_id: UUID) -> int:
    with database.transaction(org_id) as connection:
        found = connection.scalar(text("SELECT count(*) FROM plan"))
        assert isinstance(found, int)
        return found


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "elapsed_s"}


@pytest.mark.parametrize("version", ["paper-2014", "latest"])
def test_a_preview_is_what_the_packaged_catalog_gives_and_stores_nothing(
    client: TestClient, database: Database, org_id: UUID, version: str
) -> None:
    asked = SORT | {"place": {"catalog": version}}
    response = client.post("/api/v1/plans/preview", json=asked)
    assert response.status_code == 200
    packaged = preview_plan(parse_workload(asked), packaged_knowledge, lambda: 0.0)
    assert without_time(response.json()) == without_time(packaged.model_dump(mode="json"))
    assert count(database, org_id) == 0


def test_a_saved_plan_has_an_address_and_can_be_made_again(client: TestClient) -> None:
    created = client.post("/api/v1/plans", json={**SORT, "workload": {**SORT["workload"], "name": "Nightly"}})
    assert created.status_code == 201
    saved = client.get(created.headers["location"])
    assert saved.json() == created.json()
    assert saved.json()["name"] == "Nightly"
    answer = saved.json()["answer"]
    assert answer["catalog_version"] == "paper-2014"
    assert answer["model_version"] == MODEL_VERSION
    assert answer["profiles_digest"] == PAPER.digest
    pinned = {**answer["workload"], "place": {"catalog": answer["catalog_version"]}}
    again = client.post("/api/v1/plans/preview", json=pinned).json()
    assert again["configurations"] == answer["configurations"]
    assert len(again["frontier"]) > len(answer["frontier"]) == MOST_POINTS_OF_COLUMNS


def test_a_plan_without_a_name_is_named_by_its_question(client: TestClient) -> None:
    saved = client.post("/api/v1/plans", json=SORT).json()
    assert saved["name"] == "Sort 100 TB within 30 min"


def test_a_plan_that_nothing_meets_is_saved_with_its_nearest_misses(client: TestClient) -> None:
    impossible = {**SORT, "limits": {"deadline": "1 s"}}
    saved = client.post("/api/v1/plans", json=impossible).json()
    assert saved["answer"]["configurations"] == []
    assert saved["answer"]["near_misses"]
    [listed] = client.get("/api/v1/plans").json()["plans"]
    assert (listed["best_time_s"], listed["best_cost_usd"]) == (None, None)


def test_the_list_has_the_month_of_a_plan_that_looks_for_one(client: TestClient) -> None:
    of_run = client.post("/api/v1/plans", json=SORT).json()
    of_month = client.post("/api/v1/plans", json={**SORT, "objective": "month"}).json()
    nothing = client.post("/api/v1/plans", json={**SORT, "objective": "month", "limits": {"deadline": "1 s"}}).json()
    listed = {plan["id"]: plan for plan in client.get("/api/v1/plans").json()["plans"]}
    month_usd = of_month["answer"]["configurations"][0]["cost_always_on_usd"]
    assert month_usd > 0
    assert listed[of_month["id"]]["best_month_usd"] == month_usd
    assert listed[of_run["id"]]["best_month_usd"] is None
    assert listed[nothing["id"]]["best_month_usd"] is None


def test_plans_are_listed_newest_first_page_by_page(client: TestClient) -> None:
    ids = [client.post("/api/v1/plans", json=SORT).json()["id"] for _ in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    pages = 0
    while pages == 0 or cursor is not None:
        page = client.get("/api/v1/plans", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        seen += [plan["id"] for plan in page["plans"]]
        cursor, pages = page["next_cursor"], pages + 1
    assert seen == ids[::-1]
    assert pages == 3


def test_an_empty_list_is_a_list(client: TestClient) -> None:
    assert client.get("/api/v1/plans").json() == {"plans": [], "next_cursor": None}


def test_another_team_s_plan_is_not_found_like_one_that_never_was(client: TestClient, other_client: TestClient) -> None:
    address = client.post("/api/v1/plans", json=SORT).headers["location"]
    theirs = other_client.get(address)
    never = other_client.get(f"/api/v1/plans/{uuid4()}")
    assert (theirs.status_code, never.status_code) == (404, 404)
    assert theirs.json()["title"] == never.json()["title"]
    assert other_client.get("/api/v1/plans").json()["plans"] == []


def test_one_configuration_is_predicted_as_in_the_ranking(client: TestClient) -> None:
    row = client.post("/api/v1/plans/preview", json=SORT).json()["configurations"][0]
    cluster = {key: row[key] for key in ("instance", "nodes", "storage")}
    alone = client.post("/api/v1/predictions", json={**SORT, "cluster": cluster}).json()
    assert alone["feasible"] is True
    assert {key: alone[key] for key in row if key != "rank"} == {key: row[key] for key in row if key != "rank"}


def test_an_impossible_cluster_is_an_answer_and_no_error(client: TestClient) -> None:
    cluster = {"instance": "hs1.8xlarge", "nodes": 10}
    response = client.post("/api/v1/predictions", json={**SORT, "cluster": cluster})
    assert response.status_code == 200
    assert response.json()["feasible"] is False
    assert response.json()["limit"] == "network bandwidth unknown"


def test_health(client: TestClient) -> None:
    assert client.get("/api/v1/health").json()["status"] == "ok"


@pytest.mark.parametrize("replicas", [1, 2, 5])
def test_copies_cost_more(client: TestClient, replicas: int) -> None:
    durability = {"model": "application", "replicas": replicas}
    answer = client.post(
        "/api/v1/plans/preview", json={**SORT, "workload": {"data": "100 TB", "durability": durability}, "limits": {}}
    ).json()
    one = client.post("/api/v1/plans/preview", json={**SORT, "workload": {"data": "100 TB"}, "limits": {}}).json()
    ratio = answer["configurations"][0]["cost_usd"]["p50"] / one["configurations"][0]["cost_usd"]["p50"]
    assert ratio == pytest.approx(1.0) if replicas == 1 else ratio > 1.1


def save(client: TestClient, name: str, **limits: object) -> dict[str, Any]:
    body = {**SORT, "workload": {"data": "100 TB", "name": name}, "limits": {"max_nodes": 200, **limits}}
    response = client.post("/api/v1/plans", json=body)
    assert response.status_code == 201, response.text
    saved: dict[str, Any] = response.json()
    return saved


def names(client: TestClient, search: str = "") -> list[str]:
    return [plan["name"] for plan in client.get("/api/v1/plans", params={"search": search}).json()["plans"]]


def test_the_same_plan_sent_twice_is_saved_once(client: TestClient, other_client: TestClient) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    first, second = (client.post("/api/v1/plans", json=SORT, headers=key) for _ in range(2))
    assert first.json()["id"] == second.json()["id"] == key["Idempotency-Key"]
    assert len(names(client)) == 1
    # The id is taken, and the answer does not reveal the team that has it.
    assert other_client.post("/api/v1/plans", json=SORT, headers=key).status_code == 404


def test_a_plan_is_renamed_and_its_answer_stays(client: TestClient) -> None:
    saved = save(client, "First")
    renamed = client.patch(f"/api/v1/plans/{saved['id']}", json={"name": "Second"}).json()
    assert renamed == saved | {"name": "Second"}
    for name in ("", "x" * 201, "a\nb", 7):
        response = client.patch(f"/api/v1/plans/{saved['id']}", json={"name": name})
        assert [problem["path"] for problem in response.json()["errors"]] == ["name"]
    assert names(client) == ["Second"]


def test_a_copy_has_the_same_answer_under_another_id_and_name(client: TestClient) -> None:
    saved = save(client, "x" * 200)
    copied = client.post(f"/api/v1/plans/{saved['id']}/duplicate")
    assert copied.status_code == 201
    copy = client.get(copied.headers["location"]).json()
    assert copy["id"] != saved["id"]
    assert copy["name"] == "x" * 193 + " (copy)"
    assert copy["answer"] == saved["answer"]


def test_a_removed_plan_is_gone_until_it_is_brought_back(client: TestClient) -> None:
    saved = save(client, "Nightly")
    address = f"/api/v1/plans/{saved['id']}"
    assert client.delete(address).status_code == 204
    for call in (client.get(address), client.delete(address), client.post(f"{address}/duplicate")):
        assert call.status_code == 404
    assert names(client) == []
    assert client.post(f"{address}/restore").json() == saved
    assert names(client) == ["Nightly"]


def test_plans_are_found_by_what_was_asked_and_who_won(client: TestClient) -> None:
    save(client, "Nightly sort", deadline="30 min")
    save(client, "Backup")
    assert names(client, "nightly") == ["Nightly sort"]
    assert names(client, "30 min") == ["Nightly sort"]
    assert names(client, "I2.8XLARGE paper") == ["Backup", "Nightly sort"]
    assert names(client, "%") == []
    assert names(client, "\x00") == ["Backup", "Nightly sort"]


def test_a_plan_says_what_it_would_be_answered_from_today(client: TestClient, database: Database, org_id: UUID) -> None:
    saved = save(client, "Old")
    assert saved["changes"] == []
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET model_version = '0', profiles_digest = repeat('0', 64)"))
    expected = [
        {"what": "profiles", "then": "0" * 12, "now": PAPER.digest[:12]},
        {"what": "model", "then": "0", "now": MODEL_VERSION},
    ]
    assert client.get(f"/api/v1/plans/{saved['id']}").json()["changes"] == expected
    [listed] = client.get("/api/v1/plans").json()["plans"]
    assert listed["changes"] == expected
    assert (listed["best_instance"], listed["best_nodes"]) == (
        saved["answer"]["configurations"][0]["instance"],
        saved["answer"]["configurations"][0]["nodes"],
    )


def test_another_team_can_neither_change_nor_copy_nor_remove_a_plan(
    client: TestClient, other_client: TestClient
) -> None:
    address = f"/api/v1/plans/{save(client, 'Ours')['id']}"
    for method, path, body in (
        ("PATCH", address, {"name": "Theirs"}),
        ("POST", f"{address}/duplicate", None),
        ("DELETE", address, None),
        ("POST", f"{address}/restore", None),
    ):
        assert other_client.request(method, path, json=body).status_code == 404
    assert names(client) == ["Ours"]


def test_a_request_names_one_of_the_teams_that_there_are(client: TestClient) -> None:
    assert [team["key"] for team in client.get("/api/v1/teams").json()] == ["local", "example"]
    response = client.get("/api/v1/plans", params={"team": "theirs"})
    assert response.status_code == 422
    assert "example" in response.json()["errors"][0]["message"]


OPEN: dict[str, Any] = {
    "workload": {"data": "10 TB", "durability": {"model": "any"}},
    "place": {"catalog": "paper-2014", "purchase": "any"},
    "limits": {"loss": "1 %", "max_nodes": 50},
}


def test_the_first_row_alone_has_its_sources_where_that_is_enough(client: TestClient) -> None:
    whole = client.post("/api/v1/plans/preview", json=OPEN).json()
    first = client.post("/api/v1/plans/preview?sources=first", json=OPEN).json()
    assert [row["sources"] for row in whole["configurations"]] == [True] * len(whole["configurations"])
    assert [row["sources"] for row in first["configurations"]] == [True, *[False] * (len(whole["configurations"]) - 1)]
    assert first["configurations"][0] == whole["configurations"][0]
    bare = {"provenance": [], "causes": [], "courses": [], "sources": False}
    assert first["configurations"][1:] == [row | bare for row in whole["configurations"][1:]]
    assert first["frontier"] == whole["frontier"]
    assert client.post("/api/v1/plans/preview?sources=none", json=OPEN).status_code == 422


def test_what_was_left_open_is_said_of_every_row_and_point(client: TestClient) -> None:
    answer = client.post("/api/v1/plans/preview", json={**OPEN, "objective": "time"}).json()
    assert answer["objective"] == "time"
    assert {row["purchase"] for row in answer["configurations"]} == {"on-demand"}
    assert len({(point["durability"], point["replicas"]) for point in answer["frontier"]}) > 1
    assert answer["limits"] == {
        "deadline_s": None,
        "budget_usd": None,
        "max_nodes": 50,
        "chance": None,
        "loss": 0.01,
        "rereplication_s": None,
    }


def test_an_unknown_name_is_refused_at_its_field(client: TestClient) -> None:
    refused = client.post("/api/v1/plans/preview", json={**OPEN, "choose": {"families": ["i22"]}})
    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert error["path"] == "choose.families.0"
    assert "i2" in error["message"]


def test_regions_are_compared_and_nothing_is_stored(client: TestClient, database: Database, org_id: UUID) -> None:
    file = {"workload": {"data": "10 TB"}, "limits": {"max_nodes": 20}, "choose": {"families": ["i4i"]}}
    answer = client.post("/api/v1/plans/regions", json=file).json()
    packaged = compare_regions(parse_workload(file), packaged_knowledge, lambda: 0.0).model_dump(mode="json")
    assert without_time(answer) == without_time(packaged)
    assert len(answer["regions"]) > 10
    assert count(database, org_id) == 0


def test_a_plan_from_before_anything_was_assumed_is_asked_about_as_it_was_answered(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    """The page requests details with the answer's document, which must not pick up defaults added since."""
    saved = client.post("/api/v1/plans", json=SORT).json()
    workload = saved["answer"]["workload"]
    del workload["assume"]
    replace_workload(database, org_id, saved, workload)
    read = client.get(f"/api/v1/plans/{saved['id']}").json()["answer"]
    row, cluster = read["configurations"][0], ("instance", "nodes", "storage")
    asked = {**read["workload"], "cluster": {key: row[key] for key in cluster}}
    assert client.post("/api/v1/predictions", json=asked).json()["time_s"] == row["time_s"]
    ranked = client.get(f"/api/v1/plans/{saved['id']}/ranking").json()
    assert ranked["configurations"][0]["time_s"] == row["time_s"]
    assert ranked["incomplete"] is None


def test_a_plan_that_was_saved_before_there_was_a_choice_can_still_be_read(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    saved = client.post("/api/v1/plans", json=SORT).json()
    answer = saved["answer"]
    for name in ("objective",):
        del answer[name]
    for name in ("chance", "loss"):
        del answer["limits"][name]
    points = [*answer["frontier"], *(point for curve in answer["curves"] for point in curve["points"])]
    for row in [*answer["configurations"], *points]:
        for name in ("purchase", "durability", "replicas"):
            del row[name]
    for row in answer["configurations"]:
        del row["sources"], row["cost_parts_usd"]["idle_commitment"]
    for point in points:
        del point["loss_probability"]
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET answer = :answer"), {"answer": as_objects(answer)})
    read = client.get(f"/api/v1/plans/{saved['id']}").json()["answer"]
    assert read["objective"] == "cost"
    assert {row["purchase"] for row in read["configurations"]} == {None}
    assert all(row["sources"] for row in read["configurations"])
    assert client.get(f"/api/v1/plans/{saved['id']}/today").status_code == 200


def test_a_measured_time_of_today_is_stored_with_the_plan_and_refused_at_its_field(client: TestClient) -> None:
    today = {"instance": "i2.8xlarge", "nodes": 100, "time": "50 min", "data": "100 TB"}
    saved = client.post("/api/v1/plans", json={**SORT, "today": today})
    assert saved.status_code == 201, saved.text
    kept = client.get(f"/api/v1/plans/{saved.json()['id']}").json()["answer"]
    assert kept["workload"]["today"] == today
    assert (kept["today"]["time_s"], kept["today"]["nodes"]) == (3_000.0, 100)
    without = client.post("/api/v1/plans/preview", json=SORT).json()
    assert without["today"] is None
    factor = kept["today"]["time_s"] / kept["today"]["predicted_s"]
    cluster = {"cluster": {"instance": "i2.8xlarge", "nodes": 178}}
    plain, scaled = (
        client.post("/api/v1/predictions", json={**SORT, **cluster, **more}).json() for more in ({}, {"today": today})
    )
    assert scaled["time_s"]["p50"] / plain["time_s"]["p50"] == pytest.approx(factor, rel=1e-3)
    refused = client.post("/api/v1/plans/preview", json={**SORT, "today": {**today, "time": "1 s"}})
    assert refused.status_code == 422
    assert [error["path"] for error in refused.json()["errors"]] == ["today.time"]


# Outdated plans: their stored workload does not conform to the schema of today.

PLANS = "/api/v1/plans"
OLD: dict[str, Any] = {
    "workload": {"data": "100 TB", "name": "Nightly"},
    "place": {"catalog": "paper-2014"},
    "limits": {"max_nodes": 200},
    "assume": {"usual": "ignored"},
}
TODAY = {"instance": "i2.8xlarge", "nodes": 178}
PIN = {**OLD, "cluster": {"instance": "i2.8xlarge", "nodes": 98}}
DECIDED = {"today": TODAY, "pins": [PIN], "notes": "Ask Ada."}
WHAT_NOW = "open it as a new plan, check that field, and save."

RENAMED = {**OLD, "workload": {"payload": "100 TB"}}
STRICTER = {**OLD, "limits": {"max_nodes": 10**9}}
NO_OBJECT = {**OLD, "workload": "100 TB"}
CLUSTER = {**OLD, "cluster": {"type": "i2.8xlarge", "nodes": 98}}


@pytest.fixture
def saved(client: TestClient) -> dict[str, Any]:
    response = client.post(PLANS, json={**OLD, "decided": DECIDED})
    assert response.status_code == 201, response.text
    plan: dict[str, Any] = response.json()
    return plan


@pytest.mark.parametrize(
    ("workload", "named"),
    [
        (RENAMED, "workload.data: is missing"),
        (STRICTER, "limits.max_nodes: 1000000000"),
        (NO_OBJECT, "workload:"),
        (CLUSTER, "cluster.instance:"),
    ],
    ids=["renamed", "stricter", "no object", "cluster"],
)
def test_a_plan_is_shown_with_its_stored_answer_and_says_what_is_outdated(
    client: TestClient,
    anonymous: TestClient,
    database: Database,
    org_id: UUID,
    saved: dict[str, Any],
    workload: dict[str, Any],
    named: str,
) -> None:
    replace_workload(database, org_id, saved, workload)
    address = f"{PLANS}/{saved['id']}"
    read = client.get(address).json()
    assert read["outdated"].startswith("Written for an earlier version: ")
    assert named in read["outdated"]
    assert read["outdated"].endswith(WHAT_NOW)
    assert read["question"] == ""
    for kept in ("configurations", "frontier", "sentence"):
        assert read["answer"][kept] == saved["answer"][kept]
    assert (read["decided"], read["saving"]) == (saved["decided"], saved["saving"])
    [listed] = client.get(PLANS).json()["plans"]
    assert (listed["name"], listed["saving"]) == ("Nightly", saved["saving"])
    assert client.get("/api/v1/home").json()["begun"]["plans"] == 1
    rows = client.get(f"{address}/ranking").json()["configurations"]
    assert [row["instance"] for row in rows] == [row["instance"] for row in saved["answer"]["configurations"]]
    _, _, secret = (
        client.post("/api/v1/links", json={"kind": "plan", "object_id": saved["id"]}).json()["address"].rpartition("/")
    )
    shared = anonymous.get(f"/api/v1/shared/{secret}")
    assert (shared.status_code, shared.json()["plan"]["outdated"]) == (200, read["outdated"])
    assert anonymous.get(f"/api/v1/shared/{secret}/ranking").status_code == 200
    assert client.patch(address, json={"name": "Old"}).json()["name"] == "Old"
    assert client.post(f"{address}/duplicate").json()["outdated"] == read["outdated"]


def test_what_would_compute_its_question_again_is_refused_with_the_reason(
    client: TestClient, database: Database, org_id: UUID, saved: dict[str, Any]
) -> None:
    replace_workload(database, org_id, saved, RENAMED)
    report = {"title": "Nightly", "origin": {"kind": "plan", "plan_id": saved["id"]}}
    other = client.post(PLANS, json=OLD).json()
    both = {"title": "Two", "origin": {"kind": "comparison", "plan_ids": [other["id"], saved["id"]]}}
    address = f"{PLANS}/{saved['id']}"
    for refused in (
        client.get(f"{address}/today"),
        client.put(f"{address}/decided", json=DECIDED),
        client.post("/api/v1/reports", json=report),
        client.post("/api/v1/reports/preview", json=both),
    ):
        assert refused.status_code == 409, refused.text
        assert "workload.data: is missing" in refused.json()["detail"]
    assert client.get(address).json()["decided"] == saved["decided"]


def test_a_plan_is_shown_without_a_baseline_and_pins_that_are_outdated(
    client: TestClient, database: Database, org_id: UUID, saved: dict[str, Any]
) -> None:
    decided = json.loads(json.dumps(saved["decided"]))
    decided["today"]["cluster"]["nodes"] = 10**9
    decided["pins"][0]["answer"].pop("feasible")
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET decided = CAST(:decided AS json)"), {"decided": json.dumps(decided)})
    read = client.get(f"{PLANS}/{saved['id']}").json()
    assert (read["decided"]["today"], read["decided"]["pins"], read["decided"]["notes"]) == (None, [], "Ask Ada.")
    assert "its baseline and pins cannot be read any more" in read["outdated"]
    assert read["question"] == saved["question"]
    report = {"title": "Nightly", "outlook": None, "origin": {"kind": "plan", "plan_id": saved["id"]}}
    assert client.post("/api/v1/reports/preview", json=report).status_code == 200


def test_a_report_leaves_out_a_pin_whose_workload_is_outdated(
    client: TestClient, database: Database, org_id: UUID, saved: dict[str, Any]
) -> None:
    decided = json.loads(json.dumps(saved["decided"]))
    decided["pins"].append(json.loads(json.dumps(decided["pins"][0])))
    decided["pins"][1]["file"]["workload"] = {"payload": "100 TB"}
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET decided = CAST(:decided AS json)"), {"decided": json.dumps(decided)})
    report = {"title": "Nightly", "outlook": None, "origin": {"kind": "plan", "plan_id": saved["id"]}}
    composed = client.post("/api/v1/reports/preview", json=report)
    assert composed.status_code == 200, composed.text
    assert "Pins that were written for an earlier version are left out." in composed.text
