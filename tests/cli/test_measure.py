"""`stowage measure`: results of parsing on this machine, and what a service stores of them."""

import json
import zipfile
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from process import Running, stowage
from stowage.measure.seeds import SEEDS

FILES = Path(__file__).resolve().parents[1] / "measure" / "files"
DFSIO = FILES / "testdfsio" / "hadoop-2.log"
MEMTIER = FILES / "memtier" / "memtier.json"
OF = ("--instance", "i4i.4xlarge", "--region", "us-east-1")
ON = ("--storage", "1 own disk")


def understood(*arguments: str | Path) -> dict[str, Any]:
    told = stowage("measure", "--dry-run", "--json", *(str(each) for each in arguments), settings={})
    assert told.returncode == 0, told.stderr
    assert told.stderr == ""
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def figures(measurement: dict[str, Any]) -> dict[str, tuple[float, str]]:
    return {metric["name"]: (metric["value"], metric["unit"]) for metric in measurement["metrics"]}


def test_a_dry_run_needs_no_service_and_says_what_was_understood() -> None:
    found = understood(DFSIO, MEMTIER, *OF, *ON)
    assert found["problems"] == []
    assert [each["tool"] for each in found["measurements"]] == ["testdfsio", "testdfsio", "memtier_benchmark"]
    written = found["measurements"][0]
    assert written["file"] == "hadoop-2.log"
    assert written["status"] == "ok"
    assert written["target"] == "i4i.4xlarge, 1 own disk, us-east-1"
    assert written["missing"] == []
    # 600 mb/sec in the tool's words, which counts MiB.
    assert figures(written)["task_mb_per_s"] == (600 * 1.048576, "MB/s")
    assert written["metrics"][0].keys() == {"name", "value", "unit", "told"}


def test_what_is_not_said_is_named_and_what_is_nonsense_is_refused() -> None:
    assert understood(DFSIO)["measurements"][0]["missing"] == ["instance", "region", "storage"]
    for option, value, words in (
        ("--storage", "gp3 500 MB", "storage: 'gp3 500 MB' is not"),
        ("--instance", "i4i.99xlarge", "instance: i4i.99xlarge is no type of the catalog"),
        ("--region", "mars-1", "region"),
        ("--zone", "us-east-1a", "zone: 'us-east-1a' is not"),
    ):
        told = stowage("measure", "--dry-run", str(DFSIO), option, value, settings={})
        assert told.returncode == 2, (option, told.stdout)
        assert words in told.stderr


def test_a_file_that_nothing_was_understood_of_is_exit_2_and_the_others_are_read(tmp_path: Path) -> None:
    strange = tmp_path / "strange.json"
    strange.write_text("unknown content\n")
    told = stowage("measure", "--dry-run", "--json", str(strange), str(MEMTIER), settings={})
    assert told.returncode == 2
    found = json.loads(told.stdout)
    assert [each["tool"] for each in found["measurements"]] == ["memtier_benchmark"]
    assert found["problems"][0]["file"] == "strange.json"
    assert found["problems"][0]["line"] == 1
    assert "fio" in found["problems"][0]["message"]


def test_a_log_of_finished_jobs_is_named_with_the_command_that_reads_it() -> None:
    log = FILES.parent / "event_logs" / "3.5.7-sort.jsonl"
    found = stowage("measure", "--dry-run", "--json", str(log), settings={})
    assert found.returncode == 2
    answer = json.loads(found.stdout)
    assert (answer["measurements"], answer["not_understood"]) == ([], [log.name])
    assert "`stowage finished-jobs` reads it" in answer["problems"][0]["message"]


def test_archives_and_pipes_are_read_as_files_are(tmp_path: Path) -> None:
    packed = tmp_path / "packed.bin"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(DFSIO, "runs/dfsio.log")
        archive.write(MEMTIER, "runs/redis.json")
    files = [each["file"] for each in understood(packed)["measurements"]]
    assert files == ["packed.bin:runs/dfsio.log"] * 2 + ["packed.bin:runs/redis.json"]
    told = stowage("measure", "--dry-run", "--json", "-", settings={}, input=MEMTIER.read_text())
    assert told.returncode == 0, told.stderr
    assert [each["file"] for each in json.loads(told.stdout)["measurements"]] == ["standard input"]


def test_an_archive_that_leads_out_of_itself_leaves_nothing(tmp_path: Path) -> None:
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(DFSIO, "dfsio.log")
        archive.writestr("../../etc/passwd", MEMTIER.read_text())
    told = stowage("measure", "--dry-run", "--json", str(packed), settings={})
    assert told.returncode == 2
    found = json.loads(told.stdout)
    assert found["measurements"] == []
    assert ".." in found["problems"][0]["message"]


def test_files_of_one_name_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    packed = tmp_path / "b" / DFSIO.name
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../out", "")
    told = stowage("measure", "--dry-run", "--json", str(DFSIO), str(packed), settings={})
    assert told.returncode == 2
    found = json.loads(told.stdout)
    assert len(found["measurements"]) == 2
    assert found["not_understood"] == [DFSIO.name]


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_what_was_published_comes_in_by_the_same_door(seed: Any, tmp_path: Path) -> None:
    path = tmp_path / seed.name
    with seed.open() as file:
        path.write_bytes(file.read())
    found = understood(path)
    assert found["problems"] == []
    assert found["measurements"]


@pytest.fixture(scope="module")
def here(up: Running, client: httpx.Client) -> dict[str, str]:
    made = client.post("/api/v1/tokens", json={"name": "of a test", "scopes": ["measure"]})
    assert made.status_code == 201, made.text
    return {**up.settings, "STOWAGE_URL": up.address, "STOWAGE_TOKEN": str(made.json()["secret"])}


def test_what_is_uploaded_is_kept_once_and_can_be_had_again(client: httpx.Client, here: dict[str, str]) -> None:
    told = stowage("measure", str(DFSIO), *OF, *ON, settings=here)
    assert told.returncode == 0, told.stderr
    assert "2 measurements kept" in told.stdout
    kept = client.get("/api/v1/measurements").json()["measurements"]
    assert {each["tool"] for each in kept} == {"testdfsio"}
    one = client.get(f"/api/v1/measurements/{kept[0]['id']}").json()
    assert client.get(f"/api/v1/uploads/{one['upload_id']}/file").content == DFSIO.read_bytes()
    again = stowage("measure", str(DFSIO), *OF, *ON, "--json", settings=here)
    assert again.returncode == 0, again.stderr
    (upload,) = json.loads(again.stdout)["uploads"]
    assert upload["measurements"] == []
    assert upload["known"] == 2


def test_what_lacks_something_waits_where_it_can_be_completed(client: httpx.Client, here: dict[str, str]) -> None:
    told = stowage("measure", str(FILES / "fio" / "normal.txt"), settings=here)
    assert told.returncode == 2
    assert "--instance, --region, --storage" in told.stdout
    waiting = client.get("/api/v1/uploads").json()["uploads"]
    assert [each["name"] for each in waiting if each["state"] == "read"] == ["normal.txt"]
    assert f"/benchmarks/upload/{waiting[0]['id']}" in told.stdout.replace("\n", "")


def test_what_the_service_refuses_is_told_and_nothing_is_kept(client: httpx.Client, here: dict[str, str]) -> None:
    before = client.get("/api/v1/measurements").json()
    told = stowage("measure", str(Path(__file__)), settings=here)
    assert told.returncode == 2
    assert "No tool is known that writes" in told.stderr
    assert client.get("/api/v1/measurements").json() == before
    told = stowage("measure", str(DFSIO), settings={**here, "STOWAGE_TOKEN": "wrong"})
    assert told.returncode == 2
    assert "stowage login" in told.stderr
