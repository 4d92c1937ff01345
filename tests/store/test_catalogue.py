"""Catalogues in the store: equal to what was put in, and immutable once a plan rests on them."""

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
from stowage.catalog.snapshot import Snapshot, packaged
from stowage.model.catalogue import Catalogue, VolumeType, volume_type
from stowage.model.figure import Figure, Kind
from stowage.model.instance import InstanceType, Media
from stowage.model.profile import Metric, Profile, Profiles, Statistic
from stowage.model.volume_limits import VolumeLimits, volume_limits
from stowage.store import plans
from stowage.store.catalogue import load, put_snapshot, versions
from stowage.store.database import Database
from stowage.store.embedded import DatabaseUrls
from stowage.store.errors import CatalogueChanged, NotFound

T = TypeVar("T")

DIGEST = sha256(b"some content").hexdigest()
OTHER_DIGEST = sha256(b"other content").hexdigest()


@pytest.fixture
def snapshot(postgres: DatabaseUrls) -> Iterator[Snapshot]:
    """Give the packaged catalogue under a name of the test's own, and remove what the test stored under it."""
    original = packaged("paper-2014")
    version = f"paper-2014-{uuid4()}"
    yield replace(original, catalogue=replace(original.catalogue, version=version), digest=DIGEST)
    with superuser(postgres) as connection:
        connection.execute("DELETE FROM plan WHERE catalogue_version = %s", [version])
        connection.execute("DELETE FROM catalogue WHERE version = %s", [version])


def put(connection: Connection, snapshot: Snapshot) -> bool:
    return put_snapshot(connection, snapshot.catalogue, snapshot.profiles, snapshot.digest)


def rest_a_plan_on(connection: Connection, version: str) -> plans.StoredPlan:
    plan = plans.StoredPlan(
        id=uuid4(),
        name="nightly sort",
        workload={},
        catalogue_version=version,
        profiles_digest=DIGEST,
        model_version="1",
        answer={},
        best_instance=None,
        best_nodes=None,
        best_time_s=None,
        best_cost_usd=None,
        created_at=datetime(2026, 7, 1, tzinfo=UTC),
    )
    plans.insert(connection, plan)
    return plan


def test_the_packaged_catalogue_comes_back_as_it_was_put_in(database: Database) -> None:
    expected = packaged("paper-2014")
    with database.transaction(None) as connection:
        stored = load(connection, "paper-2014")
    assert stored.catalogue == expected.catalogue
    assert stored.profiles.rows == expected.profiles.rows
    assert stored.digest == expected.digest
    assert list(stored.catalogue.instance_types) == list(expected.catalogue.instance_types)
    for name, instance_type in expected.catalogue.instance_types.items():
        assert list(stored.catalogue.instance_types[name].gaps) == list(instance_type.gaps)


def test_an_organisation_loads_the_same_catalogue_as_anybody(database: Database, org_id: UUID) -> None:
    with database.transaction(org_id) as connection:
        assert load(connection, "paper-2014").catalogue == packaged("paper-2014").catalogue


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
DAYS = st.dates(min_value=date(2006, 1, 1))
KINDS = st.sampled_from(get_args(Kind))


def figures(quantity: str) -> st.SearchStrategy[Figure]:
    return st.builds(Figure, st.just(quantity), NUMBERS, TEXTS, TEXTS, KINDS, st.none() | DAYS)


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
        usd_per_hour=st.none() | figures("usd_per_hour"),
        ebs_usd_per_hour=st.none() | figures("ebs_usd_per_hour"),
        gaps=st.dictionaries(TEXTS, TEXTS, max_size=2),
        ebs_maximum_mb_per_s=st.none() | figures("ebs_maximum_mb_per_s"),
        network_peak_mb_per_s=st.none() | figures("network_peak_mb_per_s"),
        spot_usd_per_hour=st.none() | figures("spot_usd_per_hour"),
    )


def volume_types(name: str, as_of: date) -> st.SearchStrategy[VolumeType]:
    required = ("smallest_gib", "largest_gib", "usd_per_gib_month", "annual_failure_rate")
    optional = ("usd_per_iops_month", "usd_per_mib_per_s_month", "usd_per_million_io")
    given = st.fixed_dictionaries(
        {quantity: figures(quantity) for quantity in required},
        optional={quantity: figures(quantity) for quantity in optional},
    )
    return given.map(lambda found: volume_type(name, found, as_of))


def catalogues(as_of: date) -> st.SearchStrategy[Catalogue]:
    known = [name for name in ("standard", "io1", "gp2", "st1", "sc1", "io2", "gp3") if offered(name, as_of)]
    names = st.lists(st.sampled_from(known), unique=True, max_size=2) if known else st.just([])
    return st.builds(
        Catalogue,
        version=NAMES,
        title=TEXTS,
        as_of=st.just(as_of),
        region=TEXTS,
        instance_types=named(instance_types),
        volume_types=names.flatmap(
            lambda names: st.fixed_dictionaries({name: volume_types(name, as_of) for name in names})
        ),
    )


def offered(name: str, on: date) -> bool:
    return isinstance(volume_limits(name, on), VolumeLimits)


def named(of: Callable[[str], st.SearchStrategy[T]]) -> st.SearchStrategy[dict[str, T]]:
    return st.lists(NAMES, unique=True, max_size=2).flatmap(
        lambda names: st.fixed_dictionaries({name: of(name) for name in names})
    )


CATALOGUES = DAYS.flatmap(catalogues)
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
@given(catalogue=CATALOGUES, rows=st.lists(PROFILES, max_size=3))
def test_any_catalogue_comes_back_as_it_was_put_in(owner: Database, catalogue: Catalogue, rows: list[Profile]) -> None:
    with undone(owner) as connection:
        put_snapshot(connection, catalogue, Profiles(tuple(rows)), DIGEST)
        stored = load(connection, catalogue.version)
    assert stored.catalogue == catalogue
    assert stored.profiles.rows == tuple(rows)
    assert list(stored.catalogue.instance_types) == list(catalogue.instance_types)
    assert list(stored.catalogue.volume_types) == list(catalogue.volume_types)


def test_money_is_a_decimal_in_the_database_and_the_very_same_float_outside(
    owner: Database, snapshot: Snapshot
) -> None:
    # 17 digits; PostgreSQL keeps 15 of a float that it converts to NUMERIC itself.
    price = 0.1 + 0.2
    name, instance_type = next(iter(snapshot.catalogue.instance_types.items()))
    changed = replace(instance_type, usd_per_hour=Figure("usd_per_hour", price, "USD/h", "a sum", "given"))
    catalogue = replace(snapshot.catalogue, instance_types={name: changed})
    with undone(owner) as connection:
        put_snapshot(connection, catalogue, Profiles(()), DIGEST)
        digits, sort = connection.execute(
            text(
                "SELECT value::text, pg_typeof(value)::text FROM instance_figure "
                "WHERE catalogue_version = :version AND quantity = 'usd_per_hour'"
            ),
            {"version": catalogue.version},
        ).one()
        read = load(connection, catalogue.version).catalogue.instance_types[name].usd_per_hour
    assert (digits, sort) == ("0.30000000000000004", "numeric")
    assert read is not None
    assert struct.pack("d", read.value) == struct.pack("d", price)


def test_a_figure_that_is_not_named_after_its_field_is_refused(owner: Database, snapshot: Snapshot) -> None:
    name, instance_type = next(iter(snapshot.catalogue.instance_types.items()))
    misnamed = replace(instance_type, vcpus=replace(instance_type.vcpus, quantity="cores"))
    catalogue = replace(snapshot.catalogue, instance_types={name: misnamed})
    with undone(owner) as connection, pytest.raises(ValueError, match=rf"{name}\.vcpus: figure is named 'cores'"):
        put_snapshot(connection, catalogue, Profiles(()), DIGEST)


def test_putting_the_same_content_again_does_nothing(owner: Database, snapshot: Snapshot) -> None:
    with undone(owner) as connection:
        assert put(connection, snapshot) is True
        assert put(connection, snapshot) is False
        assert load(connection, snapshot.catalogue.version).profiles.rows == snapshot.profiles.rows


def test_content_that_no_plan_rests_on_is_replaced_whole(owner: Database, snapshot: Snapshot) -> None:
    name, instance_type = next(iter(snapshot.catalogue.instance_types.items()))
    smaller = replace(
        snapshot,
        catalogue=replace(snapshot.catalogue, title="Smaller", instance_types={name: instance_type}),
        profiles=Profiles(snapshot.profiles.rows[:1]),
        digest=OTHER_DIGEST,
    )
    with undone(owner) as connection:
        put(connection, snapshot)
        assert put(connection, smaller) is True
        stored = load(connection, snapshot.catalogue.version)
    assert stored.catalogue == smaller.catalogue
    assert stored.profiles.rows == smaller.profiles.rows
    assert stored.digest == OTHER_DIGEST


def test_content_that_another_organisations_plan_rests_on_cannot_be_changed(
    owner: Database, database: Database, org_id: UUID, snapshot: Snapshot
) -> None:
    with owner.transaction(None) as connection:
        put(connection, snapshot)
    with database.transaction(org_id) as connection:
        plan = rest_a_plan_on(connection, snapshot.catalogue.version)
    with owner.transaction(None) as connection:
        with pytest.raises(CatalogueChanged, match=rf"'{snapshot.catalogue.version}': plans rest on the content"):
            put(connection, replace(snapshot, digest=OTHER_DIGEST))
        # The transaction can go on, with everything as it was.
        assert load(connection, snapshot.catalogue.version).digest == DIGEST
        assert put(connection, snapshot) is False
    with database.transaction(org_id) as connection:
        assert plans.get(connection, plan.id) == plan


def test_a_process_that_starts_at_the_same_time_finds_the_catalogue_loaded(owner: Database, snapshot: Snapshot) -> None:
    def start(_: int) -> bool:
        with owner.transaction(None) as connection:
            return put(connection, snapshot)

    with ThreadPoolExecutor() as processes:
        assert sorted(processes.map(start, range(4))) == [False, False, False, True]


def test_versions_are_listed_newest_first_by_date_then_by_loading(owner: Database, snapshot: Snapshot) -> None:
    def dated(version: str, as_of: date) -> Snapshot:
        return replace(snapshot, catalogue=replace(snapshot.catalogue, version=version, as_of=as_of))

    with undone(owner) as connection:
        for version, as_of in (("b", date(2031, 1, 1)), ("c", date(2030, 1, 1)), ("a", date(2031, 1, 1))):
            put(connection, dated(version, as_of))
        connection.execute(text("UPDATE catalogue SET loaded_at = loaded_at - interval '1 hour' WHERE version = 'a'"))
        listed = versions(connection)
    assert [entry.version for entry in listed][:3] == ["b", "a", "c"]
    assert listed[-1].version == "paper-2014"
    assert listed[0].title == snapshot.catalogue.title
    assert listed[0].digest == DIGEST
    assert listed[0].loaded_at.tzinfo is not None


def test_a_version_that_is_not_stored_is_answered_with_those_that_are(database: Database) -> None:
    with (
        database.transaction(None) as connection,
        pytest.raises(NotFound, match=r"catalogue 'paper-2041' is not stored; stored are: .*paper-2014"),
    ):
        load(connection, "paper-2041")
