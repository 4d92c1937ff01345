"""Second factors of people: encrypted secrets of authenticator apps, and recovery codes as hashes.

Passkeys, the other kind of second factor, are in `passkeys`; recovery codes replace either.

Only the auth role can access these tables; the application role has no permission on them.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, literal, select, union_all
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.teams.sign_in.tables import passkey, recovery_code, second_factor
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows


@frozen
class StoredFactor:
    """An authenticator app of a person."""

    secret: bytes
    """Decrypted secret in base 32."""
    confirmed_at: datetime | None
    """When the app was confirmed with a code; an unconfirmed app is not required at sign-in."""


_FACTORS = Rows(second_factor, StoredFactor)
get = _FACTORS.get


def begin(connection: Connection, person_id: UUID, secret: str) -> bool:
    """Store the unconfirmed app secret of a person.

    Returns False, and changes nothing, if the person has a confirmed secret.
    """
    values = {"secret": secret.encode(), "last_step": 0}
    new = insert_unless(second_factor).values(person_id=person_id, **values)
    unless_confirmed = new.on_conflict_do_update(
        index_elements=[second_factor.c.person_id],
        set_={**values, "created_at": func.now()},
        where=second_factor.c.confirmed_at.is_(None),
    ).returning(second_factor.c.person_id)
    return connection.execute(unless_confirmed).one_or_none() is not None


def is_required(connection: Connection, person_id: UUID) -> bool:
    """Check whether a person has a second factor: a confirmed authenticator app or a passkey."""
    app = select(literal(1)).where(second_factor.c.person_id == person_id, second_factor.c.confirmed_at.is_not(None))
    key = select(literal(1)).where(passkey.c.person_id == person_id)
    return connection.execute(union_all(app, key).limit(1)).first() is not None


def confirm(connection: Connection, person_id: UUID, at: datetime) -> bool:
    """Confirm the authenticator app of a person.

    Returns False if the person has no unconfirmed app.
    """
    return _FACTORS.change(connection, person_id, {"confirmed_at": at}, second_factor.c.confirmed_at.is_(None))


def use_step(connection: Connection, person_id: UUID, step: int) -> bool:
    """Mark the code of a time step as used.

    Time steps are numbered in units of 30 s since 1970. Returns False if a code of this or a later step was used
    before.
    """
    return _FACTORS.change(connection, person_id, {"last_step": step}, second_factor.c.last_step < step)


def remove(connection: Connection, person_id: UUID) -> bool:
    """Remove the authenticator app of a person, and return whether it was confirmed."""
    gone = delete(second_factor).where(second_factor.c.person_id == person_id).returning(second_factor.c.confirmed_at)
    return connection.scalar(gone) is not None


def set_recovery_codes(connection: Connection, person_id: UUID, hashes: Sequence[bytes]) -> None:
    """Replace the recovery codes of a person."""
    remove_recovery_codes(connection, person_id)
    connection.execute(insert(recovery_code), [{"person_id": person_id, "hash": each} for each in hashes])


def remove_recovery_codes(connection: Connection, person_id: UUID) -> None:
    """Remove the recovery codes of a person."""
    connection.execute(delete(recovery_code).where(recovery_code.c.person_id == person_id))


def use_recovery_code(connection: Connection, person_id: UUID, code_hash: bytes) -> bool:
    """Consume a recovery code atomically, and return whether it was valid."""
    which = recovery_code.c.person_id == person_id, recovery_code.c.hash == code_hash
    return connection.execute(delete(recovery_code).where(*which)).rowcount > 0
