"""A team's own profiles, as the API answers them."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from stowage.measure.profiling.changes import Trend
from stowage.measure.profiling.profiles import Verdict
from stowage.model.figure import Figure, Kind
from stowage.platform.described import Answer


class DiskTargetAnswer(Answer):
    """A node's own disks."""

    kind: Literal["instance-store"]
    disks: int
    """How many of them took part."""


class VolumeTargetAnswer(Answer):
    """EBS volumes, as they were provisioned."""

    kind: Literal["ebs"]
    type: str
    size_gib: float | None
    iops: float | None
    throughput_mib_per_s: float | None
    count: int


class TargetAnswer(Answer):
    """Target of a measurement."""

    instance: str | None
    region: str | None
    zone: str | None
    storage: Annotated[DiskTargetAnswer | VolumeTargetAnswer, Field(discriminator="kind")] | None
    nodes: int
    placement_group: bool | None


class PublishedAnswer(Answer):
    """Published figure of the same quantity."""

    value: float
    unit: str
    source: str
    kind: Kind
    as_of: date | None

    @classmethod
    def of(cls, figure: Figure) -> "PublishedAnswer":
        """Build the answer from the model's figure."""
        return cls(value=figure.value, unit=figure.unit, source=figure.source, kind=figure.kind, as_of=figure.as_of)


class ProfileRow(Answer):
    """Profile of one target from a team's measurements."""

    key: str
    target: TargetAnswer
    target_words: str
    metric: str
    what: str
    unit: str
    mean: float
    low: float
    high: float
    """95% interval of the mean."""
    spread: float | None
    """Standard deviation of the logarithm, node to node where that is known, else between measurements."""
    count: int
    effective_count: float
    """With old and doubtful ones weighing less."""
    newest: datetime
    oldest: datetime
    slowest: float
    fastest: float
    published: PublishedAnswer | None
    difference_pct: float | None
    """How far the mean is above what was published."""
    feeds: bool
    """Whether predictions take it."""
    why_not: str | None


class ProfileListAnswer(Answer):
    """All profiles of a team."""

    profiles: list[ProfileRow]
    measurements: int
    """That they are made of."""
    made_at: datetime | None


class ProfilePoint(Answer):
    """One measurement of a profile."""

    measurement_id: str
    at: datetime
    value: float
    verdict: Verdict
    weight: float
    outlier: bool
    tool: str
    nodes: int


class ProfileChangeAnswer(Answer):
    """A moment at which a rate became another."""

    profile_key: str
    target_words: str
    metric: str
    what: str
    unit: str
    at: datetime
    before: float
    after: float
    factor: float
    low: float
    high: float
    """Interval of the factor."""
    direction: Trend | None
    words: str


class CurvePointAnswer(Answer):
    """A rate at one cluster size."""

    nodes: int
    value: float
    low: float | None
    high: float | None
    kind: Literal["measured", "published"]
    source: str


class ProfileAnswer(ProfileRow):
    """A profile with the measurements that it is made of."""

    series: list[ProfilePoint]
    by_hour: list[float | None] | None
    by_weekday: list[float | None] | None
    """Monday first."""
    changes: list[ProfileChangeAnswer]
    curve: list[CurvePointAnswer]
    """The same at every cluster size, of a network."""


class ChangeListAnswer(Answer):
    """Moments at which something became faster or slower, newest first."""

    changes: list[ProfileChangeAnswer]


class RecipeAnswer(Answer):
    """A command that makes a good measurement."""

    tool: str
    title: str
    command: str
    duration_s: float
    cost_usd: float | None
    """Null where no price of the type is known, or none was named."""
    what: str


class RecipeListAnswer(Answer):
    """Commands to copy."""

    recipes: list[RecipeAnswer]
