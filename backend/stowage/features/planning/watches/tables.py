"""Definitions of the database tables of watched plans and their checks."""

from typing import Literal

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    Uuid,
    text,
)

from stowage.platform.database.columns import ExactFloat, Moment, made, metadata, numbered, one_of, tenant

Every = Literal["day", "week", "month"]
"""How often a watched plan is checked."""


plan_watch = Table(
    "plan_watch",
    metadata,
    # The plan's id instead of one of its own: the team's audit log refers to watches by it.
    Column("id", Uuid, ForeignKey("plan.id", ondelete="CASCADE"), primary_key=True, comment="the plan's"),
    tenant(),
    Column("every", Text, nullable=False),
    Column(
        "percent", Double, nullable=False, comment="by more than which the winner's cost or time must change to be told"
    ),
    Column("person", Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    Column("starts_at", Moment, nullable=False, comment="from when its periods are counted"),
    Column("ended_at", Moment, comment="it is not checked since then"),
    Column("next_check_at", Moment, nullable=False),
    Column("asked_at", Moment, comment="somebody asked for a check besides; null: nobody does"),
    Column("sent_at", Moment, comment="when a worker was told last; null once it was checked"),
    Column("taken_until", Moment, comment="a worker is at it until then; its token"),
    Column(
        "tries", Integer, nullable=False, server_default="0", comment="how often it was taken up since a check ended"
    ),
    Column("told", JSON, nullable=False, comment="the answer that the team knows: as saved, or as it was told last"),
    one_of("every", Every),
    CheckConstraint("percent > 0 AND percent < 'Infinity'", name="percent"),
    CheckConstraint("tries >= 0", name="tries"),
    Index("ix_plan_watch_due", "next_check_at", postgresql_where=text("ended_at IS NULL")),
    Index("ix_plan_watch_asked", "asked_at", postgresql_where=text("asked_at IS NOT NULL AND ended_at IS NULL")),
    Index(None, "org_id", "created_at", "id"),
)


plan_check = Table(
    "plan_check",
    metadata,
    numbered("rises in the order of storing: the newest of a plan is its last check"),
    tenant(),
    Column("plan_id", Uuid, ForeignKey("plan_watch.id", ondelete="CASCADE"), nullable=False),
    Column("at", Moment, nullable=False),
    Column("catalog_version", Text, comment="null where nothing could be answered"),
    Column("profiles_digest", Text),
    Column("model_version", Text),
    Column(
        "winner", JSON(none_as_null=True), comment="null where nothing met the limits, or nothing could be answered"
    ),
    Column("cost_usd", ExactFloat, comment="of the winner, at p50"),
    Column("problem", Text, comment="why nothing could be answered, in words for people"),
    Column("told", Boolean, nullable=False, comment="whether the team was told of it"),
    CheckConstraint("(problem IS NULL) = (catalog_version IS NOT NULL)", name="problem"),
    CheckConstraint("(winner IS NULL) = (cost_usd IS NULL)", name="cost_usd"),
    Index(None, "plan_id", "id"),
    Index(None, "org_id"),
)
