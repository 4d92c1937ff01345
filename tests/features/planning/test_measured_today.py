"""One measured time of the current cluster scales all predictions of the same framework, with its error."""

import math
from dataclasses import replace
from typing import Any

import pytest

from stowage.features.planning.planning import predict_cluster, preview_plan
from stowage.features.planning.regions import compare_regions
from stowage.features.sweeps.sweep_file import SweepFile
from stowage.model.figure import given
from stowage.model.jobs.framework import REPETITION, RUN_SPREAD
from stowage.model.jobs.frameworks import FRAMEWORKS, IDEAL, UNKNOWN
from stowage.model.money.cost import LAUNCH_S
from stowage.model.uncertainty.scale import Z90
from stowage.platform.errors import BadInput
from stowage.workloads.answers import PlanAnswer, PredictionAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.measured_today import framework_of
from stowage.workloads.workload_file import WorkloadFile, parse_workload

TODAY: dict[str, Any] = {"instance": "i3.4xlarge", "nodes": 60, "time": "1 h 50 min", "data": "40 TB"}
MEASURED_S = 6_600.0
VOLUMES = {"kind": "ebs", "type": "gp3", "size": "2 TiB", "count": 1}
ON_DISKS = {"kind": "instance-store", "input_output_disks": 1, "intermediate_disks": 1}
SORT: dict[str, Any] = {"name": "nightly", "job": "sort", "data": "40 TB", "framework": "unknown"}


def a_file(today: dict[str, Any] | None = TODAY, cluster: dict[str, Any] | None = None, **changes: Any) -> WorkloadFile:
    document: dict[str, Any] = {
        "workload": SORT,
        "limits": {"deadline": "2 h", "chance": "95 %", "max_nodes": 200},
        "assume": {"launch": "billed"},
    }
    document |= {} if today is None else {"today": today}
    document |= {} if cluster is None else {"cluster": cluster}
    for path, value in changes.items():
        section, _, field = path.partition("__")
        document[section] = {**document.get(section, {}), field: value} if field else value
    return parse_workload(document)


def predicted(file: WorkloadFile) -> PredictionAnswer:
    found = predict_cluster(file, packaged_knowledge)
    assert isinstance(found, PredictionAnswer)
    return found


def planned(file: WorkloadFile) -> PlanAnswer:
    return preview_plan(file, packaged_knowledge, lambda: 0.0, "first")


ON_TODAY = {"instance": "i3.4xlarge", "nodes": 60}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_today_s_cluster_takes_what_was_measured(framework: str) -> None:
    found = predicted(a_file(cluster=ON_TODAY, workload__framework=framework))
    assert found.time_s.p50 == pytest.approx(MEASURED_S, rel=1e-5)
    assert found.time_s.p10 < MEASURED_S < found.time_s.p90


def test_a_run_is_timed_from_when_its_cluster_is_there() -> None:
    found = predicted(a_file(cluster=ON_TODAY, assume={"launch": "counted"}))
    assert found.time_s.p50 == pytest.approx(MEASURED_S + LAUNCH_S.value, rel=1e-5)


def test_every_prediction_of_the_framework_is_scaled_alike() -> None:
    """Only rates determine these runs: all are stretched by one factor."""
    factor = MEASURED_S / predicted(a_file(None, ON_TODAY)).time_s.p50
    for cluster in ({"instance": "i3.4xlarge", "nodes": 120}, {"instance": "i3.8xlarge", "nodes": 60}):
        before, after = predicted(a_file(None, cluster)), predicted(a_file(cluster=cluster))
        assert after.time_s.p50 / before.time_s.p50 == pytest.approx(factor, rel=1e-4)
    best = planned(a_file()).configurations[0]
    alone = {"instance": best.instance, "nodes": best.nodes, "storage": best.storage.model_dump(exclude_none=True)}
    assert predicted(a_file(cluster=alone)).time_s == best.time_s
    assert best.meets_deadline is not None
    assert best.meets_deadline >= 0.95


def test_a_measured_time_narrows_what_is_not_known_and_says_its_error() -> None:
    framework = framework_of(a_file(), packaged_knowledge("latest", "us-east-1"))
    assert framework.error.value == pytest.approx(math.hypot(RUN_SPREAD.value, REPETITION.value))
    assert framework.error.value < UNKNOWN.error.value
    assert framework.faster is None
    # It is less certain for other cluster sizes than that of the run.
    assert framework.error_at(60.0) == framework.error.value < framework.error_at(240.0)
    near, far = predicted(a_file(cluster=ON_TODAY)), predicted(a_file(None, ON_TODAY))
    assert math.log(near.time_s.p90 / near.time_s.p10) < 0.5 * math.log(far.time_s.p90 / far.time_s.p10)
    assert near.time_s.p90 >= near.time_s.p50 * math.exp(Z90 * framework.error.value)


def test_it_is_among_the_sources_as_given_and_in_the_sentence() -> None:
    found = predicted(a_file(cluster=ON_TODAY))
    given = {figure.quantity: figure for figure in found.provenance if figure.kind == "given"}
    assert given["today.time"].value == MEASURED_S
    assert given["today.nodes"].value == 60.0
    assert given["today.data"].value == 40e6
    assert "as today's run took 6,600 s" in given["framework.unknown.efficiency"].source
    words = "Scaled to what runs today: 60 × i3.4xlarge took 1 h 50 min, predicted"
    assert words in found.sentence
    assert words in planned(a_file()).sentence


def test_a_plan_says_what_it_was_scaled_to_and_one_without_says_nothing() -> None:
    today = planned(a_file()).today
    assert today is not None
    assert (today.instance, today.nodes, today.time_s) == ("i3.4xlarge", 60, MEASURED_S)
    assert today.predicted_s == pytest.approx(predicted(a_file(None, ON_TODAY)).time_s.p50)
    without = planned(a_file(None))
    assert without.today is None
    assert "Scaled" not in without.sentence
    assert "today" not in without.workload


def test_the_data_of_the_run_is_its_own() -> None:
    """Twice the data takes twice as long: the measured time belongs to the current size."""
    today = {**TODAY, "nodes": 120}
    found = predicted(a_file(today, {**ON_TODAY, "nodes": 120}, workload__data="80 TB"))
    assert found.time_s.p50 == pytest.approx(2.0 * MEASURED_S, rel=0.02)


@pytest.mark.parametrize(
    ("today", "durability"),
    [
        ({**TODAY, "storage": VOLUMES}, {}),
        ({**TODAY, "storage": {"kind": "object-store"}}, {}),
        ({**TODAY, "nodes": 80}, {"model": "application", "replicas": 2}),
        (TODAY, {"model": "application", "replicas": 2}),
        (TODAY, {"model": "object-store"}),
    ],
    ids=["EBS today", "S3 today", "copies", "no room for copies", "own disks today, S3 from now on"],
)
def test_today_may_keep_its_data_elsewhere(today: dict[str, Any], durability: dict[str, Any]) -> None:
    asked = {"workload__durability": durability} if durability else {}
    found = framework_of(a_file(today, **asked), packaged_knowledge("latest", "us-east-1"))
    assert found.today is not None
    assert found.today.time_s == MEASURED_S


@pytest.mark.parametrize(
    ("today", "workload"),
    [
        (TODAY, {"durability": {"model": "application", "replicas": 2}}),
        (TODAY, {"durability": {"model": "application", "replicas": 5}}),
        ({**TODAY, "nodes": 30}, {"job": "hdfs-write", "replication": 3}),
    ],
    ids=["2 copies", "5 copies", "HDFS"],
)
def test_a_run_kept_no_more_copies_than_its_cluster_holds(today: dict[str, Any], workload: dict[str, Any]) -> None:
    """A form that asks for more copies in the future does not make the current run impossible."""
    asked = {f"workload__{name}": value for name, value in workload.items()}
    with pytest.raises(BadInput, match="cannot hold"):
        framework_of(
            a_file({**today, "durability": {"model": "application", "replicas": 5}}, **asked),
            packaged_knowledge("latest", "us-east-1"),
        )
    found = framework_of(a_file(today, **asked), packaged_knowledge("latest", "us-east-1")).today
    assert found is not None
    one_copy: dict[str, Any] = {"workload__durability": {"model": "none"}}
    if "replication" in workload:
        one_copy = {"workload__job": "hdfs-write", "workload__replication": 1}
    alone = framework_of(a_file(today, **one_copy), packaged_knowledge("latest", "us-east-1")).today
    assert found == alone


def test_the_current_cluster_keeps_its_own_durability_for_every_question() -> None:
    knowledge = packaged_knowledge("latest", "us-east-1")
    roomy = {**TODAY, "nodes": 80}
    copies, one = {"model": "application", "replicas": 2}, {"model": "none"}
    with_copies = framework_of(a_file({**roomy, "durability": copies}), knowledge)
    assert with_copies == framework_of(a_file(roomy, workload__durability=copies), knowledge)
    in_one = framework_of(a_file({**roomy, "durability": one}, workload__durability=copies), knowledge)
    assert in_one == framework_of(a_file(roomy), knowledge) != with_copies
    for durability in (copies, one):
        file = a_file({**roomy, "durability": durability})
        assert parse_workload(file.written()) == file


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        ({"time": "10 s"}, "today.time", "10 s on 60 × i3.4xlarge, predicted to take"),
        ({"time": "40 d"}, "today.time", "accepted: "),
        ({"instance": "i9.huge"}, "today.instance", "'i9.huge' is not an instance type"),
        ({"nodes": 1}, "today", "cannot have run this: 1 × i3.4xlarge cannot hold input"),
        ({"storage": {"kind": "ebs", "type": "gp9", "size": "1 TiB", "count": 1}}, "today.storage.type", "gp9"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(changes: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(BadInput) as refused:
        planned(a_file({**TODAY, **changes}))
    [problem] = refused.value.problems
    assert problem.path == path
    assert words in problem.message


@pytest.mark.parametrize(
    ("today", "path"),
    [
        ({**TODAY, "time": "110"}, "today.time"),
        ({**TODAY, "data": "40"}, "today.data"),
        ({key: value for key, value in TODAY.items() if key != "time"}, "today.time"),
        ({key: value for key, value in TODAY.items() if key != "data"}, "today.data"),
    ],
)
def test_a_time_and_a_size_need_their_units(today: dict[str, Any], path: str) -> None:
    with pytest.raises(BadInput) as refused:
        a_file(today)
    assert [problem.path for problem in refused.value.problems] == [path]


def test_a_time_that_nothing_but_start_up_gives_is_refused() -> None:
    """A calibration may include start-up: an efficiency does not remove it."""
    knowledge = packaged_knowledge("latest", "us-east-1")
    starting = replace(IDEAL, start_up=given("framework.ideal.start_up", 2_000.0, "s"))
    known = replace(knowledge, frameworks={**FRAMEWORKS, "ideal": starting})
    with pytest.raises(BadInput, match="start-up and burst credits rule this run"):
        framework_of(a_file({**TODAY, "time": "30 min"}, workload__framework="ideal"), known)


def test_it_is_written_such_that_it_is_read_again() -> None:
    for storage in (
        {"kind": "object-store"},
        {"kind": "instance-store", "input_output_disks": 1, "intermediate_disks": 1},
    ):
        file = a_file({**TODAY, "storage": storage})
        assert parse_workload(file.written()) == file
    assert a_file().written()["today"] == TODAY


def test_regions_are_scaled_by_what_runs_here() -> None:
    regions = compare_regions(a_file(), packaged_knowledge, lambda: 0.0).regions
    best = {row.region: row.best for row in regions}
    assert sum(found is not None for found in best.values()) > 1
    here, plan = best["us-east-1"], planned(a_file())
    assert here is not None
    assert here.time_s == pytest.approx(plan.configurations[0].time_s.p50)


@pytest.mark.parametrize("quantity", ["durability", "replicas"])
def test_a_sweep_varies_nothing_that_the_run_was_measured_with(quantity: str) -> None:
    values = {"durability": ["none", "application"], "replicas": ["1", "2"]}[quantity]
    axes = {
        "columns": {"quantity": quantity, "values": values},
        "rows": {"quantity": "data", "values": ["40 TB", "80 TB"]},
    }
    with pytest.raises(ValueError, match=r"with base\.today"):
        SweepFile.model_validate({"base": a_file().written(), **axes})
    SweepFile.model_validate({"base": a_file(None).written(), **axes})


@pytest.mark.parametrize("data", ["1 kB", "1 EB"])
@pytest.mark.parametrize("nodes", [1, 10_000_000])
@pytest.mark.parametrize("job", ["sort", "hdfs-write", "append-log", "random-io"])
def test_any_current_cluster_is_scaled_to_or_refused_at_its_field(job: str, nodes: int, data: str) -> None:
    for storage in ({"kind": "instance-store"}, VOLUMES, {"kind": "object-store"}):
        today = {**TODAY, "nodes": nodes, "data": data, "storage": storage}
        try:
            found = framework_of(a_file(today, workload__job=job), packaged_knowledge("latest", "us-east-1"))
        except BadInput as refused:
            assert all(problem.path.split(".")[0] == "today" for problem in refused.problems)
        else:
            assert found.today is not None
            assert found.error.value > 0.0
