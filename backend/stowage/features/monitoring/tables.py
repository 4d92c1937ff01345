"""Definitions of the database tables of monitored volumes, CloudWatch series and their points.

Points are stored in partitions in a separate schema without access rights: reads and writes go through the three
tables here and their row-level policies. A row has the values of a whole hour or day, in arrays: a row for each point
would take ten times the room and time.
"""

from typing import Any

from sqlalchemy import (
    ARRAY,
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from stowage.platform.database.columns import THIS_TEAM, Moment, made, metadata, numbered, one_of, team_table, tenant
from stowage.runs.cloud import MetricStatistic

watch = team_table(
    "watch",
    Column("account_id", Uuid, ForeignKey("aws_account.id"), nullable=False),
    Column("region", Text, nullable=False),
    Column("volume_id", Text, nullable=False),
    Column("description", JSON, comment="of the volume, as EC2 gave it last; null until it did"),
    Column("person", Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    Column("ended_at", Moment, comment="it is not read since then"),
    Column("problem", Text, comment="why the last reading failed, in words for people"),
    Column("read_until", Moment, comment="up to when points were asked for; null before the first"),
    Column("next_read_at", Moment, nullable=False),
    CheckConstraint("volume_id ~ '^vol-[0-9a-f]{8,17}$'", name="volume_id"),
    # A volume has at most one open watch; after it ends, the volume can be watched again.
    Index(
        "ix_watch_open",
        "org_id",
        "account_id",
        "region",
        "volume_id",
        unique=True,
        postgresql_where=text("ended_at IS NULL"),
    ),
    Index("ix_watch_due", "next_read_at", postgresql_where=text("ended_at IS NULL")),
    Index(None, "account_id"),
)

metric_series = Table(
    "metric_series",
    metadata,
    numbered(),
    tenant(),
    Column("account_id", Uuid, ForeignKey("aws_account.id", ondelete="CASCADE"), nullable=False),
    Column("region", Text, nullable=False),
    Column("namespace", Text, nullable=False, comment="AWS/EBS"),
    Column("metric", Text, nullable=False, comment="VolumeReadBytes"),
    Column("dimension", Text, nullable=False, comment="VolumeId"),
    Column("resource", Text, nullable=False, comment="vol-..."),
    Column("statistic", Text, nullable=False),
    Column("period_s", Integer, nullable=False),
    one_of("statistic", MetricStatistic),
    CheckConstraint("period_s > 0", name="period_s"),
    UniqueConstraint(
        "org_id",
        "resource",
        "metric",
        "statistic",
        "period_s",
        "account_id",
        "region",
        "namespace",
        "dimension",
        # The generated name would exceed PostgreSQL's limit.
        name="uq_metric_series_all",
    ),
    Index(None, "account_id"),
)


def _of_a_team() -> Column[Any]:
    # No foreign key: it would be checked for every point. A trigger deletes the points of a deleted series.
    return Column(
        "org_id",
        Uuid,
        nullable=False,
        server_default=THIS_TEAM,
    )


metric_point = Table(
    "metric_point",
    metadata,
    Column("series_id", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Moment, primary_key=True, comment="when its hour begins"),
    _of_a_team(),
    Column("value", ARRAY(Double), nullable=False, comment="of each minute, as CloudWatch gave it; null: none came"),
    CheckConstraint("cardinality(value) = 60", name="value"),
    postgresql_partition_by="RANGE (at)",
)


_ROLLED_UP = {"points": Integer, "total": Double, "smallest": Double, "largest": Double}


def _rolled_up(name: str, row: str, cells: int, *of_row: Column[Any]) -> Table:
    return Table(
        name,
        metadata,
        Column("series_id", BigInteger, primary_key=True, autoincrement=False),
        Column("at", Moment, primary_key=True, comment=f"when its {row} begins"),
        _of_a_team(),
        *(Column(column, ARRAY(kind), nullable=False, comment="null: no point") for column, kind in _ROLLED_UP.items()),
        *of_row,
        *(CheckConstraint(f"cardinality({column}) = {cells}", name=column) for column in _ROLLED_UP),
        postgresql_partition_by="RANGE (at)",
    )


metric_five_minutes = _rolled_up("metric_five_minutes", "hour", 12)
metric_hour = _rolled_up(
    "metric_hour",
    "day",
    24,
    *(Column(f"day_{column}", kind, nullable=False, comment="of all hours") for column, kind in _ROLLED_UP.items()),
)
