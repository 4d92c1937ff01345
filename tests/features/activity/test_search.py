"""Search over everything that has a name and that the caller may see."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from people import join, new_person, signed_in, token_of
from published import AUTHOR, publish
from stowage.features.activity.searching import MOST_OF_A_KIND
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue

SEARCH = "/api/v1/search"
PLANS = "/api/v1/plans"


def saved(client: TestClient, name: str) -> str:
    question = {"workload": {"data": "1 TB", "name": name}, "limits": {"max_nodes": 5}, "choose": {"families": ["i4i"]}}
    return str(client.post(PLANS, json=question).json()["id"])


def hits(client: TestClient, text: str, **asked: Any) -> list[tuple[str, str]]:
    answer = client.get(SEARCH, params={"text": text, **asked})
    assert answer.status_code == 200
    return [(hit["kind"], hit["name"]) for hit in answer.json()["hits"]]


def test_plans_sweeps_and_members_are_found_by_their_names(client: TestClient, gate: Database, org_id: UUID) -> None:
    plan_id = saved(client, "Quux sort")
    sweep = {
        "name": "Quux by size",
        "base": {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 5}, "choose": {"families": ["i4i"]}},
        "columns": {"quantity": "data", "values": ["1 TB", "2 TB"]},
        "rows": {"quantity": "deadline", "values": ["1 h", "2 h"]},
    }
    sweep_id = client.post("/api/v1/sweeps", json=sweep).json()["id"]
    person_id = new_person(gate, "Anna Quux", f"anna-{uuid4().hex}@example.org")
    join(gate, org_id, person_id, "planner")
    found = client.get(SEARCH, params={"text": "quux"}).json()["hits"]
    assert [(hit["kind"], hit["name"], hit["id"]) for hit in found] == [
        ("plan", "Quux sort", plan_id),
        ("sweep", "Quux by size", sweep_id),
        ("member", "Anna Quux", str(person_id)),
    ]
    assert found[2]["note"].startswith("planner, anna-")


def test_reports_are_found_by_their_titles_unless_they_were_removed(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    report = publish(database, queue, org_id, title="Quux for the board")
    [found] = client.get(SEARCH, params={"text": "quux board"}).json()["hits"]
    assert (found["kind"], found["name"], found["id"]) == ("report", "Quux for the board", str(report.id))
    assert found["note"].startswith(f"report by {AUTHOR}, ")
    assert client.delete(f"/api/v1/reports/{report.id}").status_code == 204
    assert hits(client, "quux board") == []


def test_what_can_be_bought_is_found(client: TestClient) -> None:
    found = client.get(SEARCH, params={"text": "m5.24xl"}).json()["hits"]
    assert found[0] == {"kind": "type", "name": "m5.24xlarge", "id": "m5.24xlarge", "note": "96 vCPU"}
    assert hits(client, "gp3") == [("volume", "gp3")]


def test_what_is_called_so_comes_first_then_what_begins_so(client: TestClient) -> None:
    for name in ("all of quuxes", "a quux", "quux", "quux sort", "preququux"):
        saved(client, name)
    assert [name for _, name in hits(client, "QUUX")] == ["quux", "quux sort", "a quux", "all of quuxes", "preququux"]


def test_all_words_must_be_found_and_none_stands_for_anything_else(client: TestClient) -> None:
    saved(client, "nightly quux")
    saved(client, "100%_quux")
    assert hits(client, "quux nightly") == [("plan", "nightly quux")]
    assert hits(client, "quux hourly") == []
    assert hits(client, "%_quux") == [("plan", "100%_quux")]
    assert hits(client, "n%y quux") == hits(client, "\\") == []


@pytest.mark.parametrize("text", ["", "   ", "\0", "\0\0 "])
def test_without_a_word_nothing_is_found(client: TestClient, text: str) -> None:
    saved(client, "quux")
    assert hits(client, text) == []


def test_a_few_of_each_kind_are_told(client: TestClient) -> None:
    for number in range(MOST_OF_A_KIND + 2):
        saved(client, f"quux {number}")
    assert len(hits(client, "quux")) == MOST_OF_A_KIND
    assert len(hits(client, "xlarge")) == MOST_OF_A_KIND


def test_what_was_removed_is_not_found(client: TestClient) -> None:
    client.delete(f"{PLANS}/{saved(client, 'quux')}")
    assert hits(client, "quux") == []


def test_nothing_of_another_team_is_found(
    client: TestClient, other_client: TestClient, gate: Database, other_org_id: UUID
) -> None:
    saved(other_client, "quux")
    join(gate, other_org_id, new_person(gate, "Anna Quux", f"quux-{uuid4().hex}@example.org"), "viewer")
    assert len(hits(other_client, "quux")) == 2
    assert hits(client, "quux") == []


def test_each_kind_is_told_to_those_who_may_see_it(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    saved(client, "r5 quux")
    join(gate, org_id, new_person(gate, "r5 Anna"), "viewer")

    def kinds(who: TestClient, **asked: Any) -> set[str]:
        return {hit["kind"] for hit in who.get(SEARCH, **asked).json()["hits"]}

    text = {"text": "r5"}
    everything = {"plan", "type", "member"}
    token = {"Authorization": f"Bearer {token_of(gate, org_id, ['read'])}"}
    assert kinds(anonymous, params=text, headers=token) == everything
    # The example team shows no colleagues.
    assert kinds(client, params=text | {"team": "example"}) <= {"plan", "sweep", "type"}
    assert kinds(signed_in(anonymous, gate, org_id, "viewer"), params=text) == everything
    audit = {"Authorization": f"Bearer {token_of(gate, org_id, ['audit'])}"}
    assert anonymous.get(SEARCH, params=text, headers=audit).status_code == 404
