"""Logs of finished jobs: uploaded like any file, parsed in the sandbox, completed by a person, and saved."""

import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from fastapi.testclient import TestClient
from httpx2 import Response

from finished import csv_of, finished
from job_history import as_binary, as_json, history
from stowage.model.forecast import START_UP
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue
from uploading import FIO, Reader, send

LOGS = Path(__file__).parents[2] / "measure" / "event_logs"
SORT = (LOGS / "3.5.7-sort.jsonl").read_bytes()
CLUSTER: dict[str, Any] = {"instance": "i3.2xlarge", "input_output": "instance-store", "framework": "spark-etl"}


@pytest.fixture
def reader(client: TestClient, database: Database, queue: Queue, org_id: Any) -> Reader:
    return Reader(client, database, queue, org_id)


def logged(client: TestClient, upload_id: str) -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/uploads/{upload_id}/finished-jobs")
    assert answer.status_code == 200, answer.text
    jobs: list[dict[str, Any]] = answer.json()["jobs"]
    assert answer.json()["total"] == len(jobs)
    return jobs


def keep(client: TestClient, upload_id: str, positions: list[int], **more: Any) -> Response:
    body = {**CLUSTER, "positions": positions, **more}
    return client.post(f"/api/v1/uploads/{upload_id}/finished-jobs", json=body)


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize("packed", [SORT, gzip.compress(SORT), zstandard.compress(SORT)], ids=["plain", "gz", "zst"])
def test_a_log_is_read_and_its_jobs_are_shown_with_phases_and_bytes(
    client: TestClient, reader: Reader, packed: bytes
) -> None:
    upload = reader.upload(packed, "application_1")
    assert (upload["state"], upload["readings_total"], upload["jobs_total"]) == ("read", 0, 2)
    first, second = logged(client, upload["id"])
    assert [first["name"], second["name"]] == ["1-sort", "2-sort"]
    assert (first["source"], first["version"], first["job"], first["nodes"]) == ("spark", "3.5.7", "mapreduce", 2)
    assert first["input_mb"] == pytest.approx(12.0, rel=0.01)
    assert first["output_mb"] == pytest.approx(12.0, rel=0.01)
    assert [phase["name"] for phase in first["phases"]] == ["map and shuffle", "sort and reduce"]
    assert 0.0 < sum(phase["measured_s"] for phase in first["phases"]) <= first["measured_s"]


def test_kept_jobs_show_predicted_beside_measured_phases_and_the_log_is_deleted(
    client: TestClient, reader: Reader
) -> None:
    upload = reader.upload(SORT, "application_1")
    answer = keep(client, upload["id"], [1], region="us-west-2", nodes=3)
    assert answer.status_code == 200, answer.text
    [row] = answer.json()["kept"]
    assert {name: row[name] for name in ("name", "job", "framework", "instance", "nodes", "input_output")} == {
        "name": "2-sort",
        "job": "mapreduce",
        "framework": "spark-etl",
        "instance": "i3.2xlarge",
        "nodes": 3,
        "input_output": "instance-store",
    }
    job = client.get(f"/api/v1/finished-jobs/{row['id']}").json()
    assert job["predicted_by"] == "unknown"
    pairs = {phase["name"]: phase for phase in job["compared"]}
    assert [*pairs] == ["map and shuffle", "sort and reduce"]
    assert {name: pair["measured_s"] for name, pair in pairs.items()} == {
        phase["name"]: phase["measured_s"] for phase in job["own_phases"]
    }
    # 12 MB take a second to plan and nearly no time to move: the longer phase has the largest error.
    assert job["furthest_off"] == "sort and reduce"
    assert [phase["predicted_s"] for phase in job["phases"]] == [pair["predicted_s"] for pair in pairs.values()]
    assert client.get(f"/api/v1/uploads/{upload['id']}").status_code == 404
    assert client.get("/api/v1/uploads").json()["uploads"] == []
    # The same log again is the same job.
    again = keep(client, reader.upload(gzip.compress(SORT))["id"], [1, 1], region="us-west-2", nodes=3)
    assert [each["id"] for each in again.json()["kept"]] == [row["id"]]


def test_who_kept_jobs_of_a_log_is_recorded(client: TestClient, reader: Reader) -> None:
    upload = reader.upload(SORT)
    assert keep(client, upload["id"], [0]).status_code == 200
    events = client.get("/api/v1/audit").json()["events"]
    assert ("finished_job.insert", "person") in {(event["action"], event["actor_kind"]) for event in events}


def test_without_a_calibration_the_profile_of_the_framework_is_what_is_compared(
    client: TestClient, reader: Reader
) -> None:
    upload = reader.upload(SORT)
    assert {job["framework"] for job in logged(client, upload["id"])} == {"spark"}
    [row] = keep(client, upload["id"], [0], framework="spark").json()["kept"]
    job = client.get(f"/api/v1/finished-jobs/{row['id']}").json()
    assert job["predicted_by"] == "framework"
    # Spark's engine has more phases than its log: those after the map phase are one there.
    assert [phase["name"] for phase in job["compared"]] == ["map and shuffle", "sort and reduce"]
    predicted_s = [phase["predicted_s"] for phase in job["phases"] if phase["name"] != START_UP]
    assert sum(phase["predicted_s"] for phase in job["compared"]) == pytest.approx(sum(predicted_s))
    assert len(predicted_s) > 2


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({"instance": "i9.vast"}, "instance"),
        ({"instance": "\x00"}, "instance"),
        ({"region": "mars-1"}, "region"),
        ({"input_output": "tape"}, "input_output"),
        ({"framework": "o u r s"}, "framework"),
        ({"nodes": 0}, "nodes"),
        ({"replicas": 11}, "replicas"),
        ({"positions": [0, 7]}, "positions.1"),
        ({"positions": []}, "positions"),
    ],
)
def test_what_cannot_be_is_named_by_field_and_nothing_is_kept(
    client: TestClient, reader: Reader, said: dict[str, Any], path: str
) -> None:
    upload = reader.upload(SORT)
    refused = keep(client, upload["id"], **{"positions": [0], **said})
    assert refused.status_code == 422, refused.text
    assert [each["path"] for each in refused.json()["errors"]] == [path]
    assert client.get("/api/v1/finished-jobs").json()["jobs"] == []
    assert reader.look(upload["id"])["jobs_total"] == 2


def test_a_log_that_is_damaged_names_its_line_and_what_is_accepted(reader: Reader) -> None:
    damaged = SORT.replace(b'"Stage IDs":[', b'"Stage IDs":[null,', 1)
    line = 1 + SORT[: SORT.index(b'"Stage IDs":[')].count(b"\n")
    upload = reader.upload(damaged)
    assert upload["state"] == "refused"
    assert upload["problem"].startswith(f"Line {line}: not as Spark writes its events")
    assert "accepted: a log as Spark 3 and 4 write it" in upload["problem"]
    nothing = reader.upload(SORT[: SORT.index(b'{"Event":"SparkListenerJobEnd"')])
    assert "no job of this log succeeded and moved 1 MB or more" in nothing["problem"]


def test_measurements_and_logs_are_uploaded_separately(reader: Reader) -> None:
    several = reader.upload(zipped(a=SORT, b=(LOGS / "4.0.1-sort.jsonl").read_bytes()), "logs.zip")
    assert (several["state"], several["jobs_total"]) == ("read", 4)
    mixed = reader.upload(zipped(a=SORT, b=FIO), "mixed.zip")
    assert mixed["state"] == "refused"
    assert mixed["problem"] == "It holds measurements and logs of finished jobs; upload them separately"


def test_the_parts_of_a_rolled_log_are_one_log_when_concatenated(reader: Reader) -> None:
    middle = SORT.index(b'{"Event":"SparkListenerJobEnd"')
    parts = SORT[:middle], SORT[middle:]
    whole = reader.upload(b"".join(zstandard.compress(part) for part in parts))
    assert (whole["jobs_total"], whole["problems_total"]) == (2, 0)
    apart = reader.upload(zipped(events_1=SORT[: SORT.rindex(b'{"Event":"SparkListenerJobStart"')], events_2=parts[1]))
    assert (apart["state"], apart["jobs_total"]) == ("read", 1)
    ended, later = apart["problems"]
    assert ended["member"] == "events_1"
    assert "the log ends before the application did" in ended["message"]
    assert later["member"] == "events_2"
    assert "the parts of a rolled log concatenated in their order" in later["message"]


@pytest.mark.parametrize("form", [as_json, as_binary])
def test_a_job_history_of_mapreduce_takes_the_same_way(client: TestClient, reader: Reader, form: Any) -> None:
    upload = reader.upload(gzip.compress(form(history(scheme="S3A"))), "job_1-SUCCEEDED.jhist")
    assert (upload["state"], upload["jobs_total"]) == ("read", 1), upload["problem"]
    [job] = logged(client, upload["id"])
    assert (job["source"], job["name"], job["job"], job["nodes"]) == ("mapreduce", "sort", "mapreduce", 2)
    assert (job["region"], job["input_output"]) == ("eu-west-1", "object-store")
    [row] = keep(client, upload["id"], [0], input_output="object-store", framework="hadoop").json()["kept"]
    kept = client.get(f"/api/v1/finished-jobs/{row['id']}").json()
    assert [(phase["name"], phase["measured_s"]) for phase in kept["compared"]] == [
        ("map and shuffle", 30.0),
        ("sort and reduce", 17.0),
    ]
    assert kept["furthest_off"] == "map and shuffle"


@pytest.mark.parametrize(
    ("path", "source", "phases"),
    [
        ("yarn/3.3.6-apps.json", "mapreduce", []),
        ("emr/spark.controller", "spark", []),
        ("ray/2.60.0-timeline.json", "ray", ["map_part", "merge_part", "Counter.__init__", "Counter.add"]),
    ],
)
def test_of_a_log_with_times_only_the_kind_and_size_of_its_jobs_are_given(
    client: TestClient, reader: Reader, path: str, source: str, phases: list[str]
) -> None:
    upload = reader.upload(gzip.compress((LOGS.parent / "files" / path).read_bytes()))
    job = logged(client, upload["id"])[-1]
    assert (job["source"], job["job"], job["input_mb"]) == (source, None, 0.0)
    assert [phase["name"] for phase in job["phases"]] == phases
    nodes = {} if job["nodes"] else {"nodes": 4}
    refused = keep(client, upload["id"], [job["position"]])
    assert refused.status_code == 422
    assert [each["path"] for each in refused.json()["errors"]] == [*nodes, "job", "data"]
    for data in ("much", "0 GB", "-1 TB"):
        refused = keep(client, upload["id"], [job["position"]], job="sort", data=data, **nodes)
        assert [each["path"] for each in refused.json()["errors"]] == ["data"]
    answer = keep(client, upload["id"], [job["position"]], job="sort", data="100 GB", **nodes)
    assert answer.status_code == 200, answer.text
    [row] = answer.json()["kept"]
    assert (row["job"], row["data"], row["measured_s"]) == ("sort", "100 GB", job["measured_s"])
    kept = client.get(f"/api/v1/finished-jobs/{row['id']}").json()
    assert [phase["name"] for phase in kept["own_phases"]] == phases
    assert kept["compared"] == []


def test_the_history_servers_answer_needs_the_nodes(client: TestClient, reader: Reader) -> None:
    upload = reader.upload((LOGS.parent / "job_histories" / "3.3.6-terasort-again.json").read_bytes())
    [job] = logged(client, upload["id"])
    assert (job["name"], job["job"], job["nodes"]) == ("TeraSort", "mapreduce", None)
    refused = keep(client, upload["id"], [0])
    assert [each["path"] for each in refused.json()["errors"]] == ["nodes"]
    # Size and kind come from the log: entered values are only for logs with times only.
    [row] = keep(client, upload["id"], [0], nodes=2, job="sort", data="1 TB").json()["kept"]
    assert (row["job"], row["data"], row["nodes"]) == ("mapreduce", "20.0002 MB", 2)
    kept = client.get(f"/api/v1/finished-jobs/{row['id']}").json()
    assert [phase["name"] for phase in kept["compared"]] == ["map and shuffle", "sort and reduce"]


def test_another_teams_log_is_not_there_and_one_that_is_not_read_is_not_kept(
    client: TestClient, other_client: TestClient, reader: Reader
) -> None:
    upload = reader.upload(SORT)
    assert other_client.get(f"/api/v1/uploads/{upload['id']}/finished-jobs").status_code == 404
    assert keep(other_client, upload["id"], [0]).status_code == 404
    arriving = send(client, SORT)["id"]
    assert logged(client, arriving) == []
    assert keep(client, arriving, [0]).status_code == 422
    assert client.delete(f"/api/v1/uploads/{upload['id']}").status_code == 204


def test_with_a_calibration_the_phases_are_compared_with_it(client: TestClient) -> None:
    header, *lines = csv_of(finished(3)).decode().split("\n")
    timed = "\n".join([f"{header},phase:map and shuffle", *(f"{line},1" for line in lines if line), ""])
    answer = client.post("/api/v1/finished-jobs", content=timed.encode(), headers={"Content-Type": "text/csv"})
    assert answer.status_code == 201, answer.text
    [row, *_] = answer.json()["kept"]
    assert client.post("/api/v1/calibrations", json={"framework": "ours"}).status_code == 201
    job = client.get(f"/api/v1/finished-jobs/{row['id']}").json()
    assert job["predicted_by"] == "calibration"
    assert [phase["name"] for phase in job["compared"]] == ["map and shuffle"]
    assert job["furthest_off"] == "map and shuffle"
