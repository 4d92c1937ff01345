"""The answer of `plan` as columns: a fifth of its bytes, and the same content.

A column has one element for each row, or a single element that holds for all rows. Repeated objects are in a table, of
which a column has indices. `PlanColumns` describes the JSON; it is encoded without building the objects of an answer,
which would take longer than everything else around a search.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_json

from stowage.model.cluster import Layout
from stowage.model.forecast import PhaseTime
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import DurabilityModel, PhaseKind
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import Purchase
from stowage.model.money.terms import TERMS
from stowage.model.plan import Candidate, Plan, Rejection, nine_digits
from stowage.model.prediction import Predicted, Row, latency_of
from stowage.model.stacked import Predictions
from stowage.model.uncertainty.range import Quantiles
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
_NEARLY = 1e-6
"""Far more than the rounding error of a number below 1,000."""


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
    tables.fill()
    # Two JSON objects as one.
    return to_json(head)[:-1] + b"," + to_json(columns)[1:]


def encoded_curves(plan: Plan) -> bytes:
    """Return the JSON of a `CurveColumns`."""
    tables = _Tables()
    columns = _curves(plan, tables)
    tables.fill()
    return to_json(columns)


def _curves(plan: Plan, tables: "_Tables") -> dict[str, Any]:
    """Return the curves of a plan, and all storage sections of its answer: the last columns that are made."""
    curves = [_points(curve.points.at(evenly(len(curve.points), _CURVE_POINTS)), tables) for curve in plan.curves]
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


class _Tables:
    """Shared parts of the columns of an answer: storage sections, each once, and numbers, rounded together."""

    def __init__(self) -> None:
        self._layouts: dict[Layout, int] = {}
        self._columns: list[tuple[NDArray[np.float64], Sequence[float | None] | None, list[Any]]] = []

    def numbers(self, numbers: NDArray[np.float64]) -> list[float]:
        """Return a column of numbers that `fill` fills, with nine significant digits."""
        column: list[float] = []
        self._columns.append((numbers, None, column))
        return column

    def optional(self, values: Sequence[float | None]) -> list[float | None]:
        """Return a column like that of `numbers`, of which some may be None."""
        column: list[float | None] = []
        self._columns.append((np.array([value for value in values if value is not None]), values, column))
        return column

    def fill(self) -> None:
        """Fill the columns of numbers. Rounded one by one, they would take several times as long."""
        numbers = [known for known, _, _ in self._columns]
        rounded = iter(_nine_digits(np.concatenate(numbers)) if numbers else [])
        for known, values, column in self._columns:
            digits = islice(rounded, known.size)
            column.extend(
                _column(list(digits) if values is None else [None if one is None else next(digits) for one in values])
            )

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
        "time_s": tables.numbers(np.array([point.time_s for point in points])),
        "cost_usd": tables.numbers(np.array([point.cost_usd for point in points])),
        "cost_always_on_usd": tables.optional([point.month_usd for point in points]),
        "purchase": _column([point.purchase for point in points]),
        "durability": _column([point.durability.model for point in points]),
        "replicas": _column([point.durability.replicas for point in points]),
        "loss_probability": tables.optional([point.loss for point in points]),
    }


def _rows(rows: Predictions, of: Workload, tables: _Tables) -> dict[str, Any]:
    asked, role = rows.rows, of.head_role
    names, instance = _indexed([row.configuration.instance for row in asked])
    heads, head_node = _indexed([row.inputs.head_instance if role is not None else None for row in asked])
    limits, promise = _indexed([row.limits for row in asked])
    layouts = [row.configuration.layout for row in asked]
    busy_s = rows.column(lambda part: part.busy_s).tolist()
    return {
        "size": len(rows),
        "instances": names,
        "instance": instance,
        "nodes": _column([row.configuration.nodes for row in asked]),
        "storage": _column(tables.indices(layouts)),
        "storage_words": _column([wording.layout_words(layout) for layout in layouts]),
        "heads": [None if head is None else {"role": role, "instance": head} for head in heads],
        "head_node": head_node,
        "time_s": _ranges(rows, tables, "forecast.time_s"),
        "cost_usd": _ranges(rows, tables, "forecast.cost_usd"),
        "cost_parts_usd": _parts(rows, tables, "median.cost"),
        "runs_per_month": of.runs_per_month,
        "billed_s": tables.numbers(rows.column(lambda part: part.billed_s)),
        "physical_limit_s": tables.numbers(rows.column(lambda part: part.physical_limit_s)),
        "cost_always_on_usd": tables.numbers(rows.column(lambda part: part.always_on.total)),
        "cost_always_on_parts_usd": _parts(rows, tables, "always_on"),
        **_shapes(rows, tables),
        "empty_time_s": tables.optional(rows.optional(lambda part: part.empty_time_s)),
        "empty_cost_usd": tables.optional(rows.optional(lambda part: part.empty_cost_usd)),
        "latency": _column([_latency(row, of_row_s) for row, of_row_s in zip(asked, busy_s, strict=True)]),
        "promises": [None if limit is None else promise_answer(limit) for limit in limits],
        "promise": promise,
        "meets_deadline": tables.optional(rows.optional(lambda part: part.forecast.meets_deadline)),
        "meets_budget": tables.optional(rows.optional(lambda part: part.forecast.meets_budget)),
        "loss_probability": tables.numbers(rows.column(lambda part: part.loss_probability)),
        "loss_exposure_s": tables.numbers(rows.column(lambda part: part.loss_exposure_s)),
        "range_sources": _range_sources(rows),
        "framework_error_below": _column(rows.optional(lambda part: part.faster_error)),
        "purchase": _column([row.workload.place.paid_by for row in asked]),
        "durability": _column([row.workload.job.durability.model for row in asked]),
        "replicas": _column([row.workload.job.durability.replicas for row in asked]),
    }


def _latency(row: Row, busy_s: float) -> LatencyAnswer | None:
    found = latency_of(row, busy_s)
    return None if found is None else latency_answer(found)


def _shapes(rows: Predictions, tables: _Tables) -> dict[str, Any]:
    """Return the phases of rows, by shape: rows of one shape have the same phases and resources."""
    shape_of: list[Hashable] = [None] * len(rows)
    reworked = rows.column(lambda part: part.rework_s) > 0.0
    for part, indices, _ in rows.shapes:
        key = [(phase.name, phase.kind, tuple([name for name, _ in phase.resource_times_s])) for phase in part.phases]
        for index in indices.tolist():
            shape_of[index] = tuple(key if reworked[index] else key[: len(part.median.phases)])
    keys, shape = _indexed(shape_of)
    return {
        "shapes": [
            _phases(rows.picked([index for index, key in enumerate(shape_of) if key == own]), tables) for own in keys
        ],
        "shape": shape,
    }


def _phases(rows: Predictions, tables: _Tables) -> list[dict[str, Any]]:
    """Return the phases of rows of one shape."""
    part = rows.shapes[0][0]
    phases = part.phases if rows.column(lambda part: part.rework_s)[0] > 0.0 else part.median.phases
    return [_phase(rows, tables, place, phase) for place, phase in enumerate(phases)]


def _phase(rows: Predictions, tables: _Tables, place: int, of_first: PhaseTime) -> dict[str, Any]:
    resources = [name for name, _ in of_first.resource_times_s]
    times_s = rows.column(lambda part: part.phases[place].time_s)
    slowest = rows.column(lambda part: part.slowest[place]).tolist()
    names, bottleneck = _indexed([resources[int(index)] for index in slowest])
    busy_s = np.array([rows.column(_busy_s(place, index)) for index in range(len(resources))])
    shares = np.divide(busy_s, times_s, out=np.zeros(busy_s.shape), where=times_s != 0.0)
    return {
        "name": of_first.name,
        "kind": of_first.kind,
        "time_s": tables.numbers(times_s),
        "bottlenecks": names,
        "bottleneck": bottleneck,
        "utilization": dict(zip(resources, map(_column, _rounded(shares, _SHARE_DIGITS)), strict=True)),
    }


def _busy_s(place: int, resource: int) -> Callable[[Predicted], Quantity]:
    """Return a function that returns the time that a phase would take with one of its resources alone [s]."""
    return lambda part: part.phases[place].resource_times_s[resource][1]


def _range_sources(rows: Predictions) -> dict[str, list[float | None]]:
    columns: dict[str, list[float | None]] = {}
    for index, (part, place) in enumerate(rows.each):
        for name, deviation in part.range_sources(place):
            columns.setdefault(name, [None] * len(rows))[index] = round(float(deviation), _DEVIATION_DIGITS)
    return {name: _column(column) for name, column in columns.items()}


def _rounded(numbers: NDArray[np.float64], digits: int) -> list[list[float]]:
    """Return rows of numbers with so many digits after the point, as `round` does."""
    scale = 10.0**digits
    scaled = numbers * scale
    rounded = np.rint(scaled)
    # Near the middle between two, the rounding of the product would decide.
    for place in np.flatnonzero(np.abs(np.abs(scaled - rounded) - 0.5) < _NEARLY):
        rounded.flat[place] = np.rint(round(float(numbers.flat[place]), digits) * scale)
    found: list[list[float]] = (rounded / scale).tolist()
    return found


def _ranges(rows: Predictions, tables: _Tables, name: str) -> dict[str, list[float]]:
    """Return the quantiles of a quantity, which `Predicted` has under that name."""
    return {quantile: tables.numbers(rows.column(attrgetter(f"{name}.{quantile}"))) for quantile in Quantiles._fields}


def _parts(rows: Predictions, tables: _Tables, name: str) -> dict[str, list[float]]:
    """Return the parts of a cost, which `Predicted` has under that name, that are above 0 in some row."""
    found = {term.part: rows.column(attrgetter(f"{name}.{term.part}")) for term in TERMS}
    return {part: tables.numbers(usd) for part, usd in found.items() if usd.any()}


def _nine_digits(numbers: NDArray[np.float64]) -> list[float]:
    """Return numbers with nine significant digits.

    Raises
    ------
    ValueError
        A number is infinite or NaN, which no answer may have.
    """
    if not np.isfinite(numbers).all():
        raise ValueError("a number of an answer is not finite")
    # Many columns have no values, or only zeros.
    rounded = np.where(numbers > _SMALLEST, nine_digits(numbers), numbers) if numbers.any() else numbers
    found: list[float] = rounded.tolist()
    return found


def _column(values: list[_T]) -> list[_T]:
    """Return the values, or a single one if all are equal."""
    return values[:1] if values and values.count(values[0]) == len(values) else values


def _indexed(values: Sequence[_K]) -> tuple[list[_K], list[int]]:
    """Return the different values, and a column of their indices."""
    known: dict[_K, int] = {}
    indices = [known.setdefault(value, len(known)) for value in values]
    return list(known), _column(indices)
