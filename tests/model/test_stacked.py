"""Rows and courses that are computed together: each has the numbers that it has alone, to the last bit."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import AWS_2026
from many import CASES, SLOW, TYPES, inputs_of
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, divisions
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import Prediction, Row, predict, predict_from, with_sources
from stowage.model.stacked import Course, joined, medians_along, predict_rows

COUNTS = (1, 2, 3, 40, 300, 1_000, 5_000, 20_000, 70_000)


def layouts_on(instance: str, layout: Layout) -> Sequence[Layout]:
    """Return layouts of the same kind that differ in numbers."""
    if isinstance(layout, InstanceStore):
        disks = int(AWS_2026.catalog.instance_types[instance].disk_count.value)
        return divisions(disks, intermediate=layout.intermediate_disks > 0)
    if isinstance(layout, Ebs):
        sizes = (layout.size_gib, layout.size_gib + 7, 3 * layout.size_gib)
        varied = [replace(layout, size_gib=size, count=count) for size, count in product(sizes, (layout.count, 5))]
        # gp3 includes some IOPS and throughput.
        bought = ((None, None), (6_000, None), (None, 200), (3_000, 125))
        more = [replace(layout, iops=iops, throughput_mib_per_s=rate) for iops, rate in bought]
        return varied + more if layout.volume_type == "gp3" else varied
    return [layout]


def types_of(workload: Workload) -> Sequence[str]:
    """Return instance types whose price is known."""
    return TYPES[:2] if workload.place.purchase == "spot" else TYPES


def alone(row: Row) -> Prediction | Infeasible:
    return predict_from(row.inputs, row.configuration, row.workload, sources=False)


@cache
def rows_of(name: str) -> Sequence[tuple[Row, Prediction]]:
    """Return possible rows of a case, each with its prediction alone."""
    layout, workload = CASES[name]
    rows = [
        Row(inputs_of(instance, here, workload), Configuration(instance, nodes, here), workload)
        for instance in types_of(workload)
        for here in layouts_on(instance, layout)
        # With slow volumes the work grows with the nodes.
        for nodes in COUNTS[: 3 if name == SLOW else None]
    ]
    return [(row, found) for row in rows if isinstance(found := alone(row), Prediction)]


@pytest.mark.parametrize("name", CASES)
def test_rows_predicted_together_equal_each_alone(name: str) -> None:
    rows, expected = zip(*rows_of(name), strict=True)
    assert len(rows) >= 10
    assert predict_rows(rows) == list(expected)


def test_computed_at_once_rows_and_sources_equal_those_computed_when_they_are_read() -> None:
    rows = [row for name in CASES for row, _ in rows_of(name)[:2]]
    at_once, when_read = predict_rows(rows), predict_rows(rows)
    at_once.compute(sourced=len(rows) + 1)
    assert at_once == when_read
    for index, row in enumerate(rows):
        whole = at_once.sourced(index)
        assert whole == with_sources(when_read[index], row)
        assert at_once.sourced(index) is whole


@pytest.mark.parametrize("name", CASES)
def test_sources_are_added_to_a_prediction_that_has_none(name: str) -> None:
    workload, of = CASES[name][1], AWS_2026
    for row, _ in rows_of(name)[:: len(rows_of(name)) // 4]:
        plain, whole = (
            predict(row.configuration, workload, of.catalog, of.profiles, sources=sources) for sources in (False, True)
        )
        assert isinstance(plain, Prediction)
        assert isinstance(whole, Prediction)
        assert whole.provenance
        assert (plain.provenance, plain.causes) == ((), ())
        assert with_sources(plain, row) == whole


def test_predictions_that_are_joined_keep_their_order_and_their_numbers() -> None:
    each = [predict_rows([row for row, _ in rows_of(name)[:3]]) for name in CASES]
    expected = [prediction for part in each for prediction in part]
    found = joined(each)
    assert list(found) == expected
    assert repr(found) == repr(expected)
    chances = found.optional(lambda part: part.forecast.meets_deadline)
    assert chances == [prediction.meets_deadline for prediction in expected]
    assert None in found.optional(lambda part: part.empty_time_s)


@given(picked=st.lists(st.tuples(st.sampled_from(list(CASES)), st.integers(0, 1_000)), min_size=1, max_size=40))
@settings(max_examples=40)
def test_rows_of_all_kinds_come_back_in_their_order(picked: list[tuple[str, int]]) -> None:
    """Too few rows of a shape to be stacked, and the same row several times, included."""
    found = [rows_of(name)[number % len(rows_of(name))] for name, number in picked]
    assert predict_rows([row for row, _ in found]) == [expected for _, expected in found]


@pytest.mark.parametrize("name", CASES)
def test_courses_have_the_medians_of_each_node_count_alone(name: str) -> None:
    """Courses of several types and lengths; on EBS the volumes grow and shrink along them."""
    courses, expected = [], []
    for place, instance in enumerate(types_of(CASES[name][1])):
        rows = [each for each in rows_of(name) if each[0].configuration.instance == instance]
        first = rows[0][0]
        layout = first.configuration.layout
        along = [each for each in rows if resized(each[0].configuration.layout, layout) == layout][place:]
        sizes = [row.configuration.layout.size_gib for row, _ in along if isinstance(row.configuration.layout, Ebs)]
        nodes = [row.configuration.nodes for row, _ in along]
        courses.append(Course(first, np.array(nodes, np.float64), np.array(sizes, np.float64) if sizes else None))
        expected.append([prediction for _, prediction in along])
    assert sum(map(len, expected)) >= 5
    for medians, predictions in zip(medians_along(courses), expected, strict=True):
        assert medians.time_s == [each.time_s.p50 for each in predictions]
        assert medians.cost_usd == [each.cost_usd.p50 for each in predictions]
        assert medians.month_usd == [each.always_on_usd for each in predictions]


def resized(layout: Layout, like: Layout) -> Layout:
    """Return a layout with volumes of the size of another one."""
    if isinstance(layout, Ebs) and isinstance(like, Ebs):
        return replace(layout, size_gib=like.size_gib)
    return layout
