"""Organisations: created once, and deleted with all their rows."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text

from database import superuser
from filled import TENANT_TABLES, fill
from people import join, new_member, new_person
from stowage.features.tables import metadata
from stowage.features.teams.sign_in.store import team as teams_store
from stowage.platform.database import orgs
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.orgs import EXAMPLE_ORG_ID, ensure_org
from stowage.platform.database.tables import org

ROWS_OF_A_PERSON = {
    "password": "(person_id, hash) VALUES (:person, '$argon2id$')",
    "second_factor": "(person_id, secret) VALUES (:person, :bytes)",
    "recovery_code": "(person_id, hash) VALUES (:person, :bytes)",
    "passkey": (
        "(passkey_id, person_id, name, domain, credential_id, public_key, sign_count) "
        "VALUES (gen_random_uuid(), :person, :text, '', :bytes, :bytes, 0)"
    ),
    "identity": "(issuer, subject, person_id) VALUES ('https://issuer', :text, :person)",
    "one_time_link": "(secret_hash, kind, person_id, expires_at) VALUES (:bytes, 'reset', :person, now())",
    "session": (
        "(id, person_id, team_id, secret_hash, csrf, how, ends_at) "
        "VALUES (gen_random_uuid(), :person, :org, :bytes, '', 'link', now())"
    ),
}


def counted(postgres: DatabaseUrls) -> dict[str, int]:
    """Count the rows of all tables."""
    with superuser(postgres) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert {name for (name,) in names} == {*metadata.tables, "alembic_version"}
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for (name,) in names}


def test_an_organisation_is_created_once_and_keeps_its_name(owner: Database, database: Database) -> None:
    org_id = uuid4()
    for name, is_new in (("Storage team", True), ("Another name", False)):
        with owner.transaction(org_id) as connection:
            assert ensure_org(connection, org_id, name) is is_new
    with database.transaction(org_id) as connection:
        assert connection.scalars(select(org.c.name)).all() == ["Storage team"]


def test_after_deletion_all_tables_count_what_they_did_before_there_was_the_organisation(
    gate: Database, postgres: DatabaseUrls
) -> None:
    before, org_id = counted(postgres), uuid4()
    with gate.transaction(org_id) as connection:
        orgs.add(connection, org_id, "For a while")
    person_id = new_member(gate, org_id)
    with gate.transaction(None) as connection:
        for table, values in ROWS_OF_A_PERSON.items():
            values_of = {"person": person_id, "org": org_id, "text": str(person_id), "bytes": person_id.bytes}
            used = {key: value for key, value in values_of.items() if f":{key}" in values}
            connection.execute(text(f"INSERT INTO {table} {values}"), used)
    fill(postgres, org_id)
    filled = counted(postgres)
    theirs = {*TENANT_TABLES, *ROWS_OF_A_PERSON, "org", "person"}
    assert {name for name in filled if filled[name] > before[name]} == theirs
    with gate.transaction(org_id) as connection:
        assert teams_store.delete_team(connection, org_id)
    assert counted(postgres) == before
    with gate.transaction(org_id) as connection:
        assert not teams_store.delete_team(connection, org_id)


def test_people_who_are_in_another_team_stay(
    gate: Database, postgres: DatabaseUrls, org_id: UUID, other_org_id: UUID
) -> None:
    alone, both, none = new_member(gate, org_id), new_member(gate, org_id), new_person(gate)
    join(gate, other_org_id, both, "viewer")
    with gate.transaction(org_id) as connection:
        teams_store.delete_team(connection, org_id)
    with superuser(postgres) as connection:
        rows = connection.execute(
            "SELECT person_id FROM person WHERE person_id = ANY(%s)", [[alone, both, none]]
        ).fetchall()
    assert {person_id for (person_id,) in rows} == {both, none}


def test_only_in_a_transaction_for_it_an_organisation_is_deleted(
    gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    for elsewhere in (None, other_org_id):
        with gate.transaction(elsewhere) as connection:
            assert not teams_store.delete_team(connection, org_id)
    with gate.transaction(None) as connection:
        assert connection.scalar(select(org.c.org_id).where(org.c.org_id == org_id)) == org_id


def test_the_example_team_is_not_deleted(gate: Database) -> None:
    with pytest.raises(ValueError, match="everybody's"), gate.transaction(EXAMPLE_ORG_ID) as connection:
        teams_store.delete_team(connection, EXAMPLE_ORG_ID)
