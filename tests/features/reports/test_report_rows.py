"""Published reports: no statement of the service changes one, and its replacement is found."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, delete, insert, text
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError

from database import superuser, undone
from stowage.features.reports.store import reports
from stowage.features.reports.store.reports import StoredFile, StoredReport
from stowage.features.reports.tables import report, report_comment
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.job import NewJob

NOW = datetime(2026, 11, 21, tzinfo=UTC)
CONTENT = '{"title": "x"}'


def stored(connection: Connection, number: int = 0, replaces: UUID | None = None, content: str = CONTENT) -> UUID:
    """Store a report; a higher number is a later one."""
    report_id, job_id = uuid4(), uuid4()
    jobs.insert(connection, NewJob(job_id, "document", report_id, "Ada", NOW, total=2))
    new = StoredReport(
        id=report_id,
        name=f"Report {number}",
        sentence="A sentence.",
        kind="plan",
        origins=["nightly sort"],
        author="Ada",
        content=content,
        digest=hashlib.sha256(content.encode()).hexdigest(),
        deployable=[],
        replaces=replaces,
        job_id=job_id,
        created_at=NOW + timedelta(days=number),
    )
    assert reports.insert(connection, new)
    assert not reports.insert(connection, replace(new, name="another"))
    return report_id


@pytest.fixture
def connection(database: Database, org_id: UUID) -> Iterator[Connection]:
    """Yield a transaction of the application that is rolled back."""
    with undone(database, org_id) as connection:
        yield connection


FROZEN = [column.name for column in report.c if column.name != "deleted_at"]


@pytest.mark.parametrize("role", ["database", "gate"])
@pytest.mark.parametrize("column", FROZEN)
def test_no_role_of_the_service_may_change_anything_of_a_published_report(
    request: pytest.FixtureRequest, role: str, column: str, org_id: UUID
) -> None:
    other: Database = request.getfixturevalue(role)
    with undone(other, org_id) as connection, pytest.raises(ProgrammingError, match="permission denied"):
        # The column names are constants of the tests, not input.
        connection.execute(text(f"UPDATE report SET {column} = NULL"))


def test_what_may_be_changed_is_only_that_it_was_removed(connection: Connection, postgres: DatabaseUrls) -> None:
    report_id = stored(connection)
    assert reports.set_deleted(connection, report_id, NOW)
    assert reports.get(connection, report_id) is None
    assert reports.content(connection, report_id) == CONTENT
    assert reports.set_deleted(connection, report_id, None)
    assert reports.get(connection, report_id) is not None
    with superuser(postgres) as looker:
        triggers = looker.execute(
            "SELECT tgname FROM pg_trigger WHERE tgrelid = 'report'::regclass AND NOT tgisinternal"
        ).fetchall()
    assert triggers == [("record",)]


def test_a_digest_that_is_not_the_contents_is_not_stored(connection: Connection) -> None:
    with pytest.raises(IntegrityError, match="ck_report_digest"), connection.begin_nested():
        connection.execute(
            insert(report).values(
                id=uuid4(),
                name="x",
                sentence="x",
                kind="plan",
                origins=[],
                author="x",
                content='{"title": "y"}',
                digest=hashlib.sha256(CONTENT.encode()).hexdigest(),
                deployable=[],
                job_id=uuid4(),
                created_at=NOW,
            )
        )
    report_id = stored(connection)
    with pytest.raises(IntegrityError, match="ck_report_file_digest"), connection.begin_nested():
        reports.add_file(connection, report_id, "pdf", StoredFile(b"%PDF", "0" * 64))


def test_a_file_is_made_once(connection: Connection) -> None:
    report_id = stored(connection)
    first, second = (StoredFile(made, hashlib.sha256(made).hexdigest()) for made in (b"first", b"second"))
    assert reports.add_file(connection, report_id, "pdf", first)
    assert not reports.add_file(connection, report_id, "pdf", second)
    assert reports.file(connection, report_id, "pdf") == first
    assert reports.file(connection, report_id, "png") is None
    assert reports.files(connection, report_id) == {"pdf"}


def test_the_newest_of_a_chain_stands_in_the_place_of_each_before_it(connection: Connection) -> None:
    first = stored(connection, 1)
    second = stored(connection, 2, first)
    third = stored(connection, 3, second)
    aside = stored(connection, 4, first)
    alone = stored(connection, 5)
    every = [first, second, third, aside, alone]
    found = {old: new.id for old, new in reports.successors(connection, every).items()}
    assert found == {first: aside, second: third}
    # A deleted report is no successor; its own successor takes its place.
    reports.set_deleted(connection, aside, NOW)
    reports.set_deleted(connection, second, NOW)
    found = {old: new.id for old, new in reports.successors(connection, every).items()}
    assert found == {first: third, second: third}


def test_what_was_removed_long_ago_goes_with_all_that_belongs_to_it(connection: Connection) -> None:
    old, kept = stored(connection, 1), stored(connection, 2)
    newer = stored(connection, 3, old)
    reports.add_file(connection, old, "pdf", StoredFile(b"x", hashlib.sha256(b"x").hexdigest()))
    said = {"id": uuid4(), "report_id": old, "person_id": uuid4(), "person": "Ada", "text": "x", "created_at": NOW}
    connection.execute(insert(report_comment).values(said))
    reports.set_deleted(connection, old, NOW)
    reports.set_deleted(connection, kept, NOW + timedelta(days=1))
    reports.purge(connection, NOW + timedelta(hours=1))
    assert reports.content(connection, old) is None
    assert reports.content(connection, kept) == CONTENT
    left = reports.get(connection, newer)
    assert left is not None
    assert left.replaces is None
    assert reports.comment_counts(connection, [old, newer]) == {}
    with pytest.raises(DBAPIError, match="permission denied"), connection.begin_nested():
        connection.execute(text("DELETE FROM report_file"))
    assert connection.execute(delete(report_comment)).rowcount == 0
