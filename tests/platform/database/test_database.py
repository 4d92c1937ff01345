"""Transactions: for one organisation, atomic, and with a clear error if there is no database."""

from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from database import opened, superuser
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.errors import NoRoom, Unreachable

TENANT = text("SELECT current_setting('stowage.org_id', true)")
BACKEND = text("SELECT pg_backend_pid()")
NOTE = text(
    "INSERT INTO profile_set (org_id, digest, cause, measurements, content) "
    "VALUES (:org_id, repeat('0', 64), 'a test', 1, '[]')"
)
NOTES = text("SELECT FROM profile_set WHERE org_id IS NOT NULL")


def end_backend(postgres: DatabaseUrls, pid: int) -> None:
    with superuser(postgres) as connection:
        # It waits until the backend has ended, up to 5 s.
        assert connection.execute("SELECT pg_terminate_backend(%s, 5000)", [pid]).fetchone() == (True,)


def test_the_organisation_of_a_transaction_is_not_the_next_ones_on_the_same_connection(
    postgres: DatabaseUrls, org_id: UUID, other_org_id: UUID
) -> None:
    with opened(postgres.application, pool_size=1) as database:
        seen = []
        for tenant in (org_id, None, other_org_id, None):
            with database.transaction(tenant) as connection:
                seen.append((connection.scalar(BACKEND), connection.scalar(TENANT)))
        assert len({backend for backend, _ in seen}) == 1
        assert [tenant for _, tenant in seen] == [str(org_id), "", str(other_org_id), ""]


def test_nor_is_one_that_was_set_for_the_whole_session_or_left_by_an_error(
    postgres: DatabaseUrls, org_id: UUID
) -> None:
    with opened(postgres.application, pool_size=1) as database:
        with database.transaction(org_id) as connection:
            connection.execute(text("SELECT set_config('stowage.org_id', :org_id, false)"), {"org_id": str(org_id)})
        with pytest.raises(RuntimeError), database.transaction(org_id):
            raise RuntimeError
        with database.transaction(None) as connection:
            assert connection.scalar(TENANT) == ""


def test_the_organisation_is_forgotten_with_the_transaction_itself_not_only_by_the_next(
    database: Database, org_id: UUID
) -> None:
    with database.transaction(org_id) as connection:
        connection.exec_driver_sql("COMMIT")
        assert connection.scalar(TENANT) == ""


def test_what_a_block_wrote_before_it_raised_is_undone(database: Database, org_id: UUID) -> None:
    def write_and_fail() -> None:
        with database.transaction(org_id) as connection:
            connection.execute(NOTE, {"org_id": org_id})
            assert connection.execute(NOTES).rowcount == 1
            raise RuntimeError("after writing")

    with pytest.raises(RuntimeError, match="after writing"):
        write_and_fail()
    with database.transaction(org_id) as connection:
        assert connection.execute(NOTES).rowcount == 0
        connection.execute(NOTE, {"org_id": org_id})
    with database.transaction(org_id) as connection:
        assert connection.execute(NOTES).rowcount == 1


def test_a_statement_is_given_up_after_a_while_and_so_is_a_forgotten_transaction(database: Database) -> None:
    with database.transaction(None) as connection:
        assert connection.scalar(text("SHOW statement_timeout")) == "30s"
        assert connection.scalar(text("SHOW idle_in_transaction_session_timeout")) == "1min"
        connection.execute(text("SET LOCAL statement_timeout = '10ms'"))
        with pytest.raises(OperationalError, match="statement timeout"):
            connection.execute(text("SELECT pg_sleep(10)"))


def test_a_database_that_answers_pings(database: Database) -> None:
    database.ping()


def test_a_database_that_is_not_there_is_unreachable(postgres: DatabaseUrls) -> None:
    nowhere = postgres.application.replace("host=%2F", "host=%2Fnowhere%2F")
    with opened(nowhere) as database, pytest.raises(Unreachable, match="no connection to the database 'stowage"):
        database.ping()


def test_a_connection_that_died_in_the_pool_is_replaced(postgres: DatabaseUrls) -> None:
    with opened(postgres.application, pool_size=1) as database:
        with database.transaction(None) as connection:
            pid = connection.scalar(BACKEND)
        end_backend(postgres, pid)
        database.ping()


def test_a_connection_that_dies_under_a_transaction_is_told_apart_from_a_wrong_statement(
    postgres: DatabaseUrls,
) -> None:
    with opened(postgres.application, pool_size=1) as database:
        with pytest.raises(Unreachable, match="went away"):
            die_under_a_transaction(postgres, database)
        database.ping()


def die_under_a_transaction(postgres: DatabaseUrls, database: Database) -> None:
    with database.transaction(None) as connection:
        end_backend(postgres, connection.scalar(BACKEND))
        connection.execute(TENANT)


@pytest.mark.parametrize("condition", ["disk_full", "out_of_memory", "too_many_connections"])
def test_a_database_without_room_is_told_apart_from_a_wrong_statement_and_used_again(
    database: Database, org_id: UUID, condition: str
) -> None:
    def write_and_find_no_room() -> None:
        with database.transaction(org_id) as connection:
            connection.execute(NOTE, {"org_id": org_id})
            connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{condition}'; END $$"))

    with pytest.raises(NoRoom, match="has no room"):
        write_and_find_no_room()
    with database.transaction(org_id) as connection:
        assert connection.execute(NOTES).rowcount == 0


def test_when_all_connections_stay_in_use_the_next_is_refused_not_kept_waiting(
    postgres: DatabaseUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stowage.platform.database.database._POOL_TIMEOUT_S", 0.05)
    with opened(postgres.application, pool_size=1) as database:
        with (
            database.transaction(None),
            database.transaction(None),
            pytest.raises(Unreachable, match="QueuePool limit"),
        ):
            database.ping()
        database.ping()


def test_a_closed_database_holds_no_connection(postgres: DatabaseUrls) -> None:
    with opened(postgres.application) as database, database.transaction(None) as connection:
        connection.execute(text("SELECT pg_advisory_lock(4711)"))
    with superuser(postgres) as watcher:
        # The lock is the session's: it is free as soon as the session has ended.
        watcher.execute("SET lock_timeout = '5s'")
        watcher.execute("SELECT pg_advisory_lock(4711)")
