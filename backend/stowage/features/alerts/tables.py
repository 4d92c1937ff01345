"""Definitions of the database tables of alerts and of the addresses to which they are sent."""

from typing import Literal

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ForeignKey,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from stowage.platform.database.columns import Moment, Sealed, made, metadata, one_of, team_table, tenant

AlertKind = Literal["mail", "webhook"]
"""Channel of an alert, besides the page."""

alert = team_table(
    "alert",
    Column("profile_key", Text),
    Column("metric", Text),
    Column("words", Text, nullable=False),
    Column("content", JSON, nullable=False, comment="the change"),
    Column("at", Moment, nullable=False, comment="when it changed, as far as it is known"),
    made(),
    Column("seen_at", Moment),
    Column("seen_by", Text),
    Column("plan_id", Uuid, ForeignKey("plan.id", ondelete="CASCADE"), comment="null where it is about a profile"),
    CheckConstraint(
        "(plan_id IS NULL) = (profile_key IS NOT NULL) AND (plan_id IS NULL) = (metric IS NOT NULL)", name="about"
    ),
    UniqueConstraint("org_id", "profile_key", "metric", "at"),
    UniqueConstraint("plan_id", "at"),
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
