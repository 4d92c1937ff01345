"""Leases of a team: one lease holder at a time, and none for longer than a lease lasts."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import text, update

from stowage.platform.database.database import Database
from stowage.platform.database.tables import lease
from stowage.platform.jobs import leases
from stowage.platform.jobs.heartbeats import ClaimLost


def take(database: Database, org_id: UUID, name: str, holder: UUID) -> bool:
    with database.transaction(org_id) as connection:
        return leases.take(connection, name, holder)


def date_from_now(database: Database, org_id: UUID, name: str, interval: str) -> None:
    with database.transaction(org_id) as connection:
        until = text(f"now() + interval '{interval}'")
        connection.execute(update(lease).where(lease.c.name == name).values(until=until))


def test_a_lease_is_for_one_holder_until_it_is_released(database: Database, org_id: UUID) -> None:
    name, first, second = f"sweep {uuid4()}", uuid4(), uuid4()
    assert take(database, org_id, name, first)
    assert not take(database, org_id, name, second)
    with database.transaction(org_id) as connection:
        leases.release(connection, name, second)  # It is not the lease holder: nothing happens.
    assert not take(database, org_id, name, second)
    with database.transaction(org_id) as connection:
        leases.release(connection, name, first)
    assert take(database, org_id, name, second)


def test_a_lease_without_heartbeats_expires(database: Database, org_id: UUID) -> None:
    name, first, second = f"sweep {uuid4()}", uuid4(), uuid4()
    assert take(database, org_id, name, first)
    date_from_now(database, org_id, name, "-1 s")
    assert take(database, org_id, name, second)
    with database.transaction(org_id) as connection, pytest.raises(ClaimLost):
        leases.keep(connection, name, first)


def test_a_lease_dated_by_a_clock_that_was_ahead_has_expired(database: Database, org_id: UUID) -> None:
    name, first, second = f"sweep {uuid4()}", uuid4(), uuid4()
    assert take(database, org_id, name, first)
    date_from_now(database, org_id, name, "20 min")
    assert take(database, org_id, name, second)
