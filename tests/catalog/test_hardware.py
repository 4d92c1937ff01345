"""Instance types from recorded descriptions: figures repeated here by hand, and implausible ones."""

from copy import deepcopy
from typing import Any

import pytest

from described import DESCRIBED, HARDWARE, ON
from stowage.catalog.hardware import instance_types
from stowage.model.hardware.instance import InstanceType


def read(item: Any) -> InstanceType:
    [found] = instance_types([item], as_of=ON).values()
    return found


def changed(name: str, **parts: Any) -> dict[str, Any]:
    return {**deepcopy(dict(DESCRIBED[name])), **parts}


def value(name: str, quantity: str) -> float:
    figure = getattr(HARDWARE[name], quantity)
    assert figure is not None
    return float(figure.value)


@pytest.mark.parametrize(
    ("name", "quantity", "expected"),
    [
        ("m5.large", "vcpus", 2),
        ("m5.large", "memory_gib", 8),
        ("m5.large", "disk_count", 0),
        ("m5.large", "ebs_baseline_mb_per_s", 81.25),  # 650 Mbit/s
        ("m5.large", "ebs_maximum_mb_per_s", 593.75),
        ("m5.large", "ebs_baseline_iops", 3600),
        ("m5.large", "ebs_maximum_iops", 18750),
        ("m5.large", "network_baseline_mb_per_s", 93.75),  # 0.75 Gbit/s
        ("m5.large", "network_peak_mb_per_s", 1250),
        ("i3en.2xlarge", "disk_count", 2),
        ("i3en.2xlarge", "disk_size_gb", 2500),
        ("d3en.12xlarge", "disk_count", 24),
        ("i2.8xlarge", "network_baseline_mb_per_s", 1250),
        ("p4d.24xlarge", "network_baseline_mb_per_s", 50_000),  # 4 cards of 100 Gbit/s
        ("c8gn.48xlarge", "ebs_baseline_mb_per_s", 15_000),  # 2 cards of 60,000 Mbit/s
        ("c8gn.48xlarge", "network_baseline_mb_per_s", 75_000),
    ],
)
def test_figures_are_in_the_catalog_s_units(name: str, quantity: str, expected: float) -> None:
    assert value(name, quantity) == expected


@pytest.mark.parametrize("item", [item for item in DESCRIBED.values() if "EbsCards" in item["EbsInfo"]])
def test_the_link_of_a_type_with_several_cards_is_already_their_sum(item: Any) -> None:
    cards, whole = item["EbsInfo"]["EbsCards"], item["EbsInfo"]["EbsOptimizedInfo"]
    for quantity in ("BaselineThroughputInMBps", "MaximumThroughputInMBps", "BaselineIops", "MaximumIops"):
        assert sum(card[quantity] for card in cards) == whole[quantity]


def test_network_cards_that_share_a_link_do_not_add_up() -> None:
    # Two cards of 200 Gbit/s each, of a type whose performance is "200 Gigabit".
    assert value("c6in.32xlarge", "network_baseline_mb_per_s") == 25_000
    figure = HARDWARE["c6in.32xlarge"].network_baseline_mb_per_s
    assert figure is not None
    assert figure.kind == "published"
    assert "NetworkPerformance" in figure.source


@pytest.mark.parametrize("name", ["c3.4xlarge", "i2.4xlarge", "c1.xlarge"])
def test_a_network_that_has_only_a_word_is_estimated_and_says_how(name: str) -> None:
    peak, baseline = HARDWARE[name].network_peak_mb_per_s, HARDWARE[name].network_baseline_mb_per_s
    assert peak is not None
    assert baseline is not None
    assert DESCRIBED[name]["NetworkInfo"]["NetworkCards"][0]["PeakBandwidthInGbps"] == 10.0
    assert baseline.value <= peak.value == 250  # 2 Gbit/s
    assert {peak.kind, baseline.kind} == {"estimated"}
    assert '"High"' in peak.source
    assert "10 Gbit/s" in peak.source


def test_a_network_without_rates_is_a_gap() -> None:
    without = changed("m5.large", NetworkInfo={"NetworkPerformance": "High", "NetworkCards": [{}]})
    hardware = read(without)
    assert hardware.network_baseline_mb_per_s is None
    assert '"High"' in hardware.gaps["network_mb_per_s"]


@pytest.mark.parametrize("name", ["i2.8xlarge", "c3.large", "t2.xlarge"])
def test_a_type_without_a_link_of_its_own_says_so(name: str) -> None:
    assert HARDWARE[name].ebs_baseline_mb_per_s is None
    assert "shares its network" in HARDWARE[name].gaps["ebs_mb_per_s"]


@pytest.mark.parametrize(
    ("name", "most"),
    # 28 minus a network interface and the disks, by the user guide; Linux on Xen has another limit.
    [("m5.large", 27), ("i3en.2xlarge", 25), ("d3en.12xlarge", 3), ("c8gn.48xlarge", 128), ("i2.8xlarge", 40)],
)
def test_the_limit_of_attachments_already_leaves_out_what_else_is_attached(name: str, most: int) -> None:
    assert value(name, "most_volumes") == most


@pytest.mark.parametrize(
    ("name", "traits"),
    [
        ("m5.large", {"nitro", "previous generation", "x86_64"}),
        ("m5.metal", {"nitro", "bare metal", "previous generation", "x86_64"}),
        ("m8g.large", {"nitro", "arm64"}),
        ("t3.micro", {"nitro", "burstable", "x86_64"}),
        ("t2.xlarge", {"burstable", "x86_64"}),
        ("p4d.24xlarge", {"nitro", "accelerators", "x86_64"}),
        ("i2.8xlarge", {"previous generation", "x86_64"}),
    ],
)
def test_traits(name: str, traits: set[str]) -> None:
    assert HARDWARE[name].traits == traits


@pytest.mark.parametrize(("name", "share"), [("t3.micro", 0.10), ("t2.xlarge", 0.225)])
def test_a_burstable_type_says_what_its_cpus_sustain(name: str, share: float) -> None:
    assert value(name, "cpu_baseline_share") == share


def test_an_unknown_burstable_family_is_reported() -> None:
    unknown = read(changed("t3.micro", InstanceType="t9z.micro"))
    assert unknown.cpu_baseline_share is None
    assert "cpu_baseline_share" in unknown.gaps
    assert HARDWARE["m5.large"].cpu_baseline_share is None
    assert "cpu_baseline_share" not in HARDWARE["m5.large"].gaps


def test_t1_bursts_though_ec2_has_no_flag_for_it() -> None:
    micro = read(changed("c3.large", InstanceType="t1.micro"))
    assert "burstable" in micro.traits
    assert "cpu_baseline_share" in micro.gaps


def test_a_link_at_extra_cost_is_a_gap_of_the_hardware_for_every_reader() -> None:
    assert "costs extra" in HARDWARE["i2.4xlarge"].gaps["ebs_usd_per_hour"]
    assert "ebs_usd_per_hour" not in HARDWARE["m5.large"].gaps


def test_placement_groups() -> None:
    assert HARDWARE["m5.large"].placement_group
    assert not HARDWARE["t3.micro"].placement_group


def test_disks_of_several_sizes_count_as_the_smallest_and_are_estimated() -> None:
    disks = [{"Count": 1, "SizeInGB": 900, "Type": "ssd"}, {"Count": 2, "SizeInGB": 300, "Type": "ssd"}]
    hardware = read(changed("m5d.2xlarge", InstanceStorageInfo={"Disks": disks}))
    size = hardware.disk_size_gb
    assert size is not None
    assert (hardware.disk_count.value, size.value, size.kind, hardware.disk_media) == (3, 300, "estimated", "ssd")
    assert "300 and 900 GB" in size.source


def test_disks_of_which_some_turn_are_hard_disks() -> None:
    disks = [{"Count": 1, "SizeInGB": 900, "Type": "ssd"}, {"Count": 2, "SizeInGB": 900, "Type": "hdd"}]
    assert read(changed("m5d.2xlarge", InstanceStorageInfo={"Disks": disks})).disk_media == "hdd"


def test_a_description_without_vcpus_is_refused() -> None:
    with pytest.raises(KeyError, match="VCpuInfo"):
        read({"InstanceType": "x1.y", "MemoryInfo": {"SizeInMiB": 1024}})
