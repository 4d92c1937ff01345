"""Reading of stored catalog versions, with a cache for all requests of the process.

All teams share the cache, because it has no data of any team. A team's own measurements and calibrations are added in
`stowage.features.calibration.team_knowledge`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stowage.features.catalog.store import catalog as store
from stowage.frozen import frozen
from stowage.model.hardware.catalog import Catalog
from stowage.model.lazy import Lazy
from stowage.optimizer.cache import Cache
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.rows import CompiledQuery, rows_together, together
from stowage.platform.errors import NotFound
from stowage.workloads.knowledge import (
    SEARCHED,
    Knowledge,
    KnowledgeSource,
    refuse_shown,
    unknown_catalog,
    unknown_region,
)

_SELLS_MOST = "us-east-1"
_NAMED = CompiledQuery(together(store.NAMED))

_HARDWARE: Cache[str, store.Hardware] = Cache(most=8)
_REGIONS: Cache[tuple[str, str], store.RegionPart] = Cache(most=128)
_KNOWLEDGE: Cache[tuple[str, ...], Knowledge] = Cache(most=64)


@frozen
class Place:
    """One region of a stored catalog version, without its content."""

    version: store.StoredVersion
    region: store.StoredRegion
    regions: tuple[store.StoredRegion, ...]
    """All regions of the version."""

    @property
    def key(self) -> tuple[str, ...]:
        """Return the key under which the content of the region is cached.

        Answers for equal keys are equal. As answers list the regions with EBS prices, the key includes the names of
        these regions, but nothing else of other regions.
        """
        version = self.version
        return (
            version.version,
            version.title,
            version.as_of.isoformat(),
            version.provider,
            version.hardware_digest,
            self.region.name,
            self.region.digest,
            *self.regions_with_volumes,
        )

    @property
    def regions_with_volumes(self) -> tuple[str, ...]:
        """Return the names of the version's regions that have EBS prices."""
        return tuple(region.name for region in self.regions if region.volume_types)


def published_knowledge(database: Database) -> KnowledgeSource:
    """Return the source from which predictions load catalogs and published profiles, without any team's data."""

    def source(version: str, region: str) -> Knowledge:
        with database.transaction(None) as connection:
            place = place_of(connection, version, region)
        return read_published(database, place)

    return source


def newest_catalog(database: Database) -> Catalog:
    """Return the newest AWS catalog, with the instance types of all regions and the prices of a single region.

    Raises
    ------
    NotFound
        No catalog is stored.
    """
    return newest_knowledge(database).catalog


def newest_knowledge(database: Database) -> Knowledge:
    """Return the newest AWS catalog and the published profiles.

    They are for uses that do not depend on the region: the catalog has the instance types of all regions, but the
    prices of a single region.

    Raises
    ------
    NotFound
        No catalog is stored.
    """
    newest = next((row for row in list_versions(database) if row.provider == SEARCHED), None)
    if newest is None:
        raise NotFound("There is no catalog.")
    _, regions = _find(database, newest.version)
    known = read_published(database, Place(newest, _named(regions, _SELLS_MOST) or regions[0], regions))
    hardware = _HARDWARE.get(newest.hardware_digest, lambda: _read_hardware(database, newest))
    priced = known.catalog.instance_types
    types = Lazy(hardware.instance_types, priced.get)
    return replace(known, catalog=replace(known.catalog, instance_types=types))


def place_of(connection: Connection, version: str, region: str) -> Place:
    """Look up a stored catalog version and one of its regions.

    Raises
    ------
    BadInput
        The version or region does not exist, or belongs to another provider than AWS.
    """
    return place_in(connection, rows_together(store.NAMED, _NAMED.run(connection, version=version)), version, region)


def place_in(connection: Connection, found: Mapping[str, tuple[Any, ...]], version: str, region: str) -> Place:
    """Return the result of `place_of`; ``found`` has the results of the queries `store.NAMED`."""
    stored: store.StoredVersion | None = next(iter(found["versions"]), None)
    regions: tuple[store.StoredRegion, ...] = found["regions"]
    if stored is None:
        raise unknown_catalog(version, [row.version for row in store.versions(connection)])
    refuse_shown(stored.version, stored.provider)
    asked = _named(regions, region)
    if asked is None:
        raise unknown_region(region, stored.version, [each.name for each in regions])
    return Place(stored, asked, regions)


def find_place(database: Database, version: str, region: str) -> Place:
    """Look up a region of a catalog version, or of the `latest` version, without reading the region's content.

    Raises
    ------
    NotFound
        The version does not exist, or lacks the region.
    """
    stored, regions = _find(database, version)
    if stored is None:
        raise NotFound(f"There is no catalog {version}.")
    asked = _named(regions, region)
    if asked is None:
        have = ", ".join(each.name for each in regions)
        raise NotFound(f"Catalog {stored.version} has no region {region}; it has {have}.")
    return Place(stored, asked, regions)


def read_published(database: Database, place: Place) -> Knowledge:
    """Return a region's catalog and published profiles, read once and cached for all requests of the process."""

    def read() -> Knowledge:
        stored = place.version
        hardware = _HARDWARE.get(stored.hardware_digest, lambda: _read_hardware(database, stored))
        named = (place.region.name, place.region.digest)
        region = _REGIONS.get(named, lambda: _read_region(database, place.region)).on(stored.as_of)
        catalog: Catalog = store.whole(stored, hardware, {region.name: region}).in_region(region.name)
        return Knowledge(catalog, hardware.profiles, stored.digest, lambda: place.regions_with_volumes)

    # The digest and the regions are those of this version: the cached content may come from another one.
    regions = tuple(region.name for region in place.regions)
    return replace(_KNOWLEDGE.get(place.key, read), digest=place.version.digest, regions=regions)


def list_versions(database: Database) -> tuple[store.StoredVersion, ...]:
    """Return all catalog versions: first those of AWS, then those of other providers, each newest first."""
    with database.transaction(None) as connection:
        return store.versions(connection)


def _find(database: Database, version: str) -> tuple[store.StoredVersion | None, tuple[store.StoredRegion, ...]]:
    with database.transaction(None) as connection:
        found = rows_together(store.NAMED, _NAMED.run(connection, version=version))
    return next(iter(found["versions"]), None), found["regions"]


def _named(regions: Sequence[store.StoredRegion], name: str) -> store.StoredRegion | None:
    return next((region for region in regions if region.name == name), None)


def _read_region(database: Database, region: store.StoredRegion) -> store.RegionPart:
    with database.transaction(None) as connection:
        return store.load_region(connection, region)


def _read_hardware(database: Database, stored: store.StoredVersion) -> store.Hardware:
    with database.transaction(None) as connection:
        return store.load_hardware(connection, stored)
