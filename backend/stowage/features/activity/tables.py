"""Definitions of the database tables of inboxes and of the channels that deliver their notifications."""

from typing import Literal

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from stowage.platform.database.columns import Moment, Sealed, metadata, one_of, tenant

Channel = Literal["mail", "webhook"]
"""Ways by which a person gets notifications, besides the page."""

inbox = Table(
    "inbox",
    metadata,
    tenant(primary_key=True),
    Column("person_id", Uuid, ForeignKey("person.person_id", ondelete="CASCADE"), primary_key=True),
    Column("read_until", Moment, comment="up to which everything counts as read"),
    Column("read_ids", JSON, nullable=False, comment="ids of later notifications that are read"),
)

inbox_channel = Table(
    "inbox_channel",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("person_id", Uuid, nullable=False),
    Column("channel", Text, nullable=False),
    Column("kinds", JSON, nullable=False, comment="kinds of notifications that are delivered"),
    Column("address", Text, comment="URL of a webhook; null for mail"),
    Column("secret", Sealed, comment="signing secret of a webhook; encrypted"),
    Column("delivered_until", Moment, nullable=False, comment="up to which notifications were delivered"),
    Column("due_at", Moment, nullable=False, comment="time of the next delivery or retry"),
    Column("failures", Integer, nullable=False, comment="deliveries that failed in a row"),
    Column("trouble", Text, comment="reason of the last failure; null after a success"),
    Column("stopped_at", Moment, comment="when deliveries stopped after repeated failures; null while they go on"),
    Column("test_asked_at", Moment, comment="when the waiting test message was requested; null if none waits"),
    Column("tested_at", Moment, comment="when the last test message was sent"),
    Column("test_result", Text, comment="result of the last test message, in words"),
    one_of("channel", Channel),
    CheckConstraint(
        "(channel = 'webhook') = (address IS NOT NULL) AND (channel = 'webhook') = (secret IS NOT NULL)", name="secret"
    ),
    # Who leaves the team gets nothing more: the channels are deleted with the membership.
    ForeignKeyConstraint(["org_id", "person_id"], ["membership.org_id", "membership.person_id"], ondelete="CASCADE"),
    UniqueConstraint("org_id", "person_id", "channel"),
)
