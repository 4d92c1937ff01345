"""Stored sessions: found by their secret, renewed by one request, deleted after their end."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from people import join, new_member, new_person
from stowage.features.teams.sign_in.store import callers, sessions
from stowage.platform.database.database import Database

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GRACE, IDLE = timedelta(minutes=1), timedelta(hours=12)


def new(gate: Database, person_id: UUID, secret_hash: bytes, **more: object) -> sessions.StoredSession:
    said: dict[str, object] = {
        "id": uuid4(),
        "person_id": person_id,
        "team_id": None,
        "csrf": "c",
        "how": "link",
        "created_at": NOW,
        "rotated_at": NOW,
        "seen_at": NOW,
        "ends_at": NOW + timedelta(days=14),
        "address": None,
        "agent": None,
        "proved_at": NOW,
    }
    stored = sessions.StoredSession(**(said | more))  # type: ignore[arg-type]
    with gate.transaction(None) as connection:
        sessions.add(connection, stored, secret_hash)
    return stored


def found(of: Database, secret_hash: bytes, now: datetime) -> callers.Caller | None:
    with of.begun_by(callers.by_session(secret_hash, now=now, grace=GRACE, idle=IDLE)) as (row, _):
        return callers.caller_of(row)


def test_a_session_is_found_by_its_secret_with_what_its_person_may(
    gate: Database, database: Database, org_id: UUID
) -> None:
    person_id, secret = new_member(gate, org_id, "planner"), uuid4().bytes
    stored = new(gate, person_id, secret, team_id=org_id)
    for role in (gate, database):
        it = found(role, secret, NOW)
        assert it is not None
        assert (it.person_id, it.session_id, it.org_id, it.role) == (person_id, stored.id, org_id, "planner")
        assert (it.csrf, it.used_at, it.proved_at, it.token_id) == (stored.csrf, NOW, NOW, None)
        assert found(role, uuid4().bytes, NOW) is None


def test_a_session_is_over_unused_or_at_its_end(gate: Database) -> None:
    secret = uuid4().bytes
    new(gate, new_person(gate), secret, ends_at=NOW + timedelta(hours=20))
    assert found(gate, secret, NOW + IDLE - timedelta(seconds=1)) is not None
    assert found(gate, secret, NOW + IDLE) is None
    it = found(gate, secret, NOW)
    assert it is not None
    assert it.session_id is not None
    with gate.transaction(None) as connection:
        sessions.saw(connection, it.session_id, NOW + timedelta(hours=11))
    assert found(gate, secret, NOW + timedelta(hours=19)) is not None
    assert found(gate, secret, NOW + timedelta(hours=20)) is None


def test_one_request_renews_a_session_and_the_secret_before_stays_good_for_a_while(gate: Database) -> None:
    first, second, third = (uuid4().bytes for _ in range(3))
    stored = new(gate, new_person(gate), first)
    later, hour = NOW + timedelta(hours=1), timedelta(hours=1)
    with gate.transaction(None) as connection:
        early = later - timedelta(seconds=1)
        assert not sessions.renew(connection, stored.id, was=first, becomes=second, now=early, after=hour)
        assert sessions.renew(connection, stored.id, was=first, becomes=second, now=later, after=hour)
        # The same secret does not renew it again, however old it is.
        assert not sessions.renew(connection, stored.id, was=first, becomes=third, now=later + hour, after=hour)
    assert found(gate, second, later + GRACE) is not None
    assert found(gate, first, later + GRACE - timedelta(seconds=1)) is not None
    assert found(gate, first, later + GRACE) is None
    assert found(gate, third, later) is None


def test_a_session_is_removed_by_either_secret_and_only_by_its_person(gate: Database) -> None:
    person_id, first, second = new_person(gate), uuid4().bytes, uuid4().bytes
    stored = new(gate, person_id, first)
    with gate.transaction(None) as connection:
        assert not sessions.remove(connection, new_id := uuid4(), stored.id)
        assert new_id != person_id
        sessions.renew(connection, stored.id, was=first, becomes=second, now=NOW, after=timedelta(0))
        sessions.remove_by_secret(connection, first)
        assert sessions.get(connection, stored.id) is None
    stored = new(gate, person_id, first)
    with gate.transaction(None) as connection:
        assert sessions.remove(connection, person_id, stored.id)
        assert not sessions.remove(connection, person_id, stored.id)


def test_all_sessions_of_a_person_end_or_all_but_one(gate: Database) -> None:
    person_id, other = new_person(gate), new(gate, new_person(gate), uuid4().bytes)
    mine = [new(gate, person_id, uuid4().bytes, seen_at=NOW + timedelta(minutes=each)) for each in range(3)]
    with gate.transaction(None) as connection:
        listed = sessions.list_(connection, person_id, now=NOW + timedelta(minutes=5), idle=IDLE)
        assert [each.id for each in listed] == [each.id for each in reversed(mine)]
        sessions.remove_all(connection, person_id, but=mine[0].id)
        assert [each.id for each in sessions.list_(connection, person_id, now=NOW, idle=IDLE)] == [mine[0].id]
        sessions.remove_all(connection, person_id)
        assert sessions.list_(connection, person_id, now=NOW, idle=IDLE) == ()
        assert sessions.get(connection, other.id) is not None


def test_the_team_looked_at_last_is_one_that_the_person_is_in(
    gate: Database, database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    person_id = new_member(gate, org_id)
    join(gate, other_org_id, person_id, "viewer")
    new(gate, person_id, uuid4().bytes, team_id=org_id)
    new(gate, person_id, uuid4().bytes, team_id=other_org_id, seen_at=NOW + timedelta(minutes=1))
    with gate.transaction(None) as connection:
        assert sessions.last_team(connection, person_id) == other_org_id
    with database.transaction(other_org_id) as connection:
        connection.exec_driver_sql("DELETE FROM membership WHERE person_id = %s", (person_id,))
    with gate.transaction(None) as connection:
        assert sessions.last_team(connection, person_id) == org_id


def test_what_is_over_is_removed(gate: Database) -> None:
    person_id = new_person(gate)
    kept = new(gate, person_id, uuid4().bytes)
    new(gate, person_id, uuid4().bytes, ends_at=NOW)
    new(gate, person_id, uuid4().bytes, seen_at=NOW - IDLE)
    with gate.transaction(None) as connection:
        sessions.purge(connection, now=NOW, idle=IDLE)
        left = connection.exec_driver_sql("SELECT id FROM session WHERE person_id = %s", (person_id,)).scalars().all()
    assert left == [kept.id]
