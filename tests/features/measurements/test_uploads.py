"""Uploads: from the first piece to saved measurements, and what a repetition does."""

import hashlib
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from database import superuser
from people import token_of
from stowage.features.measurements import uploads
from stowage.features.measurements.store import uploads as store
from stowage.features.measurements.store.uploads import PIECE_BYTES
from stowage.features.measurements.uploads import LARGEST_UPLOAD_BYTES
from stowage.features.teams.operators import set_quota
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import Queue
from uploading import DISK, FIO, VOLUME, Reader, fio, send, send_piece


@pytest.fixture
def reader(client: TestClient, database: Database, queue: Queue, org_id: UUID) -> Reader:
    return Reader(client, database, queue, org_id)


def rows(postgres: DatabaseUrls, table: str, org_id: UUID) -> int:
    with superuser(postgres) as connection:
        row = connection.execute(f"SELECT count(*) FROM {table} WHERE org_id = %s", [org_id]).fetchone()
        return 0 if row is None else int(row[0])


def test_a_file_is_read_previewed_and_kept_and_comes_back_byte_for_byte(reader: Reader) -> None:
    upload = reader.upload(FIO, "fio-3.33.json")
    assert (upload["state"], upload["job"]["state"], upload["problems"]) == ("read", "done", [])
    assert (upload["job"]["done"], upload["job"]["total"]) == (1, 1)
    [reading] = upload["readings"]
    assert (reading["tool"], reading["tool_version"], reading["status"]) == ("fio", "fio-3.33", "ok")
    assert {need["field"] for need in reading["needs"]} == {"instance", "region", "storage"}
    assert (reading["known"], reading["judgement"]) == (None, None)
    iops = next(metric for metric in reading["metrics"] if metric["name"] == "read_iops")
    assert iops["told"]["text"] in FIO.decode()
    kept = reader.keep(upload)
    assert kept.status_code == 200, kept.text
    [measurement_id] = kept.json()["measurements"]
    assert (kept.json()["known"], kept.json()["refused"]) == (0, [])
    measurement = reader.client.get(f"/api/v1/measurements/{measurement_id}").json()
    assert measurement["target"] == {"zone": None, "nodes": 1, "placement_group": None} | DISK
    assert measurement["target_words"] == "i3.8xlarge, 4 own disks, us-east-1"
    assert measurement["metrics"] == reading["metrics"]
    assert measurement["upload_id"] == upload["id"]
    original = reader.client.get(f"/api/v1/uploads/{upload['id']}/file")
    assert hashlib.sha256(original.content).digest() == hashlib.sha256(FIO).digest()
    assert reader.look(upload["id"])["sha256"] == hashlib.sha256(FIO).hexdigest()
    assert original.headers["content-disposition"] == "attachment; filename*=UTF-8''fio-3.33.json"
    assert reader.look(upload["id"])["measurements"] == [measurement_id]
    [listed] = reader.client.get("/api/v1/measurements").json()["measurements"]
    assert listed["id"] == measurement_id


def test_a_file_of_several_pieces_comes_in_any_order_and_each_as_often_as_it_likes(reader: Reader) -> None:
    content = FIO + b" " * (2 * PIECE_BYTES)
    begun = reader.client.post("/api/v1/uploads", json={"name": "fio.json", "size_bytes": len(content)}).json()
    for number in (2, 0, 2, 1, 0):
        piece = content[number * PIECE_BYTES : (number + 1) * PIECE_BYTES]
        assert send_piece(reader.client, begun["id"], number, piece).status_code == 200
    assert reader.look(begun["id"])["received_bytes"] == len(content)
    reader.work(reader.client.post(f"/api/v1/uploads/{begun['id']}/read").json()["job"]["id"])
    upload = reader.look(begun["id"])
    assert (upload["state"], len(upload["readings"])) == ("read", 1)
    assert reader.client.get(f"/api/v1/uploads/{begun['id']}/file").content == content


def test_the_same_file_twice_is_one_measurement_and_the_second_file_goes(
    reader: Reader, postgres: DatabaseUrls, org_id: UUID
) -> None:
    [first] = reader.kept(FIO)
    again = reader.upload(FIO, "another-name.json")
    assert [reading["known"] for reading in again["readings"]] == [first]
    kept = reader.keep(again).json()
    assert (kept["measurements"], kept["known"]) == ([], 1)
    assert reader.client.get(f"/api/v1/uploads/{again['id']}").status_code == 404
    assert (rows(postgres, "measurement", org_id), rows(postgres, "upload_piece", org_id)) == (1, 1)


def test_the_same_run_inside_an_archive_with_others_is_known(reader: Reader) -> None:
    [first] = reader.kept(FIO)
    upload = reader.upload(zipped({"new/fio.json": fio("other"), "old/fio.json": FIO}), "all.zip")
    assert [(each["member"], each["known"]) for each in upload["readings"]] == [
        ("new/fio.json", None),
        ("old/fio.json", first),
    ]
    kept = reader.keep(upload).json()
    assert (len(kept["measurements"]), kept["known"]) == (1, 1)


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


def test_what_no_tool_wrote_in_an_archive_is_said_and_the_rest_is_read(reader: Reader) -> None:
    upload = reader.upload(zipped({"fio.json": FIO, "notes.txt": b"Remember the milk.\n"}), "all.zip")
    assert [each["member"] for each in upload["readings"]] == ["fio.json"]
    [problem] = upload["problems"]
    assert problem["member"] == "notes.txt"
    assert "Remember the milk" in problem["message"]


def test_what_was_said_of_a_target_is_checked_field_by_field_before_anything_is_kept(
    reader: Reader, postgres: DatabaseUrls, org_id: UUID
) -> None:
    upload = reader.upload(FIO)
    for target, path in (
        (DISK | {"instance": "i9.vast"}, "instance"),
        (DISK | {"instance": None}, "instance"),
        (DISK | {"region": "mars-north-1"}, "region"),
        (DISK | {"region": None}, "region"),
        (DISK | {"zone": "eu-west-1a"}, "zone"),
        (DISK | {"storage": None}, "storage"),
        (DISK | {"storage": {"kind": "instance-store", "disks": 40}}, "storage.disks"),
        (DISK | {"storage": VOLUME | {"iops": 1e6}}, "storage.iops"),
        (DISK | {"storage": VOLUME | {"type": "gp9"}}, "storage.type"),
        (DISK | {"nodes": 0}, "nodes"),
    ):
        kept = reader.keep(upload, target)
        assert kept.status_code == 422, (target, kept.text)
        assert [each["path"] for each in kept.json()["errors"]] == [f"readings.0.target.{path}"], kept.text
        judged = reader.client.post(f"/api/v1/uploads/{upload['id']}/judge", json={"position": 0, "target": target})
        assert [each["path"] for each in judged.json()["errors"]] == [f"target.{path}"], judged.text
    assert rows(postgres, "measurement", org_id) == 0
    judged = reader.client.post(f"/api/v1/uploads/{upload['id']}/judge", json={"position": 0, "target": DISK})
    assert judged.status_code == 200
    assert judged.json()["verdict"] in {"doubtful", "rejected"}
    assert rows(postgres, "measurement", org_id) == 0


def test_a_target_that_was_said_of_a_host_is_guessed_for_its_next_file(reader: Reader) -> None:
    """fio's own file names no host; an entered host is stored."""
    first = reader.upload(sysbench("ip-10-0-0-7"), "iostat.txt")
    [reading] = first["readings"]
    assert reading["host"]["name"] == "ip-10-0-0-7"
    assert reading["guess"]["instance"] == {"value": None, "why": None}
    assert reader.keep(first, {"instance": "i3.8xlarge", "region": "us-east-1"}).status_code == 200
    second = reader.upload(sysbench("ip-10-0-0-7", "11/22/2026"), "iostat.txt")
    guess = second["readings"][0]["guess"]
    assert (guess["instance"]["value"], guess["region"]["value"]) == ("i3.8xlarge", "us-east-1")
    assert "ip-10-0-0-7" in guess["instance"]["why"]
    assert second["readings"][0]["judgement"] is not None


def network(mb_per_s: float, at: datetime) -> bytes:
    """Return NetBench's document of a pair."""
    document = {
        "stowage": "netbench",
        "version": 1,
        "name": "a pair",
        "started_at": at.isoformat(),
        "duration_s": 60,
        "result": {"network_mb_per_s": mb_per_s},
    }
    return json.dumps(document).encode()


def test_what_is_far_from_what_the_team_measured_before_says_so_before_and_after_it_is_kept(
    reader: Reader, client: TestClient
) -> None:
    pair = {"instance": "c5.9xlarge", "region": "us-east-1", "nodes": 2, "placement_group": True}
    began = datetime(2026, 11, 1, 9, tzinfo=UTC)

    def codes(judgement: dict[str, Any]) -> list[str]:
        return [reason["code"] for reason in judgement["reasons"]]

    def judged(upload: dict[str, Any]) -> list[str]:
        answer = client.post(f"/api/v1/uploads/{upload['id']}/judge", json={"position": 0, "target": pair})
        assert answer.status_code == 200, answer.text
        return codes(answer.json())

    slow = reader.upload(network(500.0, began + timedelta(days=9)), "slow.json")
    assert "far-from-before" not in judged(slow)
    for day in range(6):
        reader.kept(network(1_000.0 + day, began + timedelta(days=day)), pair, "net.json")
    assert "far-from-before" in judged(slow)
    usual = reader.upload(network(1_010.0, began + timedelta(days=8)), "usual.json")
    assert "far-from-before" not in judged(usual)
    [measurement_id] = reader.keep(slow, pair).json()["measurements"]
    kept = client.get(f"/api/v1/measurements/{measurement_id}").json()
    assert "far-from-before" in codes(kept["judgement"])


def sysbench(host: str, day: str = "11/21/2026") -> bytes:
    """Return what iostat prints of a machine with one device, in the format of sysstat 12.6."""
    return (
        f"Linux 6.1.0-28-amd64 ({host}) \t{day} \t_x86_64_\t(32 CPU)\n\n"
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        "           1.00    0.00    2.00    3.00    0.00   94.00\n\n"
        "Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd\n"
        "nvme0n1         100.00       400.00       200.00         0.00      40000      20000          0\n\n\n"
    ).encode()


def test_a_person_says_otherwise_and_both_stay_to_be_read(reader: Reader) -> None:
    [measurement_id] = reader.kept(FIO)
    said = reader.client.post(
        f"/api/v1/measurements/{measurement_id}/verdicts", json={"verdict": "rejected", "reason": "Page cache."}
    )
    assert said.status_code == 201, said.text
    measurement = reader.client.get(f"/api/v1/measurements/{measurement_id}").json()
    ours = measurement["judgement"]["verdict"]
    assert measurement["verdict"] == "rejected"
    [verdict] = measurement["verdicts"]
    assert (verdict["verdict"], verdict["reason"]) == ("rejected", "Page cache.")
    assert verdict["person"].startswith("Owner ")
    again = {"verdict": "good", "reason": "It was not."}
    measurement = reader.client.post(f"/api/v1/measurements/{measurement_id}/verdicts", json=again).json()
    assert (measurement["verdict"], measurement["judgement"]["verdict"]) == ("good", ours)
    assert [each["verdict"] for each in measurement["verdicts"]] == ["good", "rejected"]
    listed = reader.client.get("/api/v1/measurements", params={"verdict": "good"}).json()["measurements"]
    assert [each["id"] for each in listed] == [measurement_id]
    record = reader.client.get("/api/v1/audit").json()["events"]
    assert [each["action"] for each in record[:3]] == ["verdict.insert", "verdict.insert", "upload.update"]
    assert "called a measurement good: It was not." in record[0]["sentence"]
    for empty in ("", "  ", "\0"):
        answer = reader.client.post(
            f"/api/v1/measurements/{measurement_id}/verdicts", json={"verdict": "good", "reason": empty}
        )
        assert answer.status_code == 422


def test_a_token_keeps_the_name_of_the_person_whom_it_acts_for(
    reader: Reader, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    [measurement_id] = reader.kept(FIO)
    headers = {"Authorization": f"Bearer {token_of(gate, org_id, ['measure'])}"}
    path = f"/api/v1/measurements/{measurement_id}/verdicts"
    said = anonymous.post(path, json={"verdict": "doubtful", "reason": "By a program."}, headers=headers)
    assert said.status_code == 201, said.text
    assert said.json()["verdicts"][0]["person"].startswith("Owner ")


def test_a_list_is_searched_filtered_and_paged(reader: Reader) -> None:
    kept = [
        reader.kept(fio(f"{name} run", iops=1_000.0 + number))[0]
        for number, name in enumerate(("first", "second", "third"))
    ]
    reader.kept(sysbench("host"), {"instance": "r5.large", "region": "eu-west-1"}, "iostat.txt")
    for query, count in (
        ({"tool": "fio"}, 3),
        ({"tool": "iostat"}, 1),
        ({"instance": "r5.large"}, 1),
        ({"search": "run second"}, 1),
        ({"search": "eu-west-1"}, 1),
        ({"search": "gp3"}, 0),
        ({"upload": str(uuid4())}, 0),
    ):
        assert len(reader.client.get("/api/v1/measurements", params=query).json()["measurements"]) == count, query
    first = reader.client.get("/api/v1/measurements", params={"tool": "fio", "limit": 2}).json()
    rest = reader.client.get(
        "/api/v1/measurements", params={"tool": "fio", "limit": 2, "cursor": first["next_cursor"]}
    ).json()
    assert [each["id"] for each in (*first["measurements"], *rest["measurements"])] == kept[::-1]
    assert rest["next_cursor"] is None
    assert first["measurements"][0]["headline"][0]["name"] == "read_mb_per_s"


def test_readings_that_are_not_kept_are_not_and_at_least_one_must_be(reader: Reader) -> None:
    upload = reader.upload(FIO + b"\n" + fio("second"))
    assert [each["name"] for each in upload["readings"]] == ["randread", "second"]
    path = f"/api/v1/uploads/{upload['id']}/keep"
    nothing = [{"position": position, "target": {}, "keep": False} for position in range(2)]
    assert reader.client.post(path, json={"readings": nothing}).status_code == 422
    twice = [{"position": 0, "target": DISK}, {"position": 0, "target": DISK}]
    assert reader.client.post(path, json={"readings": twice}).json()["errors"][0]["path"] == "readings.1.position"
    beyond = [{"position": 2, "target": DISK}]
    assert reader.client.post(path, json={"readings": beyond}).json()["errors"][0]["path"] == "readings.0.position"
    one = [nothing[0], {"position": 1, "target": DISK}]
    [kept] = reader.client.post(path, json={"readings": one}).json()["measurements"]
    assert reader.client.get(f"/api/v1/measurements/{kept}").json()["name"] == "second"
    # A client that did not receive the answer retries.
    assert reader.client.post(path, json={"readings": one}).json()["measurements"] == [kept]


def test_an_upload_begun_twice_under_one_key_is_one(client: TestClient) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    begun = [client.post("/api/v1/uploads", json={"name": "a", "size_bytes": 1}, headers=key) for _ in range(2)]
    assert [each.json()["id"] for each in begun] == [key["Idempotency-Key"]] * 2
    assert len(client.get("/api/v1/uploads").json()["uploads"]) == 1


def test_an_upload_that_is_taken_back_leaves_nothing(reader: Reader, postgres: DatabaseUrls, org_id: UUID) -> None:
    upload = reader.upload(FIO)
    assert reader.client.delete(f"/api/v1/uploads/{upload['id']}").status_code == 204
    for table in ("upload", "upload_piece", "upload_reading", "upload_job", "upload_problem", "job", "job_part"):
        assert rows(postgres, table, org_id) == 0, table
    assert reader.client.delete(f"/api/v1/uploads/{upload['id']}").status_code == 404


def test_what_was_kept_is_not_taken_back(reader: Reader) -> None:
    [measurement_id] = reader.kept(FIO)
    upload_id = reader.client.get(f"/api/v1/measurements/{measurement_id}").json()["upload_id"]
    answer = reader.client.delete(f"/api/v1/uploads/{upload_id}")
    assert (answer.status_code, answer.json()["title"]) == (409, "Not possible now")
    assert send_piece(reader.client, upload_id, 0, FIO).status_code == 409
    assert reader.client.post(f"/api/v1/uploads/{upload_id}/read").status_code == 409
    assert reader.client.get(f"/api/v1/uploads/{upload_id}/file").content == FIO


def test_an_unsaved_upload_is_deleted_after_a_day(
    reader: Reader, database: Database, postgres: DatabaseUrls, org_id: UUID
) -> None:
    reader.upload(FIO)
    [kept] = reader.kept(fio("kept"))
    tomorrow = datetime.now(UTC) + timedelta(hours=24, minutes=1)
    assert uploads.list_uploads(database, org_id, tomorrow).uploads == []
    with database.transaction(org_id) as connection:
        assert store.purge(connection, tomorrow) == 1
    assert rows(postgres, "upload", org_id) == rows(postgres, "upload_piece", org_id) == 1
    assert reader.client.get(f"/api/v1/measurements/{kept}").status_code == 200


def test_a_team_has_so_much_that_waits_and_so_much_that_is_kept(
    client: TestClient, gate: Database, org_id: UUID
) -> None:
    def begin(size: int) -> str:
        answer = client.post("/api/v1/uploads", json={"name": "a", "size_bytes": size})
        return answer.json()["quota"]["name"] if answer.status_code == 403 else str(answer.status_code)

    assert begin(LARGEST_UPLOAD_BYTES + 1) == "422"
    set_quota(gate, str(org_id), "upload-bytes", 100)
    assert [begin(60), begin(60), begin(40)] == ["201", "upload-bytes", "201"]
    set_quota(gate, str(org_id), "upload-bytes", 1_000)
    set_quota(gate, str(org_id), "storage-bytes", 150)
    assert [begin(60), begin(40)] == ["storage-bytes", "201"]
    set_quota(gate, str(org_id), "uploads", 4)
    set_quota(gate, str(org_id), "storage-bytes", 1_000)
    assert [begin(1), begin(1)] == ["201", "uploads"]


def test_concurrent_uploads_stay_within_the_quota(client: TestClient, gate: Database, org_id: UUID) -> None:
    set_quota(gate, str(org_id), "upload-bytes", 100)
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: client.post("/api/v1/uploads", json={"name": "a", "size_bytes": 30}), range(8))
        )
    assert sorted(each.status_code for each in answers) == [201] * 3 + [403] * 5


def test_kept_by_two_at_once_it_is_kept_once(reader: Reader, postgres: DatabaseUrls, org_id: UUID) -> None:
    upload, same = reader.upload(FIO), reader.upload(FIO, "same.json")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(reader.keep, (upload, same, upload, same)))
    assert {each.status_code for each in answers} <= {200, 404}
    assert rows(postgres, "measurement", org_id) == 1
    assert rows(postgres, "upload", org_id) == 1


def test_the_pieces_of_a_refused_file_are_gone_and_its_reason_is_there(
    reader: Reader, postgres: DatabaseUrls, org_id: UUID
) -> None:
    upload = reader.upload(b"Remember the milk.\n", "fio.json")
    assert upload["state"] == "refused"
    assert "Remember the milk" in upload["problem"]
    assert upload["readings"] == upload["problems"] == []
    for table in ("upload_piece", "upload_reading", "upload_job", "upload_problem"):
        assert rows(postgres, table, org_id) == 0
    assert reader.client.get(f"/api/v1/uploads/{upload['id']}/file").status_code == 409
    assert reader.keep(upload | {"readings": [{"position": 0}]}).status_code == 409
    assert reader.client.post(f"/api/v1/uploads/{upload['id']}/read").status_code == 409


def test_another_team_finds_nothing_of_it(reader: Reader, other_client: TestClient) -> None:
    [measurement_id] = reader.kept(FIO)
    upload = reader.upload(fio("waiting"))
    for path in (f"uploads/{upload['id']}", f"uploads/{upload['id']}/file", f"measurements/{measurement_id}"):
        assert other_client.get(f"/api/v1/{path}").status_code == 404
    assert other_client.get("/api/v1/measurements").json()["measurements"] == []
    assert other_client.get("/api/v1/uploads").json()["uploads"] == []
    assert send_piece(other_client, upload["id"], 0, FIO).status_code == 404
    assert send(other_client, FIO)["readings_total"] == 0
