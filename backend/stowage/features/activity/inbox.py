"""Inbox of a person, with what was read, and the choice of notifications that are mailed or posted to a webhook."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID, uuid5

from stowage.features.activity.inbox_schemas import (
    ChosenKinds,
    InboxAnswer,
    InboxWebhookAnswer,
    NewWebhook,
    NewWebhookAnswer,
    NotificationAnswer,
    Reading,
)
from stowage.features.activity.notifications import NEEDED, is_read, list_notifications, newest_first
from stowage.features.activity.store import channels
from stowage.features.activity.store import inbox as store
from stowage.features.activity.store.channels import StoredChannel
from stowage.features.activity.store.inbox import Kind, Notification
from stowage.platform import throttling, webhooks
from stowage.platform.access import Principal
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Problem
from stowage.platform.jobs.queue import DELIVER_INBOX, INBOXES_LOOKED_FOR_EVERY_S, Queue
from stowage.platform.secrets import new_secret

TESTED_WITHIN = timedelta(minutes=10)
"""Time after which a test message that could not be sent is given up."""


def read_inbox(database: Database, org_id: UUID, asker: Principal, *, mail: bool, now: datetime) -> InboxAnswer:
    """Return the inbox of the caller in their team."""
    with database.transaction(org_id) as connection:
        return _answer(connection, asker, now, mail=mail)


def mark_read(
    database: Database, org_id: UUID, asker: Principal, asked: Reading, *, mail: bool, now: datetime
) -> InboxAnswer:
    """Mark notifications as read by the caller; ids of others are ignored."""
    with database.transaction(org_id) as connection:
        before = store.lock(connection, asker.person_id).read_ids
        if asked.ids is None:
            store.change(connection, asker.person_id, {"read_until": now, "read_ids": []})
        else:
            there = {str(each.id) for each in _listed(connection, asker, now)}
            ids = sorted(there & {*before, *map(str, asked.ids)})
            store.change(connection, asker.person_id, {"read_ids": ids})
        return _answer(connection, asker, now, mail=mail)


def choose_mail(
    database: Database, org_id: UUID, asker: Principal, asked: ChosenKinds, *, mail: bool, now: datetime
) -> InboxAnswer:
    """Store which kinds of notifications the caller gets by mail, from now on.

    Raises
    ------
    BadInput
        The service sends no mail, the address of the caller is not verified, or a kind is not the caller's to choose.
    """
    _check_kinds(asked.kinds, _mailed(asker))
    with database.transaction(org_id) as connection:
        if asked.kinds and not _can_mail(connection, asker.person_id, mail=mail):
            raise BadInput(
                [Problem("kinds", "no mail can be sent to you; accepted: [] until your address is verified")]
            )
        channels.put_mail(connection, asker.person_id, sorted(set(asked.kinds)), now)
        return _answer(connection, asker, now, mail=mail)


def set_webhook(
    database: Database, org_id: UUID, asker: Principal, asked: NewWebhook, *, mail: bool, now: datetime
) -> NewWebhookAnswer:
    """Store the caller's webhook, in place of the one before, with a new signing secret.

    The kinds of notifications that it gets stay; a first webhook gets all that the caller may see.

    Raises
    ------
    BadInput
        The URL is not permitted.
    """
    address, secret = asked.address.strip(), new_secret()
    webhooks.check_address(address)
    with database.transaction(org_id) as connection:
        # One request at a time: each returns a secret, and the last one that was stored signs the messages.
        store.lock(connection, asker.person_id)
        before = channels.get(connection, asker.person_id, "webhook")
        kinds = _posted(asker) if before is None else before.kinds
        channels.put_webhook(connection, asker.person_id, address, secret.encode(), kinds, now)
        return NewWebhookAnswer(secret=secret, inbox=_answer(connection, asker, now, mail=mail))


def choose_webhook(
    database: Database, org_id: UUID, asker: Principal, asked: ChosenKinds, *, mail: bool, now: datetime
) -> InboxAnswer:
    """Store which kinds of notifications are posted to the caller's webhook, from now on.

    Raises
    ------
    BadInput
        The caller has no webhook, or a kind is not the caller's to choose.
    """
    _check_kinds(asked.kinds, _posted(asker))
    with database.transaction(org_id) as connection:
        found = channels.get(connection, asker.person_id, "webhook", lock=True)
        if found is None:
            raise BadInput([Problem("kinds", "you have no webhook; accepted: kinds after its address is stored")])
        since = found.delivered_until if found.kinds else now
        values = {"kinds": sorted(set(asked.kinds)), "delivered_until": since}
        channels.change(connection, found.id, values)
        return _answer(connection, asker, now, mail=mail)


def remove_webhook(database: Database, org_id: UUID, asker: Principal) -> None:
    """Remove the caller's webhook, so that nothing more is posted to it."""
    with database.transaction(org_id) as connection:
        channels.remove(connection, asker.person_id, "webhook")


def try_webhook(
    database: Database, gate: Database, queue: Queue, org_id: UUID, asker: Principal, *, mail: bool, now: datetime
) -> InboxAnswer:
    """Have a test message posted to the caller's webhook; the inbox later has the result.

    A test that succeeds resumes deliveries that have stopped.

    Raises
    ------
    BadInput
        The caller has no webhook.
    TooMany
        The caller requested too many test messages recently.
    """
    throttling.count(gate, [throttling.ALERT_TESTS.key(asker.person_id)], now)
    with database.transaction(org_id) as connection:
        found = channels.get(connection, asker.person_id, "webhook", lock=True)
        if found is None:
            raise BadInput([Problem("", "you have no webhook; accepted: a test after its address is stored")])
        channels.change(connection, found.id, {"test_asked_at": now, "tested_at": None, "test_result": None})
        answer = _answer(connection, asker, now, mail=mail)
    # If the message is lost, the periodic task finds the test.
    message = (str(org_id), str(asker.person_id))
    queue.send_each(DELIVER_INBOX, [message], expires_s=INBOXES_LOOKED_FOR_EVERY_S, queue="alerts")
    return answer


def _check_kinds(asked: Collection[Kind], choices: Sequence[Kind]) -> None:
    wrong = sorted(set(asked).difference(choices))
    if wrong:
        accepted = ", ".join(sorted(choices))
        raise BadInput([Problem("kinds", f"has {', '.join(wrong)}, which you cannot choose; accepted: {accepted}")])


def _posted(asker: Principal) -> list[Kind]:
    """Return the kinds that the caller may get by webhook."""
    return [kind for kind, needed in NEEDED.items() if needed in asker.permissions]


def _mailed(asker: Principal) -> list[Kind]:
    """Return the kinds that the caller may get by mail; requests to approve a report are mailed without a choice."""
    return [kind for kind in _posted(asker) if kind != "report"]


def _can_mail(connection: Connection, person_id: UUID, *, mail: bool) -> bool:
    found = channels.recipient(connection, person_id)
    return mail and found is not None and found.email is not None and found.email_verified_at is not None


def _listed(connection: Connection, asker: Principal, now: datetime) -> Sequence[Notification]:
    """Return the notifications of the caller, with one about their webhook if its deliveries have stopped."""
    found = [*list_notifications(connection, asker.person_id, asker.permissions, now)]
    webhook = channels.get(connection, asker.person_id, "webhook")
    if webhook is not None and webhook.stopped_at is not None:
        found.append(_about_stop(webhook, webhook.stopped_at))
    return newest_first(found)


def _about_stop(webhook: StoredChannel, at: datetime) -> Notification:
    host = urlsplit(webhook.address or "").hostname or ""
    return Notification(
        # One id for each stop: once it is read, it stays read.
        id=uuid5(webhook.id, at.isoformat()),
        kind="webhook",
        words=(
            f"Your webhook does not answer: {webhook.trouble} Nothing more is posted to it until a test succeeds; "
            "all notifications stay in this inbox."
        ),
        object=host,
        at=at,
    )


def _answer(connection: Connection, asker: Principal, now: datetime, *, mail: bool) -> InboxAnswer:
    inbox, mailing = store.get(connection, asker.person_id), channels.get(connection, asker.person_id, "mail")
    answers = [
        NotificationAnswer(
            id=each.id, kind=each.kind, words=each.words, object=each.object, at=each.at, read=is_read(each, inbox)
        )
        for each in _listed(connection, asker, now)
    ]
    webhook = channels.get(connection, asker.person_id, "webhook")
    return InboxAnswer(
        notifications=answers,
        unread=sum(not each.read for each in answers),
        kinds=_mailed(asker),
        mailed_kinds=[kind for kind in _mailed(asker) if mailing is not None and kind in mailing.kinds],
        can_mail=_can_mail(connection, asker.person_id, mail=mail),
        webhook_kinds=_posted(asker),
        webhook=None if webhook is None else _webhook(webhook, _posted(asker), now),
    )


def _webhook(stored: StoredChannel, choices: Sequence[Kind], now: datetime) -> InboxWebhookAnswer:
    testing, result = stored.test_asked_at is not None, stored.test_result
    if stored.test_asked_at is not None and now - stored.test_asked_at > TESTED_WITHIN:
        testing, result = False, f"The test message was not sent within {TESTED_WITHIN.seconds // 60} minutes."
    return InboxWebhookAnswer(
        address=stored.address or "",
        kinds=[kind for kind in choices if kind in stored.kinds],
        trouble=stored.trouble,
        stopped_at=stored.stopped_at,
        testing=testing,
        tested_at=stored.tested_at,
        test_result=result,
    )
