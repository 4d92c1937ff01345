"""Burst credits through whole jobs: predicted times against an event-driven simulation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import AWS_2026, predicted
from stowage.model.cluster import Configuration, Ebs
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Assumptions, Workload
from stowage.model.prediction import Prediction
from stowage.model.sizes import MB_PER_MIB

GIB_PER_TIB = 1024.0
CPU_MB_PER_S = 4 * 100.0
"""CPU rate of r5.xlarge, by the default of a vCPU."""
PLAIN = Assumptions(network="unlimited", spread="ignored", launch="ignored")


@dataclass
class Limit:
    """Capacity of one resource of a node: a sustained rate [1/s], and a higher one while its bucket lasts."""

    rate: float
    per_mb: float
    held: float = 0.0
    full: float = 0.0


@dataclass(frozen=True)
class Moved:
    """Data that one phase moves on the node [MB]."""

    read: float
    written: float
    computed: float

    @property
    def stored(self) -> float:
        return self.read + self.written


def bucket(rate: float, per_mb: float, full: float, level: float) -> Limit:
    return Limit(rate, per_mb, full * level, full)


def of_volumes(layout: Ebs, level: float) -> list[Limit]:
    """AWS' user guide of 2026, for sequential I/O: gp2 in I/Os of 256 KiB, st1 in MiB."""
    count, size_gib = layout.count, layout.size_gib
    if layout.volume_type == "gp2":
        baseline = max(100.0, min(3.0 * size_gib, 16_000.0))
        burst = max(baseline, 3_000.0)
        capped_mib = 128.0 if size_gib <= 170 else 250.0
        return [
            Limit(count * burst, 4 / MB_PER_MIB),
            bucket(count * baseline, 4 / MB_PER_MIB, count * 5.4e6, level),
            Limit(count * min(capped_mib, burst / 4), 1 / MB_PER_MIB),
        ]
    size_tib = size_gib / GIB_PER_TIB
    return [
        Limit(count * min(500.0, 250.0 * size_tib), 1 / MB_PER_MIB),
        bucket(count * min(500.0, 40.0 * size_tib), 1 / MB_PER_MIB, count * size_gib * 1024.0, level),
    ]


def of_link(level: float) -> list[Limit]:
    """4,750 Mbit/s for 30 minutes, 1,150 sustained."""
    return [Limit(593.75, 1.0), bucket(143.75, 1.0, (593.75 - 143.75) * 1_800.0, level)]


def simulated(layout: Ebs, phases: Sequence[Moved], level: float) -> tuple[list[float], list[float]]:
    """Simulate from event to event: a bucket empties, a bucket fills, a phase ends. Return times and balances."""
    limits = of_volumes(layout, level) + of_link(level)
    times = []
    for moved in phases:
        share, elapsed_s = 0.0, 0.0
        work = [(limit, limit.per_mb * moved.stored) for limit in limits]
        steady = CPU_MB_PER_S / moved.computed if moved.computed > 0.0 else math.inf
        while share < 1.0 - 1e-13:
            allowed = [limit.rate / load for limit, load in work if load > 0.0 and limit.held <= 0.0]
            speed = min([steady, *allowed])
            assert speed > 0.0
            drains = [(limit, load * speed - limit.rate) for limit, load in work if limit.full > 0.0]
            events = [(1.0 - share) / speed]
            events += [limit.held / drain for limit, drain in drains if drain > 1e-9 * limit.rate and limit.held > 0.0]
            events += [
                (limit.full - limit.held) / -drain for limit, drain in drains if drain < 0.0 < limit.full - limit.held
            ]
            step_s = min(events)
            for limit, drain in drains:
                held = min(limit.full, limit.held - drain * step_s)
                limit.held = 0.0 if held < 1e-9 * limit.full else held
            share += speed * step_s
            elapsed_s += step_s
        times.append(elapsed_s)
    return times, [limit.held for limit in limits if limit.full > 0.0]


def on(layout: Ebs, phases: Sequence[Moved], level: float) -> Prediction:
    spelled = tuple(
        (
            str(number),
            {Role.INPUT_READ: moved.read, Role.OUTPUT_WRITE: moved.written, Role.CPU: moved.computed},
        )
        for number, moved in enumerate(phases)
    )
    job = FreePhases(1_000.0, spelled, durability=Durability("infrastructure"))
    workload = Workload("", job, assume=PLAIN, credits=level)
    return predicted(Configuration("r5.xlarge", 1, layout), workload, AWS_2026)


AMOUNTS = st.floats(1.0, 3e6)
PHASES = st.lists(
    st.builds(Moved, read=AMOUNTS, written=st.one_of(st.just(0.0), AMOUNTS), computed=st.floats(1.0, 1e6))
    | st.builds(Moved, read=st.just(0.0), written=st.just(0.0), computed=st.floats(1.0, 1e6)),
    min_size=1,
    max_size=4,
)
LAYOUTS = st.builds(Ebs, st.just("gp2"), st.integers(1, 3_000), st.integers(1, 6)) | st.builds(
    Ebs, st.just("st1"), st.integers(125, 16_000), st.integers(1, 6)
)
LEVELS = st.sampled_from([0.0, 0.4, 1.0])


@given(layout=LAYOUTS, phases=PHASES, level=LEVELS)
@settings(max_examples=50)
def test_credits_carried_from_phase_to_phase_are_those_of_a_simulation(
    layout: Ebs, phases: list[Moved], level: float
) -> None:
    layout = replace(layout, size_gib=max(layout.size_gib, 2))
    found = on(layout, phases, level)
    times, held = simulated(layout, phases, level)
    assert [float(phase.time_s) for phase in found.phases] == pytest.approx(times, rel=1e-9)
    assert len(found.courses) == len(phases)
    kept = {(trace.resource, trace.line): trace for trace in found.courses[-1].credits}
    ends = [kept["EBS volumes", 1 if layout.volume_type == "gp2" else 2], kept["EBS link", 1]]
    scale = MB_PER_MIB if layout.volume_type == "st1" else 1.0
    assert ends[0].credit[-1] / scale == pytest.approx(held[0], rel=1e-6, abs=1e-6 * ends[0].full)
    assert ends[1].credit[-1] == pytest.approx(held[1], rel=1e-6, abs=1e-6 * ends[1].full)
    empty_s = sum(simulated(layout, phases, 0.0)[0])
    if found.on_empty is None:
        assert empty_s <= sum(times) * (1.001 + 1e-9)
    else:
        assert found.on_empty.time_s == pytest.approx(empty_s, rel=1e-9)
        assert found.on_empty.cost_usd >= found.cost_usd.p50 * (1 - 1e-12)


@given(layout=LAYOUTS, phases=PHASES, level=LEVELS)
@settings(max_examples=50)
def test_courses_end_where_their_phases_end_and_keep_credits_between_nothing_and_full(
    layout: Ebs, phases: list[Moved], level: float
) -> None:
    found = on(replace(layout, size_gib=max(layout.size_gib, 2)), phases, level)
    previous: dict[tuple[str, int], float] = {}
    for phase, course in zip(found.phases, found.courses, strict=True):
        assert course.times_s[-1] == float(phase.time_s)
        assert course.done[-1] == 1.0
        for trace in course.credits:
            assert all(0.0 <= credit <= trace.full for credit in trace.credit)
            key = (trace.resource, trace.line)
            assert trace.credit[0] == previous.get(key, trace.credit[0])
            previous[key] = trace.credit[-1]


ST1 = Ebs("st1", 1_024, 1)
"""250 MiB/s while a bucket of 1 TiB lasts, 40 MiB/s after that."""
TIB_MB = 1_048_576 * MB_PER_MIB


def test_a_scan_of_a_full_st1_volume_takes_1_16_hours_and_of_an_empty_one_7_28() -> None:
    """EBS user guide, scan times of Throughput Optimized HDD volumes. The bucket outlasts a scan of the volume."""
    scan = [Moved(TIB_MB, 0.0, 0.0)]
    # r5.xlarge has half an hour of 593 MB/s; at 262 MB/s its credit lasts for 6,800 s.
    full, empty = (on(ST1, scan, level) for level in (1.0, 0.0))
    assert full.time_s.p50 / 3_600 == pytest.approx(1.16, abs=0.01)
    assert empty.time_s.p50 / 3_600 == pytest.approx(7.28, abs=0.01)
    assert full.on_empty is not None
    assert full.on_empty.time_s == empty.time_s.p50
    assert empty.on_empty is None


def test_a_partly_full_bucket_lasts_its_part() -> None:
    """0.4 TiB at a net 210 MiB/s: 1,997 s in which 250 x 1,997 MiB pass; the rest at 40 MiB/s."""
    lasts_s = 0.4 * 1_048_576 / 210
    expected_s = lasts_s + (1_048_576 - 250 * lasts_s) / 40
    assert on(ST1, [Moved(TIB_MB, 0.0, 0.0)], 0.4).time_s.p50 == pytest.approx(expected_s)


def test_a_pause_refills_what_the_next_phase_spends() -> None:
    """Empty at first; 1,000 s of computing put 40,000 MiB into the bucket, which are spent at 250 MiB/s."""
    computing = Moved(0.0, 0.0, 1_000.0 * CPU_MB_PER_S)
    read = Moved(50_000 * MB_PER_MIB, 0.0, 0.0)
    rested, tired = on(ST1, [computing, read], 0.0), on(ST1, [read], 0.0)
    assert float(tired.phases[0].time_s) == pytest.approx(50_000 / 40)
    lasts_s = 40_000 / 210
    assert float(rested.phases[1].time_s) == pytest.approx(lasts_s + (50_000 - 250 * lasts_s) / 40)


def test_nothing_is_said_of_empty_buckets_where_there_are_none() -> None:
    found = on(Ebs("gp3", 1_000, 1), [Moved(1_000.0, 0.0, 0.0)], 1.0)
    assert found.on_empty is None
    steady = predicted(
        Configuration("r5d.24xlarge", 1, Ebs("gp3", 1_000, 1)),
        Workload("", FreePhases(1.0, (("a", {Role.INPUT_READ: 1e3}),), durability=Durability("infrastructure"))),
        AWS_2026,
    )
    # Its link has one constant rate, and gp3 keeps no credit: there is no curve to draw.
    assert steady.courses == ()


@given(phases=PHASES, layout=LAYOUTS, lower=LEVELS, higher=LEVELS)
def test_more_credit_is_never_slower(phases: list[Moved], layout: Ebs, lower: float, higher: float) -> None:
    layout = replace(layout, size_gib=max(layout.size_gib, 2))
    lower, higher = sorted((lower, higher))
    less, more = (on(layout, phases, level).time_s.p50 for level in (lower, higher))
    assert more <= less * (1 + 1e-12)


@given(phases=PHASES, layout=LAYOUTS, level=LEVELS, more=st.integers(1, 3))
def test_more_or_larger_volumes_are_never_slower(phases: list[Moved], layout: Ebs, level: float, more: int) -> None:
    layout = replace(layout, size_gib=max(layout.size_gib, 2))
    before = on(layout, phases, level).time_s.p50
    larger = replace(layout, size_gib=layout.size_gib + 100 * more)
    for richer in (replace(layout, count=layout.count + more), larger):
        assert on(richer, phases, level).time_s.p50 <= before * (1 + 1e-12)


@given(phases=PHASES, layout=LAYOUTS, level=LEVELS, factor=st.floats(1.0, 5.0))
def test_more_data_is_never_faster(phases: list[Moved], layout: Ebs, level: float, factor: float) -> None:
    layout = replace(layout, size_gib=max(layout.size_gib, 2))
    more = [Moved(moved.read * factor, moved.written * factor, moved.computed * factor) for moved in phases]
    assert on(layout, more, level).time_s.p50 >= on(layout, phases, level).time_s.p50 * (1 - 1e-12)
