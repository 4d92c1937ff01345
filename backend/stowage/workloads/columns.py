"""The answer of `plan` as columns: a fifth of its bytes, and the same content.

A column has one element for each row, or a single element that holds for all rows. Repeated objects are in a table, of
which a column has indices. `PlanColumns` describes the JSON; it is encoded without building the objects of an answer,
which would take longer than everything else around a search.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from pydantic_core import to_json

from stowage.model.cluster import Layout
from stowage.model.forecast import PhaseTime
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import DurabilityModel, PhaseKind
from stowage.model.jobs.workload import Workload
from stowage.model.money.cost import Cost
from stowage.model.money.price import Purchase
from stowage.model.money.terms import TERMS
from stowage.model.plan import Candidate, Curve, Plan, Rejection, nine_digits
from stowage.model.prediction import Latency, Prediction, Range
from stowage.model.units import Quantity
from stowage.platform.described import Answer
from stowage.workloads import wording
from stowage.workloads.answer_conversion import evenly, latency_answer, promise_answer
from stowage.workloads.answers import HeadNodeAnswer, LatencyAnswer, PlanHead, PromiseAnswer, RankedAnswer
from stowage.workloads.cluster_section import storage_section

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)

_CURVE_POINTS = 16
_SHARE_DIGITS, _DEVIATION_DIGITS = 3, 4
"""Digits after the point of utilizations, and of the deviations of range sources."""
_SMALLEST = 1e-9
"""Smaller numbers keep all digits: chances of loss."""


class StorageColumns(Answer):
    """Storage sections of one kind, with the fields of a workload file as columns."""

    size: int
    """Number of sections. The sections of all kinds are numbered one after the other."""
    fields: dict[str, list[str | int | float | None]]


class PointColumns(Answer):
    """Candidates (`CandidateAnswer`) as columns."""

    size: int
    instances: list[str]
    """Names of instance types."""
    instance: list[int]
    """Indices of names."""
    nodes: list[int]
    storage: list[int]
    """Indices of storage sections."""
    time_s: list[float]
    cost_usd: list[float]
    cost_always_on_usd: list[float | None]
    purchase: list[Purchase]
    durability: list[DurabilityModel]
    replicas: list[int]
    loss_probability: list[float | None]


class RangeColumns(Answer):
    """Quantiles as columns."""

    p10: list[float]
    p50: list[float]
    p90: list[float]


class PhaseColumns(Answer):
    """One phase of all rows of a shape."""

    name: str
    kind: PhaseKind
    time_s: list[float]
    bottlenecks: list[str]
    """Names of resources."""
    bottleneck: list[int]
    """Indices of names."""
    utilization: dict[str, list[float]]
    """Share of the phase that each resource is busy, with three digits."""


class RowColumns(Answer):
    """Rows of the ranking (`RankedAnswer`) as columns, best first, without sources."""

    size: int
    instances: list[str]
    instance: list[int]
    nodes: list[int]
    storage: list[int]
    storage_words: list[str]
    heads: list[HeadNodeAnswer | None]
    head_node: list[int]
    time_s: RangeColumns
    cost_usd: RangeColumns
    cost_parts_usd: dict[str, list[float]]
    """Parts that are above 0 in some row."""
    runs_per_month: float
    """Factor from the cost of a run to that of a month of runs."""
    billed_s: list[float]
    physical_limit_s: list[float]
    cost_always_on_usd: list[float]
    cost_always_on_parts_usd: dict[str, list[float]]
    shapes: list[list[PhaseColumns]]
    """Phases of the rows of each shape; their columns have the rows of that shape only."""
    shape: list[int]
    """Index of each row's shape."""
    empty_time_s: list[float | None]
    empty_cost_usd: list[float | None]
    """Time and cost with empty burst buckets (`on_empty`)."""
    latency: list[LatencyAnswer | None]
    promises: list[PromiseAnswer | None]
    promise: list[int]
    meets_deadline: list[float | None]
    meets_budget: list[float | None]
    loss_probability: list[float]
    loss_exposure_s: list[float]
    range_sources: dict[str, list[float | None]]
    """Deviation of ln(time) of each source, with four digits; null in rows without the source."""
    framework_error_below: list[float | None]
    """Deviation of the framework's error below the median, where it differs."""
    purchase: list[Purchase]
    durability: list[DurabilityModel]
    replicas: list[int]


class CurveColumns(Answer):
    """Curves of a ranking as columns."""

    curves: list[PointColumns]
    """Time and cost of the first configurations by node count, in the same order."""
    storages: list[StorageColumns]
    """Storage sections, of which the other columns have indices."""


class ExcludedTypes(Answer):
    """Instance types that are excluded for the same reasons."""

    reasons: list[int]
    """Indices of the reasons."""
    families: dict[str, str]
    """Families by their excluded sizes, with spaces between names: `{"large xlarge": "i4g i4i"}`. The size of a type
    without one is empty."""


class RejectionColumns(Answer):
    """Reasons that exclude candidates (`Rejection`) as columns; each type is named once for all its reasons."""

    limit: list[Limit]
    reason: list[str]
    count: list[int]
    """Number of excluded candidates."""
    types: list[ExcludedTypes]


class PlanColumns(PlanHead):
    """Answer of `plan` as columns.

    A column has one element for each row, or a single element that holds for all rows. Its numbers have nine
    significant digits; `first` has all, as does `POST /predictions` about any row.
    """

    first: RankedAnswer | None
    """The first row, with its sources; null if no configuration meets the limits."""
    rows: RowColumns
    """All rows of the answer, including the first."""
    frontier: PointColumns
    """Evenly thinned."""
    curves: list[PointColumns]
    """Time and cost of the first configurations by node count, in the same order."""
    rejected: RejectionColumns
    storages: list[StorageColumns]
    """Storage sections, of which the other columns have indices."""


def encoded(
    head: PlanHead, first: RankedAnswer | None, plan: Plan, frontier: Sequence[Candidate], of: Workload
) -> bytes:
    """Return the JSON of a `PlanColumns`.

    Parameters
    ----------
    head : PlanHead
        What is not columns.
    first : RankedAnswer or None
        The first row, if there is one.
    frontier : sequence of Candidate
        The points to include.
    of : Workload
        A workload of the plan.
    """
    tables = _Tables()
    columns = {
        "first": first,
        "rows": _rows(plan.ranked, of, tables),
        "frontier": _points(frontier, tables),
        **_curves(plan, tables),
        "rejected": _rejected(plan.rejected),
    }
    # Two JSON objects as one.
    return to_json(head)[:-1] + b"," + to_json(columns)[1:]


def encoded_curves(plan: Plan) -> bytes:
    """Return the JSON of a `CurveColumns`."""
    return to_json(_curves(plan, _Tables()))


def _curves(plan: Plan, tables: "_Tables") -> dict[str, Any]:
    """Return the curves of a plan, and all storage sections of its answer: the last columns that are made."""
    curves = [_points(_thinned(curve), tables) for curve in plan.curves]
    return {"curves": curves, "storages": tables.storages()}


def _rejected(rows: Sequence[Rejection]) -> dict[str, Any]:
    reasons: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        for name in row.instances:
            reasons.setdefault(name, []).append(index)
    sizes: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for name, of in reasons.items():
        family, _, size = name.partition(".")
        sizes.setdefault((family, tuple(of)), []).append(size)
    types: dict[tuple[int, ...], dict[str, list[str]]] = {}
    for (family, alike), of_family in sizes.items():
        types.setdefault(alike, {}).setdefault(" ".join(of_family), []).append(family)
    return {
        "limit": [row.limit for row in rows],
        "reason": [row.reason for row in rows],
        "count": [row.count for row in rows],
        "types": [
            {"reasons": alike, "families": {of: " ".join(families) for of, families in by_sizes.items()}}
            for alike, by_sizes in types.items()
        ],
    }


def _thinned(curve: Curve) -> list[Candidate]:
    return [curve.points[place] for place in evenly(len(curve.points), _CURVE_POINTS)]


class _Tables:
    """Storage sections of an answer, each once."""

    def __init__(self) -> None:
        self._layouts: dict[Layout, int] = {}

    def indices(self, layouts: Iterable[Layout]) -> list[int]:
        known = self._layouts
        return [known.setdefault(layout, len(known)) for layout in layouts]

    def storages(self) -> list[dict[str, Any]]:
        """Return the sections in the order of their indices, those of consecutive ones of a kind together."""
        groups: list[list[dict[str, Any]]] = []
        for layout in self._layouts:
            section = _section(layout)
            if not groups or groups[-1][0].keys() != section.keys():
                groups.append([])
            groups[-1].append(section)
        return [
            {"size": len(group), "fields": {name: _column([each[name] for each in group]) for name in group[0]}}
            for group in groups
        ]


@lru_cache(maxsize=1 << 12)
def _section(layout: Layout) -> dict[str, Any]:
    return storage_section(layout)


def _points(points: Sequence[Candidate], tables: _Tables) -> dict[str, Any]:
    names, instance = _indexed([point.configuration.instance for point in points])
    return {
        "size": len(points),
        "instances": names,
        "instance": instance,
        "nodes": _column([point.configuration.nodes for point in points]),
        "storage": _column(tables.indices(point.configuration.layout for point in points)),
        "time_s": _numbers([point.time_s for point in points]),
        "cost_usd": _numbers([point.cost_usd for point in points]),
        "cost_always_on_usd": _optional([point.month_usd for point in points]),
        "purchase": _column([point.purchase for point in points]),
        "durability": _column([point.durability.model for point in points]),
        "replicas": _column([point.durability.replicas for point in points]),
        "loss_probability": _optional([point.loss for point in points]),
    }


def _rows(rows: Sequence[Prediction], of: Workload, tables: _Tables) -> dict[str, Any]:
    names, instance = _indexed([row.configuration.instance for row in rows])
    role = of.head_role
    heads, head_node = _indexed([row.head_instance if role is not None else None for row in rows])
    limits, promise = _indexed([row.limits for row in rows])
    layouts = [row.configuration.layout for row in rows]
    return {
        "size": len(rows),
        "instances": names,
        "instance": instance,
        "nodes": _column([row.configuration.nodes for row in rows]),
        "storage": _column(tables.indices(layouts)),
        "storage_words": _column([wording.layout_words(layout) for layout in layouts]),
        "heads": [None if head is None else {"role": role, "instance": head} for head in heads],
        "head_node": head_node,
        "time_s": _ranges([row.time_s for row in rows]),
        "cost_usd": _ranges([row.cost_usd for row in rows]),
        "cost_parts_usd": _parts([row.cost for row in rows]),
        "runs_per_month": of.runs_per_month,
        "billed_s": _numbers([row.billed_s for row in rows]),
        "physical_limit_s": _numbers([row.physical_limit_s for row in rows]),
        "cost_always_on_usd": _numbers([row.always_on_usd for row in rows]),
        "cost_always_on_parts_usd": _parts([row.always_on for row in rows]),
        **_shapes(rows),
        "empty_time_s": _optional([None if row.on_empty is None else row.on_empty.time_s for row in rows]),
        "empty_cost_usd": _optional([None if row.on_empty is None else row.on_empty.cost_usd for row in rows]),
        "latency": _column([_latency(row.latency) for row in rows]),
        "promises": [None if limit is None else promise_answer(limit) for limit in limits],
        "promise": promise,
        "meets_deadline": _optional([row.meets_deadline for row in rows]),
        "meets_budget": _optional([row.meets_budget for row in rows]),
        "loss_probability": _numbers([row.loss_probability for row in rows]),
        "loss_exposure_s": _numbers([row.loss_exposure_s for row in rows]),
        "range_sources": _range_sources(rows),
        "framework_error_below": _column([row.faster_error for row in rows]),
        "purchase": _column([row.purchase for row in rows]),
        "durability": _column([row.durability.model for row in rows]),
        "replicas": _column([row.durability.replicas for row in rows]),
    }


def _latency(found: Latency | None) -> LatencyAnswer | None:
    return None if found is None else latency_answer(found)


def _shapes(rows: Sequence[Prediction]) -> dict[str, Any]:
    """Return the phases of rows, by shape: rows of one shape have the same phases and resources."""
    alike: dict[Hashable, list[Prediction]] = {}
    shape = []
    for row in rows:
        key = tuple(
            [(phase.name, phase.kind, tuple([name for name, _ in phase.resource_times_s])) for phase in row.phases]
        )
        alike.setdefault(key, []).append(row)
        shape.append(list(alike).index(key))
    return {
        "shapes": [
            [_phase([row.phases[place] for row in group]) for place in range(len(group[0].phases))]
            for group in alike.values()
        ],
        "shape": _column(shape),
    }


def _phase(phases: Sequence[PhaseTime]) -> dict[str, Any]:
    times_s = [float(phase.time_s) for phase in phases]
    names, bottleneck = _indexed([phase.bottleneck for phase in phases])
    resources = zip(*(phase.resource_times_s for phase in phases), strict=True)
    return {
        "name": phases[0].name,
        "kind": phases[0].kind,
        "time_s": _numbers(times_s),
        "bottlenecks": names,
        "bottleneck": bottleneck,
        "utilization": {
            of_all[0][0]: _numbers(
                [
                    round(float(busy_s) / time_s, _SHARE_DIGITS) if time_s else 0.0
                    for (_, busy_s), time_s in zip(of_all, times_s, strict=True)
                ]
            )
            for of_all in resources
        },
    }


def _range_sources(rows: Sequence[Prediction]) -> dict[str, list[float | None]]:
    of_rows = [dict(row.range_sources) for row in rows]
    names = dict.fromkeys(name for found in of_rows for name in found)
    return {name: _column([_rounded(found.get(name)) for found in of_rows]) for name in names}


def _rounded(deviation: Quantity | None) -> float | None:
    return None if deviation is None else round(float(deviation), _DEVIATION_DIGITS)


def _ranges(ranges: Sequence[Range]) -> dict[str, list[float]]:
    return {
        "p10": _numbers([each.p10 for each in ranges]),
        "p50": _numbers([each.p50 for each in ranges]),
        "p90": _numbers([each.p90 for each in ranges]),
    }


def _parts(costs: Sequence[Cost]) -> dict[str, list[float]]:
    found = {term.part: [float(getattr(cost, term.part)) for cost in costs] for term in TERMS}
    return {part: _numbers(usd) for part, usd in found.items() if any(usd)}


def _numbers(values: list[float]) -> list[float]:
    """Return a column of numbers, with nine significant digits.

    Raises
    ------
    ValueError
        A number is infinite or NaN, which no answer may have.
    """
    numbers = np.array(_column(values), np.float64)
    if not numbers.any():
        # Many columns have no values, or only zeros.
        return _column(values)
    if not np.isfinite(numbers).all():
        raise ValueError("a number of an answer is not finite")
    rounded: list[float] = np.where(numbers > _SMALLEST, nine_digits(numbers), numbers).tolist()
    return _column(rounded)


def _optional(values: Sequence[float | None]) -> list[float | None]:
    """Return a column of numbers of which some may be None."""
    known = [place for place, value in enumerate(values) if value is not None]
    found: list[float | None] = list(values)
    rounded = _numbers([value for value in values if value is not None])
    for at, place in enumerate(known):
        found[place] = rounded[0 if len(rounded) == 1 else at]
    return _column(found)


def _column(values: list[_T]) -> list[_T]:
    """Return the values, or a single one if all are equal."""
    return values[:1] if values and values.count(values[0]) == len(values) else values


def _indexed(values: Sequence[_K]) -> tuple[list[_K], list[int]]:
    """Return the different values, and a column of their indices."""
    known: dict[_K, int] = {}
    indices = [known.setdefault(value, len(known)) for value in values]
    return list(known), _column(indices)
