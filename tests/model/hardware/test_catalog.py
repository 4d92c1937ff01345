"""Catalog versions, their regions, and facts about a type beyond its figures."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from knowledge import AWS_2026, IN_2026, predicted, published
from model.disks import BURSTING, EACH_WAY, WITHOUT_NITRO
from stowage.model.cluster import Configuration, Ebs, InstanceStore, check_layout, data_volumes
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog, CatalogVersion, Region
from stowage.model.hardware.instance import PRICES, Trait
from stowage.model.hardware.offered import OfferedTypes, PriceColumns, Source, usd_of
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.money.price import Purchase
from stowage.model.prediction import predict

R5, R5D = (AWS_2026.catalog.instance_types[name] for name in ("r5.xlarge", "r5d.xlarge"))
VERSION = CatalogVersion(
    version="test",
    title="Two types in two regions",
    as_of=date(2026, 11, 20),
    provider="aws",
    instance_types={r5.name: replace(r5, usd_per_hour=None, spot_usd_per_hour=None) for r5 in (R5, R5D)},
    regions={
        "us-east-1": Region(
            "us-east-1",
            {"r5.xlarge": {"usd_per_hour": published("usd_per_hour", 0.25, "USD/h")}, "r5d.xlarge": {}},
            AWS_2026.catalog.volume_types,
        ),
        "af-south-1": Region("af-south-1", {"r5.xlarge": {}}, {}),
    },
    profiles=AWS_2026.profiles,
    digest="0" * 64,
)


def test_a_region_has_its_own_prices_types_and_volumes() -> None:
    here, there = VERSION.in_region("us-east-1"), VERSION.in_region("af-south-1")
    price = here.instance_types["r5.xlarge"].usd_per_hour
    assert price is not None
    assert price.value == 0.25
    assert here.instance_types["r5.xlarge"].vcpus == R5.vcpus
    assert here.instance_types["r5d.xlarge"].usd_per_hour is None
    assert (here.version, here.title, here.as_of, here.provider) == ("test", VERSION.title, VERSION.as_of, "aws")
    assert (set(there.instance_types), there.instance_types["r5.xlarge"].usd_per_hour) == ({"r5.xlarge"}, None)
    assert (here.volume_types, there.volume_types) == (AWS_2026.catalog.volume_types, {})


def test_a_region_that_a_version_does_not_have_has_no_catalog() -> None:
    with pytest.raises(KeyError, match="mars-north-1"):
        VERSION.in_region("mars-north-1")


def test_a_catalog_knows_its_families_and_is_equal_to_one_of_the_same_content() -> None:
    catalog = EACH_WAY.catalog
    assert [instance.name for instance in catalog.family("i3en")] == [
        "i3en.large", "i3en.xlarge", "i3en.2xlarge", "i3en.24xlarge",
    ]  # fmt: skip
    assert catalog.family("i3") == ()
    assert BURSTING.family == "t3"
    same = Catalog(
        catalog.version,
        catalog.title,
        catalog.as_of,
        catalog.region,
        dict(catalog.instance_types),
        dict(catalog.volume_types),
    )
    assert same == catalog
    assert "_families" not in repr(catalog)
    fewer = replace(catalog, instance_types={"t3.xlarge": BURSTING})
    assert (fewer.family("i3en"), fewer.family("t3")) == ((), (BURSTING,))


def test_a_catalog_sells_under_an_option_that_a_type_of_its_region_has_a_price_for() -> None:
    here, there = VERSION.in_region("us-east-1"), VERSION.in_region("af-south-1")
    options: tuple[Purchase, ...] = ("on-demand", "spot")
    assert [here.sells(purchase) for purchase in options] == [True, False]
    assert [there.sells(purchase) for purchase in options] == [False, False]
    assert all(AWS_2026.catalog.sells(purchase) for purchase in options)


def test_a_catalog_of_some_types_has_their_hardware_and_their_prices() -> None:
    there = VERSION.in_region("af-south-1").only({"r5d.xlarge", "r5.xlarge", "unknown"})
    assert (set(there.hardware), set(there.instance_types)) == ({"r5d.xlarge", "r5.xlarge"}, {"r5.xlarge"})
    whole = AWS_2026.catalog
    some = whole.only({"r5.xlarge", "r5d.4xlarge"})
    assert dict(some.instance_types) == {name: whole.instance_types[name] for name in ("r5.xlarge", "r5d.4xlarge")}
    assert replace(some, instance_types=whole.instance_types) == whole


def test_prices_by_column_are_those_of_each_type() -> None:
    sources: list[Source] = [("AWS", "published", IN_2026), ("AWS' spot prices", "measured", IN_2026)]
    columns: dict[str, tuple[list[float | None], list[int | None]]] = {
        "usd_per_hour": ([0.25, None], [0, None]),
        "spot_usd_per_hour": ([0.07, 0.08], [1, 1]),
    }
    prices = PriceColumns(["r5.xlarge", "r5d.xlarge"], columns, sources)
    spot = Figure("spot_usd_per_hour", 0.08, "USD/h", "AWS' spot prices", "measured", IN_2026)
    assert (len(prices), list(prices)) == (2, ["r5.xlarge", "r5d.xlarge"])
    assert prices["r5d.xlarge"] == {"spot_usd_per_hour": spot}
    offered = OfferedTypes(VERSION.instance_types, prices)
    assert offered["r5d.xlarge"].spot_usd_per_hour == spot
    for quantity in PRICES:
        figures = [prices[name].get(quantity) for name in prices]
        expected = [np.nan if figure is None else figure.value for figure in figures]
        assert usd_of(offered, quantity).tolist() == pytest.approx(expected, rel=0, nan_ok=True)


STEADY = Assumptions(network="unlimited", spread="ignored", launch="ignored")
ON_GP3 = Ebs("gp3", 2_000, 8, 16_000, 1_000)


def test_a_type_that_bursts_is_sized_on_what_its_cpus_sustain() -> None:
    """4 vCPUs of 100 MB/s, of which 40% are sustained."""
    job = Hdfs("hdfs-read", 100_000.0, Durability("infrastructure"))
    workload = Workload("", job, assume=STEADY)
    unthrottled = replace(
        EACH_WAY.catalog,
        instance_types={
            "t3.xlarge": replace(BURSTING, ebs_baseline_mb_per_s=BURSTING.ebs_maximum_mb_per_s),
            "m5.xlarge": replace(
                BURSTING,
                name="m5.xlarge",
                traits=frozenset({"nitro"}),
                cpu_baseline_share=None,
                ebs_baseline_mb_per_s=BURSTING.ebs_maximum_mb_per_s,
            ),
        },
    )
    known = replace(EACH_WAY, catalog=unthrottled)
    bursting = predicted(Configuration("t3.xlarge", 1, ON_GP3), workload, known)
    assert bursting.phases[0].bottleneck == "CPU"
    assert bursting.time_s.p50 == pytest.approx(100_000.0 / (4 * 100.0 * 0.4))
    steady = predicted(Configuration("m5.xlarge", 1, ON_GP3), workload, known)
    assert steady.time_s.p50 < bursting.time_s.p50
    listed = {figure.quantity for figure in bursting.provenance}
    assert "t3.xlarge.cpu_baseline_share" in listed


def test_a_burst_of_unknown_share_is_assumed_to_sustain_the_least_that_aws_states_of_any() -> None:
    """4 vCPUs of 100 MB/s, of which 5% are sustained."""
    workload = Workload("", Hdfs("hdfs-read", 100_000.0, Durability("infrastructure")), assume=STEADY)
    types = {"t3.xlarge": replace(BURSTING, cpu_baseline_share=None)}
    known = replace(EACH_WAY, catalog=replace(EACH_WAY.catalog, instance_types=types))
    found = predicted(Configuration("t3.xlarge", 1, ON_GP3), workload, known)
    assert found.phases[0].bottleneck == "CPU"
    assert found.time_s.p50 == pytest.approx(100_000.0 / (4 * 100.0 * 0.05))
    [share] = [figure for figure in found.provenance if figure.quantity == "t3.xlarge.cpu_baseline_share"]
    assert (share.value, share.kind) == (0.05, "estimated")
    assert "t3.nano" in share.source
    ignored = replace(workload, assume=replace(STEADY, cpu="ignored"))
    without = predicted(Configuration("t3.xlarge", 1, ON_GP3), ignored, known)
    assert not any(figure.quantity.endswith("cpu_baseline_share") for figure in without.provenance)


NO_SURCHARGE = "its link to EBS costs extra, and no price of it is known"


def test_a_link_that_costs_extra_at_an_unknown_price_makes_ebs_infeasible_and_its_own_disks_not() -> None:
    """A fee that an old catalog does not mention is zero; a fee that is a gap is unknown."""
    r5d = AWS_2026.catalog.instance_types["r5d.4xlarge"]
    missed = replace(r5d, gaps={"ebs_usd_per_hour": NO_SURCHARGE})
    known = replace(AWS_2026, catalog=replace(AWS_2026.catalog, instance_types={r5d.name: missed}))
    on_ebs = Workload("", Hdfs("hdfs-write", 1_000.0, Durability("infrastructure")), assume=STEADY)
    configuration = Configuration(r5d.name, 2, ON_GP3)
    found = predict(configuration, on_ebs, known.catalog, known.profiles)
    assert isinstance(found, Infeasible)
    assert (found.limit, NO_SURCHARGE in found.reason) == ("price unknown", True)
    measured = replace(on_ebs, measured=Measured(ebs_read_mb_per_s=500.0, ebs_write_mb_per_s=500.0))
    found = predict(configuration, measured, known.catalog, known.profiles)
    assert isinstance(found, Infeasible)
    own = Hdfs("hdfs-write", 1_000.0, Durability("application", 2))
    on_disks = Workload("", own, assume=STEADY, measured=Measured(storage_mb_per_s=500.0))
    assert predicted(Configuration(r5d.name, 2, InstanceStore(2, 0)), on_disks, known).cost.ebs_link == 0.0
    assert predicted(configuration, on_ebs, AWS_2026).cost.ebs_link == 0.0
    paid = replace(missed, ebs_usd_per_hour=published("ebs_usd_per_hour", 0.1, "USD/h"))
    known = replace(AWS_2026, catalog=replace(AWS_2026.catalog, instance_types={r5d.name: paid}))
    assert predicted(configuration, on_ebs, known).cost.ebs_link > 0.0


def test_what_is_known_in_a_region_is_no_gap_there() -> None:
    hardware = {"r5.xlarge": replace(VERSION.instance_types["r5.xlarge"], gaps={"ebs_usd_per_hour": NO_SURCHARGE})}
    free = {"ebs_usd_per_hour": published("ebs_usd_per_hour", 0.0, "USD/h")}
    regions = {name: Region(name, {"r5.xlarge": prices}, {}) for name, prices in (("here", free), ("there", {}))}
    version = replace(VERSION, instance_types=hardware, regions=regions)
    assert version.in_region("here").instance_types["r5.xlarge"].gaps == {}
    assert version.in_region("there").instance_types["r5.xlarge"].gaps == {"ebs_usd_per_hour": NO_SURCHARGE}


@pytest.mark.parametrize(("attachments", "data"), [(None, 27), (28, 27), (3, 2), (1, 0)])
def test_the_root_volume_is_one_of_those_that_a_node_takes(attachments: int | None, data: int) -> None:
    most = None if attachments is None else published("most_volumes", attachments)
    instance = replace(R5, most_volumes=most)
    assert data_volumes(instance) == data
    job, gp3 = Hdfs("hdfs-read", 100.0), AWS_2026.catalog.volume_types["gp3"]
    assert data == 0 or check_layout(Ebs("gp3", 500, data), instance, gp3, job) is None
    refused = check_layout(Ebs("gp3", 500, data + 1), instance, gp3, job)
    assert refused is not None
    assert (refused.limit, refused.nearest is None) == ("attachments", data == 0)


def test_without_nitro_volumes_stop_at_the_iops_that_such_an_instance_reaches() -> None:
    """io2 of 64,000 IOPS delivers 32,000 there (EBS user guide, Provisioned IOPS SSD volumes)."""
    job = RandomIo(100_000.0, 16.0, 1.0, durability=Durability("infrastructure"))
    workload = Workload("", job, assume=replace(STEADY, cpu="ignored"))
    configuration = Configuration("d2.8xlarge", 1, Ebs("io2", 1_000, 1, 64_000))
    ratios = []
    nothing_known: frozenset[Trait] = frozenset()
    for traits in (WITHOUT_NITRO.traits, BURSTING.traits, nothing_known):
        types = {"d2.8xlarge": replace(WITHOUT_NITRO, traits=traits)}
        known = replace(EACH_WAY, catalog=replace(EACH_WAY.catalog, instance_types=types))
        answer = predicted(configuration, workload, known)
        ratios.append(answer.phases[0].time_s * 64_000 / job.operations)
        limited = {figure.quantity for figure in answer.provenance} & {"io2.largest_iops_without_nitro"}
        assert bool(limited) == ("nitro" not in traits)
    assert ratios == [pytest.approx(2.0), pytest.approx(1.0), pytest.approx(2.0)]


@pytest.mark.parametrize(
    ("name", "on_nitro", "runs"),
    [
        ("d2.8xlarge", False, "x86_64"),
        ("i3.large", False, "x86_64"),
        ("i3en.large", True, "x86_64"),
        ("r5.large", True, "x86_64"),
        ("g4dn.xlarge", True, "x86_64"),
        ("m6gd.large", True, "arm64"),
        ("x2gd.large", True, "arm64"),
        ("a1.large", True, "arm64"),
    ],
)
def test_where_no_trait_is_known_the_family_tells(
    name: str,
    on_nitro: bool,  # noqa: FBT001 - a case
    runs: str,
) -> None:
    unknown = replace(WITHOUT_NITRO, name=name, traits=frozenset())
    assert (unknown.on_nitro, unknown.architectures) == (on_nitro, frozenset({runs}))
