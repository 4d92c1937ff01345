"""Tables of alerts and of the addresses to which they are sent."""

from typing import Literal

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from stowage.platform.database.columns import Sealed, made, metadata, one_of, tenant

AlertKind = Literal["mail", "webhook"]
"""Channel of an alert, besides the page."""

alert = Table(
    "alert",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("profile_key", Text),
    Column("metric", Text),
    Column("words", Text, nullable=False),
    Column("content", JSON, nullable=False, comment="the change"),
    Column("at", DateTime(timezone=True), nullable=False, comment="when it changed, as far as it is known"),
    made(),
    Column("seen_at", DateTime(timezone=True)),
    Column("seen_by", Text),
    Column("plan_id", Uuid, ForeignKey("plan.id", ondelete="CASCADE"), comment="null where it is about a profile"),
    CheckConstraint(
        "(plan_id IS NULL) = (profile_key IS NOT NULL) AND (plan_id IS NULL) = (metric IS NOT NULL)", name="about"
    ),
    UniqueConstraint("org_id", "profile_key", "metric", "at"),
    UniqueConstraint("plan_id", "at"),
    Index(None, "org_id", "created_at", "id"),
)

alert_address = Table(
    "alert_address",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("kind", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("secret", Sealed, comment="with which what is sent to a webhook is signed; encrypted"),
    Column("person", Text, nullable=False, comment="who added it, as they were called then"),
    made(),
    one_of("kind", AlertKind),
    CheckConstraint("(kind = 'webhook') = (secret IS NOT NULL)", name="secret"),
    UniqueConstraint("org_id", "kind", "address"),
)
