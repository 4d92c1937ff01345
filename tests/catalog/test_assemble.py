"""A new catalog version from AWS' answers and the previous version: taken over, unchanged, and reported."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from stowage.catalog.assemble import Answers, Assembled, assemble
from stowage.catalog.aws_prices import BETWEEN_ZONES, Price, SpotPrice
from stowage.catalog.hardware import DESCRIBED, instance_types
from stowage.catalog.sanity import check
from stowage.catalog.snapshot import LATEST, packaged
from stowage.catalog.units import INSTANCE_UNITS, VOLUME_UNITS
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import CatalogVersion, Region, volume_type
from stowage.model.hardware.profile import Profiles

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


BEFORE = CatalogVersion(
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


def assembled(answers: Answers, before: CatalogVersion = BEFORE) -> Assembled:
    return assemble(before, [answers], name="aws-2026-11-20", as_of=NOW)


def made(answers: Answers, before: CatalogVersion = BEFORE) -> CatalogVersion:
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


def test_a_type_without_a_description_is_left_out_and_named() -> None:
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
        Price("gp9", "usd_per_gib_month", 0.05),
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
    for words in ("'gp9' is unknown", "usd_per_iops_month of tier9 has no place", "between zones cost USD 0.01"):
        assert any(words in note for note in found.notes), words


def test_a_region_without_volume_types_gets_them_with_the_failure_rate_known_elsewhere() -> None:
    bare = replace(BEFORE.regions[HERE], volume_types={})
    before = replace(BEFORE, regions={HERE: bare, THERE: BEFORE.regions[THERE]})
    version = made(answered(volumes=[Price("gp3", "usd_per_gib_month", 0.07)]), before)
    gp3 = version.regions[HERE].volume_types["gp3"]
    assert (gp3.usd_per_gib_month.value, gp3.annual_failure_rate.value) == (0.07, 0.002)


def test_a_volume_type_that_no_catalog_has_comes_with_the_highest_failure_rate_that_aws_states() -> None:
    assert "sc1" not in BEFORE.regions[HERE].volume_types
    found = assemble(
        BEFORE, [answered(volumes=[Price("sc1", "usd_per_gib_month", 0.015)])], name="aws-2026-11-20", as_of=NOW
    )
    assert found.version is not None
    sc1 = found.version.regions[HERE].volume_types["sc1"]
    assert (sc1.usd_per_gib_month.value, sc1.annual_failure_rate.value) == (0.015, 0.002)
    assert sc1.annual_failure_rate.quantity == "annual_failure_rate"
    assert "us-east-1: the volume type 'sc1' is new: it has the highest failure rate that AWS states" in found.notes


def test_a_price_that_only_became_certain_is_a_change() -> None:
    guessed = replace(usd("usd_per_hour", 0.096), kind="estimated")
    prices = {
        **BEFORE.regions[HERE].prices,
        "m5.large": {**BEFORE.regions[HERE].prices["m5.large"], "usd_per_hour": guessed},
    }
    before = replace(BEFORE, regions={HERE: replace(BEFORE.regions[HERE], prices=prices)})
    version = made(answered(Price("m5.large", "usd_per_hour", 0.096)), before)
    assert version.regions[HERE].prices["m5.large"]["usd_per_hour"].kind == "published"


def test_what_ec2_tells_by_now_is_no_gap_any_more_and_what_it_does_not_tell_is_one() -> None:
    cards = {"NetworkCards": [{"BaselineBandwidthInGbps": 1.0, "PeakBandwidthInGbps": 10.0}]}
    cards["NetworkPerformance"] = "Up to 10 Gigabit"  # type: ignore[assignment]
    before = BEFORE.instance_types["m5.large"]
    assert "network_mb_per_s" in before.gaps
    measured = replace(before, gaps={**before.gaps, "storage_mb_per_s": "never measured"})
    then = replace(BEFORE, instance_types={**BEFORE.instance_types, "m5.large": measured})
    at_extra_cost = described("m5.large", NetworkInfo=cards)
    at_extra_cost["EbsInfo"]["EbsOptimizedSupport"] = "supported"
    now = made(answered(types=(at_extra_cost, DESCRIPTIONS[1])), then).instance_types["m5.large"]
    assert now.network_peak_mb_per_s is not None
    assert set(now.gaps) == {"storage_mb_per_s", "ebs_usd_per_hour"}


def test_a_new_type_says_what_is_not_known_of_it() -> None:
    burstable = described("t9.large", BurstablePerformanceSupported=True)
    at_extra_cost = described("m9.large")
    at_extra_cost["EbsInfo"]["EbsOptimizedSupport"] = "supported"
    known = described("t3.small", BurstablePerformanceSupported=True)
    types = (*DESCRIPTIONS, burstable, at_extra_cost, known)
    now = made(answered(types=types, sold=[row["InstanceType"] for row in types])).in_region(HERE).instance_types
    assert "cpu_baseline_share" in now["t9.large"].gaps
    assert "ebs_usd_per_hour" in now["m9.large"].gaps
    assert now["m9.large"].ebs_usd_per_hour is None
    assert now["t3.small"].cpu_baseline_share is not None


def with_a_baseline(before: CatalogVersion) -> CatalogVersion:
    share = Figure("cpu_baseline_share", 0.3, "1", "user guide", "published", THEN)
    types = {**before.instance_types, "t9.large": replace(before.instance_types["t9.large"], cpu_baseline_share=share)}
    return replace(before, instance_types=types)


def test_a_gap_that_was_filled_by_hand_stays_filled() -> None:
    burstable = described("t9.large", BurstablePerformanceSupported=True)
    types = (*DESCRIPTIONS, burstable)
    answers = answered(types=types, sold=[row["InstanceType"] for row in types])
    filled = with_a_baseline(made(answers))
    version = assembled(answers, filled).version
    assert version is not None
    now = version.instance_types["t9.large"]
    assert (now.gaps.get("cpu_baseline_share"), now.cpu_baseline_share is None) == (None, False)


ALL = (
    *(described(f"m{number}.large") for number in range(40)),
    described("m1.xlarge", 4),
    described("m1.2xlarge", 8),
)
"""Enough that one or two odd ones are few."""
SOLD = tuple(row["InstanceType"] for row in ALL)


def listed(other: Mapping[str, float] | None = None, share: float = 1.0, of: str = "usd_per_hour") -> list[Price]:
    prices = {row["InstanceType"]: 0.05 * row["VCpuInfo"]["DefaultVCpus"] * share for row in ALL}
    return [Price(name, of, value) for name, value in (prices | dict(other or {})).items()]


def big(*prices: Price, sold: Iterable[str] = SOLD, **more: Any) -> Answers:
    volumes = more.pop("volumes", [Price("gp3", "usd_per_gib_month", 0.08)])
    return answered(*prices, types=ALL, sold=sold, volumes=volumes, **more)


FULL = made(big(*listed(), spot=[SpotPrice("m1.large", "a", "2026-11-20T10", 0.03)]))


def odd(name: str, usd_per_hour: float) -> list[Price]:
    return [*listed({name: usd_per_hour}, 0.9), Price(name, "one_year_usd_per_hour", usd_per_hour * 0.6)]


def test_an_odd_price_of_one_type_leaves_the_one_before_and_is_named() -> None:
    found = assembled(big(*odd("m1.2xlarge", 4.0)), FULL)
    assert found.refusals == ()
    assert found.version is not None
    prices = found.version.regions[HERE].prices
    assert prices["m1.2xlarge"] == FULL.regions[HERE].prices["m1.2xlarge"]
    assert prices["m1.large"]["usd_per_hour"].value == pytest.approx(0.09)
    assert check(found.version, FULL).refusals == ()
    [note] = [note for note in found.notes if "m1.2xlarge" in note]
    assert note.startswith("us-east-1: m1.2xlarge: 4 USD/h is out of proportion")
    assert note.endswith("(not believed, the one before stays)")


def test_an_odd_price_of_a_new_type_is_left_unknown() -> None:
    before = made(big(*listed()[:-1], sold=SOLD[:-1]))
    found = assembled(big(*odd("m1.2xlarge", 4.0)), before)
    assert found.refusals == ()
    assert found.version is not None
    assert list(found.version.regions[HERE].prices["m1.2xlarge"]) == ["ebs_usd_per_hour"]
    assert any(note.endswith("(not believed, its price is left unknown)") for note in found.notes)


def test_where_an_odd_price_is_all_that_is_new_nothing_has_changed() -> None:
    prices = listed({"m1.2xlarge": 4.0})
    assert assembled(big(*prices, spot=[SpotPrice("m1.large", "a", "2026-11-20T10", 0.03)]), FULL).version is None


def test_what_aws_lists_out_of_proportion_in_truth_does_not_stop_the_refresh() -> None:
    name = "m8gb.metal-24xl"
    before = packaged(LATEST)
    east = before.regions[HERE]
    listed = [
        Price(sold, quantity, figure.value)
        for sold, prices in east.prices.items()
        for quantity, figure in prices.items()
        if quantity in {"usd_per_hour", "one_year_usd_per_hour", "three_year_usd_per_hour"}
        and figure.kind == "published"
    ]
    volumes = [
        Price(volume, quantity, figure.value)
        for volume, told in east.volume_types.items()
        for quantity in VOLUME_UNITS
        if quantity.startswith("usd_") and (figure := getattr(told, quantity)) is not None
    ]
    answers = answered(
        Price(name, "usd_per_hour", 14.8061), *listed, types=(), sold=east.prices.keys(), volumes=volumes
    )
    found = assembled(answers, before)
    assert found.refusals == ()
    assert any(f"{name}: 14.8061 USD/h is out of proportion" in note for note in found.notes)
    if found.version is not None:
        assert "usd_per_hour" not in found.version.regions[HERE].prices[name]


@pytest.mark.parametrize("usd", [0.0, 0.00001, 40.0, 1e9])
def test_an_odd_spot_price_is_left_out_and_the_price_on_demand_taken_over(usd: float) -> None:
    found = assembled(big(*listed(share=0.9), spot=[SpotPrice("m1.large", "a", "2026-11-20T10", usd)]), FULL)
    assert found.refusals == ()
    assert found.version is not None
    prices = found.version.regions[HERE].prices["m1.large"]
    assert prices["usd_per_hour"].value == pytest.approx(0.09)
    assert prices["spot_usd_per_hour"].value == 0.03
    [note] = [note for note in found.notes if "m1.large: spot_usd_per_hour of" in note]
    assert note.endswith("(not believed, the one before stays)")


def test_odd_on_demand_and_spot_prices_of_one_type_are_both_left_out() -> None:
    spot = [SpotPrice("m1.large", "a", "2026-11-20T10", 1e-6)]
    found = assembled(big(*listed({"m1.large": 4000.0}, 0.9), spot=spot), FULL)
    assert (found.refusals, found.version is None) == ((), False)
    assert found.version is not None
    assert found.version.regions[HERE].prices["m1.large"] == FULL.regions[HERE].prices["m1.large"]


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        (
            listed(dict.fromkeys(("m1.large", "m1.xlarge", "m1.2xlarge"), 3000.0)),
            "3 of its 42 types have odd prices, as m1.",
        ),
        (listed(share=1000.0), "usd_per_hour is 1e+03 times what"),
    ],
)
def test_odd_prices_of_many_types_are_refused(prices: list[Price], words: str) -> None:
    assert any(words in refusal for refusal in assembled(big(*prices), FULL).refusals)


def test_a_new_type_whose_description_cannot_be_right_is_left_out() -> None:
    wrong = described("m99.large")
    wrong["MemoryInfo"]["SizeInMiB"] = 0
    answers = answered(*listed(), types=(*ALL, wrong), sold=(*SOLD, "m99.large"), volumes=big().volumes)
    found = assembled(answers, made(big(*listed(share=0.9))))
    assert found.refusals == ()
    assert found.version is not None
    assert "m99.large" not in {*found.version.instance_types, *found.version.regions[HERE].prices}
    assert any(note.startswith("m99.large: EC2 describes it with memory_gib of 0.0") for note in found.notes)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (big(), "the price list has 0 of the 42 on-demand prices that the catalog has"),
        (big(*listed()[:20]), "the price list has 20 of the 42 on-demand prices"),
        (big(*listed(), volumes=()), "the price list has 0 of the 1 prices of volumes' capacity"),
        (big(*listed(share=0.6, of="one_year_usd_per_hour")), "the price list has 0 of the 42 on-demand prices"),
    ],
)
def test_a_list_that_lacks_more_than_half_of_what_there_was_is_refused(answers: Answers, words: str) -> None:
    [refusal] = assembled(answers, FULL).refusals
    assert refusal.startswith(f"us-east-1: {words}")


def test_half_a_list_is_enough_and_estimates_are_not_missed() -> None:
    assert assembled(big(*listed()[:21]), FULL).refusals == ()
    guessed = {
        name: {quantity: replace(figure, kind="estimated") for quantity, figure in prices.items()}
        for name, prices in FULL.regions[HERE].prices.items()
    }
    before = replace(FULL, regions={**FULL.regions, HERE: replace(FULL.regions[HERE], prices=guessed)})
    assert assembled(big(), before).refusals == ()


def test_a_region_of_which_much_is_gone_is_refused() -> None:
    answers = big(*listed(), sold=SOLD[:30])
    assert "us-east-1: 12 of its 42 types would be gone" in assembled(answers, FULL).refusals
