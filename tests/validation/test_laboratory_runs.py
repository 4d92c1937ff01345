"""Runs of the laboratory: what was counted agrees with physics, and few nodes predict many."""

import math
from itertools import pairwise
from statistics import mean, median

import pytest

from bench.laboratory.profiles import PAGE, tables, write
from stowage.validation.laboratory_runs import FITTED_NODES, Ernest, Run, compare, fitted, fitting, runs_of

RUNS = runs_of("spark")
OF_VERSION = {
    version: [run for run in RUNS if run.told["version"] == version]
    for version in sorted({run.told["version"] for run in RUNS})
}
COMPARED = [one for of in OF_VERSION.values() for one in compare(of, "spark")]
SHUFFLED = [run for run in RUNS if run.shuffles and run.nodes > 1]


def test_there_are_runs_of_one_to_sixteen_nodes_and_none_of_an_unknown_framework() -> None:
    assert {run.nodes for run in RUNS} == {1, 2, 4, 8, 16}
    assert len({run.name for run in RUNS}) == len(RUNS) >= 50
    assert runs_of("no-framework") == ()


@pytest.mark.parametrize("run", SHUFFLED, ids=lambda run: run.name)
def test_of_what_is_shuffled_all_but_a_nodes_own_share_crosses_the_network(run: Run) -> None:
    shuffled, remote = run.phases[0].shuffle_mb, run.phases[1].remote_mb
    assert remote / shuffled == pytest.approx((run.nodes - 1) / run.nodes, rel=0.05)
    # The switch counts headers, acknowledgements and what programs tell each other besides.
    assert 1.0 <= run.wire_size < 1.3


def test_runs_of_few_nodes_predict_those_of_many() -> None:
    errors = sorted(abs(one.error) for one in COMPARED)
    assert {one.run.nodes for one in COMPARED} == {8, 16}
    assert median(errors) <= 0.10
    assert errors[math.ceil(0.9 * len(errors)) - 1] <= 0.22


def test_the_intervals_score_better_than_those_of_a_form_without_physics() -> None:
    assert mean(one.score for one in COMPARED) < 0.5 * mean(one.ernest_score for one in COMPARED)
    assert median(abs(one.ernest_error) for one in COMPARED) > median(abs(one.error) for one in COMPARED)


def test_bytes_between_nodes_are_predicted_by_counters_and_on_the_wire() -> None:
    assert all(one.payload_mb == pytest.approx(one.run.remote_mb, rel=0.05) for one in COMPARED)
    assert median(abs(one.wire_mb / one.run.number("sent_mb") - 1.0) for one in COMPARED) <= 0.10


def test_an_engine_is_fitted_to_runs_of_few_nodes_that_the_links_limited() -> None:
    for of in OF_VERSION.values():
        few = fitting(of)
        assert few
        assert all(run.nodes <= FITTED_NODES and run.counts for run in few)
        found = fitted(few, "spark")
        assert found.frameworks.keys() == {"none", "lz4"}
        plain, packed = (found.frameworks[codec].engine for codec in ("none", "lz4"))
        assert packed.stored < plain.stored == pytest.approx(1.06, abs=0.01)
        assert 0.0 <= plain.serial <= 1.0


def test_ernests_form_has_no_coefficient_below_nothing() -> None:
    few = fitting(next(iter(OF_VERSION.values())))
    assert all(Ernest(few).time_s(run) > 0.0 for run in few)


def test_the_page_says_what_is_computed() -> None:
    assert PAGE.read_text() == write(PAGE.read_text(), tables())


HADOOP, FLINK = runs_of("hadoop"), runs_of("flink")


def test_three_frameworks_ran() -> None:
    assert {run.told["framework"] for run in (*RUNS, *HADOOP, *FLINK)} == {
        *("spark", "hadoop-mapreduce", "hdfs", "flink")
    }
    assert len({run.name for run in (*RUNS, *HADOOP, *FLINK)}) == len((*RUNS, *HADOOP, *FLINK))


@pytest.mark.parametrize("run", [run for run in HADOOP if run.told["job"] == "sort"], ids=lambda run: run.name)
def test_what_maps_of_hadoop_write_is_what_reduces_fetch_and_all_of_it_is_written(run: Run) -> None:
    of_map, of_shuffle, _ = run.phases
    assert of_shuffle.shuffle_mb == pytest.approx(of_map.shuffle_mb, rel=0.001)
    # 104 bytes for each record of 100.
    assert of_map.shuffle_mb == pytest.approx(1.04 * run.data_mb, rel=0.005)


@pytest.mark.parametrize("run", [run for run in HADOOP if run.told["job"] == "dfsio-write"], ids=lambda run: run.name)
def test_each_copy_of_hdfs_but_the_first_crosses_the_network(run: Run) -> None:
    """Of files of whole MiB; the first copy stays on the node that writes it."""
    written_mb = math.ceil(run.number("output_mb"))
    crossed_mb = (run.number("replication") - 1.0) * written_mb
    assert crossed_mb <= run.number("sent_mb") <= 1.15 * crossed_mb + 2.0 * run.nodes + 2.0


@pytest.mark.parametrize("run", FLINK, ids=lambda run: run.name)
def test_what_a_vertex_of_flink_writes_the_next_one_reads(run: Run) -> None:
    for before, after in pairwise(run.phases):
        assert after.shuffle_mb == pytest.approx(before.output_mb, rel=0.01)
