"""Arbitrary SQL as the application's role: it reads and changes rows of one team only, in every table."""

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import TupleRow
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from database import new_org, superuser, undone
from filled import TENANT_TABLES, empty, fill
from stowage.features.tables import PEOPLE_TABLES, metadata
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import APPLICATION_ROLE, DatabaseUrls

TABLES = sorted(TENANT_TABLES)
OF_THE_GATE = {"membership", "invitation", "api_token", "share_link", "audit_event", "team_quota"}
BEYOND_THE_GATE = tuple(table for table in TABLES if table not in OF_THE_GATE)
Observer = psycopg.Connection[TupleRow]


@pytest.fixture(scope="module")
def teams(postgres: DatabaseUrls, owner: Database) -> Iterator[tuple[UUID, UUID]]:
    """Yield two teams with a row in every table."""
    both = new_org(owner), new_org(owner)
    for org_id in both:
        fill(postgres, org_id)
    yield both
    for org_id in both:
        empty(postgres, org_id)


@pytest.fixture(scope="module")
def observer(postgres: DatabaseUrls) -> Iterator[Observer]:
    """Return a connection that no policy restricts."""
    with superuser(postgres) as connection:
        yield connection


@pytest.fixture(scope="module")
def granted(observer: Observer) -> set[tuple[str, str]]:
    """Return the privileges of the application, as table and privilege."""
    asked = [(table, privilege) for table in TABLES for privilege in ("INSERT", "UPDATE", "DELETE")]
    return {
        each
        for each in asked
        if observer.execute("SELECT has_table_privilege(%s, %s, %s)", [APPLICATION_ROLE, *each]).fetchone() == (True,)
    }


def all_rows(observer: Observer, org_id: UUID) -> list[tuple[str, str]]:
    """Read the rows of a team in all tables, as table and text."""
    each = (f"SELECT '{table}', t::text FROM {table} t WHERE org_id = %(org)s" for table in TABLES)
    return observer.execute(" UNION ALL ".join(each) + " ORDER BY 1, 2", {"org": org_id}).fetchall()


def test_there_is_a_row_of_both_in_every_table(observer: Observer, teams: tuple[UUID, UUID]) -> None:
    for org_id in teams:
        assert {table for table, _ in all_rows(observer, org_id)} == set(TABLES)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT org_id FROM {table}",
        "SELECT org_id FROM {table} WHERE true OR org_id = '{theirs}'",
        "SELECT a.org_id FROM {table} a CROSS JOIN {table} b",
        "SELECT b.org_id FROM {table} a FULL JOIN {table} b ON true",
        "SELECT org_id FROM (TABLE {table} UNION ALL TABLE {table}) AS both_times",
        "WITH all_of_it AS MATERIALIZED (SELECT * FROM {table}) SELECT org_id FROM all_of_it",
        "SELECT (SELECT org_id FROM {table} WHERE org_id = '{theirs}' LIMIT 1) FROM org",
        "SELECT org_id FROM {table} WHERE org_id IN (SELECT org_id FROM {table})",
    ],
)
def test_a_query_of_any_shape_gives_rows_of_the_own_team(
    database: Database, teams: tuple[UUID, UUID], table: str, query: str
) -> None:
    mine, theirs = teams
    with database.transaction(mine) as connection:
        found = connection.scalars(text(query.format(table=table, theirs=theirs))).all()
    assert found
    assert set(found) <= {mine, None}
    with database.transaction(None) as connection:
        assert set(connection.scalars(text(query.format(table=table, theirs=theirs)))) <= {None}


@pytest.mark.parametrize("table", TABLES)
def test_a_copy_of_a_table_is_a_copy_of_the_own_rows(database: Database, teams: tuple[UUID, UUID], table: str) -> None:
    mine, theirs = teams
    with database.transaction(mine) as connection:
        cursor = connection.connection.cursor()
        with cursor.copy(f"COPY (SELECT * FROM {table}) TO STDOUT") as copied:
            text_of_all = b"".join(bytes(piece) for piece in copied).decode()
    assert str(mine) in text_of_all
    assert str(theirs) not in text_of_all


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("privilege", "change"),
    [
        ("UPDATE", "UPDATE {table} SET org_id = '{mine}'"),
        ("UPDATE", "UPDATE {table} SET org_id = '{theirs}'"),
        ("DELETE", "DELETE FROM {table}"),
        ("DELETE", "DELETE FROM {table} WHERE org_id = '{theirs}'"),
        ("DELETE", "DELETE FROM {table} a USING {table} b"),
    ],
)
def test_a_change_of_everything_changes_nothing_of_another_team(
    observer: Observer,
    granted: set[tuple[str, str]],
    database: Database,
    teams: tuple[UUID, UUID],
    table: str,
    privilege: str,
    change: str,
) -> None:
    mine, theirs = teams
    before = all_rows(observer, theirs)
    statement = text(change.format(table=table, mine=mine, theirs=theirs))
    if (table, privilege) not in granted:
        with pytest.raises(DBAPIError, match="permission denied"), undone(database, mine) as connection:
            connection.execute(statement)
    elif change == "UPDATE {table} SET org_id = '{theirs}'":
        with pytest.raises(DBAPIError, match="row-level security"), undone(database, mine) as connection:
            connection.execute(statement)
    else:
        with undone(database, mine) as connection:
            changed = connection.execute(statement).rowcount
            assert changed == (0 if f"org_id = '{theirs}'" in str(statement) else 1)
        with undone(database, None) as connection:
            assert connection.execute(statement).rowcount == 0
    assert all_rows(observer, theirs) == before


@pytest.mark.parametrize("table", TABLES)
def test_a_row_for_another_team_is_refused(
    granted: set[tuple[str, str]], database: Database, teams: tuple[UUID, UUID], table: str
) -> None:
    mine, theirs = teams
    columns = [
        column.name for column in metadata.tables[table].c if column.identity is None and column.name != "org_id"
    ]
    listed = ", ".join(f'"{column}"' for column in columns)
    copying = f"INSERT INTO {table} (org_id, {listed}) SELECT '{theirs}', {listed} FROM {table}"
    expected = "row-level security" if (table, "INSERT") in granted else "permission denied"
    with pytest.raises(DBAPIError, match=expected), undone(database, mine) as connection:
        connection.execute(text(copying))


@pytest.mark.parametrize("table", BEYOND_THE_GATE)
@pytest.mark.parametrize(
    "statement", ["SELECT FROM {}", "DELETE FROM {}", "INSERT INTO {} DEFAULT VALUES", "TRUNCATE {}"]
)
def test_the_gate_reaches_nothing_that_teams_work_on(
    gate: Database, teams: tuple[UUID, UUID], table: str, statement: str
) -> None:
    for org_id in (None, teams[0]):
        with pytest.raises(DBAPIError, match="permission denied"), undone(gate, org_id) as connection:
            connection.execute(text(statement.format(table)))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE membership SET role = 'owner'",
        "UPDATE org SET name = 'x'",
        "UPDATE invitation SET role = 'owner'",
        "INSERT INTO invitation (id) VALUES (gen_random_uuid())",
        "INSERT INTO share_link (id) VALUES (gen_random_uuid())",
        "UPDATE share_link SET object_id = gen_random_uuid()",
        "UPDATE api_token SET scopes = '[\"audit\"]'",
        "UPDATE api_token SET expires_at = now()",
        "SELECT FROM audit_event",
        "UPDATE audit_event SET action = 'nothing'",
        "DELETE FROM audit_event",
        "TRUNCATE audit_event",
        "CREATE TABLE loot (id int)",
        "CREATE TEMPORARY TABLE loot (id int)",
        "SET ROLE stowage_app",
        "SET ROLE stowage_owner",
        "ALTER TABLE membership DISABLE TRIGGER record",
        "ALTER TABLE person NO FORCE ROW LEVEL SECURITY",
    ],
)
def test_the_gate_may_not(gate: Database, teams: tuple[UUID, UUID], statement: str) -> None:
    refused = r"permission denied|must be owner"
    with pytest.raises(DBAPIError, match=refused), undone(gate, teams[0]) as connection:
        connection.execute(text(statement))


@pytest.mark.parametrize("table", ["membership", "org"])
def test_the_gate_sees_all_teams_and_removes_only_of_the_one_it_works_for(
    observer: Observer, gate: Database, teams: tuple[UUID, UUID], table: str
) -> None:
    mine, theirs = teams
    with gate.transaction(None) as connection:
        assert {mine, theirs} <= set(connection.scalars(text(f"SELECT org_id FROM {table}")))
    before = all_rows(observer, theirs)
    with undone(gate, None) as connection:
        assert connection.execute(text(f"DELETE FROM {table}")).rowcount == 0
    with undone(gate, mine) as connection:
        assert connection.execute(text(f"DELETE FROM {table}")).rowcount == 1
    assert all_rows(observer, theirs) == before


def test_the_application_reads_names_of_colleagues_only(
    postgres: DatabaseUrls, database: Database, teams: tuple[UUID, UUID]
) -> None:
    with superuser(postgres) as connection:
        for name, org_id in zip(("colleague", "stranger"), teams, strict=True):
            connection.execute(
                "WITH one AS (INSERT INTO person (person_id, name) VALUES (gen_random_uuid(), %s) RETURNING person_id) "
                "INSERT INTO membership (org_id, person_id, role) SELECT %s, person_id, 'viewer' FROM one",
                [f"{name} of {teams[0]}", org_id],
            )
    with database.transaction(teams[0]) as connection:
        assert connection.scalars(text("SELECT name FROM person")).all() == [f"colleague of {teams[0]}"]
    with database.transaction(None) as connection:
        assert connection.scalars(text("SELECT name FROM person")).all() == []


def test_what_lets_people_in_is_not_there_for_the_application(database: Database, teams: tuple[UUID, UUID]) -> None:
    for table in sorted(PEOPLE_TABLES):
        with pytest.raises(DBAPIError, match="permission denied"), undone(database, teams[0]) as connection:
            connection.execute(text(f"SELECT * FROM {table}"))
