"""Database queries for the channels, mail and a webhook, that deliver the notifications of a person."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Connection, func, select, text
from sqlalchemy.dialects.postgresql import insert

from stowage.features.activity.tables import Channel, inbox_channel
from stowage.features.tables import metadata
from stowage.frozen import frozen
from stowage.model.team import Role
from stowage.platform.database.rows import Rows, read_row

membership, org, person = (metadata.tables[name] for name in ("membership", "org", "person"))


@frozen
class StoredChannel:
    """A channel of a person, with the state of its deliveries."""

    id: UUID
    channel: Channel
    kinds: Sequence[str]
    address: str | None
    """URL of a webhook; None for mail."""
    delivered_until: datetime
    due_at: datetime
    failures: int
    """Deliveries that failed in a row."""
    trouble: str | None
    stopped_at: datetime | None
    test_asked_at: datetime | None
    tested_at: datetime | None
    test_result: str | None


@frozen
class Recipient:
    """A member of a team, who may get notifications."""

    role: Role
    email: str | None
    email_verified_at: datetime | None
    team: str
    """Name of the team."""


_ROWS = Rows(inbox_channel, StoredChannel)


def get(connection: Connection, person_id: UUID, channel: Channel, *, lock: bool = False) -> StoredChannel | None:
    """Return a channel of a person; None if the person does not use it."""
    query = _ROWS.select(*_of(person_id, channel))
    return read_row(connection, query.with_for_update() if lock else query, StoredChannel)


def put_mail(connection: Connection, person_id: UUID, kinds: Sequence[str], now: datetime) -> None:
    """Store the kinds that a person gets by mail; the first mail is about notifications after `now`."""
    if not kinds:
        remove(connection, person_id, "mail")
        return
    new = {"id": uuid4(), "person_id": person_id, "channel": "mail", "kinds": list(kinds), "failures": 0}
    adding = insert(inbox_channel).values({**new, "delivered_until": now, "due_at": now})
    connection.execute(
        adding.on_conflict_do_update(
            index_elements=["org_id", "person_id", "channel"], set_={"kinds": adding.excluded.kinds}
        )
    )


def put_webhook(
    connection: Connection, person_id: UUID, address: str, secret: bytes, kinds: Sequence[str], now: datetime
) -> None:
    """Store the webhook of a person, whose inbox is locked, in place of the one before.

    Notifications of these kinds are posted that are newer than `now`.
    """
    remove(connection, person_id, "webhook")
    new = {"id": uuid4(), "person_id": person_id, "channel": "webhook", "kinds": list(kinds), "failures": 0}
    connection.execute(
        insert(inbox_channel).values(
            {**new, "address": address, "secret": secret, "delivered_until": now, "due_at": now}
        )
    )


def change(connection: Connection, channel_id: UUID, values: Mapping[str, Any], *only_if: ColumnElement[bool]) -> bool:
    """Change columns of a channel; return False if it was removed, or does not meet all conditions."""
    return _ROWS.change(connection, channel_id, values, *only_if)


def remove(connection: Connection, person_id: UUID, channel: Channel) -> None:
    """Remove a channel of a person."""
    found = get(connection, person_id, channel, lock=True)
    if found is not None:
        _ROWS.remove(connection, found.id)


def secret_of(connection: Connection, channel_id: UUID) -> bytes | None:
    """Return the decrypted signing secret of a webhook; None if it was removed."""
    return connection.scalar(select(inbox_channel.c.secret).where(inbox_channel.c.id == channel_id))


def recipient(connection: Connection, person_id: UUID) -> Recipient | None:
    """Return a member of the team; None if the person has left it, or if the OpenID provider refuses the account."""
    query = (
        select(membership.c.role, person.c.email, person.c.email_verified_at, org.c.name.label("team"))
        .join(person, person.c.person_id == membership.c.person_id)
        .join(org, org.c.org_id == membership.c.org_id)
        .where(membership.c.person_id == person_id, person.c.provider_refused_at.is_(None))
    )
    return read_row(connection, query, Recipient)


def due(connection: Connection, most: int) -> Sequence[tuple[UUID, UUID]]:
    """Return organisation and person of the inboxes that are due for a delivery or a test, teams in turn.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for no organisation.
    most : int
        Maximum number of inboxes.
    """
    rows = connection.execute(text("SELECT org_id, person_id FROM due_inboxes(:most)"), {"most": most})
    return [(org_id, person_id) for org_id, person_id in rows]


def due_webhooks(connection: Connection, now: datetime, most: int) -> Sequence[UUID]:
    """Return the members of the team whose webhooks are due for a delivery, those that wait longest first."""
    columns = inbox_channel.c
    is_due = columns.stopped_at.is_(None), columns.due_at <= now, func.json_array_length(columns.kinds) > 0
    webhooks = select(columns.person_id).where(columns.channel == "webhook", *is_due)
    query = webhooks.order_by(columns.due_at, columns.person_id).limit(most)
    return connection.scalars(query).all()


def _of(person_id: UUID, channel: Channel) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return inbox_channel.c.person_id == person_id, inbox_channel.c.channel == channel
