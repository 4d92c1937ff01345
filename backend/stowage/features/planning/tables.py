"""Definition of the database table of saved plans."""

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Text,
)

from stowage.platform.database.columns import ExactFloat, Moment, team_table

plan = team_table(
    "plan",
    Column("name", Text, nullable=False),
    Column("workload", JSON, nullable=False),
    Column("catalog_version", Text, ForeignKey("catalog.version"), nullable=False),
    Column("profiles_digest", Text, nullable=False),
    Column("model_version", Text, nullable=False),
    Column("answer", LargeBinary, nullable=False, comment="its form in the first byte: `stored_answers`"),
    Column("best_time_s", Double, comment="null where nothing meets the limits"),
    Column("best_cost_usd", ExactFloat, comment="null where nothing meets the limits, or a price is not known"),
    Column("best_month_usd", ExactFloat, comment="null unless the plan's objective is a month"),
    Column("created_at", Moment, nullable=False),
    Column("best_instance", Text),
    Column("best_nodes", Integer),
    Column("deleted_at", Moment),
    Column("decided", JSON(none_as_null=True), comment="null: nothing besides what was asked"),
    Column("decided_at", Moment, comment="when that was stored"),
    Column(
        "saving",
        JSON(none_as_null=True),
        comment="costs of baseline and winner; null: no baseline, or nothing to compare",
    ),
    Column("saving_done_at", Moment, comment="since when the team has acted on the saving"),
    Column("saving_dismissed_at", Moment, comment="since when the team has decided against the saving"),
    Column("saving_reason", Text, comment="why it was dismissed, or what was done"),
    Column("saving_person", Text, comment="who marked it, as they were called then"),
    CheckConstraint("saving_done_at IS NULL OR saving_dismissed_at IS NULL", name="saving_mark"),
    Index(None, "catalog_version"),
)
