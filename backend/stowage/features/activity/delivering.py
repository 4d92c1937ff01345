"""Delivery of notifications by mail and to webhooks of persons.

Each delivery is a digest of what is new and unread: a flood of notifications is one mail an hour, or one request a
minute. A delivery that fails is retried after growing pauses; what was not delivered is part of the next one.

Delivery is at least once: if a worker ends after a mail server or webhook accepted a message and before this is stored,
the message is sent again.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from stowage.features.activity.notifications import is_read, link_of, list_notifications
from stowage.features.activity.store import channels
from stowage.features.activity.store import inbox as store
from stowage.features.activity.store.channels import Recipient, StoredChannel
from stowage.features.activity.store.inbox import Notification
from stowage.features.activity.tables import Channel, inbox_channel
from stowage.frozen import frozen
from stowage.platform import letters, webhooks
from stowage.platform.access import GRANTS
from stowage.platform.database.database import Connection, Database
from stowage.platform.jobs.leases import leased
from stowage.platform.jobs.queue import DELIVER_INBOX, INBOXES_LOOKED_FOR_EVERY_S, Queue
from stowage.platform.outside import Mailer, WebhookFailed, Webhooks

EVERY: Mapping[Channel, timedelta] = {"mail": timedelta(hours=1), "webhook": timedelta(minutes=1)}
"""Shortest time between two deliveries to a person; one lists everything since the one before."""
MOST_AT_ONCE = 100
"""Maximum number of inboxes for which one call of `send_due` sends messages."""
PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
"""Pauses after failed deliveries in a row."""
MOST_FAILURES = len(PAUSES) + 1
"""Failed deliveries in a row after which a webhook is stopped, and a mail is skipped."""

_SETTLED = timedelta(seconds=30)
"""Time after which the transaction that created a notification has ended: newer ones wait for the next delivery, since
others with an earlier time may still appear."""
_LEASE = "inbox webhook"
"""One webhook of a team is called at a time, so that slow ones do not delay the deliveries of other teams."""
_BEGUN_WITHIN_S = 20.0
"""Time within which one process begins to call the webhooks of a team [s]."""


@frozen
class Services:
    """Services that deliver notifications."""

    mail: Mailer | None
    """None if the service sends no mail."""
    hooks: Webhooks
    page: str | None
    """Base URL of the page, without a trailing slash."""


@frozen
class _Delivery:
    """A digest to deliver."""

    channel: StoredChannel
    """The channel, with this delivery already counted as failed."""
    secret: bytes | None
    recipient: Recipient
    news: Sequence[Notification]
    """Notifications, newest first; none for a test message."""
    until: datetime
    """Time of the newest notifications that the delivery includes."""


def send_due(gate: Database, queue: Queue) -> None:
    """Send a message to the workers for each inbox that is due, up to `MOST_AT_ONCE` per call."""
    with gate.transaction(None) as connection:
        due = channels.due(connection, MOST_AT_ONCE)
    messages = [(str(org_id), str(person_id)) for org_id, person_id in due]
    queue.send_each(DELIVER_INBOX, messages, expires_s=INBOXES_LOOKED_FOR_EVERY_S, queue="alerts")


def deliver(database: Database, org_id: UUID, person_id: UUID, services: Services, now: datetime) -> None:
    """Deliver what is new to a person, by each channel that is due, and a test message that was requested.

    Nothing is sent to a person who has left the team, nor mail to an unverified address. A mail that is refused
    `MOST_FAILURES` times in a row is skipped; a webhook that fails as often is stopped, which the inbox tells. In both
    cases the notifications stay in the inbox.

    Other due webhooks of the team follow, for `_BEGUN_WITHIN_S`: other processes post nothing for the team while this
    one has the lease.
    """
    _deliver_by("mail", database, org_id, person_id, services, now)
    with database.transaction(org_id) as connection:
        webhook = channels.get(connection, person_id, "webhook")
    if webhook is None:
        return
    with leased(database, org_id, _LEASE) as is_leased:
        if not is_leased:
            return
        until_s = time.monotonic() + _BEGUN_WITHIN_S
        with database.transaction(org_id) as connection:
            others = channels.due_webhooks(connection, now, MOST_AT_ONCE)
        for each in (person_id, *(other for other in others if other != person_id)):
            if time.monotonic() < until_s:
                _test(database, org_id, each, services, now)
                _deliver_by("webhook", database, org_id, each, services, now)


def _deliver_by(
    channel: Channel, database: Database, org_id: UUID, person_id: UUID, services: Services, now: datetime
) -> None:
    with database.transaction(org_id) as connection:
        delivery = _claimed(connection, person_id, channel, services, now)
    if delivery is None:
        return
    reason = _mailed(delivery, services) if channel == "mail" else _posted(delivery, services, now)
    taken = delivery.channel
    is_retried = reason is not None and taken.failures < MOST_FAILURES
    done = {"trouble": reason} if is_retried else _ended(channel, delivery.until, now, reason)
    with database.transaction(org_id) as connection:
        # Not if the claim has expired meanwhile, and another worker delivers.
        channels.change(connection, taken.id, done, inbox_channel.c.due_at == taken.due_at)


def _ended(channel: Channel, until: datetime, now: datetime, reason: str | None) -> dict[str, Any]:
    """Return the columns of a channel after a success, or after the last failure, for which there is a reason."""
    if reason is not None and channel == "webhook":
        return {"trouble": reason, "stopped_at": now}
    return {"delivered_until": until, "failures": 0, "due_at": now + EVERY[channel], "trouble": reason}


def _claimed(
    connection: Connection, person_id: UUID, channel: Channel, services: Services, now: datetime
) -> _Delivery | None:
    """Claim the delivery of a channel until its next retry, so that of several workers one delivers.

    The delivery counts as failed until its result is stored: one that ends the worker is not repeated endlessly. Return
    None if the channel is not due, if there is nothing to deliver, or if the last attempt has ended its worker.
    """
    found = channels.get(connection, person_id, channel, lock=True)
    if found is None or found.stopped_at is not None or not found.kinds or found.due_at > now:
        return None
    recipient, later = channels.recipient(connection, person_id), {"due_at": now + EVERY[channel]}
    if recipient is None or (channel == "mail" and not _can_mail(recipient, services)):
        # Not due any more, or such inboxes would in time fill all places of `MOST_AT_ONCE`.
        channels.change(connection, found.id, later)
        return None
    inbox, until = store.get(connection, person_id), max(now - _SETTLED, found.delivered_until)
    news = [
        each
        for each in list_notifications(connection, person_id, GRANTS[recipient.role], now)
        if each.kind in found.kinds and found.delivered_until < each.at <= until and not is_read(each, inbox)
    ]
    if not news:
        channels.change(connection, found.id, {**later, "delivered_until": until})
        return None
    if found.failures >= MOST_FAILURES:
        channels.change(connection, found.id, _ended(channel, until, now, "The last attempt was cut off."))
        return None
    failures = found.failures + 1
    taken = replace(found, failures=failures, due_at=now + PAUSES[min(failures, len(PAUSES)) - 1])
    channels.change(connection, found.id, {"failures": taken.failures, "due_at": taken.due_at})
    return _Delivery(taken, channels.secret_of(connection, found.id), recipient, news, until)


def _can_mail(recipient: Recipient, services: Services) -> bool:
    return services.mail is not None and recipient.email is not None and recipient.email_verified_at is not None


def _test(database: Database, org_id: UUID, person_id: UUID, services: Services, now: datetime) -> None:
    """Post the test message that a person requested, and store the result."""
    with database.transaction(org_id) as connection:
        found = channels.get(connection, person_id, "webhook")
        recipient = channels.recipient(connection, person_id)
        if found is None or recipient is None or found.test_asked_at is None:
            return
        delivery = _Delivery(found, channels.secret_of(connection, found.id), recipient, (), found.test_asked_at)
    reason = _posted(delivery, services, now)
    done: dict[str, Any] = {"test_asked_at": None, "tested_at": now, "test_result": reason or "Delivered."}
    if reason is None:
        done |= {"failures": 0, "trouble": None, "stopped_at": None, "due_at": now}
    with database.transaction(org_id) as connection:
        channels.change(connection, found.id, done, inbox_channel.c.test_asked_at == found.test_asked_at)


def _mailed(delivery: _Delivery, services: Services) -> str | None:
    """Mail a digest once; return the reason if it was not accepted."""
    letter = letters.news([(each.words, link_of(services.page, each)) for each in delivery.news])
    accepted = letters.send(services.mail, delivery.recipient.email, letter)
    return None if accepted else "The mail server did not accept it."


def _posted(delivery: _Delivery, services: Services, now: datetime) -> str | None:
    """Post a digest or a test message once; return the reason if it was not accepted."""
    channel = delivery.channel
    if channel.address is None or delivery.secret is None:
        return "The webhook was removed."
    body = json.dumps(_document(delivery, services.page), ensure_ascii=True, allow_nan=False).encode()
    headers = {
        webhooks.SIGNATURE: webhooks.signature(delivery.secret, int(now.timestamp()), body),
        webhooks.DELIVERY: f"{channel.id}-{int(delivery.until.timestamp())}",
    }
    try:
        services.hooks.send(channel.address, body, headers)
    except WebhookFailed as error:
        return str(error)
    return None


def _document(delivery: _Delivery, page: str | None) -> dict[str, Any]:
    """Return the JSON document of a digest; chat services such as Slack show its field ``text``."""
    team = delivery.recipient.team
    if not delivery.news:
        return {"event": "test", "team": team, "text": "This is a test: notifications of Stowage are posted here."}
    listed, more = delivery.news[: letters.MOST_NEWS], max(0, len(delivery.news) - letters.MOST_NEWS)
    links = [link_of(page, each) for each in listed]
    lines = [_plain(each.words) + (f" {link}" if link else "") for each, link in zip(listed, links, strict=True)]
    return {
        "event": "notifications",
        "team": team,
        "text": "\n".join([*lines, *([f"And {more} more in the inbox."] if more else [])]),
        "notifications": [
            {"id": str(each.id), "kind": each.kind, "words": each.words, "at": each.at.isoformat(), "link": link}
            for each, link in zip(listed, links, strict=True)
        ],
        "more": more,
    }


def _plain(words: str) -> str:
    """Escape the characters with which chat services mark links and mentions: a name must not call a whole channel."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
