"""People: who may be signed in. Only the gate sees all of them; the application sees its team's."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, insert, select

from stowage.store.tables import columns_of, person


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """A person.

    Parameters
    ----------
    person_id : UUID
    name : str
    email : str or None
        In lower case.
    """

    person_id: UUID
    name: str
    email: str | None


def add(connection: Connection, person_id: UUID, name: str, email: str | None) -> None:
    """Store a person; the e-mail is in lower case, and nobody else's."""
    connection.execute(insert(person).values(person_id=person_id, name=name, email=email))


def get(connection: Connection, person_id: UUID) -> StoredPerson | None:
    """Read a person; None where there is none."""
    query = select(*columns_of(person, StoredPerson)).where(person.c.person_id == person_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredPerson(**row)
