"""Concurrent tasks of a node and the memory of each: effects on CPUs, merges and types, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import AWS_2026, predicted
from model.variations import inputs_of
from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.figure import given as given_by
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.engine import DIRECT, HADOOP, Engine
from stowage.model.jobs.flows import Durability, Nodes, Role
from stowage.model.jobs.frameworks import SPARK
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.task_slots import ONE_PER_VCPU, TaskSlots
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.prediction import Prediction, predict
from stowage.model.sizes import MB_PER_GIB

SORT = MapReduce("sort", 100_000.0)
UNSPREAD = Assumptions(network="unlimited", spread="ignored", launch="ignored")
SLOW_CPUS = Measured(storage_mb_per_s=10_000.0, cpu_mb_per_s_per_vcpu=5.0)
R5D = Configuration("r5d.4xlarge", 5, InstanceStore(1, 1))
"""16 vCPUs and 128 GiB."""


def run(job: MapReduce = SORT, configuration: Configuration = R5D, framework: str = "ideal") -> Prediction:
    workload = Workload("", job, framework, assume=UNSPREAD, measured=SLOW_CPUS)
    return predicted(configuration, workload, AWS_2026)


@pytest.mark.parametrize(
    ("tasks", "at_once", "computing", "room_mb"),
    [
        (TaskSlots(), 8.0, 8.0, 1_000.0),
        (TaskSlots(4), 4.0, 4.0, 2_000.0),
        (TaskSlots(16), 16.0, 8.0, 500.0),
        (TaskSlots(None, 2_000.0), 4.0, 4.0, 2_000.0),
        (TaskSlots(None, 100.0), 8.0, 8.0, 100.0),
        (TaskSlots(2, 2_000.0), 2.0, 2.0, 2_000.0),
        (TaskSlots(6, 3_000.0), 2.0, 2.0, 3_000.0),
        (TaskSlots(6, 8_001.0), 1.0, 1.0, 8_001.0),
    ],
)
def test_a_node_of_8_vcpus_and_16_gb_runs_as_many_tasks_as_half_of_its_memory_holds(
    tasks: TaskSlots, at_once: float, computing: float, room_mb: float
) -> None:
    node = (8.0, 16_000.0)
    assert (tasks.at_once(*node), tasks.computing(*node), tasks.room_mb(*node)) == (at_once, computing, room_mb)


def test_memory_that_holds_a_whole_number_of_tasks_but_for_rounding_holds_them() -> None:
    assert TaskSlots(None, 0.1 * 3.0).at_once(9.0, 2.0 * 0.9) == 3.0


def test_vcpus_without_a_task_are_idle() -> None:
    """100 GB on five nodes are 20,000 MB each way of the shuffle: 4 vCPUs at 5 MB/s take 1,000 s for each phase."""
    assert run(replace(SORT, tasks=TaskSlots(4))).time_s.p50 == pytest.approx(2_000.0)
    assert run().time_s.p50 == pytest.approx(500.0)
    assert run(replace(SORT, tasks=TaskSlots(4))).phases[0].bottleneck == "CPU"


@pytest.mark.parametrize("per_node", [16, 17, 64])
def test_more_tasks_than_vcpus_compute_no_faster(per_node: int) -> None:
    assert run(replace(SORT, tasks=TaskSlots(per_node))).time_s == run().time_s


@pytest.mark.parametrize("framework", ["ideal", "spark", "hadoop-mapreduce", "unknown"])
def test_a_task_on_each_vcpu_is_what_holds_without_a_number(framework: str) -> None:
    asked = replace(SORT, tasks=TaskSlots(16))
    assert run(asked, framework=framework).time_s == run(framework=framework).time_s


def test_tasks_keep_vcpus_that_burst_busy_as_far_as_their_credits_last() -> None:
    """t3.xlarge sustains 40% of each of its 4 vCPUs: 1.6 vCPUs, which two tasks use up and one does not."""
    workload = Workload("", Hdfs("hdfs-read", 1e6, Durability("infrastructure")))
    inputs = inputs_of(Configuration("t3.xlarge", 5, Ebs("gp3", 1_000, 2)), workload)
    assert inputs.cpu is not None
    processed = {count: replace(inputs, tasks=TaskSlots(count)).processed_mb_per_s for count in (None, 1, 2, 4)}
    assert processed[None] == processed[2] == processed[4] == pytest.approx(1.6 * inputs.cpu.value)
    assert processed[1] == inputs.cpu.value


def test_whole_tasks_are_spread_over_the_slots_of_all_nodes() -> None:
    """Ten tasks of 100 MB on four slots, one a node: one slot runs three, and each costs 0.5 s of CPU time beside."""
    engine = Engine(split=given_by("split", 100.0, "MB"), task_cpu=given_by("task_cpu", 0.5, "s"))
    job = replace(SORT, data_mb=1_000.0, tasks=TaskSlots(1))
    mapping, reducing = job.phases(Nodes(4.0, 8_000.0, 2.0, engine=engine))
    assert mapping.flows_mb[Role.CPU] == pytest.approx(300.0 + 3 * 50.0)
    assert reducing.flows_mb[Role.CPU] == pytest.approx(300.0 + 3 * 50.0)


def test_spark_on_a_quarter_of_the_vcpus_computes_four_times_as_long() -> None:
    few, all_vcpus = run(replace(SORT, tasks=TaskSlots(4)), framework="spark"), run(framework="spark")
    assert {phase.bottleneck for phase in few.phases if phase.name in {"map", "sort and reduce"}} == {"CPU"}
    for name in ("map", "sort and reduce"):
        [slow], [fast] = ([phase.time_s for phase in of.phases if phase.name == name] for of in (few, all_vcpus))
        assert slow / fast == pytest.approx(4.0), name


def test_fewer_tasks_have_more_memory_each_and_merge_less_often() -> None:
    """16 partitions of 1,500 MB in 4,000 MB of sorting memory: four tasks spill, two do not."""
    job, node = MapReduce("sort", 16 * 1_500.0, partitions=16), Nodes(4.0, 8_000.0, 4.0)
    assert job.merge_passes(node) == 1.0
    assert replace(job, tasks=TaskSlots(2)).merge_passes(node) == 0.0


@pytest.mark.parametrize(("memory_mb", "passes"), [(1_500.0, 0.0), (1_499.0, 1.0), (150.0, 1.0), (149.0, 2.0)])
def test_what_a_task_has_to_sort_in_decides_the_passes(memory_mb: float, passes: float) -> None:
    job = MapReduce("sort", 16 * 1_500.0, partitions=16, tasks=TaskSlots(None, memory_mb))
    assert job.merge_passes(Nodes(4.0, 8_000.0, 4.0)) == passes


def test_hadoop_creates_as_many_partitions_as_tasks_run_at_once_by_default() -> None:
    """12,000 MB on four nodes of four slots fit their memory; a single slot of 500 MB a node has 3,000 MB: 6 runs."""
    node = Nodes(4.0, 8_000.0, 4.0, engine=HADOOP)
    job = MapReduce("sort", 12_000.0)
    assert job.merge_passes(node) == 0.0
    narrow = replace(job, data_mb=4 * 501.0 * 10, tasks=TaskSlots(1, 500.0))
    assert narrow.merge_passes(node) == 1.0
    assert replace(narrow, data_mb=4 * 500.0 * 10).merge_passes(node) == 0.0


def test_a_type_whose_memory_holds_no_task_is_no_answer_and_says_what_would_be() -> None:
    job = replace(SORT, tasks=TaskSlots(1, 65 * MB_PER_GIB))
    workload = Workload("", job, assume=UNSPREAD, measured=SLOW_CPUS)
    expected = Infeasible(
        "task memory",
        "50% of the 128 GiB of r5d.4xlarge is less than the 65 GiB in which a task sorts",
        "a type with 130 GiB of memory or more",
    )
    assert predict(R5D, workload, AWS_2026.catalog, AWS_2026.profiles) == expected
    assert run(replace(SORT, tasks=TaskSlots(1, 64 * MB_PER_GIB))).time_s.p50 > 0.0


def test_what_the_user_gave_is_listed_and_nothing_else() -> None:
    assert ONE_PER_VCPU.figures() == ()
    found = {figure.quantity: (figure.value, figure.unit) for figure in TaskSlots(8, 2_000.0).figures()}
    assert found == {"workload.tasks_per_node": (8.0, "1"), "workload.memory_per_task": (2_000.0, "MB")}


@given(
    clusters=st.lists(
        st.tuples(st.integers(1, 1000), st.sampled_from([1e3, 8e3, 32e3]), st.sampled_from([1.0, 4.0, 96.0])),
        min_size=1,
        max_size=8,
    ),
    tasks=st.builds(TaskSlots, st.sampled_from([None, 1, 3, 200]), st.sampled_from([None, 100.0, 700.0, 6_000.0])),
    engine=st.sampled_from([DIRECT, HADOOP, SPARK.engine]),
    partitions=st.sampled_from([None, 7, 4096]),
)
def test_arrays_of_clusters_have_the_flows_of_each_cluster_alone(
    clusters: list[tuple[int, float, float]], tasks: TaskSlots, engine: Engine, partitions: int | None
) -> None:
    job = MapReduce("sort", 1e6, skew=1.5, partitions=partitions, tasks=tasks)
    count, memory_mb, vcpus = (np.array(column, dtype=np.float64) for column in zip(*clusters, strict=True))
    together = job.phases(Nodes(count, memory_mb, vcpus, engine=engine))
    for index, (nodes, memory, cpus) in enumerate(clusters):
        alone = job.phases(Nodes(float(nodes), memory, cpus, engine=engine))
        for one, all_of_them in zip(alone, together, strict=True):
            for role, flow_mb in one.flows_mb.items():
                assert np.broadcast_to(np.asarray(all_of_them.flows_mb[role]), count.shape)[index] == flow_mb
