"""The packaged catalog compared with the paper's own figures, repeated here by hand."""

from datetime import date

import pytest

from knowledge import PAPER
from stowage.catalog.handwritten import read
from stowage.catalog.snapshot import LATEST, VERSIONS, packaged, packaged_digest
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Metric

TABLE_2 = {
    # cost of a sort in USD, price per hour
    "c3.large": (28, 0.105),
    "m3.large": (65, 0.14),
    "m3.medium": (66, 0.07),
    "m1.xlarge": (155, 0.35),
    "i2.4xlarge": (211, 3.41),
    "i2.8xlarge": (218, 6.82),
    "hs1.8xlarge": (248, 4.60),
    "cr1.8xlarge": (2966, 3.50),
}

NAMED = set(TABLE_2) | {
    "m1.small",  # Table 1
    "m3.xlarge",
    "c3.4xlarge",  # section 5.3
    "r3.4xlarge",
    "r3.8xlarge",  # Figures 8 and 9
    "cc2.8xlarge",
    "hi1.4xlarge",
    "i2.2xlarge",
    "i2.xlarge",
}

TYPES = PAPER.catalog.instance_types


def average_storage(instance: str) -> float:
    [mean] = [row.mean for row in PAPER.profiles.of(instance, "storage_mb_per_s") if row.statistic == "average"]
    return mean


def test_every_type_that_the_paper_names_is_there_and_no_other() -> None:
    assert set(TYPES) == NAMED


@pytest.mark.parametrize("instance", TABLE_2)
def test_storage_bandwidth_is_solved_from_table_2_without_rounding(instance: str) -> None:
    cost, price = TABLE_2[instance]
    assert average_storage(instance) == 2 * 100e6 * price / (3600 * cost)
    usd_per_hour = TYPES[instance].usd_per_hour
    assert usd_per_hour is not None
    assert usd_per_hour.value == price


@pytest.mark.parametrize(
    ("instance", "capacity_gb"),
    [
        ("c3.large", 32),
        ("m3.large", 32),
        ("m3.medium", 4),
        ("m1.xlarge", 1680),
        ("i2.4xlarge", 3200),
        ("i2.8xlarge", 6400),
        ("hs1.8xlarge", 48000),
        ("cr1.8xlarge", 240),
    ],
)
def test_capacity_is_what_table_2_implies(instance: str, capacity_gb: float) -> None:
    disks, size = TYPES[instance].disk_count, TYPES[instance].disk_size_gb
    assert size is not None
    assert disks.value * size.value == capacity_gb


def test_network_baseline_and_scaled_figure_of_i2_8xlarge() -> None:
    rows = PAPER.profiles.of("i2.8xlarge", "network_mb_per_s")
    assert [(row.cluster_nodes, row.mean, row.placement_group) for row in rows] == [
        (2, 879 / 0.81, True),
        (178, 879.0, True),
    ]


def test_no_other_type_has_a_network_rate_in_the_text() -> None:
    others = NAMED - {"i2.8xlarge"}
    assert not any(PAPER.profiles.of(name, "network_mb_per_s") for name in others)
    assert all("network_mb_per_s" in TYPES[name].gaps for name in others)


def test_ebs_figures_are_measured_on_i2_4xlarge_and_carried_over_to_its_likes() -> None:
    kinds = {}
    for name in ("i2.4xlarge", "r3.4xlarge", "c3.4xlarge"):
        [read_rate], [write_rate] = (
            PAPER.profiles.of(name, "ebs_read_mb_per_s"),
            PAPER.profiles.of(name, "ebs_write_mb_per_s"),
        )
        assert (read_rate.mean, write_rate.mean) == (243, 226)
        kinds[name] = read_rate.kind
    assert kinds == {"i2.4xlarge": "measured", "r3.4xlarge": "estimated", "c3.4xlarge": "estimated"}


def test_prices_that_the_paper_does_not_print_are_estimated_or_missing() -> None:
    for name, instance in TYPES.items():
        price = instance.usd_per_hour
        if name in {"r3.4xlarge", "c3.4xlarge"}:
            assert price is not None
            assert price.kind == "estimated"
        elif name not in TABLE_2:
            assert price is None
    r3, c3 = (TYPES[name].usd_per_hour for name in ("r3.4xlarge", "c3.4xlarge"))
    assert r3 is not None
    assert c3 is not None
    # Section 5.3: r3.4xlarge with its EBS link is 60% more expensive.
    assert (r3.value + 0.10) / (c3.value + 0.10) == pytest.approx(1.60, abs=0.005)


@pytest.mark.parametrize("instance", TYPES.values(), ids=TYPES.keys())
def test_every_figure_has_source_and_date_and_every_gap_its_reason(instance: InstanceType) -> None:
    for figure in (instance.vcpus, instance.memory_gib, instance.disk_count, instance.disk_size_gb):
        assert figure is not None
        assert figure.source
        assert isinstance(figure.as_of, date)
    assert all(instance.gaps.values())
    assert ("usd_per_hour" in instance.gaps) == (instance.usd_per_hour is None)
    gaps: tuple[tuple[Metric, str], ...] = (
        ("storage_mb_per_s", "storage_mb_per_s"),
        ("ebs_read_mb_per_s", "ebs_mb_per_s"),
    )
    for metric, gap in gaps:
        known = bool(PAPER.profiles.of(instance.name, metric))
        assert known != (gap in instance.gaps)


def test_a_figure_without_a_known_source_is_refused() -> None:
    with pytest.raises(KeyError, match="rumour"):
        read(
            b"version: x\ntitle: x\nas_of: 2026-01-01\nregion: r\nsources: {}\nvolume_types: {}\nprofiles: []\n"
            b"instance_types: {a: {vcpus: {value: 1, source: rumour}}}"
        )


def test_the_content_is_what_plans_of_old_rest_on() -> None:
    digest = PAPER.digest
    assert digest == "45b07537d6db6a2b768349660055a197f76949ffbbac587fd02795e535c99b29"


def test_the_package_carries_its_versions_the_newest_first_and_no_other() -> None:
    versions = [packaged(version).version for version in VERSIONS]
    assert versions == ["aws-2026-07-06", "paper-2014", "paper-2014-gce"]
    assert versions == list(VERSIONS)
    assert versions[0] == LATEST
    assert [packaged_digest(version) for version in VERSIONS] == [packaged(version).digest for version in VERSIONS]
    with pytest.raises(KeyError):
        packaged("../../etc/passwd")
