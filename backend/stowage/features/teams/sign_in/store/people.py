"""People and their credentials. The auth role sees all people, the application role only those of the current team."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects.postgresql import insert as insert_unless
from sqlalchemy.exc import IntegrityError

from stowage.features.teams.sign_in.tables import identity, password, person
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows
from stowage.platform.errors import SignInNeeded


@frozen
class StoredPerson:
    """A person with an account."""

    person_id: UUID
    name: str
    email: str | None
    """E-mail address in lower case."""
    email_verified_at: datetime | None = None
    """When the person verified the address; None if unverified."""

    @property
    def verified_email(self) -> str | None:
        """The e-mail if it is verified, else None.

        Only a verified e-mail receives mail and identifies the person.
        """
        return None if self.email_verified_at is None else self.email


PEOPLE = Rows(person, StoredPerson)
get = PEOPLE.get


def add(connection: Connection, person_id: UUID, name: str, email: str | None) -> bool:
    """Store a person.

    The e-mail must be in lower case. Returns False if another person has this e-mail.
    """
    return PEOPLE.add(connection, StoredPerson(person_id, name, email))


def ensure(connection: Connection, person_id: UUID, name: str, now: datetime) -> None:
    """Ensure that a person exists, and lock the person's row until the transaction ends.

    A missing person is created, without an e-mail. The lock makes concurrent callers wait.
    """
    new = insert_unless(person).values(person_id=person_id, name=name, created_at=now)
    # An existing row keeps its name; the update without effect locks the row.
    kept = new.on_conflict_do_update(index_elements=[person.c.person_id], set_={"name": person.c.name})
    connection.execute(kept)


def demand(connection: Connection, person_id: UUID) -> StoredPerson:
    """Return the person with an id.

    Raises
    ------
    SignInNeeded
        There is no person with this id, for example because the account was deleted.
    """
    found = get(connection, person_id)
    if found is None:
        raise SignInNeeded
    return found


def find(connection: Connection, email: str) -> StoredPerson | None:
    """Find the person who has an e-mail address, given in lower case.

    Returns None if no person has it.
    """
    return PEOPLE.find(connection, person.c.email == email)


def change(connection: Connection, person_id: UUID, *, name: str | None = None, email: str | None = None) -> bool:
    """Change name or e-mail of a person.

    None leaves a field unchanged. Returns False if another person has the e-mail.
    """
    values: dict[str, str | None] = {"name": name} if name is not None else {}
    if email is not None:
        # A new address is unverified.
        values |= {"email": email, "email_verified_at": None}
    if not values:
        return True
    try:
        with connection.begin_nested():
            PEOPLE.change(connection, person_id, values)
    except IntegrityError:
        return False
    return True


def verify_email(connection: Connection, person_id: UUID, email: str) -> bool:
    """Store that a person verified an e-mail address.

    Returns False, and stores nothing, if the person has another address by now.
    """
    return PEOPLE.change(connection, person_id, {"email_verified_at": func.now()}, person.c.email == email)


def resume_tokens(connection: Connection, person_id: UUID) -> None:
    """Resume a person's API tokens, if they are paused.

    They are paused after the OpenID provider has refused a refresh token of the person.
    """
    PEOPLE.change(connection, person_id, {"provider_refused_at": None})


def signed_in(connection: Connection, person_id: UUID, at: datetime) -> None:
    """Store the time at which a person last signed in."""
    PEOPLE.change(connection, person_id, {"signed_in_at": at})


def password_of(connection: Connection, person_id: UUID) -> str | None:
    """Return the hash of a person's password, or None if the person has no password."""
    return connection.scalar(select(password.c.hash).where(password.c.person_id == person_id))


def set_password(connection: Connection, person_id: UUID, hashed: str, now: datetime) -> None:
    """Set or replace the password of a person."""
    new = insert_unless(password).values(person_id=person_id, hash=hashed, changed_at=now)
    connection.execute(
        new.on_conflict_do_update(index_elements=[password.c.person_id], set_={"hash": hashed, "changed_at": now})
    )


def identified(connection: Connection, issuer: str, subject: str) -> UUID | None:
    """Return the id of the person to whom an account at an OpenID provider is connected.

    Returns None if the account is not connected to a person.
    """
    query = select(identity.c.person_id).where(identity.c.issuer == issuer, identity.c.subject == subject)
    return connection.scalar(query)


def identify(connection: Connection, person_id: UUID, issuer: str, subject: str) -> bool:
    """Connect an account at an OpenID provider to a person.

    Returns False if the account is connected to a person already.
    """
    new = insert_unless(identity).values(issuer=issuer, subject=subject, person_id=person_id)
    unless_there = new.on_conflict_do_nothing().returning(identity.c.person_id)
    return connection.execute(unless_there).one_or_none() is not None


def forget_identities(connection: Connection, person_id: UUID) -> None:
    """Disconnect all accounts at OpenID providers from a person."""
    connection.execute(delete(identity).where(identity.c.person_id == person_id))
