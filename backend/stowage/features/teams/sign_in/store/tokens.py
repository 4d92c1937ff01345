"""API tokens: credentials of programs that act for a person. A token is stored as a hash."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, insert, select, update

from stowage.features.teams.sign_in.tables import api_token, person
from stowage.frozen import frozen
from stowage.model.team import Scope
from stowage.platform.database.rows import read_rows, values_of


@frozen
class NewToken:
    """A token to store."""

    id: UUID
    person_id: UUID
    name: str
    """Chosen by the person."""
    secret_hash: bytes
    hint: str
    """First characters of the token."""
    scopes: Sequence[Scope]
    created_at: datetime
    expires_at: datetime


@frozen
class StoredToken:
    """A token of a person, as shown in a list."""

    id: UUID
    person_id: UUID
    name: str
    """Name chosen by the person."""
    hint: str
    """First characters of the token."""
    scopes: Sequence[Scope]
    person: str
    """Name of the owner."""
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    signed_in_at: datetime
    """When its owner last signed in."""
    provider_refused_at: datetime | None
    """When the provider refused a refresh token of its owner, if the owner has not signed in since."""


def add(connection: Connection, new: NewToken) -> None:
    """Store a token of the team for which the transaction runs."""
    connection.execute(insert(api_token).values({**values_of(new), "scopes": list(new.scopes)}))


def used(connection: Connection, token_id: UUID, now: datetime) -> None:
    """Store the time at which a token of the team was last used."""
    connection.execute(update(api_token).where(api_token.c.id == token_id).values(last_used_at=now))


def list_newest(connection: Connection, person_id: UUID | None = None) -> tuple[StoredToken, ...]:
    """List the tokens of the transaction's team, newest first.

    If a person is given, only the tokens of this person are listed.
    """
    own = [column for column in api_token.c if column.name in {field.name for field in fields(StoredToken)}]
    query = (
        select(*own, person.c.name.label("person"), person.c.signed_in_at, person.c.provider_refused_at)
        .join(person, person.c.person_id == api_token.c.person_id)
        .order_by(api_token.c.created_at.desc(), api_token.c.id)
    )
    if person_id is not None:
        query = query.where(api_token.c.person_id == person_id)
    return read_rows(connection, query, StoredToken)


def revoke(connection: Connection, token_id: UUID, now: datetime, person_id: UUID | None = None) -> bool:
    """Revoke a token of the team.

    A token that was revoked before keeps the time of the first revocation.

    Parameters
    ----------
    person_id : UUID or None
        Revoke the token only if it belongs to this person.

    Returns
    -------
    bool
        Whether the token exists.
    """
    which = [api_token.c.id == token_id] + ([] if person_id is None else [api_token.c.person_id == person_id])
    connection.execute(update(api_token).where(*which, api_token.c.revoked_at.is_(None)).values(revoked_at=now))
    return connection.scalar(select(api_token.c.id).where(*which)) is not None
