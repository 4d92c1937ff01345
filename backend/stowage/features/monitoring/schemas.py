"""Answers about monitored volumes and their CloudWatch metrics."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.monitoring.watched_metrics import Unit
from stowage.platform.described import Answer
from stowage.platform.written import Section


class NewWatch(Section):
    """A volume to be watched."""

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
    """To which it is attached; CloudWatch has nothing of a volume that is attached to none."""
    words: str
    """All of this, for people."""


class LatestAnswer(Answer):
    """Last known description of a volume."""

    name: str
    title: str
    unit: Unit
    value: float
    at: datetime
    """When the minute began that it is of."""


class WatchAnswer(Answer):
    """A watched volume."""

    id: UUID
    account_id: UUID
    account_name: str
    region: str
    volume_id: str
    volume: WatchedVolumeAnswer | None
    """Null until EC2 was asked for the first time."""
    person: str
    created_at: datetime
    ended_at: datetime | None
    problem: str | None
    """Why it could not be read the last time."""
    read_until: datetime | None
    latest: list[LatestAnswer]
    usd_per_month: float | None
    """What AWS charges the account for reading it; null until its type is known."""


class WatchListAnswer(Answer):
    """Watched volumes, newest first."""

    watches: list[WatchAnswer]
    next_cursor: str | None
    read_every_s: float
    most: int
    """That a team may watch at once."""
    watched: int
    """Of these, how many it does."""


class MetricSeriesAnswer(Answer):
    """One metric over time; null for steps without data from CloudWatch."""

    name: str
    title: str
    unit: Unit
    of: str
    """The volume or instance, or in words all of those that it is told of together."""
    metric: str
    """CloudWatch's own name of it."""
    mean: list[float | None]
    smallest: list[float | None]
    """Of the periods within a step."""
    largest: list[float | None]


class ExpectedBalanceAnswer(Answer):
    """The burst balance that the model expects for the traffic that was measured."""

    balance: list[float | None]
    """Mean of each step, from 0 to 1."""
    furthest: float | None
    """How far it is from what CloudWatch says, at most; null where one of them is missing everywhere."""
    words: str


class MetricsAnswer(Answer):
    """CloudWatch metrics of a time span."""

    id: UUID
    """Of the watch or the run."""
    start: datetime
    """When the first step begins."""
    end: datetime
    step_s: int
    kept: Literal["points", "five minutes", "hours"]
    """From what it is drawn."""
    steps: int
    series: list[MetricSeriesAnswer]
    expected: ExpectedBalanceAnswer | None
    """Null where there is no burst credit, or nothing is known of the volume."""
