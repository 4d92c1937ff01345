"""Passkeys of people: the data needed to verify the signature of an authenticator over a challenge (WebAuthn).

Only the auth role can access this table; the application role has no permission on it.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete

from stowage.features.teams.sign_in.tables import passkey
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows


@frozen
class StoredPasskey:
    """A passkey."""

    passkey_id: UUID
    name: str
    """Chosen by the person."""
    domain: str
    """RP ID: browsers offer it only at this domain."""
    credential_id: bytes
    """Identifier by which the authenticator finds its private key."""
    public_key: bytes
    """COSE key (RFC 9052)."""
    sign_count: int
    """Counter of the authenticator at its last use; 0 for an authenticator without a counter."""
    created_at: datetime
    used_at: datetime | None


_PASSKEYS = Rows(passkey, StoredPasskey)


def add(connection: Connection, person_id: UUID, new: StoredPasskey) -> bool:
    """Store a passkey.

    Returns False if its credential is already stored.
    """
    return _PASSKEYS.add(connection, new, person_id=person_id)


def of_person(connection: Connection, person_id: UUID) -> tuple[StoredPasskey, ...]:
    """List the passkeys of a person, oldest first."""
    order = passkey.c.created_at, passkey.c.passkey_id
    return _PASSKEYS.list_all(connection, passkey.c.person_id == person_id, order=order)


def count(connection: Connection, person_id: UUID, domain: str | None = None) -> int:
    """Return the number of passkeys of a person.

    If a domain is given, only the passkeys of this domain are counted.
    """
    of_domain = () if domain is None else (passkey.c.domain == domain,)
    return _PASSKEYS.count(connection, passkey.c.person_id == person_id, *of_domain)


def use(connection: Connection, passkey_id: UUID, before: int, after: int, at: datetime) -> bool:
    """Advance the signature counter of a passkey.

    Returns False if the counter has changed since the response was checked.
    """
    used = {"sign_count": after, "used_at": at}
    return _PASSKEYS.change(connection, passkey_id, used, passkey.c.sign_count == before)


def remove(connection: Connection, person_id: UUID, passkey_id: UUID | None = None) -> int:
    """Remove one passkey of a person, or all passkeys if no id is given.

    Returns the number of removed passkeys.
    """
    gone = delete(passkey).where(passkey.c.person_id == person_id)
    return connection.execute(gone if passkey_id is None else gone.where(passkey.c.passkey_id == passkey_id)).rowcount
