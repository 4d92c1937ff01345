"""Finished jobs: a CSV file becomes jobs, each compared with its prediction and its recorded metrics."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from finished import JOB, csv_of, finished
from kept_measurements import FIRST, keep, network, sar
from stowage.features.calibration.calibrations import LARGEST_CSV_BYTES
from stowage.measure.reading import Series
from stowage.platform.database.database import Database

HEADER = "name,job,framework,instance,nodes,data,input_output,measured_s,started_at,phase:shuffle and sort,remark"
LINE = "Nightly,sort,ours,i3.2xlarge,4,1 TB,instance-store,600,2026-11-01T12:00:00+00:00,,as ever"


def send(client: TestClient, content: bytes | str, content_type: str = "text/csv") -> Response:
    body = content.encode() if isinstance(content, str) else content
    return client.post("/api/v1/finished-jobs", content=body, headers={"Content-Type": content_type})


def kept(client: TestClient, content: bytes | str) -> list[dict[str, Any]]:
    answer = send(client, content)
    assert answer.status_code == 201, answer.text
    assert answer.json()["problems"] == []
    rows: list[dict[str, Any]] = answer.json()["kept"]
    return rows


def job_of(client: TestClient, job_id: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/finished-jobs/{job_id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_file_of_jobs_is_kept_once_and_each_is_predicted(client: TestClient, other_client: TestClient) -> None:
    [row] = kept(client, f"{HEADER}\n{LINE}\n")
    assert {name: row[name] for name in ("name", "job", "framework", "instance", "nodes", "data", "input_output")} == {
        "name": "Nightly",
        "job": "sort",
        "framework": "ours",
        "instance": "i3.2xlarge",
        "nodes": 4,
        "data": "1 TB",
        "input_output": "instance-store",
    }
    assert (row["measured_s"], row["started_at"]) == (600.0, "2026-11-01T12:00:00Z")
    assert row["person"].startswith("Owner ")
    assert row["withdrawn_at"] is None
    # With a byte-order mark, semicolons and other line ends it is the same job.
    again = ("\ufeff" + f"{HEADER}\r\n{LINE}\r\n".replace(",", ";")).encode()
    assert [each["id"] for each in kept(client, again)] == [row["id"]]
    assert client.get("/api/v1/finished-jobs").json() == {"jobs": [row], "next_cursor": None}
    found = job_of(client, row["id"])
    assert {name: found[name] for name in row} == row
    assert found["predicted"]["p10"] < found["predicted"]["p50"] < found["predicted"]["p90"]
    assert (found["problem"], found["series"], found["compared"], found["furthest_off"]) == (None, [], [], None)
    # The framework is unknown: the prediction is slower than the physical limit, and its range wider.
    assert found["predicted_by"] == "unknown"
    assert 0.0 < found["physical_limit_s"] < found["predicted"]["p50"]
    # The predicted phases share the measured time.
    assert (found["phases"][0]["from_s"], found["phases"][-1]["to_s"]) == (0.0, pytest.approx(600.0))
    assert {phase["seen"] for phase in found["phases"]} == {None}
    for call in (
        other_client.get(f"/api/v1/finished-jobs/{row['id']}"),
        other_client.delete(f"/api/v1/finished-jobs/{row['id']}"),
        other_client.post(f"/api/v1/finished-jobs/{row['id']}/restore"),
        other_client.post(f"/api/v1/finished-jobs/{row['id']}/series", json={"measurements": []}),
        client.get(f"/api/v1/finished-jobs/{uuid4()}"),
    ):
        assert call.status_code == 404
    assert other_client.get("/api/v1/finished-jobs").json()["jobs"] == []


def test_what_is_not_understood_is_told_by_line_and_column_and_the_rest_is_kept(client: TestClient) -> None:
    wrong = {
        "nodes is '0'": LINE.replace(",4,", ",0,"),
        "job is 'dance'": LINE.replace(",sort,", ",dance,"),
        "measured_s is '-1'": LINE.replace(",600,", ",-1,"),
        "measured_s is '1e309'": LINE.replace(",600,", ",1e309,"),
        "measured_s is 'nan'": LINE.replace(",600,", ",nan,"),
        "input_output is 'tape'": LINE.replace("instance-store", "tape"),
        "framework is 'o u r s'": LINE.replace(",ours,", ",o u r s,"),
        "started_at is 'noon'": LINE.replace("2026-11-01T12:00:00+00:00", "noon"),
        "instance is empty": LINE.replace("i3.2xlarge", ""),
        "fields, and the first line names 11 columns": LINE + ",",
        "not a line of CSV": LINE.replace("Nightly", '"Nightly'),
        "phase:shuffle and sort is 'long'": LINE.replace(",,as ever", ",long,as ever"),
    }
    answer = send(client, "\n".join([HEADER, LINE, *wrong.values(), ""]))
    assert answer.status_code == 201, answer.text
    assert len(answer.json()["kept"]) == 1
    problems = answer.json()["problems"]
    assert [each["line"] for each in problems] == list(range(3, 3 + len(wrong)))
    for said, problem in zip(wrong, problems, strict=True):
        assert said in problem["message"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "missing"),
        ("\n\n", "the file is empty"),
        ("name,job\na,sort\n", "the columns framework, instance, nodes, data, input_output, measured_s are missing"),
        (HEADER + ",name\n" + LINE + ",b\n", "the column 'name' is there twice"),
        ("\0\0", "the file is empty"),
        (b"\xff\xfe\xff", "missing"),
    ],
)
def test_a_file_that_is_no_list_of_jobs_is_refused(client: TestClient, content: str | bytes, said: str) -> None:
    refused = send(client, content)
    assert refused.status_code == 422, refused.text
    assert said in refused.text
    assert client.get("/api/v1/finished-jobs").json()["jobs"] == []


def test_columns_with_odd_names_do_no_harm(client: TestClient) -> None:
    [row] = kept(client, f"{HEADER},phase:\u2028,phase:\x1b[31m,\x07\n{LINE},1,2,3\n")
    assert job_of(client, row["id"])["name"] == "Nightly"


def test_other_content_types_and_larger_files_are_refused(client: TestClient) -> None:
    for body in ({"json": [{"name": "a"}]}, {"files": {"file": ("jobs.csv", f"{HEADER}\n{LINE}\n")}}):
        assert client.post("/api/v1/finished-jobs", **body).status_code == 422
    as_json = send(client, f"{HEADER}\n{LINE}\n", "application/json")
    assert (as_json.status_code, "is not JSON" in as_json.text) == (422, True)
    assert client.get("/api/v1/finished-jobs").json()["jobs"] == []
    filler = "#" * 60
    lines = [HEADER, LINE]
    lines += [LINE.replace("as ever", filler)] * ((LARGEST_CSV_BYTES - len(HEADER) - 200) // (len(LINE) + 54))
    content = "\n".join(lines)
    fits = content + " " * (LARGEST_CSV_BYTES - len(content))
    assert len(kept(client, fits)) == 1
    too_large = send(client, fits + " ")
    assert too_large.status_code == 413
    assert len(client.get("/api/v1/finished-jobs").json()["jobs"]) == 1


def test_a_job_is_left_out_and_comes_back(client: TestClient) -> None:
    rows = kept(client, csv_of(finished(3)))
    [address, *_] = [f"/api/v1/finished-jobs/{row['id']}" for row in rows]
    gone = client.delete(address)
    assert gone.status_code == 200, gone.text
    assert gone.json()["withdrawn_at"] is not None
    assert len(client.get("/api/v1/finished-jobs").json()["jobs"]) == 3
    assert client.get("/api/v1/calibrations").json()["frameworks"] == [{"framework": "ours", "jobs": 2}]
    few = client.post("/api/v1/calibrations", json={"framework": "ours"})
    assert "2 finished jobs can be used; a calibration needs 3" in few.text
    assert client.post(f"{address}/restore").json() == {**gone.json(), "withdrawn_at": None}
    assert client.get("/api/v1/calibrations").json()["frameworks"] == [{"framework": "ours", "jobs": 3}]
    # Uploading a deleted job again restores it.
    client.delete(address)
    assert kept(client, csv_of(finished(3))) == rows


def test_jobs_are_listed_newest_first_page_by_page(client: TestClient) -> None:
    kept(client, csv_of(finished(4)))
    kept(client, csv_of(finished(2, "theirs")))
    pages, cursor = list[list[str]](), None
    while True:
        asked = {"limit": 4} if cursor is None else {"limit": 4, "cursor": cursor}
        page = client.get("/api/v1/finished-jobs", params=asked).json()
        pages.append([job["framework"] for job in page["jobs"]])
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert pages == [["theirs", "theirs", "ours", "ours"], ["ours", "ours"]]
    of_one = client.get("/api/v1/finished-jobs", params={"framework": "theirs"}).json()["jobs"]
    assert len(of_one) == 2
    assert client.get("/api/v1/finished-jobs", params={"cursor": "nonsense"}).status_code == 422


def test_a_job_that_cannot_be_predicted_says_why(client: TestClient) -> None:
    odd = [replace(JOB, instance="i9.vast"), replace(JOB, data="1000 TB"), replace(JOB, data="much")]
    rows = kept(client, csv_of(odd))
    for row, said in zip(rows, ("i9.vast", "cannot hold", "data "), strict=True):
        job = job_of(client, row["id"])
        assert (job["physical_limit_s"], job["predicted"], job["phases"]) == (None, None, [])
        assert said in job["problem"]


def test_what_a_monitor_recorded_is_laid_over_the_predicted_phases(
    client: TestClient, other_client: TestClient, database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    [row] = kept(client, f"{HEADER}\n{LINE}\n")
    phases = job_of(client, row["id"])["phases"]
    # A disk that is busy during the whole job, a minute after its start by the monitor's own clock.
    started = FIRST - timedelta(seconds=60)
    times = tuple(10.0 * (place + 1) for place in range(66))
    busy = tuple(0.97 for _ in times)
    idle = sar(started, [0.2] * 66)
    disk = Series("device_busy_share", "nvme0n1", started, times, busy, busy)
    [measurement] = keep(
        database, org_id, [(replace(idle, series=(*idle.series, disk)), replace(network("i3.2xlarge"), nodes=1))]
    )
    address = f"/api/v1/finished-jobs/{row['id']}/series"
    answer = client.post(address, json={"measurements": [str(measurement), str(measurement)]})
    assert answer.status_code == 200, answer.text
    job = answer.json()
    assert job == job_of(client, row["id"])
    assert [(each["name"], each["of"], each["resource"]) for each in job["series"]] == [
        ("cpu_idle_share", "all", "CPU"),
        ("device_busy_share", "nvme0n1", "storage"),
    ]
    assert job["series"][1]["times_s"][:2] == [-50.0, -40.0]
    assert len(job["series"][1]["values"]) == len(job["series"][1]["times_s"]) == 66
    assert [phase["name"] for phase in job["phases"]] == [phase["name"] for phase in phases]
    for phase in job["phases"]:
        assert phase["seen"] == "storage"
        assert phase["agrees"] == ("disk" in phase["bottleneck"]), phase
    # Another team's measurement does not exist for this team.
    [theirs] = keep(database, other_org_id, [(idle, replace(network("i3.2xlarge"), nodes=1))])
    for wrong in (str(theirs), str(uuid4())):
        refused = client.post(address, json={"measurements": [str(measurement), wrong]})
        assert refused.status_code == 422
        assert [each["path"] for each in refused.json()["errors"]] == ["measurements.1"]
    assert other_client.post(address, json={"measurements": [str(theirs)]}).status_code == 404
    assert len(job_of(client, row["id"])["series"]) == 2
    assert client.post(address, json={"measurements": []}).json()["series"] == []


def test_phases_that_were_measured_stand_where_they_were(client: TestClient) -> None:
    [plain] = kept(client, csv_of([JOB]))
    [first, *_] = job_of(client, plain["id"])["phases"]
    header, line = csv_of([JOB]).decode().split("\n")
    [row] = kept(client, f"{header},phase:{first['name']}\n{line},123.5\n")
    [phase, *others] = job_of(client, row["id"])["phases"]
    assert (phase["from_s"], phase["to_s"], phase["measured_s"]) == (0.0, 123.5, 123.5)
    assert {each["measured_s"] for each in others} <= {None}
    # The predicted part of a phase is not stored as a measurement of it.
    assert phase["predicted_s"] == first["predicted_s"] != 123.5
