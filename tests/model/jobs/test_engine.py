"""Engines: effects of whole tasks, CPU time, file formats and a late shuffle on a job, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import PAPER, predicted
from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.figure import Figure
from stowage.model.figure import given as given_by
from stowage.model.jobs.engine import DIRECT, HADOOP, Engine, Merging, busiest
from stowage.model.jobs.flows import Durability, Nodes, Role
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Measured, Workload

SORT = MapReduce("sort", 1_000.0)
"""1,000 MB; on four nodes 250 MB each, of which 3/4 go to the others."""


def figure(value: float, unit: str = "1") -> Figure:
    return given_by("engine", value, unit)


UNSPREAD = Assumptions(spread="ignored", launch="ignored")
STAGES = Engine(merging="once", fetches_after_map=True)


def four(engine: Engine, vcpus: float = 2.0) -> Nodes:
    return Nodes(4.0, memory_mb=8_000.0, vcpus=vcpus, engine=engine)


def test_an_engine_that_fetches_after_the_map_phase_sends_nothing_before() -> None:
    stage, fetch, both, after = SORT.phases(four(STAGES))
    assert stage.flows_mb == {Role.INPUT_READ: 250.0, Role.CPU: 250.0, Role.INTERMEDIATE_WRITE: 250.0}
    assert both.flows_mb == {
        Role.NETWORK_OUT: 187.5,
        Role.NETWORK_IN: 187.5,
        Role.INTERMEDIATE_READ: 250.0,
        Role.INTERMEDIATE_WRITE: 0.0,
        Role.CPU: 250.0,
        Role.OUTPUT_WRITE: 250.0,
    }
    assert {*fetch.flows_mb.values(), *after.flows_mb.values()} == {0.0}, "all of it overlaps"


def test_what_does_not_overlap_is_fetched_before_and_sorted_after() -> None:
    _, fetch, both, after = SORT.phases(four(replace(STAGES, alone=figure(0.25))))
    assert (fetch.flows_mb[Role.NETWORK_IN], both.flows_mb[Role.NETWORK_IN]) == (46.875, 140.625)
    assert (after.flows_mb[Role.CPU], both.flows_mb[Role.CPU]) == (62.5, 187.5)
    assert Role.NETWORK_IN not in after.flows_mb


def test_the_format_of_a_shuffle_makes_it_smaller_on_disks_and_links_and_headers_larger_on_links() -> None:
    engine = replace(STAGES, shuffle_size=figure(0.4), wire_size=figure(1.1))
    stage, _, both, _ = replace(SORT, durability=Durability("application", 2)).phases(four(engine))
    assert stage.flows_mb[Role.INTERMEDIATE_WRITE] == pytest.approx(100.0)
    assert both.flows_mb[Role.INTERMEDIATE_READ] == pytest.approx(100.0)
    copies = 1.1 * 250.0
    assert both.flows_mb[Role.NETWORK_OUT] == pytest.approx(1.1 * 75.0 + copies)
    assert both.flows_mb[Role.CPU] == 250.0
    assert both.flows_mb[Role.OUTPUT_WRITE] == 500.0


def test_cpu_time_by_data_is_what_the_default_rate_takes_as_long_for() -> None:
    """20 s/GB on 250 MB are 5 s of CPU time, as 500 MB at 100 MB/s; 40 s/GB twice that."""
    stage, _, both, _ = SORT.phases(
        four(replace(STAGES, map_cpu=figure(20.0, "s/GB"), reduce_cpu=figure(40.0, "s/GB")))
    )
    assert stage.flows_mb[Role.CPU] == pytest.approx(500.0)
    assert both.flows_mb[Role.CPU] == pytest.approx(1_000.0)


def test_ten_tasks_on_four_nodes_of_two_slots_keep_one_node_busy_with_three_and_one_slot_with_two() -> None:
    """3 / 2.5 of the mean by disks, 2 / 1.25 by CPUs; the network sends the mean, and one node receives more."""
    stage, _, both, _ = SORT.phases(four(replace(STAGES, split=figure(100.0, "MB"))))
    assert stage.flows_mb[Role.INPUT_READ] == pytest.approx(300.0)
    assert stage.flows_mb[Role.INTERMEDIATE_WRITE] == pytest.approx(300.0)
    assert stage.flows_mb[Role.CPU] == pytest.approx(400.0)
    assert both.flows_mb[Role.NETWORK_OUT] == pytest.approx(187.5)
    assert both.flows_mb[Role.NETWORK_IN] == pytest.approx(225.0)
    assert both.flows_mb[Role.CPU] == pytest.approx(400.0)
    assert both.flows_mb[Role.OUTPUT_WRITE] == pytest.approx(300.0)


def test_fewer_tasks_than_slots_leave_cpus_without_work() -> None:
    """Three tasks on eight slots: each takes 333 MB, as long as two slots of a node with 667 MB would."""
    stage, *_ = SORT.phases(four(replace(STAGES, split=figure(400.0, "MB"))))
    assert stage.flows_mb[Role.CPU] == pytest.approx(2.0 * 1_000.0 / 3.0)


def test_each_task_costs_cpu_time_for_any_amount_of_data() -> None:
    """Ten tasks on eight slots: one slot runs two of 0.5 s, as 100 MB at the default rate, each slot of the node."""
    engine = replace(STAGES, split=figure(100.0, "MB"), task_cpu=figure(0.5, "s"))
    stage, *_ = SORT.phases(four(engine))
    assert stage.flows_mb[Role.CPU] == pytest.approx(400.0 + 2 * 2 * 50.0)


def test_skew_counts_where_it_is_more_than_whole_tasks() -> None:
    engine = replace(STAGES, split=figure(100.0, "MB"))
    _, _, both, _ = replace(SORT, skew=2.0).phases(four(engine))
    assert both.flows_mb[Role.OUTPUT_WRITE] == pytest.approx(500.0)
    assert both.flows_mb[Role.CPU] == pytest.approx(500.0)


def test_partitions_beyond_memory_are_spilled_and_merged_at_once() -> None:
    """Room for 2,000 MB in each of two slots; 100 runs of it would be two passes of ten."""
    job = MapReduce("sort", 8 * 200_000.0, partitions=8)
    assert job.merge_passes(four(STAGES)) == 1.0
    assert job.merge_passes(four(DIRECT)) == 2.0
    _, _, both, _ = job.phases(four(STAGES))
    assert both.flows_mb[Role.INTERMEDIATE_WRITE] == 400_000.0
    assert both.flows_mb[Role.INTERMEDIATE_READ] == 2 * 400_000.0


def test_what_all_nodes_move_together_knows_no_whole_tasks() -> None:
    engine = replace(STAGES, split=figure(100.0, "MB"), shuffle_size=figure(0.4))
    assert engine.even == replace(engine, split=None)
    assert HADOOP.even is HADOOP


@given(tasks=st.integers(1, 10_000), places=st.integers(1, 10_000))
def test_the_busiest_of_some_places_does_a_whole_number_of_tasks(tasks: int, places: int) -> None:
    found = busiest(float(tasks), float(places))
    assert isinstance(found, float)
    assert found * tasks / places == pytest.approx(-(-tasks // places))
    assert np.asarray(busiest(float(tasks), np.array([float(places)]))).tolist() == [found]


@pytest.mark.parametrize("engine", [DIRECT, Engine(map_cpu=figure(20.0, "s/GB"), reduce_cpu=figure(60.0, "s/GB"))])
def test_a_measured_cpu_rate_is_of_the_whole_job_however_the_engine_divides_it(engine: Engine) -> None:
    """100 GB are mapped and reduced on 2 x 32 vCPUs at 1 MB/s each: 2 x 100,000 / 64 s in all, by any engine."""
    own = replace(IDEAL, name="own", engine=engine)
    rates = Measured(storage_mb_per_s=1e9, network_mb_per_s=1e9, cpu_mb_per_s_per_vcpu=1.0)
    workload = Workload("", MapReduce("sort", 100_000.0), "own", measured=rates, assume=UNSPREAD, calibrated=own)
    found = predicted(Configuration("i2.8xlarge", 2, InstanceStore(8, 0)), workload, PAPER)
    assert found.time_s.p50 == pytest.approx(2 * 100_000.0 / 64.0)
    assert all(phase.bottleneck == "CPU" for phase in found.phases)


def test_each_block_of_a_shuffle_costs_cpu_time_where_it_is_made_and_where_it_is_fetched() -> None:
    """Ten map tasks and 20 reduce tasks on eight slots: two of one slot, three of another, 10 ms for each block."""
    engine = replace(STAGES, split=figure(100.0, "MB"), block_cpu=figure(0.01, "s"))
    stage, _, both, _ = replace(SORT, partitions=20).phases(four(engine))
    plain, _, without, _ = replace(SORT, partitions=20).phases(four(replace(engine, block_cpu=None)))
    assert stage.flows_mb[Role.CPU] - plain.flows_mb[Role.CPU] == pytest.approx(2 * 2 * 20 * 1.0)
    assert both.flows_mb[Role.CPU] - without.flows_mb[Role.CPU] == pytest.approx(2 * 3 * 10 * 1.0)


def test_blocks_cost_nothing_where_tasks_do_not_matter() -> None:
    engine = replace(STAGES, block_cpu=figure(0.01, "s"), fetch_mb=figure(1.0, "MB"))
    assert SORT.phases(four(engine)) == SORT.phases(four(STAGES))


def test_each_reduce_task_fetches_from_every_other_node_for_any_amount_of_data() -> None:
    """Ten tasks fetch 2 MB more from each of three others: 15 MB a node, and 18 MB where three tasks run."""
    engine = replace(STAGES, split=figure(100.0, "MB"), fetch_mb=figure(2.0, "MB"))
    _, _, both, _ = SORT.phases(four(engine))
    assert both.flows_mb[Role.NETWORK_OUT] == pytest.approx(187.5 + 15.0)
    assert both.flows_mb[Role.NETWORK_IN] == pytest.approx(225.0 + 18.0)
    one = replace(four(engine), count=1.0)
    assert SORT.phases(one)[2].flows_mb[Role.NETWORK_OUT] == 0.0


@pytest.mark.parametrize("merging", ["once", "as Hadoop"])
def test_traffic_costs_cpu_time_of_sender_and_receiver(merging: Merging) -> None:
    """20 s for each GB: each node sends and receives 187.5 MB of the shuffle, and 250 MB of a second copy."""
    engine = Engine(merging=merging, sent_cpu=figure(20.0, "s/GB"))
    job = replace(SORT, durability=Durability("application", 2))
    mapping, reducing = job.phases(four(engine))
    assert mapping.flows_mb[Role.CPU] == pytest.approx(250.0 + 2.0 * 187.5)
    assert reducing.flows_mb[Role.CPU] == pytest.approx(250.0 + 2.0 * 250.0)
    *_, both, _ = job.phases(four(replace(engine, fetches_after_map=True)))
    assert both.flows_mb[Role.CPU] == pytest.approx(250.0 + 2.0 * (187.5 + 250.0))


@pytest.mark.parametrize("engine", [Engine(remote_input=True), replace(STAGES, remote_input=True)])
def test_input_of_other_nodes_crosses_the_network(engine: Engine) -> None:
    """Of 250 MB a node three quarters are on other nodes; in an object store all are remote, and served by no node."""
    read_mb = SORT.phases(four(engine))[0].flows_mb
    plain_mb = SORT.phases(four(replace(engine, remote_input=False)))[0].flows_mb
    for role in (Role.NETWORK_OUT, Role.NETWORK_IN):
        assert read_mb[role] - plain_mb.get(role, 0.0) == pytest.approx(187.5)
    stored = replace(SORT, durability=Durability("object-store"))
    assert stored.phases(four(engine)) == stored.phases(four(replace(engine, remote_input=False)))
