"""`stowage explain` as a user runs it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from commands import stowage

ROOT = Path(__file__).resolve().parents[2]

LOSER = b"""
workload: {data: 100 TB}
place: {catalog: paper-2014}
limits: {deadline: 30 min, max_nodes: 200}
assume: {usual: ignored}
cluster: {instance: i2.8xlarge, nodes: 120}
"""


def explain(*arguments: str, stdin: bytes = LOSER, columns: int = 100) -> subprocess.CompletedProcess[str]:
    return stowage("explain", *arguments, stdin=stdin, columns=columns)


def answered(*arguments: str, stdin: bytes = LOSER, status: int = 0) -> Any:
    finished = explain(*arguments, "--json", stdin=stdin)
    assert finished.returncode == status, finished.stderr
    return json.loads(finished.stdout)


def test_a_configuration_is_explained_for_people() -> None:
    finished = explain("-")
    assert (finished.returncode, finished.stderr) == (0, "")
    shown = finished.stdout
    parts = ["What limits it", "What the network costs", "Cost sensitivity", "Beside the winner"]
    assert [part for part in parts if f"{part}:" in shown] == parts
    assert "However fast its CPUs, it would not win" in " ".join(shown.split())


@pytest.mark.parametrize("columns", [40, pytest.param(80, marks=pytest.mark.soak("tools"))])
def test_it_fits_a_terminal(columns: int) -> None:
    for arguments in (("-",), ("-", "--types")):
        lines = explain(*arguments, columns=columns).stdout.splitlines()
        assert max(len(line) for line in lines) <= columns


def test_the_answer_keeps_to_its_schema() -> None:
    schema = json.loads(stowage("schema", "explanation").stdout)
    jsonschema.validate(answered("-"), schema)


def test_the_paper_s_first_evaluation_names_what_would_overturn_it() -> None:
    answer = answered("examples/evaluation-2io.yaml", "--types")
    assert answer["winner"]["instance"] == "i2.8xlarge"
    needed = {row["instance"]: row["needed_mb_per_s"] for row in answer["types"]}
    assert needed["i2.4xlarge"] is not None
    assert needed["hs1.8xlarge"] is not None
    shown = explain("examples/evaluation-2io.yaml", "--types").stdout
    assert "i2.4xlarge" in shown
    assert "No network would do it for the others:" in shown


def test_what_is_impossible_ends_with_3() -> None:
    answer = answered("-", stdin=LOSER.replace(b"120", b"2"), status=3)
    assert answer["obstacle"]["limit"] == "capacity"


def test_types_without_a_winner_end_with_3() -> None:
    answer = answered("-", "--types", stdin=LOSER.replace(b"30 min", b"1 s"), status=3)
    assert answer["winner"] is None


def test_a_file_without_a_cluster_ends_with_2() -> None:
    answer = answered("-", stdin=b"workload: {data: 1 TB}", status=2)
    assert [problem["path"] for problem in answer["errors"]] == ["cluster"]
    assert answered("-", "--types", stdin=LOSER.split(b"cluster")[0])["types"]
