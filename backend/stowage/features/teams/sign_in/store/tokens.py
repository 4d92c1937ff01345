"""API tokens: how programs ask in the name of a person. A token is kept as its digest only."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, and_, insert, select, update

from stowage.features.teams.sign_in.tables import api_token, membership, person
from stowage.model.team import Role, Scope


@dataclass(frozen=True, slots=True)
class Found:
    """A token with whose it is, and what that person may do now.

    Parameters
    ----------
    id, org_id, person_id : UUID
    scopes : tuple of Scope
    last_used_at : datetime or None
    name : str
        Of the person.
    email : str or None
    role : Role
    signed_in_at : datetime
        When the person last signed in.
    provider_check_at : datetime or None
        From when on the refresh tokens of the person are tried again; None if none is stored.
    provider_refused_at : datetime or None
        When the provider refused one, if the person has not signed in since.
    """

    id: UUID
    org_id: UUID
    person_id: UUID
    scopes: tuple[Scope, ...]
    last_used_at: datetime | None
    name: str
    email: str | None
    role: Role
    signed_in_at: datetime
    provider_check_at: datetime | None
    provider_refused_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token to store.

    Parameters
    ----------
    id, person_id : UUID
    name : str
        As its person calls it.
    secret_hash : bytes
    hint : str
        How it begins.
    scopes : sequence of Scope
    created_at, expires_at : datetime
    """

    id: UUID
    person_id: UUID
    name: str
    secret_hash: bytes
    hint: str
    scopes: Sequence[Scope]
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A token, as a list shows it.

    Parameters
    ----------
    id, person_id : UUID
    name, hint : str
        As its person calls it, and how it begins.
    scopes : sequence of Scope
    person : str
        Whose it is.
    created_at, expires_at : datetime
    last_used_at, revoked_at : datetime or None
    signed_in_at : datetime
        When its owner last signed in.
    provider_refused_at : datetime or None
        When the provider refused a refresh token of its owner, if the owner has not signed in since.
    """

    id: UUID
    person_id: UUID
    name: str
    hint: str
    scopes: Sequence[Scope]
    person: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    signed_in_at: datetime
    provider_refused_at: datetime | None


def add(connection: Connection, new: NewToken) -> None:
    """Store a token of the team that the transaction runs for."""
    connection.execute(insert(api_token).values(**{**asdict(new), "scopes": list(new.scopes)}))


def find(connection: Connection, secret_hash: bytes, now: datetime) -> Found | None:
    """Find the token of a secret, unless it was revoked or has expired.

    Parameters
    ----------
    connection : Connection
        The gate's, in a transaction for no organisation: it is not known yet for which.
    secret_hash : bytes
    now : datetime
    """
    member = and_(membership.c.org_id == api_token.c.org_id, membership.c.person_id == api_token.c.person_id)
    query = (
        select(
            api_token.c.id,
            api_token.c.org_id,
            api_token.c.person_id,
            api_token.c.scopes,
            api_token.c.last_used_at,
            person.c.name,
            person.c.email,
            person.c.signed_in_at,
            person.c.provider_check_at,
            person.c.provider_refused_at,
            membership.c.role,
        )
        .join(membership, member)
        .join(person, person.c.person_id == api_token.c.person_id)
        .where(api_token.c.secret_hash == secret_hash, api_token.c.revoked_at.is_(None), api_token.c.expires_at > now)
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else Found(**{**row, "scopes": tuple(row["scopes"])})


def used(connection: Connection, token_id: UUID, now: datetime) -> None:
    """Note that a token of the team was used."""
    connection.execute(update(api_token).where(api_token.c.id == token_id).values(last_used_at=now))


def list_newest(connection: Connection, person_id: UUID | None = None) -> tuple[StoredToken, ...]:
    """List the tokens of the team that the transaction runs for, newest first: one person's, or with None all."""
    own = [column for column in api_token.c if column.name in {field.name for field in fields(StoredToken)}]
    query = (
        select(*own, person.c.name.label("person"), person.c.signed_in_at, person.c.provider_refused_at)
        .join(person, person.c.person_id == api_token.c.person_id)
        .order_by(api_token.c.created_at.desc(), api_token.c.id)
    )
    if person_id is not None:
        query = query.where(api_token.c.person_id == person_id)
    return tuple(StoredToken(**row) for row in connection.execute(query).mappings())


def revoke(connection: Connection, token_id: UUID, now: datetime, person_id: UUID | None = None) -> bool:
    """Revoke a token of the team; one that is revoked stays so since when it was.

    Parameters
    ----------
    connection : Connection
    token_id : UUID
    now : datetime
    person_id : UUID or None
        Only if it is this person's.

    Returns
    -------
    bool
        Whether there is such a token.
    """
    which = [api_token.c.id == token_id] + ([] if person_id is None else [api_token.c.person_id == person_id])
    connection.execute(update(api_token).where(*which, api_token.c.revoked_at.is_(None)).values(revoked_at=now))
    return connection.scalar(select(api_token.c.id).where(*which)) is not None
