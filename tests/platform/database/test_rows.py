"""Queries of a table's rows as dataclasses, on the table of uploads."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func

from database import new_org
from stowage.features.measurements.tables import upload
from stowage.platform.database.database import Database
from stowage.platform.database.rows import Rows, containing
from stowage.platform.errors import NotFound

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
LATER = datetime(2100, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Upload:
    id: UUID
    name: str
    size_bytes: int
    state: str
    person: str
    created_at: datetime
    expires_at: datetime


UPLOADS = Rows(upload, Upload, noun="upload")


def numbered(number: int) -> Upload:
    return Upload(uuid4(), f"file {number}.txt", 1, "arriving", "Ada", NOON + timedelta(minutes=number), LATER)


@pytest.fixture
def stored(database: Database, org_id: UUID) -> list[Upload]:
    rows = [numbered(number) for number in range(5)]
    with database.transaction(org_id) as connection:
        assert [UPLOADS.add(connection, row) for row in rows] == [True] * 5
    return rows


def test_a_row_is_read_as_it_was_stored_and_a_conflicting_one_changes_nothing(
    database: Database, org_id: UUID, stored: list[Upload]
) -> None:
    first = stored[0]
    with database.transaction(org_id) as connection:
        assert not UPLOADS.add(connection, replace(first, person="Bob"))
        assert UPLOADS.get(connection, first.id) == UPLOADS.get(connection, first.id, lock=True) == first
        assert UPLOADS.find(connection, upload.c.name == first.name) == first
        assert UPLOADS.get_all(connection, [first.id, uuid4()]) == {first.id: first}


def test_pages_are_newest_first_and_conditions_restrict_all_queries(
    database: Database, org_id: UUID, stored: list[Upload]
) -> None:
    even = upload.c.name.in_([row.name for row in stored[::2]])
    with database.transaction(org_id) as connection:
        page = UPLOADS.list_newest(connection, limit=2)
        rest = UPLOADS.list_newest(connection, limit=9, before=(page[-1].created_at, page[-1].id))
        assert [*page, *rest] == stored[::-1]
        assert UPLOADS.list_all(connection, even, order=(upload.c.name,), offset=1) == tuple(stored[2::2])
        assert UPLOADS.count(connection, even) == 3
        sought = containing((upload.c.person, upload.c.name), ["ada", "FILE 3"])
        assert UPLOADS.list_all(connection, *sought) == (stored[3],)


def test_a_row_is_changed_and_removed_by_its_id(database: Database, org_id: UUID, stored: list[Upload]) -> None:
    first = stored[0].id
    with database.transaction(org_id) as connection:
        assert UPLOADS.change(connection, first, {"state": "read"})
        assert UPLOADS.demand(connection, first).state == "read"
        assert UPLOADS.remove(connection, first)
        assert not UPLOADS.change(connection, first, {"state": "refused"})
        assert not UPLOADS.remove(connection, first)


def test_a_missing_row_and_one_of_another_team_are_refused_alike(
    database: Database, owner: Database, stored: list[Upload]
) -> None:
    first = stored[0].id
    with database.transaction(new_org(owner)) as connection:
        with pytest.raises(NotFound, match=f"There is no upload {first}"):
            UPLOADS.demand(connection, first)
        with pytest.raises(NotFound, match="or it is not yours"):
            Rows(upload, Upload).demand(connection, first)


def test_rows_that_are_not_there_for_users_are_not_found_counted_or_changed(
    database: Database, org_id: UUID, stored: list[Upload]
) -> None:
    of_bob = Rows(upload, Upload, there=upload.c.person == "Bob")
    with database.transaction(org_id) as connection:
        assert of_bob.get(connection, stored[0].id) is None
        assert of_bob.count(connection) == len(of_bob.list_all(connection)) == 0
        assert not of_bob.change(connection, stored[0].id, {"state": "read"})


def test_a_computed_field_takes_the_place_of_its_column(database: Database, org_id: UUID, stored: list[Upload]) -> None:
    loud = Rows(upload, Upload, computed=(func.upper(upload.c.name).label("name"),))
    with database.transaction(org_id) as connection:
        assert loud.demand(connection, stored[1].id).name == "FILE 1.TXT"
