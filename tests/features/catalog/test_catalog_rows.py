"""Stored catalogs: equal to their source, and immutable once a plan refers to them."""

import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import TypeVar, get_args
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from database import superuser, undone
from stowage.catalog.snapshot import LATEST, VERSIONS, packaged
from stowage.catalog.stats import known_by_region
from stowage.cli.server.preparation import prepare_database
from stowage.features.catalog.store import catalog as store
from stowage.features.catalog.store.catalog import load, put_version, versions
from stowage.features.planning import store as plans
from stowage.model.figure import Figure, Kind
from stowage.model.hardware.catalog import CatalogVersion, Provider, Region, VolumeType, volume_type
from stowage.model.hardware.instance import PRICES, InstanceType, Media, Trait
from stowage.model.hardware.offered import PRICE_UNIT
from stowage.model.hardware.profile import Metric, Profile, Profiles, Statistic
from stowage.model.hardware.volume_limits import VolumeLimits, volume_limits
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.errors import CatalogChanged, NotFound

T = TypeVar("T")

DIGEST = sha256(b"some content").hexdigest()
OTHER_DIGEST = sha256(b"other content").hexdigest()


@pytest.fixture
def paper(postgres: DatabaseUrls) -> Iterator[CatalogVersion]:
    """Yield the paper's catalog under a name of the test's own, and delete all that the test stored under it."""
    version = f"paper-2014-{uuid4()}"
    yield replace(packaged("paper-2014"), version=version, digest=DIGEST)
    with superuser(postgres) as connection:
        connection.execute("DELETE FROM plan WHERE catalog_version = %s", [version])
        connection.execute("DELETE FROM catalog WHERE version = %s", [version])


def parts(connection: Connection) -> set[str]:
    return set(connection.scalars(text("SELECT digest FROM catalog_part")))


def rest_a_plan_on(connection: Connection, version: str) -> plans.StoredPlan:
    plan = plans.StoredPlan(
        id=uuid4(),
        name="nightly sort",
        workload={},
        catalog_version=version,
        profiles_digest=DIGEST,
        model_version="1",
        answer=b"",
        best_instance=None,
        best_nodes=None,
        best_time_s=None,
        best_cost_usd=None,
        created_at=datetime(2026, 7, 1, tzinfo=UTC),
    )
    plans.insert(connection, plan)
    return plan


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_packaged_comes_back_as_it_was_put_in(database: Database, version: str) -> None:
    expected = packaged(version)
    with database.transaction(None) as connection:
        stored = load(connection, version)
    assert stored == replace(expected, regions=dict(expected.regions))
    assert list(stored.instance_types) == list(expected.instance_types)
    assert list(stored.regions) == list(expected.regions)
    for name, instance in expected.instance_types.items():
        assert list(stored.instance_types[name].gaps) == list(instance.gaps)


def test_an_organisation_loads_the_same_catalog_as_anybody(database: Database, org_id: UUID) -> None:
    with database.transaction(org_id) as connection:
        assert load(connection, "paper-2014").in_region("us-east-1") == packaged("paper-2014").in_region("us-east-1")


def test_preparing_a_database_again_writes_no_catalog(postgres: DatabaseUrls, owner: Database) -> None:
    def written() -> dict[str, object]:
        with owner.transaction(None) as connection:
            return {row.version: row.xmin for row in connection.execute(text("SELECT version, xmin FROM catalog"))}

    before = written()
    assert set(VERSIONS) <= set(before)
    assert not prepare_database(postgres.owner, postgres.application, postgres.gate)
    assert written() == before


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
DAYS = st.dates(min_value=date(2006, 1, 1))
KINDS = st.sampled_from(get_args(Kind))


def figures(quantity: str) -> st.SearchStrategy[Figure]:
    unit = st.just(PRICE_UNIT) if quantity in PRICES else TEXTS
    return st.builds(Figure, st.just(quantity), NUMBERS, unit, TEXTS, KINDS, st.none() | DAYS)


def instance_types(name: str) -> st.SearchStrategy[InstanceType]:
    return st.builds(
        InstanceType,
        name=st.just(name),
        vcpus=figures("vcpus"),
        memory_gib=figures("memory_gib"),
        disk_count=figures("disk_count"),
        disk_size_gb=st.none() | figures("disk_size_gb"),
        disk_media=st.none() | st.sampled_from(get_args(Media)),
        placement_group=st.booleans(),
        usd_per_hour=st.none(),
        ebs_usd_per_hour=st.none(),
        gaps=st.dictionaries(TEXTS, TEXTS, max_size=2),
        ebs_maximum_mb_per_s=st.none() | figures("ebs_maximum_mb_per_s"),
        network_peak_mb_per_s=st.none() | figures("network_peak_mb_per_s"),
        cpu_baseline_share=st.none() | figures("cpu_baseline_share"),
        traits=st.frozensets(st.sampled_from(get_args(Trait))),
    )


def volume_types(name: str, as_of: date) -> st.SearchStrategy[VolumeType]:
    required = ("smallest_gib", "largest_gib", "usd_per_gib_month", "annual_failure_rate")
    optional = ("usd_per_iops_month", "usd_per_mib_per_s_month", "usd_per_million_io")
    given = st.fixed_dictionaries(
        {quantity: figures(quantity) for quantity in required},
        optional={quantity: figures(quantity) for quantity in optional},
    )
    return given.map(lambda found: volume_type(name, found, as_of))


def regions(as_of: date, sold: list[str]) -> st.SearchStrategy[dict[str, Region]]:
    known = [name for name in ("standard", "io1", "gp2", "st1", "sc1", "io2", "gp3") if offered(name, as_of)]
    volumes = st.lists(st.sampled_from(known), unique=True, max_size=2) if known else st.just([])
    prices = st.fixed_dictionaries({}, optional={quantity: figures(quantity) for quantity in PRICES})
    return named(
        lambda region: st.builds(
            Region,
            name=st.just(region),
            prices=st.lists(st.sampled_from(sold), unique=True).flatmap(
                lambda here: st.fixed_dictionaries(dict.fromkeys(here, prices))
            )
            if sold
            else st.just({}),
            volume_types=volumes.flatmap(
                lambda names: st.fixed_dictionaries({name: volume_types(name, as_of) for name in names})
            ),
        )
    )


def catalogs(as_of: date) -> st.SearchStrategy[CatalogVersion]:
    return named(instance_types).flatmap(
        lambda hardware: st.builds(
            CatalogVersion,
            version=NAMES,
            title=TEXTS,
            as_of=st.just(as_of),
            provider=st.sampled_from(get_args(Provider)),
            instance_types=st.just(hardware),
            regions=regions(as_of, list(hardware)),
            profiles=st.lists(PROFILES, max_size=3).map(lambda rows: Profiles(tuple(rows))),
            digest=st.just(DIGEST),
        )
    )


def offered(name: str, on: date) -> bool:
    return isinstance(volume_limits(name, on), VolumeLimits)


def named(of: Callable[[str], st.SearchStrategy[T]]) -> st.SearchStrategy[dict[str, T]]:
    return st.lists(NAMES, unique=True, max_size=2).flatmap(
        lambda names: st.fixed_dictionaries({name: of(name) for name in names})
    )


COUNTS = st.none() | st.integers(min_value=1, max_value=2**31 - 1)
PROFILES = st.builds(
    Profile,
    target=TEXTS,
    metric=st.sampled_from(get_args(Metric)),
    mean=st.floats(min_value=0, exclude_min=True, allow_infinity=False),
    spread=st.none() | st.floats(min_value=0, allow_infinity=False),
    count=COUNTS,
    cluster_nodes=COUNTS,
    statistic=st.sampled_from(get_args(Statistic)),
    placement_group=st.none() | st.booleans(),
    source=TEXTS,
    kind=KINDS,
    as_of=DAYS,
)


@settings(max_examples=40, deadline=None)
@given(version=DAYS.flatmap(catalogs))
def test_any_catalog_comes_back_as_it_was_put_in(owner: Database, version: CatalogVersion) -> None:
    with undone(owner) as connection:
        put_version(connection, version)
        stored = load(connection, version.version)
        listed = store.regions(connection, [version.version])[version.version]
    assert stored == version
    assert list(stored.instance_types) == list(version.instance_types)
    for name, region in version.regions.items():
        assert list(stored.regions[name].prices) == list(region.prices)
        assert list(stored.regions[name].volume_types) == list(region.volume_types)
    assert [(row.name, row.instance_types, row.priced, row.volume_types) for row in listed] == [
        (
            name,
            len(region.prices),
            len([sold for sold, prices in region.prices.items() if "usd_per_hour" in prices]),
            len(region.volume_types),
        )
        for name, region in version.regions.items()
    ]


def test_money_is_a_decimal_in_the_database_and_the_very_same_float_outside(
    owner: Database, paper: CatalogVersion
) -> None:
    # 17 digits; PostgreSQL keeps 15 of a float that it converts to NUMERIC itself.
    price = 0.1 + 0.2
    name = next(iter(paper.instance_types))
    given = Figure("usd_per_hour", price, "USD/h", "a sum", "given")
    priced = replace(paper, regions={"mars-1": Region("mars-1", {name: {"usd_per_hour": given}}, {})})
    with undone(owner) as connection:
        put_version(connection, priced)
        digits, sort = connection.execute(
            text(
                "SELECT value::text, pg_typeof(value)::text FROM region_price JOIN catalog_region USING (part) "
                "WHERE version = :version"
            ),
            {"version": paper.version},
        ).one()
        read = load(connection, paper.version).regions["mars-1"].prices[name]["usd_per_hour"]
    assert (digits, sort) == ("0.30000000000000004", "numeric")
    assert struct.pack("d", read.value) == struct.pack("d", price)


def test_a_figure_that_is_not_named_after_its_field_is_refused(owner: Database, paper: CatalogVersion) -> None:
    name, hardware = next(iter(paper.instance_types.items()))
    misnamed = replace(hardware, vcpus=replace(hardware.vcpus, quantity="cores"))
    with undone(owner) as connection, pytest.raises(ValueError, match=rf"{name}\.vcpus: figure is named 'cores'"):
        put_version(connection, replace(paper, instance_types={name: misnamed}))


def test_a_price_is_a_region_s_and_no_figure_of_hardware_is(owner: Database, paper: CatalogVersion) -> None:
    name, hardware = next(iter(paper.instance_types.items()))
    priced = replace(hardware, usd_per_hour=Figure("usd_per_hour", 1.0, "USD/h", "a price", "given"))
    with undone(owner) as connection, pytest.raises(ValueError, match=r"usd_per_hour: hardware has no price"):
        put_version(connection, replace(paper, instance_types={name: priced}))
    region = Region("mars-1", {name: {"vcpus": hardware.vcpus}}, {})
    with undone(owner) as connection, pytest.raises(ValueError, match=r"figure is named 'vcpus', must be its price"):
        put_version(connection, replace(paper, regions={"mars-1": region}))
    daily = Figure("usd_per_hour", 24.0, "USD/d", "a price", "given")
    region = Region("mars-1", {name: {"usd_per_hour": daily}}, {})
    with undone(owner) as connection, pytest.raises(ValueError, match=r"price is in 'USD/d', must be in USD/h"):
        put_version(connection, replace(paper, regions={"mars-1": region}))


def test_putting_the_same_content_again_does_nothing(owner: Database, paper: CatalogVersion) -> None:
    with undone(owner) as connection:
        assert put_version(connection, paper) is True
        assert put_version(connection, paper) is False
        assert load(connection, paper.version).profiles.rows == paper.profiles.rows


def test_content_that_no_plan_rests_on_is_replaced_whole(owner: Database, paper: CatalogVersion) -> None:
    name, hardware = next(iter(paper.instance_types.items()))
    smaller = replace(
        paper,
        title="Smaller",
        instance_types={name: replace(hardware, traits=frozenset({"nitro"}))},
        regions={"mars-1": Region("mars-1", {name: {}}, {})},
        profiles=Profiles(paper.profiles.rows[:1]),
        digest=OTHER_DIGEST,
    )
    with undone(owner) as connection:
        before = parts(connection)
        put_version(connection, smaller)
        with_smaller = parts(connection)
        assert put_version(connection, paper) is True
        assert load(connection, paper.version) == paper
        # Parts that no version refers to are deleted; parts of another version, as paper-2014 has all of these, stay.
        assert with_smaller - before
        assert not parts(connection) & (with_smaller - before)
        assert load(connection, "paper-2014").regions == paper.regions
        assert put_version(connection, smaller) is True
        assert load(connection, paper.version) == smaller


def test_a_version_stores_only_the_regions_that_changed(database: Database) -> None:
    newest = packaged(LATEST)
    east = newest.regions["us-east-1"]
    cheaper = {
        name: {quantity: replace(figure, value=figure.value / 2) for quantity, figure in prices.items()}
        for name, prices in east.prices.items()
    }
    regions = {**newest.regions, "us-east-1": replace(east, prices=cheaper)}
    fetched = replace(newest, version=f"aws-{uuid4()}", regions=regions, digest=DIGEST)
    with undone(database) as connection:
        before = parts(connection)
        assert put_version(connection, fetched, origin="refresh")
        assert len(parts(connection) - before) == 1
        assert load(connection, fetched.version) == fetched
        found = store.find(connection, fetched.version)
    assert found is not None
    assert found.origin == "refresh"


def test_types_are_counted_as_priced_where_they_have_an_on_demand_price(database: Database) -> None:
    """A link that costs nothing extra is a figure too, and no price of a type; `catalog stats` agrees."""
    with database.transaction(None) as connection:
        counted = store.regions(connection, VERSIONS)
    for version in VERSIONS:
        known = known_by_region(packaged(version))
        assert {region.name: region.priced for region in counted[version]} == {
            name: known[name].priced for name in packaged(version).regions
        }


def test_what_a_price_history_rests_on_changes_where_the_region_does(database: Database) -> None:
    newest = packaged(LATEST)
    west = newest.regions["us-west-2"]
    fewer = replace(west, prices={name: west.prices[name] for name in list(west.prices)[1:]})
    regions = {**newest.regions, "us-west-2": fewer}
    fetched = replace(newest, version=f"aws-{uuid4()}", as_of=date(2026, 11, 20), regions=regions, digest=DIGEST)
    with undone(database) as connection:
        before = {name: store.parts_of_region(connection, name) for name in ("us-east-1", "us-west-2")}
        assert put_version(connection, fetched, origin="refresh")
        assert store.parts_of_region(connection, "us-east-1") == before["us-east-1"]
        assert len(store.parts_of_region(connection, "us-west-2")) == len(before["us-west-2"]) + 1


def test_the_application_adds_versions_and_replaces_none(
    owner: Database, database: Database, paper: CatalogVersion
) -> None:
    with database.transaction(None) as connection:
        assert put_version(connection, paper, origin="refresh") is True
    with database.transaction(None) as connection:
        with pytest.raises(CatalogChanged, match="the application replaces no content"):
            put_version(connection, replace(paper, digest=OTHER_DIGEST))
        assert load(connection, paper.version) == paper
    with undone(owner) as connection:
        assert put_version(connection, replace(paper, digest=OTHER_DIGEST)) is True


def test_content_that_another_organisations_plan_rests_on_cannot_be_changed(
    owner: Database, database: Database, org_id: UUID, paper: CatalogVersion
) -> None:
    with owner.transaction(None) as connection:
        put_version(connection, paper)
    with database.transaction(org_id) as connection:
        plan = rest_a_plan_on(connection, paper.version)
    with owner.transaction(None) as connection:
        with pytest.raises(CatalogChanged, match=rf"'{paper.version}': plans rest on the content"):
            put_version(connection, replace(paper, digest=OTHER_DIGEST))
        # The transaction can continue, with nothing changed.
        assert load(connection, paper.version).digest == DIGEST
        assert put_version(connection, paper) is False
    with database.transaction(org_id) as connection:
        assert plans.get(connection, plan.id) == plan


def test_a_process_that_starts_at_the_same_time_finds_the_catalog_loaded(
    owner: Database, paper: CatalogVersion
) -> None:
    def start(_: int) -> bool:
        with owner.transaction(None) as connection:
            return put_version(connection, paper)

    with ThreadPoolExecutor() as processes:
        assert sorted(processes.map(start, range(4))) == [False, False, False, True]


def test_versions_are_listed_newest_first_by_date_then_by_loading_and_others_last(
    owner: Database, paper: CatalogVersion
) -> None:
    with undone(owner) as connection:
        for version, as_of in (("b", date(2031, 1, 1)), ("c", date(2030, 1, 1)), ("a", date(2031, 1, 1))):
            put_version(connection, replace(paper, version=version, as_of=as_of))
        put_version(connection, replace(paper, version="gce", provider="gce", as_of=date(2032, 1, 1)))
        connection.execute(text("UPDATE catalog SET loaded_at = loaded_at - interval '1 hour' WHERE version = 'a'"))
        listed = versions(connection)
        latest = store.find(connection, "latest")
    names = [entry.version for entry in listed]
    assert names[:3] == ["b", "a", "c"]
    assert names.index("gce") > names.index("paper-2014")
    assert latest == listed[0]
    assert listed[0].title == paper.title
    assert listed[0].digest == DIGEST
    assert listed[0].loaded_at.tzinfo is not None


def test_the_price_history_has_each_price_once_with_the_version_that_knew_it_first(
    owner: Database, paper: CatalogVersion
) -> None:
    name = next(iter(paper.instance_types))

    def priced(version: str, as_of: date, value: float, of: date) -> CatalogVersion:
        figure = Figure("usd_per_hour", value, "USD/h", "a price list", "published", of)
        region = Region("mars-1", {name: {"usd_per_hour": figure}}, {})
        return replace(paper, version=version, as_of=as_of, regions={"mars-1": region})

    with undone(owner) as connection:
        for version in (
            priced("third", date(2030, 3, 1), 1.5, date(2030, 3, 1)),
            priced("first", date(2030, 1, 1), 2.0, date(2030, 1, 1)),
            priced("second", date(2030, 2, 1), 2.0, date(2030, 1, 1)),
        ):
            put_version(connection, version)
        points = store.price_history(connection, "mars-1", name)
        assert store.price_history(connection, "mars-2", name) == ()
    assert [(point.figure.as_of, point.figure.value, point.version) for point in points] == [
        (date(2030, 1, 1), 2.0, "first"),
        (date(2030, 3, 1), 1.5, "third"),
    ]
    assert points[0].figure.source == "a price list"


def test_a_version_that_is_not_stored_is_answered_with_those_that_are(database: Database) -> None:
    with (
        database.transaction(None) as connection,
        pytest.raises(NotFound, match=r"catalog 'paper-2041' is not stored; stored are: .*paper-2014"),
    ):
        load(connection, "paper-2041")
