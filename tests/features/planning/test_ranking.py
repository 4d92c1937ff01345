"""Whole rankings through the API: of a question, of a saved plan, behind a share link."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from outdated import change_answers
from stowage.features.planning import ranking
from stowage.features.planning.ranking import ASKED_OFTEN, NOT_REPRODUCIBLE
from stowage.optimizer.cache import Cache
from stowage.platform.database.database import Database
from stowage.platform.quotas import QUOTAS

PLANS = "/api/v1/plans"
QUESTION: dict[str, Any] = {"workload": {"data": "1 TB"}}
SMALL: dict[str, Any] = {"workload": {"data": "100 TB"}, "place": {"catalog": "paper-2014"}}

SEARCHES = QUOTAS["searches-per-link"].default


def every(client: TestClient, address: str, **params: Any) -> list[dict[str, Any]]:
    """Read all pages of a saved ranking."""
    page = client.get(address, params=params).json()
    rows = list(page["configurations"])
    while page["next_cursor"] is not None:
        page = client.get(address, params={**params, "cursor": page["next_cursor"]}).json()
        rows += page["configurations"]
    return rows


def bare(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"provenance": [], "causes": [], "courses": [], "sources": False}


@pytest.fixture
def plan(client: TestClient) -> dict[str, Any]:
    answer = client.post(PLANS, json=QUESTION)
    assert answer.status_code == 201
    saved: dict[str, Any] = answer.json()
    return saved


def test_a_question_is_ranked_page_by_page_and_nothing_is_stored(client: TestClient) -> None:
    first = client.post(f"{PLANS}/preview", json=QUESTION).json()["configurations"]
    page = client.post(f"{PLANS}/preview/ranking", json=QUESTION, params={"limit": 60}).json()
    assert page["configurations"][: len(first)] == [bare(row) for row in first]
    assert len(page["configurations"]) == 60 < page["matching"] == page["total"]
    more = {"limit": 60, "cursor": page["next_cursor"]}
    behind = client.post(f"{PLANS}/preview/ranking", json=QUESTION, params=more).json()
    assert behind["configurations"][0]["rank"] == 61
    assert client.get(PLANS).json()["plans"] == []


@pytest.mark.parametrize("params", [{"limit": 501}, {"limit": 0}, {"sort": "colour"}, {"find": "x" * 201}])
def test_a_page_that_is_too_large_or_in_an_unknown_order_is_refused(client: TestClient, params: dict[str, Any]) -> None:
    refused = client.post(f"{PLANS}/preview/ranking", json=SMALL, params=params)
    assert refused.status_code == 422
    assert [error["path"] for error in refused.json()["errors"]] == list(params)


def test_a_saved_plan_goes_on_behind_the_rows_that_were_saved(client: TestClient, plan: dict[str, Any]) -> None:
    address, saved = f"{PLANS}/{plan['id']}/ranking", plan["answer"]["configurations"]
    rows = every(client, address, limit=70)
    assert len(rows) > len(saved) == 50
    assert rows[: len(saved)] == [bare(row) for row in saved]
    last = rows[-1]
    found = client.get(address, params={"find": last["instance"], "sort": "-cost"}).json()
    assert last in found["configurations"]
    assert found["incomplete"] is None


def test_a_ranking_that_the_asker_has_is_not_sent_again(client: TestClient, plan: dict[str, Any]) -> None:
    address = f"{PLANS}/{plan['id']}/ranking"
    page = client.get(address, params={"limit": 5})
    tag = {"If-None-Match": page.headers["etag"]}
    assert client.get(address, params={"limit": 5}, headers=tag).status_code == 304
    assert client.get(address, params={"limit": 5, "sort": "time"}, headers=tag).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        "model_version = '0'",
        "profiles_digest = repeat('0', 64)",
        """workload = jsonb_set(workload::jsonb, '{workload,data}', '"no size"')""",
        None,
    ],
)
def test_a_plan_that_cannot_be_ranked_as_it_was_keeps_the_rows_that_were_saved(
    client: TestClient, plan: dict[str, Any], database: Database, org_id: Any, change: str | None
) -> None:
    with database.transaction(org_id) as connection:
        if change is None:
            change_answers(connection, lambda answer: answer["configurations"][0].update(nodes=7))
        else:
            connection.execute(text(f"UPDATE plan SET {change}"))
    page = client.get(f"{PLANS}/{plan['id']}/ranking").json()
    assert (page["total"], page["incomplete"]) == (50, NOT_REPRODUCIBLE)
    [first, *_] = client.get(f"{PLANS}/{plan['id']}").json()["answer"]["configurations"]
    assert page["configurations"][0] == bare(first)


def test_a_plan_with_few_rows_has_them_all_after_any_later_change(
    client: TestClient, database: Database, org_id: Any
) -> None:
    saved = client.post(PLANS, json=SMALL).json()
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET model_version = '0'"))
    page = client.get(f"{PLANS}/{saved['id']}/ranking").json()
    assert 0 < page["total"] == len(saved["answer"]["configurations"]) < 50
    assert page["incomplete"] is None


def test_a_plan_that_nothing_meets_has_an_empty_ranking(client: TestClient) -> None:
    saved = client.post(PLANS, json=SMALL | {"limits": {"deadline": "1 s"}}).json()
    page = client.get(f"{PLANS}/{saved['id']}/ranking").json()
    assert (page["configurations"], page["total"], page["incomplete"]) == ([], 0, None)


def test_a_removed_plan_has_no_ranking_and_another_teams_is_not_found(
    client: TestClient, other_client: TestClient, plan: dict[str, Any]
) -> None:
    address = f"{PLANS}/{plan['id']}/ranking"
    assert client.get(address).status_code == 200
    assert other_client.get(address).status_code == 404
    client.delete(f"{PLANS}/{plan['id']}")
    assert client.get(address).status_code == 404


def test_the_link_of_a_plan_gives_its_whole_ranking(
    client: TestClient, anonymous: TestClient, plan: dict[str, Any]
) -> None:
    asked = {"kind": "plan", "object_id": plan["id"], "days": 1}
    link = client.post("/api/v1/links", json=asked).json()
    secret = link["address"].rpartition("/")[2]
    address = f"/api/v1/shared/{secret}/ranking"
    assert every(anonymous, address, limit=70) == every(client, f"{PLANS}/{plan['id']}/ranking")
    [row] = client.get("/api/v1/links", params={"kind": "plan", "object_id": plan["id"]}).json()["links"]
    assert row["views"] == 0
    client.delete(f"/api/v1/links/{link['id']}")
    assert anonymous.get(address).status_code == 404


def test_guests_of_a_link_cause_few_searches_and_read_the_saved_rows_beyond(
    client: TestClient, anonymous: TestClient, plan: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"kind": "plan", "object_id": plan["id"], "days": 1}
    secret = client.post("/api/v1/links", json=asked).json()["address"].rpartition("/")[2]
    address = f"/api/v1/shared/{secret}/ranking"
    whole = client.get(f"{PLANS}/{plan['id']}/ranking").json()["total"]
    assert whole > 50
    # A stored ranking can be read without limit.
    assert {anonymous.get(address).json()["total"] for _ in range(SEARCHES + 2)} == {whole}
    totals = []
    for _ in range(SEARCHES + 2):
        # As after many other plans were read.
        monkeypatch.setattr(ranking, "_RANKINGS", Cache(most=8))
        totals.append(anonymous.get(address).json())
    assert [page["total"] for page in totals] == [whole] * SEARCHES + [50] * 2
    assert [page["incomplete"] for page in totals] == [None] * SEARCHES + [ASKED_OFTEN] * 2
    assert totals[-1]["configurations"][0] == totals[0]["configurations"][0]
    # The team itself is not limited.
    assert client.get(f"{PLANS}/{plan['id']}/ranking").json()["total"] == whole


def test_a_locked_link_shows_no_ranking(client: TestClient, anonymous: TestClient, plan: dict[str, Any]) -> None:
    asked = {"kind": "plan", "object_id": plan["id"], "days": 1, "password": "seven grey herons fly"}
    secret = client.post("/api/v1/links", json=asked).json()["address"].rpartition("/")[2]
    assert anonymous.get(f"/api/v1/shared/{secret}/ranking").status_code == 401
    anonymous.post(f"/api/v1/shared/{secret}/unlock", json={"password": asked["password"]})
    assert anonymous.get(f"/api/v1/shared/{secret}/ranking").status_code == 200
