"""Slowdown tables: how much slower the slowest of n nodes is than the typical node."""

import numpy as np

from stowage.model.jobs.workload import Workload
from stowage.model.uncertainty.scale import slowdown
from stowage.model.uncertainty.straggler import NO_STRAGGLERS, Stragglers, slowest
from stowage.optimizer.arrays import Floats
from stowage.optimizer.columns.rates import RateColumns


def slow_tables(workload: Workload, rate_columns: RateColumns, nodes: Floats) -> Floats:
    """Return the tables of `RateColumns.tables` for the stragglers of a workload.

    Stragglers are slow nodes or volumes; a workload may have none. The result has shape (tables, places): each table
    has one value for each node count.
    """
    late = workload.stragglers
    if late is None:
        return rate_columns.hardware.tables(nodes, None, slowdown)
    of_nodes = NO_STRAGGLERS if workload.straggling == "volumes" else late
    return rate_columns.hardware.tables(
        nodes, of_nodes, lambda spread, counts: slowest(spread, counts, 0.5, stragglers=of_nodes)
    )


def tables_of(workload: Workload, rate_columns: RateColumns, nodes: Floats, most_volumes: int) -> tuple[Floats, int]:
    """Return the tables for the kernel, most of which are slowdown tables.

    Returns
    -------
    tables : array, shape (tables, places)
        Tables of `slow_tables`, then one slowdown table for each count of volumes per node up to ``most_volumes``.
    first : int
        Index of the first table for volumes; -1 if there are no such tables.
    """
    late, tables = workload.stragglers, slow_tables(workload, rate_columns, nodes)
    if late is None or not rate_columns.grids:
        return tables, -1
    rows = []
    for count in range(most_volumes + 1):
        # A node waits for the slowest of its own volumes.
        one_by_one = workload.straggling == "volumes" and count > 0
        of_count = Stragglers.of_volumes(late.share, late.factor, count) if one_by_one else late
        rows.append(np.broadcast_to(slowest(0.0, nodes, 0.5, stragglers=of_count), nodes.shape))
    return np.ascontiguousarray(np.concatenate([tables, rows])), tables.shape[0]
