"""The table of saved plans."""

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    Uuid,
)

from stowage.platform.database.columns import ExactFloat, metadata, tenant

plan = Table(
    "plan",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("name", Text, nullable=False),
    Column("workload", JSON, nullable=False),
    Column("catalog_version", Text, ForeignKey("catalog.version"), nullable=False),
    Column("profiles_digest", Text, nullable=False),
    Column("model_version", Text, nullable=False),
    Column("answer", JSON, nullable=False),
    Column("best_time_s", Double, comment="null where nothing meets the limits"),
    Column("best_cost_usd", ExactFloat, comment="null where nothing meets the limits, or a price is not known"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("best_instance", Text),
    Column("best_nodes", Integer),
    Column("deleted_at", DateTime(timezone=True)),
    Column("decided", JSON(none_as_null=True), comment="null: nothing besides what was asked"),
    Column("decided_at", DateTime(timezone=True), comment="when that was stored"),
    Index(None, "org_id", "created_at", "id"),
    Index(None, "catalog_version"),
)
