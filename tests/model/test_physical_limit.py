"""The physical limit: the time that hardware alone permits."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from knowledge import AWS_2026, PAPER, TB, Known, on_own_disks, predicted, sort
from optimizer.spaces import space
from stowage.model.cluster import Configuration, Ebs
from stowage.model.figure import given
from stowage.model.hardware.processors import vcpu_speed
from stowage.model.hardware.profile import Profiles
from stowage.model.jobs.engine import Engine
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import HADOOP_DFSIO, HADOOP_MAPREDUCE, IDEAL, SPARK, UNKNOWN
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.prediction import Prediction, predict
from stowage.model.uncertainty.straggler import Stragglers
from stowage.optimizer.search import search

RATES = Measured(storage_mb_per_s=1_000.0, network_mb_per_s=500.0)
MEMORY_MB = 244 * 1_073.741824
"""Of i2.8xlarge."""


UNMEASURED = Known(PAPER.catalog, Profiles(()))
"""The paper's types, of which only given rates are known."""


def limit_s(workload: Workload, nodes: int = 100) -> float:
    return predicted(on_own_disks(nodes, 4, 4), workload, UNMEASURED).physical_limit_s


def test_a_sort_is_limited_by_links_and_disks_only() -> None:
    """Per node: 1 TB over disks of 2 x 1,000 MB/s for half of them, 99% of it over 500 MB/s."""
    workload = sort(100 * TB, measured=RATES)
    shuffled_s = 0.99 * TB / 500.0
    written_s = TB / 1_000.0
    assert limit_s(workload) == pytest.approx(shuffled_s + written_s, rel=1e-9)
    # It excludes CPUs, frameworks, slow nodes and empty buckets.
    for changed in (
        replace(workload, framework=UNKNOWN.name),
        replace(workload, framework=HADOOP_DFSIO.name),
        replace(workload, credits=0.0),
        replace(workload, measured=replace(RATES, cpu_mb_per_s_per_vcpu=1.0)),
        replace(workload, assume=Assumptions(launch="counted")),
    ):
        assert limit_s(changed) == limit_s(workload)
    slower = sort(100 * TB, measured=replace(RATES, network_mb_per_s=250.0))
    assert limit_s(slower) == pytest.approx(2 * shuffled_s + written_s, rel=1e-9)


def run_by(framework: Framework) -> Workload:
    return replace(sort(100 * TB, measured=RATES), framework=framework.name, calibrated=framework)


def added_to_the_limit(workload: Workload, nodes: int = 100) -> tuple[Mapping[str, float], Prediction]:
    found = predicted(on_own_disks(nodes, 4, 4), workload, UNMEASURED)
    return {cause.name: cause.time_s for cause in found.causes}, found


@pytest.mark.parametrize("framework", [SPARK.name, HADOOP_MAPREDUCE.name, UNKNOWN.name, IDEAL.name])
@pytest.mark.parametrize("data_tb", [0.5, 100.0])
def test_the_causes_and_the_limit_sum_to_the_prediction(framework: str, data_tb: float) -> None:
    assume = Assumptions(launch="counted")
    asked = sort(data_tb * TB, measured=RATES)
    workload = replace(asked, framework=framework, assume=assume, stragglers=Stragglers(0.1, 2.0))
    added, found = added_to_the_limit(workload)
    assert found.physical_limit_s + sum(added.values()) == pytest.approx(found.time_s.p50, rel=1e-9)


def test_each_cause_adds_what_it_costs_beside_those_before_it() -> None:
    """Per node: 1 TB at 1,000 MB/s for half the disks, 0.99 TB over 500 MB/s; 32 vCPUs; then one property of Spark."""
    engine = Engine(fetches_after_map=True, alone=given("alone", 1.0, "1"))
    serial = replace(IDEAL, name="serial", engine=engine)
    added, found = added_to_the_limit(run_by(serial))
    shuffled_s, moved_s = 0.99 * TB / 500.0, TB / 1_000.0
    # Reading and writing side by side, then the network, then disks again.
    assert found.physical_limit_s == pytest.approx(shuffled_s + moved_s)
    assert added["phases that do not overlap"] == pytest.approx(moved_s, rel=1e-3)
    busy = replace(serial, engine=replace(engine, reduce_cpu=given("reduce_cpu", 100.0, "s/GB")))
    more, _ = added_to_the_limit(run_by(busy))
    speed = vcpu_speed("i2.8xlarge")
    assert speed is not None
    reduced_s = 100.0 * 1_000.0 / 32.0 / speed.value
    assert more["CPU"] - added.get("CPU", 0.0) == pytest.approx(reduced_s - moved_s, rel=1e-3)
    half = replace(serial, efficiency=given("efficiency", 0.5, "1"))
    halved, slowed = added_to_the_limit(run_by(half))
    assert halved["unexplained framework overhead"] == pytest.approx(slowed.time_s.p50 / 2.0)


def test_input_of_other_nodes_is_a_cause_of_its_own() -> None:
    """Remote input sends as many bytes as the shuffle over the network, at 500 MB/s."""
    anywhere = replace(IDEAL, name="anywhere", engine=Engine(remote_input=True))
    added, _ = added_to_the_limit(run_by(anywhere))
    assert added["input of other nodes"] == pytest.approx(0.99 * TB / 500.0, rel=1e-3)


def test_what_the_user_says_of_compression_lowers_the_limit() -> None:
    asked = sort(100 * TB, measured=RATES)
    assert isinstance(asked.job, MapReduce)
    packed = replace(asked, job=replace(asked.job, compressed_to=0.25))
    shuffled_s, moved_s = 0.99 * TB / 500.0, TB / 1_000.0
    assert limit_s(packed) == pytest.approx(max(0.25 * shuffled_s, moved_s) + moved_s, rel=1e-9)


def test_a_compressed_shuffle_saves_time_and_says_so() -> None:
    engine = Engine(shuffle_size=given("shuffle_size", 0.5, "1"))
    halved = replace(IDEAL, name="halved", engine=engine)
    added, _ = added_to_the_limit(run_by(halved))
    assert added["spills, merges and shuffle format"] < 0.0


def test_causes_take_time_to_find_and_come_with_the_sources_only() -> None:
    workload = run_by(SPARK)
    configuration, known = on_own_disks(100, 4, 4), UNMEASURED
    found = predict(configuration, workload, known.catalog, known.profiles, sources=False)
    assert isinstance(found, Prediction)
    assert found.causes == ()


def test_the_growth_of_a_calibrated_framework_is_a_cause() -> None:
    even = replace(SPARK, name="ours", start_up=None)
    grown = replace(even, growth=given("growth", 0.2, "1"), growth_from=10.0)
    configuration, workload = on_own_disks(100, 4, 4), sort(measured=RATES)
    one, other = (
        predicted(configuration, replace(workload, framework="ours", calibrated=each)) for each in (even, grown)
    )
    added = {cause.name: cause.time_s for cause in other.causes}
    assert "uneven nodes" not in {cause.name for cause in one.causes}
    assert sum(added.values()) == pytest.approx(other.time_s.p50 - other.physical_limit_s)
    assert added["uneven nodes"] > 0.0


def test_intermediate_data_that_fits_memory_does_not_touch_the_disks() -> None:
    slow_disks = replace(RATES, storage_mb_per_s=10.0, network_mb_per_s=1e6)

    def on_one_node(data_mb: float) -> float:
        scratch_only = MapReduce("mapreduce", data_mb, map_selectivity=1.0, reduce_selectivity=1e-9)
        return predicted(
            on_own_disks(1, 7, 1), Workload("", scratch_only, measured=slow_disks), UNMEASURED
        ).physical_limit_s

    # Seven disks read the input; the eighth holds the data that exceeds memory.
    disk_mb_per_s = 10.0 / 4.0
    assert on_one_node(0.9 * MEMORY_MB) == pytest.approx(0.9 * MEMORY_MB / (7 * disk_mb_per_s), rel=1e-6)
    beyond_s = 0.5 * MEMORY_MB / disk_mb_per_s
    assert on_one_node(1.5 * MEMORY_MB) == pytest.approx(
        max(beyond_s, 1.5 * MEMORY_MB / (7 * disk_mb_per_s)) + beyond_s, rel=1e-6
    )


def test_links_to_ebs_and_networks_count_at_their_maxima() -> None:
    """Of r5d.xlarge: the link 4,750 Mbit/s for half an hour and 1,150 after that, the network 10 and 1.25 Gbit/s."""
    job = MapReduce("sort", 0.2 * TB, durability=Durability("infrastructure"))
    workload = Workload("", job, measured=Measured(storage_mb_per_s=1_000.0), credits=0.0)
    found = predicted(Configuration("r5d.xlarge", 4, Ebs("gp2", 1_000, 4)), workload, AWS_2026)
    assert found.physical_limit_s == pytest.approx(2 * 0.05 * TB / (4_750 / 8), rel=1e-9)
    assert found.time_s.p50 > 4.0 * found.physical_limit_s


def test_the_object_store_is_bounded_by_the_network_or_by_what_the_user_measured() -> None:
    """Loading 1 TB a node before the sort, and unloading it: over 500 MB/s, or over 100."""
    workload = replace(sort(100 * TB, measured=RATES), input="object-store", output="object-store")
    moved_s = 2 * TB / 500.0
    assert limit_s(workload) == pytest.approx(limit_s(sort(100 * TB, measured=RATES)) + moved_s, rel=1e-9)
    slow = replace(workload, measured=replace(RATES, object_store_mb_per_s=100.0))
    assert limit_s(slow) == pytest.approx(limit_s(workload) + 4 * moved_s, rel=1e-9)


@pytest.mark.parametrize("number", range(60))
def test_no_prediction_of_a_framework_that_reaches_no_more_than_the_hardware_beats_it(number: int) -> None:
    made = space(number, wild=False)
    found = search(made.workload, made.catalog, made.profiles, 5, steps=made.steps)
    for row in found.ranked:
        assert 0.0 < row.physical_limit_s <= row.time_s.p50 * (1.0 + 1e-9)


def test_a_rate_of_the_slowest_node_does_not_lower_the_limit_below_what_the_type_reaches() -> None:
    """The paper's run of 888 s: with the rates of its slowest nodes, 879 and 1,515 MB/s, a limit of 1,006 s."""
    slowest = Measured(storage_mb_per_s=1_515.0, network_mb_per_s=879.0)
    found = predicted(on_own_disks(178, 4, 4), sort(measured=slowest))
    shuffled_s = 100 * TB / 178 * 177 / 178 / 1_085.185
    written_s = 100 * TB / 178 / 1_738.022
    assert found.physical_limit_s == pytest.approx(shuffled_s + written_s, rel=1e-5)
    assert found.physical_limit_s < 888.0 < found.time_s.p50
