"""Answers about the catalog: versions, regions, instance and volume types, price history, and differences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from stowage.catalog.difference import Difference, difference, figures_of_volume
from stowage.features.calibration import team_knowledge
from stowage.features.calibration.team_knowledge import NOTHING, Own
from stowage.features.catalog import catalogs
from stowage.features.catalog.catalogs import Place
from stowage.features.catalog.store import catalog as store
from stowage.features.explore import catalog_table as table
from stowage.features.explore import schemas
from stowage.model.figure import Figure, figures_of
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import PRICE_OF, PRICES, InstanceType
from stowage.model.hardware.profile import Profile
from stowage.model.money.price import Purchase
from stowage.optimizer.cache import Cache
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, NotFound, Problem
from stowage.platform.paging import digest_of, foreign_cursor
from stowage.workloads.knowledge import SEARCHED, Knowledge
from stowage.workloads.of_catalog import TermsAnswer

_TABLES: Cache[tuple[str, ...], table.Table] = Cache(most=32)
_REGIONS: Cache[tuple[str, ...], schemas.CatalogRegionsAnswer] = Cache(most=8)


def list_catalogs(
    database: Database, versions: Sequence[store.StoredVersion], *, limit: int, cursor: str | None
) -> schemas.CatalogListAnswer:
    """Return a page of the list of catalog versions, each with its regions.

    Parameters
    ----------
    versions : sequence of StoredVersion
        All versions, in the order of the list.
    limit : int
        Maximum number of versions on the page, at least 1.
    cursor : str or None
        Cursor from the previous page.

    Raises
    ------
    BadInput
        The cursor is invalid.
    """
    first = 0
    if cursor is not None:
        behind = [place for place, row in enumerate(versions, start=1) if digest_of("catalogs", row.version) == cursor]
        if not behind:
            raise foreign_cursor()
        first = behind[0]
    page = versions[first : first + limit]
    with database.transaction(None) as connection:
        regions = store.regions(connection, [row.version for row in page])
    return schemas.CatalogListAnswer(
        catalogs=[
            schemas.CatalogSummary.from_fields(
                row,
                searchable=row.provider == SEARCHED,
                regions=regions[row.version],
            )
            for row in page
        ],
        next_cursor=digest_of("catalogs", page[-1].version) if first + limit < len(versions) else None,
    )


_REFERENCE = "us-east-1"
_BASKET = ("m6g.2xlarge", "r6g.2xlarge", "i3en.2xlarge")
"""Types for general purpose, memory and local disks; in 2026 all regions of AWS sold them."""


def regions_rest_on(database: Database, version: str) -> tuple[str, ...]:
    """Return the digests on which the answer of `read_regions` depends.

    Raises
    ------
    NotFound
        The version does not exist.
    """
    stored = _version(database, version)
    return stored.version, stored.digest


def read_regions(database: Database, version: str) -> schemas.CatalogRegionsAnswer:
    """Return what each region of a catalog version sells, and its price level against us-east-1.

    Raises
    ------
    NotFound
        The version does not exist.
    """
    stored = _version(database, version)
    return _REGIONS.get((stored.version, stored.digest), lambda: _compared(database, stored))


def _version(database: Database, version: str) -> store.StoredVersion:
    with database.transaction(None) as connection:
        stored = store.find(connection, version)
    if stored is None:
        raise NotFound(f"There is no catalog {version}.")
    return stored


def _compared(database: Database, stored: store.StoredVersion) -> schemas.CatalogRegionsAnswer:
    with database.transaction(None) as connection:
        summaries = store.regions(connection, [stored.version])[stored.version]
        offers = store.offers(connection, stored.version, _BASKET)
    there = offers[_REFERENCE].usd_per_hour if _REFERENCE in offers else {}
    rows = [
        schemas.RegionOfferAnswer(
            name=region.name,
            instance_types=region.instance_types,
            priced={purchase: offers[region.name].priced.get(quantity, 0) for purchase, quantity in PRICE_OF.items()},
            volume_types=list(offers[region.name].volume_types),
            basket_types=len(offers[region.name].usd_per_hour),
            price_level=_price_level(offers[region.name].usd_per_hour, there),
        )
        for region in summaries
    ]
    return schemas.CatalogRegionsAnswer(
        version=stored.version,
        as_of=stored.as_of,
        reference=_REFERENCE,
        basket=list(_BASKET),
        regions=sorted(rows, key=lambda row: (row.price_level is None, row.price_level or 0.0, row.name)),
    )


def _price_level(here: Mapping[str, float], there: Mapping[str, float]) -> float | None:
    """Return the ratio of two sums of prices, over the types that have both prices; None if there are none."""
    both = here.keys() & there.keys()
    return sum(here[name] for name in both) / sum(there[name] for name in both) if both else None


def read_region(database: Database, place: Place) -> schemas.RegionAnswer:
    """Return the names of a region's instance and volume types."""
    catalog = _catalog(database, place)
    return schemas.RegionAnswer(
        version=catalog.version,
        region=catalog.region,
        as_of=catalog.as_of,
        instance_types=sorted(catalog.instance_types),
        volume_types=sorted(catalog.volume_types),
    )


def read_table(
    database: Database, place: Place, query: schemas.TableQuery, own: Own = NOTHING
) -> schemas.InstanceTypeTable:
    """Return a page of the table of a region's instance types, with the team's own measurements.

    Raises
    ------
    BadInput
        A condition, a column or the cursor is not accepted.
    """
    whose = (str(own.org_id), own.digest) if own.digest else ()
    key = (*place.key, *whose, query.purchase)
    knowledge = team_knowledge.read_place(database, place, own)
    whole = _TABLES.get(
        key,
        lambda: table.build(
            knowledge.catalog, knowledge.profiles, query.purchase, frozenset(_own_rows(database, place, knowledge))
        ),
    )
    return table.select(whole, key, query)


def read_type(database: Database, place: Place, name: str, own: Own = NOTHING) -> schemas.InstanceTypeAnswer:
    """Return all figures of an instance type.

    Published measurements and the team's own measurements are listed separately.

    Raises
    ------
    NotFound
        The type is not sold in the region.
    """
    knowledge = team_knowledge.read_place(database, place)
    of_team = team_knowledge.read_place(database, place, own)
    instance = _instance(of_team.catalog, name)
    measured = _own_rows(database, place, of_team)
    known = figures_of(instance)
    return schemas.InstanceTypeAnswer.from_fields(
        instance,
        version=knowledge.catalog.version,
        region=knowledge.catalog.region,
        traits=sorted(instance.traits),
        figures=[known[field] for field in _FIGURES if field in known],
        price_terms=TermsAnswer.of(of_team.catalog.price_terms),
        profiles=[_measured(row) for row in knowledge.profiles.rows if row.target == instance.name],
        measured=[_measured(row) for row in measured if row.target == instance.name],
    )


def price_history_rests_on(database: Database, place: Place) -> tuple[str, ...]:
    """Return the digests on which the answer of `read_price_history` depends.

    They are the digests of the region's prices in all catalog versions. The answer can change only if they change.
    """
    with database.transaction(None) as connection:
        return place.region.digest, *store.parts_of_region(connection, place.region.name)


def read_price_history(database: Database, place: Place, name: str) -> schemas.PriceHistoryAnswer:
    """Return the prices of an instance type in a region from all catalog versions.

    Raises
    ------
    NotFound
        The type is not sold in the region in this version.
    """
    _instance(_catalog(database, place), name)
    with database.transaction(None) as connection:
        points = store.price_history(connection, place.region.name, name)
    return schemas.PriceHistoryAnswer(
        name=name,
        region=place.region.name,
        points=[schemas.PricePointAnswer.from_fields(point.figure, catalog_version=point.version) for point in points],
    )


def read_volume_types(database: Database, place: Place, own: Own = NOTHING) -> schemas.VolumeTypesAnswer:
    """Return the limits and prices of the EBS volume types of a region."""
    catalog = team_knowledge.read_place(database, place, own).catalog
    note = None
    if not catalog.volume_types:
        known = ", ".join(place.regions_with_volumes)
        note = f"No price of EBS in {catalog.region} is known to this version; known of {known or 'no region'}."
    return schemas.VolumeTypesAnswer(
        version=catalog.version,
        region=catalog.region,
        volume_types=[
            schemas.VolumeTypeAnswer.from_fields(volume, media=volume.limits.media, figures=figures_of_volume(volume))
            for volume in catalog.volume_types.values()
        ],
        price_terms=TermsAnswer.of(catalog.price_terms),
        note=note,
    )


def find_older(database: Database, place: Place, since: str) -> Place:
    """Find the same region in another catalog version, with which it will be compared.

    Raises
    ------
    BadInput
        The version does not exist, or lacks the region; the path is ``since``.
    """
    try:
        return catalogs.find_place(database, since, place.region.name)
    except NotFound as error:
        raise BadInput([Problem("since", str(error))]) from None


def compare(database: Database, then: Place, now: Place, purchase: Purchase) -> schemas.CatalogDifference:
    """Return the differences between two catalog versions for one region."""
    old, new = _catalog(database, then), _catalog(database, now)
    return difference_answer(old, new, difference(old, new, PRICE_OF[purchase]), purchase)


def difference_answer(old: Catalog, new: Catalog, found: Difference, purchase: Purchase) -> schemas.CatalogDifference:
    """Convert the differences between two catalogs to an answer."""
    return schemas.CatalogDifference.from_fields(
        found,
        then=old.version,
        now=new.version,
        region=new.region,
        purchase=purchase,
        sentence=f"{', '.join(found.counts()) or 'No price and no type changed'}.",
    )


_FIGURES = (
    *(field for field in InstanceType.__dataclass_fields__ if field not in PRICES),
    *PRICES,
)


def _catalog(database: Database, place: Place) -> Catalog:
    return team_knowledge.read_place(database, place).catalog


def _instance(catalog: Catalog, name: str) -> InstanceType:
    if name not in catalog.instance_types:
        raise NotFound(f"Catalog {catalog.version} has no instance type {name} in {catalog.region}.")
    return catalog.instance_types[name]


def _own_rows(database: Database, place: Place, knowledge: Knowledge) -> tuple[Profile, ...]:
    """List the team's own profiles, which override published ones."""
    published = team_knowledge.read_place(database, place).profiles
    if knowledge.profiles is published:
        return ()
    known = set(published.rows)
    return tuple(row for row in knowledge.profiles.rows if row not in known)


def _measured(row: Profile) -> Figure:
    figure = row.figure()
    return replace(figure, quantity=figure.quantity.removeprefix(f"{row.target}."))
