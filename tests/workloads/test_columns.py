"""Answers as columns: they have the content of the answer of objects, in a fifth of its bytes."""

import json
from typing import Any

import pytest

from stowage.features.planning.planning import MOST_POINTS_OF_COLUMNS, preview_columns, preview_curves, preview_plan
from stowage.optimizer.search import CURVES
from stowage.workloads.columns import CurveColumns, PlanColumns
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

EBS = {"model": "infrastructure"}
QUESTIONS: dict[str, dict[str, Any]] = {
    "sort": {"workload": {"data": "10 TB", "durability": {"model": "none"}}, "limits": {"deadline": "5 h"}},
    "sort on EBS": {"workload": {"data": "10 TB", "durability": EBS}, "limits": {"budget": "200 USD"}},
    "a month of HDFS": {"workload": {"job": "hdfs-write", "data": "10 TB", "durability": EBS}, "objective": "month"},
    "random I/O": {"workload": {"job": "random-io", "data": "1 TB", "durability": {"model": "none"}}},
    "open": {
        "workload": {"data": "10 TB", "durability": {"model": "any"}, "runs_per_month": 30},
        "place": {"purchase": "any"},
        "limits": {"loss": "1 %", "max_nodes": 50},
        "choose": {"families": ["i4i"]},
    },
    "nothing fits": {"workload": {"data": "10 TB"}, "limits": {"deadline": "5 s"}},
}
MOST_BYTES = {"open": 72_000}
"""Bytes of an answer: 60,000, but more if purchase option and durability are open, as phases and curves differ more."""


def at(column: list[Any], row: int) -> Any:
    return column[0 if len(column) == 1 else row]


@pytest.mark.parametrize("name", QUESTIONS)
def test_columns_have_the_content_of_the_answer_of_objects(name: str) -> None:
    file = parse_workload(QUESTIONS[name])
    encoded = preview_columns(file, packaged_knowledge, lambda: 0.0).encoded
    columns = PlanColumns.model_validate_json(encoded).model_dump(mode="json")
    answer = preview_plan(file, packaged_knowledge, lambda: 0.0, "first").model_dump(mode="json")
    assert len(encoded) <= MOST_BYTES.get(name, 60_000)
    of_objects = {"configurations", "frontier", "curves", "rejected"}
    assert {each: columns[each] for each in answer.keys() - of_objects} == {
        each: answer[each] for each in answer.keys() - of_objects
    }
    rows = answer["configurations"]
    assert columns["first"] == (rows[0] if rows else None)
    assert columns["rows"]["size"] == len(rows)
    sections = [section for group in columns["storages"] for section in sections_of(group)]
    places = dict.fromkeys(range(len(columns["rows"]["shapes"])), 0)
    for place, row in enumerate(rows):
        check_row(columns["rows"], sections, places, place, row)
    check_rejections(columns["rejected"], answer["rejected"])
    assert columns["frontier"]["size"] == min(MOST_POINTS_OF_COLUMNS, len(answer["frontier"]))
    assert [curve["instances"] for curve in columns["curves"]] == [[curve["instance"]] for curve in answer["curves"]]
    for points, curve in zip(columns["curves"], answer["curves"], strict=True):
        for here, point in ((0, curve["points"][0]), (points["size"] - 1, curve["points"][-1])):
            assert at(points["nodes"], here) == point["nodes"]
            assert at(points["time_s"], here) == pytest.approx(point["time_s"], rel=1e-8)
            assert same(sections[at(points["storage"], here)], point["storage"])


def check_rejections(columns: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    for name in ("limit", "reason", "count"):
        assert columns[name] == [row[name] for row in expected]
    named = [
        (index, f"{family}.{size}")
        for group in columns["types"]
        for sizes, families in group["families"].items()
        for family in families.split(" ")
        for size in sizes.split(" ")
        for index in group["reasons"]
    ]
    assert sorted(named) == [(index, name) for index, row in enumerate(expected) for name in row["instances"]]


def check_row(
    rows: dict[str, Any], sections: list[dict[str, Any]], places: dict[int, int], place: int, row: dict[str, Any]
) -> None:
    for column in ("nodes", "storage_words", "purchase", "durability", "replicas", "latency"):
        assert at(rows[column], place) == row[column], column
    for column in ("billed_s", "physical_limit_s", "cost_always_on_usd", "loss_probability", "loss_exposure_s"):
        assert at(rows[column], place) == pytest.approx(row[column], rel=1e-8), column
    for column in ("meets_deadline", "meets_budget"):
        assert at(rows[column], place) == (None if row[column] is None else pytest.approx(row[column], rel=1e-8))
    assert at(rows["instances"], at(rows["instance"], place)) == row["instance"]
    assert rows["heads"][at(rows["head_node"], place)] == row["head_node"]
    assert rows["promises"][at(rows["promise"], place)] == row["promise"]
    assert same(sections[at(rows["storage"], place)], row["storage"])
    for name in ("time_s", "cost_usd"):
        found = {of: at(column, place) for of, column in rows[name].items()}
        assert found == pytest.approx(row[name], rel=1e-8)
    for name in ("cost_parts_usd", "cost_always_on_parts_usd"):
        found = {part: at(rows[name][part], place) if part in rows[name] else 0.0 for part in row[name]}
        assert found == pytest.approx(row[name], rel=1e-8)
    month_usd = rows["runs_per_month"] * at(rows["cost_usd"]["p50"], place)
    assert month_usd == pytest.approx(row["cost_per_month_usd"]["p50"], rel=1e-8)
    empty = at(rows["empty_time_s"], place)
    assert empty == (None if row["on_empty"] is None else pytest.approx(row["on_empty"]["time_s"], rel=1e-8))
    shape = at(rows["shape"], place)
    for phase, expected in zip(rows["shapes"][shape], row["phases"], strict=True):
        inner = places[shape]
        assert (phase["name"], phase["kind"]) == (expected["name"], expected["kind"])
        assert at(phase["time_s"], inner) == pytest.approx(expected["time_s"], rel=1e-8)
        assert at(phase["bottlenecks"], at(phase["bottleneck"], inner)) == expected["bottleneck"]
        busy = {of: at(column, inner) for of, column in phase["utilization"].items()}
        assert busy == pytest.approx(expected["utilization"], abs=5.1e-4)
    places[shape] += 1
    sources = {of: at(column, place) for of, column in rows["range_sources"].items()}
    deviations = {source["name"]: source["log_deviation"] for source in row["range_sources"]}
    known = {of: deviation for of, deviation in sources.items() if deviation is not None}
    assert known == pytest.approx(deviations, abs=5.1e-5)


@pytest.mark.parametrize("name", QUESTIONS)
def test_curves_alone_are_those_of_the_preview(name: str) -> None:
    file = parse_workload(QUESTIONS[name])
    whole = PlanColumns.model_validate_json(preview_columns(file, packaged_knowledge, lambda: 0.0).encoded)
    alone = CurveColumns.model_validate_json(preview_curves(file, packaged_knowledge))

    def drawn(answer: PlanColumns | CurveColumns) -> list[Any]:
        sections = [section for group in answer.storages for section in sections_of(group.model_dump())]
        return [
            (curve.model_dump(exclude={"storage"}), [sections[at(curve.storage, here)] for here in range(curve.size)])
            for curve in answer.curves[:CURVES]
        ]

    assert drawn(alone) == drawn(whole)


def sections_of(group: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: at(column, row) for name, column in group["fields"].items()} for row in range(group["size"])]


def same(section: dict[str, Any], answered: dict[str, Any]) -> bool:
    """Return whether a section is that of an answer, which also states what is not set."""
    return section == {name: value for name, value in answered.items() if value is not None and name in section}


def test_columns_are_smaller_than_objects() -> None:
    file = parse_workload(QUESTIONS["sort on EBS"])
    objects = preview_plan(file, packaged_knowledge, lambda: 0.0, "first").model_dump_json()
    assert 5 * len(preview_columns(file, packaged_knowledge, lambda: 0.0).encoded) < len(objects)
    assert json.loads(objects)["configurations"]
