"""Share links: anyone with a link can see one object, and only this object, until the link expires or is revoked.

The secret alone identifies a link; it has 256 bits and cannot be guessed. Reads are therefore not throttled: a throttle
would only let one visitor lock out other visitors with the same network address.

An id that is unknown or of another team raises `NotFound`.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from stowage.features.planning import plans, ranking
from stowage.features.planning import store as plan_store
from stowage.features.planning.ranking import Ranking
from stowage.features.reports import files as report_files
from stowage.features.reports import reports
from stowage.features.reports.files import ReadyFile
from stowage.features.reports.link_answers import LinkListAnswer, LinkRow, NewLink, SharedAnswer, ShareLinkAnswer
from stowage.features.reports.schemas import FileFormat
from stowage.features.reports.store import links as store
from stowage.features.reports.store import reports as report_store
from stowage.features.sweeps import store as sweep_store
from stowage.features.sweeps import sweeps
from stowage.features.teams.sign_in import passwords
from stowage.frozen import frozen
from stowage.model.team import LinkKind
from stowage.platform import audit, quotas, throttling
from stowage.platform.access import DENIED, must_exist
from stowage.platform.audit import Event
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import Locked, NotFound, QuotaExceeded
from stowage.platform.secrets import digest, new_secret
from stowage.workloads.saving import SavingMark

_UNLOCKED_FOR = timedelta(hours=12)
_LONGEST_TIME = 12
"""Most digits of a time in a proof: a longer one was not issued here, and would be slow to parse."""
_RECORDED_EVERY = timedelta(hours=1)
"""Least time between two views in the audit log, so that a visitor cannot flood it; every view is counted."""


_OBJECTS: Mapping[LinkKind, Callable[[Connection, UUID], object]] = {
    "plan": plan_store.get,
    "sweep": sweep_store.get,
    "report": report_store.summary,
}
"""Queries of the objects that links show."""


def make(database: Database, org_id: UUID, asked: NewLink, *, by: str, page: str, now: datetime) -> ShareLinkAnswer:
    """Create a share link to an object; only this answer contains the secret of the link.

    Parameters
    ----------
    by : str
        Name of the link's creator.
    page : str
        Address of the page, without a slash at the end.

    Raises
    ------
    BadInput
        The password is easy to guess.
    """
    _refuse_missing(database, org_id, asked.kind, asked.object_id)
    secret = new_secret()
    new = store.NewLink(
        id=uuid4(),
        secret_hash=digest(secret),
        kind=asked.kind,
        object_id=asked.object_id,
        password_hash=None if asked.password is None else _hashed(asked.password, by),
        created_by=by,
        created_at=now,
        expires_at=now + timedelta(days=asked.days),
    )
    with database.transaction(org_id) as connection:
        store.add(connection, new)
    return ShareLinkAnswer.from_fields(
        new,
        locked=new.password_hash is not None,
        revoked_at=None,
        views=0,
        last_viewed_at=None,
        address=f"{page}/s/{secret}",
    )


def list_links(database: Database, org_id: UUID, kind: LinkKind, object_id: UUID) -> LinkListAnswer:
    """List the links of an object, newest first, including expired and revoked links."""
    _refuse_missing(database, org_id, kind, object_id)
    with database.transaction(org_id) as connection:
        rows = store.list_newest(connection, kind, object_id)
    return LinkListAnswer(links=[LinkRow.from_fields(row, locked=row.password_hash is not None) for row in rows])


def revoke(database: Database, org_id: UUID, link_id: UUID, now: datetime) -> None:
    """Revoke a link, so that it no longer shows its object."""
    with database.transaction(org_id) as connection:
        must_exist(store.revoke(connection, link_id, now))


def open_link(gate: Database, database: Database, secret: str, now: datetime, proof: str | None = None) -> SharedAnswer:
    """Return the object that a link shows, and count the view.

    Parameters
    ----------
    proof : str or None
        Proof from `unlock` that the link's password was entered.

    Raises
    ------
    NotFound
        The link does not exist, was revoked, has expired, or its object was deleted; the response does not say which.
    Locked
        The link requires a password.
    """
    link = _unlocked(gate, secret, proof, now)
    try:
        shown = _shown(database, link)
    except NotFound:
        raise NotFound(DENIED) from None
    _count_view(gate, link, now)
    return shown


def open_file(
    gate: Database,
    database: Database,
    secret: str,
    file_format: FileFormat,
    now: datetime,
    proof: str | None = None,
) -> ReadyFile:
    """Return a file of the report that a link shows, and count the view.

    The preview image (PNG) does not count as a view.

    Raises
    ------
    NotFound
        As `open_link`, or the link is to another kind of object.
    Locked
        The link requires a password.
    Conflict
        The file is not built yet, or could not be.
    """
    link = _unlocked(gate, secret, proof, now, "report")
    try:
        found = report_files.ready(database, link.org_id, link.object_id, file_format, to_guest=True)
    except NotFound:
        raise NotFound(DENIED) from None
    if file_format != "png":
        _count_view(gate, link, now)
    return found


def open_ranking(gate: Database, database: Database, secret: str, now: datetime, proof: str | None = None) -> Ranking:
    """Return the whole ranking of the plan that a link shows, without counting a view.

    Rows that are not stored need a search. Each link can cause a few searches an hour; after that, only the stored rows
    are listed.

    Raises
    ------
    NotFound
        As `open_link`, or the link is to another kind of object.
    Locked
        The link requires a password.
    """
    link = _unlocked(gate, secret, proof, now, "plan")

    def count_search() -> None:
        quotas.count_in_hour(database, gate, link.org_id, "searches-per-link", str(link.id), now)

    try:
        try:
            return ranking.rank_saved(database, link.org_id, link.object_id, count_search)
        except QuotaExceeded:
            return ranking.saved_rows(database, link.org_id, link.object_id, ranking.ASKED_OFTEN)
    except NotFound:
        raise NotFound(DENIED) from None


@frozen
class Unlocked:
    """Proof that a visitor entered the password of a link."""

    proof: str
    lasts_s: int
    """Lifetime of the proof [s]."""


def unlock(gate: Database, secret: str, password: str, address: str | None, now: datetime) -> Unlocked:
    """Check the password of a link, and return a proof for later requests.

    Raises
    ------
    NotFound
        The link does not exist, was revoked, has expired, or requires no password; the response does not say which.
    Locked
        The password is wrong.
    TooMany
        There were too many attempts at this link or from this network address.
    """
    link = _found(gate, secret, now)
    password_hash = must_exist(link.password_hash)
    keys = (throttling.LINK.key(link.id), throttling.address_key(address))
    attempts, _ = throttling.count(gate, keys, now)
    # Outside any transaction: hashing takes a while, and must not hold a database connection.
    if not passwords.verify(password_hash, password):
        if attempts == throttling.LINK.free:
            _record(gate, link, "link.refused")
        raise Locked(wrong=True)
    throttling.forgive(gate, keys)
    until = min(now + _UNLOCKED_FOR, link.expires_at)
    return Unlocked(_proof(link, password_hash, int(until.timestamp())), int((until - now).total_seconds()))


def preview_of(gate: Database, database: Database, secret: str, now: datetime) -> tuple[str, str] | None:
    """Return the title and sentence of the report that a link shows, for link previews in chats.

    This does not count as a view.

    Returns
    -------
    tuple of str or None
        None if the link does not exist, shows another kind of object, or requires a password.
    """
    try:
        link = _found(gate, secret, now)
    except NotFound:
        return None
    if link.kind != "report" or link.password_hash is not None:
        return None
    with database.transaction(link.org_id) as connection:
        found = report_store.summary(connection, link.object_id)
    return None if found is None else (found.name, found.sentence)


def _found(gate: Database, secret: str, now: datetime) -> store.StoredLink:
    with gate.transaction(None) as connection:
        return must_exist(store.find(connection, digest(secret), now))


def _unlocked(
    gate: Database, secret: str, proof: str | None, now: datetime, kind: LinkKind | None = None
) -> store.StoredLink:
    """Return the link that has a secret, if the visitor may open the link.

    Parameters
    ----------
    kind : LinkKind or None
        Kind of object that the link must show; None for any kind.

    Raises
    ------
    NotFound
        There is no such link, or it shows another kind of object.
    Locked
        The link requires a password.
    """
    link = _found(gate, secret, now)
    if link.password_hash is not None and not _proves(link, link.password_hash, proof, now):
        raise Locked
    if kind not in {None, link.kind}:
        raise NotFound(DENIED)
    return link


def _proof(link: store.StoredLink, password_hash: str, until: int) -> str:
    # Made from the password hash, which is never shown: a proof reveals neither hash nor password, and fits one link.
    said = hmac.new(password_hash.encode(), f"{link.id} {until}".encode(), hashlib.sha256)
    return f"{until}.{said.hexdigest()}"


def _proves(link: store.StoredLink, password_hash: str, proof: str | None, now: datetime) -> bool:
    until, _, _ = (proof or "").partition(".")
    if not (until.isascii() and until.isdigit() and len(until) <= _LONGEST_TIME) or int(until) <= now.timestamp():
        return False
    return hmac.compare_digest(_proof(link, password_hash, int(until)).encode(), str(proof).encode())


def _count_view(gate: Database, link: store.StoredLink, now: datetime) -> None:
    with gate.transaction(link.org_id) as connection:
        store.viewed(connection, link.id, now)
    if link.last_viewed_at is None or now - link.last_viewed_at >= _RECORDED_EVERY:
        _record(gate, link, "link.view")


def _record(gate: Database, link: store.StoredLink, action: str) -> None:
    who = "A visitor with the link"
    with gate.transaction(link.org_id) as connection:
        audit.add(connection, Event(action, "link", who, object_kind="share_link", object_id=str(link.id)))


def _refuse_missing(database: Database, org_id: UUID, kind: LinkKind, object_id: UUID) -> None:
    with database.transaction(org_id) as connection:
        must_exist(_OBJECTS[kind](connection, object_id))


def _hashed(password: str, by: str) -> str:
    passwords.refuse_weak(password, (by,))
    return passwords.hash_password(password)


def _shown(database: Database, link: store.StoredLink) -> SharedAnswer:
    if link.kind == "plan":
        plan = plans.read_plan(database, link.org_id, link.object_id)
        # Who marked its saving, and why, concerns only the team.
        unmarked = plan.model_copy(update={"saving_mark": SavingMark()})
        return SharedAnswer(kind=link.kind, expires_at=link.expires_at, plan=unmarked)
    if link.kind == "report":
        report = reports.show_report(database, link.org_id, link.object_id)
        return SharedAnswer(kind=link.kind, expires_at=link.expires_at, report=report)
    sweep = sweeps.read_sweep(database, link.org_id, link.object_id)
    # Who started it, and its reference in the log, concern only the team.
    job = replace(sweep.job, asked_by="", reference=None)
    return SharedAnswer(kind=link.kind, expires_at=link.expires_at, sweep=sweep.model_copy(update={"job": job}))
