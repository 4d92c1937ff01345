"""EBS volumes against the formulas and tables that AWS publishes.

"Guide 2023" is the EC2 user guide as AWS published it on GitHub until 2023 (awsdocs/amazon-ec2-user-guide, commit
0147f87, pages general-purpose, provisioned-iops, hdd-vols), "guide 2021" its single page ebs-volume-types of early
2021 (commit 4f7500d), "guide 2014" the page EBSVolumeTypes of API version 2014-05-01.
"""

from datetime import date
from math import inf, isinf

import pytest

from stowage.model.hardware.resource import Resource
from stowage.model.hardware.volume import Volume, burst_s, check, lines, performance, refill_s
from stowage.model.hardware.volume_limits import VolumeLimits, volume_limits
from stowage.model.jobs.flows import Role
from stowage.model.sizes import MB_PER_GIB

IN_2014, IN_2021, IN_2026 = date(2014, 10, 1), date(2021, 1, 11), date(2026, 6, 1)
TIB = 1024.0


def limits_of(name: str, on: date = IN_2026) -> VolumeLimits:
    found = volume_limits(name, on)
    assert isinstance(found, VolumeLimits)
    return found


# Guide 2023, hdd-vols, "ideal scan times": TiB, hours of st1, hours of sc1, from full buckets.
SCANS = [
    (1, 1.17, 3.64),
    (2, 1.17, 3.64),
    (3, 1.75, 3.64),
    (4, 2.33, 4.66),
    (5, 2.91, 5.83),
    (6, 3.50, 6.99),
    (7, 4.08, 8.16),
    (8, 4.66, 9.32),
    (9, 5.24, 10.49),
    (10, 5.83, 11.65),
    (11, 6.41, 12.82),
    (12, 6.99, 13.98),
    (13, 7.57, 15.15),
    (14, 8.16, 16.31),
    (15, 8.74, 17.48),
    (16, 9.32, 18.64),
]


def scan_s(volume: Volume) -> float:
    """Return the time to read a whole volume once [s]."""
    whole_mb = MB_PER_GIB * float(volume.size_gib)
    return float(Resource("volume", lines(volume)).time_s({Role.INPUT_READ: whole_mb}))


@pytest.mark.parametrize(("size_tib", "st1_h", "sc1_h"), SCANS)
def test_hours_of_a_full_scan(size_tib: int, st1_h: float, sc1_h: float) -> None:
    assert scan_s(Volume(limits_of("st1"), size_tib * TIB)) / 3600 == pytest.approx(st1_h, abs=0.0051)
    assert scan_s(Volume(limits_of("sc1"), size_tib * TIB)) / 3600 == pytest.approx(sc1_h, abs=0.0051)


def test_seconds_of_the_guide_s_worked_example() -> None:
    """Guide 2023, hdd-vols: 5 TiB of st1 in 10,486 s, of sc1 in 20,972 s, 1/(0.90 x 0.99) of it at most."""
    assert scan_s(Volume(limits_of("st1"), 5 * TIB)) == pytest.approx(10_486, abs=0.5)
    assert scan_s(Volume(limits_of("sc1"), 5 * TIB)) == pytest.approx(20_972, abs=0.5)
    limits = limits_of("st1")
    assert limits.promised_share is not None
    assert limits.promised_time is not None
    at_most_s = scan_s(Volume(limits, 5 * TIB)) / (limits.promised_share.value * limits.promised_time.value)
    assert at_most_s / 3600 == pytest.approx(3.27, abs=0.005)


# Guide 2023, hdd-vols, base and burst throughput: TiB, MiB/s of st1, MiB/s of sc1 (printed as whole numbers).
THROUGHPUT = [
    (0.125, 5, 31, 1.5, 10),
    (0.5, 20, 125, 6, 40),
    (1, 40, 250, 12, 80),
    (2, 80, 500, 24, 160),
    (3, 120, 500, 36, 240),
    (3.125, 125, 500, 37.5, 250),
    (4, 160, 500, 48, 250),
    (8, 320, 500, 96, 250),
    (12, 480, 500, 144, 250),
    (12.5, 500, 500, 150, 250),
    (13, 500, 500, 156, 250),
    (16, 500, 500, 192, 250),
]


@pytest.mark.parametrize(("size_tib", "st1_base", "st1_burst", "sc1_base", "sc1_burst"), THROUGHPUT)
def test_base_and_burst_throughput(
    size_tib: float, st1_base: float, st1_burst: float, sc1_base: float, sc1_burst: float
) -> None:
    for name, base, burst in (("st1", st1_base, st1_burst), ("sc1", sc1_base, sc1_burst)):
        reached = performance(Volume(limits_of(name), size_tib * TIB))
        assert reached.baseline_mib_per_s == pytest.approx(base)
        assert reached.burst_mib_per_s == pytest.approx(burst, abs=0.25)
        assert reached.credit_mib == size_tib * TIB * 1024


# GiB, baseline IOPS, seconds at 3,000 IOPS, seconds to refill.
GP2_BUCKETS = [
    pytest.param(1, 100, 1862, 54_000, id="guide 2023"),
    pytest.param(33, 100, 1862, 54_000, id="guide 2023: 1 to 33.33"),
    pytest.param(100, 300, 2000, 18_000, id="guide 2023 and 2021"),
    pytest.param(250, 750, 2400, 7200, id="guide 2021"),
    pytest.param(334, 1002, 2703, 5389, id="guide 2023 and 2021, 334"),
    pytest.param(500, 1500, 3600, 3600, id="guide 2021, 500"),
    pytest.param(750, 2250, 7200, 2400, id="guide 2023 and 2021, 750"),
    pytest.param(1000, 3000, inf, 0, id="guide 2023 and 2021: not applicable"),
    pytest.param(5334, 16_000, inf, 0, id="guide 2023 and 2021: smallest size for most IOPS"),
    pytest.param(16_384, 16_000, inf, 0, id="guide 2021: largest size"),
]


@pytest.mark.parametrize(("size_gib", "baseline_iops", "at_burst_s", "to_refill_s"), GP2_BUCKETS)
def test_gp2_bursts(size_gib: int, baseline_iops: int, at_burst_s: float, to_refill_s: int) -> None:
    volume = Volume(limits_of("gp2"), float(size_gib))
    assert performance(volume).baseline_iops == baseline_iops
    assert burst_s(volume) == pytest.approx(at_burst_s, abs=0.5)
    assert refill_s(volume) == pytest.approx(to_refill_s, abs=0.5)


def test_a_gp2_volume_of_1_gib_had_no_minimum_in_2014() -> None:
    """The guide of 2021 still printed the 1,802 s that 3 IOPS give, beside a baseline of 100 (1,862 s)."""
    assert burst_s(Volume(limits_of("gp2", IN_2014), 1.0)) == pytest.approx(1802, abs=0.5)


@pytest.mark.parametrize(
    ("size_gib", "baseline", "burst"),
    [(33, 25, 128), (100, 75, 128), (170, 127.5, 128), (171, 128.25, 250), (333, 249.75, 250), (334, 250, 250)],
)
def test_gp2_throughput_by_size(size_gib: int, baseline: float, burst: float) -> None:
    """Guide 2023: 128 MiB/s up to 170 GiB, 250 in bursts up to 334; guide 2021: 100 GiB without credits, 75 MiB/s."""
    reached = performance(Volume(limits_of("gp2"), float(size_gib)))
    assert (reached.baseline_mib_per_s, reached.burst_mib_per_s) == (baseline, burst)


@pytest.mark.parametrize(
    ("name", "on", "iops", "mib_per_s"),
    [
        pytest.param("io1", IN_2026, 2000, 500, id="guide 2023: peak up to 32,000 IOPS is reached at 2,000"),
        pytest.param("io1", IN_2026, 1000, 250, id="guide 2023: 256 KiB each"),
        pytest.param("io1", IN_2026, 32_000, 500, id="guide 2023: 32,000"),
        pytest.param("io1", IN_2026, 48_000, 750, id="guide 2023: 16 KiB x 48,000"),
        pytest.param("io1", IN_2026, 64_000, 1000, id="guide 2023: 16 KiB x 64,000"),
        pytest.param("io2", IN_2021, 48_000, 750, id="guide 2021: io2 as io1"),
        pytest.param("io2", IN_2021, 64_000, 1000, id="guide 2021: io2's most"),
        pytest.param("io2", IN_2026, 16_000, 4000, id="guide 2023: Block Express"),
        pytest.param("io2", IN_2026, 256_000, 4000, id="guide 2023: Block Express' most"),
        pytest.param("io1", date(2018, 1, 1), 32_000, 500, id="announcement of December 2017"),
        pytest.param("io1", date(2016, 1, 1), 20_000, 320, id="announcement of December 2017: before"),
        pytest.param("io1", IN_2014, 4000, 128, id="guide 2014; the throughput is not verified"),
    ],
)
def test_throughput_of_provisioned_iops(name: str, on: date, iops: int, mib_per_s: float) -> None:
    volume = Volume(limits_of(name, on), 2000.0 if on > IN_2014 else 1000.0, float(iops))
    reached = performance(volume)
    assert check(volume) is None
    assert reached.baseline_mib_per_s == reached.burst_mib_per_s == pytest.approx(mib_per_s)
    assert (reached.baseline_iops, reached.burst_iops) == (iops, iops)
    assert isinf(burst_s(volume))
    assert refill_s(volume) == 0.0


@pytest.mark.parametrize(
    ("name", "on", "smallest_gib", "iops"),
    [
        pytest.param("io1", IN_2026, 1280, 64_000, id="guide 2023: 50 x 1,280"),
        pytest.param("io1", IN_2026, 100, 5000, id="guide 2023: io1, 100 GiB"),
        pytest.param("io2", IN_2021, 128, 64_000, id="guide 2021: 500 x 128"),
        pytest.param("io2", IN_2021, 100, 50_000, id="guide 2021: io2, 100 GiB"),
        pytest.param("io2", IN_2026, 256, 256_000, id="guide 2023: Block Express, 1,000 x 256"),
        pytest.param("gp3", IN_2021, 32, 16_000, id="guide 2021: 500 x 32"),
        pytest.param("gp3", IN_2026, 160, 80_000, id="limits of 2025: 500 x 160"),
    ],
)
def test_smallest_size_for_iops(name: str, on: date, smallest_gib: int, iops: int) -> None:
    assert check(Volume(limits_of(name, on), float(smallest_gib), float(iops))) is None
    refused = check(Volume(limits_of(name, on), float(smallest_gib - 1), float(iops)))
    assert refused is not None
    assert refused.limit == "volume IOPS"
    assert refused.nearest is not None
    assert refused.nearest.startswith(f"{smallest_gib:,} GiB")


@pytest.mark.parametrize(
    ("on", "iops", "mib_per_s"),
    [
        pytest.param(IN_2021, 4000, 1000, id="guide 2021: 4,000 x 0.25"),
        pytest.param(IN_2026, 8000, 2000, id="limits of 2025: 8,000 x 0.25"),
    ],
)
def test_smallest_iops_for_the_most_throughput_of_gp3(on: date, iops: int, mib_per_s: int) -> None:
    """Guide 2021: from 8 GiB, where 500 IOPS per GiB allow 4,000."""
    enough = Volume(limits_of("gp3", on), iops / 500, float(iops), float(mib_per_s))
    assert check(enough) is None
    assert performance(enough).baseline_mib_per_s == mib_per_s
    refused = check(Volume(limits_of("gp3", on), iops / 500, float(iops - 1), float(mib_per_s)))
    assert refused is not None
    assert refused.limit == "volume throughput"


def test_gp3_includes_3000_iops_and_125_mib_per_s() -> None:
    """Guide 2021 and 2023, at every size."""
    for size_gib in (1.0, 16_384.0):
        reached = performance(Volume(limits_of("gp3"), size_gib))
        assert (reached.baseline_iops, reached.baseline_mib_per_s) == (3000.0, 125.0)


@pytest.mark.parametrize(
    ("name", "on", "smallest_gib", "largest_gib"),
    [
        pytest.param("gp2", IN_2014, 1, 1024, id="guide 2014: gp2"),
        pytest.param("io1", IN_2014, 10, 1024, id="guide 2014: io1"),
        pytest.param("standard", IN_2014, 1, 1024, id="guide 2014: standard"),
        pytest.param("gp2", IN_2021, 1, 16_384, id="guide 2021: gp2"),
        pytest.param("gp3", IN_2021, 1, 16_384, id="guide 2021: gp3"),
        pytest.param("io1", IN_2021, 4, 16_384, id="guide 2021: io1"),
        pytest.param("io2", IN_2021, 4, 16_384, id="guide 2021: io2"),
        pytest.param("st1", IN_2021, 125, 16_384, id="guide 2021: st1"),
        pytest.param("sc1", IN_2021, 125, 16_384, id="guide 2021: sc1"),
        pytest.param("st1", date(2018, 1, 1), 500, 16_384, id="guide 2018: st1"),
        pytest.param("gp3", IN_2026, 1, 65_536, id="limits of 2025: gp3"),
        pytest.param("io2", IN_2026, 4, 65_536, id="guide 2023: Block Express"),
    ],
)
def test_sizes(name: str, on: date, smallest_gib: int, largest_gib: int) -> None:
    limits = limits_of(name, on)
    assert (limits.smallest_gib.value, limits.largest_gib.value) == (smallest_gib, largest_gib)
