"""Inbox of a person: what changed in the team and what awaits a decision, with what was read, and mail about it.

A person only gets what they may see: notifications are read with the permissions of the person at that time.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from pydantic import Field

from stowage.features.activity.store import inbox as store
from stowage.features.activity.store.inbox import Inbox, Kind, Notification
from stowage.platform import letters
from stowage.platform.access import GRANTS, Permission, Principal
from stowage.platform.database.database import Connection, Database
from stowage.platform.described import Answer
from stowage.platform.errors import BadInput, Problem
from stowage.platform.jobs.queue import INBOXES_MAILED_EVERY_S, MAIL_INBOX, Queue
from stowage.platform.outside import Mailer
from stowage.platform.written import Section

MOST_OF_A_KIND = 50
MAIL_EVERY = timedelta(hours=1)
"""Shortest time between two mails to a person; one mail lists everything since the one before."""
MOST_AT_ONCE = 100
"""Maximum number of inboxes for which one call of `send_due` sends messages."""

NEEDED: Mapping[Kind, Permission] = {
    "plan": "plans.read",
    "measurement": "measurements.read",
    "run": "runs.approve",
    "report": "reports.approve",
}
"""Permission to see the notifications of each kind."""
_PATHS: Mapping[Kind, str] = {
    "plan": "/plans/{}",
    "measurement": "/benchmarks/profiles/{}",
    "run": "/benchmarks/runs/{}",
    "report": "/reports/{}",
}


class NotificationAnswer(Answer):
    """A notification."""

    id: UUID
    kind: Kind
    words: str
    object: str
    """Id of the plan, run or report, or key of the profile."""
    at: datetime
    read: bool


class InboxAnswer(Answer):
    """Notifications of a person, newest first."""

    notifications: list[NotificationAnswer]
    unread: int
    kinds: list[Kind]
    """Kinds that the person may choose to get by mail; requests to approve a report are always mailed, at once."""
    mailed_kinds: list[Kind]
    """Kinds that are mailed, at most once an hour."""
    can_mail: bool
    """True if the service sends mail and the person's address is verified."""


class Reading(Section):
    """Notifications to mark as read."""

    ids: Annotated[list[UUID], Field(max_length=200)] | None = None
    """Null for all of them."""


class MailedKinds(Section):
    """Kinds of notifications that the caller wants by mail."""

    kinds: Annotated[list[Kind], Field(max_length=len(NEEDED))]


def read_inbox(database: Database, org_id: UUID, asker: Principal, *, mail: bool, now: datetime) -> InboxAnswer:
    """Return the inbox of the caller in their team."""
    with database.transaction(org_id) as connection:
        return _answer(connection, asker, now, mail=mail)


def mark_read(
    database: Database, org_id: UUID, asker: Principal, asked: Reading, *, mail: bool, now: datetime
) -> InboxAnswer:
    """Mark notifications as read by the caller; ids of others are ignored."""
    with database.transaction(org_id) as connection:
        there = {str(each.id) for each in _notifications(connection, asker.person_id, asker.permissions, now)}
        if asked.ids is None:
            store.change(connection, asker.person_id, {"read_until": now, "read_ids": []})
        else:
            before = store.get(connection, asker.person_id, lock=True).read_ids
            ids = sorted(there & {*before, *map(str, asked.ids)})
            store.change(connection, asker.person_id, {"read_ids": ids})
        return _answer(connection, asker, now, mail=mail)


def choose_mail(
    database: Database, org_id: UUID, asker: Principal, asked: MailedKinds, *, mail: bool, now: datetime
) -> InboxAnswer:
    """Store which kinds of notifications the caller gets by mail, from now on.

    Raises
    ------
    BadInput
        The service sends no mail, the address of the caller is not verified, or a kind is not the caller's to choose.
    """
    choices = _choices(asker)
    if not choices.issuperset(asked.kinds):
        raise BadInput([Problem("kinds", f"has a kind that you cannot choose; accepted: {', '.join(sorted(choices))}")])
    with database.transaction(org_id) as connection:
        if asked.kinds and not _can_mail(connection, asker.person_id, mail=mail):
            raise BadInput(
                [Problem("kinds", "no mail can be sent to you; accepted: [] until your address is verified")]
            )
        before = store.get(connection, asker.person_id, lock=True)
        since = None if not asked.kinds else before.mailed_until or now
        kinds = sorted(set(asked.kinds))
        store.change(connection, asker.person_id, {"mailed_kinds": kinds, "mailed_until": since})
        return _answer(connection, asker, now, mail=mail)


def send_due(gate: Database, queue: Queue) -> None:
    """Send a message to the workers for each inbox that may be mailed, up to `MOST_AT_ONCE` per call."""
    with gate.transaction(None) as connection:
        due = store.due(connection, MOST_AT_ONCE)
    messages = [(str(org_id), str(person_id)) for org_id, person_id in due]
    queue.send_each(MAIL_INBOX, messages, expires_s=INBOXES_MAILED_EVERY_S, queue="alerts")


def send_mail(
    database: Database, org_id: UUID, person_id: UUID, mail: Mailer | None, page: str | None, now: datetime
) -> bool:
    """Mail a person what is new, and return whether the mail server accepted a mail.

    A person gets at most one mail in `MAIL_EVERY`. A mail that the server does not accept is not repeated: the
    notifications stay in the inbox.

    Parameters
    ----------
    mail : Mailer or None
        None if the service sends no mail.
    page : str or None
        Base URL of the page, without a trailing slash.
    """
    with database.transaction(org_id) as connection:
        found = store.take_due(connection, person_id, now=now, before=now - MAIL_EVERY)
        reader = store.reader(connection, person_id)
        if found is None or reader is None or reader.email_verified_at is None:
            return False
        news = [
            each
            for each in _notifications(connection, person_id, GRANTS[reader.role], now)
            if each.kind in found.mailed_kinds and _is_new(each, found) and not _is_read(each, found)
        ]
    if not news:
        return False
    return letters.send(mail, reader.email, letters.news([(each.words, _link(page, each)) for each in news]))


def _link(page: str | None, notification: Notification) -> str | None:
    return None if page is None else f"{page}{_path(notification)}"


def _path(notification: Notification) -> str:
    return _PATHS[notification.kind].format(quote(notification.object, safe=""))


def _is_new(notification: Notification, inbox: Inbox) -> bool:
    return inbox.mailed_until is not None and notification.at > inbox.mailed_until


def _is_read(notification: Notification, inbox: Inbox) -> bool:
    earlier = inbox.read_until is not None and notification.at <= inbox.read_until
    return earlier or str(notification.id) in inbox.read_ids


def _notifications(
    connection: Connection, person_id: UUID, may: Collection[Permission], now: datetime
) -> Sequence[Notification]:
    """Return the notifications of a person with these permissions, newest first."""
    found: list[Notification] = []
    for kind in ("plan", "measurement"):
        if NEEDED[kind] in may:
            found += store.alerts(connection, kind, MOST_OF_A_KIND)
    if NEEDED["run"] in may:
        found += store.runs_to_approve(connection, now, MOST_OF_A_KIND)
    if NEEDED["report"] in may:
        found += store.reports_to_approve(connection, person_id, MOST_OF_A_KIND)
    return sorted(found, key=lambda each: (each.at, str(each.id)), reverse=True)


def _choices(asker: Principal) -> set[Kind]:
    """Return the kinds that the caller may get by mail; requests to approve a report are mailed without a choice."""
    return {kind for kind, needed in NEEDED.items() if needed in asker.permissions and kind != "report"}


def _can_mail(connection: Connection, person_id: UUID, *, mail: bool) -> bool:
    reader = store.reader(connection, person_id)
    return mail and reader is not None and reader.email is not None and reader.email_verified_at is not None


def _answer(connection: Connection, asker: Principal, now: datetime, *, mail: bool) -> InboxAnswer:
    inbox, choices = store.get(connection, asker.person_id), _choices(asker)
    answers = [
        NotificationAnswer(
            id=each.id, kind=each.kind, words=each.words, object=each.object, at=each.at, read=_is_read(each, inbox)
        )
        for each in _notifications(connection, asker.person_id, asker.permissions, now)
    ]
    return InboxAnswer(
        notifications=answers,
        unread=sum(not each.read for each in answers),
        kinds=[kind for kind in NEEDED if kind in choices],
        mailed_kinds=[kind for kind in NEEDED if kind in choices and kind in inbox.mailed_kinds],
        can_mail=_can_mail(connection, asker.person_id, mail=mail),
    )
