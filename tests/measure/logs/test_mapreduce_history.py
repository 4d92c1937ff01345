"""Job histories of MapReduce, as JSON and as binary: phases, bytes, and files that are no history of a finished job."""

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avro_documents import written
from job_history import as_binary, as_json, at, event, history
from stowage.measure.errors import Unreadable
from stowage.measure.logs import mapreduce_history
from stowage.measure.logs.from_logs import ClusterOfLog, finished_job
from stowage.measure.logs.logged_jobs import LoggedJob, plausible
from stowage.measure.logs.mapreduce_history import read
from stowage.measure.reading import Remark

FILES = Path(__file__).parents[1] / "job_histories"
"""Of a single-machine cluster of Hadoop 3.3.6 (MiniMRYarnCluster on MiniDFSCluster), run for these tests: 20 MB."""


def real(name: str) -> LoggedJob:
    with (FILES / name).open("rb") as stream:
        [found] = read(stream)
    assert isinstance(found, LoggedJob), found
    assert plausible(found)
    return found


@pytest.mark.parametrize("name", ["3.3.6-terasort.jhist", "3.3.6-terasort-binary.jhist"])
def test_a_real_sort_tells_what_its_counters_tell(name: str) -> None:
    job = real(name)
    assert (job.name, job.kind, job.nodes, job.region, job.input_output) == ("TeraSort", "mapreduce", 1, None, None)
    # 200,000 records of 100 bytes; each record in the shuffle carries 4 bytes more.
    assert job.input_mb == pytest.approx(20.0, rel=1e-3)
    assert job.output_mb == 20.0
    assert job.shuffled_mb == pytest.approx(20.8, rel=1e-3)
    assert [phase for phase, _ in job.phases_s] == ["map and shuffle", "sort and reduce"]
    assert 0.0 < sum(time_s for _, time_s in job.phases_s) < job.time_s < 60.0


@pytest.mark.parametrize("name", ["3.3.6-teragen.jhist", "3.3.6-teragen-binary.jhist"])
def test_a_real_generator_writes(name: str) -> None:
    job = real(name)
    assert (job.name, job.kind, [phase for phase, _ in job.phases_s]) == ("TeraGen", "hdfs-write", ["write"])
    assert (job.output_mb, job.shuffled_mb) == (20.0, 0.0)
    # Bytes written: the job reads nothing but the numbers of its records.
    assert job.cpu_mb_per_s is not None
    assert 1.0 < job.cpu_mb_per_s < 100.0


def test_a_real_history_written_in_the_binary_form_by_its_own_schema_is_the_same(tmp_path: Path) -> None:
    _, schema, *events = (FILES / "3.3.6-terasort.jhist").read_text().splitlines()
    own = json.loads(schema)
    documents = b"".join(written(own, json.loads(line)) for line in events if line)
    path = tmp_path / "binary.jhist"
    path.write_bytes(b"Avro-Binary\n" + schema.encode() + b"\n" + documents)
    with path.open("rb") as stream:
        [found] = read(stream)
    assert isinstance(found, LoggedJob)
    whole = real("3.3.6-terasort.jhist")
    assert found.to_dict() | {"line": whole.line} == whole.to_dict()


def job_of(events: Sequence[Mapping[str, Any]]) -> LoggedJob:
    [found] = read(BytesIO(as_json(events)))
    assert isinstance(found, LoggedJob), found
    assert plausible(found)
    return found


def test_a_history_tells_bytes_time_nodes_and_the_models_phases() -> None:
    job = job_of(history())
    assert (job.source, job.name, job.kind, job.nodes, job.region) == ("mapreduce", "sort", "mapreduce", 2, "eu-west-1")
    assert (job.input_mb, job.shuffled_mb, job.output_mb) == (200.0, 220.0, 100.0)
    # From the launch: a minute in the queue is not part of the job.
    assert (job.time_s, job.started_at.timestamp()) == (55.0, at(0.0) / 1e3)
    assert job.phases_s == (("map and shuffle", 30.0), ("sort and reduce", 17.0))
    assert job.cpu_mb_per_s == pytest.approx(420.0 / 21.0)
    assert job.input_output is None
    told = finished_job(job, ClusterOfLog("i3.2xlarge", "instance-store", "hadoop", replicas=2))
    assert (told.job, told.data, told.options["map_selectivity"]) == ("mapreduce", "200 MB", "1.1")
    assert told.options["reduce_selectivity"] == "0.454545"


def test_the_binary_form_is_the_same_history() -> None:
    [found] = read(BytesIO(as_binary(history())))
    assert isinstance(found, LoggedJob)
    job = job_of(history())
    assert found.to_dict() | {"line": job.line} == job.to_dict()


def test_of_reduce_tasks_in_waves_only_the_first_fetches_beside_the_map_phase() -> None:
    waves = ((20.0, 33.0, 40.0), (20.0, 34.0, 41.0), (41.0, 43.0, 50.0), (42.0, 44.0, 52.0))
    assert job_of(history(reduces=waves)).phases_s == (("map and shuffle", 29.0), ("sort and reduce", 18.0))
    after = ((31.0, 36.0, 50.0), (31.0, 37.0, 52.0))
    assert job_of(history(reduces=after)).phases_s == (("map and shuffle", 32.0), ("sort and reduce", 15.0))


def test_a_reduce_task_that_ended_before_it_began_tells_no_end_of_the_shuffle() -> None:
    assert job_of(history(reduces=((41.0, 42.0, 40.0),))).phases_s == (
        ("map and shuffle", 25.0),
        ("sort and reduce", 10.0),
    )


def test_a_job_without_reduces_reads_or_writes_and_a_shuffle_of_results_is_none() -> None:
    generated = job_of(history(reduces=(), read_bytes=158, materialized=0))
    assert (generated.kind, generated.phases_s) == ("hdfs-write", (("write", 25.0),))
    assert finished_job(generated, ClusterOfLog("m5.large", "object-store", "h")).data == "100 MB"
    dfsio = job_of(history(reduces=((20.0, 31.0, 32.0),), read_bytes=226, materialized=180))
    assert (dfsio.kind, dfsio.phases_s) == ("hdfs-write", (("write", 25.0),))


@pytest.mark.parametrize(("scheme", "place"), [("S3A", "object-store"), ("S3", "object-store"), ("HDFS", None)])
def test_counters_of_file_systems_tell_what_is_in_the_object_store(scheme: str, place: str | None) -> None:
    assert job_of(history(scheme=scheme)).input_output == place


@pytest.mark.parametrize("form", [as_json, as_binary])
def test_what_is_no_job_that_succeeded_and_moved_data_is_said(form: Any) -> None:
    whole = history()
    for events, said in (
        (whole[:-1], "the history ends before the job did"),
        ([*whole[:-1], event("JOB_FAILED", finishTime=at(40.0), jobStatus="FAILED")], "the job did not succeed"),
        (history(read_bytes=10, materialized=10, written_bytes=10), "the job did not move 1 MB or more"),
        ([], "the history ends before the job did"),
    ):
        [remark] = read(BytesIO(form(events)))
        assert isinstance(remark, Remark)
        assert said in remark.message
    content = form(whole)
    for size in range(len(content) - 200, len(content) - 1, 7):
        [remark] = read(BytesIO(content[:size]))
        assert isinstance(remark, Remark)
        assert "the history ends before the job did" in remark.message


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (0, {"submitTime": "noon"}),
        (0, {"jobName": 7}),
        (1, {"launchTime": 10**17}),
        (1, {"launchTime": [10**17]}),
        (2, {"attemptId": None}),
        (3, {"finishTime": True}),
        (-1, {"mapCounters": []}),
        (-1, {"totalCounters": {"groups": [{"name": "x.TaskCounter", "counts": [{"name": "CPU", "value": 0.5}]}]}}),
    ],
)
def test_events_of_another_form_are_refused_with_their_line(place: int, wrong: dict[str, Any]) -> None:
    events = history()
    told = next(iter(events[place]["event"].values()))
    told |= wrong
    content = as_json(events)
    with pytest.raises(Unreadable, match="not as Hadoop writes its job history") as caught:
        list(read(BytesIO(content)))
    line = caught.value.line
    assert line is not None
    assert json.loads(content.splitlines()[line - 1]) == events[place]


@pytest.mark.parametrize(
    "content", [b"", b"Avro-Json", b"Avro-Yaml\n{}\n", b"Avro-Binary\n", b"Avro-Binary\n{}\n", b'Avro-Binary\n"x"\n\0']
)
def test_what_is_no_history_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable, match=r"accepted: a \.jhist file"):
        list(read(BytesIO(content)))


def test_attempts_and_hosts_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, what in (("MOST_HOSTS", "hosts"), ("MOST_ATTEMPTS", "reduce attempts")):
        with monkeypatch.context() as patched:
            patched.setattr(mapreduce_history, name, 1)
            with pytest.raises(Unreadable, match=f"more than 1 {what}"):
                list(read(BytesIO(as_json(history()))))


@pytest.mark.parametrize("form", [as_json, as_binary])
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_read_or_refused(form: Any, data: st.DataObject) -> None:
    content = bytearray(form(history()))
    for _ in range(data.draw(st.integers(1, 20))):
        content[data.draw(st.integers(12, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = list(read(BytesIO(bytes(content))))
    except Unreadable as error:
        assert error.message
        return
    assert all(plausible(one) for one in found if isinstance(one, LoggedJob))
