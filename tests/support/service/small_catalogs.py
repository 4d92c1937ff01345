"""Catalog versions that sell three types, at prices that a test sets: each newer than all others."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from uuid import uuid4

from database import superuser
from stowage.catalog.snapshot import LATEST, packaged
from stowage.features.catalog.store.catalog import put_version
from stowage.model.hardware.catalog import Region
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls

TYPES = ("i3.8xlarge", "i3en.6xlarge", "i4i.8xlarge")
AT_FIRST = date(2026, 12, 1)


@dataclass
class Versions:
    """Creates versions, and deletes them again."""

    database: Database
    names: list[str] = field(default_factory=list)
    """Names of the created versions, oldest first."""

    def put(self, factors: Mapping[str, float], region: str = "us-east-1") -> str:
        """Store a version that sells the types with a factor, at that multiple of the packaged price.

        Parameters
        ----------
        factors : Mapping[str, float]
        region : str
            The only region of the version.
        """
        newest = packaged(LATEST)
        sold = newest.regions[region]
        prices = {name: dict(sold.prices[name]) for name in factors}
        for name, factor in factors.items():
            figure = prices[name]["usd_per_hour"]
            prices[name] = {"usd_per_hour": replace(figure, value=figure.value * factor)}
        version = replace(
            newest,
            version=f"aws-small-{len(self.names)}-{uuid4().hex[:8]}",
            as_of=AT_FIRST + timedelta(days=len(self.names)),
            instance_types={name: newest.instance_types[name] for name in TYPES},
            regions={region: Region(region, prices, sold.volume_types)},
            digest=uuid4().hex * 2,
        )
        with self.database.transaction(None) as connection:
            put_version(connection, version, origin="refresh")
        self.names.append(version.version)
        return version.version


@contextmanager
def small_catalogs(database: Database, postgres: DatabaseUrls) -> Iterator[Versions]:
    """Yield a creator of versions, which are deleted afterwards with the plans that use them."""
    made = Versions(database)
    try:
        yield made
    finally:
        with superuser(postgres) as connection:
            for name in made.names:
                connection.execute("DELETE FROM plan WHERE catalog_version = %s", [name])
                connection.execute("DELETE FROM catalog WHERE version = %s", [name])
