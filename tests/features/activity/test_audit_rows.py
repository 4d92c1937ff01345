"""The audit log of a team, tested with SQL: which entries are written, with which actor, and that none can change."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import ProgrammingError

from database import undone
from people import new_member, new_person
from stowage.features.activity.store import audit as audit_log
from stowage.features.activity.store.audit import Sort
from stowage.features.catalog.tables import refresh
from stowage.features.teams.sign_in.store import team
from stowage.platform import audit
from stowage.platform.audit import Event
from stowage.platform.database.database import Database
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.job import NewJob


def add(database: Database, org_id: UUID, *actions: str) -> None:
    with database.transaction(org_id) as connection:
        for action in actions:
            audit.add(connection, Event(action, "person", "Ada"))


def test_events_are_read_newest_first_and_from_a_place_on(database: Database, org_id: UUID) -> None:
    add(database, org_id, "one", "two", "three")
    with database.transaction(org_id) as connection:
        first = audit_log.read(connection, limit=2)
        rest = audit_log.read(connection, limit=2, before=first[-1].id)
        forward = audit_log.read_from(connection, limit=9, after=first[-1].id, until=audit_log.newest(connection))
    assert [event.action for event in (*first, *rest)] == ["three", "two", "one"]
    assert [event.action for event in forward] == ["three"]


@pytest.mark.parametrize("statement", ["UPDATE audit_event SET actor_name = 'x'", "DELETE FROM audit_event"])
@pytest.mark.parametrize("role", ["application", "gate"])
def test_neither_the_application_nor_the_gate_changes_or_deletes_what_is_recorded(
    database: Database, gate: Database, org_id: UUID, statement: str, role: str
) -> None:
    add(database, org_id, "one")
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        (database if role == "application" else gate).transaction(org_id) as connection,
    ):
        connection.execute(text(statement))


def test_a_team_cannot_record_for_another_team(
    database: Database, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    for role in (database, gate):
        with pytest.raises(ProgrammingError, match="row-level security"), role.transaction(org_id) as connection:
            connection.execute(
                text(
                    "INSERT INTO audit_event (org_id, actor_kind, actor_name, action, changes) "
                    "VALUES (:other, 'system', 'x', 'x', '{}')"
                ),
                {"other": other_org_id},
            )


def test_a_change_that_is_undone_leaves_no_record(database: Database, org_id: UUID) -> None:
    with undone(database, org_id) as connection:
        team.rename(connection, org_id, "Another")
        assert len(audit_log.read(connection, limit=9)) == 1
    with database.transaction(org_id) as connection:
        assert audit_log.read(connection, limit=9) == ()


def test_a_member_has_the_current_name_and_a_former_member_the_last_one(
    database: Database, gate: Database, org_id: UUID
) -> None:
    stays, leaves, silent = (new_person(gate, name) for name in ("Bob", "Eve", "Sue"))
    for person_id in (stays, leaves, silent):
        with gate.transaction(org_id) as connection:
            team.add_member(connection, person_id, "viewer")
    with database.transaction(org_id) as connection:
        audit.add(connection, Event("session.start", "person", "Eve", leaves))
        team.remove_member(connection, leaves)
        team.remove_member(connection, silent)
    with database.transaction(org_id) as connection:
        names = {(event.action, event.object_id): event.object_name for event in audit_log.read(connection, limit=9)}
    assert names["membership.insert", str(stays)] == "Bob"
    assert names["membership.delete", str(leaves)] == "Eve"
    # A person without any entry is known by the number only.
    assert names["membership.delete", str(silent)] is None


def test_sorts_of_events_are_told_apart_by_what_changed(database: Database, org_id: UUID) -> None:
    changes: list[dict[str, list[str | None]]] = [
        {"name": ["a", "b"]},
        {"deleted_at": [None, "2026-01-01"]},
        {"deleted_at": ["2026-01-01", None]},
    ]
    with database.transaction(org_id) as connection:
        for number, change in enumerate(changes):
            audit.add(connection, Event("plan.update", "person", f"Person {number}", changes=change))
    sorts = (
        Sort("plan.update"),
        Sort("plan.update", "name"),
        Sort("plan.update", "deleted_at", to_nothing=False),
        Sort("plan.update", "deleted_at", to_nothing=True),
        Sort("sweep.update"),
    )
    with database.transaction(org_id) as connection:
        found = [
            [event.actor_name[-1] for event in audit_log.read(connection, limit=9, words=[("no such word", [sort])])]
            for sort in sorts
        ]
    assert found == [["2", "1", "0"], ["0"], ["1"], ["2"], []]


def test_the_actor_is_set_by_the_transaction_and_empty_without_one(
    database: Database, gate: Database, org_id: UUID
) -> None:
    person_id = new_member(gate, org_id)
    told = {"kind": "person", "id": str(person_id), "name": "Ada", "address": "203.0.113.9"}
    for number, acting in enumerate((database.acting_as(told), database)):
        with acting.transaction(org_id) as connection:
            team.rename(connection, org_id, f"Name {number}")
    with database.transaction(org_id) as connection:
        events = [event for event in audit_log.read(connection, limit=9) if event.action == "org.update"]
    assert [(event.actor_kind, event.actor_name, event.actor_id, event.address) for event in events] == [
        ("system", "Stowage", None, None),
        ("person", "Ada", person_id, "203.0.113.9"),
    ]


def test_that_the_catalog_is_refreshed_is_recorded(database: Database, org_id: UUID) -> None:
    refresh_id, job_id, now = uuid4(), uuid4(), datetime.now(UTC)
    with database.transaction(org_id) as connection:
        jobs.insert(connection, NewJob(job_id, "refresh", refresh_id, "Ada", now))
        connection.execute(insert(refresh).values(id=refresh_id, job_id=job_id, regions=["us-east-1"], created_at=now))
        [event] = audit_log.read(connection, limit=9)
        jobs.cancel(connection, job_id)
    assert (event.action, event.object_id) == ("refresh.insert", str(refresh_id))
