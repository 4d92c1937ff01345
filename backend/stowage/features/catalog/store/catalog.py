"""Database queries for catalog versions, which are stored in parts that several versions can share.

A part is content that is read and replaced as a whole. The hardware part of a version has the instance types and the
published profiles. Each region has a part with its prices and volume types. Parts are identified by their content, so a
version whose hardware is unchanged shares the hardware part of an earlier version.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime
from typing import Any

import psycopg
from sqlalchemy import (
    Connection,
    Double,
    RowMapping,
    Table,
    Text,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.exc import IntegrityError, ProgrammingError

from stowage.features.catalog.store.parts import hardware_content, put_part, region_content
from stowage.features.catalog.tables import (
    Origin,
    catalog_part,
    catalog_region,
    instance_figure,
    instance_type,
    part_source,
    published_profile,
    region_price,
    region_type,
    volume_figure,
    volume_type,
)
from stowage.features.catalog.tables import catalog as catalogs
from stowage.frozen import frozen
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import CatalogVersion, Provider, Region
from stowage.model.hardware.catalog import instance_type as make_instance_type
from stowage.model.hardware.catalog import volume_type as make_volume_type
from stowage.model.hardware.instance import PRICES, InstanceType
from stowage.model.hardware.offered import PriceColumns, Source
from stowage.model.hardware.profile import Profile, Profiles
from stowage.platform.database.errors import CatalogChanged, NotFound
from stowage.platform.database.rows import Queries, read_row, read_rows

_LOCK = 0x63617461
"""``cata`` in ASCII: the advisory lock under which versions are stored."""

_MEASURED = ("target", "metric", "mean", "spread", "count", "cluster_nodes", "statistic", "placement_group")


@frozen
class StoredVersion:
    """A stored catalog version, without its content."""

    version: str
    title: str
    as_of: date
    """Date of the newest prices."""
    provider: Provider
    origin: Origin
    digest: str
    """SHA-256 of the loaded content."""
    loaded_at: datetime
    hardware: int
    """Number of the part with the instance types and profiles."""
    hardware_digest: str
    """Digest of the hardware part; equal digests mean equal content in any version or database."""


@frozen
class RegionSummary:
    """A region of a catalog version, with the number of instance types and of volume types in it."""

    name: str
    instance_types: int
    """Number of instance types offered there."""
    priced: int
    """Number of them with at least one price."""
    volume_types: int
    digest: str
    """Digest of the part with the prices and volume types of the region."""


@frozen
class StoredRegion(RegionSummary):
    """A region of a stored catalog version, without its content."""

    part: int
    """Number of the part with the prices and volume types of the region."""


@frozen
class Hardware:
    """Content of a hardware part: instance types without prices, and their published profiles."""

    instance_types: Mapping[str, InstanceType]
    profiles: Profiles
    """Profiles in the order in which they were stored."""


@frozen
class RegionPart:
    """Content of a region's part.

    The limits of volume types are not included, because they depend on the date.
    """

    name: str
    prices: Mapping[str, Mapping[str, Figure]]
    """Prices of instance types, as in `Region`."""
    volumes: Mapping[str, Mapping[str, Figure]]
    """Volume type -> name of a field -> figure."""

    def on(self, day: date) -> Region:
        """Return the region with the volume limits that apply on a date."""
        volumes = {name: make_volume_type(name, figures, day) for name, figures in self.volumes.items()}
        return Region(self.name, self.prices, volumes)


@frozen
class RegionOffer:
    """Types, purchase options and volume types that a region of a catalog version sells."""

    priced: Mapping[str, int]
    """Number of instance types with a price, by the quantity of the price: ``{"usd_per_hour": 1335}``."""
    usd_per_hour: Mapping[str, float]
    """On-demand prices of the requested instance types that have one [USD/h]."""
    volume_types: tuple[str, ...]
    """Names of the volume types, in the order of the catalog."""


@frozen
class PricePoint:
    """A price of an instance type, with the first catalog version that has it."""

    figure: Figure
    version: str


def put_version(connection: Connection, version: CatalogVersion, origin: Origin = "package") -> bool:
    """Store a catalog version.

    Parts that are already stored for another version are not stored again. A version can no longer be replaced once a
    plan uses it.

    Parameters
    ----------
    connection : Connection
        Connection of the owner role. The application role can add versions, but cannot replace any.
    version : CatalogVersion
        Equal digests are assumed to mean equal content.

    Returns
    -------
    bool
        False if this content was already stored.

    Raises
    ------
    CatalogChanged
        The version is stored with other content and cannot be replaced, because plans use it or the role may not
        replace versions.
    ValueError
        The name of a figure differs from that of its field, or hardware has a price.
    """
    # The lock keeps two starting processes from loading the same version. Readers and plans are not blocked.
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    stored = connection.scalar(select(catalogs.c.digest).where(catalogs.c.version == version.version))
    if stored == version.digest:
        return False
    if stored is not None:
        _remove(connection, version, stored)
    connection.execute(
        insert(catalogs).values(
            version=version.version,
            title=version.title,
            as_of=version.as_of,
            provider=version.provider,
            origin=origin,
            digest=version.digest,
            hardware=put_part(connection, hardware_content(version)),
        )
    )
    rows = [
        {
            "version": version.version,
            "region": name,
            "position": position,
            "part": put_part(connection, region_content(region)),
            "instance_types": len(region.prices),
            "priced": sum("usd_per_hour" in prices for prices in region.prices.values()),
            "volume_types": len(region.volume_types),
        }
        for position, (name, region) in enumerate(version.regions.items())
    ]
    if rows:
        connection.execute(insert(catalog_region), rows)
    return True


NEWEST_FIRST = (
    select(
        *(catalogs.c[each.name] for each in fields(StoredVersion) if each.name != "hardware_digest"),
        catalog_part.c.digest.label("hardware_digest"),
    )
    .join(catalog_part, catalog_part.c.id == catalogs.c.hardware)
    .order_by(
        catalogs.c.provider != "aws",
        catalogs.c.as_of.desc(),
        catalogs.c.loaded_at.desc(),
        catalogs.c.version,
    )
)
"""Query of all versions: first those of AWS, then those of other providers, each newest first."""


_NAME = bindparam("version", type_=Text)
_NAMED = NEWEST_FIRST.where(
    case((_NAME == "latest", catalogs.c.provider == "aws"), else_=catalogs.c.version == _NAME)
).limit(1)
NAMED: Queries = {
    "versions": (_NAMED, StoredVersion),
    "regions": (
        select(
            catalog_region.c.region.label("name"),
            *(catalog_region.c[name] for name in ("instance_types", "priced", "volume_types", "part")),
            catalog_part.c.digest,
        )
        .join(catalog_part, catalog_part.c.id == catalog_region.c.part)
        .where(catalog_region.c.version == select(_NAMED.subquery().c.version).scalar_subquery())
        .order_by(catalog_region.c.position),
        StoredRegion,
    ),
}
"""Queries of a version by its name, and of its regions in their order, for `rows.together`; the parameter is
``version``. The name ``latest`` stands for the newest version of AWS."""


def versions(connection: Connection) -> tuple[StoredVersion, ...]:
    """Return all catalog versions: first those of AWS, then those of other providers, each newest first."""
    return read_rows(connection, NEWEST_FIRST, StoredVersion)


def find(connection: Connection, version: str) -> StoredVersion | None:
    """Look up a catalog version by its name; return None if it is not stored.

    The name ``latest`` stands for the newest version of AWS.
    """
    query = NEWEST_FIRST.limit(1)
    if version == "latest":
        query = query.where(catalogs.c.provider == "aws")
    else:
        query = query.where(catalogs.c.version == version)
    return read_row(connection, query, StoredVersion)


def regions(connection: Connection, of: Sequence[str]) -> dict[str, tuple[StoredRegion, ...]]:
    """Return the regions of each of the given versions, in the order that the version defines."""
    query = (
        select(catalog_region, catalog_part.c.digest)
        .join(catalog_part, catalog_part.c.id == catalog_region.c.part)
        .where(catalog_region.c.version.in_(of))
        .order_by(catalog_region.c.position)
    )
    found: dict[str, list[StoredRegion]] = {version: [] for version in of}
    for row in connection.execute(query):
        found[row.version].append(
            StoredRegion(row.region, row.instance_types, row.priced, row.volume_types, row.digest, row.part)
        )
    return {version: tuple(of_version) for version, of_version in found.items()}


def parts_of_region(connection: Connection, region: str) -> tuple[str, ...]:
    """List the distinct digests of a region's parts in all catalog versions.

    Each is listed with the first version that has it. The result of `price_history` can change only if this list
    changes.
    """
    query = (
        select(catalog_region.c.version, catalog_part.c.digest)
        .join(catalogs, catalogs.c.version == catalog_region.c.version)
        .join(catalog_part, catalog_part.c.id == catalog_region.c.part)
        .where(catalog_region.c.region == region)
        .order_by(catalogs.c.as_of, catalogs.c.loaded_at, catalogs.c.version)
    )
    first: dict[str, str] = {}
    for version, digest in connection.execute(query):
        first.setdefault(digest, version)
    return tuple(f"{version} {digest}" for digest, version in first.items())


def load(connection: Connection, version: str) -> CatalogVersion:
    """Load a version with all its regions, as `put_version` stored it.

    Raises
    ------
    NotFound
        The version does not exist.
    """
    stored = find(connection, version)
    if stored is None or stored.version != version:
        known = ", ".join(row.version for row in versions(connection)) or "none"
        raise NotFound(f"catalog {version!r} is not stored; stored are: {known}")
    hardware = load_hardware(connection, stored)
    parts = (load_region(connection, region) for region in regions(connection, [version])[version])
    return whole(stored, hardware, {part.name: part.on(stored.as_of) for part in parts})


def whole(stored: StoredVersion, hardware: Hardware, of_regions: Mapping[str, Region]) -> CatalogVersion:
    """Build a catalog version from its loaded parts."""
    return CatalogVersion(
        version=stored.version,
        title=stored.title,
        as_of=stored.as_of,
        provider=stored.provider,
        instance_types=hardware.instance_types,
        regions=of_regions,
        profiles=hardware.profiles,
        digest=stored.digest,
    )


def load_hardware(connection: Connection, stored: StoredVersion) -> Hardware:
    """Load a version's instance types and profiles."""
    sources = _sources(connection, stored.hardware)
    figures = _figures(connection, instance_figure, stored.hardware, sources)
    measured = (
        select(published_profile.c.source, *(published_profile.c[name] for name in _MEASURED))
        .where(published_profile.c.part == stored.hardware)
        .order_by(published_profile.c.position)
    )
    return Hardware(
        instance_types={
            target["name"]: make_instance_type(
                target["name"],
                figures.get(target["name"], {}),
                disk_media=target["disk_media"],
                placement_group=target["placement_group"],
                gaps=target["gaps"],
                traits=frozenset(target["traits"]),
            )
            for target in _targets(connection, instance_type, stored.hardware)
        },
        profiles=Profiles(
            tuple(_profile(sources[source], measured) for source, *measured in connection.execute(measured))
        ),
    )


def load_region(connection: Connection, region: StoredRegion) -> RegionPart:
    """Load the prices and volume types of a region."""
    sources = _sources(connection, region.part)
    volumes = _figures(connection, volume_figure, region.part, sources)
    return RegionPart(
        name=region.name,
        prices=_prices(connection, region.part, sources),
        volumes={
            target["name"]: volumes.get(target["name"], {}) for target in _targets(connection, volume_type, region.part)
        },
    )


def offers(connection: Connection, version: str, types: Sequence[str]) -> dict[str, RegionOffer]:
    """Return what each region of a catalog version sells, in the order that the version defines.

    Parameters
    ----------
    types : sequence of str
        Instance types whose on-demand prices are returned.
    """
    of_version = (
        select(catalog_region.c.region).where(catalog_region.c.version == version).order_by(catalog_region.c.position)
    )
    prices = of_version.join(region_price, region_price.c.part == catalog_region.c.part)
    counts = prices.add_columns(region_price.c.quantity, func.count()).group_by(
        catalog_region.c.region, catalog_region.c.position, region_price.c.quantity
    )
    wanted = prices.add_columns(region_price.c.target, region_price.c.value).where(
        region_price.c.quantity == "usd_per_hour", region_price.c.target.in_(types)
    )
    volumes = (
        of_version.join(volume_type, volume_type.c.part == catalog_region.c.part)
        .add_columns(volume_type.c.name)
        .order_by(volume_type.c.position)
    )
    names = connection.scalars(of_version).all()
    priced: dict[str, dict[str, int]] = {name: {} for name in names}
    hours: dict[str, dict[str, float]] = {name: {} for name in names}
    sold: dict[str, list[str]] = {name: [] for name in names}
    for region, quantity, count in connection.execute(counts):
        priced[region][quantity] = count
    for region, target, value in connection.execute(wanted):
        hours[region][target] = value
    for region, volume in connection.execute(volumes):
        sold[region].append(volume)
    return {name: RegionOffer(priced[name], hours[name], tuple(sold[name])) for name in names}


def price_history(connection: Connection, region: str, name: str) -> tuple[PricePoint, ...]:
    """Return the prices of an instance type in a region from all catalog versions, oldest first.

    A price with the same date and value in several versions is listed once, with the first of these versions.
    """
    point = (region_price.c.quantity, part_source.c.as_of, region_price.c.value)
    first = (
        select(*point, region_price.c.unit, part_source.c.text, part_source.c.kind, catalogs.c.version)
        .select_from(catalog_region)
        .join(catalogs, catalogs.c.version == catalog_region.c.version)
        .join(region_price, region_price.c.part == catalog_region.c.part)
        .join(
            part_source,
            (part_source.c.part == region_price.c.part) & (part_source.c.number == region_price.c.source),
        )
        .where(catalog_region.c.region == region, region_price.c.target == name)
        .ext(distinct_on(*point))
        .order_by(*point, catalogs.c.as_of, catalogs.c.loaded_at, catalogs.c.version)
        .subquery()
    )
    oldest_first = select(first).order_by(first.c.as_of.nulls_first(), first.c.quantity, first.c.value)
    return tuple(
        PricePoint(Figure(row.quantity, row.value, row.unit, row.text, row.kind, row.as_of), row.version)
        for row in connection.execute(oldest_first)
    )


def _remove(connection: Connection, version: CatalogVersion, stored: str) -> None:
    """Delete a catalog version that will be replaced, with the parts that no other version shares."""
    try:
        # Row-level security hides plans from the owner role, but their foreign keys still prevent the deletion.
        with connection.begin_nested():
            connection.execute(delete(catalogs).where(catalogs.c.version == version.version))
            of_regions = select(catalog_region.c.part)
            of_versions = select(catalogs.c.hardware)
            orphaned = catalog_part.c.id.not_in(of_regions.union(of_versions))
            connection.execute(delete(catalog_part).where(orphaned))
    except IntegrityError as error:
        raise CatalogChanged(
            f"catalog {version.version!r}: plans rest on the content stored as {stored[:12]}, "
            f"and {version.digest[:12]} differs from it; give changed content a version of its own"
        ) from error
    except ProgrammingError as error:
        if not isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
            raise
        raise CatalogChanged(
            f"catalog {version.version!r} is stored as {stored[:12]}, and {version.digest[:12]} differs from it; "
            "the application replaces no content: give it a version of its own"
        ) from error


def _targets(connection: Connection, table: Table, part: int) -> Iterable[RowMapping]:
    return connection.execute(select(table).where(table.c.part == part).order_by(table.c.position)).mappings()


def _sources(connection: Connection, part: int) -> dict[int, Source]:
    of_part = select(part_source).where(part_source.c.part == part)
    return {row.number: (row.text, row.kind, row.as_of) for row in connection.execute(of_part)}


def _figures(
    connection: Connection, table: Table, part: int, sources: Mapping[int, Source]
) -> dict[str, dict[str, Figure]]:
    """Load the figures of one part from a table: target (e.g. an instance type) -> quantity -> figure."""
    query = select(table.c.target, table.c.quantity, table.c.value, table.c.unit, table.c.source)
    figures: dict[str, dict[str, Figure]] = {}
    for target, quantity, value, unit, source in connection.execute(query.where(table.c.part == part)):
        figures.setdefault(target, {})[quantity] = Figure(quantity, value, unit, *sources[source])
    return figures


def _prices(connection: Connection, part: int, sources: Mapping[int, Source]) -> PriceColumns:
    """Load the prices of a region by column."""
    offered = select(region_type.c.name).where(region_type.c.part == part).order_by(region_type.c.position)
    names = connection.scalars(offered).all()
    price = region_price.c
    cells = select(price.quantity, *map(func.array_agg, (price.target, cast(price.value, Double), price.source)))
    columns = {}
    for quantity, *cell in connection.execute(cells.where(price.part == part).group_by(price.quantity)):
        usd, numbers = (dict(zip(cell[0], of_type, strict=True)) for of_type in cell[1:])
        columns[quantity] = (list(map(usd.get, names)), list(map(numbers.get, names)))
    return PriceColumns(names, {name: columns[name] for name in PRICES if name in columns}, sources)


def _profile(source: Source, measured: Sequence[Any]) -> Profile:
    where, kind, as_of = source
    if as_of is None:
        raise ValueError(f"a profile has no date: {where}")
    return Profile(**dict(zip(_MEASURED, measured, strict=True)), source=where, kind=kind, as_of=as_of)
