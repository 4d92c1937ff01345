"""Interface to the kernel, which is the compiled search in `csrc/kernel.c`.

This module declares the structures of the C code as numpy types, and calls its function. All arrays are allocated in
Python and outlive the call; the kernel keeps no references. The call releases the GIL, so several threads can search in
parallel.

A lane is an instance type with one storage layout over a range of node counts (`space`). A row of the ranking is the
best candidate with one instance type and one volume type. A place is the position of a node count in the array of all
node counts.
"""

import ctypes
import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.infeasible import Limit
from stowage.optimizer.arrays import Floats, Records

ROLES, CHANNELS, BUCKETS, BINS, SLOPES = 15, 7, 12, 512, 4
"""Sizes of the kernel's arrays."""

REASONS: tuple[Limit, ...] = ("deadline", "budget", "loss", "quota", "never finishes")
"""Limits that the kernel excludes candidates for, in its order."""

_DOMINATORS = 16
"""Dominating types to list for each type: enough that a selection rarely excludes all of them."""

LIBRARY = Path(__file__).with_name("libkernel.so")

_F, _I = np.float64, np.int32

PRICES = np.dtype(
    [
        (name, _F)
        for name in (
            *("usd_per_hour", "link", "emr", "head_nodes", "head", "head_emr"),
            *("launch_s", "minimum_s", "committed_s", "month_usd_per_hour"),
        )
    ],
    align=True,
)
LANE = np.dtype(
    [
        *((name, _I) for name in ("row", "type", "klass", "volume", "counts", "first", "last", "spot")),
        *((name, _I) for name in ("network_table", "disk_table", "iops_table", "link_table", "link_write_table")),
        *((name, _I) for name in ("shared", "store_remote", "each_way", "iops_each_way")),
        *((name, _F) for name in ("network", "network_base", "network_full", "single_flow")),
        *((name, _F) for name in ("outside", "outside_share")),
        *((name, _F) for name in ("disk", "disk_read", "disk_write", "disk_divisor", "outer", "inner")),
        *((name, _F) for name in ("iops", "iops_read", "iops_write", "outer_share")),
        *((name, _F) for name in ("link_read", "link_write", "link_peak", "link_base")),
        *((name, _F) for name in ("link_peak_iops", "link_base_iops", "store", "cpu")),
        *(
            (name, _F)
            for name in ("interruptions", "replacement_s", "start_s", "spread_storage", "spread_link", "weight")
        ),
        ("doubt", _F, (CHANNELS,)),
        ("doubt_table", _I),
        ("restart", _I),
        ("layout", _I, (2,)),
        ("prices", PRICES),
    ],
    align=True,
)
OFFER = np.dtype(
    [
        *((name, _F) for name in ("burst_io", "base_io", "io_full", "burst_mb", "base_mb", "mb_full")),
        *((name, _F) for name in ("usd_iops", "usd_throughput")),
        *((name, _F) for name in ("burst_io_s", "base_io_s", "burst_mb_s", "base_mb_s")),
        *((name, _I) for name in ("size", "iops", "throughput", "above")),
    ],
    align=True,
)
VOLUME = np.dtype(
    [
        *((name, _I) for name in ("chains", "by_size", "smallest", "largest")),
        *((name, np.uintp) for name in ("cut", "start", "offers", "of_size")),
        *((name, _F) for name in ("usd_per_gib", "gib_limit", "iops_limit", "declared", "loss_limit", "least_io")),
        ("step_usd", _F),
        ("io_weight", _F, (ROLES,)),
        ("mb_weight", _F, (ROLES,)),
        ("late_table", _I),
        ("slopes", _F, (2, SLOPES, 2)),
        ("bins", _I, (BUCKETS,)),
        ("bucket_counts", _I, (BUCKETS,)),
        ("envelope", np.uintp),
    ],
    align=True,
)
FOUND = np.dtype(
    [
        *((name, _F) for name in ("value", "time_s", "cost_usd", "value9", "time9", "cost9", "nodes")),
        *((name, _I) for name in ("lane", "place")),
        ("layout", _I, (4,)),
        *((name, _I) for name in ("on_edge", "reserved")),
    ],
    align=True,
)
_NUMBERS = (
    *("slowed", "slowed_network", "slowed_link", "slowed_store", "slowed_cpu"),
    *("reads", "writes", "streams", "credits", "random_io_mb"),
    *("deadline_s", "relaxed_deadline_s", "chance_z", "budget_usd", "loss_limit"),
    *("excess_time", "excess_cost", "excess_nodes", "excess_units", "runs_per_month", "mb_per_gib"),
    *("resolved", "link_in", "link_out"),
)
_ARRAYS = (
    *("nodes", "flows", "flows_of", "cache", "role", "table", "charges", "held_mb", "deviation", "overhead", "error"),
    *("counts", "powers", "scales", "dominators"),
)


class CProblem(ctypes.Structure):
    """Input of the kernel: `Problem` in `csrc/problem.h`."""

    _fields_ = (
        ("places", ctypes.c_int64),
        ("classes", ctypes.c_int64),
        ("flow_classes", ctypes.c_int64),
        *((name, ctypes.c_int32) for name in ("phases", "tables", "lanes", "volumes", "rows", "count_steps")),
        *((name, ctypes.c_int32) for name in ("types", "most_dominators")),
        *((name, ctypes.c_void_p) for name in _ARRAYS),
        *(
            (name, ctypes.c_int32)
            for name in ("digits", "objective", "want_frontier", "stays", "most_rows", "banned_count")
        ),
        *((name, ctypes.c_double) for name in _NUMBERS),
        ("lane", ctypes.c_void_p),
        ("volume", ctypes.c_void_p),
        ("banned", ctypes.c_void_p),
    )


class CResult(ctypes.Structure):
    """Output of the kernel: `Result` in `csrc/problem.h`."""

    _fields_ = (
        ("best", ctypes.c_void_p),
        ("frontier", ctypes.c_void_p),
        ("frontier_order", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("most_frontier", "frontier_size", "computed", "boxes")),
        *((name, ctypes.c_void_p) for name in ("refused", "size")),
        ("threshold", ctypes.c_double),
    )


@frozen
class Answer:
    """Result of one search by the kernel."""

    best: Records
    """Best candidate of each row of the ranking. A row without candidates has lane -1. Shape (rows,)."""
    frontier: Records
    """Candidates of the Pareto frontier, fastest first: no candidate is better than one of them by more than the
    resolution in both time and cost. Shape (points,)."""
    refused: Mapping[Limit, Floats]
    """For each limit, the number of candidates that break it, by lane. The kernel computes these candidates, or proves
    with a bound that they break the limit. Shape (lanes,). Empty if they are not counted."""
    size: Floats
    """Number of candidates of each lane. Shape (lanes,). Zero if they are not counted."""
    threshold: float
    """Largest value of a row that is certainly optimal. A row with a larger value may have a better candidate that was
    not computed."""
    computed: int
    """Number of computed candidates."""
    boxes: int
    """Number of intervals of node counts for which a bound was computed."""


def address(array: NDArray[Any] | None) -> int:
    """Return the address of an array, or 0 for None.

    The caller must keep the array alive while the address is in use.
    """
    if array is None:
        return 0
    if not array.flags.c_contiguous:
        raise ValueError("the kernel reads contiguous arrays")
    return int(array.ctypes.data)


@cache
def library() -> ctypes.CDLL:
    """Load the kernel.

    Raises
    ------
    RuntimeError
        It is not compiled, or from another version of its source.
    """
    if not LIBRARY.exists():
        raise RuntimeError(f"{LIBRARY.name} is not built: `make setup` compiles it, and so does installing the package")
    compiled = ctypes.CDLL(str(LIBRARY))
    compiled.stowage_sizes.restype = ctypes.c_int64
    expected = (LANE.itemsize, OFFER.itemsize, VOLUME.itemsize, ctypes.sizeof(CProblem), ctypes.sizeof(CResult))
    found = tuple(compiled.stowage_sizes(which) for which in range(6))
    if found != (*expected, FOUND.itemsize):
        raise RuntimeError(f"{LIBRARY.name} was built from another version of its source ({platform.machine()})")
    return compiled


def dominators_of(types: Records, memory_gib: Floats | None = None) -> NDArray[np.int32]:
    """Return, for each instance type, types that are no slower and cost no more with the same nodes and volumes.

    Parameters
    ----------
    types : array of LANE, shape (types,)
        Figures of each type. Types without a price are unknown.
    memory_gib : array, shape (types,), optional
        Memory of each type [GiB], of which dominating types must have as much; None if memory does not matter.

    Returns
    -------
    array, shape (types, 16)
        Indices of the dominating types with the highest prices; -1 after the last. Of types with equal figures, the
        first dominates the others.
    """
    found = np.zeros((types.size, _DOMINATORS), np.int32)
    order = np.argsort(types["prices"]["usd_per_hour"], kind="stable").astype(np.int32)
    library().stowage_dominators(
        *(ctypes.c_void_p(address(types)), ctypes.c_int32(types.size), ctypes.c_void_p(address(order))),
        *(ctypes.c_void_p(address(memory_gib)), ctypes.c_int32(_DOMINATORS), ctypes.c_void_p(address(found))),
    )
    return found


def solve(  # noqa: PLR0913 - the question as a whole
    lanes: Records,
    volumes: Records,
    arrays: Mapping[str, NDArray[Any] | None],
    numbers: Mapping[str, float],
    *,
    rows: int,
    most_rows: int,
    objective: int,
    frontier: bool,
    counted: bool,
    stays: bool,
    banned: Records,
) -> Answer:
    """Solve one search problem with the kernel.

    Parameters
    ----------
    lanes : array of LANE
    volumes : array of VOLUME
        Volume types, with addresses of arrays that the caller keeps alive.
    arrays : Mapping[str, array]
        Arrays by name, with these shapes: ``nodes`` (places,), ``flows`` (distinct, phases, places, ROLES),
        ``flows_of`` (classes,), the index in ``flows`` of each class; ``cache`` (classes, phases, places) or None,
        ``role`` (phases, ROLES), ``table`` (tables, places), ``charges`` (classes, places, 2); ``held_mb``,
        ``deviation``, ``overhead`` and ``error`` (places,); ``counts``, ``powers`` and ``scales``, each with one
        dimension; ``dominators`` (types, most), as `dominators_of` returns it, or None.
    numbers : Mapping[str, float]
        Further scalar fields of the kernel's input structure, by name.
    rows, most_rows : int
        Number of rows of the ranking, and how many of the first rows must be optimal (0 for all rows).
    objective : int
        Value to minimize: 0 for cost, 1 for time, 2 for monthly cost, 3 for excess over limits.
    frontier, counted, stays : bool
        Whether to return the frontier; to count the candidates and those that break a limit; whether data is exposed to
        loss for a fixed time, not for the job's time.
    banned : array of FOUND
        Candidates to leave out. The model rejects them, but the kernel accepts them because of rounding.

    Raises
    ------
    MemoryError
    """
    best = np.zeros(max(1, rows), FOUND)
    best["lane"] = -1
    refused = np.zeros((len(REASONS), max(1, lanes.size))) if counted else None
    size = np.zeros(max(1, lanes.size))
    asked = {"rows": rows, "most_rows": most_rows, "objective": objective, "want_frontier": frontier, "stays": stays}
    left_out = {"banned_count": banned.size, "banned": address(banned)}
    problem = question(lanes, volumes, arrays, **asked, **left_out, **numbers)
    points, result = _searched(problem, best, refused, size)
    by_reason = {} if refused is None else dict(zip(REASONS, refused[:, : lanes.size], strict=True))
    return Answer(best[:rows], points, by_reason, size[: lanes.size], result.threshold, result.computed, result.boxes)


def _searched(
    problem: CProblem, best: Records, refused: NDArray[Any] | None, size: NDArray[Any]
) -> tuple[Records, CResult]:
    """Run the kernel, enlarging its buffer until the frontier fits.

    The result has the points of the frontier, and the kernel's output structure.

    Raises
    ------
    MemoryError
    """
    points = np.empty(16_384 if problem.want_frontier else 1, FOUND)
    while True:
        order = np.empty(points.size, np.int32)
        result = CResult(
            best=address(best),
            frontier=address(points),
            frontier_order=address(order),
            most_frontier=points.size,
            refused=address(refused),
            size=address(size),
        )
        outcome = library().stowage_search(ctypes.byref(problem), ctypes.byref(result))
        if outcome == 1:
            raise MemoryError
        if outcome == 0:
            return points.take(order[: result.frontier_size]), result
        points = np.empty(8 * points.size, FOUND)
        best["lane"] = -1


def question(
    lanes: Records,
    volumes: Records,
    arrays: Mapping[str, NDArray[Any] | None],
    **named: float,
) -> CProblem:
    """Build the input structure of the kernel.

    ``named`` has its scalar fields.
    """
    flows, role, table, counts = arrays["flows"], arrays["role"], arrays["table"], arrays["counts"]
    dominators = arrays["dominators"]
    flows_of = arrays["flows_of"]
    if flows is None or flows_of is None or role is None or table is None or counts is None:
        raise ValueError("flows, roles, tables and counts are needed")
    flow_classes, phases, places = flows.shape[:3]
    return CProblem(
        places=places,
        classes=flows_of.size,
        flow_classes=flow_classes,
        phases=phases,
        tables=table.shape[0],
        lanes=lanes.size,
        volumes=volumes.size,
        count_steps=counts.size,
        types=0 if dominators is None else dominators.shape[0],
        most_dominators=0 if dominators is None else dominators.shape[1],
        **{name: address(arrays[name]) for name in _ARRAYS},
        digits=0 if arrays["powers"] is None else arrays["powers"].size,
        lane=address(lanes),
        volume=address(volumes),
        **named,
    )
