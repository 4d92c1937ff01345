"""API answers about a team's profiles, which summarize its measurements."""

from datetime import date, datetime
from typing import Literal

from stowage.measure.profiling.changes import Trend
from stowage.measure.profiling.profiles import Verdict
from stowage.measure.target import Target
from stowage.model.figure import Kind
from stowage.platform.described import Answer


class PublishedAnswer(Answer):
    """Published value of a profile's rate, for comparison with the team's own value."""

    value: float
    unit: str
    source: str
    kind: Kind
    as_of: date | None


class ProfileRow(Answer):
    """Profile of one target (measured hardware), computed from a team's measurements."""

    key: str
    target: Target
    target_words: str
    metric: str
    what: str
    unit: str
    mean: float
    low: float
    high: float
    """Upper end of the 95% confidence interval of the mean."""
    spread: float | None
    """Standard deviation of the logarithm: between nodes if known, else between measurements."""
    count: int
    effective_count: float
    """Number of measurements, with lower weights for old and doubtful ones."""
    newest: datetime
    oldest: datetime
    slowest: float
    fastest: float
    published: PublishedAnswer | None
    difference_pct: float | None
    """Difference of the mean from the published figure; above zero if higher."""
    feeds: bool
    """True if predictions use it."""
    why_not: str | None


class ProfileListAnswer(Answer):
    """All profiles of a team."""

    profiles: list[ProfileRow]
    measurements: int
    """Number of measurements in the profiles."""
    made_at: datetime | None


class ProfilePoint(Answer):
    """One measurement that a profile summarizes."""

    measurement_id: str
    at: datetime
    value: float
    verdict: Verdict
    weight: float
    outlier: bool
    tool: str
    nodes: int


class ProfileChangeAnswer(Answer):
    """Change of a profile's rate at a point in time."""

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
    """Upper end of the interval of the factor."""
    direction: Trend | None
    words: str


class CurvePointAnswer(Answer):
    """Network rate at one cluster size."""

    nodes: int
    value: float
    low: float | None
    high: float | None
    kind: Literal["measured", "published"]
    source: str


class ProfileAnswer(ProfileRow):
    """A profile with its measurements and its changes over time."""

    series: list[ProfilePoint]
    by_hour: list[float | None] | None
    by_weekday: list[float | None] | None
    """Monday first."""
    changes: list[ProfileChangeAnswer]
    curve: list[CurvePointAnswer]
    """For a network, the rate at every measured cluster size."""


class ChangeListAnswer(Answer):
    """Changes of rates, newest first."""

    changes: list[ProfileChangeAnswer]


class RecipeAnswer(Answer):
    """A command for a reliable measurement."""

    tool: str
    title: str
    command: str
    duration_s: float
    cost_usd: float | None
    """Null if no type is named, or its price is unknown."""
    what: str
    overwrites: str | None
    """Data that the command destroys, e.g. `every file on the volume`; null if it destroys none."""


class RecipeListAnswer(Answer):
    """Commands for reliable measurements."""

    recipes: list[RecipeAnswer]
