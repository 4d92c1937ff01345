"""Catalog: answers about versions, types with their figures, and differences between two versions."""

from datetime import date, datetime
from typing import Literal

from stowage.features.catalog.tables import Origin
from stowage.features.measurements.profile_answers import MeasuredAnswer
from stowage.model.figure import Kind
from stowage.model.hardware.catalogue import Provider
from stowage.model.hardware.instance import Media, Trait
from stowage.model.money.price import Purchase
from stowage.platform.described import Answer
from stowage.workloads.answers import FigureAnswer, PlanAnswer


class RegionSummary(Answer):
    """How much a version knows of a region."""

    name: str
    instance_types: int
    """Sold there."""
    priced: int
    """Of these, with at least one price."""
    volume_types: int
    digest: str


class CatalogueSummary(Answer):
    """A version of the catalogue."""

    version: str
    title: str
    as_of: date
    provider: Provider
    origin: Origin
    loaded_at: datetime
    digest: str
    searchable: bool
    """Whether plans can be made from it: what another provider sold is only shown."""
    regions: list[RegionSummary]


class CatalogueListAnswer(Answer):
    """Versions of the catalogue; `latest` is the first."""

    catalogues: list[CatalogueSummary]
    next_cursor: str | None
    """Give it as `cursor` for the next page."""


class RegionAnswer(Answer):
    """Offers of a region, by name."""

    version: str
    region: str
    as_of: date
    instance_types: list[str]
    volume_types: list[str]


class ColumnAnswer(Answer):
    """A column of the table of instance types."""

    name: str
    title: str
    unit: str
    description: str
    group: str


class SourceAnswer(Answer):
    """Where a figure comes from."""

    text: str
    kind: Kind
    as_of: date | None
    own: bool = False
    """Whether the team measured it itself: then it stands here instead of what was published."""


class InstanceTypeRow(Answer):
    """An instance type, with a value and a source for each column of its table."""

    name: str
    family: str
    disk_media: Media | None
    traits: list[Trait]
    placement_group: bool
    values: list[float | None]
    """One for each column; null where it is not known."""
    sources: list[int | None]
    """The same: places in the table's list of sources."""


class InstanceTypeTable(Answer):
    """Instance types of a region, by columns."""

    catalogue_version: str
    region: str
    as_of: date
    purchase: Purchase
    columns: list[ColumnAnswer]
    sources: list[SourceAnswer]
    rows: list[InstanceTypeRow]
    total: int
    """Rows that pass the filters, on all pages."""
    next_cursor: str | None


class InstanceTypeAnswer(Answer):
    """An instance type with all that is known of it."""

    version: str
    region: str
    name: str
    family: str
    traits: list[Trait]
    disk_media: Media | None
    placement_group: bool
    gaps: dict[str, str]
    """What is not known, and why."""
    figures: list[FigureAnswer]
    profiles: list[FigureAnswer]
    """What others published that they measured of it."""
    measured: list[FigureAnswer]
    """What the team measured of it itself: predictions take this before what was published."""


class PricePointAnswer(FigureAnswer):
    """A price as a version of the catalogue knew it first."""

    catalogue_version: str


class PriceHistoryAnswer(Answer):
    """The prices of a type in a region, oldest first."""

    name: str
    region: str
    points: list[PricePointAnswer]


class VolumeTypeAnswer(Answer):
    """An EBS volume type: limits and prices."""

    name: str
    media: Media
    figures: list[FigureAnswer]


class VolumeTypesAnswer(Answer):
    """The EBS volume types of a region."""

    version: str
    region: str
    volume_types: list[VolumeTypeAnswer]
    note: str | None
    """Why there is none."""


class PriceChangeAnswer(Answer):
    """A price that changed."""

    name: str
    quantity: str
    then: float
    now: float
    change_pct: float


class FigureChangeAnswer(Answer):
    """A figure that changed; null where it was not, or is not, known."""

    name: str
    quantity: str
    then: float | None
    now: float | None


class CatalogueDifference(Answer):
    """Differences of a region between a version and an older one."""

    then: str
    now: str
    region: str
    purchase: Purchase
    """Whose prices are compared."""
    new: list[str]
    gone: list[str]
    cheaper: list[PriceChangeAnswer]
    dearer: list[PriceChangeAnswer]
    priced: list[str]
    """Types whose price was not known then."""
    unpriced: list[str]
    """Types whose price is not known now."""
    volumes: list[FigureChangeAnswer]
    hardware: list[FigureChangeAnswer]
    sentence: str


class TodayAnswer(Answer):
    """A saved plan's question, answered from the newest version of the catalogue."""

    difference: CatalogueDifference
    winner: Literal["unchanged", "changed", "none"]
    """none: nothing meets the limits now, or nothing did then."""
    sentence: str
    measured: MeasuredAnswer | None
    """What the team's measurements since then changed; null where it made none."""
    answer: PlanAnswer
