"""Stored people: identifiers that belong to one person, and visibility of colleagues."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy.exc import ProgrammingError

from people import join, new_member, new_person
from stowage.features.teams.sign_in.store import once, people
from stowage.platform.database.database import Database
from stowage.platform.secrets import digest, new_secret


def test_an_e_mail_is_one_persons_only(gate: Database) -> None:
    email, first, second = f"{uuid4().hex}@example.org", uuid4(), uuid4()
    with gate.transaction(None) as connection:
        assert people.add(connection, first, "Ada", email)
        assert not people.add(connection, second, "Eve", email)
        assert people.get(connection, second) is None
        assert people.add(connection, second, "Eve", None)
        # A failure leaves the transaction as it was.
        assert not people.change(connection, second, name="Ada", email=email)
        assert people.get(connection, second) == people.StoredPerson(second, "Eve", None)
        assert people.find(connection, email) == people.StoredPerson(first, "Ada", email)


def test_a_subject_of_a_provider_belongs_to_one_person(gate: Database) -> None:
    first, second, subject = new_person(gate), new_person(gate), uuid4().hex
    with gate.transaction(None) as connection:
        assert people.identify(connection, first, "https://one.example", subject)
        assert not people.identify(connection, first, "https://one.example", subject)
        assert not people.identify(connection, second, "https://one.example", subject)
        # Another provider may use the same subject for another person.
        assert people.identify(connection, second, "https://other.example", subject)
        assert people.identified(connection, "https://one.example", subject) == first
        people.forget_identities(connection, first)
        assert people.identified(connection, "https://one.example", subject) is None
        assert people.identified(connection, "https://other.example", subject) == second


def test_a_password_is_replaced_and_goes_with_its_person(gate: Database) -> None:
    person_id, now = new_person(gate), datetime.now(UTC)
    with gate.transaction(None) as connection:
        assert people.password_of(connection, person_id) is None
        for hashed in ("$argon2id$one", "$argon2id$two"):
            people.set_password(connection, person_id, hashed, now)
            assert people.password_of(connection, person_id) == hashed
        connection.exec_driver_sql("DELETE FROM person WHERE person_id = %s", (person_id,))
        assert people.password_of(connection, person_id) is None


def test_the_application_sees_its_teams_people_and_no_password(
    gate: Database, database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    mine, theirs, both = new_member(gate, org_id), new_member(gate, other_org_id), new_member(gate, org_id)
    join(gate, other_org_id, both, "viewer")
    with database.transaction(org_id) as connection:
        assert people.get(connection, mine) is not None
        assert people.get(connection, both) is not None
        assert people.get(connection, theirs) is None
    with pytest.raises(ProgrammingError, match="permission denied"), database.transaction(org_id) as connection:
        people.password_of(connection, mine)


def test_a_link_is_used_once_for_what_it_is_for_and_until_it_expires(gate: Database) -> None:
    person_id, now = new_person(gate), datetime.now(UTC)
    good, over = digest(new_secret()), digest(new_secret())
    link = once.OneTime(person_id, {"path": "/"}, now + timedelta(hours=1))
    with gate.transaction(None) as connection:
        once.add(connection, "reset", good, link)
        once.add(connection, "reset", over, once.OneTime(person_id, None, now))
        assert once.use(connection, "sign-in", good, now) is None
        assert once.look(connection, "reset", good, now) == link
        assert once.look(connection, "reset", over, now) is None
        assert once.use(connection, "reset", over, now) is None
        assert once.use(connection, "reset", good, now) == link
        assert once.use(connection, "reset", good, now) is None


def test_links_that_have_expired_are_removed(gate: Database) -> None:
    person_id, now = new_person(gate), datetime.now(UTC)
    with gate.transaction(None) as connection:
        once.add(connection, "sign-in", digest(new_secret()), once.OneTime(person_id, None, now))
        once.add(connection, "sign-in", kept := digest(new_secret()), once.OneTime(person_id, None, now + timedelta(1)))
        once.purge(connection, now)
        left = connection.exec_driver_sql("SELECT secret_hash FROM one_time_link WHERE person_id = %s", (person_id,))
        assert [bytes(each) for each in left.scalars()] == [kept]
