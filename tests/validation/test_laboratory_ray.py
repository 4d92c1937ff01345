"""Laboratory runs with Ray: counters agree with physics, and every run of the design is present."""

import csv
import math
from pathlib import Path

import pytest

from bench.laboratory.__main__ import MBIT_PER_S
from bench.laboratory.measure import COLUMNS, Table
from bench.laboratory.recorded import BLOCK_MB, TABLES, Run, runs_of
from bench.laboratory.runs import MEMORY_MB, SLOTS, SPILLING_MB, design
from bench.laboratory.series import Series
from bench.laboratory.tools import HERE, RAY_VERSION

RUNS = runs_of("ray")
SHUFFLED = [run for run in RUNS if run.shuffles]
NODES = (1, 2, 4, 8)


def test_each_run_of_the_design_is_there_once(tmp_path: Path) -> None:
    table = Table(tmp_path / "table.csv")
    wanted = [
        run.name(Series(nodes, MBIT_PER_S[nodes], tmp_path, table, {}), "ray" + RAY_VERSION)
        for nodes in NODES
        for run in design("ray", nodes)
    ]
    assert sorted(run.name for run in RUNS) == sorted(wanted)
    assert {run.told["version"] for run in RUNS} == {RAY_VERSION}


def test_the_version_that_ran_is_the_one_that_is_installed() -> None:
    assert f"\nray=={RAY_VERSION} " in (HERE / "requirements.lock").read_text()


def test_the_table_has_the_columns_of_all_others() -> None:
    with (TABLES / "ray.csv").open(newline="") as file:
        assert next(csv.reader(file)) == list(COLUMNS)


@pytest.mark.parametrize("run", [run for run in SHUFFLED if run.nodes > 1], ids=lambda run: run.name)
def test_of_what_is_shuffled_all_but_a_nodes_own_share_crosses_the_network(run: Run) -> None:
    if run.told["memory_mb"] == str(SPILLING_MB):
        pytest.skip("what is dropped from a full store is fetched again: the test below holds it")
    remote_mb = run.remote_mb
    assert remote_mb is not None
    assert remote_mb / run.shuffled_mb == pytest.approx((run.nodes - 1) / run.nodes, rel=0.02)
    # The switch also counts headers, acknowledgements, retransmitted segments and control messages.
    assert 1.0 <= run.sent_mb / remote_mb < 1.35


@pytest.mark.parametrize("run", SHUFFLED, ids=lambda run: run.name)
def test_ray_stores_records_as_they_are_and_writes_what_the_job_keeps(run: Run) -> None:
    of_map, of_reduce = run.phases
    assert of_map.shuffle_mb == pytest.approx(run.data_mb)
    # A byte of the key decides: 13 of its 256 values are kept for a share of 0.05.
    share = math.ceil(256.0 * run.number("output_share")) / 256.0
    assert of_reduce.output_mb == pytest.approx(share * run.data_mb, rel=0.02)


@pytest.mark.parametrize("run", SHUFFLED, ids=lambda run: run.name)
def test_tasks_are_as_many_as_blocks_and_partitions_and_spread_evenly(run: Run) -> None:
    of_map, of_reduce = run.phases
    of_node = SLOTS * math.ceil(run.data_mb / run.nodes / SLOTS / BLOCK_MB)
    assert (of_map.tasks, of_map.busiest_tasks) == (of_node * run.nodes, of_node)
    assert (of_reduce.tasks, of_reduce.busiest_tasks) == (
        run.number("partitions"),
        run.number("partitions") / run.nodes,
    )
    assert of_map.time_s + of_reduce.time_s <= run.time_s


def test_only_an_object_store_that_data_does_not_fit_spills() -> None:
    with (TABLES / "ray.csv").open(newline="") as file:
        spilled = {row["run"]: float(row["spilled_mb"]) for row in csv.DictReader(file) if row["phase"] == "reduce"}
    small = [run for run in SHUFFLED if run.told["memory_mb"] == str(SPILLING_MB)]
    large = [run for run in SHUFFLED if run.told["memory_mb"] == str(MEMORY_MB)]
    assert {run.nodes for run in small} == {1, 2}
    assert all(spilled[run.name] > 0.4 * run.data_mb for run in small)
    assert [run.name for run in large if spilled[run.name] > 0.0] == []
