"""The commands as a user runs them: processes, files, exit status, stdout and stderr."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from commands import stowage

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def answered(*arguments: str, stdin: bytes = b"", status: int = 0) -> Any:
    finished = stowage(*arguments, stdin=stdin)
    assert finished.returncode == status, finished.stderr
    assert "Traceback" not in finished.stderr
    return json.loads(finished.stdout)


def test_table_2() -> None:
    answer = answered("plan", "examples/table2.yaml", "--json")
    rows = [(row["instance"], row["nodes"], round(row["cost_usd"]["p50"])) for row in answer["configurations"]]
    assert rows == [
        ("c3.large", 9375, 28),
        ("m3.large", 9375, 65),
        ("m3.medium", 75000, 66),
        ("m1.xlarge", 179, 155),
        ("i2.4xlarge", 94, 211),
        ("i2.8xlarge", 47, 218),
        ("hs1.8xlarge", 7, 248),
        ("cr1.8xlarge", 1250, 2966),
    ]
    assert [row["rank"] for row in answer["configurations"]] == list(range(1, 9))
    assert answer["candidates"] == answer["computed"] + answer["excluded_by_bound"]
    assert answer["catalog_version"] == "paper-2014"


@pytest.mark.parametrize(
    ("example", "time_s", "usd"),
    [
        ("evaluation-2io", 1010, None),
        ("evaluation-application", 1223, None),
        ("evaluation-infrastructure", 2588, None),
        ("figure9-i2", None, 325),
        ("figure9-m1", None, 362),
    ],
)
def test_predictions_of_the_paper_s_cases(example: str, time_s: float | None, usd: float | None) -> None:
    answer = answered("predict", f"examples/{example}.yaml", "--json")
    if time_s is not None:
        assert answer["time_s"]["p50"] == pytest.approx(time_s, abs=1.0)
    if usd is not None:
        assert answer["cost_usd"]["p50"] == pytest.approx(usd, abs=1.0)
    assert sum(answer["cost_parts_usd"].values()) == pytest.approx(answer["cost_usd"]["p50"])
    assert {figure["kind"] for figure in answer["provenance"]} <= {"measured", "published", "estimated", "given"}


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_validates_and_is_answered_for_people(example: Path) -> None:
    command = "predict" if "cluster:" in example.read_text() else "plan"
    finished = stowage(command, str(example))
    assert finished.returncode == 0, finished.stderr
    workload = yaml.safe_load(example.read_text())["workload"]
    assert workload["data"] in " ".join(finished.stdout.split())
    assert finished.stderr == ""


@pytest.mark.parametrize(("command", "schema"), [("plan", "plan"), ("predict", "prediction")])
def test_answers_keep_to_their_schemas(command: str, schema: str) -> None:
    described = answered("schema", schema)
    example = {"plan": "sort-100tb", "predict": "evaluation-2io"}[command]
    jsonschema.validate(answered(command, f"examples/{example}.yaml", "--json"), described)


def test_schema_of_a_workload_accepts_the_examples_words() -> None:
    schema = answered("schema", "workload")
    jsonschema.validate({"workload": {"data": "100 TB", "durability": {"model": "application", "replicas": 3}}}, schema)


def test_a_workload_may_come_from_standard_input() -> None:
    answer = answered("plan", "-", "--json", stdin=b'{"workload": {"data": "10 GB"}}')
    assert answer["configurations"][0]["nodes"] == 1


def test_nothing_fits_ends_with_3_and_says_what_would_be_needed() -> None:
    workload = b"{workload: {data: 100 TB}, place: {catalog: paper-2014}, limits: {deadline: 1 min, max_nodes: 200}}"
    answer = answered("plan", "-", "--json", stdin=workload, status=3)
    assert answer["configurations"] == []
    [miss] = answer["near_misses"]
    assert miss["limits"] == ["deadline"]
    relaxed = workload.replace(b"1 min", miss["needs"]["deadline"].encode())
    assert answered("plan", "-", "--json", stdin=relaxed)["configurations"]
    assert "would need a deadline of" in stowage("plan", "-", stdin=workload).stdout


def test_a_relaxation_that_no_file_could_hold_is_said_but_not_offered() -> None:
    workload = b"{workload: {data: 10 EB}, place: {catalog: paper-2014}, limits: {max_nodes: 1000, free_space: 0 %}}"
    [miss] = answered("plan", "-", "--json", stdin=workload, status=3)["near_misses"]
    assert miss["needs"] == {}
    assert miss["sentence"] == "5,000,000 × i2.8xlarge would need 5,000,000 nodes."


def test_an_impossible_cluster_ends_with_3_and_says_what_would_do() -> None:
    workload = b"{workload: {data: 100 TB}, place: {catalog: paper-2014}, cluster: {instance: i2.8xlarge, nodes: 10}}"
    answer = answered("predict", "-", "--json", stdin=workload, status=3)
    assert answer["feasible"] is False
    assert answer["nearest"] == "50 nodes with this layout"
    assert "needed: 50 nodes" in stowage("predict", "-", stdin=workload).stdout


EBS_ON_GP9 = b"""
workload: {data: 1 TB, durability: {model: infrastructure}}
cluster: {instance: i2.4xlarge, nodes: 1, storage: {kind: ebs, type: gp9, size: 1 GiB, count: 8}}
"""
OWN_DISKS_FOR_EBS = b"""
workload: {data: 1 TB, durability: {model: infrastructure}}
cluster: {instance: i2.4xlarge, nodes: 1}
"""
HALF_A_DIVISION = b"""
workload: {data: 1 TB}
cluster: {instance: i2.8xlarge, nodes: 1, storage: {kind: instance-store, input_output_disks: 4}}
"""

BAD = {
    "negative": (b"workload: {data: -5 TB}", "workload.data"),
    "unit": (b"workload: {data: 100 TBB}", "workload.data"),
    "NaN": (b"workload: {data: .nan}", "workload.data"),
    "too large": (b"workload: {data: 1e400}", "workload.data"),
    "empty": (b"", ""),
    "10 MB": (b'{"workload": "' + b"x" * 10_000_000 + b'"}', ""),
    "deadline 0": (b"{workload: {data: 1 TB}, limits: {deadline: 0}}", "limits.deadline"),
    "unknown type": (b"{workload: {data: 1 TB}, cluster: {instance: i9.huge, nodes: 1}}", "cluster.instance"),
    "unknown region": (b"{workload: {data: 1 TB}, place: {region: mars-1}}", "place.region"),
    "unknown catalog": (b"{workload: {data: 1 TB}, place: {catalog: '1999'}}", "place.catalog"),
    "replicas 0": (
        b"workload: {data: 1 TB, durability: {model: application, replicas: 0}}",
        "workload.durability.replicas",
    ),
    "no YAML": (b"workload: [", ""),
    "unknown volume type": (EBS_ON_GP9, "cluster.storage.type"),
    "storage of another durability": (OWN_DISKS_FOR_EBS, "cluster.storage.kind"),
    "half a division": (HALF_A_DIVISION, "cluster.storage.intermediate_disks"),
}


@pytest.mark.parametrize(("content", "path"), BAD.values(), ids=BAD.keys())
def test_bad_input_ends_with_2_and_the_path_of_the_field(content: bytes, path: str) -> None:
    document = answered("predict", "-", "--json", stdin=content, status=2)
    assert [problem["path"] for problem in document["errors"]] == [path]


def test_bad_input_is_told_to_people_on_stderr() -> None:
    finished = stowage("plan", "-", stdin=b"workload: {data: 100 TBB}")
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr == (
        "stowage: workload.data: 'TBB' is not a unit of size; write a size like 100 TB or 512 GiB\n"
    )


def test_a_prediction_needs_a_cluster() -> None:
    document = answered("predict", "examples/table2.yaml", "--json", status=2)
    assert [problem["path"] for problem in document["errors"]] == ["cluster"]


@pytest.mark.parametrize(
    "arguments", [("plan", "no-such-file.yaml"), ("plan",), ("plan", "examples"), ("fly",), ("schema", "nonsense")]
)
def test_usage_errors_end_with_2(arguments: tuple[str, ...]) -> None:
    finished = stowage(*arguments)
    assert finished.returncode == 2
    assert "Traceback" not in finished.stderr
    assert finished.stdout == ""


def test_it_runs_anywhere(tmp_path: Path) -> None:
    finished = stowage("plan", str(EXAMPLES / "table2.yaml"), cwd=tmp_path)
    assert finished.returncode == 0
    assert list(tmp_path.iterdir()) == []


OPEN = b"""
workload: {data: 10 TB, framework: ideal, durability: {model: any}, runs_per_month: 30}
place: {purchase: any}
limits: {loss: 1 %, max_nodes: 20}
choose: {families: [i4i]}
"""
DECIDED = b"""
workload: {data: 10 TB}
limits: {max_nodes: 20}
choose: {families: [i4i]}
"""


def test_the_table_says_what_was_left_open() -> None:
    finished = stowage("plan", "-", stdin=OPEN)
    assert finished.returncode == 0, finished.stderr
    shown = finished.stdout
    first = "Cheapest on at most 20 nodes, with 20% of the disks free, losing data with a chance of at most 1%:"
    assert " ".join(shown.split()).startswith(first)
    assert "paid" in shown
    assert "kept" in shown
    assert re.search(r" one +.*\n.* copy +", shown)
    assert "kept" not in stowage("plan", "-", stdin=DECIDED).stdout


def test_the_objective_of_the_command_comes_before_that_of_the_file() -> None:
    file = b"objective: time\n" + DECIDED
    answers = {
        objective: answered("plan", "-", "--json", *arguments, stdin=file)
        for objective, arguments in (
            ("time", ()),
            ("cost", ("--objective", "cost")),
            ("month", ("--objective", "month")),
        )
    }
    assert {objective: answer["objective"] for objective, answer in answers.items()} == {
        objective: objective for objective in answers
    }
    first = {objective: answer["configurations"][0] for objective, answer in answers.items()}
    assert first["time"]["time_s"]["p50"] < first["cost"]["time_s"]["p50"]
    assert first["cost"]["cost_usd"]["p50"] < first["time"]["cost_usd"]["p50"]
    assert all(row["sources"] and row["provenance"] for row in answers["cost"]["configurations"])
    shown = stowage("plan", "-", "--objective", "month", stdin=file).stdout
    assert "a month" in shown
    refused = stowage("plan", "-", "--objective", "dearest", stdin=file)
    assert refused.returncode == 2


def test_regions_are_compared() -> None:
    answer = answered("plan", "-", "--regions", "--json", stdin=DECIDED)
    schema = answered("schema", "regions")
    jsonschema.validate(answer, schema)
    costs = [region["best"]["cost_usd"] for region in answer["regions"] if region["best"] is not None]
    assert len(costs) > 10
    assert costs == sorted(costs)
    shown = stowage("plan", "-", "--regions", "--objective", "month", stdin=DECIDED).stdout
    assert "us-east-1" in shown
    assert f"{len(answer['regions'])} regions of catalog" in shown


def test_where_nothing_fits_in_any_region_the_status_is_3() -> None:
    file = b"workload: {data: 10 TB}\nplace: {catalog: paper-2014}\nlimits: {deadline: 1 s}"
    assert answered("plan", "-", "--regions", "--json", stdin=file, status=3)["regions"][0]["best"] is None
    shown = stowage("plan", "-", "--regions", stdin=file)
    assert shown.returncode == 3
    assert "us-east-1: No configuration" in shown.stdout


def test_an_unknown_name_ends_with_2_and_the_nearest() -> None:
    refused = stowage("plan", "-", "--regions", stdin=OPEN.replace(b"[i4i]", b"[i4ii]"))
    assert refused.returncode == 2
    assert "choose.families.0" in refused.stderr
    assert "i4i" in refused.stderr


TODAY = b"""
workload: {data: 40 TB, framework: unknown}
cluster: {instance: i3.4xlarge, nodes: 60}
today: {instance: i3.4xlarge, nodes: 60, time: 1 h 50 min, data: 40 TB}
"""


def test_predict_reads_a_measured_time_of_today_from_the_file() -> None:
    answer = answered("predict", "-", "--json", stdin=TODAY)
    launch_s = 180.0
    assert answer["time_s"]["p50"] == pytest.approx(launch_s + 6_600.0, rel=1e-5)
    assert "60 × i3.4xlarge took 1 h 50 min" in answer["sentence"]
    [given] = [figure for figure in answer["provenance"] if figure["quantity"] == "today.time"]
    assert (given["value"], given["unit"], given["kind"]) == (6_600.0, "s", "given")


def test_predict_names_the_field_of_a_time_that_cannot_be() -> None:
    finished = stowage("predict", "-", stdin=TODAY.replace(b"1 h 50 min", b"3 s"))
    assert finished.returncode == 2
    assert "today.time: 3 s on 60 × i3.4xlarge, predicted to take" in finished.stderr
    assert "accepted: " in finished.stderr
