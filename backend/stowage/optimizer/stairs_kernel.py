"""Interface to the compiled search under many limits (`csrc/stairs.h`).

A stair is a candidate that is among the best rows under some limits. A list has the best rows under one limit, with one
level of confidence.
"""

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.optimizer.arrays import Flags, Floats, Records
from stowage.optimizer.kernel import FOUND, CResult, address, library, question

STAIR = np.dtype(
    [
        ("found", FOUND),
        ("offer", np.uintp),
        *(
            (name, np.float64)
            for name in (
                *("deviation", "below", "time_low_s", "time_high_s"),
                *("cost_low_usd", "cost_high_usd", "overhead_s", "start_s"),
            )
        ),
        ("lists", np.int32),
        ("reserved", np.int32),
    ],
    align=True,
)
_ARRAYS = (
    *("z", "least_factor", "limit", "faster", "stair", "spare"),
    *("list", "row", "value", "size", "unsure", "phase_s", "channel"),
)
_NUMBERS = ("levels", "slots", "most_rows", "room", "most_stairs", "spares", "by_cost", "reserved")
_BY_TIME = 1
_TIED = 46
"""Rows beyond the requested number that a list has room for, if they tie with the last."""
CHANNELS = (
    *("network out", "EBS link", "EBS volumes", "object store"),
    *("input/output disks", "CPU", "link to the data", "intermediate disks"),
)
"""Names of the limiting channels of phases, as predictions name their bottlenecks."""
MOST_STAIRS = 1 << 16
MOST_COMPUTED = 1_000_000
"""Limits of a search: stored candidates (12 MB), and computed candidates (0.4 s on own disks, up to 7 s on EBS)."""


class _CStairs(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in _ARRAYS),
        ("most_computed", ctypes.c_int64),
        *((name, ctypes.c_int32) for name in _NUMBERS),
    )


@frozen
class Stairs:
    """Result of one search under many limits."""

    stairs: Records
    """Candidates. Shape (stairs,)."""
    phase_s: Floats
    """Time of each phase [s]. Shape (stairs, phases)."""
    channel: NDArray[np.int32]
    """Limiting channel of each phase, an index of `CHANNELS`; -1 without one. Shape (stairs, phases)."""
    unsure: Flags
    """Lists that rounding or too many ties decide. Shape (levels, limits)."""
    computed: int
    """Number of computed candidates."""


def solve_stairs(  # noqa: PLR0913 - the question as a whole
    lanes: Records,
    volumes: Records,
    arrays: Mapping[str, NDArray[Any] | None],
    numbers: Mapping[str, float],
    *,
    rows: int,
    objective: int,
    stays: bool,
    limits: Floats,
    quantiles: Floats,
    least_factors: Floats,
    faster: Floats | None,
    most_rows: int,
) -> Stairs | None:
    """Find the best rows under each limit with each confidence.

    Parameters
    ----------
    lanes, volumes, arrays, numbers, rows, objective, stays
        As for `kernel.solve`.
    limits, quantiles, most_rows
        As for `problem.SearchProblem.stairs`.
    least_factors : array, shape (levels,)
        Lower bound of the time met with each confidence, divided by the median.
    faster : array, shape (places,), optional
        Error of the framework below the median; None if it equals the error above.

    Returns
    -------
    Stairs or None
        None if the search gave up after `MOST_COMPUTED` candidates, or found more than `MOST_STAIRS`.

    Raises
    ------
    MemoryError
    """
    made = _Made.of(quantiles.size, limits.size, most_rows, 1 if arrays["flows"] is None else arrays["flows"].shape[1])
    given = {"z": quantiles, "least_factor": least_factors, "limit": limits, "faster": faster}
    of_stairs = made.as_input(given, most_rows=most_rows, by_cost=int(objective == _BY_TIME))
    result = CResult()
    problem = question(
        lanes,
        volumes,
        arrays,
        rows=rows,
        most_rows=0,
        objective=objective,
        want_frontier=False,
        stays=stays,
        banned_count=0,
        banned=0,
        **numbers,
    )
    outcome = _library().stowage_stairs(ctypes.byref(problem), ctypes.byref(result), ctypes.byref(of_stairs))
    if outcome == 1:
        raise MemoryError
    return made.result(int(result.computed)) if outcome == 0 else None


@cache
def _library() -> ctypes.CDLL:
    """Return the kernel, if its structures have the sizes of those declared here."""
    found = library()
    if [found.stowage_sizes_of_stairs(0), found.stowage_sizes_of_stairs(1)] != [
        STAIR.itemsize,
        ctypes.sizeof(_CStairs),
    ]:
        raise RuntimeError("the kernel was built from another version of its source: `make setup`")
    return found


@frozen
class _Made:
    """Arrays that the kernel fills, named as in `csrc/problem.h`."""

    stair: Records
    spare: NDArray[np.int32]
    list: NDArray[np.int32]
    row: NDArray[np.int32]
    value: Floats
    size: NDArray[np.int32]
    unsure: NDArray[np.int8]
    phase_s: Floats
    channel: NDArray[np.int32]

    @classmethod
    def of(cls, levels: int, slots: int, most_rows: int, phases: int) -> "_Made":
        lists = (levels, slots, most_rows + _TIED)
        return cls(
            stair=np.zeros(MOST_STAIRS, STAIR),
            spare=np.zeros(MOST_STAIRS, np.int32),
            list=np.zeros(lists, np.int32),
            row=np.zeros(lists, np.int32),
            value=np.zeros(lists),
            size=np.zeros(lists[:2], np.int32),
            unsure=np.zeros(lists[:2], np.int8),
            phase_s=np.zeros((MOST_STAIRS, phases)),
            channel=np.zeros((MOST_STAIRS, phases), np.int32),
        )

    def as_input(self, given: Mapping[str, NDArray[Any] | None], *, most_rows: int, by_cost: int) -> _CStairs:
        """Build the structure with the addresses of these arrays, which must stay alive during the call."""
        levels, slots, room = self.list.shape
        own = {name: getattr(self, name) for name in _ARRAYS if name not in given}
        return _CStairs(
            **{name: address(array) for name, array in {**given, **own}.items()},
            most_computed=MOST_COMPUTED,
            levels=levels,
            slots=slots,
            most_rows=most_rows,
            room=room,
            most_stairs=MOST_STAIRS,
            by_cost=by_cost,
        )

    def result(self, computed: int) -> Stairs:
        """Return the stairs that are on a list."""
        kept = np.flatnonzero(self.stair["lists"])
        return Stairs(
            stairs=self.stair[kept],
            phase_s=self.phase_s[kept],
            channel=self.channel[kept],
            unsure=self.unsure != 0,
            computed=computed,
        )
