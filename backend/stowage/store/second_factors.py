"""Second factors of people: the secret of their authenticator app, encrypted, and recovery codes as hashes.

The auth role's: the application has no right to either table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.store.tables import recovery_code, second_factor


@dataclass(frozen=True, slots=True)
class StoredFactor:
    """A second factor.

    Parameters
    ----------
    secret : str
        In base 32.
    confirmed : bool
        Whether a code of it was given once; else it is not asked for.
    """

    secret: str
    confirmed: bool


def begin(connection: Connection, person_id: UUID, secret: str) -> bool:
    """Store a secret that is not asked for yet, and return whether no confirmed one stood in its way."""
    values = {"secret": secret.encode(), "last_step": 0}
    new = insert_unless(second_factor).values(person_id=person_id, **values)
    unless_confirmed = new.on_conflict_do_update(
        index_elements=[second_factor.c.person_id],
        set_={**values, "created_at": func.now()},
        where=second_factor.c.confirmed_at.is_(None),
    ).returning(second_factor.c.person_id)
    return connection.execute(unless_confirmed).one_or_none() is not None


def get(connection: Connection, person_id: UUID) -> StoredFactor | None:
    """Read the second factor of a person; None where there is none. Decrypts it."""
    query = select(second_factor.c.secret, second_factor.c.confirmed_at).where(second_factor.c.person_id == person_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else StoredFactor(row.secret.decode(), row.confirmed_at is not None)


def is_confirmed(connection: Connection, person_id: UUID) -> bool:
    """Check whether signing in as a person needs the second factor; decrypts nothing."""
    query = select(second_factor.c.confirmed_at).where(second_factor.c.person_id == person_id)
    return connection.scalar(query) is not None


def confirm(connection: Connection, person_id: UUID, at: datetime) -> bool:
    """Have the second factor be asked for from now on, and return whether it was not before."""
    waiting = second_factor.c.person_id == person_id, second_factor.c.confirmed_at.is_(None)
    return connection.execute(update(second_factor).where(*waiting).values(confirmed_at=at)).rowcount > 0


def use_step(connection: Connection, person_id: UUID, step: int) -> bool:
    """Use up the code of a time step [30 s since 1970], and return whether neither it nor a later one was used."""
    unused = second_factor.c.person_id == person_id, second_factor.c.last_step < step
    return connection.execute(update(second_factor).where(*unused).values(last_step=step)).rowcount > 0


def remove(connection: Connection, person_id: UUID) -> bool:
    """Remove the second factor of a person with its recovery codes, and return whether there was a confirmed one."""
    connection.execute(delete(recovery_code).where(recovery_code.c.person_id == person_id))
    gone = delete(second_factor).where(second_factor.c.person_id == person_id).returning(second_factor.c.confirmed_at)
    return connection.scalar(gone) is not None


def set_recovery_codes(connection: Connection, person_id: UUID, hashes: Sequence[bytes]) -> None:
    """Replace the recovery codes of a person."""
    connection.execute(delete(recovery_code).where(recovery_code.c.person_id == person_id))
    connection.execute(insert(recovery_code), [{"person_id": person_id, "hash": each} for each in hashes])


def use_recovery_code(connection: Connection, person_id: UUID, code_hash: bytes) -> bool:
    """Consume a recovery code atomically, and return whether there was such a one."""
    which = recovery_code.c.person_id == person_id, recovery_code.c.hash == code_hash
    return connection.execute(delete(recovery_code).where(*which)).rowcount > 0


def count_recovery_codes(connection: Connection, person_id: UUID) -> int:
    """Count the recovery codes that are left to a person."""
    query = select(func.count()).select_from(recovery_code).where(recovery_code.c.person_id == person_id)
    return connection.scalar(query) or 0
