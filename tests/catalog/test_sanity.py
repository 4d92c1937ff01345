"""Sanity checks of a catalog: errors and warnings."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from described import LISTED_ON, ingredients, prices
from stowage.catalog.build import build
from stowage.catalog.sanity import check
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import CatalogVersion, Region, VolumeType
from stowage.model.hardware.profile import Profiles

TABLE = prices(
    "us-east-1,m5.large,0.096,2026-07-06,0.06,0.04,0.03",
    "us-east-1,m5.xlarge,0.192,2026-07-06,0.12,0.08,0.06",
    "us-east-1,m5.2xlarge,0.384,2026-07-06,0.24,0.16,0.12",
    "eu-west-1,m5.large,0.107,2025-05-28,,,",
)
GOOD = build("aws-test", "A test", LISTED_ON, ingredients(TABLE)).version


def with_price(usd: float, name: str = "m5.2xlarge", quantity: str = "usd_per_hour", **more: Any) -> CatalogVersion:
    region = GOOD.regions["us-east-1"]
    told = dict(region.prices[name])
    told[quantity] = replace(told[quantity], value=usd, **more)
    return replace(GOOD, regions={**GOOD.regions, "us-east-1": replace(region, prices={**region.prices, name: told})})


def with_volume(**changes: Any) -> CatalogVersion:
    region = GOOD.regions["us-east-1"]
    gp3: VolumeType = replace(region.volume_types["gp3"], **changes)
    volumes = {**region.volume_types, "gp3": gp3}
    return replace(GOOD, regions={**GOOD.regions, "us-east-1": replace(region, volume_types=volumes)})


def with_vcpus(**changes: Any) -> CatalogVersion:
    large = GOOD.instance_types["m5.large"]
    changed = replace(large, vcpus=replace(large.vcpus, **changes))
    return replace(GOOD, instance_types={**GOOD.instance_types, "m5.large": changed})


def refused(version: CatalogVersion, before: CatalogVersion | None = None) -> list[tuple[str, str]]:
    return [(refusal.fault, refusal.what) for refusal in check(version, before).refusals]


def test_a_good_one_passes_also_after_itself() -> None:
    assert check(GOOD, GOOD).refusals == ()
    assert check(GOOD, GOOD).uneven == ()


@pytest.mark.parametrize("usd", [0.0, -0.384, float("nan"), float("inf")])
def test_a_price_that_is_none_is_refused(usd: float) -> None:
    assert ("value", "us-east-1/m5.2xlarge") in refused(with_price(usd))


def test_hardware_that_is_none_is_refused() -> None:
    assert ("value", "m5.large") in refused(with_vcpus(value=0.0))
    assert ("value", "m5.large") in refused(with_vcpus(as_of=None))
    assert ("value", "m5.large") in refused(with_vcpus(source=""))
    assert ("unit", "m5.large") in refused(with_vcpus(unit="cores"))


def test_no_disks_and_a_link_that_is_included_are_no_fault() -> None:
    assert GOOD.instance_types["m5.large"].disk_count.value == 0
    assert GOOD.regions["us-east-1"].prices["m5.large"]["ebs_usd_per_hour"].value == 0


def test_a_profile_without_a_rate_is_refused() -> None:
    row = replace(GOOD.profiles.rows[0], mean=0.0)
    assert refused(replace(GOOD, profiles=Profiles((row,)))) == [("value", row.target)]


@pytest.mark.parametrize("usd", [0.384 * 2.01, 0.384 / 2.01])
def test_a_price_out_of_proportion_is_refused_and_named(usd: float) -> None:
    [refusal] = [row for row in check(with_price(usd)).refusals if row.fault == "proportion"]
    assert refusal.what == "us-east-1/m5.2xlarge"
    assert "2.01 times off the other sizes of m5" in refusal.sentence


def test_a_family_that_is_only_nearly_proportional_is_told() -> None:
    verdict = check(with_price(0.384 * 1.1))
    assert verdict.refusals == ()
    assert verdict.uneven == ("m5",)


def test_sizes_of_equal_vcpus_are_compared_by_memory() -> None:
    """Burstable sizes have two vCPUs each, and are priced by their memory."""
    large = GOOD.instance_types["m5.large"]
    sizes = {
        f"t3.{size}": replace(large, name=f"t3.{size}", memory_gib=replace(large.memory_gib, value=gib))
        for size, gib in (("nano", 0.5), ("micro", 1.0), ("small", 2.0), ("medium", 4.0), ("large", 8.0))
    }
    dear = Figure("usd_per_hour", 0.0104, "USD/h", "a list", "published", LISTED_ON)
    told = {
        name: {"usd_per_hour": replace(dear, value=dear.value * size.memory_gib.value)} for name, size in sizes.items()
    }
    region = Region("us-east-1", told, {})
    assert check(replace(GOOD, instance_types=sizes, regions={"us-east-1": region})) == check(GOOD)


def test_types_with_accelerators_may_be_farther_off() -> None:
    dearer = with_price(0.384 * 2.7)
    types = {
        name: replace(hardware, traits=hardware.traits | {"accelerators"}) if hardware.family == "m5" else hardware
        for name, hardware in dearer.instance_types.items()
    }
    assert refused(replace(dearer, instance_types=types)) == []
    assert refused(dearer) == [("proportion", "us-east-1/m5.2xlarge")]


@pytest.mark.parametrize(
    ("usd", "quantity"),
    [
        (0.24 * 730, "one_year_usd_per_hour"),  # a price per month
        (0.24 * 8760, "three_year_usd_per_hour"),
        (0.12 / 3600, "spot_usd_per_hour"),  # a price per second
    ],
)
def test_a_price_in_another_unit_is_refused(usd: float, quantity: str) -> None:
    assert refused(with_price(usd, quantity=quantity)) == [("unit", "us-east-1/m5.2xlarge")]


def test_a_price_that_no_hour_has_is_refused() -> None:
    assert ("unit", "us-east-1/m5.2xlarge") in refused(with_price(0.0009))
    assert ("unit", "us-east-1/m5.2xlarge") in refused(with_price(2001.0))


def test_volumes_in_another_unit_are_refused() -> None:
    price = GOOD.regions["us-east-1"].volume_types["gp3"].usd_per_gib_month
    assert refused(with_volume(usd_per_gib_month=replace(price, value=81.92))) == [("unit", "us-east-1/gp3")]
    assert refused(with_volume(usd_per_gib_month=replace(price, value=-0.08))) == [("value", "us-east-1/gp3")]


def test_what_was_lost_is_refused() -> None:
    region = GOOD.regions["us-east-1"]
    without_type = {name: told for name, told in region.prices.items() if name != "m5.large"}
    without_price = {**region.prices, "m5.large": {}}
    assert refused(replace(GOOD, regions={"us-east-1": region}), GOOD) == [("lost", "eu-west-1")]
    lost = replace(GOOD, regions={**GOOD.regions, "us-east-1": replace(region, prices=without_type)})
    assert refused(lost, GOOD) == [("lost", "us-east-1/m5.large")]
    lost = replace(GOOD, regions={**GOOD.regions, "us-east-1": replace(region, prices=without_price)})
    assert refused(lost, GOOD) == [("lost", "us-east-1/m5.large")]
    lost = replace(GOOD, regions={**GOOD.regions, "us-east-1": replace(region, volume_types={})})
    assert refused(lost, GOOD) == [("lost", f"us-east-1/{name}") for name in ("gp3", "io2", "standard")]
    # The opposite direction is a gain.
    assert refused(GOOD, lost) == []


@pytest.mark.parametrize(
    ("factor", "found"),
    [
        (730, [("jump", "us-east-1")]),  # a price per month
        (3.1, [("jump", "us-east-1")]),
        (1 / 3.1, [("jump", "us-east-1")]),
        (2.9, []),
    ],
)
def test_a_whole_region_that_jumps_is_refused(factor: float, found: list[tuple[str, str]]) -> None:
    region = GOOD.regions["us-east-1"]
    others = {
        name: {**told, "usd_per_hour": replace(told["usd_per_hour"], value=told["usd_per_hour"].value * factor)}
        for name, told in region.prices.items()
    }
    version = replace(GOOD, regions={**GOOD.regions, "us-east-1": replace(region, prices=others)})
    assert [refusal for refusal in refused(version, GOOD) if refusal[0] == "jump"] == found
    assert ("jump", "us-east-1") not in refused(version)


@pytest.mark.parametrize(("factor", "found"), [(3.1, [("jump", "us-east-1/gp3")]), (1 / 2.9, [])])
def test_a_volume_that_jumps_is_refused(factor: float, found: list[tuple[str, str]]) -> None:
    price = GOOD.regions["us-east-1"].volume_types["gp3"].usd_per_gib_month
    assert refused(with_volume(usd_per_gib_month=replace(price, value=price.value * factor)), GOOD) == found


def test_throughput_by_the_gibibyte_is_refused() -> None:
    """AWS prices gp3's throughput per GiB/s: without the division it would cost 1,024 times as much."""
    price = GOOD.regions["us-east-1"].volume_types["gp3"].usd_per_mib_per_s_month
    assert price is not None
    undivided = with_volume(usd_per_mib_per_s_month=replace(price, value=price.value * 1024))
    assert refused(undivided, GOOD) == [("jump", "us-east-1/gp3")]


def test_a_price_of_another_day_is_no_fault() -> None:
    assert refused(with_price(0.39, as_of=date(2026, 11, 20)), GOOD) == []
