"""Parsing of the price list's entries, in their real shape."""

import copy
import json
from typing import Any

import pytest

from aws import GP3, TRANSFER, dimension, entry, instance, reserved, volume
from stowage.catalog.aws_prices import (
    BETWEEN_ZONES,
    SNAPSHOTS,
    Price,
    SpotPrice,
    UnreadablePrice,
    instance_prices,
    mean_spot_prices,
    spot_price,
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
        ("EBS:VolumeUsage.io2.tier2", "GB-Mo", "0.06", Price("io2", "usd_per_gib_month of tier2", 0.06)),
        (
            "EBS:VolumeP-Throughput.gp3.tier2",
            "MiBps-Mo",
            "0.03",
            Price("gp3", "usd_per_mib_per_s_month of tier2", 0.03),
        ),
        ("EBS:VolumeP-IOPS.io2.tier9", "IOPS-Mo", "0.01", Price("io2", "usd_per_iops_month of tier9", 0.01)),
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


def without(row: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return an entry that lacks one field."""
    changed = copy.deepcopy(row)
    of = changed
    for name in path[:-1]:
        of = next(iter(of.values())) if name == "*" else of[name]
    del of[path[-1]]
    return changed


M5 = instance("m5.large", "0.096")
ON_DEMAND = ("terms", "OnDemand", "*", "priceDimensions", "*")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([], "product of SKU without a name is missing"),
        (without(M5, "product"), "product of SKU without a name is missing"),
        (without(M5, "product", "sku"), "sku of SKU without a name is missing"),
        (without(M5, "product", "attributes"), "attributes of SKU SKU is missing"),
        (without(M5, "terms"), "terms of SKU SKU is missing"),
        (without(M5, "terms", "OnDemand", "*", "priceDimensions"), "priceDimensions of SKU SKU is missing"),
        (without(M5, "terms", "Reserved", "*", "termAttributes"), "termAttributes of SKU SKU is missing"),
        (
            without(M5, "terms", "Reserved", "*", "termAttributes", "OfferingClass"),
            "OfferingClass of SKU SKU is missing",
        ),
        (without(M5, *ON_DEMAND, "unit"), "unit of SKU SKU is missing"),
        (without(M5, *ON_DEMAND, "pricePerUnit"), "pricePerUnit of SKU SKU is missing"),
        (without(GP3[0], "terms"), "terms of SKU SKU is missing"),
        (without(TRANSFER, "product"), "product of SKU without a name is missing"),
    ],
)
def test_an_entry_that_lacks_a_field_is_refused_with_its_sku_and_the_field(row: Any, words: str) -> None:
    for read in (instance_prices, volume_prices, transfer_prices):
        try:
            read(row)
        except UnreadablePrice as error:
            assert words in str(error)
            return
    pytest.fail("no error was raised")


@pytest.mark.parametrize("said", ["NaN", "Infinity", "-1", "1e400", "sNaN", "abc", "", None, True, 0.1, [], 10**400])
def test_what_is_no_price_is_refused_with_its_sku(said: object) -> None:
    row = json.loads(json.dumps(M5))
    [term] = row["terms"]["OnDemand"].values()
    [of] = term["priceDimensions"].values()
    of["pricePerUnit"]["USD"] = said
    with pytest.raises(UnreadablePrice, match=r"pricePerUnit of SKU SKU \(m5\.large\) is .*, which is no price"):
        instance_prices(row)


def test_the_numbers_of_json_that_are_none_are_refused() -> None:
    row = json.loads(json.dumps(GP3[0]).replace('"0.0700000000"', "NaN"))
    with pytest.raises(UnreadablePrice, match="no price"):
        volume_prices(row)


@pytest.mark.parametrize(
    "dimensions",
    [
        (dimension("Hrs", "0.05"), dimension("Hrs", "0.06")),
        (dimension("Hrs", "0.05"), dimension("Hours", "0.06")),
        (dimension("Quantity", "100"), dimension("Quantity", "200"), dimension("Hrs", "0")),
    ],
)
def test_one_unit_twice_in_a_term_is_refused(dimensions: tuple[dict[str, Any], ...]) -> None:
    row = copy.deepcopy(M5)
    row["terms"]["Reserved"] = {"SKU.1": reserved("1yr", "No Upfront", "standard", *dimensions)}
    with pytest.raises(UnreadablePrice, match=r"m5\.large has several prices per .* in one term \(SKU SKU\)"):
        instance_prices(row)


def test_two_on_demand_terms_are_two_prices_and_the_last_does_not_win() -> None:
    row = copy.deepcopy(M5)
    row["terms"]["OnDemand"]["more"] = copy.deepcopy(row["terms"]["OnDemand"]["SKU.JRTCKXETXF"])
    row["terms"]["OnDemand"]["more"]["priceDimensions"] = {"one": dimension("Hrs", "0.2")}
    found = [price.value for price in instance_prices(row) if price.quantity == "usd_per_hour"]
    assert found == [0.096, 0.2]


SPOT = {
    "InstanceType": "m5.large",
    "AvailabilityZone": "us-east-1a",
    "Timestamp": "2026-11-20T10:00:00+00:00",
    "SpotPrice": "0.04",
}


def test_a_spot_price_is_read() -> None:
    assert spot_price(SPOT) == SpotPrice("m5.large", "us-east-1a", "2026-11-20T10:00:00+00:00", 0.04)


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"SpotPrice": "nan"}, "of m5.large in us-east-1a is 'nan'"), ({"AvailabilityZone": None}, "lacks a field")],
)
def test_a_spot_price_that_is_none_is_refused(changed: dict[str, object], words: str) -> None:
    with pytest.raises(UnreadablePrice, match=words):
        spot_price(SPOT | changed)


def test_a_spot_price_is_the_mean_over_zones_of_the_latest_in_each_in_any_order() -> None:
    rows = [
        SpotPrice("m5.large", "a", "2026-11-20T11:00:00+00:00", 0.04),
        SpotPrice("m5.large", "a", "2026-11-20T10:00:00+00:00", 0.90),
        SpotPrice("m5.large", "b", "2026-11-20T09:00:00+00:00", 0.06),
        SpotPrice("c5.large", "b", "2026-11-20T09:00:00+00:00", 0.03),
    ]
    assert mean_spot_prices(rows) == {"m5.large": 0.05, "c5.large": 0.03}
    assert mean_spot_prices(reversed(rows)) == mean_spot_prices(rows)
