"""Timelines of Ray: jobs, nodes and the spans of tasks by name, from a real timeline and in the dashboard's format."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowage.measure.errors import Unreadable
from stowage.measure.logs import ray_timeline
from stowage.measure.logs.logged_jobs import MOST_PHASES, LoggedJob, plausible
from stowage.measure.logs.ray_timeline import read
from stowage.measure.reading import Remark

FILES = Path(__file__).parents[1] / "files" / "ray"
CONTENT = (FILES / "2.60.0-timeline.json").read_bytes()
JOB = "01000000"


def found_in(events: list[Any]) -> list[LoggedJob | Remark]:
    return list(read(BytesIO(json.dumps(events).encode())))


def task(name: str, began_s: float, took_s: float, node: object = "10.0.0.1", job: str = JOB) -> dict[str, Any]:
    """Return an event in the format of `ray.timeline()` of Ray 2.60."""
    return {
        "cat": f"task::{name}", "name": f"__main__.{name}", "pid": node, "tid": "worker:ab",
        "ts": 1_764_000_000e6 + began_s * 1e6, "dur": took_s * 1e6, "ph": "X", "cname": "generic_work",
        "args": {"name": name, "task_id": f"{'0' * 40}{job}"},
    }  # fmt: skip


def test_a_real_timeline_tells_the_job_and_its_tasks_by_name() -> None:
    [job] = read(BytesIO(CONTENT))
    assert isinstance(job, LoggedJob)
    assert plausible(job)
    assert (job.source, job.name, job.kind, job.nodes, job.data_mb) == ("ray", f"job {JOB}", None, 1, 0.0)
    assert [name for name, _ in job.phases_s] == ["map_part", "merge_part", "Counter.__init__", "Counter.add"]
    took_s = dict(job.phases_s)
    # Six tasks that sleep 0.2 s on two CPUs; two that sleep 0.3 s; three calls of 0.05 s, one after the other.
    assert 0.6 <= took_s["map_part"] < 1.5
    assert 0.3 <= took_s["merge_part"] < 1.0
    assert 0.15 <= took_s["Counter.add"] < 0.5
    events = [each for each in json.loads(CONTENT) if each["cat"].startswith("task::")]
    last_us = max(each["ts"] + each["dur"] for each in events)
    assert job.time_s == pytest.approx((last_us - min(each["ts"] for each in events)) / 1e6, abs=1e-5)


def test_phases_may_overlap_and_each_job_and_node_is_told_apart() -> None:
    first, second = found_in(
        [
            task("map", 0.0, 10.0),
            task("map", 5.0, 10.0, "10.0.0.2"),
            task("merge", 12.0, 8.0, "10.0.0.2"),
            task("other", 30.0, 1.0, job="02000000"),
        ]
    )
    assert isinstance(first, LoggedJob)
    assert (first.time_s, first.nodes, first.phases_s) == (20.0, 2, (("map", 15.0), ("merge", 8.0)))
    assert isinstance(second, LoggedJob)
    assert (second.name, second.nodes, second.time_s) == ("job 02000000", 1, 1.0)


def test_the_dashboards_download_which_names_nodes_by_numbers_is_read() -> None:
    content = (FILES / "2.60.0-dashboard.json").read_bytes()
    [job] = read(BytesIO(content))
    assert isinstance(job, LoggedJob)
    assert (job.name, job.nodes) == (f"job {JOB}", 1)
    took_s = dict(job.phases_s)
    # Four tasks that sleep 0.2 s on two CPUs, followed by two that sleep 0.3 s.
    assert [*took_s] == ["map_part", "merge_part"]
    assert 0.4 <= took_s["map_part"] < 2.0
    assert 0.3 <= took_s["merge_part"] < 2.0
    events = json.loads(content)
    next(event for event in events if event.get("cat") == "task::merge_part")["pid"] = 1
    [job] = found_in(events)
    assert isinstance(job, LoggedJob)
    assert job.nodes == 2


def test_the_name_of_a_job_is_cut_to_what_is_kept() -> None:
    event = task("map_part", 0.0, 1.0)
    event["args"]["job_id"] = "j" * 250
    [job] = found_in([event])
    assert isinstance(job, LoggedJob)
    assert plausible(job)


def test_the_longest_phases_are_kept_and_a_timeline_without_tasks_is_told() -> None:
    [job] = found_in([task(f"t{number}", 0.0, float(number)) for number in range(1, MOST_PHASES + 11)])
    assert isinstance(job, LoggedJob)
    assert len(job.phases_s) == MOST_PHASES
    assert ("t11", 11.0) in job.phases_s
    [remark] = found_in([task("map", 0.0, 1.0) | {"cat": "submit_task"}])
    assert isinstance(remark, Remark)
    assert "no task with a name ended in this timeline" in remark.message


@pytest.mark.parametrize("wrong", [{"ts": "noon"}, {"ts": -1}, {"dur": None}, {"dur": 1e300}, {"ts": 1e20}])
def test_an_event_without_times_is_refused_with_its_field(wrong: dict[str, object]) -> None:
    with pytest.raises(Unreadable, match="the JSON that `ray timeline` writes"):
        found_in([task("map", 0.0, 1.0), task("map", 0.0, 1.0) | wrong])


def test_jobs_names_and_nodes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, what, more in (
        ("MOST_JOBS", "jobs", task("map", 0.0, 1.0, job="02000000")),
        ("MOST_NAMES", "names of tasks", task("merge", 0.0, 1.0)),
        ("MOST_NODES", "nodes", task("map", 0.0, 1.0, "10.0.0.2")),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(ray_timeline, limit, 1)
            with pytest.raises(Unreadable, match=f"more than 1 {what}"):
                found_in([task("map", 0.0, 1.0), more])


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
