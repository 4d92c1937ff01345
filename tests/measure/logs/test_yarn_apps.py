"""Applications of YARN: times of successful Spark and MapReduce applications, and reasons for leaving out others."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from stowage.measure.errors import Unreadable
from stowage.measure.logs.logged_jobs import LoggedJob, plausible
from stowage.measure.logs.yarn_apps import read
from stowage.measure.reading import Remark
from stowage.measure.recognise import recognise

CONTENT = (Path(__file__).parents[1] / "files" / "yarn" / "3.3.6-apps.json").read_bytes()
SORT: dict[str, Any] = json.loads(CONTENT)["apps"]["app"][1]


def found_in(document: object) -> list[LoggedJob | Remark]:
    return list(read(BytesIO(json.dumps(document).encode())))


def test_the_real_answer_tells_the_time_of_each_application() -> None:
    generate, sort = read(BytesIO(CONTENT))
    assert isinstance(generate, LoggedJob)
    assert isinstance(sort, LoggedJob)
    assert (generate.name, sort.name, sort.source) == ("TeraGen", "TeraSort", "mapreduce")
    assert (sort.kind, sort.nodes, sort.data_mb, sort.phases_s) == (None, None, 0.0, ())
    # From the launch of the ApplicationMaster, 0.7 s after the application was submitted.
    assert sort.time_s == pytest.approx(SORT["elapsedTime"] / 1e3 - 0.742)
    assert plausible(sort)


def test_one_application_and_one_of_an_older_yarn_are_read() -> None:
    older = {name: value for name, value in SORT.items() if name != "launchTime"} | {"applicationType": "SPARK"}
    [job] = found_in({"app": older})
    assert isinstance(job, LoggedJob)
    assert (job.source, job.time_s) == ("spark", SORT["elapsedTime"] / 1e3)


def test_an_application_that_took_next_to_no_time_has_some() -> None:
    [job] = found_in({"app": SORT | {"launchTime": 1000.0, "finishedTime": 1000.0001}})
    assert isinstance(job, LoggedJob)
    assert plausible(job)


def test_what_is_left_out_is_counted_by_its_reason() -> None:
    others = [
        SORT | {"applicationType": "TEZ"},
        SORT | {"applicationType": "TEZ"},
        SORT | {"finalStatus": "FAILED"},
        SORT | {"state": "RUNNING", "finalStatus": "UNDEFINED"},
        SORT | {"finishedTime": 0},
    ]
    remarks = [found.message for found in found_in({"apps": {"app": others}}) if isinstance(found, Remark)]
    assert remarks == [
        "applications left out because their applicationType is 'TEZ' (accepted: SPARK, MAPREDUCE): 2",
        "applications left out because they did not succeed: 2",
        "applications left out because they have no times: 1",
    ]
    assert found_in({"apps": None}) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"finishedTime": "noon"}, "finishedTime is 'noon'"),
        ({"launchTime": 10**17}, "where a time in milliseconds"),
        ({"name": ["a"]}, "name is"),
        ({"applicationType": 7}, "applicationType is Number('7')"),
    ],
)
def test_a_value_of_another_form_is_refused_with_its_field(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(Unreadable) as caught:
        found_in({"apps": {"app": [SORT | wrong]}})
    assert said in caught.value.message
    assert "/ws/v1/cluster/apps" in caught.value.message


def test_an_answer_about_something_else_and_one_that_was_cut_are_refused() -> None:
    with pytest.raises(Unreadable, match="No tool is known"):
        recognise(BytesIO(b'{"clusterInfo":{"id":1}}'))
    with pytest.raises(Unreadable, match="accepted: the JSON of /ws/v1/cluster/apps"):
        list(read(BytesIO(CONTENT[:-2])))
    with pytest.raises(Unreadable, match=r"'apps\.app\.0' is Number"):
        found_in({"apps": {"app": [1]}})
