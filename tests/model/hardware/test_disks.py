"""A node's own disks with separately measured reads and writes, and estimates from a related type."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import IN_2026, Known, predicted, refused
from model.disks import DOUBLE, EACH_WAY, LARGE, at_once, knowing, rows
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout
from stowage.model.forecast import forecast
from stowage.model.hardware.instance import InstanceType
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.append_log import DIRTY_RATIO, AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Assumptions, Job, Measured, Workload
from stowage.model.offer import offer_of
from stowage.model.rates import Rates, node_resources
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB
from stowage.model.uncertainty.scale import STORAGE_SPREAD, slowdown

READ, WRITE, KEEP, FETCH = Role.INPUT_READ, Role.OUTPUT_WRITE, Role.INTERMEDIATE_WRITE, Role.INTERMEDIATE_READ
PLAIN = Assumptions(network="unlimited", cpu="ignored", spread="ignored", launch="ignored")
DATA = 100_000.0
IO_MB = 4 / 1024 * MB_PER_MIB
SINGLE = Configuration("i3en.large", 1, InstanceStore(1, 0))
BOTH = Configuration("i3en.2xlarge", 1, InstanceStore(2, 0))


def asked(job: Job, **changes: Any) -> Workload:
    return replace(Workload("", job, assume=PLAIN), **changes)


def time_s(configuration: Configuration, job: Job, known: Known = EACH_WAY, **changes: Any) -> float:
    return predicted(configuration, asked(job, **changes), known).time_s.p50


def inputs_of(
    name: str, job: Job, known: Known = EACH_WAY, layout: Layout | None = None, **changes: Any
) -> Inputs | Infeasible:
    volume = known.catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    instance = known.catalog.instance_types[name]
    return gather(instance, volume, asked(job, **changes), known.catalog, known.profiles)


def found(name: str, job: Job, known: Known = EACH_WAY, **changes: Any) -> Inputs:
    answer = inputs_of(name, job, known, **changes)
    assert isinstance(answer, Inputs), answer
    return answer


def value(figure: Any) -> float | None:
    return None if figure is None else figure.value


SORT = MapReduce("sort", DATA)
ONCE = Durability("application", 1)
READS, WRITES = Hdfs("hdfs-read", DATA, ONCE), Hdfs("hdfs-write", DATA, ONCE)


def test_disks_that_do_one_thing_do_it_at_their_rate() -> None:
    assert time_s(BOTH, READS) == pytest.approx(DATA / 1_300.0)
    assert time_s(BOTH, WRITES) == pytest.approx(DATA / 660.0)
    assert time_s(replace(BOTH, layout=InstanceStore(1, 0)), WRITES) == pytest.approx(DATA / 330.0)


def test_the_times_of_reading_and_writing_add_up() -> None:
    """In each phase of a sort on one disk all is read once and written once."""
    each_s = DATA / 330.0 + DATA / 166.0
    assert time_s(SINGLE, SORT) == pytest.approx(2 * each_s)


def test_divided_disks_read_and_write_at_the_rates_of_their_part() -> None:
    """One disk is read while the other is written, and the reverse."""
    assert time_s(replace(BOTH, layout=InstanceStore(1, 1)), SORT) == pytest.approx(2 * DATA / 330.0)


def test_intermediate_data_beside_volumes_meets_all_disks() -> None:
    """Volumes far beyond the disks: phase 1 writes them, phase 2 reads them."""
    layout = Ebs("gp3", 1_000, 8, 16_000, 1_000)
    job = replace(SORT, durability=Durability("infrastructure"))
    link = Measured(ebs_read_mb_per_s=1e6, ebs_write_mb_per_s=1e6)
    answer = predicted(Configuration("i3en.large", 1, layout), asked(job, measured=link), EACH_WAY)
    assert [phase.bottleneck for phase in answer.phases] == ["intermediate disks"] * 2
    assert [phase.time_s for phase in answer.phases] == [pytest.approx(DATA / 166.0), pytest.approx(DATA / 330.0)]


@given(
    rate=st.floats(1.0, 1e5), written=st.floats(1.0, 1e5), moved=st.lists(st.floats(0.0, 1e6), min_size=4, max_size=4)
)
def test_a_line_in_seconds_is_the_line_of_the_read_rate_whose_written_bytes_weigh_read_over_write(
    rate: float, written: float, moved: list[float]
) -> None:
    """Writes are like those to an EBS link that was measured in both directions."""
    flows = dict(zip((READ, WRITE, KEEP, FETCH), moved, strict=True))
    own = Rates(input_output_disks=rate, input_output_writes=written, shares_disks=True)
    [disks] = node_resources(own, IDEAL)
    ratio = rate / written
    weighed = flows[READ] + flows[FETCH] + ratio * (flows[WRITE] + flows[KEEP])
    assert disks.time_s(flows) == pytest.approx(weighed / rate)


def test_equal_rates_are_one_rate() -> None:
    same = knowing(*rows("i3en.large", (200.0, 200.0, 9e4, 9e4)))
    # DiskBench's figure is of half the disks that read while the others write.
    one = knowing(at_once("i3en.large", 100.0))
    for job in (SORT, READS, WRITES):
        assert time_s(SINGLE, job, same) == pytest.approx(time_s(SINGLE, job, one))


def test_what_was_measured_of_both_at_once_rules() -> None:
    alone = knowing(at_once("i3en.large", 120.0))
    beside = knowing(at_once("i3en.large", 120.0), *rows("i3en.large", LARGE))
    assert predicted(SINGLE, asked(SORT), beside) == predicted(SINGLE, asked(SORT), alone)


def test_what_the_user_measured_rules() -> None:
    given_rate = Measured(storage_mb_per_s=120.0)
    answer = predicted(SINGLE, asked(SORT, measured=given_rate), EACH_WAY)
    assert answer.time_s.p50 == pytest.approx(4 * DATA / 240.0)
    assert not {figure.quantity for figure in answer.provenance if "storage_read" in figure.quantity}
    elsewhere = replace(given_rate, instance="i3en.24xlarge")
    assert time_s(SINGLE, SORT, measured=elsewhere) == time_s(SINGLE, SORT)


def test_one_direction_alone_says_too_little() -> None:
    read, write, *_ = rows("i3en.large", LARGE)
    for one in (read, write):
        assert refused(SINGLE, asked(SORT), knowing(one)).limit == "storage bandwidth unknown"


def test_random_io_takes_the_time_of_its_reads_and_of_its_writes() -> None:
    job = RandomIo(16_384.0, 4.0, 0.75, working_set_mb=1_000.0)
    ios = 16_384.0 / IO_MB
    assert time_s(SINGLE, job) == pytest.approx(ios * (0.75 / 43_000.0 + 0.25 / 33_000.0))
    assert time_s(SINGLE, replace(job, read_share=1.0)) == pytest.approx(ios / 43_000.0)
    assert time_s(SINGLE, replace(job, read_share=0.0)) == pytest.approx(ios / 33_000.0)


def test_large_random_io_meets_the_bandwidth() -> None:
    job = RandomIo(16_384.0, 1_024.0, 0.75, working_set_mb=1_000.0)
    assert time_s(SINGLE, job) == pytest.approx(16_384.0 * (0.75 / 330.0 + 0.25 / 166.0))


def test_random_io_takes_the_user_s_iops_and_bandwidth_each_where_they_are_given() -> None:
    job = RandomIo(16_384.0, 4.0, 0.75, working_set_mb=1_000.0)
    ios = 16_384.0 / IO_MB
    assert time_s(SINGLE, job, measured=Measured(storage_iops=5_000.0)) == pytest.approx(ios / 5_000.0)
    slow = Measured(storage_mb_per_s=10.0)
    assert time_s(SINGLE, job, measured=slow) == pytest.approx(16_384.0 / 20.0)
    known = found("i3en.large", job, measured=slow)
    assert (value(known.storage), value(known.storage_read_iops)) == (10.0, 43_000.0)


def test_without_iops_random_io_is_refused() -> None:
    bandwidth = knowing(*rows("i3en.large", LARGE[:2]))
    job = RandomIo(16_384.0, 4.0, working_set_mb=1_000.0)
    answer = refused(SINGLE, asked(job), bandwidth)
    assert (answer.limit, answer.nearest) == ("storage IOPS unknown", "measured.storage_iops")


# Related types


def test_a_relative_of_like_disks_stands_in_disk_by_disk() -> None:
    """i3en.xlarge has one of the two disks of i3en.2xlarge; those of i3en.large are half as large."""
    known = found("i3en.xlarge", RandomIo(DATA, 4.0))
    halves = [known.storage_read, known.storage_write, known.storage_read_iops, known.storage_write_iops]
    assert [value(figure) for figure in halves] == [rate / 2 for rate in DOUBLE]
    units = []
    for figure in halves:
        assert figure is not None
        assert figure.kind == "estimated"
        assert figure.source == "Not measured: i3en.2xlarge of the same family, disk by disk (iotune)"
        units.append(f"{figure.quantity} {figure.unit}")
    assert units == [
        "i3en.xlarge.storage_read_mb_per_s MB/s",
        "i3en.xlarge.storage_write_mb_per_s MB/s",
        "i3en.xlarge.storage_read_iops 1/s",
        "i3en.xlarge.storage_write_iops 1/s",
    ]
    modelled = found("i3en.xlarge", SORT, assume=Assumptions())
    assert [reason for channel, reason, _ in modelled.doubts if channel == "storage"] == ["estimated from the family"]


def test_a_relative_needs_both_directions_and_disks_of_like_size_and_medium() -> None:
    read, *_ = rows("i3en.2xlarge", DOUBLE)
    assert isinstance(inputs_of("i3en.xlarge", SORT, knowing(read)), Infeasible)
    assert isinstance(inputs_of("i3en.24xlarge", SORT), Infeasible)
    types = dict(EACH_WAY.catalog.instance_types)
    types["i3en.2xlarge"] = replace(types["i3en.2xlarge"], disk_media="hdd")
    turning = replace(EACH_WAY, catalog=replace(EACH_WAY.catalog, instance_types=types))
    estimate = found("i3en.xlarge", SORT, turning).storage_read
    assert estimate is not None
    assert "i3en.large" in estimate.source


def test_what_was_measured_of_a_type_goes_before_what_was_measured_of_a_relative() -> None:
    own = found("i3en.large", SORT, knowing(at_once("i3en.xlarge", 999.0), *rows("i3en.large", LARGE)))
    assert (own.storage, value(own.storage_read)) == (None, 330.0)
    relative = found("i3en.xlarge", SORT, knowing(at_once("i3en.large", 99.0), *rows("i3en.2xlarge", DOUBLE)))
    assert (value(relative.storage), relative.storage_read) == (99.0, None)


def test_a_family_is_looked_up_and_the_catalog_not_walked() -> None:
    """1,400 types that are each compared with 1,400 take seconds."""

    class Walked(dict[str, InstanceType]):
        walks = 0

        def values(self) -> Any:
            Walked.walks += 1
            return super().values()

        def __iter__(self) -> Iterator[str]:
            Walked.walks += 1
            return super().__iter__()

    catalog = replace(EACH_WAY.catalog, instance_types=Walked(EACH_WAY.catalog.instance_types))
    before = Walked.walks
    for name in ("i3en.xlarge", "i3en.2xlarge"):
        relative = catalog.instance_types[name]
        assert isinstance(gather(relative, None, asked(SORT), catalog, EACH_WAY.profiles), Inputs)
    assert Walked.walks <= before + 1  # its families are listed once


# Many nodes, and the certainty


def test_the_slowest_of_many_nodes_reads_and_writes_more_slowly() -> None:
    nodes, modelled = 50, replace(PLAIN, spread="modelled")
    many = replace(SINGLE, nodes=nodes)
    for job in (READS, WRITES, SORT, RandomIo(DATA, 4.0, 0.5)):
        late = slowdown(STORAGE_SPREAD.value, float(nodes))
        slow, plain = (time_s(many, job, assume=assume) for assume in (modelled, PLAIN))
        assert slow == pytest.approx(plain * late)
    known = found("i3en.2xlarge", SORT, assume=modelled)
    assert value(known.storage_spread) == 0.04
    assert value(found("i3en.large", SORT, assume=modelled).storage_spread) == STORAGE_SPREAD.value


def test_what_the_user_gives_is_not_slowed_and_what_was_measured_beside_it_is() -> None:
    nodes, modelled = 50, replace(PLAIN, spread="modelled")
    job = RandomIo(DATA, 4.0, 1.0)
    configuration = replace(SINGLE, nodes=nodes)
    bound_by_mb = Measured(storage_mb_per_s=1.0)
    assert time_s(configuration, job, assume=modelled, measured=bound_by_mb) == pytest.approx(DATA / nodes / 2.0)
    bound_by_ios = Measured(storage_mb_per_s=1e6)
    at_rest = DATA / nodes / IO_MB / 43_000.0
    slowest_s = time_s(configuration, job, assume=modelled, measured=bound_by_ios)
    assert slowest_s == pytest.approx(at_rest * slowdown(STORAGE_SPREAD.value, float(nodes)))


def test_the_least_certain_rate_says_how_uncertain_the_disks_are() -> None:
    once, often = rows("i3en.large", LARGE[:2], count=1), rows("i3en.large", LARGE[:2], count=9)
    for profiles, part in (((often[0], once[1]), 1), ((once[0], often[1]), 1), (once, 1), (often, 3)):
        known = found("i3en.large", SORT, knowing(*profiles), assume=Assumptions())
        [doubt] = [figure for channel, _, figure in known.doubts if channel == "storage"]
        assert doubt.quantity == "i3en.large.storage_measurement_doubt"
        assert doubt.value == pytest.approx(STORAGE_SPREAD.value / part)


def test_rates_that_have_aged_are_less_certain() -> None:
    old = tuple(replace(row, as_of=date(2016, 11, 20)) for row in rows("i3en.large", LARGE))
    ranges = [
        predicted(SINGLE, asked(SORT, assume=replace(PLAIN, spread="modelled")), known).time_s
        for known in (EACH_WAY, knowing(*old))
    ]
    assert ranges[0].p50 == ranges[1].p50
    assert ranges[0].p90 < ranges[1].p90


def test_each_of_many_node_counts_is_what_it_is_alone() -> None:
    counts = np.array([1.0, 2.0, 19.0, 178.0, 3_000.0])
    jobs = (SORT, replace(SORT, durability=Durability("application", 2)), RandomIo(DATA, 8.0, 0.3))
    for job in jobs:
        workload = asked(job, assume=replace(PLAIN, spread="modelled"))
        known = found("i3en.2xlarge", job, assume=workload.assume)
        layout = InstanceStore(1, 1) if job.intermediate_mb else InstanceStore(2, 0)
        together = forecast(offer_of(known, layout, workload, counts), workload, counts)
        middle, late = np.asarray(together.evaluation.time_s), np.asarray(together.time_s.p90)
        for index, count in enumerate(counts.tolist()):
            alone = forecast(offer_of(known, layout, workload, count), workload, count)
            assert (middle[index], late[index]) == (alone.evaluation.time_s, alone.time_s.p90)


# What depends on the rates


def test_a_page_cache_takes_what_the_disks_have_not_written() -> None:
    """x = W T + dirty, in any unit of the resource."""
    job = AppendLog(DATA, 4.0)
    cache_mb = DIRTY_RATIO.value * 16 * MB_PER_GIB
    assert time_s(SINGLE, job) == pytest.approx((DATA - cache_mb) / 166.0)


def test_repair_goes_at_the_slower_of_reading_and_writing() -> None:
    """Data that is sent is read, data that is received is written."""
    job = replace(WRITES, durability=Durability("application", 2))
    for figures, slower in ((LARGE, 166.0), ((166.0, 330.0, 1.0, 1.0), 166.0)):
        known = found("i3en.large", job, knowing(*rows("i3en.large", figures)))
        offered = offer_of(known, SINGLE.layout, asked(job), 9.0)
        assert offered.repair_mb_per_s == slower


def test_a_framework_reaches_its_part_of_each_direction() -> None:
    for job, part in ((WRITES, 0.851), (READS, 0.517)):
        assert time_s(BOTH, job, framework="hadoop-dfsio") == pytest.approx(time_s(BOTH, job) / part)


def test_the_date_of_a_profile_is_that_of_its_figure() -> None:
    known = found("i3en.large", RandomIo(DATA, 4.0))
    for figure, unit in ((known.storage_write, "MB/s"), (known.storage_write_iops, "1/s")):
        assert figure is not None
        assert (figure.unit, figure.kind, figure.as_of) == (unit, "measured", IN_2026)
