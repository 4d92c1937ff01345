"""A new version from AWS' answers and the version before: what is taken over, what stays, what is named."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from stowage.catalog.assemble import Answers, Assembled, assemble
from stowage.catalog.aws_prices import BETWEEN_ZONES, Price, SpotPrice
from stowage.catalog.hardware import DESCRIBED, instance_types
from stowage.catalog.sanity import check
from stowage.catalog.units import INSTANCE_UNITS, VOLUME_UNITS
from stowage.model.catalogue import CatalogueVersion, Region, volume_type
from stowage.model.figure import Figure
from stowage.model.profile import Profiles

THEN, NOW = date(2026, 7, 6), date(2026, 11, 20)
HERE, THERE = "us-east-1", "eu-west-1"


def described(name: str, vcpus: int = 2, **more: Any) -> dict[str, Any]:
    return {
        "InstanceType": name,
        "VCpuInfo": {"DefaultVCpus": vcpus},
        "MemoryInfo": {"SizeInMiB": 4096 * vcpus},
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
        "EbsInfo": {
            "EbsOptimizedSupport": "default",
            "EbsOptimizedInfo": {
                "BaselineThroughputInMBps": 81.25 * vcpus / 2,
                "MaximumThroughputInMBps": 593.75,
                "BaselineIops": 3600,
                "MaximumIops": 18750,
            },
        },
        **more,
    }


DESCRIPTIONS = (described("m5.large"), described("m5.xlarge", 4))


def usd(quantity: str, value: float, as_of: date = THEN) -> Figure:
    return Figure(quantity, value, INSTANCE_UNITS[quantity], "a list of July", "published", as_of)


def region(name: str, factor: float = 1.0) -> Region:
    link = {"ebs_usd_per_hour": usd("ebs_usd_per_hour", 0.0)}
    prices = {
        "m5.large": {"usd_per_hour": usd("usd_per_hour", 0.096 * factor), **link},
        "m5.xlarge": {"usd_per_hour": usd("usd_per_hour", 0.192 * factor), **link},
    }
    figures = {
        quantity: Figure(quantity, value, VOLUME_UNITS[quantity], "EBS pages", "published", THEN)
        for quantity, value in {"usd_per_gib_month": 0.08, "annual_failure_rate": 0.002}.items()
    }
    return Region(name, prices, {"gp3": volume_type("gp3", figures, THEN)})


BEFORE = CatalogueVersion(
    version="aws-2026-07-06",
    title="before",
    as_of=THEN,
    provider="aws",
    instance_types=instance_types(DESCRIPTIONS, as_of=THEN),
    regions={HERE: region(HERE), THERE: region(THERE, 1.1)},
    profiles=Profiles(()),
    digest="0" * 64,
)


def answered(
    *prices: Price,
    types: Iterable[dict[str, Any]] = DESCRIPTIONS,
    sold: Iterable[str] = ("m5.large", "m5.xlarge"),
    spot: Iterable[SpotPrice] = (),
    volumes: Iterable[Price] = (),
) -> Answers:
    return Answers(HERE, tuple(types), frozenset(sold), prices, tuple(spot), tuple(volumes))


def assembled(answers: Answers, before: CatalogueVersion = BEFORE) -> Assembled:
    return assemble(before, [answers], name="aws-2026-11-20", as_of=NOW)


def made(answers: Answers, before: CatalogueVersion = BEFORE) -> CatalogueVersion:
    version = assembled(answers, before).version
    assert version is not None
    assert check(version).refusals == ()
    return version


def test_where_aws_says_nothing_new_there_is_no_new_version() -> None:
    assert assembled(answered()).version is None
    first = made(answered(Price("m5.large", "usd_per_hour", 0.09)))
    assert assembled(answered(Price("m5.large", "usd_per_hour", 0.09)), first).version is None


def test_a_price_is_taken_over_with_its_day_and_others_stay_with_theirs() -> None:
    version = made(answered(Price("m5.large", "usd_per_hour", 0.09)))
    assert (version.version, version.as_of) == ("aws-2026-11-20", NOW)
    now = version.in_region(HERE).instance_types
    new, old = now["m5.large"].usd_per_hour, now["m5.xlarge"].usd_per_hour
    assert new is not None
    assert (new.value, new.as_of, new.kind) == (0.09, NOW, "published")
    assert old == usd("usd_per_hour", 0.192)
    assert version.regions[THERE].prices == BEFORE.regions[THERE].prices
    assert version.instance_types == BEFORE.instance_types
    assert any(
        "1 on-demand prices were not in the list" in note
        for note in assembled(answered(Price("m5.large", "usd_per_hour", 0.09))).notes
    )


def test_a_spot_price_is_a_mean_and_says_of_what() -> None:
    zones = [SpotPrice("m5.large", zone, "2026-11-20T10", price) for zone, price in (("a", 0.03), ("b", 0.05))]
    figure = made(answered(spot=zones)).regions[HERE].prices["m5.large"]["spot_usd_per_hour"]
    assert figure.value == pytest.approx(0.04)
    assert "mean over the region's zones of the latest Linux/UNIX price in each" in figure.source


def test_a_new_type_comes_with_its_hardware_and_a_link_that_costs_nothing_more() -> None:
    types = (*DESCRIPTIONS, described("m9.large"))
    sold = ("m5.large", "m5.xlarge", "m9.large")
    version = made(answered(Price("m9.large", "usd_per_hour", 0.1), types=types, sold=sold))
    new = version.in_region(HERE).instance_types["m9.large"]
    assert new.vcpus.value == 2.0
    assert new.ebs_usd_per_hour is not None
    assert new.ebs_usd_per_hour.value == 0.0
    assert "m9.large" not in version.regions[THERE].prices


def test_hardware_that_aws_says_otherwise_of_is_taken_over_and_the_rest_stays() -> None:
    corrected = replace(
        BEFORE.instance_types["m5.large"],
        most_volumes=Figure("most_volumes", 27.0, "1", "looked up", "published", THEN),
    )
    before = replace(BEFORE, instance_types={**BEFORE.instance_types, "m5.large": corrected})
    version = made(answered(types=(described("m5.large", 4), DESCRIPTIONS[1])), before)
    hardware = version.instance_types["m5.large"]
    assert (hardware.vcpus.value, hardware.vcpus.as_of, hardware.vcpus.source) == (4.0, NOW, DESCRIBED)
    assert hardware.ebs_maximum_iops == BEFORE.instance_types["m5.large"].ebs_maximum_iops
    assert hardware.most_volumes == corrected.most_volumes


def test_a_type_that_is_not_offered_leaves_the_region_and_is_named() -> None:
    found = assembled(answered(sold=("m5.large",)))
    assert found.version is not None
    assert list(found.version.regions[HERE].prices) == ["m5.large"]
    assert "us-east-1: not offered any more: m5.xlarge" in found.notes


def test_a_type_that_nobody_describes_is_left_out_and_named() -> None:
    found = assembled(answered(sold=("m5.large", "m5.xlarge", "x9.large")))
    assert found.version is None
    assert "us-east-1: offered and not described, left out: x9.large" in found.notes


def test_two_prices_of_one_thing_are_none() -> None:
    found = assembled(answered(Price("m5.large", "usd_per_hour", 0.09), Price("m5.large", "usd_per_hour", 0.08)))
    assert found.version is None
    assert any("with several prices, the one before stays: m5.large usd_per_hour" in note for note in found.notes)


def test_volume_prices_are_taken_over_and_unknown_ones_left_out_and_named() -> None:
    volumes = (
        Price("gp3", "usd_per_gib_month", 0.07),
        Price("gp3", "usd_per_mib_per_s_month", 0.04),
        Price("gp4", "usd_per_gib_month", 0.05),
        Price("gp3", "usd_per_iops_month of tier9", 0.001),
        Price(BETWEEN_ZONES, "usd_per_gb", 0.01),
    )
    found = assembled(answered(volumes=volumes))
    assert found.version is not None
    gp3 = found.version.regions[HERE].volume_types["gp3"]
    assert gp3.usd_per_gib_month.value == 0.07
    assert gp3.usd_per_mib_per_s_month is not None
    assert gp3.annual_failure_rate == BEFORE.regions[HERE].volume_types["gp3"].annual_failure_rate
    assert list(found.version.regions[HERE].volume_types) == ["gp3"]
    for words in ("'gp4' is unknown", "usd_per_iops_month of tier9 has no place", "between zones cost USD 0.01"):
        assert any(words in note for note in found.notes), words


def test_a_region_without_volume_types_gets_them_with_the_failure_rate_known_elsewhere() -> None:
    bare = replace(BEFORE.regions[HERE], volume_types={})
    before = replace(BEFORE, regions={HERE: bare, THERE: BEFORE.regions[THERE]})
    version = made(answered(volumes=[Price("gp3", "usd_per_gib_month", 0.07)]), before)
    gp3 = version.regions[HERE].volume_types["gp3"]
    assert (gp3.usd_per_gib_month.value, gp3.annual_failure_rate.value) == (0.07, 0.002)


def test_a_price_that_only_became_certain_is_a_change() -> None:
    guessed = replace(usd("usd_per_hour", 0.096), kind="estimated")
    prices = {
        **BEFORE.regions[HERE].prices,
        "m5.large": {**BEFORE.regions[HERE].prices["m5.large"], "usd_per_hour": guessed},
    }
    before = replace(BEFORE, regions={HERE: replace(BEFORE.regions[HERE], prices=prices)})
    version = made(answered(Price("m5.large", "usd_per_hour", 0.096)), before)
    assert version.regions[HERE].prices["m5.large"]["usd_per_hour"].kind == "published"
