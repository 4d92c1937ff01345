"""Stored plans: read back unchanged, listed a page at a time, and opened row by row by the versions that answered."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import StatementError

from database import superuser, undone
from outdated import as_objects, change_answers
from shared_postgres import new_database
from soaking import everyday
from stowage.features.planning import store as plans
from stowage.features.planning.store import PlanSummary, StoredPlan
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import APPLICATION_ROLE, GATE_ROLE
from stowage.platform.database.errors import NotFound
from stowage.platform.database.migration import migrate, unmigrate
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.workloads import stored_answers
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.columns import PlanColumns
from stowage.workloads.stored_answers import answer_of, first_row, instances_of, packed

NOON = datetime(2026, 7, 1, 12, 0, 0, 123456, tzinfo=UTC)


def a_plan(name: str = "nightly sort", created_at: datetime = NOON, plan_id: UUID | None = None) -> StoredPlan:
    return StoredPlan(
        id=plan_id or uuid4(),
        name=name,
        workload={"workload": {"job": "sort", "data": "100 TB"}, "limits": {"deadline": "30 min"}},
        catalog_version="paper-2014",
        profiles_digest="0" * 64,
        model_version="1",
        answer=packed(b'{"first": null, "rows": {"instances": ["i2.8xlarge"]}}'),
        best_instance="i2.8xlarge",
        best_nodes=178,
        best_time_s=1700.5,
        best_cost_usd=0.1 + 0.2,
        created_at=created_at,
    )


def summary(plan: StoredPlan) -> PlanSummary:
    return PlanSummary(**{field.name: getattr(plan, field.name) for field in fields(PlanSummary)})


def test_a_plan_is_read_as_it_was_stored(database: Database, org_id: UUID) -> None:
    plan = a_plan()
    with database.transaction(org_id) as connection:
        plans.insert(connection, plan)
    with database.transaction(org_id) as connection:
        read = plans.get(connection, plan.id)
    assert read == plan


def test_a_plan_without_an_answer_that_meets_the_limits_is_a_plan_too(database: Database, org_id: UUID) -> None:
    plan = replace(a_plan(), best_time_s=None, best_cost_usd=None)
    with undone(database, org_id) as connection:
        plans.insert(connection, plan)
        assert plans.get(connection, plan.id) == plan


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.text(), JSON, max_size=3)


@given(workload=DOCUMENTS, answer=st.binary(), cost_usd=st.floats(allow_nan=False, allow_infinity=False))
def test_any_document_and_cost_come_back_the_same_and_in_the_same_order(
    database: Database, workload: dict[str, object], answer: bytes, cost_usd: float
) -> None:
    plan = replace(a_plan(), workload=workload, answer=answer, best_cost_usd=cost_usd, best_month_usd=-cost_usd)
    with undone(database, LOCAL_ORG_ID) as connection:
        plans.insert(connection, plan)
        read = plans.get(connection, plan.id)
    assert read == plan
    # Equality of dicts ignores the order, and 1 == 1.0.
    assert repr(read.workload) == repr(workload)


def test_a_document_with_a_number_that_json_has_not_is_refused(database: Database, org_id: UUID) -> None:
    with pytest.raises(StatementError), database.transaction(org_id) as connection:
        plans.insert(connection, replace(a_plan(), workload={"time_s": float("nan")}))


def test_the_plan_of_another_organisation_is_not_there(database: Database, org_id: UUID, other_org_id: UUID) -> None:
    plan = a_plan()
    with database.transaction(org_id) as connection:
        plans.insert(connection, plan)
    for tenant in (other_org_id, None):
        with database.transaction(tenant) as connection:
            assert plans.get(connection, plan.id) is None
            assert plans.list_newest(connection, limit=10) == ()


def test_a_plan_on_a_catalog_that_is_not_stored_is_refused(database: Database, org_id: UUID) -> None:
    plan = replace(a_plan(), catalog_version="paper-2041")
    refused = pytest.raises(NotFound, match="plan 'nightly sort': catalog 'paper-2041' is not stored")
    with refused, database.transaction(org_id) as connection:
        plans.insert(connection, plan)


def test_a_time_without_a_zone_is_refused_and_any_zone_is_the_same_moment(database: Database, org_id: UUID) -> None:
    with pytest.raises(ValueError, match="created_at 2026-07-01T12:00:00: must carry a time zone"):
        a_plan(created_at=datetime(2026, 7, 1, 12))  # noqa: DTZ001 - the point of the test
    plan = a_plan(created_at=NOON.astimezone(timezone(timedelta(hours=2))))
    with undone(database, org_id) as connection:
        plans.insert(connection, plan)
        read = plans.get(connection, plan.id)
    assert read is not None
    assert read.created_at == NOON
    assert read.created_at.utcoffset() == timedelta(0)


def test_a_plan_that_is_stored_twice_is_there_once(database: Database, org_id: UUID) -> None:
    plan = a_plan()
    with undone(database, org_id) as connection:
        assert plans.insert(connection, plan)
        assert not plans.insert(connection, replace(plan, name="another name"))
        assert plans.get(connection, plan.id) == plan


def test_a_removed_plan_is_nowhere_until_it_is_brought_back_or_purged(database: Database, org_id: UUID) -> None:
    kept, removed = a_plan("kept"), a_plan("removed")
    with undone(database, org_id) as connection:
        for plan in (kept, removed):
            plans.insert(connection, plan)
        assert plans.set_deleted(connection, removed.id, NOON)
        assert plans.get(connection, removed.id) is None
        assert plans.list_newest(connection, limit=10) == (summary(kept),)
        assert not plans.rename(connection, removed.id, "renamed")
        assert plans.count(connection) == 1
        assert plans.set_deleted(connection, removed.id, None)
        assert plans.get(connection, removed.id) == removed
        plans.set_deleted(connection, removed.id, NOON)
        plans.purge(connection, NOON)
        assert plans.set_deleted(connection, removed.id, NOON)
        plans.purge(connection, NOON + timedelta(seconds=1))
        assert not plans.set_deleted(connection, removed.id, None)
        assert plans.get(connection, kept.id) == kept


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["nightly"], ["Nightly 100%_sort"]),
        (["NIGHTLY", "100 TB"], ["Nightly 100%_sort"]),
        (["i2.8xlarge"], ["Nightly 100%_sort", "other"]),
        (["paper-2014", "other"], ["other"]),
        (["%_"], ["Nightly 100%_sort"]),
        (["nightlysort"], []),
        (["'; DROP TABLE plan; --"], []),
    ],
)
def test_plans_are_found_by_all_the_words_with_any_characters(
    database: Database, org_id: UUID, words: list[str], found: list[str]
) -> None:
    with undone(database, org_id) as connection:
        for name in ("Nightly 100%_sort", "other"):
            plans.insert(connection, a_plan(name))
        names = [row.name for row in plans.list_newest(connection, limit=10, words=words)]
    assert sorted(names) == found


def pages(connection: Connection, limit: int) -> list[tuple[PlanSummary, ...]]:
    found = []
    before = None
    while page := plans.list_newest(connection, limit=limit, before=before):
        found.append(page)
        before = (page[-1].created_at, page[-1].id)
    return found


def test_plans_are_listed_newest_first_in_pages_and_a_tie_in_time_loses_none(database: Database, org_id: UUID) -> None:
    stored = [a_plan(f"plan {i}", NOON + timedelta(microseconds=i // 3)) for i in range(8)]
    with undone(database, org_id) as connection:
        for plan in stored:
            plans.insert(connection, plan)
        found = pages(connection, limit=3)
    expected = sorted((summary(plan) for plan in stored), key=lambda plan: (plan.created_at, plan.id), reverse=True)
    assert [len(page) for page in found] == [3, 3, 2]
    assert [plan for page in found for plan in page] == expected


def test_plans_that_come_and_go_between_two_pages_shift_no_other(database: Database, org_id: UUID) -> None:
    stored = [a_plan(f"plan {i}", NOON + timedelta(seconds=i)) for i in range(4)]
    with undone(database, org_id) as connection:
        for plan in stored:
            plans.insert(connection, plan)
        first = plans.list_newest(connection, limit=2)
        plans.insert(connection, a_plan("new", NOON + timedelta(hours=1)))
        connection.execute(text("DELETE FROM plan WHERE id = :id"), {"id": first[-1].id})
        second = plans.list_newest(connection, limit=2, before=(first[-1].created_at, first[-1].id))
    assert [plan.name for plan in (*first, *second)] == ["plan 3", "plan 2", "plan 1", "plan 0"]


def test_a_page_is_read_off_the_index_without_sorting_all_plans(database: Database, org_id: UUID) -> None:
    executed: list[tuple[str, object]] = []
    with undone(database, org_id) as connection:
        # Without this setting the planner would scan a table of a few rows and use no index.
        connection.execute(text("SET LOCAL enable_seqscan = off"))
        event.listen(connection, "before_cursor_execute", lambda *call: executed.append((call[2], call[3])))
        plans.list_newest(connection, limit=20, before=(NOON, uuid4()))
        statement, parameters = executed[0]
        explained = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).scalars().all()  # type: ignore[arg-type]
    steps = "\n".join(explained)
    assert "Index Scan Backward using ix_plan_org_id_created_at_id" in steps
    assert "Sort" not in steps


SORT: dict[str, Any] = {
    "workload": {"data": "10 TB", "durability": {"model": "any"}},
    "place": {"purchase": "any"},
    "limits": {"loss": "1 %", "max_nodes": 50},
    "choose": {"instances": ["i4i.8xlarge", "i4i.16xlarge"]},
}
"""A few rows of every durability."""
MANY_ROWS: dict[str, Any] = {**SORT, "choose": {"families": ["i4i"]}}


@pytest.mark.parametrize("question", everyday((SORT,), (SORT, MANY_ROWS), "spaces"), ids=["few", "many"])
def test_only_the_first_row_is_saved_with_sources_and_each_other_is_opened_to_the_same_numbers(
    client: TestClient, question: dict[str, Any]
) -> None:
    saved = client.post("/api/v1/plans", json=question).json()
    rows = saved["answer"]["configurations"]
    whole = client.post("/api/v1/plans/preview", json=question).json()["configurations"]
    assert [row["sources"] for row in rows] == [True, *[False] * (len(rows) - 1)]
    assert len(rows) > 1
    for rank, row in enumerate(whole, start=1):
        opened = client.get(f"/api/v1/plans/{saved['id']}/configurations/{rank}")
        assert opened.status_code == 200, opened.text
        found = opened.json()
        # To the last bit, provenance included.
        assert {name: found[name] for name in row if name != "rank"} == {
            name: value for name, value in row.items() if name != "rank"
        }
        assert found["sentence"]
        for name in ("time_s", "cost_usd"):
            # Stored rows have nine digits.
            assert rows[rank - 1][name] == pytest.approx(found[name], rel=1e-8)


def test_what_was_saved_is_what_is_read(client: TestClient) -> None:
    key = str(uuid4())
    saved = client.post("/api/v1/plans", json=SORT, headers={"Idempotency-Key": key})
    read = client.get(f"/api/v1/plans/{saved.json()['id']}")
    assert read.json() == saved.json()
    again = client.post("/api/v1/plans", json=SORT, headers={"Idempotency-Key": key})
    assert again.json() == saved.json()


@pytest.mark.parametrize(("rank", "status"), [(0, 422), (51, 422), (50, 404)])
def test_a_row_that_the_plan_does_not_have_is_refused(client: TestClient, rank: int, status: int) -> None:
    few = SORT | {"workload": {"data": "10 TB", "durability": {"model": "none"}}}
    saved = client.post("/api/v1/plans", json=few).json()
    assert client.get(f"/api/v1/plans/{saved['id']}/configurations/{rank}").status_code == status


def test_a_row_of_another_model_says_that_its_sources_are_not_known(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    saved = client.post("/api/v1/plans", json=SORT).json()
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET model_version = '1'"))
        change_answers(connection, lambda answer: answer.update(model_version="1"))
    refused = client.get(f"/api/v1/plans/{saved['id']}/configurations/2")
    assert refused.status_code == 409
    assert "by another version of Stowage" in refused.json()["detail"]


# The form of answers: columns that the page reads, and objects until 2026-11-29.

NOTHING_FITS: dict[str, Any] = {**SORT, "limits": {"loss": "1 %", "deadline": "5 s"}}


def test_the_page_reads_the_bytes_that_are_stored(client: TestClient, database: Database, org_id: UUID) -> None:
    saved = client.post("/api/v1/plans/columns", json=SORT)
    assert saved.status_code == 201
    address = saved.headers["location"]
    read = client.get(f"{address}/columns")
    assert read.json() == saved.json()
    with database.transaction(org_id) as connection:
        stored = connection.scalar(text("SELECT answer FROM plan"))
    assert read.content.endswith(stored_answers.json_of(stored) + b"}")
    PlanColumns.model_validate(read.json()["answer"])
    objects = client.get(address).json()
    assert {**read.json(), "answer": None} == {**objects, "answer": None}
    assert objects["answer"] == answer_of(stored).model_dump(mode="json")


def test_a_plan_that_has_not_changed_is_not_sent_again(client: TestClient) -> None:
    address = client.post("/api/v1/plans/columns", json=SORT).headers["location"]
    first = client.get(f"{address}/columns")
    same = {"If-None-Match": first.headers["etag"]}
    assert client.get(f"{address}/columns", headers=same).status_code == 304
    client.patch(address, json={"name": "Renamed"})
    renamed = client.get(f"{address}/columns", headers=same)
    assert (renamed.status_code, renamed.json()["name"]) == (200, "Renamed")


def test_a_plan_of_objects_is_sent_as_objects_with_all_its_sources(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    address = client.post("/api/v1/plans", json=SORT).headers["location"]
    whole = client.post("/api/v1/plans/preview", json=SORT).json()
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET answer = :answer"), {"answer": as_objects(whole)})
        stored = connection.scalar(text("SELECT answer FROM plan"))
    for path in (address, f"{address}/columns"):
        answer = client.get(path).json()["answer"]
        assert answer == whole
        assert all(row["provenance"] for row in answer["configurations"])
    assert first_row(stored) == PlanAnswer.model_validate(whole).configurations[0]
    assert instances_of(stored) == {row["instance"] for row in whole["configurations"]}


def test_half_of_a_surrogate_pair_in_an_old_answer_stays_readable(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    address = client.post("/api/v1/plans", json=SORT).headers["location"]
    with database.transaction(org_id) as connection:
        change_answers(connection, lambda answer: answer["workload"]["workload"].update(name="\ud800"))
        assert answer_of(connection.scalar(text("SELECT answer FROM plan"))).workload["workload"]["name"] == "\ud800"
    assert client.get(f"{address}/ranking").status_code == 200


def test_answers_go_through_both_forms(client: TestClient, database: Database, org_id: UUID) -> None:
    for question in (SORT, {**SORT, "objective": "month"}, NOTHING_FITS):
        assert client.post("/api/v1/plans", json=question).status_code == 201
    taken = "id::text, name, workload, catalog_version, profiles_digest, model_version, created_at, answer"
    with database.transaction(org_id) as connection:
        known = connection.execute(text(f"SELECT {taken} FROM plan ORDER BY id")).all()
        months = connection.scalars(text("SELECT best_month_usd FROM plan ORDER BY id")).all()
    assert sum(month is not None for month in months) == 1
    older = new_database()
    with superuser(older) as connection:
        for row in known:
            values = [json.dumps(each) if isinstance(each, dict) else each for each in row]
            connection.execute(
                f"INSERT INTO plan ({taken.replace('::text', '')}, org_id) VALUES ({'%s, ' * 8}%s)",
                [*values, LOCAL_ORG_ID],
            )
        unmigrate(older.owner, APPLICATION_ROLE, GATE_ROLE, "0037")
        objects = [answer for (answer,) in connection.execute("SELECT answer FROM plan ORDER BY id")]
        assert objects == [answer_of(row.answer).model_dump(mode="json") for row in known]
        migrate(older.owner, APPLICATION_ROLE, GATE_ROLE)
        again = connection.execute("SELECT answer, best_month_usd FROM plan ORDER BY id").fetchall()
        forced = connection.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = 'plan'").fetchone()
    assert [answer_of(answer) for answer, _ in again] == [answer_of(row.answer) for row in known]
    assert [month for _, month in again] == months
    assert forced == (True,)
