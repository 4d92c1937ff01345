"""Curves: time and cost of the first rows of a ranking over node counts, to be drawn."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stowage.model.cluster import Configuration, Ebs, smallest_volume_gib
from stowage.model.hardware.steps import smallest_for_iops_gib
from stowage.model.plan import Candidate, Curve, Points
from stowage.model.prediction import Prediction
from stowage.model.stacked import Course, Medians, Row, medians_along
from stowage.optimizer.problem import SearchProblem
from stowage.optimizer.volume_grid import distinct

CURVE_POINTS = 32
"""Points of a curve, evenly spaced in the logarithm of the node count."""


def curves_of(problem: SearchProblem, rows: Sequence[tuple[Prediction, int]]) -> tuple[Curve, ...]:
    """Return the curve of each row.

    Along a curve, volumes change in size, but not in number or speed.

    Parameters
    ----------
    problem : SearchProblem
    rows : sequence of tuple of (Prediction, int)
        Prediction of each row, with the index of its lane.
    """
    courses = [_course(problem, row, lane) for row, lane in rows]
    of_month = problem.workload.objective == "month"
    return tuple(
        _curve(row, course, medians, of_month=of_month)
        for (row, _), course, medians in zip(rows, courses, medians_along(courses), strict=True)
    )


def _course(problem: SearchProblem, row: Prediction, lane: int) -> Course:
    """Return the node counts and the volume sizes of a row's curve."""
    configuration, workload = row.configuration, problem.workload_of(lane)
    layout = configuration.layout
    inputs = problem.inputs(configuration.instance, layout)
    columns = problem.lanes.rows[lane]
    every = problem.lanes.nodes[int(columns["first"]) : int(columns["last"]) + 1]
    nodes = np.ascontiguousarray(every[_picked(every.size)])
    sizes: NDArray[np.float64] | None = None
    if isinstance(layout, Ebs) and inputs.volume is not None:
        least = layout.size_gib if problem.grid(layout, inputs).by_size else 0
        least = max(least, smallest_for_iops_gib(inputs.volume, layout.iops))
        sizes = np.maximum(smallest_volume_gib(workload, inputs.volume, layout.count, nodes), float(least))
        held = sizes <= inputs.volume.limits.largest_gib.value
        nodes, sizes = nodes[held], sizes[held]
    return Course(Row(inputs, configuration, workload), nodes, sizes)


@lru_cache(maxsize=1 << 10)
def _picked(size: int) -> NDArray[np.int64]:
    """Return the places of at most `CURVE_POINTS` of ``size`` node counts."""
    return distinct(np.rint(np.geomspace(1, size, min(size, CURVE_POINTS))).astype(np.int64)) - 1


def _curve(row: Prediction, course: Course, medians: Medians, *, of_month: bool) -> Curve:
    configuration, sizes_gib = row.configuration, course.volume_gib

    def candidate(place: int) -> Candidate:
        layout = configuration.layout
        if sizes_gib is not None and isinstance(layout, Ebs):
            layout = replace(layout, size_gib=int(sizes_gib[place]))
        return Candidate(
            Configuration(configuration.instance, int(course.nodes[place]), layout),
            medians.time_s[place],
            medians.cost_usd[place],
            row.purchase,
            row.durability,
            month_usd=medians.month_usd[place] if of_month else None,
        )

    return Curve(configuration.instance, Points(range(course.nodes.size), candidate))
