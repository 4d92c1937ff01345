"""Tables of the slowdown of the slowest of n nodes, relative to the typical node."""

import numpy as np
from numpy.typing import NDArray

from stowage.model.jobs.workload import Workload
from stowage.model.uncertainty.scale import slowdown
from stowage.model.uncertainty.straggler import NO_STRAGGLERS, slowest
from stowage.optimizer.columns import RateColumns


def slow_tables(workload: Workload, rate_columns: RateColumns, nodes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the tables of `RateColumns.tables` for the workload's stragglers, shape (tables, places)."""
    late = workload.stragglers
    if late is None:
        return rate_columns.tables(nodes, None, slowdown)
    of_nodes = NO_STRAGGLERS if workload.straggling == "volumes" else late
    return rate_columns.tables(
        nodes, of_nodes, lambda spread, counts: slowest(spread, counts, 0.5, stragglers=of_nodes)
    )
