"""EBS volumes: valid settings, performance limits, and the direction in which each setting works."""

from dataclasses import replace
from datetime import date
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stowage.model.hardware.resource import Resource
from stowage.model.hardware.volume import Volume, burst_s, check, lines, orderable, performance, refill_s
from stowage.model.hardware.volume_limits import (
    VOLUME_KINDS,
    IopsAndThroughput,
    ProvisionedIops,
    VolumeLimits,
    alternatives,
    provisioning,
    volume_limits,
)
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.flows import Role
from stowage.model.sizes import MB_PER_MIB
from stowage.model.units import Quantity

IN_2014, IN_2026 = date(2014, 10, 1), date(2026, 6, 1)
DATES = (IN_2014, date(2016, 6, 1), date(2018, 1, 1), date(2021, 1, 11), IN_2026)
TYPES = tuple(VOLUME_KINDS)
PROVISIONING = alternatives(provisioning("iops"))
READ, RANDOM_READ = Role.INPUT_READ, Role.RANDOM_READ
GIB_MB = 1024 * MB_PER_MIB


def limits_of(name: str, on: date = IN_2026) -> VolumeLimits:
    found = volume_limits(name, on)
    assert isinstance(found, VolumeLimits)
    return found


def known() -> list[VolumeLimits]:
    found = (volume_limits(name, on) for on in DATES for name in TYPES)
    return [limits for limits in found if isinstance(limits, VolumeLimits)]


@st.composite
def volumes(draw: st.DrawFn) -> Volume:
    limits = draw(st.sampled_from(known()))
    size_gib = float(draw(st.integers(int(limits.smallest_gib.value), int(limits.largest_gib.value))))
    sold = limits.performance
    if not isinstance(sold, IopsAndThroughput | ProvisionedIops):
        return Volume(limits, size_gib)
    least = (sold.included_iops if isinstance(sold, IopsAndThroughput) else sold.smallest_iops).value
    most = max(least, min(sold.largest_iops.value, sold.largest_iops_per_gib.value * size_gib))
    iops = float(draw(st.integers(int(least), int(most))))
    throughput = None
    if isinstance(sold, IopsAndThroughput) and draw(st.booleans()):
        highest = min(sold.largest_mib_per_s.value, iops * sold.largest_mib_per_s_per_iops.value)
        throughput = float(draw(st.integers(int(sold.included_mib_per_s.value), int(highest))))
    return Volume(limits, size_gib, iops, throughput, nitro=draw(st.booleans()))


def seconds(
    volume: Volume,
    moved_mb: dict[Role, float],
    count: float = 1.0,
    level: float = 1.0,
    first_read_mib_per_s: float | None = None,
) -> float:
    found = lines(volume, count, credit_level=level, first_read_mib_per_s=first_read_mib_per_s)
    return float(Resource("volumes", found).time_s(dict(moved_mb)))


@given(volume=volumes())
def test_what_can_be_ordered_has_performance(volume: Volume) -> None:
    assert check(volume) is None
    reached = performance(volume)
    assert 0 < reached.baseline_iops <= reached.burst_iops
    assert 0 < reached.baseline_mib_per_s <= reached.burst_mib_per_s


def scan_s(volume: Volume, level: float) -> float:
    """Return the time to read a whole volume once: at the burst rate until its credit is used, at the baseline then."""
    reached = performance(volume)
    size_mib = 1_024.0 * float(volume.size_gib)
    credit_mib = 0.0 if reached.credit_mib is None else float(reached.credit_mib)
    if reached.io_credits is not None:
        credit_mib = float(reached.io_credits) * volume.limits.largest_io_kib.value / 1_024.0
    at_burst_s = size_mib / float(reached.burst_mib_per_s)
    return max(at_burst_s, (size_mib - level * credit_mib) / float(reached.baseline_mib_per_s))


@given(volume=volumes(), level=st.floats(0.0, 1.0))
def test_closed_form_of_a_scan_is_what_the_lines_take(volume: Volume, level: float) -> None:
    whole_mb = float(volume.size_gib) * GIB_MB
    assert seconds(volume, {READ: whole_mb}, level=level) == pytest.approx(scan_s(volume, level), rel=1e-12)


@given(volume=volumes())
def test_a_full_bucket_lasts_and_refills_as_the_closed_forms_say(volume: Volume) -> None:
    lasts_s = burst_s(volume)
    assume(lasts_s < inf)
    full = Resource("volume", lines(volume))
    at_burst_mb = lasts_s * min(float(line.rate / line.weights[RANDOM_READ]) for line in full.lines if line.full == 0.0)
    assert full.time_s({RANDOM_READ: at_burst_mb}) == pytest.approx(lasts_s)
    emptied = full.after({RANDOM_READ: at_burst_mb}, lasts_s)
    refilled = emptied.after({}, refill_s(volume))
    for before, after in zip(emptied.lines, refilled.lines, strict=True):
        assert before.credit == pytest.approx(0.0, abs=1e-9 * float(before.full))
        assert after.credit == pytest.approx(after.full)


@given(volume=volumes(), larger=st.floats(1.0, 100.0), data_gib=st.floats(0.1, 1e6), level=st.floats(0.0, 1.0))
def test_a_bigger_volume_is_never_slower(volume: Volume, larger: float, data_gib: float, level: float) -> None:
    size_gib = min(volume.limits.largest_gib.value, float(ceil(float(volume.size_gib) * larger)))
    bigger = replace(volume, size_gib=size_gib)
    for role in (READ, RANDOM_READ):
        moved_mb = {role: data_gib * GIB_MB}
        assert seconds(bigger, moved_mb, level=level) <= seconds(volume, moved_mb, level=level)


@given(volume=volumes(), more=st.floats(1.0, 100.0), data_gib=st.floats(0.1, 1e6))
def test_more_iops_are_never_slower(volume: Volume, more: float, data_gib: float) -> None:
    assume(volume.iops is not None)
    faster = replace(volume, iops=float(volume.iops or 0.0) * more)
    for role in (READ, RANDOM_READ):
        moved_mb = {role: data_gib * GIB_MB}
        assert seconds(faster, moved_mb) <= seconds(volume, moved_mb)


@given(
    volume=volumes(),
    levels=st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)),
    counts=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    data_gib=st.floats(0.1, 1e6),
)
def test_more_credit_and_more_volumes_are_never_slower(
    volume: Volume, levels: tuple[float, float], counts: tuple[int, int], data_gib: float
) -> None:
    moved_mb = {READ: data_gib * GIB_MB}
    assert seconds(volume, moved_mb, level=max(levels)) <= seconds(volume, moved_mb, level=min(levels))
    assert seconds(volume, moved_mb, float(max(counts))) <= seconds(volume, moved_mb, float(min(counts)))


@given(
    ordered=st.lists(volumes(), min_size=1, max_size=8),
    counts=st.lists(st.integers(1, 20), min_size=8, max_size=8),
    level=st.floats(0.0, 1.0),
)
def test_arrays_give_what_each_volume_gives_alone_to_the_last_bit(
    ordered: list[Volume], counts: list[int], level: float
) -> None:
    first = ordered[0]
    # One type at a time; all types leave out what the first one leaves out.
    alike = [
        volume
        for volume in ordered
        if volume.limits == first.limits
        and (volume.iops is None, volume.throughput_mib_per_s is None, volume.nitro)
        == (first.iops is None, first.throughput_mib_per_s is None, first.nitro)
    ]

    def gathered(values: list[Quantity | None]) -> Quantity | None:
        return None if values[0] is None else np.array(values, dtype=np.float64)

    sizes = np.array([float(volume.size_gib) for volume in alike])
    iops, throughput = gathered([v.iops for v in alike]), gathered([v.throughput_mib_per_s for v in alike])
    together = lines(
        Volume(first.limits, sizes, iops, throughput, first.nitro),
        np.array(counts[: len(alike)], dtype=np.float64),
        credit_level=level,
    )
    for index, volume in enumerate(alike):
        for many, one in zip(together, lines(volume, float(counts[index]), credit_level=level), strict=True):
            for several, single in ((many.rate, one.rate), (many.credit, one.credit), (many.full, one.full)):
                assert isinstance(single, float)
                assert np.broadcast_to(several, sizes.shape)[index] == single
            assert many.weights == one.weights


def test_lines_of_gp2_are_burst_bucket_and_bytes() -> None:
    burst, bucket, megabytes = lines(Volume(limits_of("gp2"), 200.0), 2.0, credit_level=0.25)
    assert (burst.rate, burst.credit, burst.full) == (6000.0, 0.0, 0.0)
    assert (bucket.rate, bucket.credit, bucket.full) == (1200.0, 2.7e6, 10.8e6)
    assert (megabytes.rate, megabytes.full) == (500.0 * MB_PER_MIB, 0.0)
    # One I/O of 256 KiB is 0.262144 MB.
    assert bucket.weights[READ] == burst.weights[Role.OUTPUT_WRITE] == pytest.approx(1 / 0.262144)


def test_gp2_of_200_gib_reaches_250_mib_per_s_on_credits_alone() -> None:
    volume, an_hour = Volume(limits_of("gp2"), 200.0), 3600 * MB_PER_MIB
    assert seconds(volume, {READ: 250 * an_hour}) == pytest.approx(3600)
    assert seconds(volume, {READ: 150 * an_hour}, level=0.0) == pytest.approx(3600)


def test_lines_of_st1_are_ios_burst_and_bucket() -> None:
    ios, burst, bucket = lines(Volume(limits_of("st1"), 2048.0), 3.0)
    assert ios.rate == 1500.0
    assert burst.rate == pytest.approx(1500.0 * MB_PER_MIB)
    assert bucket.rate == pytest.approx(240.0 * MB_PER_MIB)
    assert bucket.credit == bucket.full == pytest.approx(6 * 1024**2 * MB_PER_MIB)


@pytest.mark.parametrize(
    ("name", "io_kib", "ios", "mib"),
    [
        ("gp2", 16.0, 1, 16 / 1024),
        ("gp2", 256.0, 1, 0.25),
        ("gp2", 257.0, 2, 257 / 1024),
        ("gp2", 1024.0, 4, 1.0),
        ("st1", 16.0, 1, 1.0),
        ("st1", 1024.0, 1, 1.0),
        ("st1", 1025.0, 2, 2.0),
        ("standard", 16.0, 1, 16 / 1024),
    ],
)
def test_what_a_random_io_counts(name: str, io_kib: float, ios: int, mib: float) -> None:
    """EBS user guide, I/O characteristics: split above 256 KiB on SSD; a full MiB each on st1 and sc1."""
    one_io_mb = io_kib / 1024 * MB_PER_MIB
    found = lines(Volume(limits_of(name), 1000.0), random_io_kib=io_kib)
    assert one_io_mb * found[0].weights[RANDOM_READ] == pytest.approx(ios)
    assert one_io_mb * found[-1].weights[Role.RANDOM_WRITE] == pytest.approx(mib * MB_PER_MIB)


def test_first_reads_of_a_restored_volume_are_slow_and_writes_are_not() -> None:
    volume, data_mb = Volume(limits_of("gp3"), 1000.0), 60 * 1000 * MB_PER_MIB
    assert seconds(volume, {READ: data_mb}, 2.0, first_read_mib_per_s=10.0) == pytest.approx(3000)
    for role in (Role.OUTPUT_WRITE, Role.INTERMEDIATE_READ):
        assert seconds(volume, {role: data_mb}, 2.0, first_read_mib_per_s=10.0) == seconds(volume, {role: data_mb}, 2.0)


def test_without_nitro_io1_and_io2_stop_at_32000_iops() -> None:
    for name, mib_per_s in (("io1", 500.0), ("io2", 4000.0)):
        reached = performance(Volume(limits_of(name), 2000.0, 64_000.0, nitro=False))
        assert (reached.baseline_iops, reached.baseline_mib_per_s) == (32_000.0, mib_per_s)
    # In 2014 there was no Nitro, and no such limit.
    assert performance(Volume(limits_of("io1", IN_2014), 1000.0, 4000.0, nitro=False)).baseline_iops == 4000.0


def test_standard_is_as_fast_as_aws_calls_typical() -> None:
    reached = performance(Volume(limits_of("standard"), 500.0))
    assert (reached.baseline_iops, reached.baseline_mib_per_s) == (100.0, 40.0)
    assert isinstance(burst_s(Volume(limits_of("standard"), 500.0)), float)


def test_sizes_may_be_whole_numbers_of_python() -> None:
    assert performance(Volume(limits_of("gp2"), 100)) == performance(Volume(limits_of("gp2"), 100.0))


def test_provisioned_iops_cannot_be_left_out() -> None:
    with pytest.raises(ValueError, match="io2 needs IOPS"):
        performance(Volume(limits_of("io2"), 100.0))


NOTHING: dict[str, float] = {}


@pytest.mark.parametrize(
    ("name", "size_gib", "more", "limit", "words", "nearest"),
    [
        ("gp2", 20_000.0, NOTHING, "volume size", "20,000 GiB: 16,384 GiB at most", "2 volumes of 10,000 GiB"),
        ("st1", 100.0, NOTHING, "volume size", "100 GiB: 125 GiB at least", "125 GiB"),
        ("gp2", 0.0, NOTHING, "volume size", "0 GiB: sizes are whole GiB", "1 to 16,384 GiB"),
        ("gp2", -5.0, NOTHING, "volume size", "-5 GiB: sizes are whole GiB", "1 to 16,384 GiB"),
        ("gp2", 10.5, NOTHING, "volume size", "10.5 GiB: sizes are whole GiB", "1 to 16,384 GiB"),
        ("gp2", float("nan"), NOTHING, "volume size", "nan GiB", "1 to 16,384 GiB"),
        ("gp2", 100.0, {"iops": 3000.0}, "volume IOPS", "gp2 takes no provisioned IOPS", PROVISIONING),
        ("st1", 500.0, {"iops": 500.0}, "volume IOPS", "st1 takes no provisioned IOPS", PROVISIONING),
        ("io2", 100.0, NOTHING, "volume IOPS", "io2 needs provisioned IOPS", "from 100 on"),
        ("io1", 100.0, {"iops": 99.0}, "volume IOPS", "cannot have 99 IOPS", "100 to 64,000 IOPS"),
        ("io2", 65_536.0, {"iops": 256_001.0}, "volume IOPS", "cannot have 256,001 IOPS", "100 to 256,000 IOPS"),
        ("gp3", 100.0, {"iops": 2999.0}, "volume IOPS", "cannot have 2,999 IOPS", "3,000 to 80,000 IOPS"),
        ("gp3", 100.0, {"iops": 3000.5}, "volume IOPS", "cannot have 3,000.5 IOPS", "a whole number"),
        ("io1", 100.0, {"iops": 5001.0}, "volume IOPS", "50 IOPS per GiB at most", "101 GiB, or 5,000 IOPS"),
        ("gp3", 4.0, {"iops": 3500.0}, "volume IOPS", "500 IOPS per GiB at most", "7 GiB, or 3,000 IOPS"),
        ("io2", 100.0, {"iops": 1e3, "throughput_mib_per_s": 500.0}, "volume throughput", "io2 takes no", "or gp3"),
        ("gp3", 100.0, {"throughput_mib_per_s": 124.0}, "volume throughput", "124 MiB/s", "125 to 2,000 MiB/s"),
        ("gp3", 100.0, {"throughput_mib_per_s": 2001.0}, "volume throughput", "2,001 MiB/s", "125 to 2,000 MiB/s"),
        (
            "gp3",
            100.0,
            {"throughput_mib_per_s": 751.0},
            "volume throughput",
            "0.25 MiB/s per IOPS",
            "3,004 IOPS, or 750",
        ),
        (
            "gp3",
            100.0,
            {"iops": 4000.0, "throughput_mib_per_s": 1001.0},
            "volume throughput",
            "1,001 MiB/s are too many for 4,000 IOPS",
            "4,004 IOPS, or 1,000 MiB/s",
        ),
    ],
)
def test_what_cannot_be_ordered_is_told_with_what_can(
    name: str, size_gib: float, more: dict[str, float], limit: str, words: str, nearest: str
) -> None:
    refused = check(Volume(limits_of(name), size_gib, **more))  # type: ignore[arg-type]
    assert refused is not None
    assert refused.limit == limit
    assert words in refused.reason
    assert name in refused.reason
    assert nearest in str(refused.nearest)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("iops", [None, 100.0, 3_000.0, 3_000.5, 20_000.0, 500_000.0])
@pytest.mark.parametrize("throughput", [None, 125.0, 750.0, 1_001.0, 9_000.0])
def test_volumes_that_differ_are_orderable_together_if_each_is_alone(
    name: str, iops: float | None, throughput: float | None
) -> None:
    sizes = np.array([-1.0, 0.5, 1.0, 4.0, 20.0, 125.0, 500.0, 16_384.0, 20_000.0, 70_000.0])
    alone = [check(Volume(limits_of(name), size_gib, iops, throughput)) is None for size_gib in sizes.tolist()]
    together = np.broadcast_to(orderable(Volume(limits_of(name), sizes, iops, throughput)), sizes.shape)
    assert together.tolist() == alone


@pytest.mark.parametrize("size_gib", [1.0, 4.0, 6.0])
def test_the_included_iops_come_with_every_size(size_gib: float) -> None:
    assert check(Volume(limits_of("gp3"), size_gib, 3000.0, 750.0)) is None


@given(count=st.integers(16_385, 10**9))
def test_a_size_that_is_too_large_is_told_as_volumes_that_hold_it(count: int) -> None:
    refused = check(Volume(limits_of("gp2"), float(count)))
    assert refused is not None
    volumes_needed, _, _, size, _ = str(refused.nearest).replace(",", "").split()
    assert int(volumes_needed) * int(size) >= count
    assert check(Volume(limits_of("gp2"), float(size))) is None


@pytest.mark.parametrize(
    ("name", "on", "words", "nearest"),
    [
        ("gp9", IN_2026, "'gp9' is not an EBS volume type", "sc1 or standard"),
        (
            "gp3",
            date(2019, 1, 1),
            "gp3 did not exist on 2019-01-01: it came on 2020-12-01",
            "gp2, io1, st1, sc1, standard",
        ),
        ("st1", IN_2014, "st1 did not exist on 2014-10-01: it came on 2016-04-19", "gp2, io1, standard"),
        ("gp2", date(2010, 1, 1), "gp2 did not exist on 2010-01-01", "a date from 2014-06-17 on"),
        ("io1", date(2013, 1, 1), "the limits of io1 on 2013-01-01 are not known", "a date from 2014-06-17 on"),
    ],
)
def test_a_type_that_was_not_there_is_an_answer(name: str, on: date, words: str, nearest: str) -> None:
    refused = volume_limits(name, on)
    assert isinstance(refused, Infeasible)
    assert refused.limit == "volume type"
    assert words in refused.reason
    assert nearest in str(refused.nearest)


@pytest.mark.parametrize("limits", known(), ids=lambda limits: f"{limits.name} since {limits.since}")
def test_every_figure_is_listed_with_unit_source_and_date(limits: VolumeLimits) -> None:
    figures = limits.figures()
    names = [figure.quantity for figure in figures]
    assert len(names) == len(set(names))
    assert {f"{limits.name}.smallest_gib", f"{limits.name}.highest_annual_failure_rate"} <= set(names)
    for figure in figures:
        assert figure.quantity.startswith(f"{limits.name}.")
        assert figure.value > 0
        assert figure.unit
        assert figure.source
        assert figure.as_of is not None
        if "not verified" in figure.source.lower() or "Worked back" in figure.source:
            assert figure.kind == "estimated"
    assert limits.lowest_annual_failure_rate.value <= limits.highest_annual_failure_rate.value


def test_units_are_those_of_the_names() -> None:
    units = {figure.quantity: figure.unit for limits in known() for figure in limits.figures()}
    assert units["gp2.iops_per_gib"] == "IOPS/GiB"
    assert units["gp2.io_credits"] == "I/O"
    assert units["gp2.burst_iops"] == "IOPS"
    assert units["gp2.largest_io_kib"] == "KiB"
    assert units["gp3.largest_mib_per_s_per_iops"] == "MiB/s per IOPS"
    assert units["io1.plateau_mib_per_s"] == "MiB/s"
    assert units["st1.baseline_mib_per_s_per_tib"] == "MiB/s per TiB"
    assert units["st1.credit_tib_per_tib"] == "TiB/TiB"
    assert units["sc1.highest_annual_failure_rate"] == "1/a"
    assert units["io2.promised_time"] == "1"


@pytest.mark.parametrize(
    ("name", "time"),
    [("gp2", 0.99), ("gp3", 0.99), ("io1", 0.999), ("io2", 0.999), ("st1", 0.99), ("sc1", 0.99), ("standard", None)],
)
def test_what_aws_promises(name: str, time: float | None) -> None:
    """EBS user guide, Amazon EBS optimization: 90% of the performance for this share of a year."""
    limits = limits_of(name)
    assert (limits.promised_time and limits.promised_time.value) == time
    assert (limits.promised_share and limits.promised_share.value) == (None if time is None else 0.9)


def test_refusals_name_the_types_that_provision_what_is_asked() -> None:
    assert alternatives(provisioning("iops")) == "gp3, io2 or io1"
    assert alternatives(provisioning("throughput")) == "gp3"
