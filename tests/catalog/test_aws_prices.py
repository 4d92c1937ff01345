"""What the price list's entries say, in entries of their real shape."""

from typing import Any

import pytest

from aws import GP3, TRANSFER, dimension, entry, instance, volume
from stowage.catalog.aws_prices import (
    BETWEEN_ZONES,
    SNAPSHOTS,
    Price,
    SpotPrice,
    UnreadablePrice,
    instance_prices,
    mean_spot_prices,
    transfer_prices,
    volume_prices,
)


def of_volume(usage: str, unit: str, usd: str) -> tuple[Price, ...]:
    return volume_prices(volume(usage, unit, usd))


def test_an_instance_costs_what_it_does_on_demand_and_reserved_in_two_of_the_ways_listed() -> None:
    one, three = "one_year_usd_per_hour", "three_year_usd_per_hour"
    prices = {price.quantity: price.value for price in instance_prices(instance("m5.large", "0.0960000000"))}
    assert prices == {"usd_per_hour": 0.096, one: pytest.approx(0.0576), three: pytest.approx(0.0384)}


@pytest.mark.parametrize(
    "attributes", [{"locationType": "AWS Local Zone"}, {"marketoption": "CapacityBlock"}, {"instanceType": ""}]
)
def test_what_is_not_the_regions_is_left_out(attributes: dict[str, str]) -> None:
    row = instance("m5.large", "0.096")
    row["product"]["attributes"] |= attributes
    assert instance_prices(row) == ()


def test_what_is_free_is_no_price() -> None:
    assert instance_prices(instance("m5.large", "0.0000000000")) == ()


@pytest.mark.parametrize(
    ("usage", "unit", "usd", "expected"),
    [
        ("EBS:VolumeUsage.gp3", "GB-Mo", "0.0800000000", Price("gp3", "usd_per_gib_month", 0.08)),
        ("EUC1-EBS:VolumeUsage.io2", "GB-month", "0.1490000000", Price("io2", "usd_per_gib_month", 0.149)),
        ("EBS:VolumeUsage.piops", "GB-Mo", "0.1250000000", Price("io1", "usd_per_gib_month", 0.125)),
        ("EBS:VolumeUsage", "GB-Mo", "0.0500000000", Price("standard", "usd_per_gib_month", 0.05)),
        ("EBS:VolumeIOUsage", "IOs", "0.0000000500", Price("standard", "usd_per_million_io", 0.05)),
        ("EBS:VolumeP-IOPS.piops", "IOPS-Mo", "0.0650000000", Price("io1", "usd_per_iops_month", 0.065)),
        ("EBS:VolumeP-IOPS.io2", "IOPS-Mo", "0.0650000000", Price("io2", "usd_per_iops_month", 0.065)),
        (
            "APN2-EBS:VolumeP-IOPS.io2.tier2",
            "IOPS-Mo",
            "0.0455",
            Price("io2", "usd_per_iops_month_above_32000", 0.0455),
        ),
        ("EBS:VolumeP-IOPS.io2.tier3", "IOPS-Mo", "0.03185", Price("io2", "usd_per_iops_month_above_64000", 0.03185)),
        ("EBS:VolumeP-Throughput.gp3", "GiBps-mo", "40.96", Price("gp3", "usd_per_mib_per_s_month", 0.04)),
        ("EBS:VolumeP-Throughput.gp3", "MiBps-Mo", "0.04", Price("gp3", "usd_per_mib_per_s_month", 0.04)),
        ("EBS:SnapshotUsage", "GB-Mo", "0.05", Price(SNAPSHOTS, "usd_per_gib_month", 0.05)),
        ("EBS:VolumeUsage.gp4", "GB-Mo", "0.06", Price("gp4", "usd_per_gib_month", 0.06)),
    ],
)
def test_a_volumes_price_is_read_by_its_usage_type_and_turned_into_our_unit(
    usage: str, unit: str, usd: str, expected: Price
) -> None:
    assert of_volume(usage, unit, usd) == (expected,)


@pytest.mark.parametrize(
    "usage", ["EBS:directAPI.snapshot.Get", "EBS:FastSnapshotRestore", "EBS:SnapshotUsage.outposts"]
)
def test_what_else_ebs_charges_for_is_left_out(usage: str) -> None:
    assert of_volume(usage, "Hrs", "0.75") == ()


def test_traffic_between_zones_is_read() -> None:
    assert transfer_prices(TRANSFER) == (Price(BETWEEN_ZONES, "usd_per_gb", 0.01),)
    assert transfer_prices(GP3[0]) == ()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (instance("m5.large", "0.096", unit="Days"), r"m5\.large is priced per 'Days'.*not per hrs or hours"),
        (instance("m5.large", "0.7", currency="CNY"), r"m5\.large is priced in CNY"),
        (volume("EBS:VolumeP-Throughput.gp3", "TiBps-mo", "41943.04"), r"gp3 is priced per 'TiBps-mo'.*gibps-mo"),
        (volume("EBS:VolumeUsage.gp3", "TB-Mo", "80"), r"gp3 is priced per 'TB-Mo'"),
    ],
)
def test_a_price_in_another_unit_or_currency_is_refused_and_named(row: dict[str, Any], words: str) -> None:
    read = instance_prices if "instanceType" in row["product"]["attributes"] else volume_prices
    with pytest.raises(UnreadablePrice, match=words):
        read(row)


def test_steps_in_a_price_are_not_taken_for_one() -> None:
    row = entry("Storage", {"usagetype": "EBS:VolumeUsage.gp3"}, dimension("GB-Mo", "0.08"))
    row["terms"]["OnDemand"]["SKU.JRTCKXETXF"]["priceDimensions"]["more"] = dimension("GB-Mo", "0.07")
    with pytest.raises(UnreadablePrice, match="2 steps"):
        volume_prices(row)


def test_a_spot_price_is_the_mean_over_zones_of_the_latest_in_each_whatever_their_order() -> None:
    rows = [
        SpotPrice("m5.large", "a", "2026-11-20T11:00:00+00:00", 0.04),
        SpotPrice("m5.large", "a", "2026-11-20T10:00:00+00:00", 0.90),
        SpotPrice("m5.large", "b", "2026-11-20T09:00:00+00:00", 0.06),
        SpotPrice("c5.large", "b", "2026-11-20T09:00:00+00:00", 0.03),
    ]
    assert mean_spot_prices(rows) == {"m5.large": 0.05, "c5.large": 0.03}
    assert mean_spot_prices(reversed(rows)) == mean_spot_prices(rows)
