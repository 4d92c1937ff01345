"""The workloads of `docs/guides/ten-workloads.md` and the plans of `docs/guides/evaluations.md`.

Winners are named only if a reason fixes them that other figures would not easily overturn.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from stowage.catalog.snapshot import LATEST
from stowage.features.planning.planning import preview_plan
from stowage.workloads.answers import PlanAnswer, RankedAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import read_workload_file

EXAMPLES = Path(__file__).parents[3] / "examples"
WORKLOADS = sorted((EXAMPLES / "workloads").glob("*.yaml"))
EVALUATIONS = sorted(EXAMPLES.glob("evaluation-*-plan.yaml"))

SSD_FAMILIES = {"i3", "i4i", "i7i", "i8g"}
DENSE_FAMILIES = {"d2", "d3", "d3en"}


def name_of(path: Path) -> str:
    return path.stem


@cache
def plan_of(path: Path) -> PlanAnswer:
    return preview_plan(read_workload_file(path.read_bytes()), packaged_knowledge, lambda: 0.0, "none")


def workload(number: int) -> PlanAnswer:
    [path] = [path for path in WORKLOADS if path.name.startswith(f"{number:02}-")]
    return plan_of(path)


def family(row: RankedAnswer) -> str:
    return row.instance.partition(".")[0]


def test_there_are_ten_and_more() -> None:
    assert len(WORKLOADS) >= 10
    assert len(EVALUATIONS) == 3


@pytest.mark.parametrize("path", WORKLOADS, ids=name_of)
def test_every_workload_has_a_winner_and_a_runner_up_within_its_limits(path: Path) -> None:
    answer = plan_of(path)
    assert answer.catalog_version == LATEST
    assert len(answer.configurations) >= 2
    assert answer.near_misses == []
    limits = answer.limits
    for row in answer.configurations:
        assert limits.max_nodes is None or row.nodes <= limits.max_nodes
        assert limits.loss is None or row.loss_probability <= limits.loss
        if limits.deadline_s is not None and limits.chance is None:
            assert row.time_s.p50 <= limits.deadline_s
        if limits.chance is not None:
            assert row.meets_deadline is not None
            assert row.meets_deadline >= limits.chance


@pytest.mark.parametrize("path", [*WORKLOADS, *EVALUATIONS], ids=name_of)
def test_no_answer_is_impossible_or_hides_that_it_lives_on_bursts(path: Path) -> None:
    answer = plan_of(path)
    catalog = packaged_knowledge(read_workload_file(path.read_bytes()).place.catalog, "us-east-1").catalog
    for row in answer.configurations:
        storage: Any = row.storage
        most = catalog.instance_types[row.instance].most_volumes
        if storage.kind == "ebs" and most is not None:
            assert storage.count < most.value  # the root volume is one of them
        if row.on_empty is not None:
            assert row.on_empty.time_s >= row.time_s.p50
            assert row.on_empty.cost_usd >= row.cost_usd.p50
    assert ("burst credits" in answer.sentence) == (answer.configurations[0].on_empty is not None)


def test_what_is_read_once_is_sorted_on_nvme_disks_of_storage_types() -> None:
    assert family(workload(1).configurations[0]) in SSD_FAMILIES
    assert family(workload(10).configurations[0]) in SSD_FAMILIES


@pytest.mark.parametrize("number", [4, 5, 6])
def test_data_that_stays_stays_on_dense_disks_paid_for_three_years(number: int) -> None:
    winner = workload(number).configurations[0]
    assert family(winner) in DENSE_FAMILIES
    assert winner.purchase == "3-year"


@pytest.mark.parametrize("number", [7, 8])
def test_what_never_rests_is_planned_without_bursts(number: int) -> None:
    answer = workload(number)
    assert "burst credits" not in answer.sentence
    assert all(row.on_empty is None for row in answer.configurations)


def test_random_io_takes_gp3_whose_first_iops_cost_nothing() -> None:
    storage: Any = workload(8).configurations[0].storage
    assert (storage.kind, storage.type) == ("ebs", "gp3")


def test_a_scan_waits_for_the_network_of_its_nodes() -> None:
    winner = workload(9).configurations[0]
    assert winner.phases[0].bottleneck == "network in"


def test_a_strict_limit_on_loss_leaves_one_copy_behind() -> None:
    answer = workload(11)
    assert {row.durability for row in answer.configurations} <= {"object-store", "application"}


def test_spot_wins_where_payment_is_left_open_and_the_work_is_short() -> None:
    assert workload(12).configurations[0].purchase == "spot"


def test_only_i2_has_figures_of_storage_and_network_in_the_first_evaluation() -> None:
    answer = plan_of(EXAMPLES / "evaluation-2io-plan.yaml")
    assert [row.instance for row in answer.configurations] == ["i2.8xlarge"]


def test_price_alone_separates_c3_from_r3_in_the_third_evaluation() -> None:
    first, second = plan_of(EXAMPLES / "evaluation-infrastructure-plan.yaml").configurations
    assert (first.instance, second.instance) == ("c3.4xlarge", "r3.4xlarge")
    assert (first.nodes, first.time_s, first.storage) == (second.nodes, second.time_s, second.storage)
    assert first.cost_parts_usd.ebs_volumes == second.cost_parts_usd.ebs_volumes
    assert second.cost_parts_usd.instances / first.cost_parts_usd.instances == pytest.approx(1.40 / 0.84)
