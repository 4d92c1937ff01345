"""Connection pooling: one connection serves several teams, and no state of a transaction remains, however it ended."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from psycopg.errors import QueryCanceled
from psycopg.sql import SQL, Identifier, Literal
from sqlalchemy import Connection, insert, select, text
from sqlalchemy.exc import DBAPIError

from database import opened, superuser
from stowage.features.planning.tables import plan
from stowage.platform.database.database import CallerLookup, Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.errors import NoRoom, Unreachable

PLAN = {
    "name": "nightly sort",
    "workload": {},
    "catalog_version": "paper-2014",
    "profiles_digest": "0" * 64,
    "model_version": "1",
    "answer": b"",
    "created_at": datetime(2026, 7, 1, tzinfo=UTC),
}


@pytest.fixture
def one(postgres: DatabaseUrls, org_id: UUID, other_org_id: UUID) -> Iterator[Database]:
    """Yield a pool of one connection that each of two teams has used to store a plan."""
    with opened(postgres.application, pool_size=1) as database:
        for team in (org_id, other_org_id):
            with database.transaction(team) as connection:
                connection.execute(insert(plan), PLAN | {"id": uuid4()})
        yield database


def backend(connection: Connection) -> int:
    return int(connection.execute(text("SELECT pg_backend_pid()")).scalar_one())


def teams_seen(connection: Connection) -> list[UUID]:
    return list(connection.scalars(select(plan.c.org_id)))


def settings(connection: Connection) -> tuple[str, str]:
    row = connection.execute(
        text("SELECT current_setting('stowage.org_id', true), current_setting('stowage.actor', true)")
    ).one()
    return row[0], row[1]


def commits(database: Database, team: UUID) -> int:
    with database.acting_as({"kind": "person", "name": "Ada"}).transaction(team) as connection:
        assert teams_seen(connection) == [team]
        return backend(connection)


def raises(database: Database, team: UUID) -> int:
    return _ending_in(ZeroDivisionError, lambda _: 1 / 0, database, team)


def fails_in_sql(database: Database, team: UUID) -> int:
    return _ending_in(DBAPIError, lambda connection: connection.execute(text("SELECT 1 / 0")), database, team)


def _ending_in(error: type[Exception], doing: Callable[[Connection], object], database: Database, team: UUID) -> int:
    used = []

    def work() -> None:
        with database.transaction(team) as connection:
            used.append(backend(connection))
            doing(connection)

    with pytest.raises(error):
        work()
    return used[0]


def sets_for_the_whole_session(database: Database, team: UUID) -> int:
    """A likely mistake: without the `true` a setting outlives its transaction."""
    with database.transaction(team) as connection:
        connection.execute(text("SELECT set_config('stowage.org_id', :team, false)"), {"team": str(team)})
        connection.execute(text("SELECT set_config('stowage.actor', '{\"name\": \"left behind\"}', false)"))
        return backend(connection)


@pytest.mark.parametrize("before", [commits, raises, fails_in_sql, sets_for_the_whole_session])
def test_the_next_transaction_sees_only_its_own_team_after_any_previous_one(
    one: Database, org_id: UUID, other_org_id: UUID, before: object
) -> None:
    used = before(one, org_id)  # type: ignore[operator]
    with one.transaction(other_org_id) as connection:
        assert backend(connection) == used
        assert settings(connection) == (str(other_org_id), "")
        assert teams_seen(connection) == [other_org_id]
    before(one, org_id)  # type: ignore[operator]
    with one.transaction(None) as connection:
        assert backend(connection) == used
        assert settings(connection) == ("", "")
        assert teams_seen(connection) == []


def test_a_connection_that_was_killed_leaves_the_next_one_nothing(
    one: Database, postgres: DatabaseUrls, org_id: UUID, other_org_id: UUID
) -> None:
    def killed(connection: Connection) -> None:
        with superuser(postgres) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [backend(connection)])
        teams_seen(connection)

    used = _ending_in(Unreachable, killed, one, org_id)
    with one.transaction(other_org_id) as connection:
        assert backend(connection) != used
        assert teams_seen(connection) == [other_org_id]


@pytest.mark.parametrize(("code", "error"), [("57014", QueryCanceled), ("53200", NoRoom)])
def test_a_transaction_that_cannot_begin_on_a_good_connection_is_not_tried_again(
    one: Database, postgres: DatabaseUrls, code: str, error: type[Exception]
) -> None:
    tries, fails = f"tries_{code}", f"fails_{code}"
    with superuser(postgres) as other:
        other.execute(SQL("CREATE SEQUENCE {0}; GRANT USAGE ON {0} TO PUBLIC").format(Identifier(tries)))
        body = f"BEGIN PERFORM nextval('{tries}'); RAISE 'no' USING ERRCODE = '{code}'; END"
        shape = "CREATE FUNCTION {}() RETURNS TABLE (org_id uuid, person_id uuid, name text, token_id uuid) {} AS {}"
        other.execute(SQL(shape).format(Identifier(fails), SQL("LANGUAGE plpgsql"), Literal(body)))
    with pytest.raises(error), one.begun_by(CallerLookup(fails, (), None, None, None)):
        pass
    with superuser(postgres) as other:
        assert other.execute(SQL("SELECT last_value FROM {}").format(Identifier(tries))).fetchone() == (1,)
        other.execute(SQL("DROP FUNCTION {}; DROP SEQUENCE {}").format(Identifier(fails), Identifier(tries)))


def test_two_teams_at_once_have_a_connection_each(one: Database, org_id: UUID, other_org_id: UUID) -> None:
    """When the pool is used up, a second connection is opened; neither sees the other's settings."""
    with one.transaction(org_id) as first, one.transaction(other_org_id) as second:
        assert backend(first) != backend(second)
        assert (teams_seen(first), teams_seen(second)) == ([org_id], [other_org_id])
        assert teams_seen(first) == [org_id]


def test_who_acts_is_the_transactions_own_too(one: Database, org_id: UUID) -> None:
    ada = one.acting_as({"kind": "person", "name": "Ada"})
    with ada.transaction(org_id) as connection:
        assert settings(connection)[1] == '{"kind": "person", "name": "Ada"}'
    for actor in (one, one.acting_as({"kind": "system", "name": "Stowage"})):
        with actor.transaction(org_id) as connection:
            assert "Ada" not in settings(connection)[1]
