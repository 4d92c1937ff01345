"""The packaged catalog of all regions: its size, and the plausibility of its figures."""

import math
import statistics
from collections import Counter, defaultdict
from dataclasses import replace
from importlib import resources

import pytest

from stowage.catalog.sanity import check
from stowage.catalog.snapshot import LATEST, packaged, read, write
from stowage.catalog.stats import Known, disk_profiles, known_by_region
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Metric

VERSION = packaged(LATEST)
TYPES = VERSION.in_region("us-east-1").instance_types
FILE = resources.files("stowage.catalog") / "snapshots" / f"{LATEST}.json.gz"
KNOWN = known_by_region(VERSION)


def test_the_file_is_small() -> None:
    assert len(FILE.read_bytes()) < 500_000  # limit: 2 MB


def test_the_file_is_what_would_be_written_again() -> None:
    # Not compared byte by byte: a better compression is allowed.
    assert read(write(VERSION)) == VERSION


def test_it_passes_its_own_check() -> None:
    assert check(VERSION, VERSION).refusals == ()


def test_it_is_aws_of_july_2026_with_all_regions_of_the_prices() -> None:
    assert (VERSION.version, VERSION.provider, VERSION.as_of.isoformat()) == (LATEST, "aws", "2026-07-06")
    assert len(VERSION.regions) == 34
    assert sum(len(region.prices) for region in VERSION.regions.values()) > 16_000


def test_1300_types_of_us_east_1_are_complete() -> None:
    assert KNOWN["us-east-1"].complete >= 1_300
    assert KNOWN["us-east-1"].estimated / KNOWN["us-east-1"].complete < 0.03


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN.keys())
def test_the_counts_of_a_region_fit_together(known: Known) -> None:
    assert known.types >= max(known.priced, known.with_ebs, known.with_network, known.with_disks)
    assert min(known.priced, known.with_ebs, known.with_network, known.with_disks) >= known.complete
    assert known.complete >= known.estimated
    assert known.with_disks == known.types
    assert known.priced > 150


@pytest.mark.parametrize("name", sorted(set(packaged("paper-2014").instance_types) - {"hi1.4xlarge"}))
def test_the_paper_s_types_are_among_them_with_a_price(name: str) -> None:
    price = TYPES[name].usd_per_hour
    assert price is not None
    assert price.kind == "published"


def test_the_paper_s_measurements_came_along() -> None:
    paper = packaged("paper-2014").profiles
    assert set(paper.rows) < set(VERSION.profiles.rows)


def test_every_figure_has_a_source_and_a_date() -> None:
    kinds: Counter[str] = Counter()
    for name, region in VERSION.regions.items():
        for sold, prices in region.prices.items():
            for quantity, figure in prices.items():
                assert figure.source, (name, sold, quantity)
                assert figure.as_of is not None, (name, sold, quantity)
                kinds[figure.kind] += 1
                if figure.kind == "estimated":
                    assert figure.source.startswith(("Not listed here", "The surcharge")), figure.source
    assert kinds["estimated"] < 0.02 * kinds["published"]


@pytest.mark.parametrize("instance", [TYPES[name] for name in sorted(TYPES)[::37]], ids=lambda instance: instance.name)
def test_hardware_is_of_ec2_s_own_words(instance: InstanceType) -> None:
    assert instance.vcpus.source == "EC2 DescribeInstanceTypes (as moto 5.2.5 records it)"
    assert instance.vcpus.kind == "published"


def test_prices_are_proportional_within_a_family_for_most_types() -> None:
    """Independent check: the price per vCPU hardly differs between types that differ only in size."""
    per_vcpu = defaultdict(list)
    for name, instance in TYPES.items():
        if instance.usd_per_hour is not None and not instance.traits & {"accelerators", "burstable", "bare metal"}:
            per_vcpu[instance.family].append((instance.usd_per_hour.value / instance.vcpus.value, name))
    off = [
        name
        for rates in per_vcpu.values()
        for rate, name in rates
        if not math.isclose(rate, statistics.median(rate for rate, _ in rates), rel_tol=0.11)
    ]
    assert len(off) < 0.02 * len(TYPES), off


def test_a_doubtful_price_was_left_out() -> None:
    """The price list asks more for half a machine than for a whole one."""
    for name in ("m8gb.metal-24xl", "r8gb.metal-24xl"):
        assert TYPES[name].usd_per_hour is None


def test_most_regions_have_no_prices_of_volumes() -> None:
    with_volumes = {
        name: sorted(region.volume_types) for name, region in VERSION.regions.items() if region.volume_types
    }
    everything = ["gp2", "gp3", "io1", "io2", "sc1", "st1", "standard"]
    assert with_volumes == {
        "us-east-1": everything,
        "us-east-2": everything,
        "us-west-2": everything,
        "eu-west-1": ["gp2", "gp3", "io1", "st1"],
        "ap-northeast-1": ["gp2", "gp3", "io1", "io2", "sc1", "st1"],
    }


@pytest.mark.parametrize(("region", "kind"), [("us-east-1", "published"), ("eu-west-1", "estimated")])
def test_volumes_say_whose_prices_they_have(region: str, kind: str) -> None:
    for volume in VERSION.regions[region].volume_types.values():
        assert volume.usd_per_gib_month.kind == kind
        assert ("Second-hand" in volume.usd_per_gib_month.source) == (kind == "estimated")


@pytest.mark.parametrize(
    ("name", "metric", "expected"),
    [
        ("i3en.24xlarge", "storage_read_mb_per_s", 8 * 2043.674624),  # i3en.ALL, one disk
        ("i7ie.18xlarge", "storage_write_mb_per_s", 9034.6199),  # all disks
        ("m5d.4xlarge", "storage_read_iops", 2 * 129_822),
    ],
)
def test_measured_disks(name: str, metric: Metric, expected: float) -> None:
    [row] = VERSION.profiles.of(name, metric)
    assert row.mean == pytest.approx(expected, rel=1e-6)
    assert row.kind == "measured"
    assert "ScyllaDB" in row.source


def test_a_quarter_of_the_types_with_disks_have_measured_ones() -> None:
    counted = disk_profiles(VERSION)
    assert counted.measured / counted.types > 0.25
    assert 0 < counted.estimated < counted.measured


def test_a_region_is_read_once_and_by_name_only() -> None:
    assert VERSION.regions["us-east-1"] is VERSION.regions["us-east-1"]
    assert len(VERSION.regions) == len(list(VERSION.regions))
    with pytest.raises(KeyError):
        VERSION.in_region("us-east-9")


def test_every_link_to_ebs_is_free_priced_or_a_gap() -> None:
    """A region that is neither would silently cost nothing."""
    for region in VERSION.regions:
        for name, instance in VERSION.in_region(region).instance_types.items():
            if instance.ebs_baseline_mb_per_s is not None:
                known = instance.ebs_usd_per_hour is not None
                assert known != ("ebs_usd_per_hour" in instance.gaps), (region, name)


def test_every_type_that_bursts_has_a_share_or_a_gap() -> None:
    for name, instance in TYPES.items():
        gap = "cpu_baseline_share" in instance.gaps
        assert (instance.cpu_baseline_share is not None) + gap == ("burstable" in instance.traits), name
    assert "burstable" in TYPES["t1.micro"].traits


def test_prices_of_volumes_are_of_the_day_they_were_taken_over() -> None:
    """The table of those prices states no day; using the day of the compute prices would be invented."""
    for region in VERSION.regions.values():
        for volume in region.volume_types.values():
            assert str(volume.usd_per_gib_month.as_of) == "2026-11-20"


def test_a_family_tells_of_a_type_what_its_traits_do() -> None:
    for name, known in TYPES.items():
        unknown = replace(known, traits=frozenset())
        assert known.on_nitro == ("nitro" in known.traits), name
        assert unknown.on_nitro == known.on_nitro, name
        # The names of Macs follow no rule.
        assert unknown.architectures <= known.architectures or name.startswith("mac"), name
