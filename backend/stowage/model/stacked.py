"""Predictions of many configurations at once.

The inputs of configurations that differ in numbers only are stacked: a stacked figure has an array as its value. The
arithmetic takes it as it takes a number, and evaluates all configurations in one pass. Each prediction equals that of
its configuration alone, to the last bit.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.cluster import Ebs, InstanceStore, Layout
from stowage.model.figure import Figure
from stowage.model.forecast import evaluate, month_of
from stowage.model.hardware.profile import ScalingCurve
from stowage.model.hardware.volume_limits import IopsAndThroughput
from stowage.model.inputs import Inputs
from stowage.model.lazy import Built
from stowage.model.offer import offer_of
from stowage.model.prediction import Predicted, Prediction, Row
from stowage.model.units import Quantity, element

_FIGURES = tuple(each.name for each in fields(Inputs) if "Figure" in str(each.type) and each.name != "doubts")
_figures_of = attrgetter(*_FIGURES)
_OF_INSTANCE = ("vcpus", "memory_gib", "disk_count", "network_peak_mb_per_s")


class Predictions(Built[Prediction]):
    """Predictions without sources, as columns of rows of one shape; each is built when it is accessed.

    Parameters
    ----------
    parts : sequence of Predicted
    places : sequence of (int, int)
        For each prediction the index of its part, and of its row in the part.
    """

    def __init__(self, parts: Sequence[Predicted], places: Sequence[tuple[int, int]]) -> None:
        super().__init__(places, lambda some: [parts[part].prediction(row) for part, row in some])
        self.parts, self.places = parts, places

    @cached_property
    def shapes(self) -> Sequence[tuple[Predicted, NDArray[np.intp], NDArray[np.intp]]]:
        """Parts with predictions here, each with the indices of its predictions, and their rows in the part."""
        part_of, row_of = np.array(self.places, np.intp).reshape(-1, 2).T
        which = (np.flatnonzero(part_of == part) for part in range(len(self.parts)))
        return [(part, found, row_of[found]) for part, found in zip(self.parts, which, strict=True) if found.size]

    @property
    def each(self) -> Sequence[tuple[Predicted, int]]:
        """Part of each prediction, and the index of its row in the part."""
        return [(self.parts[part], row) for part, row in self.places]

    @property
    def rows(self) -> Sequence[Row]:
        """Row of each prediction."""
        return [part.rows[row] for part, row in self.each]

    def sourced(self, index: int) -> Prediction:
        """Return the prediction at an index with its sources."""
        part, row = self.each[index]
        return part.sourced(row)

    def compute(self, sourced: int) -> None:
        """Compute now what is otherwise computed when it is read, and the sources of the first ``sourced`` rows."""
        for part, _, _ in self.shapes:
            part.compute()
        for index in range(min(sourced, len(self))):
            self.sourced(index)

    def picked(self, indices: Iterable[int]) -> "Predictions":
        """Return the predictions at some indices."""
        return Predictions(self.parts, [self.places[index] for index in indices])

    def column(self, of: Callable[[Predicted], Quantity | NDArray[np.intp]]) -> NDArray[np.float64]:
        """Return a number of each prediction."""
        column = np.empty(len(self))
        for part, indices, rows in self.shapes:
            column[indices] = element(of(part), rows)
        return column

    def optional(self, of: Callable[[Predicted], Quantity | None]) -> list[float | None]:
        """Return a number of each prediction; None for those of which it is None or NaN."""

        def known(part: Predicted) -> Quantity:
            found = of(part)
            return np.nan if found is None else found

        return [None if math.isnan(number) else number for number in self.column(known).tolist()]


def joined(every: Sequence[Predictions]) -> Predictions:
    """Return the predictions of several, one after the other."""
    starts = accumulate((len(each.parts) for each in every), initial=0)
    return Predictions(
        [part for each in every for part in each.parts],
        [(start + part, row) for each, start in zip(every, starts, strict=False) for part, row in each.places],
    )


def predict_rows(rows: Sequence[Row]) -> Predictions:
    """Predict possible configurations, in a fraction of the time of `predict_from` for each."""
    groups: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(place if _is_alone(row) else _shape(row), []).append(place)
    places = [(0, 0)] * len(rows)
    for part, of_part in enumerate(groups.values()):
        for index, place in enumerate(of_part):
            places[place] = part, index
    return Predictions([_predict_alike([rows[place] for place in of_part]) for of_part in groups.values()], places)


def _predict_alike(rows: Sequence[Row]) -> Predicted:
    """Predict rows of one shape."""
    if len(rows) == 1:
        [row] = rows
        return Predicted(rows, row.inputs, row.configuration.layout, float(row.configuration.nodes))
    return Predicted(
        rows,
        stacked_inputs([row.inputs for row in rows]),
        stacked_layout([_layout_of(row) for row in rows]),
        np.array([row.configuration.nodes for row in rows], np.float64),
    )


@frozen
class Course:
    """A row at many node counts."""

    row: Row
    """Row whose workload has the replication factor that applies at all node counts."""
    nodes: NDArray[np.float64]
    """Node counts. Shape (n,)."""
    volume_gib: NDArray[np.float64] | None
    """Size of each volume [GiB]; None for the size in the row's layout. Shape (n,)."""


class Medians(NamedTuple):
    """Median times and costs along a course."""

    time_s: list[float]
    """Times of the job [s]."""
    cost_usd: list[float]
    """Costs of a run [USD]."""
    month_usd: list[float]
    """Costs of an always-on cluster for a month [USD]."""


def medians_along(courses: Sequence[Course]) -> list[Medians]:
    """Return the median times and costs of each course."""
    groups: dict[Hashable, list[int]] = {}
    for place, course in enumerate(courses):
        groups.setdefault(place if _is_alone(course.row) else _shape(course.row), []).append(place)
    found: dict[int, Medians] = {}
    for places in groups.values():
        found |= zip(places, _medians_alike([courses[place] for place in places]), strict=True)
    return [found[place] for place in range(len(courses))]


def _medians_alike(courses: Sequence[Course]) -> Iterator[Medians]:
    """Yield the medians of courses of one shape."""
    rows, workload = [course.row for course in courses], courses[0].row.workload
    counts = [course.nodes.size for course in courses]
    nodes = np.concatenate([course.nodes for course in courses])
    sizes = [course.volume_gib for course in courses if course.volume_gib is not None]
    inputs = stacked_inputs([row.inputs for row in rows], counts)
    layout = stacked_layout([_layout_of(row) for row in rows], counts)
    offered = offer_of(inputs, layout, workload, nodes, np.concatenate(sizes) if sizes else None, quantile=0.5)
    found = evaluate(offered, workload, nodes)
    amounts = found.time_s, found.cost.total, month_of(offered, workload, nodes).total
    columns = [np.broadcast_to(amount, nodes.shape).tolist() for amount in amounts]
    stop = 0
    for count in counts:
        start, stop = stop, stop + count
        yield Medians(*(column[start:stop] for column in columns))


def _is_alone(row: Row) -> bool:
    """Return whether a row has parts that cannot be stacked: a curve over node counts, or courses of slow nodes."""
    return isinstance(row.inputs.network, ScalingCurve) or row.workload.stragglers is not None


def _shape(row: Row) -> Hashable:
    """Return a key that is equal for rows whose inputs and layouts differ in numbers only."""
    inputs, layout = row.inputs, _layout_of(row)
    instance = inputs.instance
    of_layout: Hashable = None
    if isinstance(layout, Ebs):
        first_read = layout.first_read_mib_per_s
        of_volume = layout.volume_type, layout.iops is None, layout.throughput_mib_per_s is None
        of_layout = *of_volume, first_read, instance.on_nitro
    elif isinstance(layout, InstanceStore):
        of_layout = layout.input_output_disks == 0, layout.intermediate_disks == 0
    return (
        (id(row.workload), id(inputs.framework), id(inputs.volume), id(inputs.object_prices), type(layout), of_layout),
        tuple([None if figure is None else (figure.kind == "given", figure.unit) for figure in _figures_of(inputs)]),
        tuple([(name, reason) for name, reason, _ in inputs.doubts]),
        (instance.disk_count.value == 0.0, instance.network_peak_mb_per_s is None),
    )


def _layout_of(row: Row) -> Layout:
    """Return the layout of a row, with the IOPS and the throughput that its volumes include as numbers.

    It is predicted as the row's own layout. Volumes with more than what is included have the same shape then.
    """
    layout, volume = row.configuration.layout, row.inputs.volume
    if not isinstance(layout, Ebs) or volume is None:
        return layout
    included = volume.limits.performance
    if not isinstance(included, IopsAndThroughput):
        return layout
    iops, throughput = int(included.included_iops.value), int(included.included_mib_per_s.value)
    return replace(
        layout,
        iops=iops if layout.iops is None else layout.iops,
        throughput_mib_per_s=throughput if layout.throughput_mib_per_s is None else layout.throughput_mib_per_s,
    )


def stacked_inputs(every: Sequence[Inputs], counts: Sequence[int] | None = None) -> Inputs:
    """Return inputs of one shape as one, with an array of values in each figure that differs.

    ``counts`` is how often the value of each is repeated; None for once.
    """
    first = every[0]
    if all(each is first for each in every):
        return first
    figures = zip(*map(_figures_of, every), strict=True)
    changed = {name: _stacked(of_all, counts) for name, of_all in zip(_FIGURES, figures, strict=True)}
    hardware = {name: _stacked([getattr(each.instance, name) for each in every], counts) for name in _OF_INSTANCE}
    metrics = dict.fromkeys(metric for each in every for metric in each.fastest)
    return replace(
        first,
        **changed,
        instance=replace(first.instance, **hardware),
        doubts=tuple(
            (name, reason, _stacked([each.doubts[place][2] for each in every], counts))
            for place, (name, reason, _) in enumerate(first.doubts)
        ),
        fastest={metric: _array([each.fastest.get(metric, 0.0) for each in every], counts) for metric in metrics},
    )


def _stacked(figures: Sequence[Figure | None], counts: Sequence[int] | None) -> Any:  # noqa: ANN401 - a figure with an array, or None
    first = figures[0]
    if first is None or all(figure is first for figure in figures):
        return first
    return replace(first, value=_array([cast("Figure", figure).value for figure in figures], counts))


def stacked_layout(layouts: Sequence[Layout], counts: Sequence[int] | None = None) -> Layout:
    """Return layouts of one shape as one, with an array in each field that differs; ``counts`` as for inputs."""
    first = layouts[0]
    names = [each.name for each in fields(first) if isinstance(getattr(first, each.name), int)]
    changed: Any = {name: _array([getattr(layout, name) for layout in layouts], counts) for name in names}
    return replace(first, **changed)


def _array(numbers: list[float], counts: Sequence[int] | None) -> Any:  # noqa: ANN401 - stands for a number
    """Return numbers as an array, or as the number that all of them are."""
    first = float(numbers[0])
    if numbers.count(first) == len(numbers):
        return first
    array = np.array(numbers, np.float64)
    return array if counts is None else np.repeat(array, counts)
