"""`stowage calibrate`, and predictions with its result, as a user runs them."""

import csv
import gzip
import json
import zipfile
from pathlib import Path

import pytest

from commands import stowage

ROOT = Path(__file__).resolve().parents[2]
RUNS = """name,job,framework,instance,nodes,data,input_output,measured_s
first,sort,ours,i2.8xlarge,2,500 GB,instance-store,560
second,sort,ours,i2.8xlarge,4,1 TB,instance-store 4+4,580
third,sort,ours,i2.8xlarge,8,2 TB,instance-store,600
fourth,sort,ours,i2.8xlarge,16,4 TB,instance-store,10 min
fifth,sort,ours,i2.8xlarge,10,1 TB,instance-store,300
sixth,sort,ours,i2.8xlarge,ten,1 TB,instance-store,300
"""
WORKLOAD = "workload: {data: 25 TB}\ncluster: {instance: i2.8xlarge, nodes: 100}\n"


def test_finished_jobs_teach_predictions(tmp_path: Path) -> None:
    runs, workload = tmp_path / "runs.csv", tmp_path / "workload.yaml"
    runs.write_text(RUNS)
    workload.write_text(WORKLOAD)
    found = stowage("calibrate", str(runs), "--json")
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert [row["name"] for row in answer["leave_one_out"]] == ["first", "second", "third", "fourth", "fifth"]
    assert all(
        row["error_pct"] == 100.0 * (row["predicted_s"] / row["measured_s"] - 1.0) for row in answer["leave_one_out"]
    )
    assert {row["name"] for row in answer["coefficients"]} >= {"network_efficiency", "start_up_s", "per_node_s"}
    assert answer["problems"] == [
        {"line": 7, "message": "nodes is 'ten'; accepted: a whole number from 1 to 10,000,000"}
    ]
    calibration = tmp_path / "calibration.json"
    calibration.write_text(found.stdout)
    bound = WORKLOAD.replace("25 TB", "25 TB, framework: ideal")
    before = json.loads(stowage("predict", "-", "--json", stdin=bound).stdout)
    after = json.loads(stowage("predict", str(workload), "--calibration", str(calibration), "--json").stdout)
    assert after["time_s"]["p50"] > 1.2 * before["time_s"]["p50"]
    assert after["phases"][-1]["bottleneck"] == "framework"


def test_people_read_the_same(tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text(RUNS)
    shown = stowage("calibrate", str(runs)).stdout
    assert "5 finished jobs on 2 to 16 nodes" in " ".join(shown.split())
    assert "80 nodes are 5 times as many as the largest run had (16)" in " ".join(shown.split())
    assert "What teaches most:" in shown
    assert "line 7: nodes is 'ten'" in " ".join(shown.split())


def test_bad_files_are_refused_with_status_2(tmp_path: Path) -> None:
    assert stowage("calibrate", "-", stdin="").returncode == 2
    assert stowage("calibrate", "-", "--json", stdin="name,job\n").returncode == 2
    assert stowage("calibrate", str(tmp_path / "none.csv")).returncode == 2
    refused = stowage("predict", "examples/evaluation-2io.yaml", "--calibration", "README.md", "--json")
    assert refused.returncode == 2
    assert json.loads(refused.stdout)["errors"][0]["path"] == "--calibration"


@pytest.mark.parametrize(
    ("framework", "instead"),
    [
        ("ray", "because there is one published job of it only"),
        ("hdfs", "because there is a profile of its clients, hadoop-dfsio"),
    ],
)
def test_an_uncalibrated_framework_is_refused(framework: str, instead: str) -> None:
    refused = stowage("predict", "-", "--json", stdin=WORKLOAD.replace("25 TB", f"25 TB, framework: {framework}"))
    assert refused.returncode == 2
    assert f"'{framework}' is not offered, {instead}" in refused.stdout


def test_event_logs_of_spark_become_runs_that_calibrate_reads(tmp_path: Path) -> None:
    logs = ROOT / "tests" / "measure" / "event_logs"
    where = ("--instance", "i3.2xlarge", "--input-output", "instance-store")
    written = stowage("finished-jobs", *(str(log) for log in sorted(logs.iterdir())), *where)
    assert written.returncode == 0, written.stderr
    runs = tmp_path / "runs.csv"
    runs.write_text(written.stdout)
    found = json.loads(stowage("calibrate", str(runs), "--json").stdout)
    assert [row["framework"] for row in found["leave_one_out"]] == ["spark"] * 4
    assert {row["measured_s"] < 20.0 for row in found["leave_one_out"]} == {True}


def test_a_rolled_log_is_read_as_its_folder_and_as_the_history_servers_zip(tmp_path: Path) -> None:
    packed = ROOT / "tests" / "measure" / "files" / "history_server" / "4.0.1-logs.zip"
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path)
    [folder] = tmp_path.iterdir()
    (folder / f".{folder.name}.crc").write_bytes(b"crc")
    where = ("--instance", "i3.2xlarge", "--input-output", "instance-store")
    written = [stowage("finished-jobs", str(path), *where) for path in (packed, folder, tmp_path)]
    assert [each.returncode for each in written] == [0, 0, 0], written[1].stderr
    assert {each.stdout for each in written} == {written[0].stdout}
    assert [row["name"] for row in csv.DictReader(written[0].stdout.splitlines())] == ["1-sort", "2-scan"]


def test_of_a_folder_of_a_step_the_logs_are_read_and_other_files_named(tmp_path: Path) -> None:
    emr = ROOT / "tests" / "measure" / "files" / "emr"
    step = tmp_path / "s-2EXAMPLE1234"
    step.mkdir()
    (step / "syslog.gz").write_bytes(gzip.compress((emr / "hadoop-3.3.6-terasort.syslog").read_bytes()))
    (step / "controller.gz").write_bytes(gzip.compress((emr / "spark.controller").read_bytes()))
    (step / "stdout.gz").write_bytes(gzip.compress(b"42\n"))
    where = ("--instance", "m5.xlarge", "--input-output", "object-store", "--nodes", "4")
    written = stowage("finished-jobs", str(step), *where, "--job", "sort", "--data", "100 GB")
    assert "s-2EXAMPLE1234, line 1: stdout: no log of finished jobs; accepted: an event log of Spark" in written.stderr
    rows = list(csv.DictReader(written.stdout.splitlines()))
    assert [(row["name"], row["framework"], row["data"]) for row in rows] == [
        ("step s-2EXAMPLE1234", "spark", "100 GB"),
        ("job_1795680714181_0002", "hadoop-mapreduce", "20.0002 MB"),
    ]


def test_a_part_that_a_rolled_log_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "events_2_app-1").write_text('{"Event":"SparkListenerTaskEnd"}\n')
    refused = stowage("finished-jobs", str(tmp_path), "--instance", "i3.2xlarge", "--input-output", "instance-store")
    assert refused.returncode == 2
    assert "part 1 of the event log is not before 'events_2_app-1'" in refused.stderr


def test_of_logs_with_times_only_the_rest_is_given_by_options() -> None:
    timeline = str(ROOT / "tests" / "measure" / "files" / "ray" / "2.60.0-timeline.json")
    apps = str(ROOT / "tests" / "measure" / "files" / "yarn" / "3.3.6-apps.json")
    where = ("--instance", "i3.2xlarge", "--input-output", "object-store")
    refused = stowage("finished-jobs", apps, *where)
    assert refused.returncode == 2
    for option, accepted in (("nodes", "a whole number"), ("job", "sort, mapreduce"), ("data", "a size above 0")):
        assert f"--{option}: 3.3.6-apps.json does not have it for 'TeraGen'; accepted: {accepted}" in refused.stderr
    refused = stowage("finished-jobs", timeline, *where, "--job", "sort", "--data", "much")
    assert "--data: 'much' is not accepted; accepted: a size above 0, as in 100 GB" in refused.stderr
    given = ("--nodes", "4", "--job", "sort", "--data", "100 GB")
    written = stowage("finished-jobs", timeline, apps, *where, *given)
    rows = list(csv.DictReader(written.stdout.splitlines()))
    assert [(row["framework"], row["job"], row["data"], row["nodes"]) for row in rows] == [
        ("ray", "sort", "100 GB", "4"),
        *[("hadoop-mapreduce", "sort", "100 GB", "4")] * 2,
    ]
    assert float(rows[0]["phase:map_part"]) > 0.0


def test_a_file_that_is_no_event_log_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "events"
    log.write_text("nonsense\n")
    refused = stowage("finished-jobs", str(log), "--instance", "i3.2xlarge", "--input-output", "instance-store")
    assert refused.returncode != 0
    assert "events line 1: no log of finished jobs; accepted: an event log of Spark" in refused.stderr
    assert refused.stdout == ""
