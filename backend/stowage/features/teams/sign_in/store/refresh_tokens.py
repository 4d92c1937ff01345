"""Refresh tokens of the OpenID provider: stored encrypted, tried at intervals, by one process at a time.

Only the auth role can access the tokens.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, select, update

from stowage.features.teams.sign_in.store.people import PEOPLE
from stowage.features.teams.sign_in.tables import identity, person
from stowage.frozen import frozen


@frozen
class StoredToken:
    """The refresh token of an account at the OpenID provider."""

    issuer: str
    """Issuer of the account at the provider."""
    subject: str
    """Identifier of the account at the provider."""
    token: str

    def __repr__(self) -> str:
        """Return the account without the token, which must not reach a log."""
        return f"StoredToken(issuer={self.issuer!r}, subject={self.subject!r})"


def store(connection: Connection, person_id: UUID, new: StoredToken, check_at: datetime) -> None:
    """Store the refresh token of a new sign-in in place of the account's earlier token.

    Also sets the time of the next check. A check that is in progress with the earlier token loses its claim, and its
    result is dropped.
    """
    PEOPLE.change(connection, person_id, {"provider_check_at": check_at})
    replace(connection, person_id, new)


def replace(connection: Connection, person_id: UUID, new: StoredToken) -> None:
    """Replace the refresh token of an account."""
    account = _account(person_id, new.issuer, new.subject)
    connection.execute(update(identity).where(*account).values(refresh_token=new.token.encode()))


def forget(connection: Connection, person_id: UUID, refused: StoredToken) -> None:
    """Remove the refresh token of an account."""
    account = _account(person_id, refused.issuer, refused.subject)
    connection.execute(update(identity).where(*account).values(refresh_token=None))


def of_person(connection: Connection, person_id: UUID) -> list[StoredToken]:
    """Load and decrypt the refresh tokens of a person's accounts."""
    query = select(identity.c.issuer, identity.c.subject, identity.c.refresh_token).where(
        identity.c.person_id == person_id, identity.c.refresh_token.is_not(None)
    )
    return [StoredToken(row.issuer, row.subject, row.refresh_token.decode()) for row in connection.execute(query)]


def claim(connection: Connection, person_id: UUID, now: datetime, until: datetime) -> bool:
    """Claim the check of a person's refresh tokens if it is due.

    Returns whether the caller has the claim. Only one of several concurrent callers gets it.

    Parameters
    ----------
    until : datetime
        Later than `now`: the check is due again at this time if the claimant does not finish.
    """
    return PEOPLE.change(connection, person_id, {"provider_check_at": until}, person.c.provider_check_at <= now)


def finish(connection: Connection, person_id: UUID, until: datetime, check_at: datetime | None) -> bool:
    """Release the claim that expires at `until`, and set the time of the next check.

    If the time is None, there is no further check. Returns False, and changes nothing, if the claim was lost.
    """
    return PEOPLE.change(connection, person_id, {"provider_check_at": check_at}, person.c.provider_check_at == until)


def holds(connection: Connection, person_id: UUID, until: datetime) -> bool:
    """Check whether the claim that expires at `until` is still valid.

    A valid claim is locked until the transaction ends.
    """
    claimed = person.c.person_id == person_id, person.c.provider_check_at == until
    return connection.scalar(select(person.c.person_id).where(*claimed).with_for_update()) is not None


def refused(connection: Connection, person_id: UUID, at: datetime) -> None:
    """Store the time at which the provider refused a refresh token of a person.

    The person's API tokens are paused from then on.
    """
    PEOPLE.change(connection, person_id, {"provider_refused_at": at})


def _account(person_id: UUID, issuer: str, subject: str) -> tuple[ColumnElement[bool], ...]:
    return identity.c.person_id == person_id, identity.c.issuer == issuer, identity.c.subject == subject
