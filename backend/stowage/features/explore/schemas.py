"""Answers about the catalog: versions, types with their figures, and differences between versions."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from stowage.catalog.difference import Change
from stowage.features.catalog.store.catalog import RegionSummary
from stowage.features.catalog.tables import Origin
from stowage.model.figure import Figure, Kind
from stowage.model.hardware.catalog import Provider
from stowage.model.hardware.instance import Media, Trait
from stowage.model.money.price import Purchase
from stowage.platform.described import Answer, RequestBody
from stowage.platform.written import Name
from stowage.workloads.of_catalog import DEPRECATED, OfCatalog, TermsAnswer

MOST_CONDITIONS = 20
"""Maximum number of conditions on the rows of the table."""


class TableQuery(BaseModel):
    """Query parameters of the table of instance types."""

    model_config = ConfigDict(frozen=True)

    purchase: Annotated[Purchase, Field(description="Whose prices count.")] = "on-demand"
    name: Annotated[str, Field(max_length=64, description="Part of the type's name.")] = ""
    where: Annotated[
        list[str] | None,
        Field(max_length=MOST_CONDITIONS, description="Conditions that all must hold: `vcpus>=8`, `traits=nitro`."),
    ] = None
    sort: Annotated[str | None, Field(max_length=64, description="A column; a minus before it for descending.")] = None
    columns: Annotated[str, Field(max_length=1_000, description="Separated by commas; all, unless given.")] = ""
    limit: Annotated[int, Field(ge=1, le=2_000)] = 100
    cursor: Annotated[str | None, Field(max_length=200)] = None


class CatalogSummary(Answer):
    """A version of the catalog."""

    version: str
    title: str
    as_of: date
    provider: Provider
    origin: Origin
    loaded_at: datetime
    digest: str
    searchable: bool
    """Whether plans can use it: instances of other providers are only shown."""
    regions: list[RegionSummary]


class CatalogListAnswer(Answer):
    """A page of the versions of the catalog; the first version of the first page is `latest`."""

    catalogs: list[CatalogSummary]
    next_cursor: str | None
    """Value of `cursor` for the next page."""

    @computed_field(json_schema_extra=DEPRECATED)  # type: ignore[prop-decorator]
    @property
    def catalogues(self) -> list[CatalogSummary]:
        """Return `catalogs` under its old name."""
        return self.catalogs


class RegionAnswer(Answer):
    """Names of a region's instance and volume types."""

    version: str
    region: str
    as_of: date
    instance_types: list[str]
    volume_types: list[str]


class RegionOfferAnswer(Answer):
    """Types, purchase options and volume types that a region sells, and its price level."""

    name: str
    instance_types: int
    """Number of instance types offered there."""
    priced: dict[Purchase, int]
    """Number of them with a known price, by purchase option."""
    volume_types: list[str]
    """EBS volume types with known prices; empty if the catalog has no EBS prices of the region."""
    basket_types: int
    """Number of types of the basket that have an on-demand price there."""
    price_level: float | None
    """Price of the basket there, divided by its price in the reference region.

    Both are summed over the types that have a price in both regions; null if there are none.
    """


class CatalogRegionsAnswer(Answer):
    """The regions of a catalog version, the least expensive first."""

    version: str
    as_of: date
    reference: str
    """Region whose price level is 1."""
    basket: list[str]
    """Instance types whose on-demand hours are compared, one hour of each."""
    regions: list[RegionOfferAnswer]


class ColumnAnswer(Answer):
    """Description of a column of the table of instance types."""

    name: str
    title: str
    unit: str
    description: str
    group: str


class SourceAnswer(Answer):
    """Source of a figure."""

    text: str
    kind: Kind
    as_of: date | None
    own: bool = False
    """Whether the team measured it: it then overrides the published value."""


class InstanceTypeRow(Answer):
    """An instance type, with a value and a source for each column of the table."""

    name: str
    family: str
    disk_media: Media | None
    traits: list[Trait]
    placement_group: bool
    values: list[float | None]
    """One value for each column; null where it is unknown."""
    sources: list[int | None]
    """One source for each column: indices in the table's list of sources."""


class InstanceTypeTable(OfCatalog):
    """A page of the table of a region's instance types."""

    catalog_version: str
    region: str
    as_of: date
    purchase: Purchase
    columns: list[ColumnAnswer]
    sources: list[SourceAnswer]
    price_terms: TermsAnswer | None
    """Discounts that all prices include; null for published prices."""
    rows: list[InstanceTypeRow]
    total: int
    """Rows that pass the filters, on all pages."""
    next_cursor: str | None


class InstanceTypeAnswer(Answer):
    """An instance type with all its figures."""

    version: str
    region: str
    name: str
    family: str
    traits: list[Trait]
    disk_media: Media | None
    placement_group: bool
    gaps: dict[str, str]
    """Unknown figures, and the reasons."""
    figures: list[Figure]
    price_terms: TermsAnswer | None
    """Discounts that all prices include; null for published prices."""
    profiles: list[Figure]
    """Published measurements of the type."""
    measured: list[Figure]
    """The team's own measurements: predictions prefer them to published ones."""


class PricePointAnswer(OfCatalog):
    """A price, with the first version of the catalog that has it."""

    quantity: str
    value: float
    unit: str
    source: str
    kind: Kind
    as_of: date | None
    catalog_version: str


class PriceHistoryAnswer(Answer):
    """The prices of a type in a region, oldest first."""

    name: str
    region: str
    points: list[PricePointAnswer]


class VolumeTypeAnswer(Answer):
    """An EBS volume type, with its limits and prices."""

    name: str
    media: Media
    figures: list[Figure]


class VolumeTypesAnswer(Answer):
    """The EBS volume types of a region."""

    version: str
    region: str
    volume_types: list[VolumeTypeAnswer]
    price_terms: TermsAnswer | None
    """Discounts that all prices include; null for published prices."""
    note: str | None
    """Why there are none."""


class PriceChangeAnswer(Answer):
    """A price with its old and new value."""

    name: str
    quantity: str
    then: float
    now: float
    change_pct: float


class CatalogDifference(Answer):
    """Differences between two catalog versions for one region."""

    then: str
    now: str
    region: str
    purchase: Purchase
    """Purchase option whose prices are compared."""
    new: list[str]
    gone: list[str]
    cheaper: list[PriceChangeAnswer]
    dearer: list[PriceChangeAnswer]
    priced: list[str]
    """Types without a known price in the older version."""
    unpriced: list[str]
    """Types without a known price in the newer version."""
    volumes: list[Change]
    hardware: list[Change]
    sentence: str


Listed = Annotated[str, Field(min_length=1, max_length=2_000)]
"""Names or filters, separated as in the address of the page."""
ColumnName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^-?[a-z0-9_]+$")]


class Shown(RequestBody):
    """Content of a saved view: filters, order, columns and axes, as in the address of the page."""

    name: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """Words that the name of a type must contain."""
    series: Literal["storage", "all"] | None = None
    """`storage`: only types of the storage-optimized families."""
    generation: Literal["current"] | None = None
    """`current`: no types that AWS calls previous generation."""
    media: Literal["ssd", "hdd", "any", "none"] | None = None
    """Media of the local disks."""
    traits: Listed | None = None
    """Traits that a type must have, separated by commas."""
    where: Listed | None = None
    """Filters of columns: `vcpus:>=8;usd_per_hour:<1.5`."""
    sort: ColumnName | None = None
    """Column to sort by; a minus before it for descending."""
    columns: Listed | None = None
    """Columns in order, separated by commas."""
    x: ColumnName | None = None
    """Column on the X axis of the plot."""
    y: ColumnName | None = None
    """Column on the Y axis of the plot."""


class NewView(RequestBody):
    """Request to save a view."""

    name: Annotated[Name, Field(min_length=1)]
    shown: Shown


class ViewAnswer(Answer):
    """A saved view of the instance types."""

    id: UUID
    name: str
    shown: Shown
    person: str
    """Name of the person who saved the view, at that time."""
    created_at: datetime


class ViewListAnswer(Answer):
    """The saved views of a team, oldest first."""

    views: list[ViewAnswer]
    most: int
    """Maximum number of saved views."""
