"""The tables of what CloudWatch measured: which volumes are watched, the series read, and their points by time.

Points lie in partitions, which a schema of their own keeps out of reach: whoever reads or writes goes through the three
tables here, and their policies.
"""

from typing import Any, Literal

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
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

from stowage.platform.database.columns import (
    THIS_TEAM,
    ExactFloat,
    made,
    metadata,
    numbered,
    one_of,
    tenant,
)

MetricStatistic = Literal["Sum", "Average", "Minimum", "Maximum"]
"""As CloudWatch names what it makes of a period."""

watch = Table(
    "watch",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("account_id", Uuid, ForeignKey("aws_account.id"), nullable=False),
    Column("region", Text, nullable=False),
    Column("volume_id", Text, nullable=False),
    Column("description", JSON, comment="of the volume, as EC2 gave it last; null until it did"),
    Column("person", Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    Column("ended_at", DateTime(timezone=True), comment="it is not read since then"),
    Column("problem", Text, comment="why the last reading failed, in words for people"),
    Column("read_until", DateTime(timezone=True), comment="up to when points were asked for; null before the first"),
    Column("next_read_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("volume_id ~ '^vol-[0-9a-f]{8,17}$'", name="volume_id"),
    # One at a time; one that ended may begin anew.
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
    Index(None, "org_id", "created_at", "id"),
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
        # Its name would be longer than names may be.
        name="uq_metric_series_all",
    ),
    Index(None, "account_id"),
)


def _of_a_team() -> Column[Any]:
    # No reference: it would be looked up for every point. With their series the points go, by a trigger.
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
    Column("at", DateTime(timezone=True), primary_key=True, comment="when its period begins"),
    _of_a_team(),
    Column("value", Double, nullable=False, comment="as CloudWatch gave it"),
    postgresql_partition_by="RANGE (at)",
)


def _rolled_up(name: str) -> Table:
    return Table(
        name,
        metadata,
        Column("series_id", BigInteger, primary_key=True, autoincrement=False),
        Column("at", DateTime(timezone=True), primary_key=True, comment="when it begins"),
        _of_a_team(),
        Column("points", Integer, nullable=False, comment="that are there; others are missing, and not 0"),
        Column("total", Double, nullable=False),
        Column("smallest", Double, nullable=False),
        Column("largest", Double, nullable=False),
        CheckConstraint("points > 0", name="points"),
        postgresql_partition_by="RANGE (at)",
    )


metric_five_minutes = _rolled_up("metric_five_minutes")
metric_hour = _rolled_up("metric_hour")

Every = Literal["day", "week", "month"]
"""How often a plan's question is asked again."""

plan_watch = Table(
    "plan_watch",
    metadata,
    # Not by a name of its own: the record of a team says by it what was watched.
    Column("id", Uuid, ForeignKey("plan.id", ondelete="CASCADE"), primary_key=True, comment="the plan's"),
    tenant(),
    Column("every", Text, nullable=False),
    Column(
        "percent", Double, nullable=False, comment="by more than which the winner's cost or time must change to be told"
    ),
    Column("person", Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    Column("starts_at", DateTime(timezone=True), nullable=False, comment="from when its periods are counted"),
    Column("ended_at", DateTime(timezone=True), comment="it is not checked since then"),
    Column("next_check_at", DateTime(timezone=True), nullable=False),
    Column("asked_at", DateTime(timezone=True), comment="somebody asked for a check besides; null: nobody does"),
    Column("sent_at", DateTime(timezone=True), comment="when a worker was told last; null once it was checked"),
    Column("taken_until", DateTime(timezone=True), comment="a worker is at it until then; its token"),
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
    Column("at", DateTime(timezone=True), nullable=False),
    Column("catalogue_version", Text, comment="null where nothing could be answered"),
    Column("profiles_digest", Text),
    Column("model_version", Text),
    Column(
        "winner", JSON(none_as_null=True), comment="null where nothing met the limits, or nothing could be answered"
    ),
    Column("cost_usd", ExactFloat, comment="of the winner, at p50"),
    Column("problem", Text, comment="why nothing could be answered, in words for people"),
    Column("told", Boolean, nullable=False, comment="whether the team was told of it"),
    CheckConstraint("(problem IS NULL) = (catalogue_version IS NOT NULL)", name="problem"),
    CheckConstraint("(winner IS NULL) = (cost_usd IS NULL)", name="cost_usd"),
    Index(None, "plan_id", "id"),
    Index(None, "org_id"),
)
