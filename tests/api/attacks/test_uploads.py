"""Hostile uploads: refused with a reason, with nothing stored, and the service keeps running."""

import gzip
import io
import json
import random
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
import zstandard
from fastapi.testclient import TestClient

from database import superuser
from soaking import everyday
from stowage.features.measurements import upload_reading
from stowage.features.measurements.store.uploads import PIECE_BYTES
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import Queue
from uploading import DISK, FIO, Reader, fio, send, send_piece

LEFT = ("upload_piece", "upload_reading", "upload_job", "upload_problem", "measurement", "profile_set")


@pytest.fixture
def reader(client: TestClient, database: Database, queue: Queue, org_id: UUID) -> Reader:
    return Reader(client, database, queue, org_id)


def left(postgres: DatabaseUrls, org_id: UUID) -> dict[str, int]:
    found = {}
    with superuser(postgres) as connection:
        for table in LEFT:
            row = connection.execute(f"SELECT count(*) FROM {table} WHERE org_id = %s", [org_id]).fetchone()
            found[table] = 0 if row is None else int(row[0])
    return found


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in members:
            archive.writestr(path, content)
    return packed.getvalue()


def tarred(member: tarfile.TarInfo, content: bytes = b"") -> bytes:
    packed = io.BytesIO()
    member.size = len(content)
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def link(path: str, to: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.type, member.linkname = tarfile.SYMTYPE, to
    return member


def overlapping() -> bytes:
    """Return a zip whose directory refers to the same bytes many times."""
    packed = bytearray(zipped(*((f"{number}.json", FIO) for number in range(40))))
    archive = zipfile.ZipFile(io.BytesIO(packed))
    first = archive.infolist()[0].header_offset
    at = archive.start_dir
    for _ in archive.infolist():
        packed[at + 42 : at + 46] = first.to_bytes(4, "little")
        # Far more than the file contains.
        packed[at + 20 : at + 24] = (1 << 20).to_bytes(4, "little")
        name, extra, comment = (int.from_bytes(packed[at + place : at + place + 2], "little") for place in (28, 30, 32))
        at += 46 + name + extra + comment
    return bytes(packed)


BOMB = FIO + b"\0" * (64 << 20)
REFUSED = {
    "a zip bomb": (zipped(("fio.json", BOMB)), "expands more than 200-fold"),
    "a gzip bomb": (gzip.compress(BOMB), "expands more than 200-fold"),
    "a zstd bomb": (zstandard.ZstdCompressor().compress(BOMB), "expands more than 200-fold"),
    "a zip that names its bytes twice": (overlapping(), "overlap"),
    "a way out of a zip": (zipped(("../../etc/cron.d/fio", FIO)), "leads out of it"),
    "a way out of a zip for Windows": (zipped(("..\\..\\fio.json", FIO)), "leads out of it"),
    "an absolute path": (zipped(("/etc/passwd", FIO)), "leads out of it"),
    "a drive": (zipped(("C:\\fio.json", FIO)), "leads out of it"),
    "a line break in a path": (zipped(("fio\n.json", FIO)), "control characters"),
    "a way out of a tar": (tarred(tarfile.TarInfo("../fio.json"), FIO), "leads out of it"),
    "a link in a tar": (tarred(link("fio.json", "/etc/passwd")), "link"),
    "an archive in an archive": (zipped(("inner.zip", zipped(("fio.json", FIO)))), "inside an archive"),
    "too many members": (zipped(*((f"{number}", b"") for number in range(1_001))), "at most 1,000"),
    "half a zip": (zipped(("fio.json", FIO))[:-40], "damaged or cut off"),
    "half a gzip": (gzip.compress(FIO)[:-20], "ends in the middle"),
    "a gzip with a wrong byte": (
        gzip.compress(FIO)[:-8] + b"\0" * 8,
        "damaged",
    ),
    "an archive of another kind": (b"7z\xbc\xaf\x27\x1c" + bytes(100), "7z archive"),
    "nothing but blanks": (b" \n" * 1_000, "empty"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + random.Random(8).randbytes(5_000), "No tool is known"),  # noqa: S311
    "a program": (b"\x7fELF" + random.Random(8).randbytes(5_000), "No tool is known"),  # noqa: S311
    "a page": (b"<html><script>alert(1)</script></html>", "No tool is known"),
    "a million brackets": (b"[" * 1_000_000, ""),
    "a million brackets in fio's file": (FIO[:-3] + b', "x": ' + b"[" * 1_000_000, ""),
    "a number that is none": (FIO.replace(b'"jobs"', b'"jobs" : NaN, "x"', 1), ""),
}


REFUSED_EVERYDAY = (
    *("a zip bomb", "a zstd bomb", "a way out of a zip", "a line break in a path", "a link in a tar"),
    *("half a gzip", "a picture", "a million brackets", "a number that is none"),
)
"""Each way to refuse a file; `tests/measure/test_archive.py` has all archives every day, without the service."""


@pytest.mark.parametrize("name", everyday(REFUSED_EVERYDAY, REFUSED, "fuzz"))
def test_it_is_refused_in_words_and_nothing_of_it_stays(
    reader: Reader, postgres: DatabaseUrls, org_id: UUID, name: str
) -> None:
    content, words = REFUSED[name]
    upload = reader.upload(content, "fio.json")
    if upload["state"] == "read":
        # A file that is broken in the middle may be listed as broken, but never as a result.
        assert words == ""
        assert {each["status"] for each in upload["readings"]} <= {"partial", "failed"}
        assert all(each["failure"] for each in upload["readings"])
        return
    assert (upload["state"], upload["job"]["state"]) == ("refused", "done"), upload
    assert words in upload["problem"]
    assert upload["problem"].isprintable()
    assert left(postgres, org_id) == dict.fromkeys(LEFT, 0)


def test_after_one_that_was_refused_a_good_one_is_read(reader: Reader) -> None:
    assert reader.upload(REFUSED["a zip bomb"][0])["state"] == "refused"
    assert reader.upload(FIO)["state"] == "read"


@pytest.mark.parametrize(
    "digits", everyday(("1e309", "NaN"), ("1e309", "-1e309", "NaN", "Infinity", "1" * 400), "fuzz")
)
def test_a_number_that_no_float_holds_is_no_result(reader: Reader, digits: str) -> None:
    broken = FIO.replace(b'"bw_bytes" : ', f'"bw_bytes" : {digits}, "was" : '.encode(), 1)
    assert broken != FIO
    upload = reader.upload(broken)
    if upload["state"] == "refused":
        return
    for reading in upload["readings"]:
        assert not (reading["status"] == "ok" and any(m["name"] == "read_mb_per_s" for m in reading["metrics"]))


@pytest.mark.parametrize("share", everyday((0.5,), (0.1, 0.5, 0.9, 0.99), "fuzz"))
def test_half_a_file_is_no_result(reader: Reader, share: float) -> None:
    upload = reader.upload(FIO[: int(len(FIO) * share)])
    if upload["state"] == "refused":
        assert upload["problem"]
    assert all(each["status"] != "ok" for each in upload["readings"])


NAMES = ("fio.csv", "fio.zip", "fio", "a.tar.gz", "..", "../../x", "fio.json.exe", "結果.json")


@pytest.mark.parametrize("name", everyday(("fio.zip", "../../x", "結果.json"), NAMES, "fuzz"))
def test_what_it_is_called_changes_nothing(reader: Reader, name: str) -> None:
    upload = reader.upload(FIO, name)
    assert (upload["state"], upload["name"], len(upload["readings"])) == ("read", name, 1)
    answer = reader.client.get(f"/api/v1/uploads/{upload['id']}/file")
    assert answer.content == FIO
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''")


@pytest.mark.parametrize("name", ["", "a\nb", "a\0b", "x" * 201, "a\x1b[2J"])
def test_a_name_that_cannot_be_shown_is_refused(client: TestClient, name: str) -> None:
    answer = client.post("/api/v1/uploads", json={"name": name, "size_bytes": 1})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "name")


@pytest.mark.parametrize("size", [0, -1, 2**60, 1.5, "1", None])
def test_a_size_that_cannot_be_is_refused(client: TestClient, size: object) -> None:
    answer = client.post("/api/v1/uploads", json={"name": "a", "size_bytes": size})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "size_bytes")


def test_text_that_the_database_would_not_take_is_kept_as_far_as_it_can_be(reader: Reader) -> None:
    document = json.loads(FIO)
    document["jobs"][0]["jobname"] = "nul \0 and half a pair \ud800"
    document["jobs"][0]["job options"]["filename"] = "x" * 100_000
    upload = reader.upload(json.dumps(document).encode())
    assert upload["state"] == "read", upload["problem"]
    assert reader.keep(upload).status_code == 200


def test_pieces_are_of_their_size_in_their_place_and_before_it_is_read(reader: Reader) -> None:
    content = FIO + b" " * PIECE_BYTES
    begun = reader.client.post("/api/v1/uploads", json={"name": "a", "size_bytes": len(content)}).json()
    first, last = content[:PIECE_BYTES], content[PIECE_BYTES:]
    for number, piece, status in (
        (0, first[:-1], 422),
        (0, first + b"x", 422),
        (0, b"", 422),
        (1, last + b"x", 422),
        (1, first, 422),
        (2, last, 422),
        (10**7, last, 422),
        (0, first, 200),
        (0, b"x" * PIECE_BYTES, 409),
        (1, last, 200),
    ):
        answer = send_piece(reader.client, begun["id"], number, piece)
        assert answer.status_code == status, (number, len(piece), answer.text)
    too_large = send_piece(reader.client, begun["id"], 0, b"x" * (3 * PIECE_BYTES))
    assert (too_large.status_code, too_large.json()["title"]) == (413, "Too large")
    reader.work(reader.client.post(f"/api/v1/uploads/{begun['id']}/read").json()["job"]["id"])
    assert send_piece(reader.client, begun["id"], 1, last).status_code == 409
    assert reader.look(begun["id"])["state"] == "read"


def test_what_is_not_whole_is_not_read_kept_or_given(reader: Reader) -> None:
    begun = reader.client.post("/api/v1/uploads", json={"name": "a", "size_bytes": len(FIO) + PIECE_BYTES}).json()
    assert send_piece(reader.client, begun["id"], 0, (FIO + bytes(PIECE_BYTES))[:PIECE_BYTES]).status_code == 200
    path = f"/api/v1/uploads/{begun['id']}"
    assert reader.client.post(f"{path}/read").status_code == 409
    assert reader.client.get(f"{path}/file").status_code == 409
    keeping = {"readings": [{"position": 0, "target": DISK}]}
    assert reader.client.post(f"{path}/keep", json=keeping).status_code == 409


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("application/json", b'"%s"' % (b"a" * 10)), ("application/json", b"[1]"), ("application/json", b"{")],
)
def test_a_piece_that_is_sent_as_json_is_not_taken_for_its_bytes(
    client: TestClient, content_type: str, body: bytes
) -> None:
    begun = client.post("/api/v1/uploads", json={"name": "a", "size_bytes": 10}).json()
    path = f"/api/v1/uploads/{begun['id']}/pieces/0"
    answer = client.put(path, content=body, headers={"Content-Type": content_type})
    assert answer.status_code == 422
    assert client.get(f"/api/v1/uploads/{begun['id']}").json()["received_bytes"] == 0


def test_the_same_piece_from_many_at_once_is_counted_once(client: TestClient) -> None:
    begun = client.post("/api/v1/uploads", json={"name": "a", "size_bytes": len(FIO)}).json()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: send_piece(client, begun["id"], 0, FIO), range(8)))
    assert {each.status_code for each in answers} == {200}
    assert client.get(f"/api/v1/uploads/{begun['id']}").json()["received_bytes"] == len(FIO)


@pytest.mark.parametrize("times", everyday((2,), (2, 10), "fuzz"))
def test_read_taken_back_and_kept_at_once_it_is_one_of_them(
    reader: Reader, postgres: DatabaseUrls, org_id: UUID, times: int
) -> None:
    for seed in range(times):
        upload = reader.upload(fio(f"run {seed}"))
        path = f"/api/v1/uploads/{upload['id']}"
        with ThreadPoolExecutor(3) as pool:
            keeping = pool.submit(reader.keep, upload)
            removing = pool.submit(reader.client.delete, path)
            reading = pool.submit(reader.client.post, f"{path}/read")
        statuses = keeping.result().status_code, removing.result().status_code
        assert statuses in {(200, 409), (404, 204)}, statuses
        assert reading.result().status_code in {200, 404, 409}
    counts = left(postgres, org_id)
    assert counts["measurement"] == counts["upload_piece"]
    assert counts["upload_reading"] == 0


def test_started_by_many_at_once_it_is_read_by_one_job(reader: Reader, postgres: DatabaseUrls, org_id: UUID) -> None:
    upload = send(reader.client, FIO)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: reader.client.post(f"/api/v1/uploads/{upload['id']}/read"), range(6)))
    assert len({each.json()["job"]["id"] for each in answers}) == 1
    with superuser(postgres) as connection:
        row = connection.execute("SELECT count(*) FROM job WHERE org_id = %s", [org_id]).fetchone()
    assert row == (1,)


def test_a_file_of_too_many_measurements_is_refused(
    reader: Reader, postgres: DatabaseUrls, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_reading, "MOST_READINGS", 3)
    monkeypatch.setattr(upload_reading, "_BATCH_BYTES", 1)
    upload = reader.upload(b"\n".join(fio(f"run {number}") for number in range(5)))
    assert (upload["state"], left(postgres, org_id)) == ("refused", dict.fromkeys(LEFT, 0))
    assert "more than 3 measurements" in upload["problem"]


def test_another_teams_upload_and_measurement_are_not_there(reader: Reader, other_client: TestClient) -> None:
    upload = reader.upload(FIO)
    [measurement_id] = reader.kept(fio("kept"))
    path = f"/api/v1/uploads/{upload['id']}"
    keeping = {"readings": [{"position": 0, "target": DISK}]}
    said = {"verdict": "rejected", "reason": "Not ours."}
    for answer in (
        other_client.get(path),
        other_client.get(f"{path}/file"),
        other_client.post(f"{path}/read"),
        other_client.post(f"{path}/judge", json={"position": 0, "target": DISK}),
        other_client.post(f"{path}/keep", json=keeping),
        other_client.delete(path),
        send_piece(other_client, upload["id"], 0, FIO),
        other_client.get(f"/api/v1/measurements/{measurement_id}"),
        other_client.post(f"/api/v1/measurements/{measurement_id}/verdicts", json=said),
    ):
        assert (answer.status_code, answer.json()["title"]) == (404, "Not found")
    assert reader.look(upload["id"])["state"] == "read"
