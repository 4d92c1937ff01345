"""Re-replication of a failed node, for all lanes and node counts of a search space at once.

Re-replication replaces the lost copies of the failed node by new copies on other nodes. A lane is an instance type with
one storage layout over a range of node counts (`space`). The rates are those of `columns.rates`, and the
model computes the time from these rates.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import rereplication_s
from stowage.model.offer import repair_mb_per_s
from stowage.model.rates import Rates
from stowage.optimizer.arrays import Flags, Floats, Ints
from stowage.optimizer.columns.rates import RateColumns
from stowage.optimizer.slowness import slow_tables

_ROUNDING = 1e-9
"""Relative margin for the rounding of times [1]."""

_FIELDS = (
    *("network_table", "network", "network_base"),
    *("disk_table", "disk", "disk_read", "disk_write", "disk_divisor"),
)
"""Fields of a lane that say how fast a node re-replicates."""


def rereplicated_in_time(
    workload: Workload, rate_columns: RateColumns, types: Ints, disks: Ints, nodes: Floats
) -> Flags:
    """Check whether failed nodes are re-replicated within the time limit of a workload.

    Parameters
    ----------
    workload : Workload
        Workload with the replication factor at these node counts.
    rate_columns : RateColumns
    types : array, shape (lanes,)
        Index of each lane's instance type, which stores copies on local disks.
    disks : array, shape (lanes,)
        Number of a node's disks for input and output.
    nodes : array, shape (places,)
        Node counts.

    Returns
    -------
    array of bool, shape (lanes, places)
        Whether a failed node is re-replicated in time, for each lane and each node count.
    """
    limit_s = workload.rereplicated_within_s
    found = np.ones((types.size, nodes.size), np.bool_)
    if limit_s is None:
        return found
    tables = slow_tables(workload, rate_columns, nodes)
    # Only these fields: a whole lane takes half a kilobyte.
    fields = {name: rate_columns.hardware.lanes[name][rate_columns.places[types]] for name in _FIELDS}

    def longest_s(which: NDArray[np.intp] | slice, slowness: Floats, network: Floats, counts: Floats) -> Floats:
        rates = _rates({name: of_lanes[which] for name, of_lanes in fields.items()}, slowness, network, disks[which])
        return np.asarray(rereplication_s(workload, repair_mb_per_s(rates), counts))

    starts = _doubling(nodes)
    # At constant rates the time falls with the node count: a bound of each part of the node counts.
    lowest = np.maximum.reduceat(tables, starts, axis=1), np.minimum.reduceat(tables, starts, axis=1)
    too_slow = longest_s(slice(None), *lowest, nodes[starts]) > limit_s * (1.0 - _ROUNDING)
    for place in np.flatnonzero(np.logical_or.reduce(too_slow, axis=0)).tolist():
        part = slice(starts[place], starts[place + 1] if place + 1 < len(starts) else nodes.size)
        open_lanes, of_part = np.flatnonzero(too_slow[:, place]), tables[:, part]
        found[open_lanes, part] = longest_s(open_lanes, of_part, of_part, nodes[part]) <= limit_s
    return found


def _doubling(nodes: Floats) -> list[int]:
    """Return the first places of parts of ascending node counts, in each of which the count at most doubles."""
    starts = [0]
    while (stop := int(np.searchsorted(nodes, 2.0 * nodes[starts[-1]], side="right"))) < nodes.size:
        starts.append(stop)
    return starts


def _rates(lanes: Mapping[str, NDArray[Any]], slowness: Floats, network: Floats, disks: Ints) -> Rates:
    """Return the rates of a node that can limit re-replication, from those `_FIELDS` of the lanes.

    They have shape (lanes, places) or (lanes, 1). A rate that does not limit is infinite. Slowdowns come from the
    tables ``slowness``, network rates from ``network``.
    """
    count = disks.astype(np.float64)[:, np.newaxis]

    def column(name: str) -> Floats:
        values: Floats = lanes[name][:, np.newaxis]
        return values

    def along(tables: Floats, table: str, otherwise: Floats | float) -> Floats:
        """Return the values of the table to which each type's lane refers.

        ``table`` is the field of the lane with the number of the table. Lanes that refer to no table get ``otherwise``.
        """
        if not tables.size:
            return np.broadcast_to(otherwise, (disks.size, 1))
        places = lanes[table]
        return np.where((places >= 0)[:, np.newaxis], tables[np.maximum(places, 0)], otherwise)

    def there(rate: Floats) -> Floats:
        return np.where(rate > 0.0, rate, np.inf)

    slow = along(slowness, "disk_table", 1.0)
    both, read, written = (
        there(count * (column(name) / slow / column("disk_divisor"))) for name in ("disk", "disk_read", "disk_write")
    )
    return Rates(
        network=there(along(network, "network_table", column("network"))),
        network_baseline=there(column("network_base")),
        input_output_disks=np.minimum(both, read),
        input_output_writes=written,
    )
