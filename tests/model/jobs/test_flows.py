"""Data flows of jobs by node: compared with figures computed by hand, and conserved between nodes."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.model.jobs import engine
from stowage.model.jobs.append_log import DIRTY_RATIO, AppendLog, Fsync
from stowage.model.jobs.flows import Durability, Nodes, Phase, Role
from stowage.model.jobs.hdfs import EMR_REPLICATION, Hdfs, default_replication
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Job, Workload
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB
from stowage.model.units import Quantity

KIB_MB = MB_PER_MIB / 1024.0
EIGHT_GB = Nodes(4.0, memory_mb=8_000.0, vcpus=4.0)
"""Four nodes of 8 GB and 4 vCPUs: a partition has 8,000 / 2 / 4 = 1,000 MB of room."""
HADOOP = replace(EIGHT_GB, engine=engine.HADOOP)


def flows(phase: Phase) -> dict[str, Quantity]:
    return {role.value: flow_mb for role, flow_mb in phase.flows_mb.items()}


def sort(data_mb: float, **changes: object) -> MapReduce:
    return replace(MapReduce("sort", data_mb), **changes)  # type: ignore[arg-type]


def test_a_sort_reads_sends_and_writes_its_data_once_on_each_side() -> None:
    """1,000 MB on 4 nodes: 250 each, of which 3/4 go to the others."""
    first, second = sort(1_000.0).phases(EIGHT_GB)
    assert (first.name, second.name) == ("map and shuffle", "sort and reduce")
    assert flows(first) == {
        "input read": 250.0,
        "cpu": 250.0,
        "network out": 187.5,
        "network in": 187.5,
        "intermediate write": 250.0,
    }
    assert flows(second) == {"intermediate read": 250.0, "cpu": 250.0, "output write": 250.0}


def test_selectivities_shrink_what_is_shuffled_and_what_is_written() -> None:
    first, second = MapReduce("mapreduce", 1_000.0, 0.4, 0.5).phases(EIGHT_GB)
    assert (first.flows_mb[Role.INPUT_READ], first.flows_mb[Role.INTERMEDIATE_WRITE]) == (250.0, 100.0)
    assert first.flows_mb[Role.NETWORK_OUT] == 75.0
    assert (second.flows_mb[Role.INTERMEDIATE_READ], second.flows_mb[Role.OUTPUT_WRITE]) == (100.0, 50.0)


def test_each_further_copy_is_sent_once_and_written_once() -> None:
    """Eq. 8 of the paper, with three copies of 250 MB a node."""
    _, second = sort(1_000.0, durability=Durability("application", 3)).phases(EIGHT_GB)
    assert second.flows_mb[Role.OUTPUT_WRITE] == 750.0
    assert second.flows_mb[Role.NETWORK_OUT] == second.flows_mb[Role.NETWORK_IN] == 500.0


def test_with_skew_the_fullest_node_receives_and_writes_more_and_sends_no_more() -> None:
    """Twice the mean of 250 MB: 500 received, 3/4 of it from others, who send 187.5 each as before."""
    first, second = sort(1_000.0, skew=2.0).phases(EIGHT_GB)
    assert flows(first) == {
        "input read": 250.0,
        "cpu": 250.0,
        "network out": 187.5,
        "network in": 375.0,
        "intermediate write": 500.0,
    }
    assert flows(second) == {"intermediate read": 500.0, "cpu": 500.0, "output write": 500.0}


def test_with_skew_and_copies_the_fullest_node_writes_its_own_and_its_part_of_the_others() -> None:
    """Of 1,000 MB on 4 nodes one has 500; the copies of the others' 500 are spread over the 3 nodes without them.

    It writes 500 + 500 / 3 and sends its own 500; with three copies twice as many.
    """
    skewed = sort(1_000.0, skew=2.0, durability=Durability("application", 2))
    _, second = skewed.phases(EIGHT_GB)
    assert second.flows_mb[Role.OUTPUT_WRITE] == pytest.approx(500.0 + 500.0 / 3.0)
    assert second.flows_mb[Role.NETWORK_OUT] == 500.0
    _, second = replace(skewed, durability=Durability("application", 3)).phases(EIGHT_GB)
    assert second.flows_mb[Role.OUTPUT_WRITE] == pytest.approx(500.0 + 2 * 500.0 / 3.0)
    assert second.flows_mb[Role.NETWORK_OUT] == 1_000.0


@given(
    skew=st.floats(1.0, 1000.0),
    count=st.integers(1, 500),
    copies=st.integers(1, 5),
    merges=st.sampled_from([engine.DIRECT, engine.HADOOP]),
)
def test_a_node_never_has_more_than_all(skew: float, count: int, copies: int, merges: engine.Engine) -> None:
    job = sort(1_000.0, skew=skew, durability=Durability("application", min(copies, count)))
    first, second = job.phases(Nodes(float(count), 1e9, 1.0, engine=merges))
    sides = 3.0 if merges is engine.HADOOP else 1.0
    most = 1_000.0 * (1 + 1e-12)
    assert float(first.flows_mb[Role.NETWORK_IN]) <= most
    assert float(first.flows_mb[Role.INTERMEDIATE_WRITE]) <= sides * most
    # Copies of one piece are on different nodes, so that no node writes more than one copy of everything.
    assert float(second.flows_mb[Role.OUTPUT_WRITE]) <= most
    assert float(second.flows_mb[Role.INTERMEDIATE_READ]) <= most


def test_hadoop_spills_merges_and_serves_before_it_shuffles() -> None:
    """A map side of 250 MB: spilled, read and written by the merge, read again when served: 2 x each way."""
    first, second = sort(1_000.0).phases(HADOOP)
    assert first.flows_mb[Role.INTERMEDIATE_WRITE] == 250.0 + 2 * 250.0
    assert first.flows_mb[Role.INTERMEDIATE_READ] == 2 * 250.0
    assert flows(second) == {"intermediate read": 250.0, "cpu": 250.0, "output write": 250.0}


def test_skew_fills_one_reducer_and_no_mapper() -> None:
    """Hadoop's map side spills an even 250 MB twice (White, The Definitive Guide, ch. 7); one reducer receives 750."""
    first, _ = sort(1_000.0, skew=3.0).phases(HADOOP)
    assert first.flows_mb[Role.INTERMEDIATE_WRITE] == 750.0 + 2 * 250.0
    assert first.flows_mb[Role.INTERMEDIATE_READ] == 2 * 250.0


@pytest.mark.parametrize(
    ("largest_partition_mb", "passes", "hadoop_passes"),
    [
        (999.0, 0, 0),
        (1_000.0, 0, 0),
        (1_001.0, 1, 0),  # two runs: sorted, written, merged; Hadoop's last merge feeds the reducer
        (10_000.0, 1, 0),
        (10_001.0, 2, 1),  # eleven runs are more than one merge of ten takes
        (100_000.0, 2, 1),
        (100_001.0, 3, 2),
    ],
)
def test_merge_passes_at_their_thresholds(largest_partition_mb: float, passes: int, hadoop_passes: int) -> None:
    job = sort(16 * largest_partition_mb, partitions=16)
    assert job.merge_passes(EIGHT_GB) == passes
    assert job.merge_passes(HADOOP) == hadoop_passes
    # By default, Hadoop creates a partition for each vCPU: 4 x 4.
    assert replace(job, partitions=None).merge_passes(HADOOP) == hadoop_passes


def test_each_pass_reads_and_writes_the_intermediate_data_once_more() -> None:
    two_passes = sort(16 * 10_001.0, partitions=16)
    _, second = two_passes.phases(EIGHT_GB)
    assert second.flows_mb[Role.INTERMEDIATE_READ] == 3 * 40_004.0
    assert second.flows_mb[Role.INTERMEDIATE_WRITE] == 2 * 40_004.0


def test_without_a_word_on_partitions_as_many_as_fit_in_memory_are_made() -> None:
    assert sort(1e12).merge_passes(EIGHT_GB) == 0.0


def test_a_skewed_partition_costs_a_pass_that_even_ones_do_not() -> None:
    even = sort(16 * 900.0, partitions=16)
    assert (even.merge_passes(EIGHT_GB), replace(even, skew=1.2).merge_passes(EIGHT_GB)) == (0.0, 1.0)
    # One partition holds everything, at any skew.
    whole = sort(900.0, partitions=1)
    assert replace(whole, skew=5.0).merge_passes(EIGHT_GB) == whole.merge_passes(EIGHT_GB) == 0.0


@given(
    data_mb=st.floats(1.0, 1e9),
    clusters=st.lists(
        st.tuples(st.integers(1, 1000), st.sampled_from([1e3, 8e3, 32e3]), st.sampled_from([1.0, 4.0, 96.0])),
        min_size=1,
        max_size=8,
    ),
    skew=st.sampled_from([1.0, 2.5, 40.0]),
    merges=st.sampled_from([engine.DIRECT, engine.HADOOP]),
    partitions=st.sampled_from([None, 7, 4096]),
)
def test_arrays_of_clusters_have_the_flows_of_each_cluster_alone(
    data_mb: float,
    clusters: list[tuple[int, float, float]],
    skew: float,
    partitions: int | None,
    merges: engine.Engine,
) -> None:
    job = sort(data_mb, skew=skew, partitions=partitions, durability=Durability("application", 2))
    count, memory_mb, vcpus = (np.array(column, dtype=np.float64) for column in zip(*clusters, strict=True))
    together = job.phases(Nodes(count, memory_mb, vcpus, engine=merges))
    for index, (nodes, memory, cpus) in enumerate(clusters):
        alone = job.phases(Nodes(float(nodes), memory, cpus, engine=merges))
        for one, all_of_them in zip(alone, together, strict=True):
            for role, flow_mb in one.flows_mb.items():
                assert np.broadcast_to(np.asarray(all_of_them.flows_mb[role]), count.shape)[index] == flow_mb


def test_vcpus_alone_may_be_an_array() -> None:
    """Types of equal memory: 8,000 MB / 2 leave 2,000 MB to each of 2 vCPUs, and 500 MB to each of 8."""
    vcpus = np.array([2.0, 8.0])
    passes = sort(16_000.0, partitions=4).merge_passes(Nodes(2.0, 8_000.0, vcpus))
    assert np.asarray(passes).tolist() == [1.0, 1.0]
    assert np.asarray(sort(3_200.0, partitions=4).merge_passes(Nodes(2.0, 8_000.0, vcpus))).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("copies", "written", "sent"), [(1, 250.0, None), (2, 500.0, 250.0), (3, 750.0, 500.0)])
def test_hdfs_writes_the_first_copy_at_home_and_sends_the_others(
    copies: int, written: float, sent: float | None
) -> None:
    """HDFS architecture guide, replica placement: f copies on disk, f - 1 over the network."""
    [phase] = Hdfs("hdfs-write", 1_000.0, Durability("application", copies)).phases(EIGHT_GB)
    assert phase.flows_mb[Role.OUTPUT_WRITE] == written
    assert phase.flows_mb.get(Role.NETWORK_OUT) == phase.flows_mb.get(Role.NETWORK_IN) == sent
    assert phase.flows_mb[Role.CPU] == 250.0


@pytest.mark.parametrize(("local_share", "remote"), [(1.0, None), (0.6, 100.0), (0.0, 250.0)])
def test_hdfs_reads_from_other_nodes_what_is_not_local(local_share: float, remote: float | None) -> None:
    [phase] = Hdfs("hdfs-read", 1_000.0, local_share=local_share).phases(EIGHT_GB)
    assert phase.flows_mb[Role.INPUT_READ] == 250.0
    for role in (Role.NETWORK_OUT, Role.NETWORK_IN):
        assert phase.flows_mb.get(role) == (None if remote is None else pytest.approx(remote))


def test_half_of_two_nodes_reads_is_remote_if_half_is_local_and_none_of_one_node_s() -> None:
    half = Hdfs("hdfs-read", 1_000.0, local_share=0.5)
    assert half.phases(Nodes(2.0))[0].flows_mb[Role.NETWORK_IN] == 250.0
    assert half.phases(Nodes(1.0))[0].flows_mb[Role.NETWORK_IN] == 0.0


@pytest.mark.parametrize(("nodes", "copies"), [(0, 1), (1, 1), (3, 1), (4, 2), (9, 2), (10, 3), (5_000, 3)])
def test_emr_sets_the_copies_by_cluster_size(nodes: int, copies: int) -> None:
    """Amazon EMR release guide, HDFS configuration."""
    assert default_replication(nodes) == copies
    of_emr = Workload("", Hdfs("hdfs-write", 1_000.0, default_copies=True))
    assert of_emr.at(nodes).job.durability.replicas == copies
    as_given = Workload("", Hdfs("hdfs-write", 1_000.0, Durability("application", 5)))
    assert as_given.at(nodes) is as_given


@given(last=st.integers(1, 40))
def test_ranges_of_emr_s_copies_cover_every_node_count_once(last: int) -> None:
    of_emr = Workload("", Hdfs("hdfs-write", 1_000.0, default_copies=True))
    found = [
        (nodes, workload.job.durability.replicas)
        for workload, first, final in of_emr.by_replication(last)
        for nodes in range(first, final + 1)
    ]
    assert found == [(nodes, default_replication(nodes)) for nodes in range(1, last + 1)]
    assert [copies for _, copies in EMR_REPLICATION] == [1, 2, 3]


def test_a_given_number_of_copies_holds_for_all_node_counts() -> None:
    given_copies = Workload("", Hdfs("hdfs-write", 1_000.0))
    assert given_copies.by_replication(40) == ((given_copies, 1, 40),)


def test_a_log_that_waits_at_each_record_writes_single_ios() -> None:
    job = AppendLog(1_000.0, record_kib=4.0, fsync="always")
    [phase] = job.phases(EIGHT_GB)
    assert phase.flows_mb == {Role.RANDOM_WRITE: 250.0, Role.CPU: 250.0, Role.NETWORK_IN: 250.0}
    assert (phase.cache_mb, job.random_io_kib) == (0.0, 4.0)


@pytest.mark.parametrize("fsync", ["every second", "never"])
def test_a_log_that_does_not_wait_fills_the_page_cache_first(fsync: Fsync) -> None:
    """15% of the memory of 8,000 MB that programs leave; of 250 MB a node, 80% stay in memory as well."""
    job = replace(AppendLog(1_000.0, 4.0), fsync=fsync, in_memory=0.8)
    [phase] = job.phases(EIGHT_GB)
    assert phase.flows_mb[Role.OUTPUT_WRITE] == 250.0
    assert phase.cache_mb == pytest.approx(DIRTY_RATIO.value * (8_000.0 - 200.0))
    assert job.random_io_kib is None
    # Programs that take all memory leave no cache, and not a negative one.
    assert replace(job, data_mb=1e6).phases(EIGHT_GB)[0].cache_mb == 0.0


def test_a_log_whose_end_counts_on_disk_has_no_cache_before_it() -> None:
    [phase] = AppendLog(1_000.0, 4.0, "at the end").phases(EIGHT_GB)
    assert (phase.cache_mb, phase.flows_mb[Role.OUTPUT_WRITE]) == (0.0, 250.0)


def test_a_snapshot_writes_what_is_in_memory_once_more() -> None:
    job = AppendLog(1_000.0, 4.0, in_memory=0.4, snapshot=True)
    append, snapshot = job.phases(EIGHT_GB)
    assert (append.name, snapshot.name) == ("append", "snapshot")
    assert snapshot.flows_mb == {Role.OUTPUT_WRITE: 100.0, Role.CPU: 100.0}
    assert job.input_output_mb == 1_400.0
    assert len(replace(job, in_memory=0.0).phases(EIGHT_GB)) == 1


def test_a_copied_log_is_sent_on_and_written_by_each_replica() -> None:
    job = AppendLog(1_000.0, 4.0, "at the end", 0.5, snapshot=True, durability=Durability("application", 3))
    append, snapshot = job.phases(EIGHT_GB)
    assert append.flows_mb[Role.OUTPUT_WRITE] == append.flows_mb[Role.NETWORK_IN] == 750.0
    assert append.flows_mb[Role.NETWORK_OUT] == 500.0
    assert snapshot.flows_mb[Role.OUTPUT_WRITE] == 375.0
    assert job.input_output_mb == 3 * 1_500.0


def test_random_io_is_read_and_written_in_its_shares_and_written_on_every_copy() -> None:
    job = RandomIo(1_000.0, 16.0, read_share=0.7, durability=Durability("application", 2))
    [phase] = job.phases(EIGHT_GB)
    assert phase.flows_mb[Role.RANDOM_READ] == 175.0
    assert phase.flows_mb[Role.RANDOM_WRITE] == pytest.approx(150.0)
    assert phase.flows_mb[Role.NETWORK_OUT] == phase.flows_mb[Role.NETWORK_IN] == pytest.approx(75.0)
    assert set(replace(job, read_share=1.0).phases(EIGHT_GB)[0].flows_mb) == {Role.CPU, Role.RANDOM_READ}
    only_writes = replace(job, read_share=0.0, durability=Durability())
    assert set(only_writes.phases(EIGHT_GB)[0].flows_mb) == {Role.CPU, Role.RANDOM_WRITE}


def test_random_io_counts_and_holds_what_it_says() -> None:
    job = RandomIo(1_000 * 16 * KIB_MB, 16.0, working_set_mb=5_000.0, durability=Durability("application", 2))
    assert job.operations == pytest.approx(1_000.0)
    assert job.input_output_mb == 10_000.0
    assert RandomIo(1_000.0, 16.0).input_output_mb == pytest.approx(16 * KIB_MB)
    assert job.random_io_kib == 16.0


def test_free_phases_are_divided_evenly_and_one_node_sends_nothing() -> None:
    moved: Mapping[Role, float] = {Role.INPUT_READ: 800.0, Role.NETWORK_OUT: 400.0, Role.NETWORK_IN: 200.0}
    job = FreePhases(800.0, (("scan", moved), ("think", {Role.CPU: 40.0})))
    scan, think = job.phases(EIGHT_GB)
    assert scan.flows_mb == {Role.INPUT_READ: 200.0, Role.NETWORK_OUT: 100.0, Role.NETWORK_IN: 50.0}
    assert (think.name, think.flows_mb) == ("think", {Role.CPU: 10.0})
    alone, _ = job.phases(Nodes(1.0))
    assert alone.flows_mb == {Role.INPUT_READ: 800.0, Role.NETWORK_OUT: 0.0, Role.NETWORK_IN: 0.0}


def test_free_phases_must_hold_the_intermediate_data_that_a_phase_moves() -> None:
    write, read = {Role.INTERMEDIATE_WRITE: 300.0}, {Role.INTERMEDIATE_READ: 200.0}
    assert FreePhases(800.0, (("a", write), ("b", read))).intermediate_mb == 300.0
    assert FreePhases(800.0, (("a", write), ("b", read)), intermediate_mb=900.0).intermediate_mb == 900.0
    assert FreePhases(800.0, (("a", {Role.CPU: 1.0}),)).intermediate_mb == 0.0


JOBS = st.one_of(
    st.builds(
        MapReduce,
        kind=st.just("mapreduce"),
        data_mb=st.floats(1.0, 1e9),
        map_selectivity=st.floats(0.01, 10.0),
        reduce_selectivity=st.floats(0.01, 10.0),
        durability=st.builds(Durability, st.just("application"), st.integers(1, 4)),
    ),
    st.builds(
        Hdfs,
        kind=st.sampled_from(["hdfs-write", "hdfs-read"]),
        data_mb=st.floats(1.0, 1e9),
        durability=st.builds(Durability, st.just("application"), st.integers(1, 4)),
        local_share=st.floats(0.0, 1.0),
    ),
    st.builds(
        AppendLog,
        data_mb=st.floats(1.0, 1e9),
        record_kib=st.floats(0.1, 1000.0),
        fsync=st.sampled_from(["always", "every second", "never", "at the end"]),
        in_memory=st.floats(0.0, 1.0),
        snapshot=st.booleans(),
        durability=st.builds(Durability, st.just("application"), st.integers(1, 4)),
    ),
    st.builds(
        RandomIo,
        data_mb=st.floats(1.0, 1e9),
        io_kib=st.floats(0.1, 1000.0),
        read_share=st.floats(0.0, 1.0),
        durability=st.builds(Durability, st.just("application"), st.integers(1, 4)),
    ),
    st.builds(
        FreePhases,
        data_mb=st.floats(1.0, 1e9),
        spelled=st.lists(
            st.tuples(st.text(max_size=3), st.dictionaries(st.sampled_from(list(Role)), st.floats(1.0, 1e9))),
            min_size=1,
            max_size=3,
        ).map(tuple),
    ),
)


@given(job=JOBS, count=st.integers(4, 3_000))
def test_what_all_nodes_move_is_what_the_job_says(job: Job, count: int) -> None:
    """Sums over equal nodes: the flows of every job are total bytes that can be computed without dividing by nodes."""
    phases = job.phases(Nodes(float(count), 1e6, 2.0))
    moved: dict[Role, float] = {
        role: count * sum(float(phase.flows_mb.get(role, 0.0)) for phase in phases) for role in Role if role != Role.CPU
    }
    expected = in_all(job, (count - 1) / count)
    for role, total_mb in moved.items():
        assert total_mb == pytest.approx(expected.get(role, 0.0), rel=1e-9, abs=1e-9), role


def in_all(job: Job, remote: float) -> dict[Role, float]:
    data, copies = job.data_mb, job.durability.replicas
    if isinstance(job, MapReduce):
        mapped, output = data * job.map_selectivity, data * job.map_selectivity * job.reduce_selectivity
        return {
            Role.INPUT_READ: data,
            Role.INTERMEDIATE_WRITE: mapped,
            Role.INTERMEDIATE_READ: mapped,
            Role.OUTPUT_WRITE: copies * output,
            Role.NETWORK_OUT: mapped * remote + (copies - 1) * output,
            Role.NETWORK_IN: mapped * remote + (copies - 1) * output,
        }
    if isinstance(job, Hdfs) and job.kind == "hdfs-read":
        away = data * (1.0 - job.local_share)
        return {Role.INPUT_READ: data, Role.NETWORK_OUT: away, Role.NETWORK_IN: away}
    if isinstance(job, Hdfs):
        sent = (copies - 1) * data
        return {Role.OUTPUT_WRITE: copies * data, Role.NETWORK_OUT: sent, Role.NETWORK_IN: sent}
    if isinstance(job, AppendLog):
        log = {Role.RANDOM_WRITE if job.fsync == "always" else Role.OUTPUT_WRITE: copies * data}
        dumped = copies * data * job.in_memory if job.snapshot else 0.0
        written = log | {Role.OUTPUT_WRITE: log.get(Role.OUTPUT_WRITE, 0.0) + dumped}
        return written | {Role.NETWORK_IN: copies * data, Role.NETWORK_OUT: (copies - 1) * data}
    if isinstance(job, RandomIo):
        writes = data * (1.0 - job.read_share)
        sent = (copies - 1) * writes
        return {
            Role.RANDOM_READ: data * job.read_share,
            Role.RANDOM_WRITE: copies * writes,
            Role.NETWORK_OUT: sent,
            Role.NETWORK_IN: sent,
        }
    total: dict[Role, float] = {}
    for _, moved in job.spelled:
        for role, moved_mb in moved.items():
            if role != Role.CPU:
                total[role] = total.get(role, 0.0) + moved_mb
    return total


def test_a_block_is_128_mib_unless_said_otherwise() -> None:
    assert Hdfs("hdfs-write", 1.0).block_mb == pytest.approx(MB_PER_GIB / 8)


def test_hadoops_default_is_three_copies_on_any_node_count_and_is_listed() -> None:
    written = Hdfs("hdfs-write", 1_000.0, Durability("none"), default_copies=True).with_hadoop_copies()
    workload = Workload("", written)
    assert [workload.at(nodes).job.durability for nodes in (1, 5, 50)] == [Durability("none", 3)] * 3
    assert workload.by_replication(1_000) == ((workload, 1, 1_000),)
    [copies] = [figure for figure in written.figures() if "replication" in figure.quantity]
    assert (copies.quantity, copies.value, copies.kind) == ("hadoop_replication", 3.0, "published")
