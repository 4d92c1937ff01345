"""Definitions of the database tables of sweeps and their cells."""

from sqlalchemy import (
    JSON,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    Uuid,
)

from stowage.platform.database.columns import Moment, belongs_to, metadata, team_table, tenant

sweep = team_table(
    "sweep",
    Column("name", Text, nullable=False),
    Column("request", JSON, nullable=False),
    Column("catalog_version", Text, ForeignKey("catalog.version"), nullable=False),
    Column("profiles_digest", Text, nullable=False),
    Column("model_version", Text, nullable=False),
    Column("job_id", Uuid, ForeignKey("job.id", deferrable=True, initially="DEFERRED"), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("deleted_at", Moment),
    Index(None, "catalog_version"),
    Index(None, "job_id"),
)

sweep_cell = Table(
    "sweep_cell",
    metadata,
    belongs_to("sweep", primary_key=True),
    Column("position", Integer, primary_key=True, comment="row by row, from 0"),
    tenant(),
    Column("answer", JSON, nullable=False),
)
