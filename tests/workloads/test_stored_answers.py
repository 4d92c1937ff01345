"""Stored answers of plans: the bytes that the page reads, and those of earlier versions as objects."""

import hashlib
import json
from typing import Any

import pytest

from outdated import as_first_columns
from rounded import check_rounded
from stowage.features.planning.planning import preview_columns, preview_plan
from stowage.workloads import stored_answers
from stowage.workloads.columns import PlanColumns
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.stored_answers import answer_of, first_row, instances_of, json_of, packed
from stowage.workloads.workload_file import parse_workload

PLANS = "/api/v1/plans"
SORT: dict[str, Any] = {"workload": {"data": "10 TB"}, "limits": {"max_nodes": 50}, "choose": {"families": ["i4i"]}}
QUESTIONS: dict[str, dict[str, Any]] = {
    "sort": SORT,
    "EBS": {**SORT, "workload": {"data": "10 TB", "durability": {"model": "infrastructure"}}},
    "month of HDFS on EMR": {
        **SORT,
        "workload": {"job": "hdfs-write", "data": "10 TB", "replication": 3},
        "place": {"service": "emr"},
        "objective": "month",
    },
    "random I/O": {**SORT, "workload": {"job": "random-io", "data": "1 TB"}},
    "open": {
        **SORT,
        "workload": {"data": "10 TB", "durability": {"model": "any"}, "runs_per_month": 30},
        "place": {"purchase": "any"},
        "limits": {"loss": "1 %", "max_nodes": 50, "deadline": "5 h"},
    },
    "nothing fits": {**SORT, "limits": {"deadline": "5 s"}},
}
SCHEMA = (2, "575ea475cb909ff2")
"""Form of stored columns, and the digest of their JSON Schema without its descriptions."""


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_in_columns_is_read_as_that_in_objects(name: str) -> None:
    file = parse_workload(QUESTIONS[name])
    stored = packed(preview_columns(file, packaged_knowledge, lambda: 0.0).encoded)
    found = answer_of(stored).model_dump(mode="json")
    expected = preview_plan(file, packaged_knowledge, lambda: 0.0, "first").model_dump(mode="json")
    assert found["configurations"][:1] == expected["configurations"][:1]
    check_rounded(found, expected)
    assert first_row(stored) == next(iter(answer_of(stored).configurations), None)
    assert instances_of(stored) == {row["instance"] for row in found["configurations"]}


def test_columns_with_rejections_as_objects_are_sent_as_objects() -> None:
    file = parse_workload(SORT)
    columns = preview_columns(file, packaged_knowledge, lambda: 0.0).encoded
    rejected = preview_plan(file, packaged_knowledge, lambda: 0.0, "first").model_dump(mode="json")["rejected"]
    stored = as_first_columns(columns)
    sent = json.loads(json_of(stored))
    assert (sent["rejected"], sent["sentence"]) == (rejected, json.loads(columns)["sentence"])
    assert answer_of(stored) == answer_of(packed(columns))
    assert first_row(stored) == first_row(packed(columns))
    assert instances_of(stored) == {row["instance"] for row in sent["configurations"]}


def test_another_form_of_columns_has_another_number() -> None:
    """Stored columns are sent to the page unread: a new field of `PlanColumns` would be missing in them."""
    schema = without_words(PlanColumns.model_json_schema(mode="serialization"))
    digest = hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:16]
    assert (stored_answers.COLUMNS, digest) == SCHEMA


def without_words(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {name: without_words(value) for name, value in schema.items() if name not in {"title", "description"}}
    return [without_words(each) for each in schema] if isinstance(schema, list) else schema
