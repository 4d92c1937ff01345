"""Definition of the database table of saved plans."""

from sqlalchemy import (
    JSON,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
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
    Column("answer", JSON, nullable=False),
    Column("best_time_s", Double, comment="null where nothing meets the limits"),
    Column("best_cost_usd", ExactFloat, comment="null where nothing meets the limits, or a price is not known"),
    Column("created_at", Moment, nullable=False),
    Column("best_instance", Text),
    Column("best_nodes", Integer),
    Column("deleted_at", Moment),
    Column("decided", JSON(none_as_null=True), comment="null: nothing besides what was asked"),
    Column("decided_at", Moment, comment="when that was stored"),
    Index(None, "catalog_version"),
)
