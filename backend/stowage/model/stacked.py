"""Predictions of many configurations at once.

The inputs of configurations that differ in numbers only are stacked: a stacked figure has an array as its value. The
arithmetic takes it as it takes a number, and evaluates all configurations in one pass. Each prediction equals that of
its configuration alone, to the last bit.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout
from stowage.model.figure import Figure
from stowage.model.forecast import Evaluation, Forecast, PhaseTime, evaluate, forecast_from, month_of
from stowage.model.hardware.profile import ScalingCurve
from stowage.model.infeasible import feasible
from stowage.model.inputs import Inputs
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probabilities
from stowage.model.money.cost import Cost
from stowage.model.money.terms import TERMS
from stowage.model.offer import Offer, emptied, offer_of
from stowage.model.physical_limit import limit_time_s
from stowage.model.prediction import Figures, OnEmpty, Prediction, Range, assembled, billed_s, predict_from
from stowage.model.rates import channel
from stowage.model.uncertainty.range import Source, job_sources
from stowage.model.units import Quantity

_FEWEST = 4
"""Configurations from which arrays are faster than one prediction after the other."""

_FIGURES = tuple(each.name for each in fields(Inputs) if "Figure" in str(each.type) and each.name != "doubts")
_figures_of = attrgetter(*_FIGURES)
_OF_INSTANCE = ("vcpus", "memory_gib", "disk_count", "network_peak_mb_per_s")
_parts_of = attrgetter(*(term.part for term in TERMS))


@frozen
class Row:
    """One configuration to predict, with the figures that `gather` found for it."""

    inputs: Inputs
    configuration: Configuration
    workload: Workload
    """Workload with the replication factor that applies at the configuration's node count."""


def predict_rows(rows: Sequence[Row]) -> list[Prediction]:
    """Return the result of `predict_from` without sources for each row, in a fraction of the time.

    Raises
    ------
    RuntimeError
        A configuration is not possible.
    """
    groups: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(place if _is_alone(row) else _shape(row), []).append(place)
    found: dict[int, Prediction] = {}
    for places in groups.values():
        alike = [rows[place] for place in places]
        if len(places) < _FEWEST:
            predicted = [
                feasible(predict_from(row.inputs, row.configuration, row.workload, sources=False)) for row in alike
            ]
        else:
            predicted = _predict_alike(alike)
        found |= zip(places, predicted, strict=True)
    return [found[place] for place in range(len(rows))]


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
    layout = stacked_layout([row.configuration.layout for row in rows], counts)
    offered = offer_of(inputs, layout, workload, nodes, np.concatenate(sizes) if sizes else None, quantile=0.5)
    found = evaluate(offered, workload, nodes)
    amounts = found.time_s, found.cost.total, month_of(offered, workload, nodes).total
    columns = [_column(amount, nodes.size) for amount in amounts]
    stop = 0
    for count in counts:
        start, stop = stop, stop + count
        yield Medians(*(column[start:stop] for column in columns))


def _is_alone(row: Row) -> bool:
    """Return whether a row has parts that cannot be stacked: a curve over node counts, or courses of slow nodes."""
    return isinstance(row.inputs.network, ScalingCurve) or row.workload.stragglers is not None


def _shape(row: Row) -> Hashable:
    """Return a key that is equal for rows whose inputs and layouts differ in numbers only."""
    inputs, layout = row.inputs, row.configuration.layout
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


def _predict_alike(rows: Sequence[Row]) -> list[Prediction]:
    """Predict rows of one shape."""
    workload, size = rows[0].workload, len(rows)
    nodes = np.array([row.configuration.nodes for row in rows], np.float64)
    inputs = stacked_inputs([row.inputs for row in rows])
    layout = stacked_layout([row.configuration.layout for row in rows])
    offered = offer_of(inputs, layout, workload, nodes)
    middle = evaluate(offered, workload, nodes)
    found = forecast_from(middle, offered, workload, nodes)
    phases = _phases(middle, size)
    medians_s = _column(middle.time_s, size)
    exposures_s = list(map(workload.exposure_s, medians_s))
    month = month_of(offered, workload, nodes)
    faster = None if offered.framework.faster is None else offered.framework.faster_error_at(nodes)
    columns = zip(
        rows,
        (Evaluation((), *of_row) for of_row in zip(phases, medians_s, *_medians(middle, size), strict=True)),
        _costs(month, size),
        _column(billed_s(offered.prices, middle.time_s), size),
        _column(limit_time_s(inputs, layout, workload, nodes), size),
        _emptied(middle, offered, workload, nodes),
        _ranges(found.time_s, size),
        _ranges(found.cost_usd, size),
        _sources(found, phases, nodes, offered.framework.error_at(nodes)),
        _optional(found.meets_deadline, size),
        _optional(found.meets_budget, size),
        _losses(rows, offered, exposures_s),
        exposures_s,
        _optional(faster, size),
        strict=True,
    )
    return [assembled(row.inputs, row.configuration, workload, Figures(*figures)) for row, *figures in columns]


def _column(quantity: Quantity, size: int) -> list[float]:
    """Return the value of each configuration."""
    if isinstance(quantity, np.ndarray) and quantity.ndim:
        values: list[float] = quantity.tolist()
        return values
    return [float(quantity)] * size


def _optional(quantity: Quantity | None, size: int) -> Sequence[float | None]:
    return [None] * size if quantity is None else _column(quantity, size)


def _ranges(quantiles: Sequence[Quantity], size: int) -> Iterator[Range]:
    return (Range(*of_row) for of_row in zip(*(_column(each, size) for each in quantiles), strict=True))


def _medians(found: Evaluation, size: int) -> tuple[list[float], list[Cost]]:
    return _column(found.work_s, size), _costs(found.cost, size)


def _costs(found: Cost, size: int) -> list[Cost]:
    """Return the cost of each configuration."""
    columns = (_column(part, size) for part in _parts_of(found))
    return [Cost(*parts) for parts in zip(*columns, strict=True)]


def _phases(found: Evaluation, size: int) -> list[tuple[PhaseTime, ...]]:
    """Return the phases of each configuration."""
    phases = []
    for phase in found.phases:
        names = [name for name, _ in phase.resource_times_s]
        alone = zip(*(_column(time_s, size) for _, time_s in phase.resource_times_s), strict=True)
        phases.append(
            [
                PhaseTime(phase.name, time_s, tuple(zip(names, times_s, strict=True)), phase.kind)
                for time_s, times_s in zip(_column(phase.time_s, size), alone, strict=True)
            ]
        )
    return list(zip(*phases, strict=True))


def _sources(
    found: Forecast, phases: Sequence[Sequence[PhaseTime]], nodes: NDArray[np.float64], framework_error: Quantity
) -> Iterator[tuple[Source, ...]]:
    """Yield the sources of each configuration's range: those of the channels that limit one of its phases."""
    size = nodes.size
    error, *_ = job_sources((), nodes, framework_error)
    errors = [Source(error.name, deviation) for deviation in _column(error.log_deviation, size)]
    of_channels = {
        ruling.resource: list(
            zip(
                *(
                    [Source(name, deviation) for deviation in _column(deviations, size)]
                    for name, deviations in job_sources((ruling,), nodes, framework_error)[1:]
                ),
                strict=True,
            )
        )
        for ruling in found.rulings
    }
    for place, of_row in enumerate(phases):
        channels = dict.fromkeys(channel(phase.bottleneck) for phase in of_row)
        yield (errors[place], *(source for name in channels for source in of_channels[name][place]))


def _emptied(
    found: Evaluation, offered: Offer, workload: Workload, nodes: NDArray[np.float64]
) -> Sequence[OnEmpty | None]:
    """Return time and cost of each configuration with empty burst buckets; None without buckets."""
    size = nodes.size
    keeping = np.zeros(size, np.bool_)
    for resource in found.resources:
        for line in resource.lines:
            keeping |= np.asarray(line.full) > 0.0
    if not keeping.any():
        return [None] * size
    empty = evaluate(emptied(offered), workload, nodes)
    runs = zip(_column(empty.time_s, size), _column(empty.cost.total, size), strict=True)
    return [OnEmpty(*run) if keeps else None for keeps, run in zip(keeping, runs, strict=True)]


def _losses(rows: Sequence[Row], offered: Offer, exposures_s: Sequence[float]) -> list[float]:
    """Return the chance of data loss of each configuration."""
    rates = _column(offered.repair_mb_per_s, len(rows))
    return loss_probabilities(
        [
            (row.inputs, rate, row.configuration, row.workload, exposure_s)
            for row, rate, exposure_s in zip(rows, rates, exposures_s, strict=True)
        ]
    )
