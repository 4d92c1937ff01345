"""Event logs of Spark: real ones of the laboratory, truncated ones, and other files."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowage.measure import recognise
from stowage.measure.errors import Unreadable
from stowage.measure.fits.finished_jobs import FinishedJob
from stowage.measure.logs import spark_events
from stowage.measure.logs.from_logs import LEAST_SELECTIVITY, ClusterOfLog, finished_job
from stowage.measure.logs.logged_jobs import MOST_PHASES, PHASES, LoggedJob, plausible
from stowage.measure.logs.spark_events import Application, jobs_of, read, read_events
from stowage.measure.reading import Remark

FILES = Path(__file__).parents[1] / "event_logs"
SORT = FILES / "3.5.7-sort.jsonl"
WHERE: dict[str, Any] = {"instance": "i3.2xlarge", "input_output": "instance-store", "framework": "spark"}


def events(path: Path = SORT) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def finished_jobs(told: Application, **more: Any) -> list[FinishedJob]:
    return [finished_job(job, ClusterOfLog(**WHERE, **more)) for job in jobs_of(told)]


def log(*found: dict[str, Any]) -> BytesIO:
    return BytesIO("".join(json.dumps(event) + "\n" for event in found).encode())


@pytest.mark.parametrize("path", sorted(FILES.iterdir()), ids=lambda path: path.name)
def test_a_log_of_the_laboratory_tells_stages_and_bytes(path: Path) -> None:
    with path.open("rb") as stream:
        told = read_events(stream)
    assert (told.version, told.nodes) == (path.name.partition("-")[0], 2)
    job = next(job for job in told.jobs if job.name.partition("-")[2].startswith("sort"))
    first, second = job.stages
    # 2 x 6 MB of records of 100 bytes; each shuffled record has some more bytes.
    assert first.input_mb == pytest.approx(12.0, rel=0.01)
    assert second.output_mb == pytest.approx(12.0, rel=0.01)
    assert 12.0 <= first.written_mb <= 13.5
    assert second.fetched_mb == pytest.approx(first.written_mb, rel=0.001)
    assert len(second.hosts) == 2
    assert second.cpu_s > 0.0
    assert job.began_s <= first.began_s < first.ended_s <= second.began_s < second.ended_s <= job.ended_s


def test_a_job_with_a_shuffle_is_a_finished_mapreduce_job_with_its_phases() -> None:
    with SORT.open("rb") as stream:
        told = read_events(stream)
    job = next(job for job in finished_jobs(told, replicas=2) if "sort" in job.name)
    assert (job.job, job.framework, job.nodes, job.instance) == ("mapreduce", "spark", 2, "i3.2xlarge")
    assert [name for name, _ in job.phases_s] == list(PHASES["mapreduce"])
    assert sum(seconds for _, seconds in job.phases_s) == pytest.approx(job.measured_s, rel=0.2)
    assert float(job.data.removesuffix(" MB")) == pytest.approx(12.0, rel=0.01)
    assert float(job.options["map_selectivity"]) * float(job.options["reduce_selectivity"]) == pytest.approx(
        1.0, rel=0.01
    )
    assert job.options["replicas"] == "2"
    assert job.started_at is not None


def test_jobs_that_failed_or_moved_next_to_nothing_are_left_out() -> None:
    with SORT.open("rb") as stream:
        told = read_events(stream)
    count = len(finished_jobs(told))
    assert count >= 1
    failed = replace(told, jobs=tuple(replace(job, succeeded=False) for job in told.jobs))
    assert not finished_jobs(failed)
    small = [replace(stage, input_mb=0.4, output_mb=0.0) for stage in told.jobs[-1].stages]
    assert not list(finished_jobs(replace(told, jobs=(replace(told.jobs[-1], stages=tuple(small)),))))


def test_a_job_that_only_looks_is_a_read_and_one_that_counts_after_a_shuffle_keeps_next_to_nothing() -> None:
    with SORT.open("rb") as stream:
        told = read_events(stream)
    job = next(job for job in told.jobs if "sort" in job.name)
    first, second = job.stages
    looks = replace(told, jobs=(replace(job, stages=(replace(first, written_mb=0.0),)),))
    assert [(one.job, one.options["replication"]) for one in finished_jobs(looks)] == [("hdfs-read", "1")]
    counts = replace(told, jobs=(replace(job, stages=(first, replace(second, output_mb=0.0))),))
    (counted,) = finished_jobs(counts)
    assert float(counted.options["reduce_selectivity"]) == LEAST_SELECTIVITY


def test_a_log_that_was_cut_tells_the_jobs_that_ended() -> None:
    content = SORT.read_bytes()
    whole = read_events(BytesIO(content))
    assert not whole.cut
    for size in range(len(content) // 4, len(content), len(content) // 7):
        cut = read_events(BytesIO(content[:size]))
        assert cut.cut
        assert len(cut.jobs) <= len(whole.jobs)
        assert cut.jobs == whole.jobs[: len(cut.jobs)]


@pytest.mark.parametrize(
    "content", [b"", b"\n" * 100, b"{}", b'{"Event":"SparkListenerTaskEnd"}\n', b"name,job\na,sort\n"]
)
def test_what_is_no_event_log_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable, match="event log"):
        read_events(BytesIO(content))


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("SparkListenerTaskEnd", {"Task Metrics": 7}),
        ("SparkListenerTaskEnd", {"Stage ID": "seven"}),
        ("SparkListenerTaskEnd", {"Stage ID": -1}),
        ("SparkListenerJobStart", {"Stage IDs": None}),
        ("SparkListenerStageCompleted", {"Stage Info": []}),
        ("SparkListenerExecutorAdded", {"Executor Info": {"Host": 7, "Total Cores": 2}}),
        ("SparkListenerJobEnd", {"Completion Time": float("inf")}),
        ("SparkListenerJobEnd", {"Completion Time": 10**17}),
    ],
)
def test_events_of_another_form_are_refused_with_their_line(kind: str, wrong: dict[str, Any]) -> None:
    found = events()
    at = next(number for number, event in enumerate(found) if event["Event"] == kind)
    with pytest.raises(Unreadable) as caught:
        read_events(log(*found[:at], found[at] | wrong, *found[at + 1 :]))
    assert caught.value.line == at + 1


def test_hosts_stages_and_jobs_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, what in (("MOST_HOSTS", "hosts"), ("MOST_STAGES", "stages"), ("MOST_JOBS", "jobs")):
        with monkeypatch.context() as patched:
            patched.setattr(spark_events, name, 1)
            with pytest.raises(Unreadable, match=f"more than 1 {what}"):
                read_events(log(*events()))


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_refused(data: st.DataObject) -> None:
    content = bytearray(SORT.read_bytes())
    for _ in range(data.draw(st.integers(1, 20))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        told = read_events(BytesIO(bytes(content)))
    except Unreadable as error:
        assert error.message
        return
    assert all(plausible(job) for job in jobs_of(told))
    for job in finished_jobs(told):
        assert job.measured_s > 0.0


def test_a_stage_that_ran_again_counts_with_all_its_attempts() -> None:
    found = events()
    whole = read_events(log(*found))
    tasks = [number for number, event in enumerate(found) if event["Event"] == "SparkListenerTaskEnd"]
    job = next(job for job in whole.jobs if "sort" in job.name)
    first, second = job.stages
    [ends] = [
        number
        for number, event in enumerate(found)
        if event["Event"] == "SparkListenerStageCompleted" and event["Stage Info"]["Stage ID"] == second.number
    ]
    last = max(number for number in tasks if number < ends)
    attempt = found[ends]["Stage Info"] | {"Completion Time": found[ends]["Stage Info"]["Submission Time"] + 1}
    again = {"Event": "SparkListenerStageCompleted", "Stage Info": attempt}
    told = next(
        job for job in read_events(log(*found[:last], again, *found[last:])).jobs if job.number == job_number(whole)
    )
    assert [stage.attempts for stage in told.stages] == [1, 2]
    assert replace(told.stages[1], attempts=1) == second
    logged = next(jobs_of(replace(whole, jobs=(told,))))
    assert [name.partition(":")[0] for name, _ in logged.phases_s] == [
        f"stage {first.number}",
        f"stage {second.number}",
    ]


def job_number(told: Application) -> int:
    return next(job for job in told.jobs if "sort" in job.name).number


def test_queries_with_adaptive_execution_are_jobs_with_their_input_and_their_output() -> None:
    with (Path(__file__).parents[1] / "files" / "spark" / "3.5.7-adaptive.jsonl").open("rb") as stream:
        written, ordered, joined = read(stream)
    assert isinstance(written, LoggedJob)
    assert isinstance(ordered, LoggedJob)
    assert isinstance(joined, LoggedJob)
    assert [one.kind for one in (written, ordered, joined)] == ["hdfs-write", "mapreduce", "mapreduce"]
    # A sort reads its input once more before, to choose the ranges.
    assert ordered.input_mb == pytest.approx(2.0 * written.output_mb, rel=0.02)
    assert ordered.shuffled_mb > 7.0
    for one in (ordered, joined):
        assert one.output_mb == pytest.approx(written.output_mb, rel=0.1)
        assert sum(time_s for _, time_s in one.phases_s) <= one.time_s


def test_the_jobs_of_a_query_are_one() -> None:
    found = events()
    whole = read_events(log(*found))
    job = next(job for job in whole.jobs if "sort" in job.name)
    first, second = job.stages
    begun = next(
        event for event in found if event["Event"] == "SparkListenerJobStart" and event["Job ID"] == job.number
    )
    ended = next(event for event in found if event["Event"] == "SparkListenerJobEnd" and event["Job ID"] == job.number)
    query = {"Properties": (begun["Properties"] or {}) | {"spark.sql.execution.id": "7"}}
    apart = []
    for event in found:
        if event is begun:
            apart.append(event | query | {"Stage IDs": [first.number], "Job ID": 900})
            apart.append({"Event": "SparkListenerJobEnd"} | ended | {"Job ID": 900})
            apart.append(event | query | {"Stage IDs": [first.number, second.number]})
        else:
            apart.append(event)
    told = read_events(log(*apart))
    joined = next(one for one in told.jobs if "sort" in one.name)
    assert len(told.jobs) == len(whole.jobs)
    assert replace(joined, number=job.number, line=job.line) == job
    cut = read_events(log(*(event for event in apart if event is not ended)))
    assert not {900, job.number} & {one.number for one in cut.jobs}


def test_a_job_whose_times_cannot_be_is_said_and_not_handed_on() -> None:
    found = events()
    for event in found:
        if event["Event"] == "SparkListenerStageCompleted":
            event["Stage Info"]["Completion Time"] = event["Stage Info"]["Submission Time"] - 5_000
    job, *_ = read(log(*found))
    assert isinstance(job, LoggedJob)
    assert not plausible(job)
    remark, *_ = recognise.read(log(*found))
    assert remark == Remark(job.line, f"{job.name!a}: its times or sizes are none that a job can have")


def test_an_event_without_a_kind_is_passed_over() -> None:
    found = events()
    assert read_events(log(*found, {"Event": ["SparkListenerTaskEnd"]})).jobs == read_events(log(*found)).jobs


def test_nodes_are_those_that_ran_the_job() -> None:
    found = events()
    added = next(event for event in found if event["Event"] == "SparkListenerExecutorAdded")
    later = [added | {"Executor Info": added["Executor Info"] | {"Host": f"10.9.0.{number}"}} for number in range(8)]
    told = read_events(log(*found, *later))
    assert (told.nodes, {job.nodes for job in jobs_of(told)}) == (10, {2})


def test_reading_a_cut_log_yields_its_jobs_and_says_what_is_missing() -> None:
    lines = SORT.read_bytes().splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if b'"SparkListenerJobEnd"' in line]
    found = list(read(BytesIO(b"".join(lines[: ends[0] + 2]))))
    assert [type(one) for one in found] == [LoggedJob, Remark]
    assert [one.line for one in found] == [ends[0] + 1, ends[0] + 2]
    assert isinstance(found[1], Remark)
    assert "the log ends before the application did" in found[1].message
    none = list(read(BytesIO(b"".join(lines[: ends[0]]))))
    assert [one.message for one in none if isinstance(one, Remark)] == [
        "no job of this log succeeded and moved 1 MB or more",
        "the log ends before the application did: jobs that had not ended are missing",
    ]


def test_hosts_with_names_of_ec2_tell_the_region() -> None:
    content = SORT.read_text()
    told = read_events(BytesIO(content.encode()))
    assert {job.region for job in jobs_of(told)} == {None}
    hosts = sorted({host for job in told.jobs for stage in job.stages for host in stage.hosts})
    for number, host in enumerate(hosts):
        content = content.replace(f'"Host":"{host}"', f'"Host":"ip-10-0-0-{number}.eu-west-1.compute.internal"')
    told = read_events(BytesIO(content.encode()))
    assert {job.options["region"] for job in finished_jobs(told)} == {"eu-west-1"}
    assert {job.options["region"] for job in finished_jobs(told, region="us-west-2")} == {"us-west-2"}
    assert {job.nodes for job in finished_jobs(told)} == {2}
    assert {job.nodes for job in finished_jobs(told, nodes=5)} == {5}


def test_stages_that_are_not_the_models_phases_keep_their_names_and_the_longest_are_kept() -> None:
    with SORT.open("rb") as stream:
        told = read_events(stream)
    job = told.jobs[-1]
    first, second = job.stages
    many = [replace(first, number=number, ended_s=first.began_s + number) for number in range(1, MOST_PHASES + 11)]
    (logged,) = jobs_of(replace(told, jobs=(replace(job, stages=(*many, second)),)))
    assert len(logged.phases_s) == MOST_PHASES
    assert (f"stage {MOST_PHASES + 10}: {first.name}", MOST_PHASES + 10.0) in logged.phases_s


def test_a_logged_job_is_stored_and_read_back() -> None:
    with SORT.open("rb") as stream:
        told = read_events(stream)
    for job in jobs_of(told):
        assert LoggedJob.from_dict(json.loads(json.dumps(job.to_dict()))) == job
