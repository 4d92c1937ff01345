"""Finished jobs against the packaged catalog: their parsed form, the calibration's output, and permissions."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from stowage.features.calibration.calibrating import calibrate, prediction_of, workload_of
from stowage.features.calibration.calibration_file import calibrate_file, read_calibrations
from stowage.features.planning.planning import predict_cluster
from stowage.measure.fits.finished_jobs import REQUIRED, FinishedJob
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.engine import HADOOP
from stowage.model.jobs.frameworks import FRAMEWORKS, SPARK
from stowage.platform.errors import BadInput
from stowage.workloads.knowledge import Knowledge, packaged_knowledge
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import parse_workload

TODAY = date(2026, 11, 21)
JOB = FinishedJob("a", "sort", "ours", "i3.2xlarge", 4, "1 TB", "instance-store", 600.0)
SLOWER, START_UP_S = 1.25, 40.0


def job(nodes: int, tb_per_node: float = 0.25) -> FinishedJob:
    return replace(JOB, name=f"{nodes} nodes, {tb_per_node}", nodes=nodes, data=f"{nodes * tb_per_node:g} TB")


def bound_s(of: FinishedJob) -> float:
    found = prediction_of(of, packaged_knowledge)
    assert not isinstance(found, Infeasible), found
    return found.time_s.p50


def finished(count: int = 6) -> Sequence[FinishedJob]:
    """Build jobs of a framework that reaches 80% of each resource and takes 40 s to start."""
    asked = [job(nodes, each) for nodes in (2, 4, 8, 16) for each in (0.1, 0.3)][:count]
    return [replace(one, measured_s=SLOWER * bound_s(one) + START_UP_S) for one in asked]


def test_a_finished_job_is_a_workload_with_its_cluster() -> None:
    written = replace(
        JOB,
        job="mapreduce",
        input_output="8 × gp3 500 GiB 6000 IOPS",
        options={
            "map_selectivity": "0.5",
            "skew": "2",
            "region": "eu-west-1",
            "placement_group": "no",
            "credits": "0.4",
        },
    )
    file = workload_of(written)
    assert file.written() == {
        "workload": {
            "name": "a",
            "job": "mapreduce",
            "data": "1 TB",
            "map_selectivity": 0.5,
            "skew": 2.0,
            "framework": None,
            "durability": {"model": "infrastructure"},
        },
        "place": {"region": "eu-west-1", "placement_group": False},
        "cluster": {
            "instance": "i3.2xlarge",
            "nodes": 4,
            "storage": {"kind": "ebs", "type": "gp3", "size": "500 GiB", "count": 8, "iops": 6000},
        },
        "credits": "0.4",
        "assume": {"usual": "ignored"},
    }


def test_measured_rates_of_a_finished_job_replace_what_is_published() -> None:
    own = {"network_mb_per_s": "1.25", "storage_mb_per_s": "400", "cpu_mb_per_s_per_vcpu": "27"}
    section = workload_of(replace(JOB, options=own)).measured
    assert (section.network_mb_per_s, section.storage_mb_per_s, section.cpu_mb_per_s_per_vcpu) == (1.25, 400.0, 27.0)
    assert bound_s(replace(JOB, options=own)) == pytest.approx(1e6 / 4 * 3 / 4 / 1.25, rel=0.02)
    slow = replace(JOB, options=own | {"network_mb_per_s": "9000", "cpu_mb_per_s_per_vcpu": "0.5"})
    assert bound_s(slow) == pytest.approx(2 * 1e6 / 4 / (8 * 0.5), rel=0.02)


def test_tasks_and_compressed_files_of_a_finished_job_are_those_of_a_workload() -> None:
    """8 vCPUs of i3.2xlarge at 2 MB/s: with a task on two of them, both phases take four times as long."""
    options = {"input_compressed_to": "0.5", "output_compressed_to": "1", "tasks_per_node": "2"}
    one = replace(JOB, options={**options, "memory_per_task": "512 MiB", "cpu_mb_per_s_per_vcpu": "2"})
    section = workload_of(one).workload
    assert (section.input_compressed_to, section.output_compressed_to) == (0.5, 1.0)
    assert (section.tasks_per_node, section.memory_per_task) == (2, "512 MiB")
    assert bound_s(one) == pytest.approx(2 * 1e6 / 4 / (2 * 2.0), rel=0.02)


def test_copies_and_objects_are_durability() -> None:
    copied = workload_of(replace(JOB, options={"replicas": "3"})).workload.durability
    assert (copied.model, copied.replicas) == ("application", 3)  # type: ignore[union-attr] # as said
    assert workload_of(replace(JOB, input_output="object-store")).workload.durability.model == "object-store"


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"data": "much"}, "data"),
        ({"instance": "i9.large"}, "instance"),
        ({"options": {"placement_group": "perhaps"}}, "placement_group"),
        ({"options": {"skew": "a lot"}}, "skew"),
        ({"options": {"input_compressed_to": "2"}}, "input_compressed_to"),
        ({"options": {"output_compressed_to": "snappy"}}, "output_compressed_to"),
        ({"options": {"tasks_per_node": "2.5"}}, "tasks_per_node"),
        ({"options": {"memory_per_task": "4"}}, "memory_per_task"),
        ({"options": {"cpu_mb_per_s_per_vcpu": "fast"}}, "cpu_mb_per_s_per_vcpu"),
        ({"options": {"network_mb_per_s": "0"}}, "network_mb_per_s"),
        ({"options": {"region": "moon-1"}}, "region"),
        ({"input_output": "standard 0 GiB"}, "input_output"),
        ({"input_output": "instance-store 0+4"}, "input_output"),
    ],
)
def test_what_cannot_be_understood_is_said_by_its_column(changes: dict[str, object], column: str) -> None:
    with pytest.raises(BadInput) as caught:
        prediction_of(replace(JOB, **changes), packaged_knowledge)  # type: ignore[arg-type] # by name
    assert {problem.path for problem in caught.value.problems} == {column}


def test_a_calibration_finds_what_the_framework_reaches() -> None:
    found = calibrate(finished(8), packaged_knowledge, TODAY)
    calibration = found.calibration
    assert calibration.framework == "ours"
    assert calibration.median_error_pct < 3.0
    assert calibration.median_error_before_pct > 20.0
    ask = job(12, 0.2)
    calibrated = prediction_of(ask, packaged_knowledge, calibration.to_framework())
    assert not isinstance(calibrated, Infeasible)
    assert calibrated.time_s.p50 == pytest.approx(SLOWER * bound_s(ask) + START_UP_S, rel=0.03)


def test_it_says_what_teaches_most_and_what_that_costs() -> None:
    found = calibrate(finished(8), packaged_knowledge, TODAY)
    assert (found.asked.nodes, found.asked.data) == (80, "24 TB")
    assert "80 nodes are 5 times as many" in found.asked_expected.beyond[0]
    first = found.next_runs[0]
    assert first.narrows_pct > 5.0
    assert first.cost_usd is not None
    assert first.cost_usd > 0.0
    assert f"{first.nodes:,} × i3.2xlarge" in first.words
    assert all(run.nodes < found.asked.nodes for run in found.next_runs)


def test_jobs_of_which_the_model_can_say_nothing_are_left_out_with_the_reason() -> None:
    odd = [replace(JOB, name="gone", instance="i9.large"), replace(JOB, name="too much", data="1000 TB")]
    found = calibrate([*finished(), *odd], packaged_knowledge, TODAY)
    reasons = dict(found.left_out)
    assert "is not an instance type" in reasons["gone"]
    assert "cannot hold" in reasons["too much"]
    assert len(found.calibration.runs) == 6


def test_too_few_jobs_and_jobs_of_two_frameworks_are_refused() -> None:
    with pytest.raises(BadInput, match="2 finished jobs can be used; a calibration needs 3"):
        calibrate(finished(2), packaged_knowledge, TODAY)
    with pytest.raises(BadInput, match="ours, theirs are calibrated one by one"):
        calibrate([*finished(3), replace(JOB, framework="theirs")], packaged_knowledge, TODAY)


def test_a_calibration_of_a_profile_that_all_have_gets_a_name_of_its_own() -> None:
    own = [replace(one, framework="hadoop-dfsio") for one in finished()]
    found = calibrate(own, packaged_knowledge, TODAY).calibration
    assert (found.framework, found.like) == ("hadoop-dfsio-calibrated", "hadoop-dfsio")
    assert found.to_framework().engine is HADOOP
    ideal = calibrate([replace(one, framework="ideal") for one in own], packaged_knowledge, TODAY).calibration
    assert (ideal.framework, ideal.like) == ("ideal-calibrated", "ideal")


def test_a_workload_may_name_what_its_team_has_calibrated_and_nothing_else() -> None:
    calibrated = calibrate(finished(), packaged_knowledge, TODAY).calibration.to_framework()

    def ours(version: str, region: str) -> Knowledge:
        return replace(packaged_knowledge(version, region), frameworks={**FRAMEWORKS, "ours": calibrated})

    file = parse_workload(
        {
            "workload": {"data": "1 TB", "framework": "ours"},
            "cluster": {"instance": "i3.2xlarge", "nodes": 4},
        }
    )
    with pytest.raises(BadInput, match="'ours' is not offered; accepted: spark, hadoop-mapreduce, flink, hadoop-dfsio"):
        predict_cluster(file, packaged_knowledge)
    answer = predict_cluster(file, ours)
    assert answer.feasible
    assert answer.phases[-1].name == "start-up and coordination"
    assert "framework.ours.start_up_s" in {figure.quantity for figure in answer.provenance}
    [workload] = possible_workloads(file, ours("latest", "us-east-1"))
    assert workload.calibrated is calibrated
    [plain] = possible_workloads(parse_workload({"workload": {"data": "1 TB"}}), ours("latest", "us-east-1"))
    assert (plain.calibrated, plain.reached) == (None, SPARK)


def csv_of(jobs: Sequence[FinishedJob]) -> bytes:
    lines = [",".join(REQUIRED), *(",".join(str(getattr(one, name)) for name in REQUIRED) for one in jobs)]
    return "\n".join(lines).encode()


def test_a_file_of_finished_jobs_becomes_profiles_that_predictions_take() -> None:
    jobs = [replace(one, name=one.name.replace(",", "")) for one in finished()]
    others = [replace(one, framework="theirs") for one in jobs[:2]]
    bad = replace(JOB, name="gone", instance="i9.large")
    answer = calibrate_file(io.BytesIO(csv_of([*jobs, *others, bad])), packaged_knowledge, TODAY)
    assert {row.framework for row in answer.coefficients} == {"ours"}
    assert [row.name for row in answer.leave_one_out] == [one.name for one in jobs]
    assert [problem.line for problem in answer.problems] == [10, None]
    assert "theirs: 2 finished jobs can be used" in answer.problems[1].message
    frameworks = read_calibrations(answer.model_dump_json().encode())
    assert frameworks["ours"] == calibrate(jobs, packaged_knowledge, TODAY).calibration.to_framework()


def test_a_file_of_which_nothing_can_be_calibrated_is_refused_with_every_reason() -> None:
    with pytest.raises(BadInput, match="1 finished jobs can be used"):
        calibrate_file(io.BytesIO(csv_of([JOB])), packaged_knowledge, TODAY)
    with pytest.raises(BadInput, match="no finished job"):
        calibrate_file(io.BytesIO(csv_of([])), packaged_knowledge, TODAY)
    with pytest.raises(BadInput, match="the columns"):
        calibrate_file(io.BytesIO(b"name\n"), packaged_knowledge, TODAY)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[" * 100_000,
        b"\xff",
        json.dumps({"coefficients": [], "leave_one_out": [], "calibrations": [], "problems": []}).encode(),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match=r"stowage calibrate RUNS\.csv --json"):
        read_calibrations(content)
