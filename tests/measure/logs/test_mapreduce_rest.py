"""Answers of the MapReduce History Server: real ones, compared with the history of the same job, and invalid ones."""

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowage.measure.errors import Unreadable
from stowage.measure.logs import mapreduce_history, mapreduce_rest
from stowage.measure.logs.logged_jobs import LoggedJob, plausible
from stowage.measure.logs.mapreduce_rest import read
from stowage.measure.reading import Remark

FILES = Path(__file__).parents[1] / "job_histories"
"""TeraSort of 20 MB on one machine with Hadoop 3.3.6, YARN and HDFS: its answers and its history."""
CONTENT = (FILES / "3.3.6-terasort-again.json").read_bytes()


def answers() -> list[dict[str, Any]]:
    decoder, text, found, at = json.JSONDecoder(), CONTENT.decode(), list[dict[str, Any]](), 0
    while at < len(text):
        answer, at = decoder.raw_decode(text, at)
        found.append(answer)
    return found


def found_in(*documents: Mapping[str, Any], between: str = "") -> list[LoggedJob | Remark]:
    return list(read(BytesIO(between.join(json.dumps(each) for each in documents).encode())))


def job_of(*documents: Mapping[str, Any]) -> LoggedJob:
    [found] = found_in(*documents)
    assert isinstance(found, LoggedJob), found
    assert plausible(found)
    return found


def test_the_answers_of_a_real_job_tell_what_its_history_tells_but_for_hosts() -> None:
    with (FILES / "3.3.6-terasort-again.jhist").open("rb") as stream:
        [history] = mapreduce_history.read(stream)
    assert isinstance(history, LoggedJob)
    [job] = read(BytesIO(CONTENT))
    assert isinstance(job, LoggedJob)
    apart = {"line", "nodes", "phases_s"}
    assert {**job.to_dict(), **dict.fromkeys(apart)} == {**history.to_dict(), **dict.fromkeys(apart)}
    assert (job.nodes, history.nodes) == (None, 1)
    # The answers have the mean end of the shuffle, the history the last.
    assert [name for name, _ in job.phases_s] == ["map and shuffle", "sort and reduce"]
    for (_, told_s), (_, real_s) in zip(job.phases_s, history.phases_s, strict=True):
        assert told_s == pytest.approx(real_s, abs=0.1)


def test_answers_may_come_in_any_order_and_one_a_line() -> None:
    job, counters, tasks = answers()
    whole = job_of(job, counters, tasks)
    for order in ((tasks, counters, job), (counters, job, tasks)):
        assert job_of(*order) == whole
    [apart] = found_in(job, counters, tasks, between="\n")
    assert isinstance(apart, LoggedJob)
    assert apart.phases_s == whole.phases_s


def test_the_list_of_jobs_may_stand_before_or_behind_a_jobs_own_answer() -> None:
    job, counters, tasks = answers()
    whole = job_of(job, counters, tasks)
    told = {name: value for name, value in job["job"].items() if not name.startswith("avg")}
    listed = {"jobs": {"job": [told]}}
    for order in ((listed, job, counters, tasks), (job, listed, counters, tasks)):
        assert job_of(*order).phases_s == whole.phases_s
    assert job_of(listed, counters, tasks).phases_s == ()


def test_without_counters_a_job_has_times_only_and_without_tasks_no_phases() -> None:
    job, counters, tasks = answers()
    whole = job_of(job, counters, tasks)
    timed = job_of(job, tasks)
    assert (timed.kind, timed.data_mb, timed.phases_s, timed.time_s) == (None, 0.0, (), whole.time_s)
    counted = job_of(job, counters)
    assert (counted.kind, counted.input_mb, counted.phases_s) == ("mapreduce", whole.input_mb, ())
    [remark] = found_in(counters, tasks)
    assert isinstance(remark, Remark)
    assert "job_1795680714181_0002: its own answer is missing" in remark.message


def test_the_list_of_jobs_is_read_and_those_that_failed_are_named() -> None:
    job = answers()[0]["job"]
    listed = [job, job | {"id": "job_1_0002", "state": "FAILED"}, job | {"id": "job_1_0003", "finishTime": 0}]
    first, failed, timeless = found_in({"jobs": {"job": listed}})
    assert isinstance(first, LoggedJob)
    assert (first.name, first.kind) == ("TeraSort", None)
    assert isinstance(failed, Remark)
    assert "job_1_0002: the job did not succeed" in failed.message
    assert isinstance(timeless, Remark)
    assert "job_1_0003: startTime is not before finishTime" in timeless.message


def test_of_reduce_tasks_in_waves_the_end_of_the_shuffle_is_not_known() -> None:
    job, counters, tasks = answers()
    reduces = [each for each in tasks["tasks"]["task"] if each["type"] == "REDUCE"]
    later = reduces[0] | {"startTime": reduces[0]["finishTime"] + 500, "finishTime": reduces[0]["finishTime"] + 900}
    waves = {"tasks": {"task": [*tasks["tasks"]["task"], later]}}
    assert job_of(job, counters, waves).phases_s == ()


@pytest.mark.parametrize(
    ("place", "wrong", "said"),
    [
        (("job", "finishTime"), "noon", "finishTime is 'noon'"),
        (("job", "finishTime"), 10**17, "where a time in milliseconds since 1970 was expected"),
        (("job", "name"), 7, "name is Number('7')"),
        (("job",), [], "'job' is [], not an object"),
        (("jobCounters", "counterGroup", 0), 3, "'jobCounters.counterGroup.0' is Number('3'), not an object"),
        (("jobCounters", "counterGroup", 0, "counter", 0, "totalCounterValue"), "x", "totalCounterValue is 'x'"),
        (("tasks", "task", 0, "startTime"), None, "startTime is None"),
    ],
)
def test_a_value_of_another_form_is_refused_with_its_field(place: tuple[Any, ...], wrong: object, said: str) -> None:
    documents = answers()
    at: Any = next(each for each in documents if place[0] in each)
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = wrong
    with pytest.raises(Unreadable) as caught:
        found_in(*documents)
    assert said in caught.value.message
    assert "/ws/v1/history/mapreduce/jobs/ID" in caught.value.message
    assert caught.value.line == 1


def test_a_cut_answer_and_too_many_jobs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreadable, match="accepted: the JSON of /ws/v1/history"):
        list(read(BytesIO(CONTENT[:-3])))
    monkeypatch.setattr(mapreduce_rest, "MOST_JOBS", 1)
    job = answers()[0]["job"]
    with pytest.raises(Unreadable, match="more than 1 jobs"):
        found_in({"jobs": {"job": [job, job | {"id": "job_1_0002"}]}})


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_read_or_refused(data: st.DataObject) -> None:
    content = bytearray(CONTENT)
    for _ in range(data.draw(st.integers(1, 20))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = list(read(BytesIO(bytes(content))))
    except Unreadable as error:
        assert error.message
        return
    assert all(plausible(one) for one in found if isinstance(one, LoggedJob))
