"""The tables that a catalog is built from, and their validation errors."""

from datetime import date

import pytest

from described import HARDWARE, LISTED_ON, VOLUMES, prices
from stowage.catalog.disk_table import (
    COLUMNS,
    PUBLISHED_COLUMNS,
    SOURCE,
    disk_profiles,
    packaged_published,
    published_profiles,
)
from stowage.catalog.price_table import read_prices
from stowage.catalog.tables import TableError
from stowage.catalog.volume_table import SECOND_HAND, read_volumes
from stowage.model.hardware.profile import Metric, Profile, Profiles
from stowage.model.hardware.volume_limits import volume_limits

MEASURED_ON = date(2026, 6, 10)


def disks(*lines: str) -> Profiles:
    table = "\n".join((",".join(COLUMNS), *lines)) + "\n"
    return Profiles(disk_profiles(table, HARDWARE, MEASURED_ON))


def only(profiles: Profiles, name: str, metric: Metric) -> Profile:
    [row] = profiles.of(name, metric)
    return row


def test_a_line_of_prices_becomes_figures_with_their_own_days() -> None:
    [row] = read_prices(prices("us-east-1,m5.large,0.096,2026-07-06,0.06,,0.03"), others_as_of=date(2025, 5, 28))
    assert (row.region, row.instance) == ("us-east-1", "m5.large")
    told = {quantity: (figure.value, figure.as_of) for quantity, figure in row.prices.items()}
    assert told == {
        "usd_per_hour": (0.096, date(2026, 7, 6)),
        "one_year_usd_per_hour": (0.06, date(2025, 5, 28)),
        "spot_usd_per_hour": (0.03, date(2025, 5, 28)),
    }
    assert all("Linux" in figure.source and figure.kind == "published" for figure in row.prices.values())


def test_without_another_day_all_prices_are_of_the_line_s() -> None:
    [row] = read_prices(prices("us-east-1,m5.large,0.096,2025-03-02,0.06,0.04,0.03"))
    assert {figure.as_of for figure in row.prices.values()} == {date(2025, 3, 2)}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("region,instance_type\n", "line 1: no column 'on_demand'"),
        (prices("us-east-1,m5.large,0.096,yesterday,,,"), "line 2: on_demand_as_of 'yesterday' is no date"),
        (prices("us-east-1,m5.large,cheap,2026-07-06,,,"), "line 2: on_demand 'cheap' is no price above 0"),
        (prices("us-east-1,m5.large,1_0,2026-07-06,,,"), "line 2: on_demand '1_0' is no price above 0"),
        (prices("us-east-1,m5.large,٣,2026-07-06,,,"), "line 2: on_demand .* is no price above 0"),
        (prices("us-east-1,m5.large,nan,2026-07-06,,,"), "line 2: on_demand 'nan' is no price above 0"),
        (prices("us-east-1,m5.large,0,2026-07-06,,,"), "line 2: on_demand '0' is no price above 0"),
        (prices("us-east-1,m5.large"), "line 2: on_demand_as_of '' is no date"),
        (
            prices("us-east-1,m5.large,1,2026-07-06,,,", "us-east-1,m5.large,2,2026-07-06,,,"),
            "line 3: 'm5.large' in 'us-east-1' stands there twice",
        ),
    ],
)
def test_a_price_table_that_is_not_understood_names_the_line(table: str, words: str) -> None:
    with pytest.raises(TableError, match=words):
        read_prices(table)


def test_what_one_disk_reaches_counts_as_often_as_there_are_disks() -> None:
    profiles = disks("i3en.2xlarge,666894336,333447168,84480,66969,one disk")
    row = only(profiles, "i3en.2xlarge", "storage_read_mb_per_s")
    assert row.mean == pytest.approx(2 * 666.894336)
    assert (row.kind, row.source, row.as_of, row.statistic, row.count) == (
        "measured", SOURCE, MEASURED_ON, "average", None,
    )  # fmt: skip
    assert only(profiles, "i3en.2xlarge", "storage_write_iops").mean == 2 * 66_969


def test_what_all_disks_reach_together_is_taken_as_it_is() -> None:
    profiles = disks("i7i.24xlarge,26121177088,19944206336,2647697,2002573,all disks")
    assert only(profiles, "i7i.24xlarge", "storage_write_mb_per_s").mean == pytest.approx(19_944.206336)


def test_a_line_for_the_family_holds_for_sizes_without_one() -> None:
    profiles = disks(
        "i2.ALL,507338935,483141731,64000,57100,one disk",
        "i2.4xlarge,400000000,400000000,50000,50000,one disk",
    )
    assert only(profiles, "i2.8xlarge", "storage_read_mb_per_s").mean == pytest.approx(8 * 507.338935)
    assert only(profiles, "i2.8xlarge", "storage_read_mb_per_s").kind == "measured"
    assert only(profiles, "i2.4xlarge", "storage_read_mb_per_s").mean == 1600


def test_an_unmeasured_size_is_estimated_from_one_with_similar_disks() -> None:
    profiles = disks("i7i.24xlarge,24000000000,12000000000,2400000,1200000,all disks")
    whole, like = HARDWARE["i7i.48xlarge"], HARDWARE["i7i.24xlarge"]
    row = only(profiles, "i7i.48xlarge", "storage_read_mb_per_s")
    assert row.mean == pytest.approx(24_000 * whole.disk_count.value / like.disk_count.value)
    assert row.kind == "estimated"
    assert row.source.startswith("Not measured: i7i.24xlarge of the same family")


def test_a_type_of_another_family_and_one_without_disks_get_nothing() -> None:
    assert not disks("i9x.large,1,1,1,1,one disk").rows
    assert not disks("m5.ALL,1000000,1000000,1,1,one disk").of("m5.large", "storage_read_mb_per_s")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("i2.ALL,1,1,1,1,all disks", "line 2: what holds for every size must be of one disk"),
        ("i2.ALL,1,1,1,1,some", "line 2: measured_over 'some'"),
        ("i2.ALL,0,1,1,1,one disk", "line 2: read_bytes_per_s '0' is no rate above 0"),
        ("i2.ALL,1_0,1,1,1,one disk", "line 2: read_bytes_per_s '1_0' is no rate above 0"),
        ("i2.ALL,1,1,1,1,one disk\ni2.ALL,2,2,2,2,one disk", "line 3: 'i2.ALL' stands there twice"),
        ("i2.ALL,1", "line 2: measured_over ''"),
        ("i2.ALL,1,fast,1,1,one disk", "line 2: write_bytes_per_s 'fast'"),
    ],
)
def test_a_disk_table_that_is_not_understood_names_the_line(line: str, words: str) -> None:
    with pytest.raises(TableError, match=words):
        disks(line)


def test_a_disk_table_without_its_headings_is_refused() -> None:
    with pytest.raises(TableError, match="no column 'read_bytes_per_s'"):
        disk_profiles("instance_type\n", HARDWARE, MEASURED_ON)


def test_volumes_of_a_region_with_their_tiers() -> None:
    volumes = read_volumes(VOLUMES, LISTED_ON)
    assert sorted(volumes) == ["eu-west-1", "us-east-1"]
    assert sorted(volumes["us-east-1"]) == ["gp3", "io2", "standard"]
    assert [tier.usd for tier in volumes["us-east-1"]["io2"].prices().iops_month] == [0.065, 0.0455, 0.03185]
    assert volumes["us-east-1"]["io2"].annual_failure_rate.value == 1e-5
    assert volumes["us-east-1"]["gp3"].annual_failure_rate.value == 0.002
    assert volumes["us-east-1"]["gp3"].usd_per_gib_month.kind == "published"


def test_prices_of_volumes_may_be_of_another_day_than_what_the_volumes_do() -> None:
    gp3 = read_volumes(VOLUMES, date(2025, 9, 1), prices_as_of=LISTED_ON)["us-east-1"]["gp3"]
    assert gp3.usd_per_gib_month.as_of == LISTED_ON
    assert gp3.limits == volume_limits("gp3", date(2025, 9, 1)) != volume_limits("gp3", LISTED_ON)


def test_second_hand_prices_say_so() -> None:
    price = read_volumes(VOLUMES, LISTED_ON)["eu-west-1"]["gp2"].usd_per_gib_month
    assert (price.kind, price.source) == ("estimated", SECOND_HAND)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("nothing: 1", "no table of volume prices"),
        ("usd: {r: {gp9: {gib_month: 1}}}", "r: .*gp9"),
        ("usd: {r: {gp2: {gib_month: -1}}}", "r, gp2: usd_per_gib_month -1.0 is no price above 0"),
        ("usd: {r: {gp2: {gib_month: true}}}", "r, gp2: usd_per_gib_month True is no price above 0"),
        ("usd: {r: {gp2: {gib_month: 1_0}}}", "line 1: '1_0' is no plain number"),
        ("usd: {r: {gp2: {gib_month: .nan}}}", "line 1: '.nan' is no plain number"),
        ("usd: {r: {gp2: {gib_month: ٣}}}", "r, gp2: usd_per_gib_month .* is no price above 0"),
        ("usd: {r: {gp2: {gib_month: 1}, gp2: {gib_month: 2}}}", "line 1: 'gp2' stands there twice"),
        ("usd: {r: {gp2: 1}}", "r, gp2: no table"),
        ("usd: {r: [gp2]}", "r, no table"),
        ("usd: 1", "no table"),
        ("usd: {1: {gp2: {gib_month: 1}}}", "no table"),
        ("- usd", "no table of volume prices"),
        ("usd: {r: {second_hand: maybe, gp2: {gib_month: 1}}}", "r: second_hand 'maybe' is neither true nor false"),
        ("usd: {r: {io2: {gib_month: 1, iops_month_tiers: 5}}}", "r, io2: tiers end at 32,000"),
        ("usd: {r: {io2: {gib_month: 1, iops_month_tiers: [1, 2, 3]}}}", "r, io2: tiers end at 32,000"),
        ("usd: {r: {gp2: {gib_week: 1}}}", "r, gp2: unknown price 'gib_week'"),
        ("usd: {r: {gp3: {iops_month: 1}}}", "r, gp3: no usd_per_gib_month"),
        ("usd: {r: {io2: {gib_month: 1, iops_month_tiers: [[1000, 1]]}}}", "r, io2: tiers end at 32,000"),
    ],
)
def test_a_volume_table_that_is_not_understood_names_the_place(table: str, words: str) -> None:
    with pytest.raises(TableError, match=words):
        read_volumes(table, LISTED_ON)


READ_ON = date(2026, 11, 20)


NOBODY_MEASURED = Profiles(())


def published(*lines: str, measured: Profiles = NOBODY_MEASURED) -> Profiles:
    table = "\n".join(("# Where it is printed.", ",".join(PUBLISHED_COLUMNS), *lines)) + "\n"
    return Profiles(published_profiles(table, HARDWARE, measured.rows, READ_ON))


def test_a_published_rate_is_of_one_type() -> None:
    with pytest.raises(TableError, match=r"line 3: i3\.ALL is no instance type"):
        published("i3.ALL,1000,1000,,,example.com/so.html,2026-06-30")


def test_published_figures_are_used_without_a_measurement() -> None:
    measured = disks("i3en.2xlarge,666894336,333447168,84480,66969,one disk")
    line = "i3en.2xlarge,,,170000,130000,example.com/so.html,2026-06-30"
    assert published(line, measured=measured).rows == ()
    row = only(published(line), "i3en.2xlarge", "storage_write_iops")
    assert (row.mean, row.kind, row.as_of) == (130_000.0, "published", date(2026, 6, 30))
    assert "Storage optimized instances" in row.source


def test_a_published_bandwidth_without_a_day_says_so_and_holds_for_like_disks_of_the_family() -> None:
    profiles = published("d3en.12xlarge,6657.2,6657.2,,,EC2 FAQ,")
    row = only(profiles, "d3en.12xlarge", "storage_read_mb_per_s")
    assert (row.kind, row.as_of) == ("published", READ_ON)
    assert row.source.endswith("EC2 FAQ, copy without a date")
    others = {row.target: row for row in profiles.rows if row.target != "d3en.12xlarge"}
    for name, other in others.items():
        disks_of = HARDWARE[name].disk_count.value
        assert other.mean == pytest.approx(6657.2 * disks_of / HARDWARE["d3en.12xlarge"].disk_count.value)
        assert other.kind == "estimated"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("d3en.12xlarge,-1,,,,EC2 FAQ,", "line 3: read_mb_per_s '-1' is no rate above 0"),
        ("d3en.12xlarge,1,1,,,EC2 FAQ,soon", "line 3: edition 'soon' is no date"),
    ],
)
def test_a_published_table_that_is_not_understood_names_the_line(line: str, words: str) -> None:
    with pytest.raises(TableError, match=words):
        published(line)


def test_the_packaged_table_is_understood_and_says_where_it_is_from() -> None:
    assert "c2hans/aws-docs" in packaged_published()
    assert published_profiles(packaged_published(), HARDWARE, (), READ_ON)
