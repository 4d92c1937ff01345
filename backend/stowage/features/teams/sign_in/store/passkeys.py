"""Passkeys of people: the data needed to verify the signature of an authenticator over a challenge (WebAuthn).

Only the auth role can access this table; the application role has no permission on it.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from stowage.features.teams.sign_in.tables import passkey
from stowage.platform.database.columns import columns_of


@dataclass(frozen=True, slots=True)
class StoredPasskey:
    """A passkey.

    Parameters
    ----------
    passkey_id : UUID
    name : str
        Chosen by the person.
    domain : str
        RP ID: browsers offer it only at this domain.
    credential_id : bytes
        Identifier by which the authenticator finds its private key.
    public_key : bytes
        COSE key (RFC 9052).
    sign_count : int
        Counter of the authenticator at its last use; 0 for an authenticator without a counter.
    created_at : datetime
    used_at : datetime or None
    """

    passkey_id: UUID
    name: str
    domain: str
    credential_id: bytes
    public_key: bytes
    sign_count: int
    created_at: datetime
    used_at: datetime | None


def add(connection: Connection, person_id: UUID, new: StoredPasskey) -> bool:
    """Store a passkey; return False if its credential is already stored."""
    values = {column.name: getattr(new, column.name) for column in columns_of(passkey, StoredPasskey)}
    row = insert(passkey).values(person_id=person_id, **values)
    unless_known = row.on_conflict_do_nothing(index_elements=[passkey.c.credential_id]).returning(passkey.c.passkey_id)
    return connection.execute(unless_known).one_or_none() is not None


def of_person(connection: Connection, person_id: UUID) -> list[StoredPasskey]:
    """List the passkeys of a person, oldest first."""
    query = select(*columns_of(passkey, StoredPasskey)).where(passkey.c.person_id == person_id)
    rows = connection.execute(query.order_by(passkey.c.created_at, passkey.c.passkey_id)).mappings()
    return [StoredPasskey(**row) for row in rows]


def count(connection: Connection, person_id: UUID, domain: str | None = None) -> int:
    """Return the number of passkeys of a person: those of one domain, or all if the domain is None."""
    query = select(func.count()).select_from(passkey).where(passkey.c.person_id == person_id)
    return connection.scalar(query if domain is None else query.where(passkey.c.domain == domain)) or 0


def use(connection: Connection, passkey_id: UUID, before: int, after: int, at: datetime) -> bool:
    """Advance the signature counter of a passkey; return False if it has changed since the response was checked."""
    same = passkey.c.passkey_id == passkey_id, passkey.c.sign_count == before
    return connection.execute(update(passkey).where(*same).values(sign_count=after, used_at=at)).rowcount > 0


def remove(connection: Connection, person_id: UUID, passkey_id: UUID | None = None) -> int:
    """Remove one passkey of a person, or all passkeys; return the number removed."""
    gone = delete(passkey).where(passkey.c.person_id == person_id)
    return connection.execute(gone if passkey_id is None else gone.where(passkey.c.passkey_id == passkey_id)).rowcount
