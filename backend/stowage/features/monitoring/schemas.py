"""Requests and answers about monitored volumes and their CloudWatch metrics."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.monitoring.watched_metrics import Unit
from stowage.platform.described import Answer
from stowage.platform.written import Section


class NewWatch(Section):
    """Request to monitor a volume."""

    account_id: UUID
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-[0-9]{1,2}$", max_length=32)]
    volume_id: Annotated[str, Field(pattern=r"^vol-[0-9a-f]{8,17}$")]


class WatchedVolumeAnswer(Answer):
    """A volume, as EC2 describes it."""

    type: str
    size_gib: int
    iops: int | None
    throughput_mib_per_s: int | None
    zone: str | None
    instance: str | None
    """Instance that the volume is attached to; CloudWatch has no metrics of a detached volume."""
    words: str
    """Description of the volume in words."""


class LatestAnswer(Answer):
    """Latest value of a metric."""

    name: str
    title: str
    unit: Unit
    value: float
    at: datetime
    """Start of the minute of the value."""


class WatchAnswer(Answer):
    """A monitored volume."""

    id: UUID
    account_id: UUID
    account_name: str
    region: str
    volume_id: str
    volume: WatchedVolumeAnswer | None
    """Null until EC2 has described the volume."""
    person: str
    created_at: datetime
    ended_at: datetime | None
    problem: str | None
    """Reason that the last read failed."""
    read_until: datetime | None
    latest: list[LatestAnswer]
    usd_per_month: float | None
    """CloudWatch charges for reading the metrics; null until the volume type is known."""


class WatchListAnswer(Answer):
    """Monitored volumes, newest first."""

    watches: list[WatchAnswer]
    next_cursor: str | None
    read_every_s: float
    most: int
    """Maximum number of volumes that a team may watch at once."""
    watched: int
    """Number of volumes that the team watches now."""


class MetricSeriesAnswer(Answer):
    """One metric over time, with one value for each step of a chart.

    Values are null in steps for which CloudWatch has no data.
    """

    name: str
    title: str
    unit: Unit
    of: str
    """Id of the volume or instance, or a description of the resources combined."""
    metric: str
    """Name of the metric in CloudWatch."""
    mean: list[float | None]
    smallest: list[float | None]
    """Minimum of the periods within each step."""
    largest: list[float | None]


class ExpectedBalanceAnswer(Answer):
    """Burst-credit balance that the model expects for the measured traffic of a volume."""

    balance: list[float | None]
    """Mean of each step, from 0 to 1."""
    furthest: float | None
    """Maximum difference from CloudWatch's balance; null if the two have no step in common."""
    words: str


class MetricsAnswer(Answer):
    """A chart: the CloudWatch metrics of a volume or a run in a time span."""

    id: UUID
    """Id of the watch or the run."""
    start: datetime
    """Start of the first step."""
    end: datetime
    step_s: int
    kept: Literal["points", "five minutes", "hours"]
    """Stored resolution that the chart uses."""
    steps: int
    series: list[MetricSeriesAnswer]
    expected: ExpectedBalanceAnswer | None
    """Null if the volume has no burst credit or is not described yet."""
