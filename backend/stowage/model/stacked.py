"""Predictions of many configurations at once.

Offers of one shape are stacked into one offer of arrays, which the arithmetic evaluates in one pass. Each prediction
equals that of its configuration alone, to the last bit.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, cast

import numpy as np

from stowage.frozen import frozen
from stowage.model.cluster import Configuration
from stowage.model.forecast import Evaluation, PhaseTime, evaluate, month_of
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs
from stowage.model.jobs.workload import Workload
from stowage.model.money.cost import Cost
from stowage.model.money.terms import TERMS
from stowage.model.offer import Offer, emptied, offer_of
from stowage.model.physical_limit import limit_offer, limit_time_s, limit_workload
from stowage.model.prediction import OnEmpty, Prediction, Times, assembled, obstacle_of, predict_from
from stowage.model.rates import Rates
from stowage.model.units import Quantity

_FEWEST = 4
"""Configurations from which arrays are faster than one evaluation after the other."""


@frozen
class Row:
    """One configuration to predict, with the figures that `gather` found for it."""

    inputs: Inputs
    configuration: Configuration
    workload: Workload
    """Workload with the replication factor that applies at the configuration's node count."""


def predict_rows(rows: Sequence[Row]) -> list[Prediction | Infeasible]:
    """Return the result of `predict_from` without sources for each row, in a fraction of the time."""
    found: list[Prediction | Infeasible | None] = [
        obstacle_of(row.inputs, row.configuration, row.workload) for row in rows
    ]
    offers: dict[int, Offer] = {}
    groups: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        if found[place] is None:
            offered = offer_of(row.inputs, row.configuration.layout, row.workload, float(row.configuration.nodes))
            offers[place] = offered
            # Slow nodes have courses, each an offer of its own.
            alike = place if offered.courses else (_shape(offered), id(row.workload))
            groups.setdefault(alike, []).append(place)
    for places in groups.values():
        chosen = [rows[place] for place in places]
        if len(places) < _FEWEST:
            predicted = [predict_from(row.inputs, row.configuration, row.workload, sources=False) for row in chosen]
        else:
            predicted = list(_predict_alike(chosen, [offers[place] for place in places]))
        for place, prediction in zip(places, predicted, strict=True):
            found[place] = prediction
    return [each for each in found if each is not None]


def _predict_alike(rows: Sequence[Row], offers: Sequence[Offer]) -> list[Prediction]:
    """Predict rows of one workload whose offers have one shape."""
    workload = rows[0].workload
    nodes = np.array([row.configuration.nodes for row in rows], np.float64)
    together: Offer = _stacked([_without_doubts(offered) for offered in offers])
    middle = evaluate(together, workload, nodes)
    medians = _evaluations(middle, len(rows))
    months = _costs(month_of(together, workload, nodes), len(rows))
    limits_s = _limits_s(rows, workload, nodes)
    keeping = _keeps_credit(middle, len(rows))
    emptied_runs: list[OnEmpty] = []
    if any(keeping):
        empty = evaluate(emptied(together), workload, nodes)
        parts = _column(empty.time_s, len(rows)), _column(empty.cost.total, len(rows))
        emptied_runs = [OnEmpty(time_s, usd) for time_s, usd in zip(*parts, strict=True)]
    return [
        assembled(
            row.inputs,
            row.configuration,
            workload,
            offers[place],
            Times(medians[place], months[place], limits_s[place], emptied_runs[place] if keeping[place] else None),
        )
        for place, row in enumerate(rows)
    ]


def _limits_s(rows: Sequence[Row], workload: Workload, nodes: Quantity) -> list[float]:
    """Return the physical limit of each row [s]."""
    full = limit_workload(workload)
    offers = [limit_offer(row.inputs, row.configuration, full) for row in rows]
    if len({_shape(offered) for offered in offers}) == 1:
        return _column(limit_time_s(_stacked(offers), full, nodes), len(rows))
    return [
        float(limit_time_s(offered, full, float(row.configuration.nodes)))
        for row, offered in zip(rows, offers, strict=True)
    ]


def _without_doubts(offered: Offer) -> Offer:
    """Return what the times and costs of an offer need."""
    return Offer(
        rates=offered.rates,
        prices=offered.prices,
        charges=offered.charges,
        framework=offered.framework,
        start_s=offered.start_s,
        memory_mb=offered.memory_mb,
        vcpus=offered.vcpus,
        spot=offered.spot,
    )


_OPTIONAL = tuple(each.name for each in fields(Rates) if "None" in str(each.type))


def _shape(offered: Offer) -> Hashable:
    """Return a key that is equal for offers with the same fields and lines, which may differ in numbers only."""
    rates = offered.rates
    return (
        tuple([getattr(rates, name) is None for name in _OPTIONAL]),
        rates.shares_disks,
        rates.copies_objects,
        # A line with burst credit keeps its rate where a framework slows the others.
        tuple([(tuple(line.weights), bool(line.full > 0.0)) for line in rates.volumes]),
        id(offered.framework),
        offered.spot is None,
        offered.start_s,
    )


def _stacked(values: Sequence[Any]) -> Any:  # noqa: ANN401 - any part of an offer
    """Return one value of arrays, with an element for each of the values; a number that is equal in all stays one."""
    first = values[0]
    if all(value is first for value in values):
        return first
    if isinstance(first, float | int):
        return first if all(value == first for value in values) else np.array(values, np.float64)
    if isinstance(first, tuple):
        return tuple(map(_stacked, zip(*values, strict=True)))
    if isinstance(first, Mapping):
        return {key: _stacked([value[key] for value in values]) for key in first}
    record = type(first)
    if is_dataclass(record):
        return record(**{name: _stacked([getattr(value, name) for value in values]) for name in _names(record)})
    if any(value != first for value in values):
        raise TypeError(f"{record.__name__} cannot be stacked")
    return first


@cache
def _names(record: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(cast("Any", record)))


def _column(quantity: Quantity, size: int) -> list[float]:
    """Return the value of each configuration."""
    if isinstance(quantity, np.ndarray) and quantity.ndim:
        values: list[float] = quantity.tolist()
        return values
    return [float(quantity)] * size


def _evaluations(found: Evaluation, size: int) -> list[Evaluation]:
    """Return the evaluation of each configuration, without resources."""
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
    of_rows = zip(*phases, strict=True)
    figures = zip(of_rows, *(_column(part, size) for part in (found.time_s, found.work_s)), strict=True)
    return [
        Evaluation((), of_row, time_s, work_s, cost)
        for (of_row, time_s, work_s), cost in zip(figures, _costs(found.cost, size), strict=True)
    ]


_PARTS = tuple(term.part for term in TERMS)


def _costs(found: Cost, size: int) -> list[Cost]:
    """Return the cost of each configuration."""
    columns = [_column(getattr(found, part), size) for part in _PARTS]
    return [Cost(**dict(zip(_PARTS, parts, strict=True))) for parts in zip(*columns, strict=True)]


def _keeps_credit(found: Evaluation, size: int) -> list[bool]:
    """Return whether a resource of each configuration may have burst credit."""
    keeping = np.zeros(size, np.bool_)
    for resource in found.resources:
        for line in resource.lines:
            keeping |= np.asarray(line.full) > 0.0
    return keeping.tolist()
