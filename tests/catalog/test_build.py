"""Hardware, prices and measurements joined: which types are sold where, at which price, and which are estimates."""

from dataclasses import replace
from typing import Any

import pytest

from described import DESCRIBED, HARDWARE, LISTED_ON, ingredients, prices
from stowage.catalog.build import Built, build, carried_across, carried_over
from stowage.model.figure import Figure
from stowage.model.hardware.instance import InstanceType


def made(*lines: str, **others: Any) -> Built:
    return build("aws-test", "A test", LISTED_ON, ingredients(prices(*lines), **others))


def sold(built: Built, name: str, region: str = "us-east-1") -> InstanceType:
    return built.version.in_region(region).instance_types[name]


def listed(usd: float) -> dict[str, Figure]:
    return {"usd_per_hour": Figure("usd_per_hour", usd, "USD/h", "a list", "published", LISTED_ON)}


def test_a_priced_type_is_sold_with_its_hardware() -> None:
    large = sold(made("us-east-1,m5.large,0.096,2026-07-06,0.06,0.04,0.03"), "m5.large")
    told = (large.usd_per_hour, large.one_year_usd_per_hour, large.three_year_usd_per_hour, large.spot_usd_per_hour)
    assert [figure and figure.value for figure in told] == [0.096, 0.06, 0.04, 0.03]
    assert large.vcpus == HARDWARE["m5.large"].vcpus


def test_the_link_costs_nothing_where_it_is_included_and_is_a_gap_where_it_costs_extra() -> None:
    built = made(
        "us-east-1,m5.large,0.096,2026-07-06,,,",
        "us-east-1,c1.xlarge,0.52,2026-07-06,,,",
        "us-east-1,i2.4xlarge,3.41,2026-07-06,,,",
        "us-east-1,i2.8xlarge,6.82,2026-07-06,,,",
        "eu-west-1,i2.4xlarge,3.751,2025-05-28,,,",
    )
    included = sold(built, "m5.large").ebs_usd_per_hour
    assert included is not None
    assert included.value == 0
    assert sold(built, "c1.xlarge").ebs_usd_per_hour is None
    assert "costs extra" in sold(built, "c1.xlarge").gaps["ebs_usd_per_hour"]
    # At the time of the paper only us-east-1 is known; other regions are not.
    of_2014 = sold(built, "i2.4xlarge").ebs_usd_per_hour
    assert of_2014 is not None
    assert (of_2014.value, of_2014.kind) == (0.1, "estimated")
    assert "ebs_usd_per_hour" not in sold(built, "i2.4xlarge").gaps
    assert sold(built, "i2.4xlarge", "eu-west-1").ebs_usd_per_hour is None
    assert "costs extra" in sold(built, "i2.4xlarge", "eu-west-1").gaps["ebs_usd_per_hour"]
    # A type without a link has no fee for it.
    assert sold(built, "i2.8xlarge").ebs_usd_per_hour is None
    assert "ebs_usd_per_hour" not in sold(built, "i2.8xlarge").gaps


def test_what_is_offered_without_a_price_is_sold_for_an_unknown_one() -> None:
    offered = {"us-east-1": frozenset({"p4d.24xlarge", "zz9.large"})}
    built = made("us-east-1,m5.large,0.096,2026-07-06,,,", offered=offered)
    assert sorted(built.version.regions["us-east-1"].prices) == ["m5.large", "p4d.24xlarge"]
    assert sold(built, "p4d.24xlarge").usd_per_hour is None


def test_what_is_priced_and_not_described_is_left_out_and_named() -> None:
    built = made("us-east-1,f1.2xlarge,1.65,2026-07-06,,,", "us-east-1,m5.large,0.096,2026-07-06,,,")
    assert list(built.version.regions["us-east-1"].prices) == ["m5.large"]
    left = {row.what: row.why for row in built.left_out}
    assert left["f1.2xlarge (1 regions)"] == "priced, but nobody describes it"
    assert "sold in none" in left["i3en.2xlarge"]
    assert left["the volumes of eu-west-1"] == "no instance type is priced there"


def test_a_doubted_price_is_left_out_and_the_type_stays() -> None:
    built = made("us-east-1,p4d.24xlarge,0.01,2026-07-06,,,0.005", doubted=frozenset({"p4d.24xlarge"}))
    assert built.version.regions["us-east-1"].prices["p4d.24xlarge"].keys() == {"ebs_usd_per_hour"}
    assert "the price of p4d.24xlarge" in {row.what for row in built.left_out}


def test_types_that_ec2_no_longer_describes_come_from_the_paper() -> None:
    built = made("us-east-1,hs1.8xlarge,4.6,2025-03-02,,,")
    old = sold(built, "hs1.8xlarge")
    assert (old.vcpus.value, old.memory_gib.value, old.disk_count.value) == (16, 117, 24)
    assert old.network_baseline_mb_per_s is not None
    assert old.network_baseline_mb_per_s.value == 1250
    assert "previous generation" in old.traits
    assert "network_mb_per_s" not in old.gaps
    assert "no longer" in old.gaps["ebs_mb_per_s"]
    assert built.version.profiles.of("hs1.8xlarge", "storage_mb_per_s")[0].kind == "measured"
    # No price list names it: the type is known but not sold.
    assert "hi1.4xlarge" in built.version.instance_types
    assert "hi1.4xlarge" not in built.version.regions["us-east-1"].prices


FAMILY = {"m5.large": listed(0.1), "m5.xlarge": listed(0.2), "m5.2xlarge": {}, "m5.metal": {}}


def test_a_missing_size_costs_what_the_others_cost_per_vcpu_and_is_marked() -> None:
    found, count = carried_over(FAMILY, HARDWARE)
    assert count == 1
    figure = found["m5.2xlarge"]["usd_per_hour"]
    assert figure.value == pytest.approx(0.4)
    assert figure.kind == "estimated"
    assert figure.source == (
        "Not listed here: the 2 listed sizes of m5 cost 0.05 USD per vCPU and hour in this region, times 8 vCPUs"
    )
    assert found["m5.metal"] == {}  # the price of a whole machine is not in its vCPUs


@pytest.mark.parametrize(
    "family",
    [
        {"m5.large": listed(0.1), "m5.2xlarge": {}},  # one size implies nothing about another
        {"m5.large": listed(0.1), "m5.xlarge": listed(0.21), "m5.2xlarge": {}},  # not proportional
    ],
)
def test_nothing_is_carried_where_the_family_is_not_proportional(family: Any) -> None:
    assert carried_over(family, HARDWARE) == (family, 0)


def many(count: int, usd: float, odd: int = 0) -> dict[str, dict[str, Figure]]:
    return {f"t{number}.large": listed(usd * (1.1 if number < odd else 1.0)) for number in range(count)}


def test_a_region_that_costs_the_same_lends_what_is_not_listed() -> None:
    here, there = many(100, 1.0, odd=10), many(100, 1.0)
    found, count = carried_across({**here, "x1.large": {}, "x2.large": {}}, {**there, "x1.large": listed(5.0)}, "far-1")
    assert count == 1
    figure = found["x1.large"]["usd_per_hour"]
    assert (figure.value, figure.kind) == (5.0, "estimated")
    assert figure.source == "Not listed here: the price in far-1; of 100 types listed in both regions 90 cost the same"
    assert found["x2.large"] == {}


@pytest.mark.parametrize("here", [many(99, 1.0), many(100, 1.0, odd=11), many(100, 1.2)])
def test_a_region_that_costs_another_sum_lends_nothing(here: Any) -> None:
    wanted = {**here, "x1.large": {}}
    assert carried_across(wanted, {**many(100, 1.0), "x1.large": listed(5.0)}, "far-1") == (wanted, 0)


def test_without_prices_there_are_no_regions() -> None:
    assert made().version.regions == {}


def test_the_version_carries_its_own_digest() -> None:
    first = made("us-east-1,m5.large,0.096,2026-07-06,,,").version
    second = made("us-east-1,m5.large,0.097,2026-07-06,,,").version
    assert len(first.digest) == 64
    assert first.digest != second.digest


def test_who_described_a_type_stands_at_its_figures() -> None:
    asked = replace(ingredients(prices()), described_by="EC2 DescribeInstanceTypes (as a test records it)")
    large = build("aws-test", "A test", LISTED_ON, asked).version.instance_types["m5.large"]
    assert large.vcpus.source == "EC2 DescribeInstanceTypes (as a test records it)"
    assert set(DESCRIBED) < set(build("aws-test", "A test", LISTED_ON, asked).version.instance_types)
