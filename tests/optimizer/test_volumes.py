"""The search for volumes against a plain loop over every count, size, IOPS and throughput of a small space.

The loop asks the model's resources how long a day's load takes and which balance remains, and knows nothing of
bisection or monotonicity.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowage.model.cluster import Ebs, ordered
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import VolumeType, instance_type, volume_type
from stowage.model.hardware.resource import Resource
from stowage.model.hardware.volume import Volume, check, lines, performance
from stowage.model.hardware.volume_limits import IopsAndThroughput, IopsBySize, ProvisionedIops
from stowage.model.infeasible import Infeasible
from stowage.model.money.price import volume_io_usd, volume_usd_per_month
from stowage.optimizer.volume_advice import for_load, to_io2
from stowage.optimizer.volume_day import day
from stowage.optimizer.volumes import Design, Designs, Load, design, link_of, strains, volumes_of

TODAY = date(2026, 11, 20)
PRICES = {
    "gp2": {"usd_per_gib_month": 0.10},
    "gp3": {"usd_per_gib_month": 0.08, "usd_per_iops_month": 0.005, "usd_per_mib_per_s_month": 0.04},
    "io1": {"usd_per_gib_month": 0.125, "usd_per_iops_month": 0.065},
    "io2": {
        "usd_per_gib_month": 0.125,
        "usd_per_iops_month": 0.065,
        "usd_per_iops_month_above_32000": 0.0455,
        "usd_per_iops_month_above_64000": 0.03185,
    },
    "st1": {"usd_per_gib_month": 0.045},
    "sc1": {"usd_per_gib_month": 0.015},
    "standard": {"usd_per_gib_month": 0.05, "usd_per_million_io": 0.05},
}


def figure(quantity: str, value: float) -> Figure:
    return Figure(quantity, value, "1", "us-east-1's price list", "published", TODAY)


TYPES = {
    name: volume_type(
        name, {key: figure(key, value) for key, value in (prices | {"annual_failure_rate": 0.002}).items()}, TODAY
    )
    for name, prices in PRICES.items()
}


def small(name: str) -> VolumeType:
    """Restrict a type so that every one of its volumes can be enumerated."""
    kind = TYPES[name]
    limits = replace(kind.limits, largest_gib=figure("largest_gib", 60.0))
    rules = limits.performance
    if isinstance(rules, IopsAndThroughput):
        limits = replace(limits, largest_gib=figure("largest_gib", 12.0))
        rules = replace(
            rules,
            included_iops=figure("included_iops", 20.0),
            largest_iops=figure("largest_iops", 48.0),
            largest_iops_per_gib=figure("largest_iops_per_gib", 4.0),
            included_mib_per_s=figure("included_mib_per_s", 3.0),
            largest_mib_per_s=figure("largest_mib_per_s", 10.0),
        )
    elif isinstance(rules, ProvisionedIops):
        limits = replace(limits, largest_gib=figure("largest_gib", 20.0))
        rules = replace(
            rules,
            smallest_iops=figure("smallest_iops", 10.0),
            largest_iops=figure("largest_iops", 60.0),
            largest_iops_per_gib=figure("largest_iops_per_gib", 4.0),
        )
    elif isinstance(rules, IopsBySize):
        rules = replace(
            rules,
            smallest_iops=figure("smallest_iops", 10.0),
            burst_iops=figure("burst_iops", 100.0),
            io_credits=figure("io_credits", 5e5),
            small_volume_gib=figure("small_volume_gib", 20.0),
            small_volume_mib_per_s=figure("small_volume_mib_per_s", 9.0),
            largest_mib_per_s=figure("largest_mib_per_s", 15.0),
        )
    else:
        limits = replace(limits, smallest_gib=figure("smallest_gib", 5.0))
    return replace(kind, limits=replace(limits, performance=rules))


SMALL = {name: small(name) for name in PRICES}


@dataclass(frozen=True)
class Found:
    usd: float
    count: int


def every_volume(kind: VolumeType) -> Iterator[Volume]:
    limits, rules = kind.limits, kind.limits.performance
    iops: list[float | None] = [None]
    throughput: list[float | None] = [None]
    if isinstance(rules, IopsAndThroughput):
        iops = [float(value) for value in range(int(rules.included_iops.value), int(rules.largest_iops.value) + 1)]
        most = int(rules.largest_mib_per_s.value)
        throughput = [float(value) for value in range(int(rules.included_mib_per_s.value), most + 1)]
    elif isinstance(rules, ProvisionedIops):
        iops = [float(value) for value in range(int(rules.smallest_iops.value), int(rules.largest_iops.value) + 1)]
    sizes = range(int(limits.smallest_gib.value), int(limits.largest_gib.value) + 1)
    for size, asked_iops, asked_throughput in product(sizes, iops, throughput):
        volume = Volume(limits, float(size), asked_iops, asked_throughput)
        if check(volume) is None:
            yield volume


def keeps_up(resource: Resource, load: Load) -> bool:
    """Simulate one day: the load takes no longer than allowed, and the night restores the credits."""
    moved = {load.role: load.mb_per_s * load.hours * 3600.0}
    if resource.time_s(moved) > load.hours * 3600.0 * (1.0 + 1e-9):
        return False
    morning = resource.after(moved, load.hours * 3600.0).after({}, (24.0 - load.hours) * 3600.0)
    for before, line, after in zip(resource.lines, resource.lines, morning.lines, strict=True):
        used = float(line.load(moved) or 0.0)
        # An empty credit hides its deficit: compare the bytes of a day with the baseline of a day.
        if float(line.full) > 0.0 and used > float(line.rate) * 86_400.0 * (1.0 + 1e-9):
            return False
        if float(after.credit) < float(before.credit) * (1.0 - 1e-6):
            return False
    return True


def oracle(kind: VolumeType, load: Load, most: int) -> Found | None:
    best: Found | None = None
    prices = kind.prices()
    for count in range(1, most + 1):
        for volume in every_volume(kind):
            if count * float(volume.size_gib) < load.capacity_gib:
                continue
            found = lines(volume, float(count), credit_level=load.credits, random_io_kib=load.io_kib)
            per_s = float(found[0].load({load.role: load.mb_per_s}) or 0.0)
            usd = count * float(
                volume_usd_per_month(prices, volume.size_gib, volume.iops or 0.0, volume.throughput_mib_per_s or 0.0)
            ) + float(volume_io_usd(prices, per_s * load.hours / 24.0 * 730.0 * 3600.0))
            if (best is None or usd < best.usd * (1.0 - 1e-9)) and keeps_up(Resource("volumes", found), load):
                best = Found(usd, count)
    return best


loads = st.builds(
    Load,
    # A value within `ROUNDING` of a whole number counts as that number, which the plain loop does not do.
    capacity_gib=st.floats(1.0, 80.0).map(lambda gib: round(gib, 6)),
    mib_per_s=st.sampled_from([0.0, 0.2, 0.5, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0]) | st.floats(0.01, 25.0),
    io_kib=st.sampled_from([4.0, 16.0, 64.0, 256.0, 1000.0]),
    pattern=st.sampled_from(["random", "sequential"]),
    hours=st.sampled_from([0.5, 1.0, 4.0, 12.0, 23.0, 24.0]),
    credits=st.sampled_from([0.0, 0.3, 1.0]),
)


@pytest.mark.parametrize("name", PRICES)
@settings(max_examples=10)
@given(load=loads, most=st.integers(1, 4))
def test_it_finds_what_looking_at_every_volume_finds(name: str, load: Load, most: int) -> None:
    looked_at_every_volume(name, load, most)


@pytest.mark.soak("spaces")
@pytest.mark.parametrize("name", PRICES)
@settings(max_examples=500)
@given(load=loads, most=st.integers(1, 4))
def test_it_finds_what_looking_at_every_volume_finds_for_many_loads(name: str, load: Load, most: int) -> None:
    looked_at_every_volume(name, load, most)


def looked_at_every_volume(name: str, load: Load, most: int) -> None:
    answer, expected = design(SMALL[name], load, most), oracle(SMALL[name], load, most)
    if expected is None:
        assert isinstance(answer, Infeasible)
        return
    assert isinstance(answer, Designs)
    assert answer.cheapest.cost.total == pytest.approx(expected.usd, rel=1e-9)
    assert answer.cheapest.layout.count == expected.count


def cheapest(name: str, load: Load, most: int = 16) -> Design:
    answer = design(TYPES[name], load, most)
    assert isinstance(answer, Designs), answer
    return answer.cheapest


def test_included_iops_of_several_gp3_volumes_are_cheaper_than_iops_of_one() -> None:
    answer = design(TYPES["gp3"], Load(1000.0, 4000 * 16 / 1024), 16)
    assert isinstance(answer, Designs)
    assert answer.cheapest.layout == Ebs("gp3", 500, 2, 3000, 125)
    assert answer.cheapest.cost.total == pytest.approx(80.0)
    assert answer.fewest.layout == Ebs("gp3", 1000, 1, 4000, 125)
    assert answer.fewest.cost.total == pytest.approx(85.0)


def test_a_burst_is_counted_on_where_the_night_gives_it_back() -> None:
    # 3,000 I/Os for 30 minutes take (3,000 - 3 x GiB) x 1,800 of 5.4 million credits: 100 GiB do; all day needs 1,000.
    at = 3000 * 16 / 1024
    assert cheapest("gp2", Load(50.0, at, hours=0.5), 1).layout.size_gib == 50
    assert cheapest("gp2", Load(50.0, at, hours=24.0), 1).layout.size_gib == 1000
    # An empty bucket leaves only the baseline.
    assert cheapest("gp2", Load(50.0, at, hours=0.5, credits=0.0), 1).layout.size_gib == 1000
    # Four hours a day: the mean of the day counts, 500 IOPS, and (3,000 - r) x 14,400 s <= 5.4 million.
    assert cheapest("gp2", Load(50.0, at, hours=4.0), 1).layout.size_gib == 875


def test_st1_and_its_bucket_of_a_tib_for_each_tib() -> None:
    # 250 MiB/s for 4 h: (250 - 40 t) x 14,400 <= t x 1,048,576, t TiB.
    size = cheapest("st1", Load(500.0, 250.0, pattern="sequential", hours=4.0)).layout.size_gib
    assert size == -(-250 * 14_400 * 1024 // (1_048_576 + 40 * 14_400))


def test_small_random_io_is_dear_on_hdd() -> None:
    refused = design(TYPES["sc1"], Load(100.0, 4000 * 16 / 1024), 16)
    assert isinstance(refused, Infeasible)
    assert refused.reason.startswith(
        "16 sc1 volumes sustain 3,072 MiB/s at most; the load is 4,000 (every I/O of 16 KiB"
    )
    assert refused.nearest == "21 volumes"


@pytest.mark.parametrize(
    ("name", "load", "most", "limit", "words"),
    [
        ("gp2", Load(100_000.0), 2, "volume size", "2 gp2 volumes hold 32,768 GiB at most; 100,000 are asked"),
        ("standard", Load(10.0, 2.0), 1, "volume IOPS", "1 standard volume reaches 100 IOPS at most; 128 are asked"),
        ("io1", Load(10.0, 1500.0, 256.0), 1, "volume throughput", "reaches 1,000 MiB/s at most; 1,500 are asked"),
        (
            "sc1",
            Load(500.0, 250.0, 1024.0, "sequential"),
            1,
            "volume throughput",
            "sustains 192 MiB/s at most; the load is 250 on the mean of a day",
        ),
        (
            "sc1",
            Load(500.0, 250.0, 1024.0, "sequential", 1.0, 0.0),
            1,
            "volume throughput",
            "needs burst credit for this load, and begins without any",
        ),
    ],
)
def test_what_cannot_be_says_why(name: str, load: Load, most: int, limit: str, words: str) -> None:
    answer = design(TYPES[name], load, most)
    assert isinstance(answer, Infeasible)
    assert answer.limit == limit
    assert words in answer.reason
    assert answer.nearest is not None


def test_io_on_an_old_instance_stops_at_32000() -> None:
    load = Load(1000.0, 40_000 * 4 / 1024, 4.0)
    nitro, old = (design(TYPES["io2"], load, 2, nitro=nitro) for nitro in (True, False))
    assert isinstance(nitro, Designs)
    assert isinstance(old, Designs)
    assert (nitro.fewest.layout.count, old.fewest.layout.count) == (1, 2)


def test_operations_are_charged_where_they_cost() -> None:
    # 100 I/Os a second, half the day: 131.4 million a month at 0.05 USD a million.
    found = cheapest("standard", Load(10.0, 100 * 16 / 1024, hours=12.0), 1)
    assert found.cost.operations == pytest.approx(6.57)
    assert found.cost.total == pytest.approx(0.5 + 6.57)


def test_the_day_of_a_burst() -> None:
    load = Load(500.0, 250.0, pattern="sequential", hours=4.0)
    found = cheapest("st1", load)
    resource, _ = volumes_of(ordered(TYPES["st1"], found.layout, nitro=True), found.layout.count, load)
    course = day(load, resource)
    assert course.late_h == 0.0
    assert [moment.hour for moment in course.course][:2] == [0.0, 4.0]
    assert course.course[0].volume_credit == 1.0
    assert course.course[1].volume_credit == pytest.approx(0.0, abs=0.01)
    assert course.course[-1].hour == 24.0
    assert course.course[-1].volume_credit == 1.0
    assert course.course[0].mb_per_s == pytest.approx(262.144)
    assert course.course[1].mb_per_s == 0.0


def test_a_link_that_throttles_makes_the_day_longer() -> None:
    link_figures = {
        "vcpus": 4.0,
        "memory_gib": 16.0,
        "disk_count": 0.0,
        "ebs_baseline_mb_per_s": 100.0,
        "ebs_maximum_mb_per_s": 400.0,
        "ebs_baseline_iops": 6000.0,
        "ebs_maximum_iops": 20_000.0,
    }
    small_type = instance_type(
        "x.large",
        {key: figure(key, value) for key, value in link_figures.items()},
        disk_media=None,
        placement_group=False,
        gaps={},
    )
    load = Load(500.0, 200.0, pattern="sequential", hours=4.0)
    link = link_of(small_type, load)
    assert link is not None
    taken = {(strain.limit, strain.what): strain.carried for strain in strains(link[0], load, link[1])}
    assert taken["throughput", "peak"]
    assert not taken["throughput", "credit"]
    found = cheapest("gp3", load)
    resource, _ = volumes_of(ordered(TYPES["gp3"], found.layout, nitro=True), found.layout.count, load)
    throttled = day(load, resource, link[0])
    # 300 MB/s x 1,800 s of credit on top of 100 MB/s for all of 200 MiB/s x 4 h.
    assert throttled.late_h == pytest.approx((200 * 1.048576 * 14_400 - 540_000) / 100 / 3600 - 4)
    assert throttled.course[-1].hour == 24.0


def test_a_load_of_all_day_ends_with_the_day() -> None:
    load = Load(500.0, 100.0, hours=24.0)
    found = cheapest("gp3", load)
    resource, _ = volumes_of(ordered(TYPES["gp3"], found.layout, nitro=True), found.layout.count, load)
    assert [moment.hour for moment in day(load, resource).course] == [0.0, 24.0]


def test_advice_counts_on_no_more_than_an_instance_off_nitro_reaches() -> None:
    """64,000 IOPS of io1 are 32,000 there; no advice for a load of 40,000 relies on one volume."""
    load = Load(4_000.0, 40_000 * 16.0 / 1024.0)
    io1 = Ebs("io1", 4_000, 1, 40_000)
    for nitro in (True, False):
        change = to_io2(TYPES["io1"], TYPES["io2"], io1, load, nitro=nitro)
        assert (change.before.carried, change.after.carried) == (nitro, nitro)
        expected = performance(Volume(TYPES["io1"].limits, 4_000.0, 40_000.0, nitro=nitro))
        assert change.reached_before == expected
        offered = [TYPES["io1"], TYPES["io2"]]
        assert (for_load(TYPES["io1"], io1, offered, load, nitro=nitro) is not None) == nitro
