"""Knowledge that a team's predictions use: published figures and the team's own data.

The team's own measurements override published figures, its calibrations override packaged profiles, and its price terms
discount published prices. Knowledge is cached; the cache key contains the team's id, so that other teams cannot read
it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from stowage.features.calibration.price_terms import store as terms_store
from stowage.features.calibration.store import finished_jobs
from stowage.features.calibration.store import standing as store
from stowage.features.calibration.store.standing import Standing
from stowage.features.catalog.catalogs import Place, place_in, read_published
from stowage.features.catalog.store import catalog as catalog_store
from stowage.features.measurements.profiles import read_profiles
from stowage.features.measurements.store import profiles as profile_store
from stowage.frozen import frozen
from stowage.measure.fits.calibration import Calibration
from stowage.measure.profiling.for_model import for_model, on_top_of
from stowage.measure.profiling.profiles import TargetProfile
from stowage.model.hardware.catalog import Catalog
from stowage.model.jobs.framework import Framework
from stowage.model.money.discounts import under_terms
from stowage.model.money.price_terms import PriceTerms
from stowage.optimizer.cache import Cache
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.rows import CompiledQuery, Queries, rows_together, together
from stowage.workloads.knowledge import (
    Knowledge,
    KnowledgeSource,
)

_QUERIES: Queries = {**catalog_store.NAMED, "current": (store.CURRENT, store.StandingPart)}
"""Queries of a catalog version, and of the team's own data that is current."""
_QUERY = CompiledQuery(together(_QUERIES))

_KNOWLEDGE: Cache[tuple[UUID, str, tuple[str, ...]], Knowledge] = Cache(most=64)
_CATALOGS: Cache[tuple[UUID, str, tuple[str, ...]], Catalog] = Cache(most=64)
_PROFILES: Cache[tuple[UUID, str], tuple[TargetProfile, ...]] = Cache(most=32)


@frozen
class Own:
    """Digests of a team's own measurements, calibrations and price terms, without their content."""

    org_id: UUID | None
    """None if there is no team."""
    standing: Standing

    @property
    def digest(self) -> str:
        """Return a single digest of the team's own data; "" if the team has none."""
        return self.standing.digest


NOTHING = Own(None, Standing())


def own_of(connection: Connection, org_id: UUID, at: datetime | None = None) -> Own:
    """Look up the digests of a team's own data by one small query.

    With `at`, the digests are those that were current at that time.
    """
    return Own(org_id, store.standing(connection, at))


def digest_of(published: str, own: str) -> str:
    """Return the digest of published and own knowledge together.

    Parameters
    ----------
    published : str
        Digest of the catalog version.
    own : str
        Digest of the team's own data. If it is "", the team has no data, and the result is `published`.
    """
    return hashlib.sha256(f"{published} {own}".encode()).hexdigest() if own else published


def read_place(database: Database, place: Place, own: Own = NOTHING) -> Knowledge:
    """Return a region's catalog with published profiles and a team's own knowledge.

    Parameters
    ----------
    own : Own
        The team's own measurements override published ones, and its price terms discount published prices.
    """
    return on_top(database, own, read_published(database, place), place.key)


def on_top(database: Database, own: Own, published: Knowledge, key: tuple[str, ...]) -> Knowledge:
    """Return published knowledge, overridden by a team's own measurements, calibrations and price terms.

    Parameters
    ----------
    key : tuple of str
        Cache key that identifies the content of ``published``, apart from its digest and regions.
    """
    if own.org_id is None or not own.digest:
        return published
    org_id = own.org_id

    def make() -> Knowledge:
        rows = for_model(_profiles(database, org_id, own.standing), published.catalog.region)
        frameworks = {**published.frameworks, **_frameworks(database, org_id, own.standing)}
        return replace(
            published,
            catalog=_discounted(database, org_id, own.standing, published.catalog, key),
            profiles=on_top_of(published.profiles, rows),
            frameworks=frameworks,
        )

    kept = _KNOWLEDGE.get((org_id, own.digest, key), make)
    return replace(kept, digest=digest_of(published.digest, own.digest), regions=published.regions)


def _discounted(
    database: Database, org_id: UUID, standing: Standing, published: Catalog, key: tuple[str, ...]
) -> Catalog:
    """Return a region's catalog under the team's price terms.

    It is cached apart from the measurements, as the search prepares data for each catalog.
    """
    found = standing.terms
    if found is None:
        return published

    def make() -> Catalog:
        with database.transaction(org_id) as connection:
            stored = terms_store.get(connection, UUID(found.id))
        return under_terms(published, PriceTerms() if stored is None else stored.terms)

    return _CATALOGS.get((org_id, found.digest, key), make)


def _profiles(database: Database, org_id: UUID, standing: Standing) -> tuple[TargetProfile, ...]:
    found = standing.profiles
    if found is None:
        return ()

    def read() -> tuple[TargetProfile, ...]:
        with database.transaction(org_id) as connection:
            stored = profile_store.get(connection, int(found.id))
        return () if stored is None else read_profiles(stored.content)

    return _PROFILES.get((org_id, found.digest), read)


def _frameworks(database: Database, org_id: UUID, standing: Standing) -> Mapping[str, Framework]:
    with database.transaction(org_id) as connection:
        found = [finished_jobs.get_calibration(connection, UUID(each.id)) for each in standing.calibrations]
    fitted = (Calibration.from_dict(each.content["calibration"]).to_framework() for each in found if each is not None)
    return {framework.name: framework for framework in fitted}


def stored_knowledge(database: Database, org_id: UUID, at: datetime | None = None) -> KnowledgeSource:
    """Return the source from which predictions for a team load their data.

    The data are catalogs, published profiles, and the team's own measurements, calibrations and price terms. The
    digests of the team's own data are loaded only once, together with the first catalog. All answers of a request
    therefore use the same data.

    Parameters
    ----------
    org_id : UUID
        The team.
    at : datetime, optional
        Use the team's own data as of this time.
    """
    own: list[Own] = []

    def source(version: str, region: str) -> Knowledge:
        with database.transaction(org_id) as connection:
            found = rows_together(_QUERIES, _QUERY.run(connection, version=version))
            place = place_in(connection, found, version, region)
            if not own:
                current = Own(org_id, store.standing_of(found["current"]))
                own.append(current if at is None else own_of(connection, org_id, at))
        return read_place(database, place, own[0])

    return source


def price_terms_at(connection: Connection, moment: datetime) -> PriceTerms | None:
    """Return the price terms of the transaction's team at a time; None if it had no discount."""
    return terms_store.at(connection, moment)


def find_own(database: Database, org_id: UUID) -> Own:
    """Look up the digests of a team's own data in a transaction of its own."""
    with database.transaction(org_id) as connection:
        return own_of(connection, org_id)
