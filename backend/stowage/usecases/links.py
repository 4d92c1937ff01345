"""Share links: whoever has one sees one object, and nothing else, until it expires or is revoked.

A link is found by its secret alone: 256 bits that nobody guesses. To look is therefore not held back, which would
only let one visitor shut out the others behind the same address.
"""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from stowage.model.team import LinkKind
from stowage.store import audit
from stowage.store import links as store
from stowage.store import plans as plan_store
from stowage.store import sweeps as sweep_store
from stowage.store.audit import Event
from stowage.store.database import Database
from stowage.usecases import plans, sweeps
from stowage.usecases.access import DENIED
from stowage.usecases.errors import NotFound
from stowage.usecases.people_answers import LinkListAnswer, LinkRow, NewLink, SharedAnswer, ShareLinkAnswer
from stowage.usecases.secrets import digest, new_secret

_RECORDED_EVERY = timedelta(hours=1)
"""Views are counted each, and recorded so often: whoever has a link cannot fill a team's record."""


def make(database: Database, org_id: UUID, asked: NewLink, *, by: str, page: str, now: datetime) -> ShareLinkAnswer:
    """Make a link to an object; the answer is the only one that ever holds it.

    Parameters
    ----------
    database : Database
    org_id : UUID
    asked : NewLink
    by : str
        Name of whoever makes it.
    page : str
        Where people reach the page, without a slash at its end.
    now : datetime

    Raises
    ------
    NotFound
        There is no such object, or it is another team's.
    """
    _refuse_missing(database, org_id, asked.kind, asked.object_id)
    secret = new_secret()
    new = store.NewLink(
        id=uuid4(),
        secret_hash=digest(secret),
        kind=asked.kind,
        object_id=asked.object_id,
        created_by=by,
        created_at=now,
        expires_at=now + timedelta(days=asked.days),
    )
    with database.transaction(org_id) as connection:
        store.add(connection, new)
    return ShareLinkAnswer(
        id=new.id,
        kind=new.kind,
        object_id=new.object_id,
        created_by=new.created_by,
        created_at=new.created_at,
        expires_at=new.expires_at,
        revoked_at=None,
        views=0,
        last_viewed_at=None,
        address=f"{page}/s/{secret}",
    )


def list_links(database: Database, org_id: UUID, kind: LinkKind, object_id: UUID) -> LinkListAnswer:
    """List the links of an object, newest first, also those that are over.

    Raises
    ------
    NotFound
        There is no such object, or it is another team's.
    """
    _refuse_missing(database, org_id, kind, object_id)
    with database.transaction(org_id) as connection:
        rows = store.list_newest(connection, kind, object_id)
    return LinkListAnswer(
        links=[
            LinkRow(
                id=row.id,
                kind=row.kind,
                object_id=row.object_id,
                created_by=row.created_by,
                created_at=row.created_at,
                expires_at=row.expires_at,
                revoked_at=row.revoked_at,
                views=row.views,
                last_viewed_at=row.last_viewed_at,
            )
            for row in rows
        ]
    )


def revoke(database: Database, org_id: UUID, link_id: UUID, now: datetime) -> None:
    """Revoke a link: from now on it shows nothing.

    Raises
    ------
    NotFound
        There is none of that id, or it is another team's.
    """
    with database.transaction(org_id) as connection:
        if not store.revoke(connection, link_id, now):
            raise NotFound(DENIED)


def open_link(gate: Database, database: Database, secret: str, now: datetime) -> SharedAnswer:
    """Show the object of a link, and count that it was looked at.

    Raises
    ------
    NotFound
        There is no such link, it was revoked or has expired, or its object was removed; it does not say which.
    """
    with gate.transaction(None) as connection:
        link = store.find(connection, digest(secret), now)
    if link is None:
        raise NotFound(DENIED)
    try:
        shown = _shown(database, link)
    except NotFound:
        raise NotFound(DENIED) from None
    with gate.transaction(link.org_id) as connection:
        store.viewed(connection, link.id, now)
        if link.last_viewed_at is None or now - link.last_viewed_at >= _RECORDED_EVERY:
            who = "Somebody with the link"
            audit.add(connection, Event("link.view", "link", who, object_kind="share_link", object_id=str(link.id)))
    return shown


def _refuse_missing(database: Database, org_id: UUID, kind: LinkKind, object_id: UUID) -> None:
    with database.transaction(org_id) as connection:
        found = plan_store.get(connection, object_id) if kind == "plan" else sweep_store.get(connection, object_id)
    if found is None:
        raise NotFound(DENIED)


def _shown(database: Database, link: store.StoredLink) -> SharedAnswer:
    if link.kind == "plan":
        plan = plans.read_plan(database, link.org_id, link.object_id)
        return SharedAnswer(kind=link.kind, expires_at=link.expires_at, plan=plan)
    sweep = sweeps.read_sweep(database, link.org_id, link.object_id)
    # Who asked for it, and where to look in the log, is the team's business.
    job = sweep.job.model_copy(update={"asked_by": "", "reference": None})
    return SharedAnswer(kind=link.kind, expires_at=link.expires_at, sweep=sweep.model_copy(update={"job": job}))
