"""Requests and answers about the inbox and its delivery by mail and webhook."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.activity.notifications import NEEDED
from stowage.features.activity.store.inbox import Kind
from stowage.platform.described import Answer
from stowage.platform.webhooks import LONGEST_ADDRESS
from stowage.platform.written import Section


class NotificationAnswer(Answer):
    """A notification."""

    id: UUID
    kind: Kind | Literal["webhook"]
    """`webhook`: the person's webhook does not answer, so that deliveries to it have stopped."""
    words: str
    object: str
    """Id of the plan, run or report, key of the profile, or host of the webhook."""
    at: datetime
    read: bool


class InboxWebhookAnswer(Answer):
    """Webhook of a person, with the state of its deliveries."""

    address: str
    kinds: list[Kind]
    """Kinds that are posted, at most once a minute."""
    trouble: str | None
    """Reason why the last delivery failed; null after a success."""
    stopped_at: datetime | None
    """Time at which deliveries stopped after repeated failures; null while they go on."""
    testing: bool
    """True while a test message waits to be sent."""
    tested_at: datetime | None
    test_result: str | None
    """Result of the last test message, in words."""


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
    webhook_kinds: list[Kind]
    """Kinds that the person may choose to get by webhook."""
    webhook: InboxWebhookAnswer | None
    """Null if the person has no webhook."""


class NewWebhookAnswer(Answer):
    """Webhook that was just stored, with its secret."""

    secret: str
    """Secret with which messages are signed; shown only once."""
    inbox: InboxAnswer


class Reading(Section):
    """Notifications to mark as read."""

    ids: Annotated[list[UUID], Field(max_length=200)] | None = None
    """Null for all of them."""


class ChosenKinds(Section):
    """Kinds of notifications that the caller wants by mail, or by webhook."""

    kinds: Annotated[list[Kind], Field(max_length=len(NEEDED))]


class NewWebhook(Section):
    """Request to post the caller's notifications to a webhook."""

    address: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
    """URL: `https://host/path`."""
