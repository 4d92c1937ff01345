"""Laboratory runs: counters agree with physics, and runs on few nodes predict runs on many."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from statistics import mean, median

import pytest

from bench.laboratory.comparison import Compared, Ernest, compare
from bench.laboratory.engines import FITTED_NODES, Fitted, fitted, fitting
from bench.laboratory.profiles import CPU_GOAL, PAGE, tables, write
from bench.laboratory.recorded import Phase, Run, runs_of
from bench.laboratory.recorded_hdfs import hdfs_runs, job_of, sent_by_many
from stowage.model.jobs import frameworks as profiles

SPARK, HADOOP, FLINK = runs_of("spark"), runs_of("hadoop"), runs_of("flink")
EVERY = (*SPARK, *HADOOP, *FLINK)
SORTED = [run for run in HADOOP if run.told["job"] == "sort"]
SHUFFLED = [run for run in SPARK if run.shuffles and run.counts and run.nodes > 1]


@cache
def engine_of(framework: str) -> Fitted:
    return fitted(fitting(runs_of(framework)), framework)


@cache
def compared(framework: str) -> tuple[Compared, ...]:
    return compare(runs_of(framework), framework, own=engine_of(framework))


def p90(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.9 * len(values)) - 1]


def test_there_are_runs_of_one_to_sixteen_nodes_and_none_of_an_unknown_framework() -> None:
    assert {run.nodes for run in SPARK} == {1, 2, 4, 8, 16}
    assert len({run.name for run in EVERY}) == len(EVERY) >= 120
    assert {run.told["framework"] for run in EVERY} == {*("spark", "hadoop-mapreduce", "hdfs", "flink")}
    assert runs_of("no-framework") == ()


@pytest.mark.parametrize("run", SHUFFLED, ids=lambda run: run.name)
def test_of_what_is_shuffled_all_but_a_nodes_own_share_crosses_the_network(run: Run) -> None:
    remote_mb = run.remote_mb
    assert remote_mb is not None
    assert remote_mb / run.shuffled_mb == pytest.approx((run.nodes - 1) / run.nodes, rel=0.05)
    # The switch also counts headers, acknowledgements and control messages.
    assert 1.0 <= run.sent_mb / remote_mb < 1.3


def test_runs_of_few_nodes_predict_those_of_many() -> None:
    found = compared("spark")
    assert {one.run.nodes for one in found} == {8, 16}
    errors = [abs(one.error) for one in found]
    assert median(errors) <= 0.10
    assert p90(errors) <= 0.20
    assert sum(one.holds for one in found) >= 0.7 * len(found)


def test_runs_of_flink_on_few_nodes_predict_those_of_many() -> None:
    found = compared("flink")
    assert {one.run.nodes for one in found} == {8}
    assert median(abs(one.error) for one in found) <= 0.15


@pytest.mark.parametrize("framework", ["spark", "flink"])
def test_the_intervals_score_better_than_those_of_a_form_without_physics(framework: str) -> None:
    found = compared(framework)
    assert mean(one.score for one in found) < 0.5 * mean(one.ernest_score for one in found)
    assert median(abs(one.ernest_error) for one in found) > median(abs(one.error) for one in found)


def test_bytes_between_nodes_are_predicted_by_counters_and_on_the_wire() -> None:
    for one in compared("spark"):
        assert one.payload_mb == pytest.approx(one.run.remote_mb, rel=0.05)
        assert one.sent_mb == pytest.approx(one.run.sent_mb, rel=0.10)


def test_cpu_time_is_predicted_for_most_runs() -> None:
    off = [one.task_cpu_s / one.run.task_cpu_s - 1.0 for one in compared("spark") if one.task_cpu_s is not None]
    assert median(map(abs, off)) <= CPU_GOAL
    assert sum(abs(each) <= CPU_GOAL for each in off) >= 0.8 * len(off)
    assert median(abs(one.cpu_s / one.run.cpu_s - 1.0) for one in compared("spark")) <= CPU_GOAL


def test_without_the_blocks_of_the_shuffle_cpu_time_is_too_low_the_more_nodes_there_are() -> None:
    own = engine_of("spark")
    assert own.tasks is not None
    blockless = replace(own.tasks, block_s=0.0)
    few, many = (
        median(blockless.of(one.run, 0.0) / one.run.task_cpu_s for one in compared("spark") if one.run.nodes == nodes)
        for nodes in (8, 16)
    )
    assert many < few < 1.0


@pytest.mark.parametrize("framework", ["spark", "hadoop", "flink"])
def test_an_engine_is_fitted_to_runs_of_few_nodes_that_the_links_limited(framework: str) -> None:
    few = fitting(runs_of(framework))
    assert few
    assert all(run.nodes <= FITTED_NODES and run.counts and run.shuffles for run in few)
    for found in engine_of(framework).frameworks.values():
        assert all(figure.value >= 0.0 for figure in found.figures())
        assert 0.0 <= found.engine.serial <= 1.0 <= found.engine.sent


def test_the_profile_of_flink_is_that_of_spark_and_doubts_what_flink_takes_beside_it() -> None:
    of_flink, of_spark = (sum(engine_of(name).workers.data_s_per_gb["none"]) for name in ("flink", "spark"))
    assert profiles.FLINK.error.value == round(math.hypot(profiles.SPARK.error.value, math.log(of_flink / of_spark)), 2)
    stated, found = profiles.FLINK.engine, engine_of("flink").frameworks["none"].engine
    assert stated.stored == round(found.stored, 2)
    assert (stated.merging, stated.fetches_after_map) == (found.merging, found.fetches_after_map)
    assert stated.cpu_weights == profiles.SPARK.engine.cpu_weights
    assert profiles.FLINK.slower("CPU") == profiles.SPARK.slower("CPU")
    nodes = [run.nodes for run in FLINK]
    assert profiles.FLINK.measured_nodes == (min(nodes), max(nodes))


def test_a_codec_makes_the_shuffle_of_spark_smaller_but_not_that_of_flink() -> None:
    """Flink compresses data before it is written to disk; its shuffle goes from task to task."""
    packed, plain = (engine_of("spark").frameworks[codec].engine.stored for codec in ("lz4", "none"))
    assert packed < plain == pytest.approx(1.06, abs=0.01)
    packed, plain = (engine_of("flink").frameworks[codec].engine.stored for codec in ("lz4", "none"))
    assert packed == plain == pytest.approx(1.12, abs=0.01)


def test_a_framework_without_known_causes_is_fitted_as_well() -> None:
    """Flink runs with local input only, by a framework without causes: at the made-up speed, which the fit finds."""
    few = fitting(FLINK)
    found = fitted([made_up(run) for run in few], "no-framework")
    assert found.tasks is None
    engine = found.frameworks["none"].engine
    assert not engine.remote_input
    assert engine.sent == pytest.approx(1.1)
    for run in few:
        assert found.sent_mb(made_up(run)) == pytest.approx(made_up(run).sent_mb)


def made_up(run: Run) -> Run:
    """Return a run that sends 1.1 times the remote part of its shuffle and of the copies of its output."""
    first, *others = run.phases
    phases: tuple[Phase, ...] = (replace(first, shuffle_mb=1.12 * run.data_mb), *others)
    sent_mb = 1.1 * (1.12 * run.data_mb * (run.nodes - 1.0) / run.nodes + run.copies_mb)
    return replace(run, told={**run.told, "sent_mb": str(sent_mb)}, phases=phases)


def test_runs_that_the_cpus_limited_are_predicted_on_their_own() -> None:
    found = compare(HADOOP, "hadoop", limited=True, own=engine_of("hadoop"))
    assert {one.run.told["note"] for one in found} == {"limited by the machine's CPU"}
    alone = compared("hadoop")
    assert {(one.run.nodes, one.run.told["mbit_per_s"], one.run.told["note"]) for one in alone} == {(8, "5.0", "")}
    assert len(alone) == len(found) == 5
    # The ApplicationMaster takes one of 16 slots: docs/guides/laboratory.md.
    assert all(one.predicted_s < one.run.time_s for one in alone)


def test_other_programs_disturbed_no_run_that_counts() -> None:
    """Other CPU time is the machine's total minus that of the nodes' own programs."""
    assert not any(run.beside_others for run in EVERY if run.counts)
    disturbed = {run.told["framework"] for run in EVERY if run.beside_others}
    assert disturbed == {"hadoop-mapreduce", "hdfs"}


def test_ernests_form_has_no_coefficient_below_nothing() -> None:
    few = fitting(SPARK)
    assert all(Ernest(few).time_s(run) > 0.0 for run in few)


def test_the_page_says_what_is_computed() -> None:
    assert PAGE.read_text() == write(PAGE.read_text(), tables())


@pytest.mark.parametrize("run", SORTED, ids=lambda run: run.name)
def test_what_maps_of_hadoop_write_is_what_reduces_fetch_and_all_of_it_is_written(run: Run) -> None:
    of_map, of_shuffle, _ = run.phases
    assert of_shuffle.shuffle_mb == pytest.approx(of_map.shuffle_mb, rel=0.001)
    # 104 bytes for each record of 100.
    assert of_map.shuffle_mb == pytest.approx(1.04 * run.data_mb, rel=0.005)


@pytest.mark.parametrize("run", [run for run in HADOOP if run.told["job"] == "dfsio-write"], ids=lambda run: run.name)
def test_each_copy_of_hdfs_but_the_first_crosses_the_network(run: Run) -> None:
    """For files of whole MiB; the first copy stays on the node that writes it."""
    written_mb = math.ceil(run.number("output_mb"))
    crossed_mb = (run.number("replication") - 1.0) * written_mb
    # Slow links drop more packets when three nodes send at once.
    wire_size = 1.15 if run.number("mbit_per_s") >= 10.0 else 1.2
    assert crossed_mb <= run.number("sent_mb") <= wire_size * crossed_mb + 2.0 * run.nodes + 2.0


@pytest.mark.parametrize("run", FLINK, ids=lambda run: run.name)
def test_what_a_vertex_of_flink_writes_the_next_one_reads(run: Run) -> None:
    for before, after in pairwise(run.phases):
        assert after.shuffle_mb == pytest.approx(before.output_mb, rel=0.01)


@pytest.mark.parametrize(
    "run", [run for run in hdfs_runs() if run.told["job"] == "dfsio-write"], ids=lambda run: run.name
)
def test_what_hdfs_writes_by_its_own_counters_is_what_the_model_has(run: Run) -> None:
    assert sum(phase.output_mb for phase in run.phases) == pytest.approx(job_of(run).data_mb, rel=1e-4)


def test_bytes_of_hdfs_on_eight_nodes_follow_from_four_where_there_are_any() -> None:
    (wire_size, task_mb), found = sent_by_many(hdfs_runs())
    assert 1.0 <= wire_size < 1.2
    assert task_mb < 1.0
    assert len(found) == 12
    # A write of one copy sends only the tasks' own traffic.
    off = [one.run for one in found if abs(one.error) > (0.10 if one.payload_mb > 0.0 else 0.5)]
    # Of 16 readers more than usual had one of three copies on their own node.
    assert [run.name for run in off] == ["hadoop3.3.6-dfsio-read-n8-r5-d12-p1-c3"]
