"""`stowage validate` as a user runs it."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from commands import stowage
from stowage.features.calibration.validation import validate
from stowage.workloads.knowledge import packaged_knowledge


@pytest.fixture(scope="module")
def shown() -> str:
    finished = stowage("validate")
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


@pytest.fixture(scope="module")
def document() -> Any:
    finished = stowage("validate", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    return json.loads(finished.stdout)


def test_json_is_one_document_that_keeps_to_its_schema(document: Any) -> None:
    described = stowage("schema", "validation")
    jsonschema.validate(document, json.loads(described.stdout))
    assert document == validate(packaged_knowledge).model_dump(mode="json")


def test_every_field_of_the_page_is_there(document: Any) -> None:
    assert set(document) == {
        "model_version",
        "cases",
        "summary",
        "experiments",
        "contradictions",
        "frameworks",
        "limits",
        "accuracies",
    }
    fields = "id experiment source source_date group quantity unit kind relation predicted actual error_pct range "
    fields += "assumptions reason left_out"
    assert all(set(case) == set(fields.split()) for case in document["cases"])
    assert set(document["experiments"]) == {"count", "median_abs_error_pct", "p90_abs_error_pct", "worst", "rows"}
    assert document["experiments"]["count"] == len(document["experiments"]["rows"])
    for groups in document["summary"].values():
        for errors in groups.values():
            assert set(errors) == {"count", "median_abs_error_pct", "p90_abs_error_pct", "worst"}


def test_experiments_have_names_wherever_they_are_counted(document: Any) -> None:
    named = {row["experiment"] for row in document["experiments"]["rows"]}
    held = {
        case["experiment"] for case in document["cases"] if case["kind"] == "predicted" and case["relation"] == "equal"
    }
    assert named == held


def test_people_read_the_sentence_first_then_every_case(shown: str, document: Any) -> None:
    words = " ".join(shown.split())
    median = document["experiments"]["median_abs_error_pct"]
    assert words.startswith(
        f"Over {document['experiments']['count']} independent experiments the predictions are off by"
    )
    assert f"{median:.1f}% in the median" in words[:200]
    order = [words.index(f"{kind}: ") for kind in ("Predicted", "Fitted", "Reproduced", "Context")]
    assert order == sorted(order)
    assert words.index("Off by more than 15%, and why:") > order[-1]
    assert words.index("What the sources contradict:") > words.index("Off by more than 15%, and why:")


def test_it_is_readable_at_80_columns(shown: str) -> None:
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80
    assert "…" not in shown


def test_misses_are_told_by_a_word_and_not_by_colour_alone(shown: str, document: Any) -> None:
    misses = [case for case in document["cases"] if case["error_pct"] is not None and abs(case["error_pct"]) > 15]
    marked = re.findall(r"[+-]\d+\.\d% miss|fails, [+-]\d+\.\d%", " ".join(shown.split()))
    assert len(misses) >= 5
    assert len(marked) == 2 * len(misses)  # in the table, and with its reason
    assert "≥ holds" in shown
    assert "≤ holds" in shown


def test_every_contradiction_is_told(shown: str, document: Any) -> None:
    words = " ".join(shown.split())
    assert all(" ".join(row["title"].split()) in words for row in document["contradictions"])


def test_it_runs_anywhere(tmp_path: Path) -> None:
    assert stowage("validate", cwd=tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("nonsense",), ("--nonsense",), ("--json=maybe",), ("a.yaml", "--json")])
def test_nonsense_ends_with_2(arguments: tuple[str, ...]) -> None:
    finished = stowage("validate", *arguments)
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert "Traceback" not in finished.stderr
