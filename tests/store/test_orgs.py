"""Organisations: created once."""

from uuid import uuid4

from sqlalchemy import select

from stowage.store.database import Database
from stowage.store.orgs import ensure_org
from stowage.store.tables import org


def test_an_organisation_is_created_once_and_keeps_its_name(owner: Database, database: Database) -> None:
    org_id = uuid4()
    for name, is_new in (("Storage team", True), ("Another name", False)):
        with owner.transaction(org_id) as connection:
            assert ensure_org(connection, org_id, name) is is_new
    with database.transaction(org_id) as connection:
        assert connection.scalars(select(org.c.name)).all() == ["Storage team"]
