"""Slowdown tables: how much slower the slowest of n nodes is than the typical node."""

import numpy as np
from numpy.typing import NDArray

from stowage.model.jobs.workload import Workload
from stowage.model.uncertainty.scale import slowdown
from stowage.model.uncertainty.straggler import NO_STRAGGLERS, slowest
from stowage.optimizer.columns.rates import RateColumns


def slow_tables(workload: Workload, rate_columns: RateColumns, nodes: NDArray[np.float64]) -> NDArray[np.float64]:
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
