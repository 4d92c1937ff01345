"""Answers of `plan` that come as columns (`PlanColumns`), as the documents of `PlanAnswer`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from stowage.model.money.terms import TERMS
from stowage.model.uncertainty.range import FRAMEWORK_ERROR

_Document = dict[str, Any]
_Columns = Mapping[str, Any]


def plan_from(columns: _Columns) -> _Document:
    """Return the JSON document of a `PlanAnswer`, from that of a `PlanColumns`.

    Only the first row has sources. The numbers are those of the columns.
    """
    storages = [section for group in columns["storages"] for section in _records(group["fields"], group["size"])]
    first, rows = columns["first"], _rows(columns["rows"], storages)
    curves = [
        {"instance": next(iter(points["instances"]), ""), "points": _points(points, storages)}
        for points in columns["curves"]
    ]
    head = {name: value for name, value in columns.items() if name not in {"first", "rows", "storages"}}
    return head | {
        "configurations": [] if first is None else [first, *rows[1:]],
        "frontier": _points(columns["frontier"], storages),
        "curves": curves,
        "rejected": _rejected(columns["rejected"]),
    }


def _rejected(columns: _Columns | list[_Document]) -> list[_Document]:
    # The first form of columns has rejections as objects.
    if isinstance(columns, list):
        return columns
    instances: list[list[str]] = [[] for _ in columns["reason"]]
    for group in columns["types"]:
        for sizes, families in group["families"].items():
            of_each = product(families.split(" "), sizes.split(" "))
            names = [f"{family}.{size}" if size else family for family, size in of_each]
            for index in group["reasons"]:
                instances[index] += names
    rows = zip(columns["limit"], columns["reason"], columns["count"], instances, strict=True)
    return [
        {"limit": limit, "reason": reason, "count": count, "instances": sorted(names)}
        for limit, reason, count, names in rows
    ]


def _each(column: Sequence[Any], size: int) -> Sequence[Any]:
    """Return the value of each row: a column with a single element holds for all rows."""
    return column if len(column) == size else [column[0]] * size


def _of_table(table: Sequence[Any], indices: Sequence[int], size: int) -> list[Any]:
    return [table[index] for index in _each(indices, size)]


def _records(columns: _Columns, size: int) -> list[_Document]:
    names = tuple(columns)
    rows = zip(*(_each(column, size) for column in columns.values()), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows] if names else [{} for _ in range(size)]


_OF_POINTS = (
    "nodes",
    "time_s",
    "cost_usd",
    "cost_always_on_usd",
    "purchase",
    "durability",
    "replicas",
    "loss_probability",
)
"""Columns of points that are fields of a candidate."""


def _points(points: _Columns, storages: Sequence[_Document]) -> list[_Document]:
    size = points["size"]
    return _records(
        {
            "instance": _of_table(points["instances"], points["instance"], size),
            "storage": _of_table(storages, points["storage"], size),
            **{name: points[name] for name in _OF_POINTS},
        },
        size,
    )


_OF_ROWS = (
    "nodes",
    "storage_words",
    "billed_s",
    "physical_limit_s",
    "cost_always_on_usd",
    "latency",
    "meets_deadline",
    "meets_budget",
    "loss_probability",
    "loss_exposure_s",
    "purchase",
    "durability",
    "replicas",
)
"""Columns of rows that are fields of a configuration."""


def _rows(rows: _Columns, storages: Sequence[_Document]) -> list[_Document]:
    size, per_month = rows["size"], rows["runs_per_month"]
    costs = _records(rows["cost_usd"], size)
    empty = zip(_each(rows["empty_time_s"], size), _each(rows["empty_cost_usd"], size), strict=True)
    return _records(
        {
            "rank": range(1, size + 1),
            "instance": _of_table(rows["instances"], rows["instance"], size),
            "storage": _of_table(storages, rows["storage"], size),
            "head_node": _of_table(rows["heads"], rows["head_node"], size),
            "time_s": _records(rows["time_s"], size),
            "cost_usd": costs,
            "cost_per_month_usd": [{of: usd * per_month for of, usd in cost.items()} for cost in costs],
            "cost_parts_usd": _parts(rows["cost_parts_usd"], size),
            "cost_always_on_parts_usd": _parts(rows["cost_always_on_parts_usd"], size),
            "phases": _phases(rows),
            "on_empty": [None if time_s is None else {"time_s": time_s, "cost_usd": usd} for time_s, usd in empty],
            "promise": _of_table(rows["promises"], rows["promise"], size),
            "range_sources": _range_sources(rows),
            "provenance": [[]],
            "sources": [False],
            **{name: rows[name] for name in _OF_ROWS},
        },
        size,
    )


def _parts(columns: _Columns, size: int) -> list[_Document]:
    return _records({term.part: columns.get(term.part, [0.0]) for term in TERMS}, size)


def _phases(rows: _Columns) -> list[list[_Document]]:
    """Return the phases of each row. The columns of a shape have only the rows of this shape."""
    shape_of = _each(rows["shape"], rows["size"])
    of_shapes = [_phases_of(shape, shape_of.count(number)) for number, shape in enumerate(rows["shapes"])]
    return [next(of_shapes[shape]) for shape in shape_of]


def _phases_of(shape: Sequence[_Columns], size: int) -> Iterator[list[_Document]]:
    """Yield the phases of one row of a shape after the other."""
    columns = (
        _records(
            {
                "name": [phase["name"]],
                "kind": [phase["kind"]],
                "time_s": phase["time_s"],
                "bottleneck": _of_table(phase["bottlenecks"], phase["bottleneck"], size),
                "utilization": _records(phase["utilization"], size),
            },
            size,
        )
        for phase in shape
    )
    return map(list, zip(*columns, strict=True))


def _range_sources(rows: _Columns) -> list[list[_Document]]:
    size = rows["size"]
    below = _each(rows["framework_error_below"], size)
    found: list[list[_Document]] = [[] for _ in range(size)]
    for name, deviations in rows["range_sources"].items():
        for row, deviation in enumerate(_each(deviations, size)):
            if deviation is not None:
                less = below[row] if name == FRAMEWORK_ERROR else None
                found[row].append({"name": name, "log_deviation": deviation, "log_deviation_below": less})
    return found
